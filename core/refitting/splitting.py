"""Judged questions in two halves: one to fit to, one that the fit never sees."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.evaluation.suites import Question

By = Literal["document", "question"]

LEAST_SHARE = 0.35  # each side has at least so much of the questions, or documents are too few to split by


@dataclass(frozen=True, slots=True)
class Split:
    """``by`` "document": no document has gold of both sides. "question": they may share documents, but no question."""

    training: tuple[Question, ...]
    held_out: tuple[Question, ...]
    by: By


def split(questions: Sequence[Question]) -> Split:
    """The questions in two halves, the same every time and in whatever order they come; each keeps its gold whole.

    Questions whose gold lies in a common document belong together, since what helps one may help the other for reasons
    that no other document shares. The groups go to the smaller side, the largest first. Where that leaves a side too
    small, because most questions hang together, single questions are split.

    >>> from core.evaluation.suites import GoldSpan
    >>> asked = [Question(str(n), f"q{n}", (GoldSpan(f"{n // 2}.md", 0, 9),)) for n in range(8)]
    >>> halves = split(asked)
    >>> halves.by, len(halves.training), len(halves.held_out)
    ('document', 4, 4)
    >>> split([Question(str(n), f"q{n}", (GoldSpan("one.md", 0, 9),)) for n in range(8)]).by
    'question'
    """
    halves = _halves(_groups(questions))
    if min(map(len, halves)) >= LEAST_SHARE * len(questions):
        return Split(*halves, "document")
    return Split(*_halves([[question] for question in questions]), "question")


def _halves(groups: Sequence[Sequence[Question]]) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    sides: tuple[list[Question], list[Question]] = ([], [])
    for group in sorted(groups, key=lambda group: (-len(group), min(map(drawn, group)))):
        min(sides, key=len).extend(sorted(group, key=drawn))
    return tuple(sides[0]), tuple(sides[1])


def _groups(questions: Sequence[Question]) -> list[list[Question]]:
    """Questions that share a document, or are linked by others that do."""
    group_of: dict[str, list[Question]] = {}  # by document
    for question in questions:
        joined = [question]
        for name in {span.document for span in question.gold}:
            other = group_of.get(name, [])
            if other is not joined:
                joined += other
                group_of.update(dict.fromkeys((span.document for one in other for span in one.gold), joined))
            group_of[name] = joined
    return list({id(group): group for group in group_of.values()}.values())


def drawn(question: Question) -> str:
    """A question's place in an order that nothing but its words decides, and that has nothing to do with them."""
    return hashlib.sha256(question.question.encode()).hexdigest()
