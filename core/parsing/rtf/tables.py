"""Tables of RTF: cells know their edges on the page, from which columns and merged cells follow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.parsing.flow import Piece, TableCell, Words
from core.types import BlockKind

_SAME_EDGE = 40  # twips (2 points): edges closer than that are one
_MOST_PLACES_PER_CELL, _PLACES_ALLOWED = 30, 20_000


@dataclass(slots=True)
class RowShape:
    """A row's definition as its control words build it: right edges in twips, and which cells go on from others."""

    left: int = 0
    edges: list[int] = field(default_factory=list)
    joins_left: list[bool] = field(default_factory=list)
    joins_above: list[bool] = field(default_factory=list)
    is_head: bool = False
    _left_next: bool = False
    _above_next: bool = False

    def note(self, word: bytes, number: int | None) -> None:
        """Take in one control word of the definition."""
        if word == b"clmrg":
            self._left_next = True
        elif word == b"clvmrg":
            self._above_next = True
        elif word == b"trhdr":
            self.is_head = True
        elif word == b"trleft":
            self.left = number or 0
        elif word == b"cellx":
            self.edges.append(number or 0)
            self.joins_left.append(self._left_next)
            self.joins_above.append(self._above_next)
            self._left_next = self._above_next = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row's words by cell, and its definition."""

    cells: tuple[Words, ...]
    shape: RowShape


def table_piece(rows: Sequence[Row]) -> Piece:
    """Consecutive rows as a table. A merged cell stands in every place it covers.

    >>> wide = Row((Words("both"),), RowShape(edges=[200], joins_left=[False], joins_above=[False]))
    >>> no = [False, False]
    >>> pair = Row((Words("a"), Words("b")), RowShape(edges=[100, 200], joins_left=no, joins_above=no))
    >>> [[cell.words.text for cell in row] for row in table_piece([wide, pair]).rows]
    [['both', 'both'], ['a', 'b']]
    """
    edges = _edges(rows)
    if len(edges) * len(rows) > _MOST_PLACES_PER_CELL * sum(len(row.cells) for row in rows) + _PLACES_ALLOWED:
        plain = tuple(tuple(TableCell(words, header=row.shape.is_head) for words in row.cells) for row in rows)
        return Piece(BlockKind.TABLE, rows=plain, header_rows=_heads(rows))
    placed: list[tuple[TableCell, ...]] = []
    for row in rows:
        placed.append(_placed(row, edges, placed[-1] if placed else ()))
    return Piece(BlockKind.TABLE, rows=tuple(placed), header_rows=_heads(rows))


def _heads(rows: Sequence[Row]) -> int:
    return next((place for place, row in enumerate(rows) if not row.shape.is_head), len(rows))


def _edges(rows: Sequence[Row]) -> list[int]:
    """The right edges of all columns; those that lie closely together are one."""
    found: list[int] = []
    for edge in sorted({edge for row in rows for edge in row.shape.edges[: len(row.cells)]}):
        if not found or edge - found[-1] > _SAME_EDGE:
            found.append(edge)
    return found


def _placed(row: Row, edges: Sequence[int], above: Sequence[TableCell]) -> tuple[TableCell, ...]:
    places: list[TableCell] = []
    shape = row.shape
    for number, words in enumerate(row.cells):
        cell = TableCell(words, header=shape.is_head)
        if number < len(shape.edges):
            until = bisect_left(edges, shape.edges[number] - _SAME_EDGE) + 1
            if shape.joins_left[number] and places and not words.text.strip():
                cell = places[-1]
            width = max(1, until - len(places))
            if shape.joins_above[number] and not words.text.strip():
                places += above[len(places) : len(places) + width]
                continue
        else:
            width = 1
        places += [cell] * width
    return tuple(places)
