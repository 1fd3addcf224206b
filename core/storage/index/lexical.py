"""BM25 over our own analysed tokens in SQLite FTS5, in the tables of ``core.storage.schema.word_tables``.

FTS5 keeps the postings; ``core.storage.index.postings`` scores them as its ``bm25()`` would.
Source: https://www.sqlite.org/fts5.html, sections 4.4.4 (external content), 5.1.1 (bm25, k1 = 1.2, b = 0.75); and
section 8 (fts5vocab, "instance").
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.storage.faults import catalogue_faults
from core.storage.index.postings import Posting, Postings, numbers, read_rows
from core.storage.schema.word_tables import FIELDS, index_table, sizes_table, terms_table
from core.types import Vectors

if TYPE_CHECKING:
    from core.storage.store import Store

_MAX_TERMS = 64


class FtsIndex:
    """The ``LexicalIndex`` of one generation. Usable from any thread, also by readers without the lock.

    What it reads of tokens it keeps while the library's contents stay as they are: ask the same one again.
    """

    def __init__(self, store: Store, generation: int) -> None:
        self._store = store
        self.generation = generation
        self._postings: Postings | None = None

    def search(self, tokens: Sequence[str], boosts: Mapping[str, float]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, scores float32)`` of every leaf that holds a token, rows ascending.

        ``boosts`` weighs occurrences in each of ``FIELDS`` (1.0 where absent). A token given twice counts twice.
        Tokens in more than half of the rows, which BM25 gives a weight of nothing, are passed over
        where there are others; of a very long question the 64 rarest tokens count. k1 and b are fixed by FTS5.
        """
        postings, found = self._read(tokens)
        return postings.bm25([posting for _, posting in found], [float(boosts.get(name, 1.0)) for name in FIELDS])

    def holding(self, tokens: Sequence[str]) -> dict[str, NDArray[np.int64]]:
        """The rows that hold each token ``search`` would look for, ascending."""
        postings, found = self._read(list(dict.fromkeys(tokens)))
        return {token: postings.rows[posting.places] for token, posting in found}

    def _read(self, tokens: Sequence[str]) -> tuple[Postings, list[tuple[str, Posting]]]:
        """The postings as they are now, and in them those of the tokens worth looking for, rarest first."""
        with self._store.reading() as connection:
            postings, revision = self._postings, self._store.contents()  # a tag or a note changes no token
            if postings is None or postings.revision != revision:
                read = read_rows(connection, sizes_table(self.generation), postings)
                postings = self._postings = Postings(revision, *read)
            found = []
            for token in self._rarest(postings, tokens):
                posting = postings.of(token)
                if posting is None:
                    posting = Posting.of(_occurrences(connection, self.generation, token), postings.rows, len(FIELDS))
                    postings.keep(token, posting)
                found.append((token, posting))
        return postings, found

    def _rarest(self, postings: Postings, tokens: Sequence[str]) -> list[str]:
        """The tokens worth looking for, rarest first: each costs time for every row that holds it."""
        new = [token for token in dict.fromkeys(tokens) if token not in postings.holders]
        if new:
            postings.holders.update(_holders(self._store, self.generation, new))
        rarity = {token: postings.holders[token] for token in tokens if token in postings.holders}
        rare = {token for token, count in rarity.items() if 2 * count <= len(postings.rows)} or set(rarity)
        kept = set(sorted(rare, key=lambda token: (rarity[token], token))[:_MAX_TERMS])
        return sorted((token for token in tokens if token in kept), key=lambda token: (rarity[token], token))


def _occurrences(connection: sqlite3.Connection, generation: int, token: str) -> NDArray[np.int64]:
    """Every occurrence of a token as its row times the number of fields and its field's place, ascending."""
    view = f"{index_table(generation)}_places"
    # A temporary view, as readers may make: the catalogue of a library made before it needs no step.
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{view}"
        f" USING fts5vocab('main', '{index_table(generation)}', 'instance')"
    )
    place = " ".join(f"WHEN '{name}' THEN {at}" for at, name in enumerate(FIELDS))
    (listed,) = connection.execute(
        f"SELECT group_concat(doc * {len(FIELDS)} + CASE col {place} END) FROM temp.{view} WHERE term = ?", (token,)
    ).fetchone()
    return numbers(listed)


def token_holders(store: Store, generation: int, tokens: Sequence[str]) -> tuple[dict[str, int], int]:
    """How many rows hold each of the tokens, 0 for unknown ones, and how many rows there are."""
    with store.reading():
        found = _holders(store, generation, tokens)
        total = store.value(f"SELECT count(*) FROM {sizes_table(generation)}")
    return {token: found.get(token, 0) for token in tokens}, int(total)


def _holders(store: Store, generation: int, tokens: Sequence[str]) -> dict[str, int]:
    """How many rows hold each of the tokens; one that none does is absent."""
    wanted = f"SELECT term, doc FROM {terms_table(generation)} WHERE term IN (SELECT value FROM json_each(?))"
    return {str(term): int(count) for term, count in store.rows(wanted, list(tokens))}


def tokens_beside(store: Store, generation: int, token: str) -> dict[str, int]:
    """The tokens of the same first letter, at most two letters longer or shorter, and how many rows hold each."""
    first = token[0]
    wanted = (
        f"SELECT term, doc FROM {terms_table(generation)} WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
    )
    found = store.rows(wanted, first, chr(ord(first) + 1), len(token) - 2, len(token) + 2)
    return {str(term): int(count) for term, count in found}


def rows_holding(store: Store, generation: int, token: str, most: int) -> list[int]:
    """Rows that hold a token, at most so many."""
    table = index_table(generation)
    found = store.rows(f"SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT ?", f'"{token}"', most)
    return [int(row) for (row,) in found]


def check_index(store: Store, generation: int) -> str:
    """What FTS5 says is wrong with the index against its tokens; "" when nothing is. Needs a writable store."""
    table = index_table(generation)
    with catalogue_faults(store.home), store.transaction() as connection:
        try:
            connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            return str(error)
    return ""
