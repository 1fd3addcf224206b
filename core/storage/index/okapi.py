"""The second lexical engine: BM25 by the package rank-bm25, in memory, over the same analysed tokens as FTS5.

It scores with ``BM25Okapi`` and FTS5's parameters, k1 = 1.2 and b = 0.75. Since rank-bm25 has no fields, a leaf is one
bag with the tokens of all its fields; document frequencies and lengths are counted over that bag, and the frequency of
a token is the sum over the fields of boost times occurrences. FTS5 does the same, so both agree for all boosts. (One
index per field, with scores added up, would count IDF and length once per field; repeating tokens according to their
boost would change the lengths.)

Only the IDF of frequent tokens differs. For a token in n of N leaves:

- Both use ln((N - n + 0.5) / (n + 0.5)), which is zero for n = N / 2 and negative above.
- FTS5 raises values that are not positive to 1e-6. In addition, ``FtsIndex`` ignores tokens in more than half of the
  leaves unless the question has no others, and all but the 64 rarest tokens of a long question.
- rank-bm25 raises negative values to a quarter of the mean IDF of all tokens. So a token in most leaves counts about as
  much as a fairly common one, and leaves that match no other token are found too. If the mean itself is negative, as
  with only two leaves, 1e-6 is used here as well, since a match must not lower a score.

Tokens in less than half of the leaves therefore get the same scores in both. Memory and build time grow with the
library (100,000 leaves: about 250 MB and some seconds), whereas FTS5 reads from disk; FTS5 is the default.
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

from core.storage.index.postings import K1, MIN_IDF, B
from core.storage.schema.word_tables import FIELDS, content_table
from core.types import Vectors

if TYPE_CHECKING:
    from core.storage.store import Store


@dataclass(frozen=True, slots=True, eq=False)
class FlatPostings:
    """The postings of all tokens in flat arrays: those of the token with id t are at ``[bounds[t], bounds[t + 1])``.

    ``token_ids``: by token. ``indexes``: (m,) int32 into the index's rows, ascending for each token. ``fields``: (m,)
    int8 into ``FIELDS``. ``counts``: (m,) int64, the occurrences in that row and field.
    """

    token_ids: Mapping[str, int]
    bounds: NDArray[np.int64]
    indexes: NDArray[np.int32]
    fields: NDArray[np.int8]
    counts: NDArray[np.int64]

    def of(self, token: str, weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The row indexes with a token, ascending, and its frequencies, weighted by field."""
        own = slice(*self.bounds[self.token_ids[token] :][:2])
        indexes, inverse = np.unique(self.indexes[own], return_inverse=True)
        weighted = np.bincount(inverse, self.counts[own] * weights[self.fields[own]], len(indexes))
        return indexes, weighted.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class OkapiIndex:
    """A ``LexicalIndex`` of one generation at one revision; made by ``load_okapi``. Thread-safe.

    ``rows``: (n,) int64, ascending. ``lengths``: (n,) float64, tokens per row. ``model``: the ``BM25Okapi`` with the
    statistics of all rows.
    """

    generation: int
    revision: int
    rows: NDArray[np.int64]
    lengths: NDArray[np.float64]
    postings: FlatPostings
    model: Any

    def search(self, tokens: Sequence[str], boosts: Mapping[str, float]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, scores float32)`` of every leaf that contains a token, rows ascending.

        ``boosts``: the weight of occurrences in each of ``FIELDS``, 1.0 by default. A token given twice counts twice.
        """
        known = [token for token in tokens if token in self.postings.token_ids]
        if not known:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        weights = np.array([boosts.get(name, 1.0) for name in FIELDS])
        postings = {token: self.postings.of(token, weights) for token in known}
        matched = np.unique(np.concatenate([indexes for indexes, _ in postings.values()]))
        frequencies: list[dict[str, float]] = [{} for _ in matched]
        for token, (indexes, counts) in postings.items():
            for position, count in zip(np.searchsorted(matched, indexes).tolist(), counts.tolist(), strict=True):
                frequencies[position][token] = count
        # rank-bm25 scores all its documents: give it only the matched ones, with the IDF and mean length of all.
        model = copy.copy(self.model)
        model.doc_freqs, model.doc_len, model.corpus_size = frequencies, self.lengths[matched], len(matched)
        scores = model.get_scores(known).astype(np.float32)
        return self.rows[matched], scores

    def holding(self, tokens: Sequence[str]) -> dict[str, NDArray[np.int64]]:
        """The rows that contain each token, ascending."""
        weights = np.ones(len(FIELDS))
        known = [token for token in dict.fromkeys(tokens) if token in self.postings.token_ids]
        return {token: self.rows[self.postings.of(token, weights)[0]] for token in known}


def load_okapi(store: Store, generation: int, previous: OkapiIndex | None = None) -> OkapiIndex:
    """The current index of a generation; ``previous`` if it is still current."""
    with store.reading() as connection:
        revision = store.contents()
        if previous is not None and (previous.generation, previous.revision) == (generation, revision):
            return previous
        if not generation:
            return build_okapi([], generation, revision)  # nothing indexed yet
        query = f"SELECT row, {', '.join(FIELDS)} FROM {content_table(generation)} ORDER BY row"
        return build_okapi(connection.execute(query).fetchall(), generation, revision)


def build_okapi(rows: Sequence[tuple[int, str, str, str, str]], generation: int = 0, revision: int = 0) -> OkapiIndex:
    """An index of ``(row, *FIELDS)``, rows ascending, each field its tokens joined by single blanks.

    >>> index = build_okapi([(1, "", "", "", "a b"), (2, "", "a", "", "c"), (3, "", "", "c", ""), (7, "", "", "", "")])
    >>> index.search(["b", "c"], {})[0].tolist()
    [1, 2, 3]
    """
    from rank_bm25 import BM25Okapi

    split = [[field.split(" ") if field else [] for field in fields] for _, *fields in rows]
    model = None
    if any(map(any, split)):  # rank-bm25 fails without any token
        model = BM25Okapi((list(chain.from_iterable(fields)) for fields in split), k1=K1, b=B)
        model.idf = {token: max(idf, MIN_IDF) for token, idf in model.idf.items()}
        model.doc_freqs = []  # frees memory; ``search`` builds it from the postings
    return OkapiIndex(
        generation=generation,
        revision=revision,
        rows=np.array([row for row, *_ in rows], np.int64),
        lengths=np.array([sum(map(len, fields)) for fields in split], np.float64),
        postings=_postings(split),
        model=model,
    )


def _postings(split: Sequence[Sequence[Sequence[str]]]) -> FlatPostings:
    """The postings of rows, each a sequence of fields, each a sequence of tokens."""
    token_ids: dict[str, int] = {}
    occurrences = array("q")  # token id, row index and field index, encoded in one integer
    fields = len(FIELDS)
    stride = fields * len(split)
    for position, field in enumerate(chain.from_iterable(split)):
        occurrences.extend(token_ids.setdefault(token, len(token_ids)) * stride + position for token in field)
    distinct, counts = np.unique(np.frombuffer(occurrences, np.int64), return_counts=True)
    bounds = np.searchsorted(distinct, np.arange(len(token_ids) + 1) * stride)
    positions = distinct % stride if stride else distinct
    return FlatPostings(
        token_ids=token_ids,
        bounds=bounds,
        indexes=(positions // fields).astype(np.int32),
        fields=(positions % fields).astype(np.int8),
        counts=counts,
    )
