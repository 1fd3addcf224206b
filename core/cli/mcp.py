"""The command by which other programs ask a library."""

from __future__ import annotations

from argparse import Namespace

from core.cli.options import home, reading
from core.mcp_server.tools import Tools


def serve(options: Namespace) -> int:
    """Answer until the other side leaves, or, over HTTP, until it is stopped."""
    from core.mcp_server import server

    with reading(home(options)) as library:
        tools = Tools(library, options.app)
        if options.http is None:
            server.over_stdio(tools)
        else:
            server.over_http(tools, options.http)
    return 0
