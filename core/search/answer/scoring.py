"""How well each candidate answers: signals of the search, of words and meaning, and of a reader's short answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.search.answer.asking import asked_thing, holds
from core.search.answer.candidates import Quotable
from core.text.analysis import analyse
from core.types import Span

LINES = 12  # that are read, each by itself: what a reader costs grows with them
AROUND = 300  # characters before and behind the best line that are read with it


class Marked(Protocol):
    """A stretch of text a reader marks. ``score``: log-odds against there being no answer."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def score(self) -> float: ...


class Marks(Protocol):
    """What a reader saw in one text. ``worth``: the raw score of how well all of it answers."""

    @property
    def worth(self) -> float: ...

    def best(self, start: int = 0, end: int | None = None) -> Marked | None:
        """The likeliest answer within the characters ``[start, end)``; ``None`` where nothing was read."""


# Reads texts for a question; the third argument is what stands above each.
Reader = Callable[[str, Sequence[str], Sequence[str]], Sequence[Marks]]


@dataclass(frozen=True, slots=True)
class Mark:
    """``score``: log-odds that the short answer at ``span`` of the document is one. ``worth``: the raw score of how
    well the line it stands in answers.
    """

    score: float
    span: Span
    worth: float = 0.0


def scaled(score: float) -> float:
    """A score from 0 at -10 or less to 1 at 10 or more.

    >>> scaled(5.0), scaled(-99.0)
    (0.75, 0.0)
    """
    return (min(max(score, -10.0), 10.0) + 10) / 20


def marks_of(
    question: str, candidates: Sequence[Quotable], promise: NDArray[np.float64], read: Reader | None
) -> list[Mark | None]:
    """For each candidate what the reader marks in it; ``None`` where it was not read, or nothing reads.

    ``promise``: ``(len(candidates),)``, what else speaks for each. The most promising ones that can be quoted are read,
    each by itself below its title and headings: beside its neighbours a line is worth what they are.
    """
    found: list[Mark | None] = [None] * len(candidates)
    order = [at for at in np.argsort(-promise, kind="stable").tolist() if candidates[at].whole][:LINES]
    if read is None or not order:
        return found
    lines = [candidates[at] for at in order]
    seen = read(question, [_read(line) for line in lines], [_above(line) for line in lines])
    for at, line, marks in zip(order, lines, seen, strict=True):
        best = marks.best()
        if best is None:
            continue
        if line.row is not None:
            cell = line.row.cell_at(best.start)
            span = Span(cell.start, cell.end)
        else:
            span = Span(line.span.start + best.start, line.span.start + best.end)
        found[at] = Mark(best.score, span, marks.worth)
    return found


def mark_amid(
    question: str,
    candidates: Sequence[Quotable],
    marks: Sequence[Mark | None],
    best: int | None,
    read: Reader | None,
) -> Mark | None:
    """What the reader marks in the best candidate where it reads it amid what stands around it, whose ``worth`` the
    mark has; ``None`` where there is none, or nothing reads.

    ``marks``: of each candidate by itself. That of a row stands: other rows around it say nothing of its headers.
    """
    if read is None or best is None or candidates[best].row is not None:
        return None if best is None else marks[best]
    line, passage = candidates[best], candidates[best].passage
    within = Span(max(line.span.start - AROUND, 0), line.span.end + AROUND)
    spans = [one.span for one in candidates if one.passage is passage and within.contains(one.span)]
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    text = passage.text[start - passage.start : end - passage.start]
    (seen,) = read(question, [text], [_above(line)])
    found = seen.best(line.span.start - start, line.span.end - start)
    return None if found is None else Mark(found.score, Span(start + found.start, start + found.end), seen.worth)


def _read(line: Quotable) -> str:
    """A row in words with its headers, anything else as it stands, so that marks lie where the document has them."""
    return line.text if line.row is None else line.reading


