"""A context to an answer. Without a language model: the best supporting lines, quoted with their citations, and how
likely the library answers at all."""
