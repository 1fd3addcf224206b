"""The tokens of a text, word by word: a word that was read once is not read again, in this text or in another.

A text of 100,000 words has about 10,000 different ones, and the next text shares most of them. For tokenizers that
never look across a blank, as BERT's; byte-pair tokenizers keep the like inside themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from core.text.tokens import BLANKS

Offsets = NDArray[np.int64]

_OFFSET = np.dtype(np.int64).itemsize
_MOST_KEPT = 1_000_000  # characters and offsets: about 90,000 words, 20 MB


class WordMemory:
    """What ``read`` says of whole texts, put together from what it said of their words.

    ``read``: text to ``(n, 2)`` code point spans of its tokens, in order; no token holds a blank, and none depends on
    what stands beyond one. Safe to share between threads.
    """

    __slots__ = ("_held", "_known", "_read")

    def __init__(self, read: Callable[[str], Offsets]) -> None:
        self._read = read
        self._known: dict[str, bytes] = {}  # a word's offsets, in a row; nothing is taken out of it
        self._held = 0

    def offsets(self, text: str) -> Offsets:
        """As ``read`` of the whole text.

        >>> import re
        >>> words = WordMemory(lambda text: np.array([word.span() for word in re.finditer(r"\\w+", text)]))
        >>> words.offsets("on and on").tolist()
        [[0, 2], [3, 6], [7, 9]]
        """
        words = _words(text)
        known = self._learned(words)
        found = [known[word] for word in words]
        widths = np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + 1
        starts = widths.cumsum() - widths
        sizes = np.fromiter(map(len, found), dtype=np.int64, count=len(words))
        inside = np.frombuffer(b"".join(found), dtype=np.int64)
        return (inside + starts.repeat(sizes // _OFFSET)).reshape(-1, 2)

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""
        parted = [_words(text) for text in texts]
        known = self._learned(list(chain.from_iterable(parted)))
        return [sum([len(known[word]) for word in words]) // (2 * _OFFSET) for words in parted]

    def _learned(self, words: Sequence[str]) -> dict[str, bytes]:
        """What is known of words, once these are."""
        known = self._known
        missing = list(dict.fromkeys([word for word in words if word not in known]))
        if missing:
            lengths = np.fromiter(map(len, missing), dtype=np.int64, count=len(missing))
            ends = np.cumsum(lengths + 1)
            starts = ends - lengths - 1
            offsets = self._read("\n".join(missing)).reshape(-1, 2)
            bounds = np.searchsorted(offsets[:, 0], [*starts, ends[-1]])
            inside = (offsets - np.repeat(starts, np.diff(bounds))[:, None]).tobytes()
            rows = [inside[first:last] for first, last in pairwise((2 * _OFFSET * bounds).tolist())]
            known.update(zip(missing, rows, strict=True))
            self._held += int(ends[-1]) + offsets.size
            if self._held > _MOST_KEPT:  # whoever reads just now keeps what it has in hand
                self._known, self._held = {}, 0
        return known


def _words(text: str) -> list[str]:
    """The words of a text as every single blank parts them: between two blanks stands an empty one.

    >>> _words("on and\\n\\ton")
    ['on', 'and', '', 'on']
    """
    for blank in BLANKS.lstrip(" "):
        text = text.replace(blank, " ")
    return text.split(" ")
