"""The words a passage has and its neighbours have not: TF-IDF within one document, with phrases.

YAKE (Campos et al. 2020, Information Sciences 509) was measured beside it: on leaves of a hundred words its statistics
of sentences and casing have little to go by ("hours", "decided", "writing"), and it takes thirteen times as long. What
tells one passage of a document from the others is how often a word stands here and in how few of the others (Sparck
Jones 1972); phrases are pairs of content words with nothing between them that come back in the document (after RAKE,
Rose et al. 2010).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from math import log

from core.enriching.vocabulary import Vocabulary
from core.types import Chunk

_ONCE = 0.6  # the weight of a word the whole document has once: it tells passages apart, but seldom what they are about
_TITLED = 1.5  # of a word that stands in the passage's own headings
_COMMON = 0.5  # words in more than this share of the passages tell none apart
_FEWEST = 8  # passages below which that share says nothing
_PHRASE = 0.8  # a phrase weighs this share of its words' weights together
_LOGS = [0.0, *(1 + log(count) for count in range(1, 256))]

Pair = tuple[str, str]


class Keywords:
    """Keyword statistics of one document; ``leaves`` are the passages that frequencies are taken over."""

    __slots__ = ("_keys", "_pairs", "_shown", "_spoken", "_vocabulary", "_weights")

    def __init__(self, vocabulary: Vocabulary, leaves: Sequence[Chunk]) -> None:
        self._vocabulary = vocabulary
        self._keys = [word.key for word in vocabulary.words]
        pairs = _pairs(vocabulary)
        again = {pair for pair, count in Counter(pairs).items() if count > 1}
        self._pairs = [pair if pair in again else None for pair in pairs]
        passages: Counter[str] = Counter()
        for leaf in leaves:
            first, last = vocabulary.between(leaf.start, leaf.end)
            passages.update(set(self._keys[first:last]))
        self._weights = _weights(Counter(self._keys), passages, max(1, len(leaves)))
        self._shown = _shown(vocabulary)
        self._spoken = _spoken(vocabulary, self._pairs)

    def of(self, chunk: Chunk, most: int) -> tuple[str, ...]:
        """A chunk's keywords, the most telling first; words of a phrase are not named again."""
        first, last = self._vocabulary.between(chunk.start, chunk.end)
        weights = self._weights
        here = {key: count for key, count in Counter(self._keys[first:last]).items() if key in weights}
        titled = {word for title in chunk.headings for word in title.lower().split()} & here.keys()
        ranked: dict[Pair, float] = {
            (key, ""): (_LOGS[count] if count < len(_LOGS) else 1 + log(count)) * weights[key]
            for key, count in here.items()
        }
        for key in titled:
            ranked[key, ""] *= _TITLED
        phrases = Counter(self._pairs[first + 1 : last])
        del phrases[None]
        for pair, count in phrases.items():
            if pair is not None and pair[0] in here and pair[1] in here:
                both = sum(weights[word] * (_TITLED if word in titled else 1) for word in pair)
                # A word that mostly stands in a phrase is named by the phrase.
                own = (ranked[word, ""] for word in pair if 2 * count >= here[word])
                ranked[pair] = max(_PHRASE * (1 + log(count)) * both, *(1.001 * weight for weight in own), 0.0)
        return self._chosen(ranked, here, phrases, most)

    def _chosen(
        self, ranked: dict[Pair, float], here: dict[str, int], phrases: Mapping[Pair | None, int], most: int
    ) -> tuple[str, ...]:
        """The heaviest; of equals the one that comes first. A word that stands in chosen phrases alone is left out."""
        heaviest = nsmallest(most * 3, [(-weight, place, pair) for place, (pair, weight) in enumerate(ranked.items())])
        taken: dict[str, int] = {}
        chosen: list[Pair] = []
        for _, _, pair in heaviest:
            if len(chosen) == most:
                break
            words = pair if pair[1] else pair[:1]
            if any(taken.get(word, 0) >= here[word] for word in words):
                continue
            for word in words:
                taken[word] = taken.get(word, 0) + (phrases[pair] if pair[1] else here[word])
            chosen.append(pair)
        return tuple(self._spoken[pair] if pair[1] else self._shown[pair[0]] for pair in chosen)


def _weights(counts: Mapping[str, int], passages: Mapping[str, int], leaves: int) -> dict[str, float]:
    """What one occurrence of each key weighs; keys that weigh nothing are absent."""
    weights: dict[str, float] = {}
    for key, count in counts.items():
        among = passages.get(key, 0)
        if key and (leaves < _FEWEST or among <= _COMMON * leaves):
            weights[key] = log(1 + leaves / max(1, among)) * (_ONCE if count == 1 and leaves > 1 else 1)
    return weights


def _pairs(vocabulary: Vocabulary) -> list[Pair | None]:
    """For every word the phrase of it and the one before; ``None`` where punctuation or a pale word parts them."""
    pairs: list[Pair | None] = []
    before = ""
    for word in vocabulary.words:
        key = word.key
        pairs.append((before, key) if before and key and not word.opens and before != key else None)
        before = "" if word.closes else key
    return pairs


def _shown(vocabulary: Vocabulary) -> dict[str, str]:
    """How each key is written: its first form in lower case, else its first form."""
    shown: dict[str, str] = {}
    for word in dict.fromkeys(vocabulary.words):
        if word.key:
            known = shown.get(word.key)
            if known is None or (not known.islower() and word.text.islower()):
                shown[word.key] = word.plain if word.text.islower() else word.text
    return shown


def _spoken(vocabulary: Vocabulary, pairs: Sequence[Pair | None]) -> dict[Pair, str]:
    """How each phrase that comes back is written where it stands first."""
    spoken: dict[Pair, str] = {}
    for at, pair in enumerate(pairs):
        if pair is not None and pair not in spoken:
            words = vocabulary.words[at - 1 : at + 1]
            spoken[pair] = " ".join(word.plain if word.text.islower() else word.text for word in words)
    return spoken
