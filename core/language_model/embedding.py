"""An embedding model behind an endpoint as an encoder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from time import monotonic

import numpy as np

from core.errors import ModelError
from core.language_model.client import Client
from core.language_model.settings import LanguageSettings
from core.text.pooling import of_unit_length
from core.types import Vectors

_QUESTION_SECONDS = 20.0  # a page waits no longer for the vectors of a question, and goes by words alone
_RETRY_SECONDS = 10.0  # after a failure no question is sent to the server for so long
_WAITS = 3  # or for so many times the seconds that the failure took
MAX_TOKENS = 512  # usual limit of embedding models; endpoints do not state theirs


def fingerprint(model: str, dimension: int) -> str:
    """Sixteen hex digits that identify a model, whatever its address.

    >>> fingerprint("a", 384) == fingerprint("a", 384), fingerprint("a", 384) == fingerprint("a", 768)
    (True, False)
    """
    return hashlib.sha256(f"endpoint {model} {dimension}".encode()).hexdigest()[:16]


class EndpointEncoder:
    """Implements ``core.types.Encoder``. ``client_for(urgent)``: the client by the present settings.

    ``dimension``: of its vectors. With 0, the first access to ``dimension`` or ``fingerprint`` asks the server, which
    may raise ``ModelError``; so a library can be opened without the server.
    """

    max_tokens = MAX_TOKENS

    def __init__(self, model: str, dimension: int, batch_size: int, client_for: Callable[[bool], Client]) -> None:
        self._model, self._known_dimension, self._batch_size = model, dimension, batch_size
        self._client_for = client_for
        self._last_failure: tuple[LanguageSettings, float, ModelError] | None = None  # with the time to try again

    def _find_dimension(self) -> int:
        return self._known_dimension or len(self._client_for(True).embed(["How long are its vectors?"])[0])

    def _find_fingerprint(self) -> str:
        return fingerprint(self._model, self.dimension)

    # The protocol has attributes; these are computed when they are first read.
    dimension: int = cached_property(_find_dimension)  # type: ignore[assignment]
    fingerprint: str = cached_property(_find_fingerprint)  # type: ignore[assignment]

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(n, dimension)`` float32, unit norm. ``progress`` gets texts done after each batch; it may raise to stop.

        A call without ``progress`` encodes a question and is urgent. Raises ``ModelError``.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            client = self._client_for(progress is None)
            rows = client.embed(batch) if progress else self._embed_question(client, batch)
            if len(rows[0]) != self.dimension:
                raise ModelError(
                    f"{client.settings.model} at {client.settings.host} answers with {len(rows[0])} numbers for a "
                    f"text, and the library's vectors have {self.dimension}.",
                    "Another model answers to that name now: have the old one back, or choose the embedder anew.",
                )
            vectors[start : start + len(batch)] = rows
            if progress:
                progress(start + len(batch))
        return of_unit_length(vectors)

    def _embed_question(self, client: Client, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of a question. Shortly after a failure the same error is raised without a request.

        A page searches more than once for a question, and would wait each time.
        """
        if self._last_failure:
            settings, retry_at, failure = self._last_failure
            if settings == client.settings and monotonic() < retry_at:
                raise ModelError(failure.problem, failure.remedy)
        asked_at = monotonic()
        try:
            return client.embed(texts, _QUESTION_SECONDS)
        except ModelError as error:
            pause = max(_RETRY_SECONDS, _WAITS * (monotonic() - asked_at))
            self._last_failure = client.settings, monotonic() + pause, error
            raise
