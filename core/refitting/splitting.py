"""Judged questions in two halves: one to fit to, one that the fit never sees."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import LecternError
from core.evaluation.suites import GoldSpan, Question

By = Literal["document", "question"]

LEAST_SHARE = 0.35  # each side has at least so much of the questions, or documents are too few to split by
LEAST_SIDE = 10  # questions a side: of fewer nothing can be told


@dataclass(frozen=True, slots=True)
class Split:
    """``by`` "document": no document has gold of both sides. "question": they may share documents, but no question."""

    training: tuple[Question, ...]
    held_out: tuple[Question, ...]
    by: By


@dataclass(frozen=True, slots=True)
class Seen:
    """Questions, as ``drawn`` has them, that a re-ranker learnt from, and those it was tried on.

    What it learnt from can never tell again what it is worth; what it was tried on is kept out of what follows too, so
    that a judgment more moves none.
    """

    taught: frozenset[str] = frozenset()
    kept_out: frozenset[str] = frozenset()


NOTHING = Seen()


def halved(questions: Sequence[Question], seen: Seen, most: int) -> Split:
    """``split``, or ``LecternError`` where a side comes out too small for anything to be told by it."""
    halves = split(questions, seen, most)
    least = min(len(halves.training), len(halves.held_out))
    if least < LEAST_SIDE:
        raise LecternError(
            f"Of {len(questions):,} judged questions with an answer only {least} can be kept apart from the others, "
            "whose answer is the same, or which the re-ranker has learnt from.",
            "Judge questions on other passages.",
        )
    return halves


def split(questions: Sequence[Question], seen: Seen = NOTHING, most: int = 0) -> Split:
    """The questions in two halves, the same every time and in whatever order they come; each keeps its gold whole.

    Questions whose gold lies in a common document belong together, since what helps one may help the other for reasons
    that no other document shares. The groups go to the smaller side, the largest first. Where that leaves a side too
    small, because most questions hang together, those alone belong together whose gold overlaps, and where that too
    leaves one too small, those with a span of gold in common.

    ``seen``: a group with a question that was taught is on the training side, and of the others one with a question
    that was kept out is not. ``most``: so many questions at most, 0 for all; they are left out of halves that are
    dealt, so that no question changes its side by it.

    >>> asked = [Question(str(n), f"q{n}", (GoldSpan(f"{n // 2}.md", 0, 9),)) for n in range(8)]
    >>> halves = split(asked)
    >>> halves.by, len(halves.training), len(halves.held_out)
    ('document', 4, 4)
    >>> split([Question(str(n), f"q{n}", (GoldSpan("one.md", 10 * n, 10 * n + 9),)) for n in range(8)]).by
    'question'
    """
    passage = _passages(questions)
    ways: tuple[tuple[By, Callable[[GoldSpan], Hashable]], ...] = (
        ("document", lambda span: span.document),
        ("question", passage.__getitem__),
        ("question", lambda span: span),
    )
    found: list[Split] = []
    for by, place in ways:
        found.append(Split(*_halves(_groups(questions, place), seen), by))
        if _least(found[-1]) >= LEAST_SHARE * len(questions):
            break
    best = max(found, key=_least)
    training, held_out = (tuple(sorted(side, key=drawn)) for side in (best.training, best.held_out))
    half = most // 2 or len(questions)
    return Split(training[:half], held_out[:half], best.by)


def _least(halves: Split) -> int:
    return min(len(halves.training), len(halves.held_out))


def _halves(groups: Sequence[Sequence[Question]], seen: Seen) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    sides: tuple[list[Question], list[Question]] = ([], [])
    dealt: list[tuple[int, int, str, Sequence[Question]]] = []
    for group in groups:
        marks = {drawn(question) for question in group}
        known = 0 if marks & seen.taught else 1 if marks & seen.kept_out else 2
        dealt.append((known, -len(group), min(marks), group))
    for known, *_, group in sorted(dealt, key=lambda one: one[:3]):
        (sides[known] if known < len(sides) else min(sides, key=len)).extend(group)
    return tuple(sides[0]), tuple(sides[1])


def _groups(questions: Sequence[Question], place: Callable[[GoldSpan], Hashable]) -> list[list[Question]]:
    """Questions with gold in a common place, or linked by others that have."""
    group_of: dict[Hashable, list[Question]] = {}  # by place
    for question in questions:
        joined = [question]
        for name in {place(span) for span in question.gold}:
            other = group_of.get(name, [])
            if other is not joined:
                joined += other
                group_of.update(dict.fromkeys((place(span) for one in other for span in one.gold), joined))
            group_of[name] = joined
    return list({id(group): group for group in group_of.values()}.values())


def _passages(questions: Sequence[Question]) -> dict[GoldSpan, tuple[str, int]]:
    """The passage of every span of gold: spans that overlap, or are linked by others that do, are one."""
    found: dict[GoldSpan, tuple[str, int]] = {}
    document, begin, end = "", 0, 0
    for span in sorted({span for one in questions for span in one.gold}, key=lambda one: (one.document, one.start)):
        if span.document != document or span.start >= end:
            document, begin, end = span.document, span.start, span.end
        end = max(end, span.end)
        found[span] = document, begin
    return found


def drawn(question: Question) -> str:
    """A question's place in an order that nothing but its words decides, and that has nothing to do with them."""
    return hashlib.sha256(question.question.encode()).hexdigest()
