"""The step that gives the word indexes a field for captions, filled from the blocks and leaves that are stored."""

from __future__ import annotations

import sqlite3

from core.storage.lexical import TOKENIZER, content_table, index_table, terms_table
from core.types import Block, BlockKind, Span

_COLUMNS = "title, headings, captions, text"


def add_captions(connection: sqlite3.Connection) -> None:
    """Every generation's tokens get those of its leaves' captions, as a new cut would, and FTS5 reads them anew.

    So no document is stale: nothing is parsed, cut or encoded. An index whose tokens are gone is left to ``verify``.
    """
    for (generation,) in connection.execute("SELECT number FROM generation ORDER BY number").fetchall():
        tokens, index, terms = content_table(generation), index_table(generation), terms_table(generation)
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (tokens,)).fetchone() is None:
            continue
        connection.execute(f"ALTER TABLE {tokens} ADD COLUMN captions TEXT NOT NULL DEFAULT ''")
        for (version,) in connection.execute(
            "SELECT DISTINCT version FROM chunk WHERE generation = ? AND level = 0", (generation,)
        ).fetchall():
            connection.executemany(
                f"UPDATE {tokens} SET captions = ? WHERE row = ?", _captions(connection, generation, version)
            )
        connection.execute(f"DROP TABLE IF EXISTS {terms}")
        connection.execute(f"DROP TABLE IF EXISTS {index}")
        connection.execute(
            f"CREATE VIRTUAL TABLE {index} USING fts5({_COLUMNS}, content='{tokens}', content_rowid='row',"
            f' tokenize="{TOKENIZER}")'
        )
        connection.execute(f"CREATE VIRTUAL TABLE {terms} USING fts5vocab('{index}', 'row')")
        connection.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")


def _captions(connection: sqlite3.Connection, generation: int, version: int) -> list[tuple[str, int]]:
    """The tokens of their captions and the row of the leaves that have some, of one version."""
    # Only a library that is brought up to date needs the chunkers.
    from core.chunking import captions_of
    from core.text.languages import indexed_tokens, language_of

    (text,) = connection.execute("SELECT text FROM version WHERE number = ?", (version,)).fetchone()
    blocks = [
        Block(BlockKind(kind), start, end)
        for kind, start, end in connection.execute(
            'SELECT kind, start, "end" FROM block WHERE version = ? ORDER BY ordinal', (version,)
        )
    ]
    leaves = connection.execute(
        'SELECT row, start, "end" FROM chunk WHERE generation = ? AND version = ? AND level = 0 ORDER BY start, row',
        (generation, version),
    ).fetchall()
    found = captions_of(text, blocks, [Span(start, end) for _, start, end in leaves])
    if not any(found):
        return []
    language = language_of(text)
    tokens = {caption: " ".join(indexed_tokens(caption, language)) for caption in set(found)}
    return [(tokens[caption], row) for (row, _, _), caption in zip(leaves, found, strict=True) if caption]
