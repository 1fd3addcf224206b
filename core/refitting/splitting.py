"""Splits judged questions into a training half and a held-out half."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import LecternError
from core.evaluation.suites import GoldSpan, Question

By = Literal["document", "question"]

LEAST_SHARE = 0.35  # of the questions on the smaller side; with less, a finer unit than the document is used
LEAST_SIDE = 10  # questions on each side, below which no gain can be measured


@dataclass(frozen=True, slots=True)
class Split:
    """The two halves. ``by``: with "document", no document has gold of both; with "question", they may share some."""

    training: tuple[Question, ...]
    held_out: tuple[Question, ...]
    by: By


@dataclass(frozen=True, slots=True)
class Seen:
    """The questions, by ``question_hash``, that a re-ranker was trained on and those it was validated on.

    The first can never be held out again. The second stay held out, so that new judgments do not move them.
    """

    taught: frozenset[str] = frozenset()
    kept_out: frozenset[str] = frozenset()


NOTHING = Seen()


def checked_split(questions: Sequence[Question], seen: Seen, most: int) -> Split:
    """``split``. Raises ``LecternError`` where a side has fewer than ``LEAST_SIDE`` questions."""
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
    """Split the questions in two halves. Deterministic, and independent of their order.

    Questions with gold in a common document stay together, since they are not independent. The groups go to the smaller
    side, the largest first. Where that leaves a side below ``LEAST_SHARE``, because most questions are connected, only
    questions with overlapping gold stay together and, where that is still too coarse, only those with equal gold.

    ``seen``: a group with a question that the re-ranker was trained on goes to the training side, another one with a
    question that it was validated on to the held-out side. ``most``: the largest number of questions, 0 for all. It is
    applied after the split, so that it moves no question to the other side.

    >>> asked = [Question(str(n), f"q{n}", (GoldSpan(f"{n // 2}.md", 0, 9),)) for n in range(8)]
    >>> halves = split(asked)
    >>> halves.by, len(halves.training), len(halves.held_out)
    ('document', 4, 4)
    >>> split([Question(str(n), f"q{n}", (GoldSpan("one.md", 10 * n, 10 * n + 9),)) for n in range(8)]).by
    'question'
    """
    passages = _passages(questions)
    units: tuple[tuple[By, Callable[[GoldSpan], Hashable]], ...] = (
        ("document", lambda span: span.document),
        ("question", passages.__getitem__),
        ("question", lambda span: span),
    )
    splits: list[Split] = []
    for by, unit_of in units:
        splits.append(Split(*_halves(_groups(questions, unit_of), seen), by))
        if _smaller_side(splits[-1]) >= LEAST_SHARE * len(questions):
            break
    best = max(splits, key=_smaller_side)
    training, held_out = (tuple(sorted(side, key=question_hash)) for side in (best.training, best.held_out))
    half = most // 2 or len(questions)
    return Split(training[:half], held_out[:half], best.by)


def _smaller_side(halves: Split) -> int:
    return min(len(halves.training), len(halves.held_out))


def _halves(groups: Sequence[Sequence[Question]], seen: Seen) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """(training, held out): seen groups on their side, the others on the smaller one, the largest first."""
    training: list[Question] = []
    held_out: list[Question] = []
    sortable: list[tuple[int, int, str, Sequence[Question]]] = []
    for group in groups:
        hashes = {question_hash(question) for question in group}
        order = 0 if hashes & seen.taught else 1 if hashes & seen.kept_out else 2
        sortable.append((order, -len(group), min(hashes), group))
    for order, *_, group in sorted(sortable, key=lambda item: item[:3]):
        (training, held_out, min(training, held_out, key=len))[order].extend(group)
    return tuple(training), tuple(held_out)


def _groups(questions: Sequence[Question], unit_of: Callable[[GoldSpan], Hashable]) -> list[list[Question]]:
    """The connected components of questions, which are connected by gold in a common unit."""
    group_of: dict[Hashable, list[Question]] = {}  # by unit
    for question in questions:
        group = [question]
        for unit in {unit_of(span) for span in question.gold}:
            other = group_of.get(unit, [])
            if other is not group:
                group += other
                group_of.update(dict.fromkeys((unit_of(span) for item in other for span in item.gold), group))
            group_of[unit] = group
    return list({id(group): group for group in group_of.values()}.values())


def _passages(questions: Sequence[Question]) -> dict[GoldSpan, tuple[str, int]]:
    """Gold span -> (document, start) of its passage: the union of overlapping gold spans."""
    passages: dict[GoldSpan, tuple[str, int]] = {}
    document, start, end = "", 0, 0
    spans = {span for question in questions for span in question.gold}
    for span in sorted(spans, key=lambda item: (item.document, item.start)):
        if span.document != document or span.start >= end:
            document, start, end = span.document, span.start, span.end
        end = max(end, span.end)
        passages[span] = document, start
    return passages


def question_hash(question: Question) -> str:
    """Hex SHA-256 of the question's text: it identifies the question, and sorts questions in an arbitrary order."""
    return hashlib.sha256(question.question.encode()).hexdigest()
