"""The schema of the catalogue as named steps, and the tables of the word index."""
