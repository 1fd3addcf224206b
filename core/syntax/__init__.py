"""Parses source code into units (functions, classes, statements) and names, as plain values.

Untrusted texts are parsed in a sandbox (``core/parsing/sandbox/syntax.py``).
"""

from __future__ import annotations

from core.syntax.languages import GRAMMARS, grammar_of
from core.syntax.model import Syntax, Unit, Unread
from core.syntax.nested import above_comments
from core.syntax.reading import is_readable, read_source, read_sources, read_syntax, units

__all__ = [
    "GRAMMARS",
    "Syntax",
    "Unit",
    "Unread",
    "above_comments",
    "grammar_of",
    "is_readable",
    "read_source",
    "read_sources",
    "read_syntax",
    "units",
]