def _above(line: Quotable) -> str:
    return " › ".join(dict.fromkeys(filter(None, [line.passage.document, *line.under.split(" › ")[-2:]])))


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a candidate, each in [0, 1] and 0 where it is not known. As weights: what one of each counts.

    ``rank``: 1 / the rank of the retrieved child it stands in. ``meaning``: cosine to the question. ``near``: share of
    the question's words that it holds with the headings it stands below, those counting more that are rare and that few
    candidates hold; ``around``: that its passage, title and headings hold, rare ones counting more. ``kind``: it holds
    the kind of thing that is asked for, a number, a date, a name, a default, a symbol; ``fits``: what the reader marks
    in it does. ``prose``: words make it up. ``marked``: the log-odds the reader gives what it marks, from 0 at -10 or
    less to 1 at 10 or more; ``worth``: the re-ranker's score of what was read, in the same way.
    """

    rank: float = 0.0
    meaning: float = 0.0
    near: float = 0.0
    around: float = 0.0
    kind: float = 0.0
    fits: float = 0.0
    prose: float = 0.0
    marked: float = 0.0
    worth: float = 0.0


def signals(
    question: str,
    candidates: Sequence[Quotable],
    meaning: NDArray[np.float64],
    rarity: Mapping[str, float],
    intent: str = "",
) -> list[Signals]:
    """The signals of every candidate, without those of a reader.

    ``meaning``: ``(len(candidates),)`` cosines to the question. ``rarity``: what each token of the question weighs; one
    that is not there weighs 1. ``intent``: "procedure", "comparison", "number" or "" as question analysis
    has it.
    """
    wanted = {token: rarity.get(token, 1.0) for token in analyse(question)}
    total = sum(wanted.values()) or 1.0
    asked = asked_thing(question, intent)
    close = np.clip(meaning, 0.0, 1.0)
    held = [wanted.keys() & frozenset(analyse(f"{item.under} {item.reading}")) for item in candidates]
    telling = _telling(wanted, held)
    around: dict[int, float] = {}
    found: list[Signals] = []
    for place, item in enumerate(candidates):
        passage = item.passage
        if id(passage) not in around:
            whole = frozenset(analyse(" ".join([passage.document, *passage.headings, passage.text])))
            around[id(passage)] = sum(wanted[token] for token in wanted.keys() & whole) / total
        found.append(
            Signals(
                rank=1 / item.standing if item.standing else 0.0,
                meaning=float(close[place]),
                near=sum(telling[token] for token in held[place]),
                around=around[id(passage)],
                kind=float(holds(item.reading, asked)),
                prose=float(item.prose),
            )
        )
    return found


def _telling(wanted: Mapping[str, float], held: Sequence[Set[str]]) -> dict[str, float]:
    """How well each token tells the candidates apart, 1 in all: by its rarity, and by how few of them hold it.

    >>> _telling({"width": 2.0, "textwrap": 9.0}, [{"textwrap"}, {"textwrap"}, {"textwrap", "width"}])["width"] > 0.5
    True
    """
    counts = {token: sum(token in tokens for tokens in held) for token in wanted}
    weights = {
        token: weight * math.log(1 + (len(held) - counts[token] + 0.5) / (counts[token] + 0.5))
        for token, weight in wanted.items()
        if counts[token]
    }
    total = sum(weights.values()) or 1.0
    return {token: weight / total for token, weight in weights.items()}


def with_marks(
    question: str, candidates: Sequence[Quotable], found: Sequence[Signals], marks: Sequence[Mark | None], intent: str
) -> list[Signals]:
    """The signals with those of a reader. ``marks``: what it marks in each, ``None`` in what it did not read."""
    asked = asked_thing(question, intent)
    return [
        one
        if mark is None
        else replace(
            one,
            fits=float(holds(_marked(item, mark), asked)),
            marked=scaled(mark.score),
            worth=scaled(mark.worth),
        )
        for item, one, mark in zip(candidates, found, marks, strict=True)
    ]


# By ``benchmarks/answer_weights.py`` over code, covidqa, held-out articles of SQuAD and questions of Natural Questions;
# ``kind``, ``fits`` and ``prose``, which these sets hardly ask for, and the rounding by sets a and c of
# ``benchmarks/hour`` too. Fitted to the re-ranker before; fitted anew to this one they hardly differ, so they stand.
# The best line lies on gold for 66 % of code, 70 % of covidqa, 88 % of SQuAD and 66 % of Natural Questions (120 each).
WEIGHTS = Signals(rank=1.5, meaning=1.6, near=0.6, around=0.8, kind=1.8, fits=0.5, prose=0.4, marked=4.4, worth=3.0)
BIAS = -8.4


def scores(found: Sequence[Signals], weights: Signals = WEIGHTS) -> NDArray[np.float64]:
    """``(len(found),)``, higher is better."""
    names = [field.name for field in fields(Signals)]
    table = np.array([[getattr(one, name) for name in names] for one in found]).reshape(len(found), len(names))
    return np.asarray(table @ np.array([getattr(weights, name) for name in names]) + BIAS)


def _marked(item: Quotable, mark: Mark) -> str:
    """What is marked in a candidate, and the word behind it."""
    start = mark.span.start - item.passage.start
    return item.passage.text[start : mark.span.end - item.passage.start + 12]
