"""Asking an endpoint: its models, an answer as it is written, an answer as a whole. The one door to ``openai``.

The library asks in a thread of its own, so that whoever waits can stop at any moment: an answer that never ends, or a
server that only keeps the line open, holds nobody up. Nothing is sent to an address that was not agreed to, nor to one
that it leads on to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from queue import Empty, Queue
from random import random
from threading import Event, Thread
from time import monotonic
from typing import Any

from core.errors import CancelledError, LecternError, ModelError
from core.language_model import faults
from core.language_model.settings import LanguageSettings, tokens_about
from core.language_model.turns import Turns

ATTEMPTS = 3
FIRST_WAIT = 1.0  # seconds before the second attempt; twice as long before the third
LONGEST_ANSWER = 20_000  # characters; more is an answer that does not end
LONGEST_WAIT = 30.0  # seconds that a server may ask to wait before another attempt
LISTING_SECONDS = 10.0
_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504})
_POLL = 0.1
_DONE = object()


def warm() -> None:
    """Import the library that asks: a thousand small files, which takes seconds, and many where others are busy."""
    import openai

    openai.resources.chat.completions  # noqa: B018 - it is imported where it is first looked at


TURNS, EMBEDDING_TURNS = Turns(), Turns()
"""The queues of this process. An answer that is being written must not hold up the search for the next question."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of an endpoint. ``context_tokens``: that the server says it reads, 0 where it does not say."""

    name: str
    context_tokens: int = 0


