"""The command ``mcp``."""

from __future__ import annotations

from argparse import Namespace

from core.cli.options import home, open_to_read
from core.mcp_server.tools import Tools


def serve(options: Namespace) -> int:
    """Serve until stdin is closed or, over HTTP, until stopped."""
    from core.mcp_server import server

    with open_to_read(home(options)) as library:
        tools = Tools(library, options.app)
        if options.http is None:
            server.over_stdio(tools)
        else:
            server.over_http(tools, options.http)
    return 0
