"""A context to an answer. Without a language model: the best supporting sentences, quoted with their citations."""

from core.answering.extractive import choose_quotes, sentences_of

__all__ = ["choose_quotes", "sentences_of"]
