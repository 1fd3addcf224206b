"""The library on disk: the catalogue in SQLite, the original files in ``files/``, a vector index in Chroma.

The catalogue is authoritative; Chroma can always be rebuilt from it.
"""