class Client:
    """Asks one endpoint that was agreed to. Satisfies ``core.types.LanguageModel``; any thread may ask.

    ``urgent``: goes before those in the queue who are not. Raises ``ModelError`` where the address was not agreed to.
    """

    def __init__(
        self, settings: LanguageSettings, key: str = "", *, urgent: bool = True, turns: Turns | None = None
    ) -> None:
        if not settings.is_agreed:
            raise ModelError(
                f"Nothing is sent to {settings.host or 'a language model'} before you agreed to it.",
                "Agree to this address on the Settings page.",
            )
        self.settings = settings
        self._key = key
        self._urgent = urgent
        self._turns = turns

    @property
    def fingerprint(self) -> str:
        """Names the model and how it writes; no key, no address."""
        return f"{self.settings.model}|{self.settings.temperature:g}"

    @property
    def room(self) -> int:
        """How many bytes a prompt may have."""
        return self.settings.room

    def models(self) -> tuple[Model, ...]:
        """What the endpoint lists, by name. Raises ``ModelError``."""

        def listed(client: Any, put: Callable[[str], None]) -> None:
            put(client.get("/models", cast_to=str))  # as it is: what is no list has a sentence of its own

        warm()  # a short limit is the server's, not that of a library that is read from the disk
        text = "".join(self._patiently(listed, min(LISTING_SECONDS, self.settings.timeout_seconds), None))
        return models_in(text, self.settings)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The endpoint's vector for each text, of whatever norm. Raises ``ModelError``."""
        body = {"model": self.settings.model, "input": [text or " " for text in texts], "encoding_format": "float"}

        def embedded(client: Any, put: Callable[[str], None]) -> None:
            put(client.post("/embeddings", body=body, cast_to=str))

        with (self._turns or EMBEDDING_TURNS).turn(urgent=self._urgent):
            try:
                text = "".join(self._patiently(embedded, self.settings.timeout_seconds, None))
            except ModelError as error:
                if faults.NOTHING_THERE not in error.problem:
                    raise
                remedy = "Start one that does, or check the address: it usually ends with /v1."
                raise ModelError(f"The server at {self.settings.host} makes no vectors.", remedy) from None
        return vectors_in(text, len(texts), self.settings)

    def complete(self, prompt: str) -> str:
        """The whole answer. Raises ``ModelError``."""
        return "".join(self.stream(prompt))

    def stream(self, prompt: str, stop: Event | None = None) -> Iterator[str]:
        """The answer as it comes, in pieces. Raises ``ModelError``, ``CancelledError`` once ``stop`` is set.

        A refusal that may pass is met with another attempt after a while, or after as long as the server asks for.
        """
        if not self.settings.fits(prompt):
            raise faults.too_long(self.settings, tokens_about(prompt))
        request: dict[str, Any] = {
            "model": self.settings.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.settings.temperature,
        }

        def written(client: Any, put: Callable[[str], None]) -> None:
            _pass_on(client.chat.completions.create(**request, stream=True), put, self.settings)

        with (self._turns or TURNS).turn(urgent=self._urgent, stop=stop):
            length = 0
            for text in self._patiently(written, self.settings.timeout_seconds, stop):
                length += len(text)
                yield text
                if length > LONGEST_ANSWER:
                    raise ModelError(
                        f"The answer of {self.settings.model} did not end, and was stopped after "
                        f"{LONGEST_ANSWER:,} characters.",
                        "Ask again, or choose another model.",
                    )
            if not length:
                raise ModelError(
                    f"{self.settings.model} at {self.settings.host} answered nothing.",
                    "Ask again, or choose another model.",
                )

    def _patiently(
        self, work: Callable[[Any, Callable[[str], None]], None], seconds: float, stop: Event | None
    ) -> Iterator[str]:
        deadline = monotonic() + seconds
        for attempt in range(1, ATTEMPTS + 1):
            begun = False
            try:
                for text in self._attempt(work, deadline, seconds, stop):
                    begun = True
                    yield text
                return
            except _Refused as refused:
                asked = faults.retry_after(refused.error)
                wait = FIRST_WAIT * 2 ** (attempt - 1) * (0.75 + random() / 2) if asked is None else asked  # noqa: S311 - no secret
                last = attempt == ATTEMPTS or begun or refused.status not in _AGAIN
                if last or wait > LONGEST_WAIT or monotonic() + wait >= deadline:
                    if asked is not None and wait > 1:
                        raise ModelError(refused.told.problem, f"It asks to wait {asked:,.0f} seconds.") from None
                    raise refused.told from None
                if (stop or Event()).wait(wait):
                    raise CancelledError("This was stopped.") from None

    def _attempt(
        self, work: Callable[[Any, Callable[[str], None]], None], deadline: float, seconds: float, stop: Event | None
    ) -> Iterator[str]:
        """What ``work(client, put)`` puts, as it does. It runs in a thread that is left behind at the deadline."""
        arrived: Queue[Any] = Queue()
        gone = Event()
        opened: list[Any] = []

        def put(text: str) -> None:
            if gone.is_set():
                raise CancelledError("Nobody waits for it.")
            arrived.put(text)

        def run() -> None:
            try:
                opened.append(self._open(max(0.1, deadline - monotonic())))
                work(opened[0], put)
                arrived.put(_DONE)
            except BaseException as error:  # handed to whoever waits
                arrived.put(error)

        Thread(target=run, name="lectern-language", daemon=True).start()
        try:
            while True:
                if stop is not None and stop.is_set():
                    raise CancelledError("This was stopped.")
                if monotonic() >= deadline:
                    raise faults.late(self.settings, seconds)
                try:
                    found = arrived.get(timeout=_POLL)
                except Empty:
                    continue
                if found is _DONE:
                    return
                if isinstance(found, BaseException):
                    told = faults.fault(found, self.settings, self._key)
                    status = getattr(found, "status_code", None)
                    raise _Refused(status, found, told) if status is not None else told from None
                yield found
        finally:
            gone.set()
            for client in opened:
                with suppress(Exception):  # a connection that is being read may resist; the thread ends by itself
                    client.close()

    def _open(self, seconds: float) -> Any:
        from openai import DefaultHttpxClient, OpenAI, Timeout

        def plain(request: Any) -> None:
            """What the machine and the account are is not the endpoint's business."""
            for name in [name for name in request.headers if name.startswith(("x-stainless", "openai-"))]:
                del request.headers[name]
            if not self._key:
                request.headers.pop("authorization", None)
            request.headers["user-agent"] = "Lectern"

        http = DefaultHttpxClient(
            follow_redirects=False,
            trust_env=not self.settings.is_own,  # no proxy stands between a machine and itself
            timeout=Timeout(seconds, connect=min(seconds, 10.0)),
            event_hooks={"request": [plain]},
        )
        # An organisation or a project of the environment is removed by ``plain``; so is the key that is none.
        return OpenAI(
            api_key=self._key or "none",
            base_url=self.settings.address,
            max_retries=0,
            http_client=http,
            timeout=http.timeout,
        )


