"""The client of an endpoint: it lists models, streams answers and embeds texts. The only module that uses ``openai``.

Requests run in threads of their own, so that the caller can stop at any moment, even if an answer never ends or a
server keeps the connection open without sending. Nothing is sent to an address that the user did not agree to;
redirects are not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, Queue
from random import random
from threading import Event, Thread
from time import monotonic
from typing import Any

from core.errors import CancelledError, LecternError, ModelError
from core.language_model import faults, replies
from core.language_model.settings import LanguageSettings, tokens_about
from core.language_model.turns import Turns

ATTEMPTS = 3
FIRST_WAIT = 1.0  # seconds before the second attempt; twice as long before the third
LONGEST_ANSWER = 20_000  # characters, after which an answer is taken to be endless
LONGEST_WAIT = 30.0  # seconds; a server that asks for a longer wait is not asked again
LISTING_SECONDS = 10.0
_RETRY_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504})
_POLL = 0.1
_DONE = object()


def warm() -> None:
    """Import ``openai`` ahead of its use: its thousand small files take seconds to load."""
    import openai

    openai.resources.chat.completions  # noqa: B018 - a lazy module, imported by this access


TURNS, EMBEDDING_TURNS = Turns(), Turns()
"""The queues of this process: two, so that a search need not wait until an answer is written."""


class Client:
    """The client of one endpoint. Implements ``core.types.LanguageModel``; thread-safe.

    ``urgent``: its requests precede those of other clients in the queue. Raises ``ModelError`` where the user did not
    agree to the address.
    """

    def __init__(
        self, settings: LanguageSettings, key: str = "", *, urgent: bool = True, turns: Turns | None = None
    ) -> None:
        if not settings.address:
            raise ModelError(
                f"There is no address to ask {settings.model or 'a language model'} at.",
                "Give one on the Settings page, and agree to it.",
            )
        if not settings.is_agreed:
            raise ModelError(
                f"Nothing is sent to {settings.host} before you agreed to it.",
                "Agree to this address on the Settings page.",
            )
        self.settings = settings
        self._key = key
        self._urgent = urgent
        self._turns = turns

    @property
    def fingerprint(self) -> str:
        """Identifies the model and its temperature, without key and address."""
        return f"{self.settings.model}|{self.settings.temperature:g}"

    @property
    def room(self) -> int:
        """The largest size of a prompt in bytes."""
        return self.settings.room

    def models(self) -> tuple[replies.Model, ...]:
        """The models of the endpoint, sorted by name. Raises ``ModelError``."""

        def list_models(client: Any, put: Callable[[str], None]) -> None:
            put(client.get("/models", cast_to=str))  # as text, so that ``models_in`` reports other answers

        warm()  # so that loading ``openai`` does not count towards the short time limit
        text = "".join(self._with_retries(list_models, min(LISTING_SECONDS, self.settings.timeout_seconds), None))
        return replies.models_in(text, self.settings)

    def embed(self, texts: Sequence[str], seconds: float | None = None) -> list[list[float]]:
        """The endpoint's vector for each text, not normalised. Raises ``ModelError``.

        ``seconds``: the most to wait, where that is less than the time limit of the settings.
        """
        body = {"model": self.settings.model, "input": [text or " " for text in texts], "encoding_format": "float"}

        def request_vectors(client: Any, put: Callable[[str], None]) -> None:
            put(client.post("/embeddings", body=body, cast_to=str))

        with (self._turns or EMBEDDING_TURNS).turn(urgent=self._urgent):
            try:
                limit = min(seconds or self.settings.timeout_seconds, self.settings.timeout_seconds)
                text = "".join(self._with_retries(request_vectors, limit, None))
            except ModelError as error:
                if faults.NOTHING_THERE not in error.problem:
                    raise
                remedy = "Start one that does, or check the address: it usually ends with /v1."
                raise ModelError(f"The server at {self.settings.host} makes no vectors.", remedy) from None
        return replies.vectors_in(text, len(texts), self.settings)

    def complete(self, prompt: str) -> str:
        """The whole answer, or as much as the server's limit of tokens lets it write. Raises ``ModelError``."""
        pieces: list[str] = []
        try:
            pieces.extend(self.stream(prompt))
        except replies.CutShortError:
            if not pieces:
                raise
        return replies.after_thoughts("".join(pieces))

    def stream(self, prompt: str, stop: Event | None = None) -> Iterator[str]:
        """The answer in pieces, as they arrive. Raises ``ModelError``, and ``CancelledError`` once ``stop`` is set.

        What a model thinks aloud first is no part of it. Raises ``CutShortError`` where the server ended the answer.
        Temporary errors are retried with exponential backoff, or after the time that the server asks for.
        """
        if not self.settings.fits(prompt):
            raise faults.too_long(self.settings, tokens_about(prompt))
        request: dict[str, Any] = {
            "model": self.settings.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.settings.temperature,
        }

        def request_answer(client: Any, put: Callable[[str], None]) -> None:
            replies.forward_answer(client.chat.completions.create(**request, stream=True), put, self.settings)

        with (self._turns or TURNS).turn(urgent=self._urgent, stop=stop):
            length = 0
            pieces = self._with_retries(request_answer, self.settings.timeout_seconds, stop)
            for text in replies.without_thoughts(pieces):
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

    def _with_retries(
        self, request: Callable[[Any, Callable[[str], None]], None], seconds: float, stop: Event | None
    ) -> Iterator[str]:
        """What ``request(client, put)`` puts, with up to ``ATTEMPTS`` attempts within ``seconds`` in all.

        There is no further attempt once text has arrived.
        """
        deadline = monotonic() + seconds
        for attempt in range(1, ATTEMPTS + 1):
            has_text = False
            try:
                for text in self._attempt(request, deadline, seconds, stop):
                    has_text = True
                    yield text
                return
            except _Refused as refused:
                server_wait = faults.retry_after(refused.error)
                backoff = FIRST_WAIT * 2 ** (attempt - 1) * (0.75 + random() / 2)  # noqa: S311 - no secret
                wait = backoff if server_wait is None else server_wait
                is_final = attempt == ATTEMPTS or has_text or refused.status not in _RETRY_STATUSES
                if is_final or wait > LONGEST_WAIT or monotonic() + wait >= deadline:
                    if server_wait is not None and wait > 1:
                        remedy = f"It asks to wait {server_wait:,.0f} seconds."
                        raise ModelError(refused.reported.problem, remedy) from None
                    raise refused.reported from None
                if (stop or Event()).wait(wait):
                    raise CancelledError("This was stopped.") from None

    def _attempt(
        self, request: Callable[[Any, Callable[[str], None]], None], deadline: float, seconds: float, stop: Event | None
    ) -> Iterator[str]:
        """What ``request(client, put)`` puts. It runs in a thread, which is abandoned at the deadline.

        Raises ``_Refused`` for an HTTP error, ``LecternError`` for any other.
        """
        messages: Queue[Any] = Queue()
        is_abandoned = Event()
        clients: list[Any] = []

        def put(text: str) -> None:
            if is_abandoned.is_set():
                raise CancelledError("Nobody waits for it.")
            messages.put(text)

        def run() -> None:
            try:
                clients.append(self._open(max(0.1, deadline - monotonic()) + 1.0))  # so that the caller says it is late
                request(clients[0], put)
                messages.put(_DONE)
            except BaseException as error:  # raised again in the caller's thread
                messages.put(error)

        Thread(target=run, name="lectern-language", daemon=True).start()
        try:
            while True:
                if stop is not None and stop.is_set():
                    raise CancelledError("This was stopped.")
                if monotonic() >= deadline:
                    raise faults.late(self.settings, seconds)
                try:
                    message = messages.get(timeout=_POLL)
                except Empty:
                    continue
                if message is _DONE:
                    return
                if isinstance(message, BaseException):
                    reported = faults.fault(message, self.settings, self._key)
                    status = getattr(message, "status_code", None)
                    raise _Refused(status, message, reported) if status is not None else reported from None
                yield message
        finally:
            is_abandoned.set()
            for client in clients:
                with suppress(Exception):  # closing may fail while the thread reads; the thread ends by itself
                    client.close()

    def _open(self, seconds: float) -> Any:
        from openai import DefaultHttpxClient, OpenAI, Timeout

        def remove_headers(request: Any) -> None:
            """Remove the headers that describe this machine and its account."""
            for name in [name for name in request.headers if name.startswith(("x-stainless", "openai-"))]:
                del request.headers[name]
            if not self._key:
                request.headers.pop("authorization", None)
            request.headers["user-agent"] = "Lectern"

        http = DefaultHttpxClient(
            follow_redirects=False,
            trust_env=not self.settings.is_own,  # a server on this machine is reached without a proxy
            timeout=Timeout(seconds, connect=min(seconds, 10.0)),
            event_hooks={"request": [remove_headers]},
        )
        # ``remove_headers`` also drops an organisation or project from the environment, and the placeholder key.
        return OpenAI(
            api_key=self._key or "none",
            base_url=self.settings.address,
            max_retries=0,
            http_client=http,
            timeout=http.timeout,
        )


class _Refused(Exception):  # noqa: N818 - it never leaves this file
    """An HTTP error ``status``. ``reported``: the error to raise if there is no further attempt."""

    def __init__(self, status: int, error: BaseException, reported: LecternError) -> None:
        super().__init__(status)
        self.status, self.error, self.reported = status, error, reported
