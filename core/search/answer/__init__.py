"""A context to an answer. Without a language model: the best supporting lines, quoted with their citations, and how
likely the library answers at all."""

from core.search.answer.choosing import Choosing
from core.search.answer.line import Line, LineReads, Weighed, answer_line, in_words, no_line, weigh
from core.search.answer.support import Evidence, Support, rarity_of, support

__all__ = [
    "Choosing",
    "Evidence",
    "Line",
    "LineReads",
    "Support",
    "Weighed",
    "answer_line",
    "in_words",
    "no_line",
    "rarity_of",
    "support",
    "weigh",
]
