"""What an answer is worth: judged by accepted short answers, not by offsets, so that it holds for any way of cutting.

Pure: nothing here knows a library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

PASSAGES = 3  # "found" looks at that many, best first
TOKEN = re.compile(r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)*|\w+")
BROKEN = re.compile(r"[\u00ad\ufffe\uffff]")  # what a text extracted from a PDF has where a word was parted


def tokens(text: str) -> str:
    """The words and numbers of a text, one blank around each: case, punctuation and thousands' commas aside.

    >>> tokens("Net sales: $1,234.50 (2024)")
    ' net sales 1234.50 2024 '
    """
    folded = BROKEN.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return " ".join(["", *(token.replace(",", "") for token in TOKEN.findall(folded)), ""])


def holds(text: str, answers: Sequence[str]) -> bool:
    """Whether one of the accepted answers stands in the text, as whole words.

    >>> holds("width (default: 70)", ["70"]), holds("1,700 rows", ["70"])
    (True, False)
    """
    inside = tokens(text)
    return any(tokens(answer) in inside for answer in answers)


@dataclass(frozen=True, slots=True)
class Question:
    """``document``: names of the files that answer, () where none does. ``kind``: what is asked for."""

    id: str
    text: str
    kind: str
    answers: tuple[str, ...]
    documents: tuple[str, ...]
    reworded: bool

    @property
    def answerable(self) -> bool:
        return bool(self.answers)

    @classmethod
    def read(cls, row: dict[str, Any]) -> Question:
        """A line of a file of questions. ``also``: other files that say the same."""
        named = (row["document"], *row.get("also", ()))
        documents = named if row["answerable"] else ()
        return cls(row["id"], row["question"], row["kind"], tuple(row["answers"]), documents, row["reworded"])


@dataclass(frozen=True, slots=True)
class Reply:
    """``passages``: file name and text, best first. ``lines``: quotes with what they are told of, best first, also
    where the threshold keeps them back: ``silent`` says so. ``probability``: as shown. ``milliseconds``: of it all.
    """

    passages: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    silent: bool
    probability: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """``found``: an accepted answer stands in one of the first three passages, and that is of a file that answers.

    ``right``: it stands in the first line, were it shown. ``any_right``: in any line. ``silent``: nothing was shown.
    """

    question: Question
    reply: Reply
    found: bool
    right: bool
    any_right: bool

    @property
    def silent(self) -> bool:
        return self.reply.silent


def judged(question: Question, reply: Reply) -> Outcome:
    """What came of a question."""
    found = any(
        name in question.documents and holds(text, question.answers) for name, text in reply.passages[:PASSAGES]
    )
    right = [holds(line, question.answers) for line in reply.lines]
    return Outcome(question, reply, found, any(right[:1]), any(right))


Figures = dict[str, float | None]


def share(outcomes: Sequence[Outcome], wanted: Callable[[Outcome], bool]) -> float | None:
    """Of the outcomes, which part is wanted; ``None`` of none."""
    return sum(map(wanted, outcomes)) / len(outcomes) if outcomes else None


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """The head figures, as shares. A line that was kept back is not right.

    ``first_of_found``, ``any_of_found``: first and any line right, of the questions whose passage was found.
    ``first``: of all answerable ones. ``silent``: nothing quoted, of all answerable ones; ``silent_of_found``: of those
    found. ``invented``: something quoted, of the unanswerable ones.
    """
    answerable = [outcome for outcome in outcomes if outcome.question.answerable]
    unanswerable = [outcome for outcome in outcomes if not outcome.question.answerable]
    found = [outcome for outcome in answerable if outcome.found]
    return {
        "answerable": len(answerable),
        "unanswerable": len(unanswerable),
        "found": share(answerable, lambda one: one.found),
        "first_of_found": share(found, lambda one: one.right and not one.silent),
        "any_of_found": share(found, lambda one: one.any_right and not one.silent),
        "first": share(answerable, lambda one: one.right and not one.silent),
        "silent": share(answerable, lambda one: one.silent),
        "silent_of_found": share(found, lambda one: one.silent),
        "invented": share(unanswerable, lambda one: not one.silent),
    }


def risk(outcomes: Sequence[Outcome]) -> list[tuple[float, float, float]]:
    """Coverage, risk and least probability when only the likeliest answers were shown, from few to all.

    Risk: the share of shown first lines that are wrong; any line to an unanswerable question is. Questions without a
    line are wrong too. Of equal probabilities none can be shown without the others: one point for all.

    >>> risk([])
    []
    """
    ordered = sorted(outcomes, key=lambda one: -one.reply.probability)
    points: list[tuple[float, float, float]] = []
    wrong = 0
    for shown, one in enumerate(ordered, 1):
        wrong += not one.right
        if shown == len(ordered) or ordered[shown].reply.probability < one.reply.probability:
            points.append((shown / len(ordered), wrong / shown, one.reply.probability))
    return points


def area(points: Sequence[tuple[float, float, float]]) -> float:
    """Below the curve of risk against coverage, as a staircase: the mean risk over coverages, 0 of no points.

    >>> area([(0.5, 0.0, 0.9), (1.0, 0.5, 0.1)])
    0.25
    """
    before = 0.0
    total = 0.0
    for coverage, wrong, _ in points:
        total += (coverage - before) * wrong
        before = coverage
    return total
