"""BM25 over postings that are read from FTS5 and cached, with the same scores as FTS5's ``bm25()``.

``bm25()`` reads postings again for every token, row and question. FTS5's vocabulary table returns all occurrences of a
token in one pass, which takes a sixth of the time, and questions often repeat words.

Source: https://www.sqlite.org/fts5.html, section 5.1.1 (the formula, k1 = 1.2, b = 0.75, IDF at least 1e-6).
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.lru_cache import LruCache
from core.types import Vectors

K1, B = 1.2, 0.75  # fixed in FTS5
MIN_IDF = 1e-6
# Of the occurrences in title, headings, captions and text (``FIELDS``). On the suites, weights of 0 to 2 for the first
# three differ by at most 0.1 points of recall (docs/ablations.md).
FIELD_WEIGHTS = np.array([0.5, 0.5, 0.5, 1.0])
# Cached (token, row) pairs, 20 bytes each: the tokens of some hundred questions in a library of 100,000 leaves.
MAX_CACHED = 3_200_000


@dataclass(frozen=True, slots=True, eq=False)
class Posting:
    """The posting list of one token.

    ``indexes``: (m,) int32 into the index's rows, ascending. ``counts``: (m, fields) int32, occurrences in each field;
    at least one per row.
    """

    indexes: NDArray[np.int32]
    counts: NDArray[np.int32]

    @classmethod
    def of(cls, occurrences: NDArray[np.int64], rows: NDArray[np.int64], fields: int) -> Posting:
        """The posting list of ``occurrences``, each encoded as row * ``fields`` + field index, ascending.

        >>> posting = Posting.of(np.array([4, 5, 5, 8]), np.array([1, 2, 3, 4]), fields=2)
        >>> posting.indexes.tolist(), posting.counts.tolist()
        ([1, 3], [[1, 2], [1, 0]])
        """
        occurrence_rows, occurrence_fields = np.divmod(occurrences, fields)
        is_first = np.ones(len(occurrence_rows), bool)
        is_first[1:] = occurrence_rows[1:] != occurrence_rows[:-1]
        position = np.cumsum(is_first) - 1
        distinct = occurrence_rows[is_first]
        counts = np.bincount(position * fields + occurrence_fields, minlength=fields * len(distinct))
        return cls(np.searchsorted(rows, distinct).astype(np.int32), counts.reshape(-1, fields).astype(np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """One state of a lexical index, with an LRU cache of posting lists.

    ``revision``: the ``Store.contents()`` of that state. ``rows``: (n,) int64, ascending. ``lengths``: (n,) int64,
    tokens per row in all fields. ``document_frequencies``: of the tokens looked up so far.
    """

    revision: int
    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    document_frequencies: dict[str, int] = field(default_factory=dict)
    cache: LruCache[Posting] = field(default_factory=lambda: LruCache(MAX_CACHED, lambda one: len(one.indexes)))

    def bm25(self, query: Sequence[Posting]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, scores float32)`` of the rows with any of the query's tokens, ascending."""
        scores, matched = np.zeros(len(self.rows)), np.zeros(len(self.rows), bool)
        average = float(self.lengths.sum()) / max(1, len(self.rows))
        for posting in query:
            indexes = posting.indexes
            frequency = posting.counts @ FIELD_WEIGHTS
            norm = K1 * (1 - B + B * self.lengths[indexes] / average)
            scores[indexes] += idf(len(indexes), len(self.rows)) * ((frequency * (K1 + 1)) / (frequency + norm))
            matched[indexes] = True
        selected = np.flatnonzero(matched)
        return self.rows[selected], scores[selected].astype(np.float32)


def idf(document_frequency: int, total: int) -> float:
    """The inverse document frequency of a token, at least ``MIN_IDF``.

    >>> idf(2, 4), round(idf(1, 100), 2)
    (1e-06, 4.19)
    """
    value = math.log((total - document_frequency + 0.5) / (document_frequency + 0.5))
    return value if value > 0 else MIN_IDF


def read_rows(
    connection: sqlite3.Connection, sizes: str, previous: Postings | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``(rows, lengths)``: the rows of an index, ascending, and their number of tokens in all fields.

    ``sizes``: the name of FTS5's table of sizes. ``previous``: an earlier state, whose rows are not read again, because
    a row never changes and its number is never reused.
    """
    rows = numbers(connection.execute(f"SELECT group_concat(id) FROM {sizes}").fetchone()[0])
    rows.sort()
    lengths, known = np.zeros(len(rows), np.int64), np.zeros(len(rows), bool)
    if previous is not None and len(previous.rows):
        at = np.minimum(np.searchsorted(previous.rows, rows), len(previous.rows) - 1)
        known = previous.rows[at] == rows
        lengths = np.where(known, previous.lengths[at], 0)
    # All sizes as one value: one Python object per row would take four times as long.
    query = (
        "SELECT CAST(group_concat(sz, '') AS BLOB), group_concat(length(sz)) FROM"
        f" (SELECT sz FROM {sizes} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id)"
    )
    packed, widths = connection.execute(query, (json.dumps(rows[~known].tolist()),)).fetchone()
    lengths[~known] = varint_sums(packed or b"", numbers(widths))
    return rows, lengths


def numbers(listed: str | None) -> NDArray[np.int64]:
    """The integers of SQLite's ``group_concat``; one Python object per row would take four times as long.

    >>> numbers("3,1,4").tolist(), numbers(None).tolist()
    ([3, 1, 4], [])
    """
    return np.fromstring(listed or "", np.int64, sep=",")


def varint_sums(packed: bytes, widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Decode concatenated groups of SQLite's variable-length integers and sum up each group.

    ``widths``: the size of each group in bytes. An integer has seven bits per byte, most significant first, and the
    high bit set in all bytes but the last.

    >>> varint_sums(bytes([1, 2, 0x81, 0x00, 5, 0, 0]), np.array([4, 3])).tolist()
    [131, 5]
    """
    if not len(widths):
        return np.zeros(0, np.int64)
    data = np.frombuffer(packed, np.uint8)
    ends = np.flatnonzero(data < 0x80)
    bytes_to_end = ends[np.searchsorted(ends, np.arange(len(data)))] - np.arange(len(data))
    values = (data & 0x7F).astype(np.int64) << (7 * bytes_to_end)
    return np.add.reduceat(values, np.cumsum(widths) - widths)
