"""The catalogue's schema as named steps, applied in order, each in one transaction with its name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from core.errors import StorageError

APPLICATION_ID = 0x4C454354  # "LECT" in the file's header: this SQLite file is a Lectern catalogue

_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('revision', '0');

-- A version is its bytes; the text, and all spans of it, belong to one parse of them.
CREATE TABLE version (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  title_start INTEGER,
  title_end INTEGER,
  text TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  characters INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  parser TEXT NOT NULL,
  metadata TEXT NOT NULL,
  notes TEXT NOT NULL,
  parsed_at TEXT NOT NULL
);

CREATE TABLE source (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('path', 'upload')),
  name TEXT NOT NULL,
  path BLOB UNIQUE, -- the file system's own bytes: names need not be valid text
  version INTEGER NOT NULL REFERENCES version(number),
  added_at TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  CHECK ((kind = 'path') = (path IS NOT NULL))
);
CREATE INDEX source_of_version ON source(version);
CREATE UNIQUE INDEX source_upload ON source(name) WHERE kind = 'upload';

CREATE TABLE block (
  version INTEGER NOT NULL REFERENCES version(number) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  level INTEGER NOT NULL,
  parts TEXT NOT NULL,
  header_start INTEGER,
  header_end INTEGER,
  language TEXT NOT NULL,
  PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;

CREATE TABLE cell (
  version INTEGER NOT NULL,
  block INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  "row" INTEGER NOT NULL,
  "column" INTEGER NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('text', 'integer', 'number', 'boolean', 'empty')),
  value, -- typed by "type"; an integer beyond 64 bits is its digits
  header INTEGER NOT NULL,
  PRIMARY KEY (version, block, ordinal),
  FOREIGN KEY (version, block) REFERENCES block(version, ordinal) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE link (
  version INTEGER NOT NULL REFERENCES version(number) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;

CREATE TABLE page (
  version INTEGER NOT NULL REFERENCES version(number) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  number INTEGER NOT NULL,
  width REAL NOT NULL,
  height REAL NOT NULL,
  PRIMARY KEY (version, ordinal)
) WITHOUT ROWID;

CREATE TABLE page_box (
  version INTEGER NOT NULL REFERENCES version(number) ON DELETE CASCADE,
  start INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  page INTEGER NOT NULL,
  x0 REAL NOT NULL,
  y0 REAL NOT NULL,
  x1 REAL NOT NULL,
  y1 REAL NOT NULL,
  PRIMARY KEY (version, start, ordinal)
) WITHOUT ROWID;

-- A generation is the embedder and the index schema; meta 'serving' points to the one that answers.
CREATE TABLE generation (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  embedder TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  index_schema INTEGER NOT NULL,
  created_at TEXT NOT NULL
);

-- How a version was cut for a generation, and what that cut covers.
CREATE TABLE recipe (
  generation INTEGER NOT NULL REFERENCES generation(number) ON DELETE CASCADE,
  version INTEGER NOT NULL REFERENCES version(number) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  label TEXT NOT NULL,
  "values" TEXT NOT NULL,
  characters INTEGER NOT NULL,
  covered INTEGER NOT NULL,
  gaps TEXT NOT NULL,
  truncated INTEGER NOT NULL,
  cut_at TEXT NOT NULL,
  PRIMARY KEY (generation, version)
) WITHOUT ROWID;
CREATE INDEX recipe_of_version ON recipe(version);

CREATE TABLE vector (
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  data BLOB NOT NULL -- float32, little endian
);

CREATE TABLE chunk (
  row INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: Chroma and FTS5 key on it
  generation INTEGER NOT NULL,
  version INTEGER NOT NULL,
  chunk_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  parent_row INTEGER REFERENCES chunk(row),
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  encoder_tokens INTEGER NOT NULL,
  headings TEXT NOT NULL,
  prefix TEXT NOT NULL,
  reasons TEXT NOT NULL,
  vector INTEGER REFERENCES vector(number),
  FOREIGN KEY (generation, version) REFERENCES recipe(generation, version) ON DELETE CASCADE,
  CHECK ((level = 0) = (vector IS NOT NULL))
);
CREATE INDEX chunk_in_order ON chunk(generation, level, version, start);
CREATE UNIQUE INDEX chunk_of_version ON chunk(generation, version, chunk_id);
CREATE INDEX chunk_by_id ON chunk(chunk_id);
CREATE INDEX chunk_of_parent ON chunk(parent_row) WHERE parent_row IS NOT NULL;
CREATE INDEX chunk_of_vector ON chunk(vector) WHERE vector IS NOT NULL;

-- What Chroma has yet to be told. Rows are numbers by value: the chunk may be gone by then.
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  generation INTEGER NOT NULL,
  op TEXT NOT NULL CHECK (op IN ('upsert', 'delete', 'drop')),
  row INTEGER NOT NULL
);

CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  result TEXT NOT NULL DEFAULT '{}',
  reason TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
);
CREATE INDEX job_by_state ON job(state, id);

CREATE TABLE job_item (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL REFERENCES job(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  path BLOB,
  content_hash TEXT,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  stage TEXT NOT NULL DEFAULT '',
  done INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  version_id TEXT,
  reason TEXT NOT NULL DEFAULT '',
  changed_at TEXT NOT NULL,
  UNIQUE (job, ordinal)
);
CREATE INDEX job_item_by_content ON job_item(content_hash) WHERE content_hash IS NOT NULL;

-- Anchored by value: a judgment outlives the version it was made on.
CREATE TABLE judgment (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  question TEXT NOT NULL,
  version_id TEXT,
  text_hash TEXT,
  start INTEGER,
  "end" INTEGER,
  quote TEXT NOT NULL,
  "before" TEXT NOT NULL,
  "after" TEXT NOT NULL,
  origin TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX judgment_by_question ON judgment(question);

CREATE TABLE query_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  question TEXT NOT NULL,
  settings TEXT NOT NULL,
  milliseconds REAL NOT NULL,
  asked_at TEXT NOT NULL
);
"""

