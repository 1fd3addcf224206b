"""Where tokens stand, read from FTS5 once and kept, and BM25 over that: the scores of FTS5's own ``bm25()``.

FTS5 reads a row's postings anew for every token, row and question. Its vocabulary table gives all places of a token in
one pass, a sixth of the time, and people ask in the same words again: what was read stays while the index does.

Source: https://www.sqlite.org/fts5.html, section 5.1.1 (the formula, k1 = 1.2, b = 0.75, no weight below 1e-6).
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.types import Vectors

K1, B = 1.2, 0.75  # fixed in FTS5
LEAST_WEIGHT = 1e-6
# Places kept in memory, 20 bytes each: the words of some hundred questions in a library of 100,000 leaves.
KEPT_PLACES = 3_200_000


@dataclass(frozen=True, slots=True, eq=False)
class Posting:
    """Where one token stands. ``places``: (m,) int32, into the index's rows, ascending.

    ``counts``: (m, fields) int32, how often in each field; somewhere at least once.
    """

    places: NDArray[np.int32]
    counts: NDArray[np.int32]

    @classmethod
    def of(cls, occurrences: NDArray[np.int64], rows: NDArray[np.int64], fields: int) -> Posting:
        """``occurrences``: for each, in ascending order, its row times ``fields`` and the number of its field.

        >>> posting = Posting.of(np.array([4, 5, 5, 8]), np.array([1, 2, 3, 4]), fields=2)
        >>> posting.places.tolist(), posting.counts.tolist()
        ([1, 3], [[1, 2], [1, 0]])
        """
        held, inside = np.divmod(occurrences, fields)
        begins = np.ones(len(held), bool)
        begins[1:] = held[1:] != held[:-1]
        number = np.cumsum(begins) - 1
        distinct = held[begins]
        counts = np.bincount(number * fields + inside, minlength=fields * len(distinct)).reshape(-1, fields)
        return cls(np.searchsorted(rows, distinct).astype(np.int32), counts.astype(np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """One state of an index. ``revision``: the library's contents then. ``rows``: (n,) int64, ascending.

    ``lengths``: (n,) int64, tokens of each in all fields. ``holders``: how many rows hold a token, of those asked for.
    ``kept``: the postings of those asked for lately, oldest first; ``held``: one number, of their places.
    """

    revision: int
    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    holders: dict[str, int] = field(default_factory=dict)
    kept: dict[str, Posting] = field(default_factory=dict)
    held: list[int] = field(default_factory=lambda: [0])
    lock: Lock = field(default_factory=Lock)

    def of(self, token: str) -> Posting | None:
        """What is kept of a token; ``None``: it has to be read."""
        with self.lock:
            found = self.kept.pop(token, None)
            if found is not None:
                self.kept[token] = found  # the youngest now
            return found

    def keep(self, token: str, posting: Posting) -> None:
        """Keep a token's; the ones that were asked for longest ago go where there are too many."""
        with self.lock:
            before = self.kept.pop(token, None)
            self.kept[token] = posting
            self.held[0] += len(posting.places) - (0 if before is None else len(before.places))
            while self.held[0] > KEPT_PLACES and len(self.kept) > 1:
                self.held[0] -= len(self.kept.pop(next(iter(self.kept))).places)

    def bm25(self, asked: Sequence[Posting], boosts: Sequence[float]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, scores float32)`` of the rows with any of the tokens, ascending; ``boosts`` by field."""
        total, found = np.zeros(len(self.rows)), np.zeros(len(self.rows), bool)
        average = float(self.lengths.sum()) / max(1, len(self.rows))
        for posting in asked:
            places = posting.places
            frequency = sum((posting.counts[:, at] * boost for at, boost in enumerate(boosts)), np.zeros(len(places)))
            norm = K1 * (1 - B + B * self.lengths[places] / average)
            total[places] += weight(len(places), len(self.rows)) * ((frequency * (K1 + 1)) / (frequency + norm))
            found[places] = True
        matched = np.flatnonzero(found)
        return self.rows[matched], total[matched].astype(np.float32)


def weight(held: int, total: int) -> float:
    """What finding a token tells where ``held`` of ``total`` rows have it.

    >>> weight(2, 4), round(weight(1, 100), 2)
    (1e-06, 4.19)
    """
    telling = math.log((total - held + 0.5) / (held + 0.5))
    return telling if telling > 0 else LEAST_WEIGHT


def read_rows(
    connection: sqlite3.Connection, sizes: str, before: Postings | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of an index, ascending, and their tokens in all fields, from FTS5's table of sizes.

    ``before``: an earlier state, whose rows are not read again: a row keeps its tokens, and no other ever has its
    number.
    """
    rows = numbers(connection.execute(f"SELECT group_concat(id) FROM {sizes}").fetchone()[0])
    rows.sort()
    lengths, known = np.zeros(len(rows), np.int64), np.zeros(len(rows), bool)
    if before is not None and len(before.rows):
        at = np.minimum(np.searchsorted(before.rows, rows), len(before.rows) - 1)
        known = before.rows[at] == rows
        lengths = np.where(known, before.lengths[at], 0)
    # In one value: a row of Python objects for each would take four times as long.
    wanted = (
        "SELECT CAST(group_concat(sz, '') AS BLOB), group_concat(length(sz)) FROM"
        f" (SELECT sz FROM {sizes} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id)"
    )
    packed, widths = connection.execute(wanted, (json.dumps(rows[~known].tolist()),)).fetchone()
    lengths[~known] = lengths_of(packed or b"", numbers(widths))
    return rows, lengths


def numbers(listed: str | None) -> NDArray[np.int64]:
    """What ``group_concat`` made of whole numbers: a row of Python objects for each would take four times as long.

    >>> numbers("3,1,4").tolist(), numbers(None).tolist()
    ([3, 1, 4], [])
    """
    return np.fromstring(listed or "", np.int64, sep=",")


def lengths_of(packed: bytes, widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of SQLite's variable-length integers, seven bits a byte, the highest first, in each stretch of so many
    bytes.

    >>> lengths_of(bytes([1, 2, 0x81, 0x00, 5, 0, 0]), np.array([4, 3])).tolist()
    [131, 5]
    """
    if not len(widths):
        return np.zeros(0, np.int64)
    given = np.frombuffer(packed, np.uint8)
    ends = np.flatnonzero(given < 0x80)
    before_end = ends[np.searchsorted(ends, np.arange(len(given)))] - np.arange(len(given))
    values = (given & 0x7F).astype(np.int64) << (7 * before_end)
    return np.add.reduceat(values, np.cumsum(widths) - widths)
