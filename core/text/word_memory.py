"""The tokens of a text, word by word: a word that was read once is not read again, in this text or in another.

A text of 100,000 words has about 10,000 different ones, and the next text shares most of them. For tokenizers that
never look across a blank, as BERT's; byte-pair tokenizers keep the like inside themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from core.text.tokens import BLANKS

Offsets = NDArray[np.int64]

_BLANK = re.compile(f"([{BLANKS}]+)")  # splits a text into words and, at the odd places, what parts them
_MOST_KEPT = 1_000_000  # characters and offsets: about 90,000 words, 20 MB


class WordMemory:
    """What ``read`` says of whole texts, put together from what it said of their words.

    ``read``: text to ``(n, 2)`` code point spans of its tokens, in order; no token holds a blank, and none depends on
    what stands beyond one. Safe to share between threads.
    """

    __slots__ = ("_held", "_known", "_read")

    def __init__(self, read: Callable[[str], Offsets]) -> None:
        self._read = read
        self._known: dict[str, tuple[int, ...]] = {}  # a word's offsets, in a row; nothing is taken out of it
        self._held = 0

    def offsets(self, text: str) -> Offsets:
        """As ``read`` of the whole text.

        >>> words = WordMemory(lambda text: np.array([word.span() for word in re.finditer(r"\\w+", text)]))
        >>> words.offsets("on and on").tolist()
        [[0, 2], [3, 6], [7, 9]]
        """
        parts = _BLANK.split(text)
        words = parts[::2]
        known = self._learned(words)
        found = [known[word] for word in words]
        lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
        starts = (np.cumsum(lengths) - lengths)[::2]
        numbers = np.fromiter(map(len, found), dtype=np.int64, count=len(words))
        inside = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=int(numbers.sum()))
        return (inside + np.repeat(starts, numbers)).reshape(-1, 2)

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""
        parted = [_BLANK.split(text)[::2] for text in texts]
        known = self._learned(list(chain.from_iterable(parted)))
        return [sum([len(known[word]) for word in words]) // 2 for words in parted]

    def _learned(self, words: Sequence[str]) -> dict[str, tuple[int, ...]]:
        """What is known of words, once these are."""
        known = self._known
        missing = [word for word in dict.fromkeys(words) if word not in known]
        if missing:
            lengths = np.fromiter(map(len, missing), dtype=np.int64, count=len(missing))
            ends = np.cumsum(lengths + 1)
            starts = ends - lengths - 1
            offsets = self._read("\n".join(missing)).reshape(-1, 2)
            bounds = np.searchsorted(offsets[:, 0], [*starts, ends[-1]])
            inside = (offsets - np.repeat(starts, np.diff(bounds))[:, None]).ravel().tolist()
            rows = [tuple(inside[first:last]) for first, last in pairwise((2 * bounds).tolist())]
            known.update(zip(missing, rows, strict=True))
            self._held += int(ends[-1]) + len(inside)
            if self._held > _MOST_KEPT:  # whoever reads just now keeps what it has in hand
                self._known, self._held = {}, 0
        return known
