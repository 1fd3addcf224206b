"""The first migration: the original schema. A released migration is never changed; changes need a new one."""

FIRST = """
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
