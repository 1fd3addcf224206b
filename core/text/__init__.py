"""Text utilities for all stages: spans, normalisation, sentences, tokens, lexical analysis. Pure functions."""
