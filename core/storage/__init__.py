"""The library on disk: SQLite holds the truth, ``files/`` the originals, Chroma a projection of the vectors.

store.py        Store: open, transaction, reading, revision, meta, settings
documents.py    versions: put_document, document, text, page_at, words
sources.py      point_source, settle, remove_source, sources, trashed; names.py: what they are called, and scopes
trash.py        trash_sources, revive_source, empty_trash, attachments
labels.py       collections, tags and notes
folders.py      folders that are scanned again and again, and the files known below them
generations.py  begin_generation, serve, drop_generation
chunks.py       swap_chunks, tree, audit, recipe, chunk_rows
cache.py        CatalogueVectors, the VectorCache
lexical.py      FtsIndex, the LexicalIndex; postings.py: what it keeps; okapi.py: OkapiIndex, a second one
leaves.py       load_leaves: everything exact search needs, as arrays; narrow
outbox.py       apply_outbox, query_projection, rebuild_projection
verify.py       verify, with repair
edits.py        edits by hand: add_edit, undo_edit, redo_edit; recipes.py: how a kind or a document is cut instead
job_rows.py     judgments.py  statistics.py  word_audits.py
"""
