"""A model behind an endpoint as an embedder: texts to unit vectors, in batches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from core.errors import ModelError
from core.language.client import Client
from core.types import Vectors

MAX_TOKENS = 512  # that embedding models read at least; how many a certain one does, no endpoint tells


def fingerprint(model: str, dimension: int) -> str:
    """Names a model wherever it is asked: its address is no part of it.

    >>> fingerprint("a", 384) == fingerprint("a", 384), fingerprint("a", 384) == fingerprint("a", 768)
    (True, False)
    """
    return hashlib.sha256(f"endpoint {model} {dimension}".encode()).hexdigest()[:16]


class EndpointEncoder:
    """Satisfies ``core.types.Encoder``. ``asked(urgent)``: who asks, as it is set up now.

    ``dimension``: of its vectors; 0 where it is not known, which costs a request and may raise ``ModelError``.
    """

    max_tokens = MAX_TOKENS

    def __init__(self, model: str, dimension: int, batch_size: int, asked: Callable[[bool], Client]) -> None:
        self._batch_size, self._asked = batch_size, asked
        self.dimension = dimension or len(asked(True).embed(["How long are its vectors?"])[0])
        self.fingerprint = fingerprint(model, self.dimension)

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(n, dimension)`` float32, unit norm. ``progress`` gets texts done after each batch; it may raise to stop.

        Who watches the progress has time: a question, which nobody watches, goes before. Raises ``ModelError``.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), self._batch_size):
            part = texts[start : start + self._batch_size]
            client = self._asked(progress is None)
            found = client.embed(part)
            if len(found[0]) != self.dimension:
                raise ModelError(
                    f"{client.settings.model} at {client.settings.host} answers with {len(found[0])} numbers for a "
                    f"text, and the library's vectors have {self.dimension}.",
                    "Another model answers to that name now: have the old one back, or choose the embedder anew.",
                )
            vectors[start : start + len(part)] = found
            if progress:
                progress(start + len(part))
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)
