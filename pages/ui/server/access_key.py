"""Who is let in: on this machine its owner's programs and whoever has the key of this start, beyond it who logs in.

Any user of a machine can reach every port of it. Where the system tells whose a connection is (Linux), that decides.
Elsewhere, and for anybody else, the address that is opened carries a key, made at each start, and a browser that came
by it keeps a second one in a cookie, which outlives a restart: links and bookmarks lead on. The cookie is ``Lax``, so
that a link in a mail leads here, too. It is told to every port of its host: whoever opens a page of another user's
server on this machine hands it over.
"""

from __future__ import annotations

import hmac
import os
import stat
import struct
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from html import escape
from ipaddress import ip_address
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import streamlit as st
from streamlit import cli_util
from streamlit.web.server import server_util

from core.atomic_files import written_privately
from core.storage.shelf import shelf_file

ASKED_FOR = "key"
ADDRESS_FILE = "open-lectern.html"
_COOKIE_FILE = "browsers.key"
_LENGTH = 32  # bytes
_ONCE = "The key in it is yours alone and this start's; a browser that came by it once needs none."
_ESTABLISHED = "01"  # of /proc/net/tcp
_LONGEST_OF_4 = 14  # letters of an address and port there


@dataclass(frozen=True, slots=True)
class Admission:
    """``start``: the key that the opened address carries. ``kept``: what browsers show that were let in once.

    ``own``: programs of the user who runs the app need neither, where the system tells whose they are.
    """

    start: str
    kept: str
    own: bool = True

    def fits(self, shown: str | None, key: str) -> bool:
        """
        >>> Admission("a", "b").fits("b", "b"), Admission("a", "b").fits("a", "b"), Admission("a", "b").fits(None, "b")
        (True, False, False)
        """
        return shown is not None and hmac.compare_digest(shown.encode(), key.encode())


def of_this_start() -> Admission | None:
    """The keys of this start; ``None`` where none are asked for: people log in, or something else keeps the door.

    Ends the process with a sentence where the app would be served to other machines without a login.
    """
    door = os.environ.get("LECTERN_DOOR", "")
    if door not in ("", "key", "open"):
        sys.exit(f"LECTERN_DOOR is {door!r}, and it can be open, or key, or nothing.")
    if door == "open" or has_login():
        return None
    address = st.get_option("server.address")
    if not is_loopback(address):
        sys.exit(
            f"Lectern does not serve other machines (server.address is {address or 'not set'}) without a login. Start "
            "it in its own folder, or with --server.address 127.0.0.1, to serve this machine alone; or name a login "
            "under [auth] in .streamlit/secrets.toml, as docs/serving.md shows. Where something in front of it asks "
            "who comes, set LECTERN_DOOR=open."
        )
    return Admission(token_urlsafe(_LENGTH), _kept(shelf_file().with_name(_COOKIE_FILE)), own=door != "key")


def is_own(client: Sequence[Any] | None, server: Sequence[Any] | None) -> bool:
    """Whether a connection's other end is a program of the user who runs this process. Both ends: (address, port).

    ``False`` where the system does not tell: it does on Linux, for connections within the machine.
    """
    with suppress(OSError, ValueError, TypeError, AttributeError):
        ends = [_as_in_proc(*end[:2]) for end in (client, server) if end]
        table = Path("/proc/net/tcp" if len(ends[0]) < _LONGEST_OF_4 else "/proc/net/tcp6").read_text("ascii")
        rows = [row.split() for row in table.splitlines()[1:]]
        # Two sockets may share a port, and what was closed has no owner: it is this connection, and it is open.
        owners = [int(row[7]) for row in rows if row[1:4] == [*ends, _ESTABLISHED]]
        return owners == [os.getuid()]
    return False


@cache
def has_login() -> bool:
    """Whether a login was set up when this process began: ``[auth]`` in Streamlit's secrets.

    Streamlit reads them anew when they change: a file that is broken or gone later must not open the door.
    """
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def is_loopback(address: str | None) -> bool:
    """Whether only this machine reaches an address; ``None`` is all of this machine's.

    >>> [is_loopback(one) for one in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "192.168.1.5", "my-nas", None)]
    [True, True, True, False, False, False, False]
    """
    try:
        return address == "localhost" or ip_address(address or "").is_loopback
    except ValueError:
        return False


def announced(keys: Admission | None) -> Callable[[st.App], AbstractAsyncContextManager[None]]:
    """At the start: say in the terminal, and in a file of its owner's, where the app is, and open it there."""

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        named = st.get_option("browser.serverAddress" if has_login() else "server.address") or "localhost"
        shown = server_util.get_display_address(named)
        address = opened = server_util.get_url(f"[{shown}]" if ":" in shown and "[" not in shown else shown)
        told = "People log in there." if has_login() else "Who reaches it is let in: LECTERN_DOOR is open."
        if keys is not None:
            with_key = f"{address}/?{ASKED_FOR}={keys.start}"
            plain = keys.own and sys.platform == "linux"  # where whoever opens it is known without
            address = opened = address if plain else with_key
            told = f"Programs of your account come in; others, once, by {with_key}" if plain else _ONCE
            with suppress(OSError):  # every user of the machine sees a command's arguments: the browser is given a file
                file = shelf_file().with_name(ADDRESS_FILE)
                written_privately(file, f'<meta http-equiv="refresh" content="0; url={escape(with_key)}">\n')
                opened, told = (
                    opened if plain else file.absolute().as_uri(),
                    f"{told}\n  {file} leads there with the key.",
                )
        print(f"\n  Lectern is at {address}\n  {told}\n", flush=True)
        if not st.get_option("server.headless"):
            cli_util.open_browser(opened)
        yield

    return lifespan


def _as_in_proc(address: str, port: int) -> str:
    packed = ip_address(address).packed
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return f"{''.join(f'{word:08X}' for word in words)}:{port:04X}"


def _kept(file: Path) -> str:
    """What lies in a file that nobody else can read; made where there is none, or another could have read it."""
    with suppress(OSError, UnicodeDecodeError):
        found = file.lstat()
        own = os.name == "nt" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
        if own and stat.S_ISREG(found.st_mode) and len(text := file.read_text("ascii")) >= _LENGTH:
            return text
    made = token_urlsafe(_LENGTH)
    with suppress(OSError):  # where nothing can be kept, the address of the next start is needed again
        written_privately(file, made)
    return made