_SECOND = """
INSERT INTO meta VALUES ('contents', '0');

-- Sources get a trash, notes and attachments. SQLite cannot change a CHECK, so the table is made anew; ids go on where
-- they were.
CREATE TABLE source_anew (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('path', 'upload', 'attachment')),
  name TEXT NOT NULL, -- of an attachment: its own; the mail's is put before it where it is shown
  path BLOB UNIQUE, -- the file system's own bytes: names need not be valid text
  parent INTEGER REFERENCES version(number), -- of an attachment: the mail it came in
  version INTEGER NOT NULL REFERENCES version(number),
  added_at TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  trashed_at TEXT, -- NULL: live
  trashed_along INTEGER NOT NULL DEFAULT 0, -- it went with its mail, and comes back with it
  note TEXT NOT NULL DEFAULT '',
  file_bytes INTEGER, -- with modified_ns: what the file was when it was read; NULL: look into it
  modified_ns INTEGER,
  CHECK ((kind = 'path') = (path IS NOT NULL)),
  CHECK ((kind = 'attachment') = (parent IS NOT NULL)),
  CHECK (trashed_along = 0 OR trashed_at IS NOT NULL)
);
INSERT INTO source_anew(id, kind, name, path, version, added_at, changed_at)
  SELECT id, kind, name, path, version, added_at, changed_at FROM source;
DELETE FROM sqlite_sequence WHERE name = 'source_anew';
INSERT INTO sqlite_sequence(name, seq) SELECT 'source_anew', seq FROM sqlite_sequence WHERE name = 'source';
DROP TABLE source;
ALTER TABLE source_anew RENAME TO source;
CREATE INDEX source_of_version ON source(version, trashed_at);
CREATE UNIQUE INDEX source_upload ON source(name) WHERE kind = 'upload';
CREATE UNIQUE INDEX source_attachment ON source(parent, name) WHERE parent IS NOT NULL;
CREATE INDEX source_in_trash ON source(trashed_at) WHERE trashed_at IS NOT NULL;

-- "folded" is the name as it is compared: two spellings of one name are one collection, one tag.
CREATE TABLE collection (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE
);
CREATE TABLE collected (
  collection INTEGER NOT NULL REFERENCES collection(id) ON DELETE CASCADE,
  source INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
  PRIMARY KEY (collection, source)
) WITHOUT ROWID;
CREATE INDEX collected_source ON collected(source);

CREATE TABLE tag (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE
);
CREATE TABLE tagged (
  tag INTEGER NOT NULL REFERENCES tag(id) ON DELETE CASCADE,
  source INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
  PRIMARY KEY (tag, source)
) WITHOUT ROWID;
CREATE INDEX tagged_source ON tagged(source);

-- Folders a person scans again and again.
CREATE TABLE folder (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path BLOB NOT NULL UNIQUE,
  patterns TEXT NOT NULL,
  added_at TEXT NOT NULL,
  scanned_at TEXT
);

ALTER TABLE version ADD COLUMN words TEXT; -- what a second reading of the file said; NULL: none was made

ALTER TABLE job_item ADD COLUMN problem TEXT NOT NULL DEFAULT ''; -- what would help: 'password'; '' when nothing known
CREATE INDEX job_item_by_state ON job_item(job, state);
"""

