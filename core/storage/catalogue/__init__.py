"""Tables of the catalogue, SQLite: one file for each kind of row. ``texts`` imports nothing of ``filing``."""
