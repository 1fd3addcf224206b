"""A language model's server on this machine that does what a test wrote down, faults included."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from tests.fast_encoder import FastEncoder

MODELS = {"data": [{"id": "small"}, {"id": "large", "max_model_len": 4096}]}


class Script:
    """What the server does with one request: the ways to answer, each a function of the handler."""

    @staticmethod
    def words(*pieces: str, pause: float = 0.0, ended: bool = True, why: str = "stop") -> Callable[[Handler], None]:
        """An answer in pieces; not ``ended``: the line is cut after the last. ``why``: the finish reason."""

        def answer(handler: Handler) -> None:
            handler.begin(200, "text/event-stream")
            for piece in pieces:
                handler.event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
                time.sleep(pause)
            if ended:
                handler.event({"choices": [{"index": 0, "delta": {}, "finish_reason": why}]})
                handler.wfile.write(b"data: [DONE]\n\n")

        return answer

    @staticmethod
    def status(code: int, message: str = "no", **headers: str) -> Callable[[Handler], None]:
        def answer(handler: Handler) -> None:
            handler.begin(code, "application/json", **headers)
            handler.wfile.write(json.dumps({"error": {"message": message}}).encode())

        return answer

    @staticmethod
    def body(text: str, kind: str) -> Callable[[Handler], None]:
        def answer(handler: Handler) -> None:
            handler.begin(200, kind)
            handler.wfile.write(text.encode())

        return answer

    @staticmethod
    def vectors(handler: Handler) -> None:
        """Vectors that share words as their texts do, the last one first, and none of unit norm."""
        body = handler.server.state.asked[-1][2]  # type: ignore[attr-defined]
        rows = [
            {"index": index, "embedding": [3 * float(value) for value in vector]}
            for index, vector in enumerate(FastEncoder().encode(body["input"]))
        ]
        Script.body(json.dumps({"data": rows[::-1]}), "application/json")(handler)

    @staticmethod
    def silence(handler: Handler) -> None:
        """No byte, until the test is over."""
        handler.server.over.wait(30)  # type: ignore[attr-defined]

    @staticmethod
    def endless(handler: Handler) -> None:
        handler.begin(200, "text/event-stream")
        while not handler.server.over.is_set():  # type: ignore[attr-defined]
            handler.event({"choices": [{"index": 0, "delta": {"content": "and so on " * 20}, "finish_reason": None}]})

    @staticmethod
    def pings(handler: Handler) -> None:
        """Only what keeps the line open, and never a word."""
        handler.begin(200, "text/event-stream")
        while not handler.server.over.is_set():  # type: ignore[attr-defined]
            handler.wfile.write(b": ping\n\n")
            handler.wfile.flush()
            time.sleep(0.05)


class Handler(BaseHTTPRequestHandler):
    def begin(self, code: int, kind: str, **headers: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def event(self, data: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def do_GET(self) -> None:
        self._note(None)
        self._answer(self.server.state.listing)  # type: ignore[attr-defined]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._note(body)
        state = self.server.state  # type: ignore[attr-defined]
        answers = state.vectors if self.path.endswith("/embeddings") else state.answers
        self._answer(answers.pop(0) if len(answers) > 1 else answers[0])

    def _note(self, body: Any) -> None:
        self.server.state.asked.append((self.path, dict(self.headers), body))  # type: ignore[attr-defined]

    def _answer(self, answer: Callable[[Handler], None]) -> None:
        with suppress(OSError):  # who asked has left
            answer(self)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Nothing is printed."""


@dataclass
class Endpoint:
    """``address``: to be set. ``asked``: path, headers and body of every request. ``answers``: the last one stays, as
    that of ``vectors``, which are asked for by another path.
    """

    address: str
    answers: list[Callable[[Handler], None]]
    listing: Callable[[Handler], None]
    vectors: list[Callable[[Handler], None]] = field(default_factory=lambda: [Script.vectors])
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        return [body["messages"][-1]["content"] for _, _, body in self.asked if body and "messages" in body]

    @property
    def texts(self) -> list[str]:
        """That vectors were asked for, in order."""
        return [text for _, _, body in self.asked if body and "input" in body for text in body["input"]]


@contextmanager
def endpoint(*answers: Callable[[Handler], None], models: Any = MODELS) -> Iterator[Endpoint]:
    """The server, while the test runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.over = Event()  # type: ignore[attr-defined]
    listing = models if callable(models) else Script.body(json.dumps(models), "application/json")
    state = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", list(answers) or [Script.words("ready")], listing)
    server.state = state  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.over.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()
