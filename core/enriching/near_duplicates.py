"""Passages that say nearly the same: equal but for case and marks, sharing most of their shingles, or held by another.

Resemblance is the Jaccard index of the sets of ``SHINGLE`` words in a row (Broder, "On the resemblance and containment
of documents", 1997), computed exactly for each pair that is looked at: those that share enough shingles, where each
shingle leads only to the ``_REACH`` passages before that have it. So the cost grows with the length of the text and not
with the square of the passages, whatever a log or a form repeats.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ALIKE = 0.8  # the share of shingles two passages have in common from which they are "near"
SHINGLE = 4
FEWEST_WORDS = 5  # a shorter passage ("See below.") repeats another by chance
_HELD = 0.8  # share of a passage's shingles in another at which it is "contained"
_REACH = 4
_LONG_WORD = 18  # characters; above it on average the script has no spaces, and a character is a word
_WORD = re.compile(r"\w+")
_STEP = np.uint64(0x9E3779B97F4A7C15)

Shingles = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two passages that say the same, by their places in what was given: ``first`` stands before ``second``.

    ``kind``: "same" (equal but for case, marks and spaces), "near", or "contained" (nearly all of one stands in the
    other). ``similarity``: of their shingle sets, in (0, 1].
    """

    first: int
    second: int
    kind: str
    similarity: float


def near_duplicates(texts: Iterable[str], least: float = ALIKE) -> list[NearDuplicate]:
    """The pairs of near-duplicates among passages, in the order of their second members.

    ``least``: the Jaccard index of shingles from which two are "near", 0.5 or more. Of passages with the same words
    each is paired with the first of them alone, and only that one with others.

    >>> mill = "The mill stands by the river and has ground flour since the year 1780"
    >>> found = near_duplicates([mill, "Ducks swim.", mill.upper() + "!", mill + " or so"])
    >>> [(one.first, one.second, one.kind) for one in found]
    [(0, 2, 'same'), (0, 3, 'near')]
    """
    numbers: dict[str, int] = {}
    firsts: dict[bytes, int] = {}
    sets: dict[int, Shingles] = {}
    found: list[NearDuplicate] = []
    for at, text in enumerate(texts):
        words = np.array([numbers.setdefault(word, len(numbers)) for word in words_of(text)], np.uint64)
        if len(words) < FEWEST_WORDS:
            continue
        if (same := firsts.setdefault(words.tobytes(), at)) == at:
            sets[at] = _shingles(words)
        else:
            found.append(NearDuplicate(same, at, "same", 1.0))
    for first, second in _met(sets):
        one, other = sets[first], sets[second]
        both = len(np.intersect1d(one, other, assume_unique=True))
        similarity = both / (len(one) + len(other) - both)
        if similarity >= least:
            found.append(NearDuplicate(first, second, "near", similarity))
        elif both >= _HELD * min(len(one), len(other)):
            found.append(NearDuplicate(first, second, "contained", similarity))
    return sorted(found, key=lambda pair: (pair.second, pair.first))


def closest(pairs: Iterable[NearDuplicate]) -> tuple[NearDuplicate, ...]:
    """For every passage that is the same as an earlier one, or near it, the pair with the one it resembles most."""
    best: dict[int, NearDuplicate] = {}
    for pair in pairs:
        known = best.get(pair.second)
        if pair.kind != "contained" and (known is None or pair.similarity > known.similarity):
            best[pair.second] = pair
    return tuple(best.values())


def words_of(text: str) -> list[str]:
    """The words that count: folded, without marks; in a script without spaces its characters.

    >>> words_of("The  Mill’s WHEEL — turns.")
    ['the', 'mill', 's', 'wheel', 'turns']
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(words)
    return list(letters) if len(letters) > _LONG_WORD * len(words) else words


def _shingles(words: NDArray[np.uint64]) -> Shingles:
    """A hash of every run of words, each once, ascending."""
    runs = np.zeros(len(words) - SHINGLE + 1, np.uint64)
    for step in range(SHINGLE):
        runs = (runs ^ (runs >> np.uint64(29))) * _STEP + words[step : len(words) - SHINGLE + 1 + step] + np.uint64(1)
    return np.unique(runs)


def _met(sets: dict[int, Shingles]) -> Sequence[tuple[int, int]]:
    """The pairs that share at least half of the smaller one's shingles, as far as each shingle leads."""
    if not sets:
        return []
    owners = np.repeat(np.fromiter(sets, np.int64), [len(one) for one in sets.values()])
    every = np.concatenate(list(sets.values()))
    order = np.argsort(every, kind="stable")
    every, owners = every[order], owners[order]
    steps = [np.flatnonzero(every[step:] == every[:-step]) for step in range(1, _REACH + 1)]
    pairs = np.concatenate([np.column_stack([owners[at], owners[at + step]]) for step, at in enumerate(steps, start=1)])
    met, shared = np.unique(pairs, axis=0, return_counts=True)
    return [
        (first, second)
        for (first, second), count in zip(met.tolist(), shared.tolist(), strict=True)
        if 2 * count >= min(len(sets[first]), len(sets[second]))
    ]
