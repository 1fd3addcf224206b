"""Scores answers by accepted short answers instead of offsets, so that scores do not depend on the chunking.

Nothing here uses a library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

PASSAGES = 3  # the best passages that count for "found"
TOKEN = re.compile(r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)*|\w+")
BROKEN = re.compile(r"[\u00ad\ufffe\uffff]")  # marks of hyphenation in text extracted from a PDF


def tokens(text: str) -> str:
    """The words and numbers of a text between single blanks, casefolded, without punctuation and thousands' commas.

    >>> tokens("Net sales: $1,234.50 (2024)")
    ' net sales 1234.50 2024 '
    """
    folded = BROKEN.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return " ".join(["", *(token.replace(",", "") for token in TOKEN.findall(folded)), ""])


def holds(text: str, answers: Sequence[str]) -> bool:
    """Whether the text contains one of the accepted answers as whole words.

    >>> holds("width (default: 70)", ["70"]), holds("1,700 rows", ["70"])
    (True, False)
    """
    inside = tokens(text)
    return any(tokens(answer) in inside for answer in answers)


@dataclass(frozen=True, slots=True)
class Question:
    """A question. ``answers``, ``documents``: accepted answers and the names of files with one; () for none.

    ``kind``: what is asked for. ``reworded``: it is not in the text's words.
    """

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
        """A question from a row of the file of questions. Its "also": further files that contain the answer."""
        named = (row["document"], *row.get("also", ()))
        documents = named if row["answerable"] else ()
        return cls(row["id"], row["question"], row["kind"], tuple(row["answers"]), documents, row["reworded"])


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a question.

    ``passages``: file name and text, best first. ``lines``: quotes with their context, best first, even if the
    threshold holds them back (``silent``). ``probability``: of the answer, as shown. ``milliseconds``: of search and
    answer.
    """

    passages: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    silent: bool
    probability: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question's reply with its scores.

    ``found``: one of the first ``PASSAGES`` passages is of a file with the answer and contains an accepted answer.
    ``right``: the first line contains one, whether it is shown or not. ``any_right``: any line does. ``silent``:
    nothing is shown.
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
    """Score the reply to a question."""
    found = any(
        name in question.documents and holds(text, question.answers) for name, text in reply.passages[:PASSAGES]
    )
    right = [holds(line, question.answers) for line in reply.lines]
    return Outcome(question, reply, found, any(right[:1]), any(right))


Figures = dict[str, float | None]


def share(outcomes: Sequence[Outcome], wanted: Callable[[Outcome], bool]) -> float | None:
    """The share of outcomes for which ``wanted`` is true; ``None`` without outcomes."""
    return sum(map(wanted, outcomes)) / len(outcomes) if outcomes else None


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """The counts of questions and the main figures, as shares. A line below the threshold does not count as right.

    ``first_of_found``, ``any_of_found``: the first or any line is right, of the questions whose passage was found.
    ``first``: the first line is right, of all answerable questions. ``silent``: nothing is quoted, of all answerable
    questions; ``silent_of_found``: of those found. ``invented``: something is quoted, of the unanswerable questions.
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
    """The curve of risk against coverage: (coverage, risk, lowest probability shown), from few to all answers.

    Answers are shown in the order of their probability; equal probabilities give one point. Risk is the share of shown
    answers whose first line is wrong or missing; every answer to an unanswerable question is wrong.

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
    """The area under the curve of risk against coverage, as a step function; 0 without points.

    >>> area([(0.5, 0.0, 0.9), (1.0, 0.5, 0.1)])
    0.25
    """
    before = 0.0
    total = 0.0
    for coverage, wrong, _ in points:
        total += (coverage - before) * wrong
        before = coverage
    return total
