"""What the reader marks among the candidates: the short answer in each, and how much speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.search.answer.candidates import Quotable
from core.types import Passage, Span

# So many retrieved children and table rows are read: what a reader costs grows with them.
CHILDREN = 6
ROWS = 6
LONGEST = 700  # characters of what is read at once


class Marked(Protocol):
    """A stretch of text a reader marks. ``score``: log-odds against there being no answer."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def score(self) -> float: ...


class Marks(Protocol):
    """What a reader saw in one text."""

    def best(self, start: int = 0, end: int | None = None) -> Marked | None:
        """The likeliest answer within the characters ``[start, end)``; ``None`` where nothing was read."""


# Reads texts for a question; the third argument is what stands above each.
Reader = Callable[[str, Sequence[str], Sequence[str]], Sequence[Marks]]


@dataclass(frozen=True, slots=True)
class Mark:
    """``score``: log-odds that the short answer at ``span`` of the document is one."""

    score: float
    span: Span


def scaled(mark: Mark) -> float:
    """A mark's log-odds from 0 at -10 or less to 1 at 10 or more.

    >>> scaled(Mark(5.0, Span(0, 1))), scaled(Mark(-99.0, Span(0, 1)))
    (0.75, 0.0)
    """
    return (min(max(mark.score, -10.0), 10.0) + 10) / 20


def marks_of(
    question: str, candidates: Sequence[Quotable], promise: NDArray[np.float64], read: Reader | None
) -> list[Mark | None]:
    """For each candidate what the reader marks in it; ``None`` where it was not read, or nothing reads.

    ``promise``: ``(len(candidates),)``, what else speaks for each. Read are the retrieved children that hold the most
    promising candidates, each with the whole ones that reach into it, and the most promising rows of tables, each in
    words with its headers.
    """
    found: list[Mark | None] = [None] * len(candidates)
    if read is None or not candidates:
        return found
    order = np.argsort(-promise, kind="stable").tolist()
    pieces = _children(candidates, order)
    rows = [at for at in order if candidates[at].row is not None][:ROWS]
    texts = [
        *(passage.text[span.start - passage.start : span.end - passage.start] for passage, span, _ in pieces),
        *(candidates[at].reading for at in rows),
    ]
    above = [_above(passage) for passage, *_ in pieces] + [_above(candidates[at].passage) for at in rows]
    seen = read(question, texts, above)
    for (_, piece, members), marks in zip(pieces, seen, strict=False):
        for at in members:
            span = candidates[at].span
            best = marks.best(span.start - piece.start, span.end - piece.start)
            if best is not None and found[at] is None:
                found[at] = Mark(best.score, Span(piece.start + best.start, piece.start + best.end))
    for at, marks in zip(rows, seen[len(pieces) :], strict=True):
        row, best = candidates[at].row, marks.best()
        if row is not None and best is not None:
            cell = row.cell_at(best.start)
            found[at] = Mark(best.score, Span(cell.start, cell.end))
    return found


def _children(candidates: Sequence[Quotable], order: Sequence[int]) -> list[tuple[Passage, Span, list[int]]]:
    """The children of the first candidates in ``order`` as pieces to read, and the places of the candidates in each."""
    ranks = (candidates[at].standing for at in order if candidates[at].standing and candidates[at].row is None)
    pieces: list[tuple[Passage, Span, list[int]]] = []
    for rank in list(dict.fromkeys(ranks))[:CHILDREN]:
        members = [at for at, item in enumerate(candidates) if item.standing == rank and item.row is None]
        passage = candidates[members[0]].passage
        members = [at for at in members if candidates[at].passage is passage]
        start = min(candidates[at].span.start for at in members)
        end = min(max(candidates[at].span.end for at in members), start + LONGEST)
        pieces.append((passage, Span(start, end), [at for at in members if candidates[at].span.start < end]))
    return pieces


def _above(passage: Passage) -> str:
    return " › ".join(dict.fromkeys([passage.document, *passage.headings[-2:]]))
