"""The command ``mcp``."""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress
from threading import Thread

from core.cli.options import home, open_to_read
from core.errors import LecternError
from core.library import Library
from core.mcp_server.tools import Tools


def serve(options: Namespace) -> int:
    """Serve until stdin is closed or, over HTTP, until stopped."""
    from core.mcp_server import server

    with open_to_read(home(options)) as library:
        Thread(target=_warm, args=[library], name="lectern-warm", daemon=True).start()
        tools = Tools(library, options.app)
        if options.http is None:
            server.over_stdio(tools)
        else:
            server.over_http(tools, options.http)
    return 0


def _warm(library: Library) -> None:
    """Load the encoder, so that the first call does not wait for it. What fails is said by that call."""
    with suppress(LecternError):
        library.searcher.encode(["ready"])
