"""Texts of one document that say nearly the same: equal but for case and blanks, or sharing most of their shingles.

Every text is linked to the earlier one it resembles most. Resemblance is the Jaccard index of the sets of ``SHINGLE``
words in a row (Broder, "On the resemblance and containment of documents", 1997), computed exactly for each pair that
is looked at: those that share enough shingles, where each shingle leads only to the ``_REACH`` latest texts that have
it. So the cost grows with the length of the text and not with the square of its chunks, whatever a log or a form
repeats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.settings import EnrichingSettings

ALIKE = EnrichingSettings().twin_similarity  # from which two texts are near-duplicates, unless a library says otherwise
SHINGLE = 4
FEWEST_WORDS = 5  # a shorter text repeats another by chance
_REACH = 4
_LONG_WORD = 18  # characters; above it on average the script has no spaces, and a character is a word


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
    first: dict[tuple[str, ...], int] = {}
    holders: dict[tuple[str, ...], tuple[int, ...]] = {}
    shingles: list[set[tuple[str, ...]]] = []
    found: list[Twin] = []
    for index, words in enumerate(_words(texts)):
        own = set(zip(*(words[step:] for step in range(SHINGLE)), strict=False))
        shingles.append(own)
        if len(words) < FEWEST_WORDS:
            continue
        known = own & holders.keys()
        if (same := first.setdefault(tuple(words), index)) != index:
            found.append(Twin(index, same, 1.0))
        else:
            shared = Counter(earlier for shingle in known for earlier in holders[shingle])
            alike = [
                Twin(index, earlier, both / len(own | shingles[earlier]))
                for earlier, count in shared.items()
                if 2 * count >= min(len(own), len(shingles[earlier])) and (both := len(own & shingles[earlier]))
            ]
            best = max(alike, key=lambda twin: (twin.similarity, -twin.earlier), default=None)
            if best is not None and best.similarity >= floor:
                found.append(best)
        holders.update({shingle: (*holders[shingle][1 - _REACH :], index) for shingle in known})
        holders.update(dict.fromkeys(own - known, (index,)))
    return tuple(found)


def _words(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text as they are compared."""
    parts = [text.casefold().split() for text in texts]
    letters = sum(len(word) for words in parts for word in words)
    if letters > _LONG_WORD * sum(map(len, parts)):
        return [list("".join(words)) for words in parts]
    return parts
