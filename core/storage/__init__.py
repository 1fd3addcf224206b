"""The library on disk: SQLite holds the truth, ``files/`` the originals, Chroma a projection of the vectors.

store.py        Store: open, transaction, reading, revision, meta, settings
documents.py    versions: put_document, document, text, boxes, page_at
sources.py      put_source, remove_source, sources
generations.py  begin_generation, serve, drop_generation
chunks.py       swap_chunks, tree, audit, recipe, chunk_rows
cache.py        CatalogueVectors, the VectorCache
lexical.py      FtsIndex, the LexicalIndex
leaves.py       load_leaves: everything exact search needs, as arrays
outbox.py       apply_outbox, query_projection, rebuild_projection
verify.py       verify, with repair
judgments.py    statistics.py
"""