class _Refused(Exception):  # noqa: N818 - it never leaves this file
    """A status of HTTP that is no success: ``told`` is what is said of it at the end."""

    def __init__(self, status: int, error: BaseException, told: LecternError) -> None:
        super().__init__(status)
        self.status, self.error, self.told = status, error, told


def _pass_on(stream: Any, put: Callable[[str], None], settings: LanguageSettings) -> None:
    """Put the words of an answer that comes in events; or of one that comes at once, as some servers send it."""
    with stream:
        kind = stream.response.headers.get("content-type", "")
        if "html" in kind:
            raise faults.html(settings)
        if "json" in kind and "stream" not in kind and "lines" not in kind:
            put(str(json.loads(stream.response.read())["choices"][0]["message"]["content"] or ""))
            return
        ended = some = False
        for event in stream:
            for choice in event.choices or ():
                if text := getattr(choice.delta, "content", None):
                    put(text)
                    some = True
                ended = ended or choice.finish_reason is not None
        if some and not ended:
            raise ModelError(f"The connection to {settings.host} was cut before the answer ended.", "Ask again.")


def models_in(text: str, settings: LanguageSettings) -> tuple[Model, ...]:
    """The models of a list, by name. Raises ``ModelError`` where it is none.

    >>> models_in('{"data": [{"id": "b", "max_model_len": 4096}, {"id": "a"}]}', LanguageSettings())
    (Model(name='a', context_tokens=0), Model(name='b', context_tokens=4096))
    """
    try:
        rows = json.loads(text)["data"] or ()
        return tuple(sorted((Model(str(row["id"]), _context(row)) for row in rows), key=lambda model: model.name))
    except (ValueError, KeyError, TypeError, AttributeError):
        if text.lstrip()[:1] == "<":
            raise faults.html(settings) from None
        raise ModelError(
            f"{settings.host} lists no models as a language model's server does.",
            "Check the address: it usually ends with /v1.",
        ) from None


def vectors_in(text: str, count: int, settings: LanguageSettings) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts, all of one length. Raises ``ModelError`` where it is none.

    >>> vectors_in('{"data": [{"index": 1, "embedding": [3]}, {"index": 0, "embedding": [2]}]}', 2, LanguageSettings())
    [[2.0], [3.0]]
    """
    try:
        rows = sorted(json.loads(text)["data"], key=lambda row: int(row["index"]))
        vectors = [[float(value) for value in row["embedding"]] for row in rows]
    except (ValueError, KeyError, TypeError):
        if text.lstrip()[:1] == "<":
            raise faults.html(settings) from None
        vectors = []
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != count or len(lengths) > 1 or lengths & {0} or not all(map(isfinite, chain(*vectors))):
        raise ModelError(
            f"{settings.host} answered with no vectors of {settings.model} that can be used.",
            "Choose a model that embeds, and start its server so that it does.",
        )
    return vectors


def _context(row: dict[str, Any]) -> int:
    """Tokens that a server says a model reads, under the names that vLLM, LM Studio, llama.cpp and others have for it.

    >>> _context({"meta": {"n_ctx": 4096, "n_ctx_train": 131072}})
    4096
    """
    told = {**(row.get("meta") or {}), **row}
    names = ("max_model_len", "max_context_length", "context_length", "context_window", "n_ctx", "n_ctx_train")
    sizes = [told.get(name) for name in names]
    return next((size for size in sizes if isinstance(size, int) and size > 0), 0)
