"""The MCP server, over standard input and output or over HTTP on this machine. The only module that uses ``mcp``."""

from __future__ import annotations

import hmac
import secrets
import socket
import sys
from typing import Annotated, Any

from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError

from core.errors import LecternError
from core.mcp_server.tools import DATA, LONGEST, ToolResult, Tools

HOST = "127.0.0.1"
PATH = "/mcp"
_ABOUT = (
    "A person's own documents, for reading. Search them, read on around a place, quote a place word for word. "
    f"{DATA} Cite what you say by the link of its result."
)

Question = Annotated[str, Field(description="What is looked for, in plain words", min_length=1, max_length=2000)]
Source = Annotated[str, Field(description="As results name it, or a file's name", min_length=1, max_length=1000)]
Start = Annotated[int, Field(description="Its first character, counted from 0", ge=0)]
End = Annotated[int, Field(description="The character behind its last", ge=1)]
Names = Annotated[list[str], Field(description="Look there alone; none: everywhere", max_length=100)]


class _Server(MCPServer[Any]):
    """An MCP server that reports errors of a call as a sentence."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | Any:
        tools = {tool.name: tool for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"There is no tool {name!r}. There are {', '.join(tools)}.")
        known = tools[name].input_schema["properties"]
        unknown = [argument for argument in arguments if argument not in known]
        if unknown:
            raise ToolError(f"{name} takes no {unknown[0]!r}. It takes {', '.join(known)}.")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, LecternError):
                raise ToolError(str(cause)) from None
            if isinstance(cause, ValidationError):
                raise ToolError(" ".join(_argument_error(error) for error in cause.errors())) from None
            raise


def _argument_error(details: Any) -> str:
    """A validation error of pydantic as a sentence."""
    name, message = ".".join(map(str, details["loc"])), str(details["msg"])
    if details["type"] == "missing":
        return f"{name} is missing."
    return f"{name} does not fit: {message[:1].lower()}{message[1:]}."


class _TokenVerifier:
    """Accepts the one token that was generated when the server started."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def verify_token(self, token: str) -> AccessToken | None:
        is_valid = hmac.compare_digest(token.encode(), self._token.encode())
        return AccessToken(token=token, client_id="lectern", scopes=[]) if is_valid else None


def build_server(tools: Tools, token: str = "") -> MCPServer[Any]:
    """The server with its tools, all of them read-only. ``token``: required over HTTP, "" for none."""
    guard: dict[str, Any] = {}
    if token:  # AuthSettings requires an issuer's address, which nothing here uses
        auth = AuthSettings(issuer_url=f"http://{HOST}", resource_server_url=None)  # type: ignore[arg-type]
        guard = {"auth": auth, "token_verifier": _TokenVerifier(token)}
    server = _Server("lectern", title="Lectern", instructions=_ABOUT, log_level="ERROR", **guard)
    reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    def search(
        question: Question,
        k: Annotated[int, Field(description="At most so many passages", ge=1, le=50)] = 8,
        collections: Names = [],  # noqa: B006 - appears in the schema, and is never modified
        tags: Names = [],  # noqa: B006
        sources: Names = [],  # noqa: B006
    ) -> CallToolResult:
        return _result(tools.search(question, k, collections, tags, sources))

    def read(
        source: Source,
        start: Start,
        end: End,
        around: Annotated[int, Field(description="Characters before and behind it", ge=0, le=LONGEST // 2)] = 1000,
    ) -> CallToolResult:
        return _result(tools.read(source, start, end, around))

    def quote(source: Source, start: Start, end: End) -> CallToolResult:
        return _result(tools.quote(source, start, end))

    def sources(
        find: Annotated[str, Field(description="Part of a file's name or title; none: all", max_length=200)] = "",
        first: Annotated[int, Field(description="Go on from this number, counted from 0", ge=0)] = 0,
    ) -> CallToolResult:
        return _result(tools.sources(find, first))

    for tool, about in (
        (search, "Find passages of the person's documents for a question, best first, each with its place and a link."),
        (read, "Read on around a place of a source, as a result names it."),
        (quote, "The exact text of a place of a source, word for word."),
        (sources, "List the documents of the library by what results call them, their files and titles."),
    ):
        server.add_tool(tool, description=f"{about} {DATA}", annotations=reading)
    return server


def _result(result: ToolResult) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=result.text)], structured_content={"places": list(result.places)}
    )


def over_stdio(tools: Tools) -> None:
    """Serve on standard input and output until the client closes them."""
    build_server(tools).run("stdio")


def over_http(tools: Tools, port: int) -> None:
    """Serve over HTTP on 127.0.0.1 until stopped. Raises ``LecternError`` where the port cannot be used.

    A new token is generated and printed once, on standard error; every request needs it. Requests with another Host or
    Origin header are refused.
    """
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
    except (OSError, OverflowError) as error:
        raise LecternError(f"Port {port} of {HOST} cannot be used.", "Name another one.") from error
    token = secrets.token_urlsafe(32)
    print(f"http://{HOST}:{port}{PATH} answers who sends this token: {token}", file=sys.stderr, flush=True)
    build_server(tools, token).run("streamable-http", host=HOST, port=port, streamable_http_path=PATH)
