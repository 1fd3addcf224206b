"""A context to an answer. Without a language model: the best supporting sentences and cells, quoted with their
citations, and how likely the library answers at all."""

from core.answering.compared import ROWS, Compared
from core.answering.extractive import Quotable, choose_quotes, quote_scores, sentences_of
from core.answering.line import Line, LineReads, answer_line, in_words
from core.answering.support import Evidence, Support, evidence, rarity_of, support

__all__ = [
    "ROWS",
    "Compared",
    "Evidence",
    "Line",
    "LineReads",
    "Quotable",
    "Support",
    "answer_line",
    "choose_quotes",
    "evidence",
    "in_words",
    "quote_scores",
    "rarity_of",
    "sentences_of",
    "support",
]
