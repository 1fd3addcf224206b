"""BM25 by the package rank-bm25, exact and in memory: the second lexical engine, over the same analysed tokens.

It reads the tokens that stand beside the FTS5 index and scores with ``BM25Okapi``, k1 = 1.2 and b = 0.75 as FTS5 has
them. rank-bm25 knows no fields, so a passage is one bag of the tokens of its fields (that is what its length and its
words' rarity are counted over), and a token's frequency in it is the sum over the fields of boost times
occurrences. FTS5 does the same, so the two agree for every boost. Three indexes added up would have counted a word's
rarity and a passage's length three times, and repeating tokens would have lengthened the passages.

What differs is the weight of a token by the number n of the N passages that hold it:

- Both take ln((N - n + 0.5) / (n + 0.5)), which is 0 where n is half of N and negative above.
- FTS5 lifts what is not positive to 1e-6; ``FtsIndex`` passes over tokens in more than half of the passages where the
  question has others, and counts the 64 rarest tokens of a longer question.
- rank-bm25 lifts what is negative to a quarter of the average over all tokens, so that a token in most passages counts
  about as much as a fairly common one, and passages that hold nothing else are found. Where that average is
  negative itself, as in a library of two passages, the floor is FTS5's 1e-6: finding a token must not make it worse.

Tokens in less than half of the passages therefore rank alike in both. Memory and time grow with the library (100,000
passages: some 250 MB, and seconds to build); FTS5 reads from the disk and stays the default.
"""

from __future__ import annotations

import copy
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.storage.index.postings import K1, LEAST_WEIGHT, B
from core.storage.schema.word_tables import FIELDS, content_table
from core.types import Vectors

if TYPE_CHECKING:
    from core.storage.store import Store


@dataclass(frozen=True, slots=True, eq=False)
class TokenPlaces:
    """Which rows hold which tokens, flat: those of token number t stand at ``[bounds[t], bounds[t + 1])``.

    ``numbers``: of every token. ``places``: (m,) int32, into the index's rows, ascending for each token; ``fields``:
    (m,) int8, into ``FIELDS``; ``counts``: (m,) int64, occurrences there.
    """

    numbers: Mapping[str, int]
    bounds: NDArray[np.int64]
    places: NDArray[np.int32]
    fields: NDArray[np.int8]
    counts: NDArray[np.int64]

    def of(self, token: str, weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The places that hold a token, ascending, and how often, occurrences weighed by their field."""
        held = slice(*self.bounds[self.numbers[token] :][:2])
        places, inverse = np.unique(self.places[held], return_inverse=True)
        weighed = np.bincount(inverse, self.counts[held] * weights[self.fields[held]], len(places))
        return places, weighed.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class OkapiIndex:
    """The ``LexicalIndex`` of one generation at one revision; made by ``load_okapi``, usable from any thread.

    ``rows``: (n,) int64, ascending. ``lengths``: (n,) float64, tokens of each. ``model``: rank-bm25's statistics of
    the whole.
    """

    generation: int
    revision: int
    rows: NDArray[np.int64]
    lengths: NDArray[np.float64]
    postings: TokenPlaces
    model: Any

    def search(self, tokens: Sequence[str], boosts: Mapping[str, float]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, scores float32)`` of every leaf that holds a token, rows ascending.

        ``boosts`` weighs occurrences in each of ``FIELDS`` (1.0 where absent). A token given twice counts twice.
        """
        known = [token for token in tokens if token in self.postings.numbers]
        if not known:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        weights = np.array([boosts.get(name, 1.0) for name in FIELDS])
        held = {token: self.postings.of(token, weights) for token in known}
        found = np.unique(np.concatenate([places for places, _ in held.values()]))
        frequencies: list[dict[str, float]] = [{} for _ in found]
        for token, (places, counts) in held.items():
            for place, count in zip(np.searchsorted(found, places).tolist(), counts.tolist(), strict=True):
                frequencies[place][token] = count
        # rank-bm25 scores every document it holds: it is shown those that hold a token, and the whole's statistics.
        model = copy.copy(self.model)
        model.doc_freqs, model.doc_len, model.corpus_size = frequencies, self.lengths[found], len(found)
        scores = model.get_scores(known).astype(np.float32)
        return self.rows[found], scores

    def holding(self, tokens: Sequence[str]) -> dict[str, NDArray[np.int64]]:
        """The rows that hold each token, ascending."""
        weights = np.ones(len(FIELDS))
        known = [token for token in dict.fromkeys(tokens) if token in self.postings.numbers]
        return {token: self.rows[self.postings.of(token, weights)[0]] for token in known}


def load_okapi(store: Store, generation: int, previous: OkapiIndex | None = None) -> OkapiIndex:
    """The index of a generation as it is now; ``previous`` itself where nothing has changed since."""
    with store.reading() as connection:
        revision = store.contents()  # a tag or a note changes no token
        if previous is not None and (previous.generation, previous.revision) == (generation, revision):
            return previous
        if not generation:
            return build_okapi([], generation, revision)  # nothing indexed yet
        listed = f"SELECT row, {', '.join(FIELDS)} FROM {content_table(generation)} ORDER BY row"
        return build_okapi(connection.execute(listed).fetchall(), generation, revision)


def build_okapi(rows: Sequence[tuple[int, str, str, str, str]], generation: int = 0, revision: int = 0) -> OkapiIndex:
    """An index of ``(row, *FIELDS)``, rows ascending, each field its tokens joined by single spaces.

    >>> index = build_okapi([(1, "", "", "", "a b"), (2, "", "a", "", "c"), (3, "", "", "c", ""), (7, "", "", "", "")])
    >>> index.search(["b", "c"], {})[0].tolist()
    [1, 2, 3]
    """
    from rank_bm25 import BM25Okapi

    split = [[field.split(" ") if field else [] for field in fields] for _, *fields in rows]
    model = None
    if any(map(any, split)):  # of no token at all rank-bm25 can make no average
        model = BM25Okapi((list(chain.from_iterable(fields)) for fields in split), k1=K1, b=B)
        model.idf = {token: max(weight, LEAST_WEIGHT) for token, weight in model.idf.items()}
        model.doc_freqs = []  # what is needed of it the postings hold
    return OkapiIndex(
        generation=generation,
        revision=revision,
        rows=np.array([row for row, *_ in rows], np.int64),
        lengths=np.array([sum(map(len, fields)) for fields in split], np.float64),
        postings=_postings(split),
        model=model,
    )


def _postings(split: Sequence[Sequence[Sequence[str]]]) -> TokenPlaces:
    """Postings of passages whose fields are lists of tokens."""
    numbers: dict[str, int] = {}
    occurrences = array("q")  # token number, place and field as one number each
    fields = len(FIELDS)
    stride = fields * len(split)
    for start, field in enumerate(chain.from_iterable(split)):
        occurrences.extend(numbers.setdefault(token, len(numbers)) * stride + start for token in field)
    held, counts = np.unique(np.frombuffer(occurrences, np.int64), return_counts=True)
    inside = held % stride if stride else held
    bounds = np.searchsorted(held, np.arange(len(numbers) + 1) * stride)
    return TokenPlaces(numbers, bounds, (inside // fields).astype(np.int32), (inside % fields).astype(np.int8), counts)
