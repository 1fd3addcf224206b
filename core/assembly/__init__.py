"""Extents to the context a reader gets: budget, order, prompt, and the trace of what became of every candidate."""

from core.assembly.budget import Budget, characters, tokens
from core.assembly.clustering import Clustered, clustered
from core.assembly.context import Assembled, assemble
from core.assembly.order import arrange
from core.assembly.trace import build_trace

__all__ = [
    "Assembled",
    "Budget",
    "Clustered",
    "arrange",
    "assemble",
    "build_trace",
    "characters",
    "clustered",
    "tokens",
]
