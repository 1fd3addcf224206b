"""The default lexical engine: BM25 over analysed tokens in SQLite FTS5.

FTS5 stores the postings (``core.storage.schema.word_tables``); ``core.storage.index.postings`` computes the same scores
as its ``bm25()``. Source: https://www.sqlite.org/fts5.html, sections 4.4.4 (external content), 5.1.1 (bm25, k1 = 1.2,
b = 0.75) and 8 (fts5vocab, "instance").
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
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
    """A ``LexicalIndex`` of one generation. Thread-safe; works read-only.

    Reuse one instance: it caches the postings it reads until the library's contents change.
    """

    def __init__(self, store: Store, generation: int) -> None:
        self._store = store
        self.generation = generation
        self._postings: Postings | None = None

    def search(self, tokens: Sequence[str]) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, scores float32)`` of every leaf that contains a token, rows ascending.

        A token given twice counts twice. Tokens in more than half of the rows, whose IDF is near zero, are ignored
        unless there are no others; of a very long question only the 64 rarest tokens count. FTS5 fixes k1 and b.
        """
        postings, matches = self.read(tokens)
        return postings.bm25([posting for _, posting in matches])

    def holding(self, tokens: Sequence[str]) -> dict[str, NDArray[np.int64]]:
        """The rows that contain each of the tokens that ``search`` would use, ascending."""
        postings, matches = self.read(list(dict.fromkeys(tokens)))
        return {token: postings.rows[posting.indexes] for token, posting in matches}

    def read(self, tokens: Sequence[str], *, every: bool = False) -> tuple[Postings, list[tuple[str, Posting]]]:
        """The current postings, and (token, posting) of the indexed tokens, rarest first.

        Unless ``every``, only of those that are worth a search.
        """
        with self._store.reading() as connection:
            postings, revision = self._postings, self._store.contents()
            if postings is None or postings.revision != revision:
                rows, lengths = read_rows(connection, sizes_table(self.generation), postings)
                postings = self._postings = Postings(revision, rows, lengths)
            matches = []
            for token in self._rarest(postings, tokens, every=every):
                posting = postings.cache.get(token)
                if posting is None:
                    posting = Posting.of(_occurrences(connection, self.generation, token), postings.rows, len(FIELDS))
                    postings.cache.put(token, posting)
                matches.append((token, posting))
        return postings, matches

    def _rarest(self, postings: Postings, tokens: Sequence[str], *, every: bool) -> list[str]:
        """The tokens that are worth a search, or ``every`` indexed one, rarest first.

        Scoring a token takes time for every row with it.
        """
        known = postings.document_frequencies
        new = [token for token in dict.fromkeys(tokens) if token not in known]
        if new:
            known.update(_document_frequencies(self._store, self.generation, new))
        frequencies = {token: known[token] for token in tokens if token in known}
        rare = {token for token, count in frequencies.items() if 2 * count <= len(postings.rows)} or set(frequencies)
        rarest = set(sorted(rare, key=lambda token: (frequencies[token], token))[:_MAX_TERMS])
        chosen = frequencies if every else rarest
        return sorted((token for token in tokens if token in chosen), key=lambda token: (frequencies[token], token))


def _occurrences(connection: sqlite3.Connection, generation: int, token: str) -> NDArray[np.int64]:
    """Every occurrence of a token, ascending, as row * number of fields + field index."""
    view = f"{index_table(generation)}_places"
    # A temporary table can be created by readers as well, and needs no migration.
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{view}"
        f" USING fts5vocab('main', '{index_table(generation)}', 'instance')"
    )
    field_index = " ".join(f"WHEN '{name}' THEN {index}" for index, name in enumerate(FIELDS))
    (listed,) = connection.execute(
        f"SELECT group_concat(doc * {len(FIELDS)} + CASE col {field_index} END) FROM temp.{view} WHERE term = ?",
        (token,),
    ).fetchone()
    return numbers(listed)


def document_frequencies(store: Store, generation: int, tokens: Sequence[str]) -> tuple[dict[str, int], int]:
    """``(frequencies, total)``: the number of rows that contain each token, and the number of all rows."""
    with store.reading():
        frequencies = _document_frequencies(store, generation, tokens)
        total = store.value(f"SELECT count(*) FROM {sizes_table(generation)}")
    return {token: frequencies.get(token, 0) for token in tokens}, int(total)


def all_document_frequencies(store: Store, generation: int) -> dict[str, int]:
    """The number of rows that contain each indexed token."""
    return dict(store.rows(f"SELECT term, doc FROM {terms_table(generation)}"))


def _document_frequencies(store: Store, generation: int, tokens: Sequence[str]) -> dict[str, int]:
    """The number of rows that contain each token; unknown tokens are absent."""
    query = f"SELECT term, doc FROM {terms_table(generation)} WHERE term IN (SELECT value FROM json_each(?))"
    return {str(term): int(count) for term, count in store.rows(query, list(tokens))}


def spelling_candidates(store: Store, generation: int, token: str) -> dict[str, int]:
    """Indexed tokens with the same first letter whose length differs by at most two, with their document frequency."""
    first = token[0]
    query = (
        f"SELECT term, doc FROM {terms_table(generation)} WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
    )
    rows = store.rows(query, first, chr(ord(first) + 1), len(token) - 2, len(token) + 2)
    return {str(term): int(count) for term, count in rows}


def rows_with_token(store: Store, generation: int, token: str, limit: int) -> list[int]:
    """At most ``limit`` rows that contain a token."""
    table = index_table(generation)
    rows = store.rows(f"SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT ?", f'"{token}"', limit)
    return [int(row) for (row,) in rows]


def check_index(store: Store, generation: int) -> str:
    """Run FTS5's integrity check; the error as text, or "". Needs a writable store."""
    table = index_table(generation)
    with catalogue_faults(store.home), store.transaction() as connection:
        try:
            connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            return str(error)
    return ""
