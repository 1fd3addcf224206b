"""Where the sockets of a process lead, and those of every Python process that it starts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

# A name that is looked up is a destination; an address in numbers is one once something goes there.
_GUARD = """
import os, sys
told, allowed = os.environ["DESTINATIONS"], os.environ["ALLOWED"]
def note(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        where = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        where = (*arguments, "")[:2]
        host = where[0].decode() if isinstance(where[0], bytes) else where[0]
        if not host or ":" in host or host.replace(".", "").isdigit():
            return
    else:
        return
    if isinstance(where, tuple) and where[0] is not None:
        name = ":".join(map(str, where[:2]))
        with open(told, "a") as file:
            file.write(name + "\\n")
        if name != allowed:
            raise OSError("this test lets nobody go to " + name)
sys.addaudithook(note)
"""


@dataclass(frozen=True)
class Guard:
    """Notes every destination below ``folder``, and lets processes with its ``variables`` reach ``allowed`` alone:
    a host with its port, "" for none.
    """

    folder: Path
    allowed: str

    def __post_init__(self) -> None:
        (self.folder / "sitecustomize.py").write_text(_GUARD)
        self._told.touch()

    @property
    def _told(self) -> Path:
        return self.folder / "destinations"

    @property
    def variables(self) -> dict[str, str]:
        """What a process is to be started with."""
        path = os.pathsep.join([str(self.folder), str(ROOT)])
        return {"PYTHONPATH": path, "DESTINATIONS": str(self._told), "ALLOWED": self.allowed}

    @property
    def destinations(self) -> set[str]:
        """Where anything went or wished to go."""
        return set(self._told.read_text().split())
