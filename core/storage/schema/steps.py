"""All migrations in order, by name. A released migration is never changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from core.storage.schema.first import FIRST
from core.storage.schema.word_tables import TOKENIZER, content_table, index_table, terms_table
from core.types import Block, BlockKind, Span

_COLUMNS = "title, headings, captions, text"


def add_captions(connection: sqlite3.Connection) -> None:
    """Add a field for captions to the lexical index of every generation, fill it, and rebuild the FTS5 tables.

    The result is as if all documents were chunked again, but nothing is parsed or encoded. A generation without its
    token table is skipped; ``verify`` reports it.
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
    """``(caption tokens, row)`` of the leaves of one version that have a caption."""
    # Imported here because only this migration needs the chunkers.
    from core.chunking.signals.captions import captions_of
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
    captions = captions_of(text, blocks, [Span(start, end) for _, start, end in leaves])
    if not any(captions):
        return []
    language = language_of(text)
    tokens = {caption: " ".join(indexed_tokens(caption, language)) for caption in set(captions)}
    return [(tokens[caption], row) for (row, _, _), caption in zip(leaves, captions, strict=True) if caption]


Step = str | Callable[[sqlite3.Connection], None]
"""An SQL script, or a function that is called with the connection within the migration's transaction."""

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

_FOUND_IN_CHUNKS = """
-- What a chunker found in a chunk, such as the symbols a function defines: lists of text by name. Most have nothing.
CREATE TABLE chunk_metadata (
  chunk INTEGER PRIMARY KEY REFERENCES chunk(row) ON DELETE CASCADE,
  metadata TEXT NOT NULL
);
"""

_EDITS = """
-- Anchored by value, as judgments are: an edit by hand outlives the version it was made on.
CREATE TABLE edit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version_id TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('merge', 'split', 'move', 'disable', 'pin')),
  anchors TEXT NOT NULL, -- where it is, and of a move where it goes: spans, their words and what stands around them
  made_at TEXT NOT NULL,
  undone INTEGER -- NULL: in force; else in which order it was undone
);
CREATE INDEX edit_of_version ON edit(version_id, undone);

-- How a kind of document ("key": the kind), or one document (the version's id), is cut instead of as the library says.
CREATE TABLE own_recipe (
  scope TEXT NOT NULL CHECK (scope IN ('kind', 'document')),
  key TEXT NOT NULL,
  chunking TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) WITHOUT ROWID;
"""

_FEATURES = """
-- What was found out about a version's chunks beside their text: JSON, compressed, one entry a chunk in the order of
-- their rows; and the leaves' signatures, which find near-duplicates. What is missing or stale is made again.
CREATE TABLE enriched (
  generation INTEGER NOT NULL,
  version INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  features BLOB NOT NULL,
  signatures BLOB NOT NULL,
  PRIMARY KEY (generation, version),
  FOREIGN KEY (generation, version) REFERENCES recipe(generation, version) ON DELETE CASCADE
);
"""

USED_VECTORS = "SELECT vector FROM chunk WHERE vector NOTNULL UNION SELECT vector FROM alias"  # SQL
NO_VECTOR = ""  # the key of the placeholder vector without data, to which leaves refer that are not encoded

_WORDS_FIRST = f"INSERT OR IGNORE INTO vector(key, data) VALUES ('{NO_VECTOR}', x'');"

