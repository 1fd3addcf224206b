"""The tables of the word index, by generation: their names, how they are made, filled and forgotten.

External content (a plain table of the tokens beside the index) because contentless tables keep stale tokens silently,
and because it lets FTS5 rebuild and check itself. One table per generation, or document frequencies would mix.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

# FTS5's "ascii" tokenizer parts text at ASCII characters that are no letters or digits and knows nothing of Unicode:
# with the rest of visible ASCII named as token characters, only a space parts tokens and only A-Z would be changed.
# "unicode61" would part tokens at letters younger than its tables.
TOKENIZER = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_`{|}~'"
FIELDS = ("title", "headings", "captions", "text")
_GIVEN = "row IN (SELECT value FROM json_each(?))"


def index_table(generation: int) -> str:
    """The name of a generation's FTS5 table."""
    return f"lexical_{int(generation)}"


def content_table(generation: int) -> str:
    """The name of the table of tokens beside it."""
    return f"lexical_{int(generation)}_tokens"


def terms_table(generation: int) -> str:
    """The name of the view of the FTS5 table by term."""
    return f"lexical_{int(generation)}_terms"


def sizes_table(generation: int) -> str:
    """The name of FTS5's own table of how many tokens each row has."""
    return f"{index_table(generation)}_docsize"


def create_index(connection: sqlite3.Connection, generation: int) -> None:
    """Make the empty index of a new generation."""
    content = content_table(generation)
    columns = ", ".join(f"{name} TEXT NOT NULL" for name in FIELDS)
    connection.execute(f"CREATE TABLE {content} (row INTEGER PRIMARY KEY, {columns})")
    create_fts(connection, generation)


def create_fts(connection: sqlite3.Connection, generation: int) -> None:
    """Make the FTS5 table over the generation's tokens, empty of postings."""
    connection.execute(
        f"CREATE VIRTUAL TABLE {index_table(generation)} USING fts5({', '.join(FIELDS)},"
        f" content='{content_table(generation)}', content_rowid='row', tokenize=\"{TOKENIZER}\")"
    )
    connection.execute(
        f"CREATE VIRTUAL TABLE {terms_table(generation)} USING fts5vocab('{index_table(generation)}', 'row')"
    )


def drop_index(connection: sqlite3.Connection, generation: int) -> None:
    """Forget a generation's index and tokens."""
    connection.execute(f"DROP TABLE IF EXISTS {terms_table(generation)}")
    connection.execute(f"DROP TABLE IF EXISTS {index_table(generation)}")
    connection.execute(f"DROP TABLE IF EXISTS {content_table(generation)}")


def add_rows(connection: sqlite3.Connection, generation: int, rows: Iterable[tuple[int, str, str, str, str]]) -> None:
    """Index ``(row, *FIELDS)``, each field its tokens joined by single spaces."""
    rows = list(rows)
    for table, key in ((content_table(generation), "row"), (index_table(generation), "rowid")):
        connection.executemany(f"INSERT INTO {table}({key}, {', '.join(FIELDS)}) VALUES (?, ?, ?, ?, ?)", rows)


def remove_rows(connection: sqlite3.Connection, generation: int, rows: Sequence[int]) -> None:
    """Take rows out of the index. FTS5 needs their tokens to do so: that is what the content table is for."""
    table, content, fields, which = index_table(generation), content_table(generation), ", ".join(FIELDS), _GIVEN
    listed = (json.dumps(list(rows)),)
    connection.execute(
        f"INSERT INTO {table}({table}, rowid, {fields}) SELECT 'delete', row, {fields} FROM {content} WHERE {which}",
        listed,
    )
    connection.execute(f"DELETE FROM {content} WHERE {which}", listed)


def rebuild_index(connection: sqlite3.Connection, generation: int) -> None:
    """Make the FTS5 table anew from the tokens beside it; also where its own tables are damaged."""
    connection.execute(f"DROP TABLE IF EXISTS {terms_table(generation)}")
    connection.execute(f"DROP TABLE IF EXISTS {index_table(generation)}")
    create_fts(connection, generation)
    connection.execute(f"INSERT INTO {index_table(generation)}({index_table(generation)}) VALUES ('rebuild')")
