"""Questions with gold made from a person's own documents without labels: by rules, or by a language model.

Each file drafts from one thing: ``prose`` from sentences, ``tables``, ``structure`` from headings and lists, ``code``;
``written`` has a model draft from passages. ``documents`` gathers a document's, ``checking`` asks the library
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
    remember_review,
    remembered_review,
    take_back,
)
from core.evaluation.making.suggesting import suggested_questions, suggested_size

__all__ = [
    "KINDS",
    "ORIGIN",
    "TRUST",
    "MadeQuestion",
    "keep",
    "leave_out",
    "make_questions",
    "remember_review",
    "remembered_review",
    "suggested_questions",
    "suggested_size",
    "take_back",
]
