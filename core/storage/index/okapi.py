"""The second lexical engine: BM25 by the package rank-bm25, over the postings of FTS5.

It scores with ``BM25Okapi`` and FTS5's parameters, k1 = 1.2 and b = 0.75. Since rank-bm25 has no fields, a leaf is one
bag with the tokens of all its fields; document frequencies and lengths are counted over that bag, and the frequency of
a token is the sum over the fields of ``FIELD_WEIGHTS`` times occurrences, as FTS5 has it.

Only the IDF of frequent tokens differs. For a token in n of N leaves:

- Both use ln((N - n + 0.5) / (n + 0.5)), which is zero for n = N / 2 and negative above.
- FTS5 raises values that are not positive to 1e-6. In addition, ``FtsIndex`` ignores tokens in more than half of the
  leaves unless the question has no others, and all but the 64 rarest tokens of a long question.
- rank-bm25 raises negative values to a quarter of the mean IDF of all tokens. So a token in most leaves counts about as
  much as a fairly common one, and leaves that match no other token are found too. If the mean itself is negative, as
  with only two leaves, 1e-6 is used here as well, since a match must not lower a score.

Tokens in less than half of the leaves therefore get the same scores in both. The first question after a change reads
the document frequencies of all tokens, which takes longer the larger the library; FTS5 is the default.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.storage.index.lexical import FtsIndex, all_document_frequencies
from core.storage.index.postings import FIELD_WEIGHTS, K1, MIN_IDF, B, Postings
from core.types import Vectors

if TYPE_CHECKING:
    from core.storage.store import Store


class OkapiIndex:
    """A ``LexicalIndex`` of one generation. Thread-safe; works read-only."""

    def __init__(self, store: Store, generation: int) -> None:
        self._store, self._fts = store, FtsIndex(store, generation)
        self._model: tuple[int, Any] = (-1, None)  # of a state of the contents: ``BM25Okapi`` without documents

    def search(self, tokens: Sequence[str]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, scores float32)`` of every leaf that contains a token, rows ascending.

        A token given twice counts twice.
        """
        with self._store.reading():
            postings, found = self._fts.read(tokens, every=True)
            if not found:
                return np.empty(0, np.int64), np.empty(0, np.float32)
            model = copy.copy(self._statistics(postings))
        matched = np.unique(np.concatenate([posting.indexes for _, posting in found]))
        frequencies: list[dict[str, float]] = [{} for _ in matched]
        for token, posting in dict(found).items():
            counts = (posting.counts @ FIELD_WEIGHTS).tolist()
            for position, count in zip(np.searchsorted(matched, posting.indexes).tolist(), counts, strict=True):
                frequencies[position][token] = count
        # rank-bm25 scores all its documents: give it only the matched ones, with the IDF and mean length of all.
        model.doc_freqs, model.doc_len, model.corpus_size = frequencies, postings.lengths[matched], len(matched)
        return postings.rows[matched], model.get_scores([token for token, _ in found]).astype(np.float32)

    def holding(self, tokens: Sequence[str]) -> dict[str, NDArray[np.int64]]:
        """The rows that contain each token, ascending."""
        postings, found = self._fts.read(list(dict.fromkeys(tokens)), every=True)
        return {token: postings.rows[posting.indexes] for token, posting in found}

    def _statistics(self, postings: Postings) -> Any:
        """The package's model of all leaves."""
        revision, model = self._model
        if revision != postings.revision:
            from rank_bm25 import BM25Okapi

            model = BM25Okapi.__new__(BM25Okapi)  # its constructor counts the words, which FTS5 has counted
            statistics = {"corpus_size": len(postings.rows), "avgdl": postings.lengths.mean(), "idf": {}}
            vars(model).update(statistics, k1=K1, b=B, epsilon=0.25)
            model._calc_idf(all_document_frequencies(self._store, self._fts.generation))
            model.idf = {token: max(idf, MIN_IDF) for token, idf in model.idf.items()}
            self._model = postings.revision, model
        return model
