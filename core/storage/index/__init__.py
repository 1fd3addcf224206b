"""The indexes that searches use: BM25 over FTS5, vectors in Chroma and in memory, and the table of leaves.

``leaves`` and ``leaf_vectors`` are arrays for exact search; ``lexical``, ``postings`` and ``okapi`` are the lexical
engines; ``outbox`` brings Chroma (``collections``, ``vectors``, ``server``, ``projection``) in line with the catalogue.
"""
