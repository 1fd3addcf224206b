"""Source code to its syntax, as plain values. Hostile texts are read by ``core/parsing/sandbox/syntax.py``."""

from __future__ import annotations

from core.syntax.languages import GRAMMARS, grammar_of
from core.syntax.model import Syntax, Unit, Unread
from core.syntax.reading import is_readable, read_source, read_sources, read_syntax, units

__all__ = [
    "GRAMMARS",
    "Syntax",
    "Unit",
    "Unread",
    "grammar_of",
    "is_readable",
    "read_source",
    "read_sources",
    "read_syntax",
    "units",
]
