"""A model behind an endpoint as an embedder: texts to unit vectors, in batches."""

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

_REST = 10.0  # seconds before a server that failed a question is asked for another one
MAX_TOKENS = 512  # that embedding models read at least; how many a certain one does, no endpoint tells


def fingerprint(model: str, dimension: int) -> str:
    """Names a model wherever it is asked: its address is no part of it.

    >>> fingerprint("a", 384) == fingerprint("a", 384), fingerprint("a", 384) == fingerprint("a", 768)
    (True, False)
    """
    return hashlib.sha256(f"endpoint {model} {dimension}".encode()).hexdigest()[:16]


class EndpointEncoder:
    """Satisfies ``core.types.Encoder``. ``asked(urgent)``: who asks, as it is set up now.

    ``dimension``: of its vectors; 0 where it is not known: whoever wants to know it, or the fingerprint, has it asked
    for once, which may raise ``ModelError``. So a library opens though nothing ever served.
    """

    max_tokens = MAX_TOKENS

    def __init__(self, model: str, dimension: int, batch_size: int, asked: Callable[[bool], Client]) -> None:
        self._model, self._known, self._batch_size, self._asked = model, dimension, batch_size, asked
        self._in_vain: tuple[LanguageSettings, float, ModelError] | None = None

    def _length(self) -> int:
        return self._known or len(self._asked(True).embed(["How long are its vectors?"])[0])

    def _name(self) -> str:
        return fingerprint(self._model, self.dimension)

    dimension: int = cached_property(_length)  # type: ignore[assignment] # an attribute, once somebody wants it
    fingerprint: str = cached_property(_name)  # type: ignore[assignment]

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(n, dimension)`` float32, unit norm. ``progress`` gets texts done after each batch; it may raise to stop.

        Who watches the progress has time: a question, which nobody watches, goes before. Raises ``ModelError``.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            part = texts[start : start + self._batch_size]
            client = self._asked(progress is None)
            found = client.embed(part) if progress else self._asked_at_once(client, part)
            if len(found[0]) != self.dimension:
                raise ModelError(
                    f"{client.settings.model} at {client.settings.host} answers with {len(found[0])} numbers for a "
                    f"text, and the library's vectors have {self.dimension}.",
                    "Another model answers to that name now: have the old one back, or choose the embedder anew.",
                )
            vectors[start : start + len(part)] = found
            if progress:
                progress(start + len(part))
        return of_unit_length(vectors)

    def _asked_at_once(self, client: Client, texts: Sequence[str]) -> list[list[float]]:
        """A question's vectors. Who asked in vain just now is told so again: a page asks more than once."""
        if self._in_vain and self._in_vain[0] == client.settings and monotonic() < self._in_vain[1]:
            raise ModelError(self._in_vain[2].problem, self._in_vain[2].remedy)
        try:
            return client.embed(texts)
        except ModelError as error:
            self._in_vain = client.settings, monotonic() + _REST, error
            raise
