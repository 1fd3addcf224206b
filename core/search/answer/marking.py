"""What the reader marks among the candidates: the short answer in each, and how much speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.search.answer.candidates import Quotable
from core.text.analysis import analyse
from core.types import Hit, Passage, Span

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
    question: str, candidates: Sequence[Quotable], hits: Sequence[Hit], read: Reader | None
) -> list[Mark | None]:
    """For each candidate what the reader marks in it; ``None`` where it was not read, or nothing reads.

    Read are the best retrieved children, each with the whole candidates that reach into it, and the rows of tables that
    share most words with the question, each in words with its headers.
    """
    found: list[Mark | None] = [None] * len(candidates)
    if read is None or not candidates:
        return found
    pieces = _children(candidates, hits)
    rows = _rows(question, candidates)
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


def _children(candidates: Sequence[Quotable], hits: Sequence[Hit]) -> list[tuple[Passage, Span, list[int]]]:
    """The best children as pieces to read, and the places of the candidates in each."""
    pieces: list[tuple[Passage, Span, list[int]]] = []
    for rank in range(1, min(CHILDREN, len(hits)) + 1):
        members = [at for at, item in enumerate(candidates) if item.standing == rank and item.row is None]
        if not members:
            continue
        passage = candidates[members[0]].passage
        members = [at for at in members if candidates[at].passage is passage]
        start = min(candidates[at].span.start for at in members)
        end = min(max(candidates[at].span.end for at in members), start + LONGEST)
        pieces.append((passage, Span(start, end), [at for at in members if candidates[at].span.start < end]))
    return pieces


def _rows(question: str, candidates: Sequence[Quotable]) -> list[int]:
    """The places of the rows that share most words with the question, the more relevant first among equals."""
    wanted = frozenset(analyse(question))
    shared = {
        at: len(wanted & frozenset(analyse(item.reading))) for at, item in enumerate(candidates) if item.row is not None
    }
    return sorted((at for at in shared if shared[at]), key=lambda at: (-shared[at], at))[:ROWS]


def _above(passage: Passage) -> str:
    return " › ".join(dict.fromkeys([passage.document, *passage.headings[-2:]]))
