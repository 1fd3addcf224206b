"""The FTS5 tables of the lexical index: names, creation, inserting and deleting rows.

FTS5 is used with an external content table (the tokens, in a plain table), because it can then delete rows correctly,
and rebuild and check itself. Each generation has its own tables; otherwise their document frequencies would mix.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

# The text is already tokenised, so FTS5 must split at blanks only. Its "ascii" tokenizer leaves non-ASCII characters
# alone and is told here to treat the punctuation of ASCII as parts of tokens. "unicode61" would split tokens at letters
# that are newer than its Unicode tables.
TOKENIZER = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_`{|}~'"
FIELDS = ("title", "headings", "captions", "text")


def index_table(generation: int) -> str:
    """The name of a generation's FTS5 table."""
    return f"lexical_{int(generation)}"


def content_table(generation: int) -> str:
    """The name of a generation's token table, the content of its FTS5 table."""
    return f"lexical_{int(generation)}_tokens"


def terms_table(generation: int) -> str:
    """The name of a generation's FTS5 vocabulary table, with one row per term."""
    return f"lexical_{int(generation)}_terms"


def sizes_table(generation: int) -> str:
    """The name of FTS5's internal table with the number of tokens of each row."""
    return f"{index_table(generation)}_docsize"


def create_index(connection: sqlite3.Connection, generation: int) -> None:
    """Create the empty tables of a new generation."""
    content = content_table(generation)
    columns = ", ".join(f"{name} TEXT NOT NULL" for name in FIELDS)
    connection.execute(f"CREATE TABLE {content} (row INTEGER PRIMARY KEY, {columns})")
    create_fts(connection, generation)


def create_fts(connection: sqlite3.Connection, generation: int) -> None:
    """Create a generation's FTS5 and vocabulary tables, without postings."""
    connection.execute(
        f"CREATE VIRTUAL TABLE {index_table(generation)} USING fts5({', '.join(FIELDS)},"
        f" content='{content_table(generation)}', content_rowid='row', tokenize=\"{TOKENIZER}\")"
    )
    connection.execute(
        f"CREATE VIRTUAL TABLE {terms_table(generation)} USING fts5vocab('{index_table(generation)}', 'row')"
    )


def drop_index(connection: sqlite3.Connection, generation: int) -> None:
    """Drop all tables of a generation."""
    connection.execute(f"DROP TABLE IF EXISTS {terms_table(generation)}")
    connection.execute(f"DROP TABLE IF EXISTS {index_table(generation)}")
    connection.execute(f"DROP TABLE IF EXISTS {content_table(generation)}")


def add_rows(connection: sqlite3.Connection, generation: int, rows: Iterable[tuple[int, str, str, str, str]]) -> None:
    """Index rows of ``(row, *FIELDS)``; each field is its tokens joined by single blanks."""
    rows = list(rows)
    for table, key in ((content_table(generation), "row"), (index_table(generation), "rowid")):
        connection.executemany(f"INSERT INTO {table}({key}, {', '.join(FIELDS)}) VALUES (?, ?, ?, ?, ?)", rows)


def remove_rows(connection: sqlite3.Connection, generation: int, rows: Sequence[int]) -> None:
    """Delete rows from the index. FTS5 needs their tokens for that, which it gets from the content table."""
    index, fields = index_table(generation), ", ".join(FIELDS)
    selected = f"FROM {content_table(generation)} WHERE row IN (SELECT value FROM json_each(?))"
    parameters = (json.dumps(list(rows)),)
    connection.execute(
        f"INSERT INTO {index}({index}, rowid, {fields}) SELECT 'delete', row, {fields} {selected}", parameters
    )
    connection.execute(f"DELETE {selected}", parameters)


def rebuild_index(connection: sqlite3.Connection, generation: int) -> None:
    """Rebuild the FTS5 tables from the token table; this works even if they are damaged."""
    connection.execute(f"DROP TABLE IF EXISTS {terms_table(generation)}")
    connection.execute(f"DROP TABLE IF EXISTS {index_table(generation)}")
    create_fts(connection, generation)
    connection.execute(f"INSERT INTO {index_table(generation)}({index_table(generation)}) VALUES ('rebuild')")
