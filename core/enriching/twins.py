"""Near-duplicate passages: equal words by a hash, likenesses by MinHash and bands, each pair then checked exactly.

Shingles are runs of four normalised words (Broder 1997, "On the resemblance and containment of documents"); a signature
keeps 64 minima of them under random linear maps and so estimates their Jaccard index; sixteen bands of four minima
bring together what is worth comparing (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4): passages
with four fifths of their shingles in common meet with probability 0.9998, with half of them 0.64. Hashes of whole
normalised sentences bring together a passage and a longer one that holds it. What met is compared by its real shingles
and sentences, so no pair is shown that is not one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.text.sentences import sentence_spans

SHINGLE_WORDS = 4
MINIMA = 64
_BANDS = 16
_CROWD = 40  # a band or a sentence that more passages share is boilerplate: each is compared with its neighbour alone
_SENTENCE_WORDS = 5  # a shorter sentence ("See below.") says nothing of where it comes from
_HELD = 0.8  # share of a passage's words in sentences of another at which it is "contained"
_WORD = re.compile(r"\w+")
_Key = TypeVar("_Key", int, bytes)
_NONE = np.uint64(2**64 - 1)


def _odd(seed: int) -> NDArray[np.uint64]:
    """``MINIMA`` fixed 64-bit numbers, the same on every machine."""
    digests = (hashlib.blake2b(f"{seed}|{place}".encode(), digest_size=8).digest() for place in range(MINIMA))
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64) | np.uint64(1)


_FACTORS, _ADDED = _odd(1), _odd(2)
_STEPS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Twin:
    """Two passages that say the same. ``first`` stands before ``second`` in what was given.

    ``kind``: "same" (equal but for case, marks and spaces), "near", or "contained" (nearly all of one stands in the
    other). ``similarity``: of their shingle sets, in [0, 1]. ``shared``: the share of the shorter one's words that
    stand in sentences both have.
    """

    first: str
    second: str
    kind: str
    similarity: float
    shared: float


@dataclass(frozen=True, slots=True)
class Signature:
    """What is kept of a passage to find its likes: 64 minima, the hash of all its words, hashes of its sentences."""

    minima: NDArray[np.uint64]
    whole: int
    sentences: tuple[int, ...] = ()

    def to_bytes(self) -> bytes:
        """8 bytes for the words, 4 for each minimum, 8 for each sentence.

        >>> made = signatures(["The water runs to the mill and turns the wheel."])[0]
        >>> len(made.to_bytes()), Signature.from_bytes(made.to_bytes()).whole == made.whole
        (272, True)
        """
        words = np.array([self.whole, *self.sentences], dtype="<u8").tobytes()
        return self.minima.astype("<u4").tobytes() + words

    @classmethod
    def from_bytes(cls, data: bytes) -> Signature:
        """What ``to_bytes`` made."""
        minima = np.frombuffer(data[: 4 * MINIMA], dtype="<u4").astype(np.uint64)
        words = np.frombuffer(data[4 * MINIMA :], dtype="<u8").tolist()
        return cls(minima, int(words[0]), tuple(int(word) for word in words[1:]))


def words_of(text: str) -> list[str]:
    """The words that count: folded, without marks.

    >>> words_of("The  Mill’s WHEEL — turns.")
    ['the', 'mill', 's', 'wheel', 'turns']
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shingles(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Runs of four words; of a shorter passage its words as they are; nothing of an empty one.

    >>> sorted(shingles("a b c d e".split())), shingles(["a", "b"])
    ([('a', 'b', 'c', 'd'), ('b', 'c', 'd', 'e')], frozenset({('a', 'b')}))
    """
    if len(words) < SHINGLE_WORDS:
        return frozenset({tuple(words)} if words else ())
    return frozenset(zip(*(words[at:] for at in range(SHINGLE_WORDS)), strict=False))


def jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """The share of both sets' members that are in both; 0 where either is empty."""
    if not one or not other:
        return 0.0
    both = len(one & other)
    return both / (len(one) + len(other) - both)


@lru_cache(maxsize=200_000)
def _word_hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _text_hash(words: Iterable[str]) -> int:
    return int.from_bytes(
        hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


def signatures(texts: Sequence[str]) -> list[Signature]:
    """The signature of each text; the same text has the same one on every machine.

    >>> one, other = signatures(["The water runs to the mill.", "the WATER runs, to the mill"])
    >>> one.whole == other.whole, bool((one.minima == other.minima).all())
    (True, True)
    """
    parts = [words_of(text) for text in texts]
    minima = _minima(parts)
    return [
        Signature(minima[at], _text_hash(words), tuple(_sentence_hashes(text)))
        for at, (text, words) in enumerate(zip(texts, parts, strict=True))
    ]


def _minima(parts: Sequence[Sequence[str]]) -> NDArray[np.uint64]:
    """``(n, MINIMA)``: for every text the least value of its shingles under each map, 32 bits of it."""
    found = np.full((len(parts), MINIMA), _NONE, dtype=np.uint64)
    hashes: list[NDArray[np.uint64]] = []
    owners: list[int] = []
    for at, words in enumerate(parts):
        if words:
            hashes.append(_shingle_hashes(words))
            owners.append(at)
    if hashes:
        every = np.concatenate(hashes)
        starts = np.cumsum([0, *map(len, hashes[:-1])])
        for place in range(MINIMA):
            mixed = (every * _FACTORS[place] + _ADDED[place]) >> np.uint64(32)
            found[owners, place] = np.minimum.reduceat(mixed, starts)
    return found & np.uint64(0xFFFFFFFF)


def _shingle_hashes(words: Sequence[str]) -> NDArray[np.uint64]:
    """One 64-bit hash per shingle, made of its words' hashes."""
    hashed = np.array([_word_hash(word) for word in words], dtype=np.uint64)
    length = min(SHINGLE_WORDS, len(words))
    total = np.zeros(len(words) - length + 1, dtype=np.uint64)
    for step in range(length):
        total = (total + hashed[step : len(words) - length + 1 + step]) * _STEPS[step]
        total ^= total >> np.uint64(29)
    return total


def _sentence_hashes(text: str) -> Iterator[int]:
    for words in _sentences(text):
        yield _text_hash(words)


def _sentences(text: str) -> Iterator[list[str]]:
    """The words of each sentence that is long enough to be recognised."""
    for span in sentence_spans(text):
        words = words_of(text[span.start : span.end])
        if len(words) >= _SENTENCE_WORDS:
            yield words


class TwinIndex:
    """Signatures by name, and which of them are worth comparing. Grows; what was added is never looked at again."""

    __slots__ = ("_bands", "_sentences", "_whole", "names")

    def __init__(self) -> None:
        self.names: list[str] = []
        self._whole: dict[int, list[int]] = {}
        self._bands: dict[bytes, list[int]] = {}
        self._sentences: dict[int, list[int]] = {}

    def add(self, name: str, signature: Signature) -> list[str]:
        """Add a passage; returns the names already there that it should be compared with, each once, in their order.

        >>> index = TwinIndex()
        >>> one, other = signatures(["Water runs to the mill all day.", "Water runs to the mill, all day!"])
        >>> index.add("a", one), index.add("b", other)
        ([], ['a'])
        """
        number = len(self.names)
        self.names.append(name)
        same = self._whole.setdefault(signature.whole, [])
        met: set[int] = set(same[:1])
        first_of_its_kind = not same
        same.append(number)
        if first_of_its_kind:  # others are found by their first twin: equal passages do not multiply the work
            for key in _keys(signature.minima):
                met.update(_join(self._bands, key, number))
            for sentence in dict.fromkeys(signature.sentences):
                met.update(_join(self._sentences, sentence, number))
        return [self.names[at] for at in sorted(met)]


def _keys(minima: NDArray[np.uint64]) -> Iterator[bytes]:
    if int(minima[0]) == 0xFFFFFFFF and (minima == minima[0]).all():
        return  # no words, no likeness
    width = MINIMA // _BANDS
    data = minima.astype("<u4").tobytes()
    for band in range(_BANDS):
        yield bytes([band]) + data[4 * width * band : 4 * width * (band + 1)]


def _join(groups: dict[_Key, list[int]], key: _Key, number: int) -> list[int]:
    """Who is in the group already; in a crowd the last one alone."""
    group = groups.setdefault(key, [])
    met = group[:] if len(group) < _CROWD else group[-1:]
    group.append(number)
    return met


def compare(first: tuple[str, str], second: tuple[str, str], least: float) -> Twin | None:
    """Two passages, (name, text) each, compared exactly; ``None`` where they are no twins.

    >>> text = "The mill stands by the river and has ground flour since 1780."
    >>> compare(("a", text), ("b", text + " It was rebuilt."), 0.8).kind
    'contained'
    """
    one, other = words_of(first[1]), words_of(second[1])
    if not one or not other:
        return None
    if one == other:
        return Twin(first[0], second[0], "same", 1.0, 1.0)
    similarity = jaccard(shingles(one), shingles(other))
    shorter, longer = (first[1], second[1]) if len(one) <= len(other) else (second[1], first[1])
    known = {tuple(words) for words in _sentences(longer)}
    held = sum(len(words) for words in _sentences(shorter) if tuple(words) in known)
    shared = held / min(len(one), len(other))
    if similarity >= least:
        return Twin(first[0], second[0], "near", similarity, shared)
    return Twin(first[0], second[0], "contained", similarity, shared) if shared >= _HELD else None


def twins_among(signed: Iterable[tuple[str, Signature]], text_of: Callable[[str], str], least: float) -> list[Twin]:
    """The pairs of near-duplicates among passages by name and signature, in the order of their second member.

    ``text_of``: the text of a name, asked for where two are worth comparing. ``least``: the Jaccard index of shingles
    from which two are "near". Of passages with the same words each is paired with the first of them alone, and only
    that one with others.

    >>> mill = "The mill stands by the river and has ground flour since the year 1780"
    >>> texts = {"a": mill, "b": "Ducks swim.", "c": mill + "!"}
    >>> signed = zip(texts, signatures(list(texts.values())))
    >>> [(pair.first, pair.second, pair.kind) for pair in twins_among(signed, texts.__getitem__, 0.8)]
    [('a', 'c', 'same')]
    """
    index = TwinIndex()
    found: list[Twin] = []
    for name, signature in signed:
        for other in index.add(name, signature):
            pair = compare((other, text_of(other)), (name, text_of(name)), least)
            if pair is not None:
                found.append(pair)
    return found
