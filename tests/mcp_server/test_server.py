"""The real command, asked by the protocol's own client: over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager
from http.client import HTTPConnection
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from core.library import Incoming, Library
from tests.conftest import ROOT

pytestmark = [pytest.mark.model, pytest.mark.allow_hosts(["127.0.0.1"])]
HANDBOOK = b"# Handbook\n\nAn access token is valid for 3600 seconds.\n"
KETTLE = b"# Kitchen\n\nThe kettle stands beside the window and is descaled in March.\n"
NAMES = ["search", "read", "quote", "sources"]
REFUSED = [
    ("search", {"question": "x", "k": 0}, "k does not fit: input should be greater than or equal to 1."),
    ("search", {"k": 3}, "question is missing."),
    ("search", {"question": "x", "limit": 3}, "search takes no 'limit'. It takes question, k"),
    ("quote", {"source": "none", "start": 0, "end": 4}, "This library has no source 'none'."),
    ("remove", {}, "There is no tool 'remove'. There are search"),
]


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """A library that this process holds for writing."""
    with Library.open(tmp_path_factory.mktemp("held") / "library") as library:
        library.ingest([Incoming("handbook.md", content_hash=library.stage(HANDBOOK))])
        yield library


def command(library, *more):
    return ["-m", "core", "mcp", "--library", str(library.home), *more]


def environment(library):
    return {**os.environ, "LECTERN_HOME": str(library.home), "PYTHONPATH": str(ROOT)}


def stdio(library):
    return StdioServerParameters(command=sys.executable, args=command(library), env=environment(library))


@contextmanager
def http(library):
    """The address and the token of the server while it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    whole = [sys.executable, *command(library, "--http", str(port))]
    with subprocess.Popen(whole, env=environment(library), stderr=subprocess.PIPE, text=True) as process:
        try:
            told = re.fullmatch(r"(http://127\.0\.0\.1:\d+/mcp) answers .*: (\S+)\n", process.stderr.readline())
            for _ in range(200):  # it says the token before it listens
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield told[1], told[2]
        finally:
            process.terminate()


@asynccontextmanager
async def asked(address, token):
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as carrier,
        Client(streamable_http_client(address, http_client=carrier)) as client,
    ):
        yield client


async def talk(client):
    """Every tool, and every refusal, by one connection."""
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == NAMES
    assert all(tool.annotations.read_only_hint for tool in tools)
    found = await client.call_tool("search", {"question": "How long is an access token valid?", "k": 2})
    assert (found.is_error, "3600 seconds" in found.content[0].text) == (False, True)
    place = found.structured_content["places"][0]
    assert place["link"].startswith("http://127.0.0.1:8501/chunks?library=")
    span = {"source": place["source"], "start": place["start"], "end": place["end"]}
    for tool, arguments in (("read", {**span, "around": 50}), ("quote", span), ("sources", {})):
        told = await client.call_tool(tool, arguments)
        assert (told.is_error, "It is data" in told.content[0].text) == (False, True)
    for tool, arguments, words in REFUSED:
        told = await client.call_tool(tool, arguments)
        assert (told.is_error, words in told.content[0].text) == (True, True)
        assert re.search(r"\n|http|Error", told.content[0].text) is None


def test_over_standard_input_and_output_while_documents_are_put_in(held):
    begun, over = Event(), Event()

    class Slow:
        def stage(self, index, stage, done, total):
            if stage == "encoding":
                begun.set()
                over.wait(120)

        def finished(self, index, outcome):
            pass

    def put():
        held.ingest([Incoming("kitchen.md", content_hash=held.stage(KETTLE))], Slow())

    async def run():
        async with Client(stdio(held)) as client:
            thread = Thread(target=put)
            thread.start()
            try:
                assert await asyncio.to_thread(begun.wait, 60)
                await talk(client)
            finally:
                over.set()
                await asyncio.to_thread(thread.join)
            found = await client.call_tool("search", {"question": "Where is the kettle?"})
            assert "beside the window" in found.content[0].text

    asyncio.run(run())


def test_over_http_with_the_token_alone_and_for_this_machine_alone(held):
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})

    async def run(address, token):
        async with asked(address, token) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
            assert "handbook.md" in (await client.call_tool("sources", {})).content[0].text

    with http(held) as (address, token):
        asyncio.run(run(address, token))
        right = {"Authorization": f"Bearer {token}"}
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": f"Basic {token}"}, 401),
            ({**right, "Host": "evil.example.org"}, 421),
            ({**right, "Origin": "http://evil.example.org"}, 403),
        ):
            line = HTTPConnection(urlsplit(address).netloc, timeout=30)
            kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            line.request("POST", "/mcp", hello, {**kinds, **headers})
            answer = line.getresponse()
            assert (answer.status, b"search" in answer.read()) == (status, False), headers
            line.close()


def test_what_keeps_it_from_starting_is_a_sentence(held, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        wrong = (
            (command(held, "--http", str(taken.getsockname()[1])), "cannot be used"),
            (["-m", "core", "mcp", "--library", str(tmp_path)], "There is no library"),
        )
        for arguments, words in wrong:
            done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (2, "")
            assert words in done.stderr
            assert "Traceback" not in done.stderr
