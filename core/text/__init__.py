"""Text shared by every stage: spans, normalisation, sentences, tokens, lexical analysis. Pure functions of strings."""
