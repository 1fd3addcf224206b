"""Extents to the context a reader gets: budget, order, end, prompt, and what became of every candidate."""

from core.search.context.assembling import Assembled, assemble, reads_sentences
from core.search.context.candidate_outcomes import Clustered, build_trace, clustered
from core.search.context.filling import Budget, characters, tokens
from core.search.context.prompt import arrange

__all__ = [
    "Assembled",
    "Budget",
    "Clustered",
    "arrange",
    "assemble",
    "build_trace",
    "characters",
    "clustered",
    "reads_sentences",
    "tokens",
]
