"""Texts of one document that say nearly the same: equal but for case and blanks, or sharing most of their shingles.

Every text is linked to the earlier one it resembles most. Resemblance is the Jaccard index of the sets of ``SHINGLE``
words in a row (Broder, "On the resemblance and containment of documents", 1997), computed exactly for each pair that
is looked at. Which pairs those are is found by sorting hashed shingles: two texts are looked at when they share enough
of them, counting for each shingle only its ``_REACH`` nearest earlier places. So the cost grows with the length of the
text and not with the square of its chunks, whatever a log or a form repeats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.settings import EnrichingSettings

ALIKE = EnrichingSettings().twin_similarity  # from which two texts are near-duplicates, unless a library says otherwise
SHINGLE = 4
FEWEST_WORDS = 5  # a shorter text repeats another by chance
_REACH = 4
_LONG_WORD = 18  # characters; above it on average the script has no spaces, and a character is a word
_FACTOR = 0x9E3779B97F4A7C15  # odd, so that multiplying modulo 2**64 loses nothing and can be undone
_LAST_BLANK = 0x3000  # the last code point that is a blank

Codes = NDArray[np.uint64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Twin:
    """Text ``index`` resembles text ``earlier``: ``similarity`` in (0, 1], 1.0 when only case and blanks differ."""

    index: int
    earlier: int
    similarity: float


def twins(texts: Sequence[str], floor: float = ALIKE) -> tuple[Twin, ...]:
    """For every text that resembles an earlier one by at least ``floor``, the one it resembles most; by index.

    ``floor``: ``EnrichingSettings.twin_similarity``, at least 0.5.

    >>> twins(["Press the red button twice.", "Something else.", "press  the RED button twice."])
    (Twin(index=2, earlier=0, similarity=1.0),)
    """
    words = _Words([text.casefold() for text in texts])
    found = _equal(words)
    for one, other in _candidates(words):
        if other in found and found[other].similarity == 1.0:
            continue
        left, right = words.shingles(one), words.shingles(other)
        similarity = len(left & right) / len(left | right)
        if similarity >= floor and (other not in found or similarity > found[other].similarity):
            found[other] = Twin(other, one, similarity)
    return tuple(found[index] for index in sorted(found))


class _Words:
    """The words of all texts as hashes, ``codes``, in order; ``owners``: which text each is of; ``sizes``: how many.

    A word's hash is a polynomial of its code points, found for all words at once from running sums: taking 100,000
    strings one by one would cost more than all the rest.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._shingles: dict[int, set[tuple[str, ...]]] = {}
        joined = "\n".join(texts)
        points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        visible = ~_blanks()[np.minimum(points, _LAST_BLANK + 1)]
        starts, ends = _runs(visible)
        self._by_character = int(ends.sum() - starts.sum()) > _LONG_WORD * len(starts)
        if self._by_character:
            starts = np.flatnonzero(visible)
            ends = starts + 1
        edges = np.cumsum([0, *(len(text) + 1 for text in texts)], dtype=np.int64)
        self.sizes = np.diff(np.searchsorted(starts, edges))
        self.owners = np.repeat(np.arange(len(texts)), self.sizes)
        self.codes = _hashes(points, starts, ends)

    def __len__(self) -> int:
        return len(self._texts)

    def of(self, index: int) -> list[str]:
        """The words of one text themselves."""
        found = self._texts[index].split()
        return list("".join(found)) if self._by_character else found

    def shingles(self, index: int) -> set[tuple[str, ...]]:
        """The runs of ``SHINGLE`` words of one text, kept for the next time they are asked for."""
        if index not in self._shingles:
            own = self.of(index)
            self._shingles[index] = set(zip(*(own[step:] for step in range(SHINGLE)), strict=False))
        return self._shingles[index]


@cache
def _blanks() -> NDArray[np.bool_]:
    return np.array([chr(point).isspace() for point in range(_LAST_BLANK + 2)])


def _runs(visible: NDArray[np.bool_]) -> tuple[Places, Places]:
    """Where runs of visible characters begin and end."""
    edges = np.flatnonzero(np.diff(visible, prepend=False, append=False))
    return edges[::2], edges[1::2]


def _hashes(points: NDArray[np.uint32], starts: Places, ends: Places) -> Codes:
    """``sum(point[i] * factor ** (i - start))`` modulo 2**64 of every run."""
    weighted = _powers(_FACTOR, len(points))
    weighted *= points
    sums = np.zeros(len(points) + 1, dtype=np.uint64)
    np.cumsum(weighted, out=sums[1:])
    undone = _powers(pow(_FACTOR, -1, 2**64), len(points))
    return (sums[ends] - sums[starts]) * undone[starts]


def _powers(factor: int, count: int) -> Codes:
    """The powers from 0 up to ``count``, modulo 2**64.

    >>> _powers(3, 4).tolist()
    [1, 3, 9, 27]
    """
    found = np.full(count, factor, dtype=np.uint64)
    found[:1] = 1
    return np.cumprod(found, out=found)


def _equal(words: _Words) -> dict[int, Twin]:
    first: dict[bytes, int] = {}
    found: dict[int, Twin] = {}
    end = 0
    for index, size in enumerate(words.sizes.tolist()):
        start, end = end, end + size
        earlier = first.setdefault(words.codes[start:end].tobytes(), index)
        if earlier != index and size >= FEWEST_WORDS and words.of(earlier) == words.of(index):
            found[index] = Twin(index, earlier, 1.0)
    return found


def _candidates(words: _Words) -> list[tuple[int, int]]:
    """Pairs (earlier, later) that share at least half of the shingles of the shorter, in order."""
    count = len(words.codes) - SHINGLE + 1
    if count < 1:
        return []
    hashed = np.zeros(count, dtype=np.uint64)
    for step in range(SHINGLE):
        hashed = (hashed + words.codes[step : step + count]) * np.uint64(_FACTOR)
    inside = words.owners[:count] == words.owners[SHINGLE - 1 :]
    hashed, owners = hashed[inside], words.owners[:count][inside]
    order = np.argsort(hashed, kind="stable")
    keys, shared = np.unique(_neighbours(hashed[order], owners[order], len(words)), return_counts=True)
    earlier, later = keys // len(words), keys % len(words)
    shorter = np.minimum(words.sizes[earlier], words.sizes[later])
    chosen = np.flatnonzero((shared * 2 >= shorter - SHINGLE + 1) & (shorter >= FEWEST_WORDS))
    return list(zip(earlier[chosen].tolist(), later[chosen].tolist(), strict=True))


def _neighbours(hashed: Codes, owners: Places, count: int) -> Places:
    """``earlier * count + later`` for every two near places of one shingle in different texts."""
    found = [np.zeros(0, dtype=np.int64)]
    for step in range(1, _REACH + 1):
        same = (hashed[step:] == hashed[:-step]) & (owners[step:] != owners[:-step])
        found.append(owners[:-step][same] * count + owners[step:][same])
    return np.concatenate(found)