_THIRD = """
-- A judgment names the version its gold is to be looked for in; "text_hash" is that of the text in which it lay last.
ALTER TABLE judgment ADD COLUMN answer TEXT NOT NULL DEFAULT ''; -- the one expected, in words
ALTER TABLE judgment ADD COLUMN judged TEXT; -- the quote as it was judged, where an edit has changed it since
CREATE INDEX judgment_of_version ON judgment(version_id);
"""

MIGRATIONS: tuple[tuple[str, str], ...] = (
    ("0001_the_whole_way_once", _FIRST),
    ("0002_trash_labels_attachments_folders", _SECOND),
    ("0003_judgments_follow", _THIRD),
)


def applied(connection: sqlite3.Connection) -> list[str]:
    """Names of the steps this catalogue has been through; empty for a new file."""
    table = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").fetchone()
    if table is None:
        return []
    return [name for (name,) in connection.execute("SELECT name FROM migration ORDER BY ordinal")]


def migrate(connection: sqlite3.Connection, home: Path) -> list[str]:
    """Bring a writable catalogue up to date and return the steps taken. Raises ``StorageError`` for a strange file."""
    check(connection, home, writing=True)
    taken = []
    for name, sql in MIGRATIONS[len(applied(connection)) :]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS migration"
                " (ordinal INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at TEXT NOT NULL)"
            )
            for statement in statements(sql):
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migration(name, applied_at) VALUES (?, ?)",
                (name, datetime.now(UTC).isoformat("T", "seconds")),
            )
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        taken.append(name)
    return taken


def check(connection: sqlite3.Connection, home: Path, *, writing: bool) -> None:
    """Raise ``StorageError`` unless this program can work with the catalogue as it is."""
    done = applied(connection)
    known = [name for name, _ in MIGRATIONS]
    if done[: len(known)] != known[: len(done)] or len(done) > len(known):
        unknown = next(name for name in done if name not in known) if set(done) - set(known) else done[0]
        raise StorageError(
            f"The library {home} was written by a newer Lectern (its catalogue has the step {unknown!r}).",
            "Update Lectern, or choose another library.",
        )
    if not done and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StorageError(f"catalogue.sqlite in {home} is not a Lectern catalogue.", "Choose another folder.")
    if not writing and not done:
        raise StorageError(f"There is no library in {home} yet.", "Ingest a document into it first.")
    if not writing and len(done) < len(known):
        raise StorageError(
            f"The library {home} was written by an older Lectern.", "Open it for writing once to bring it up to date."
        )


def statements(sql: str) -> Iterator[str]:
    """The single statements of a script.

    >>> [part.strip() for part in statements("CREATE TABLE a (b); -- c;\\nINSERT INTO a VALUES (';');")]
    ['CREATE TABLE a (b);', "-- c;\\nINSERT INTO a VALUES (';');"]
    """
    pending = ""
    for piece in sql.split(";"):
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            if pending.strip().strip(";"):
                yield pending
            pending = ""
