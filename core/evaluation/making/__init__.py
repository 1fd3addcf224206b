"""Questions with gold made from a person's own documents by rules, without a language model and without labels.

Each file drafts from one thing: ``prose`` from sentences (``clauses`` finds their subject and verb), ``tables``,
``structure`` from headings and lists, ``code``. ``documents`` gathers a document's, ``checking`` asks the library
whether something else answers, ``making`` chooses and spreads.
"""

from __future__ import annotations

from core.evaluation.making.making import (
    KINDS,
    ORIGIN,
    TRUST,
    MadeQuestion,
    keep,
    leave_out,
    make_questions,
    take_back,
)
from core.evaluation.making.suggesting import suggested_questions

__all__ = [
    "KINDS",
    "ORIGIN",
    "TRUST",
    "MadeQuestion",
    "keep",
    "leave_out",
    "make_questions",
    "suggested_questions",
    "take_back",
]
