"""The database schema of the catalogue: its migrations, and the tables of the lexical index."""
