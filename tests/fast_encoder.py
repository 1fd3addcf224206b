"""An encoder without a model: texts that share words lie close together, on every machine alike."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np

from core.text.pooling import Pooled
from core.types import Vectors

WORD = re.compile(r"\w+")


class FastEncoder:
    """Satisfies ``core.types.Encoder``: a signed bag of hashed words, scaled to unit norm.

    ``texts`` keeps everything that was ever encoded, in order, so a test can hold that nothing was encoded twice.
    """

    fingerprint = "hashed-words-1"
    dimension = 256
    max_tokens = 256

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(len(texts), 256)`` float32, unit norm. ``progress`` gets texts done after each; it may raise to stop.

        >>> vectors = FastEncoder().encode(["the cat sat", "a cat sat", "stock prices"])
        >>> bool(vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2])
        True
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            self.texts.append(text)
            vectors[index] = self._vector(text)
            if progress is not None:
                progress(index + 1)
        return vectors

    def encode_pooled(self, items: Sequence[Pooled], progress: Callable[[int], None] | None = None) -> Vectors:
        """As ``encode`` of each stretch, drawn a little towards its window."""
        vectors = np.zeros((len(items), self.dimension), dtype=np.float32)
        for index, item in enumerate(items):
            self.texts.append(f"{item.window}[{item.start}:{item.end}]")
            near = self._vector(item.window[item.start : item.end]) + np.float32(0.3) * self._vector(item.window)
            vectors[index] = near / max(float(np.linalg.norm(near)), 1e-6)
            if progress is not None:
                progress(index + 1)
        return vectors

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for word in WORD.findall(text.casefold()):
            digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
            number = int.from_bytes(digest, "big")
            vector[number % self.dimension] += 1.0 if number >> 31 else -1.0
        length = float(np.linalg.norm(vector))
        if length == 0.0:  # no words, or words that cancel out: one fixed direction
            vector[0] = length = 1.0
        return vector / np.float32(length)
