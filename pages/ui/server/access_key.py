"""Who may use the app: the owner's programs and browsers with a key; from other machines, people who log in.

Every user of a machine can reach its ports. On Linux the system tells which user a connection belongs to, and the owner
is let in by that. Elsewhere, and for other users, the address opened at the start carries a key, which is new at each
start. A browser that came by it gets a second key in a cookie, which outlives restarts, so that links and bookmarks
keep working. The cookie is ``Lax``, so that links in mails work, too. Limit: browsers send a cookie to every port of
its host, so a person who opens a page of another user's server on this machine gives the key away.
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
    """The keys of a running app.

    ``start``: the key in the address that is opened. ``kept``: the key in the cookie of browsers that were let in
    before. ``own``: programs of the user who runs the app need neither, where the system can tell.
    """

    start: str
    kept: str
    own: bool = True

    def fits(self, shown: str | None, key: str) -> bool:
        """Whether the value shown is this key, compared in constant time.

        >>> Admission("a", "b").fits("b", "b"), Admission("a", "b").fits("a", "b"), Admission("a", "b").fits(None, "b")
        (True, False, False)
        """
        return shown is not None and hmac.compare_digest(shown.encode(), key.encode())


def of_this_start() -> Admission | None:
    """The keys of this start; ``None`` if no key is checked, because people log in or ``LECTERN_DOOR`` is "open".

    Ends the process with a message if the app would be served to other machines without a login.
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
    """Whether the client's end of a connection belongs to the user who runs this process.

    ``client``, ``server``: the two ends as (address, port). ``False`` where the system does not tell; Linux does, for
    connections within the machine.
    """
    with suppress(OSError, ValueError, TypeError, AttributeError):
        ends = [_as_in_proc(*end[:2]) for end in (client, server) if end]
        table = Path("/proc/net/tcp" if len(ends[0]) < _LONGEST_OF_4 else "/proc/net/tcp6").read_text("ascii")
        rows = [row.split() for row in table.splitlines()[1:]]
        # Matched by both ends and by state: two sockets may share a port, and a closed one has no owner.
        owners = [int(row[7]) for row in rows if row[1:4] == [*ends, _ESTABLISHED]]
        return owners == [os.getuid()]
    return False


@cache
def has_login() -> bool:
    """Whether Streamlit's secrets had ``[auth]`` when this process began.

    Cached, because Streamlit reads the secrets again when they change: a file that is later broken or deleted must not
    switch the login off.
    """
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def is_loopback(address: str | None) -> bool:
    """Whether a server at this address can be reached from this machine only; ``None`` means all addresses.

    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "192.168.1.5", "my-nas", None)]
    [True, True, True, False, False, False, False]
    """
    try:
        return address == "localhost" or ip_address(address or "").is_loopback
    except ValueError:
        return False


def announced(keys: Admission | None) -> Callable[[st.App], AbstractAsyncContextManager[None]]:
    """The app's lifespan: at the start, print the address, write it to a file of the owner, and open it."""

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        named = st.get_option("browser.serverAddress" if has_login() else "server.address") or "localhost"
        shown = server_util.get_display_address(named)
        address = opened = server_util.get_url(f"[{shown}]" if ":" in shown and "[" not in shown else shown)
        access = "People log in there." if has_login() else "Who reaches it is let in: LECTERN_DOOR is open."
        if keys is not None:
            with_key = f"{address}/?{ASKED_FOR}={keys.start}"
            plain = keys.own and sys.platform == "linux"  # the owner needs no key there
            address = opened = address if plain else with_key
            access = f"Programs of your account come in; others, once, by {with_key}" if plain else _ONCE
            # The browser gets a file, not the address: every user of the machine can see a command's arguments.
            with suppress(OSError):
                file = shelf_file().with_name(ADDRESS_FILE)
                written_privately(file, f'<meta http-equiv="refresh" content="0; url={escape(with_key)}">\n')
                opened, access = (
                    opened if plain else file.absolute().as_uri(),
                    f"{access}\n  {file} leads there with the key.",
                )
        print(f"\n  Lectern is at {address}\n  {access}\n", flush=True)
        if not st.get_option("server.headless"):
            cli_util.open_browser(opened)
        yield

    return lifespan


def _as_in_proc(address: str, port: int) -> str:
    """An address and port as ``/proc/net/tcp`` writes them."""
    packed = ip_address(address).packed
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return f"{''.join(f'{word:08X}' for word in words)}:{port:04X}"


def _kept(file: Path) -> str:
    """The key stored in a file; a new one is made and stored if there is none, or if other users could read it."""
    with suppress(OSError, UnicodeDecodeError):
        status = file.lstat()
        private = os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)
        if private and stat.S_ISREG(status.st_mode) and len(text := file.read_text("ascii")) >= _LENGTH:
            return text
    key = token_urlsafe(_LENGTH)
    with suppress(OSError):  # if it cannot be stored, browsers need the address of the next start again
        written_privately(file, key)
    return key
