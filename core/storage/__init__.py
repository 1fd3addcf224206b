"""The library on disk: SQLite holds the truth, ``files/`` the originals, Chroma a projection of the vectors."""
