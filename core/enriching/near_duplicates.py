"""Near-duplicate passages: equal up to case and punctuation, similar, or one contained in the other.

Similarity is the Jaccard index of the sets of word shingles (Broder, "On the resemblance and containment of documents",
1997), computed exactly for candidate pairs. Candidates share enough shingles, where each shingle links a passage to at
most ``_REACH`` earlier ones. So the cost is linear in the text, even where a log or form repeats a shingle very often.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ALIKE = 0.8  # least Jaccard index of two "near" passages
SHINGLE = 4  # words of a shingle
FEWEST_WORDS = 5  # shorter passages ("See below.") repeat by chance
_CONTAINED = 0.8  # least share of a passage's shingles in another passage for "contained"
_REACH = 4
_LONG_WORD = 18  # mean characters of a word above which the script has no spaces; characters are words then
_WORD = re.compile(r"\w+")
_STEP = np.uint64(0x9E3779B97F4A7C15)

Shingles = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """A pair of passages, by their indices; ``first`` is before ``second``.

    ``kind``: "same" (equal up to case, punctuation and spaces), "near" (similar), or "contained" (nearly all of one is
    in the other). ``similarity``: Jaccard index of their shingles, in (0, 1].
    """

    first: int
    second: int
    kind: str
    similarity: float


def near_duplicates(texts: Iterable[str], least: float = ALIKE) -> list[NearDuplicate]:
    """The pairs of near-duplicates among passages, sorted by ``second``.

    ``least``: the least Jaccard index of "near" passages, at least 0.5. Of passages with the same words, each is paired
    with the first of them only, and only the first with others.

    >>> mill = "The mill stands by the river and has ground flour since the year 1780"
    >>> pairs = near_duplicates([mill, "Ducks swim.", mill.upper() + "!", mill + " or so"])
    >>> [(pair.first, pair.second, pair.kind) for pair in pairs]
    [(0, 2, 'same'), (0, 3, 'near')]
    """
    word_ids: dict[str, int] = {}
    first_with: dict[bytes, int] = {}
    shingles: dict[int, Shingles] = {}
    pairs: list[NearDuplicate] = []
    for at, text in enumerate(texts):
        words = np.array([word_ids.setdefault(word, len(word_ids)) for word in words_of(text)], np.uint64)
        if len(words) < FEWEST_WORDS:
            continue
        if (first := first_with.setdefault(words.tobytes(), at)) == at:
            shingles[at] = _shingles(words)
        else:
            pairs.append(NearDuplicate(first, at, "same", 1.0))
    for first, second in _candidate_pairs(shingles):
        one, other = shingles[first], shingles[second]
        shared = len(np.intersect1d(one, other, assume_unique=True))
        similarity = shared / (len(one) + len(other) - shared)
        if similarity >= least:
            pairs.append(NearDuplicate(first, second, "near", similarity))
        elif shared >= _CONTAINED * min(len(one), len(other)):
            pairs.append(NearDuplicate(first, second, "contained", similarity))
    return sorted(pairs, key=lambda pair: (pair.second, pair.first))


def closest(pairs: Iterable[NearDuplicate]) -> tuple[NearDuplicate, ...]:
    """For each passage with an earlier "same" or "near" one, the pair with the highest similarity."""
    best: dict[int, NearDuplicate] = {}
    for pair in pairs:
        previous = best.get(pair.second)
        if pair.kind != "contained" and (previous is None or pair.similarity > previous.similarity):
            best[pair.second] = pair
    return tuple(best.values())


def words_of(text: str) -> list[str]:
    """The words of a passage, case-folded and without punctuation; characters in a script without spaces.

    >>> words_of("The  Mill’s WHEEL — turns.")
    ['the', 'mill', 's', 'wheel', 'turns']
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(words)
    return list(letters) if len(letters) > _LONG_WORD * len(words) else words


def _shingles(words: NDArray[np.uint64]) -> Shingles:
    """The distinct hashes of the shingles of a passage, ascending."""
    runs = np.zeros(len(words) - SHINGLE + 1, np.uint64)
    for step in range(SHINGLE):
        runs = (runs ^ (runs >> np.uint64(29))) * _STEP + words[step : len(words) - SHINGLE + 1 + step] + np.uint64(1)
    return np.unique(runs)


def _candidate_pairs(sets: dict[int, Shingles]) -> Sequence[tuple[int, int]]:
    """The pairs of passages that share at least half of the smaller set's shingles.

    Each shingle links a passage only to the next ``_REACH`` passages that have it. ``sets``: passage to shingles.
    """
    if not sets:
        return []
    passages = np.repeat(np.fromiter(sets, np.int64), [len(one) for one in sets.values()])
    hashes = np.concatenate(list(sets.values()))
    order = np.argsort(hashes, kind="stable")
    hashes, passages = hashes[order], passages[order]
    links = [np.flatnonzero(hashes[step:] == hashes[:-step]) for step in range(1, _REACH + 1)]
    linked = [np.column_stack([passages[at], passages[at + step]]) for step, at in enumerate(links, start=1)]
    pairs, counts = np.unique(np.concatenate(linked), axis=0, return_counts=True)
    return [
        (first, second)
        for (first, second), count in zip(pairs.tolist(), counts.tolist(), strict=True)
        if 2 * count >= min(len(sets[first]), len(sets[second]))
    ]