_FOLDERS = """
-- A folder is kept in step unless it is paused. Those that were scanned by hand begin paused: nothing happens unasked.
ALTER TABLE folder ADD COLUMN paused INTEGER NOT NULL DEFAULT 1;
ALTER TABLE folder ADD COLUMN asked INTEGER NOT NULL DEFAULT 0; -- files gone at once that a person is asked about

-- What a folder last handed to the library: the third side beside what lies there and what the library holds, which
-- tells a file that is new from one that failed, or that a person threw away.
CREATE TABLE folder_file (
  path BLOB PRIMARY KEY, -- as a source's
  folder INTEGER NOT NULL REFERENCES folder(id) ON DELETE CASCADE,
  file_bytes INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('handed', 'held', 'failed', 'left'))
) WITHOUT ROWID;
CREATE INDEX folder_file_of_folder ON folder_file(folder, state);

CREATE TABLE folder_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  folder INTEGER NOT NULL REFERENCES folder(id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  what TEXT NOT NULL,
  files INTEGER NOT NULL,
  name TEXT NOT NULL, -- of the file, by its way below the folder; '' where it is about several
  detail TEXT NOT NULL
);
CREATE INDEX folder_event_of_folder ON folder_event(folder, id);
"""

_HOW_PAGES_WERE_READ = """
-- How a page was read: 'text', 'ocr', 'wordless' or 'unread'; and the confidence of OCR, 0..1.
ALTER TABLE page ADD COLUMN reading TEXT NOT NULL DEFAULT 'text';
ALTER TABLE page ADD COLUMN confidence REAL;
"""

_WRITTEN = """
-- What a language model replied to a prompt about a document, by the hash of its name and the prompt: derived data.
-- "tokens" of the prompt, about, and the seconds it took tell how fast the model is.
CREATE TABLE written (
  key TEXT NOT NULL UNIQUE,
  version_id TEXT NOT NULL,
  reply TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  seconds REAL NOT NULL
);
CREATE INDEX written_of_version ON written(version_id);
"""

_QUESTIONS = """
-- Nothing ever wrote or read the first log of questions.
DROP TABLE IF EXISTS query_log;
CREATE TABLE logged_question (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  question TEXT NOT NULL,
  milliseconds REAL NOT NULL,
  support REAL,
  quoted INTEGER,
  similarity REAL,
  version_ids TEXT NOT NULL, -- a list in JSON
  at TEXT NOT NULL
);
CREATE INDEX logged_question_by_time ON logged_question(at);
INSERT INTO logged_question(question, milliseconds, version_ids, at)
SELECT past.value, 0, '[]', '' FROM meta, json_each(CASE WHEN json_valid(meta.value) THEN meta.value ELSE '[]' END) past
WHERE meta.key = 'preference.ask.history' AND past.type = 'text' ORDER BY past.key DESC;
DELETE FROM meta WHERE key = 'preference.ask.history';
"""

_ALIASES = """
-- What a leaf is found by beside its text, by the name a trace calls it; the words stand in the leaf's metadata.
CREATE TABLE alias (
  chunk INTEGER NOT NULL REFERENCES chunk(row) ON DELETE CASCADE,
  name TEXT NOT NULL,
  vector INTEGER NOT NULL REFERENCES vector(number),
  PRIMARY KEY (chunk, name)
) WITHOUT ROWID;
CREATE INDEX alias_of_vector ON alias(vector);
"""

_WORDS_ALONE = """
-- A person left it to its words: its document is never encoded, where no other live source says otherwise.
ALTER TABLE source ADD COLUMN words_alone INTEGER NOT NULL DEFAULT 0;
"""

MIGRATIONS: tuple[tuple[str, Step], ...] = (
    ("0001_the_whole_way_once", FIRST),
    ("0002_trash_labels_attachments_folders", _SECOND),
    ("0003_judgments_follow", _THIRD),
    ("0004_found_in_chunks", _FOUND_IN_CHUNKS),
    ("0005_edits_and_own_recipes", _EDITS),
    ("0006_features", _FEATURES),
    ("0007_captions", add_captions),
    ("0008_words_before_meaning", _WORDS_FIRST),
    ("0009_folders_in_step", _FOLDERS),
    ("0010_how_pages_were_read", _HOW_PAGES_WERE_READ),
    ("0011_written", _WRITTEN),
    ("0012_logged_questions", _QUESTIONS),
    ("0013_aliases", _ALIASES),
    ("0014_words_alone", _WORDS_ALONE),
)
