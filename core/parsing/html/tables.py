"""HTML tables: their grid with merged cells repeated, and which of them only lay out a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.parsing.flow import TableCell, Words
from core.parsing.html.tree import Node

_SECTIONS = ("thead", "tbody", "tfoot")
_CELLS = frozenset({"td", "th"})
_PAGE_PARTS = frozenset("h1 h2 h3 h4 h5 h6 pre listing hr form fieldset figure dl section article nav".split())
_DATA_ROLES = frozenset({"table", "grid", "treegrid"})
_LONG_CELL = 700  # characters
_LONG_NEST = 600
_MOST_COLUMNS, _MOST_ROWS = 1000, 65_534  # HTML, section 4.9.11
_REPEATS_PER_CELL, _REPEATS_ALLOWED = 20, 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """A ``tr``. ``head``: it belongs to a ``thead``."""

    cells: tuple[Node, ...]
    head: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table's parts in the order a browser shows them."""

    captions: tuple[Node, ...]
    rows: tuple[Row, ...]


def table_of(node: Node) -> Table:
    """The parts of a ``table`` element as the tree has them: a caption, sections, rows in these, cells in those.

    Head rows come first and foot rows last, wherever they are written.
    """
    parts = [part for part in node.children if isinstance(part, Node)]
    rows = [
        Row(tuple(cell for cell in row.children if isinstance(cell, Node) and cell.tag in _CELLS), section == "thead")
        for section in _SECTIONS
        for part in parts
        if part.tag == section
        for row in part.children
        if isinstance(row, Node)
    ]
    return Table(tuple(part for part in parts if part.tag == "caption"), tuple(row for row in rows if row.cells))


def is_layout(node: Node, table: Table) -> bool:
    """Whether a table arranges a page rather than data: its cells are then read one after the other.

    A table that says what it is (a caption, a header cell, a role) is believed.
    """
    role = node.attributes.get("role", "")
    if role in ("presentation", "none"):
        return True
    cells = [cell for row in table.rows for cell in row.cells]
    if role in _DATA_ROLES or table.captions or any(row.head for row in table.rows):
        return False
    if any(cell.tag == "th" for cell in cells):
        return False
    if all(len(row.cells) == 1 for row in table.rows):
        return True
    found = [_content(cell) for cell in cells]
    if any(content.has_page_parts or content.characters > _LONG_CELL for content in found):
        return True
    return any(content.has_table for content in found) and sum(content.characters for content in found) > _LONG_NEST


@dataclass(frozen=True, slots=True)
class _Content:
    characters: int
    has_page_parts: bool
    has_table: bool


def _content(node: Node) -> _Content:
    """What is in a cell, counted only as far as the answer needs."""
    characters, parts, tables = 0, False, False
    waiting: list[Node | str] = [node]
    while waiting and not parts and characters <= _LONG_CELL:
        item = waiting.pop()
        if isinstance(item, str):
            characters += len(item.strip())
            continue
        parts = parts or item.tag in _PAGE_PARTS
        tables = tables or item.tag == "table"
        waiting.extend(item.children)
    return _Content(characters, parts, tables)


def header_rows(rows: Sequence[Row]) -> int:
    """How many rows at the top are headers: those of a ``thead``, else those of nothing but ``th``."""
    stated = sum(row.head for row in rows)
    if stated:
        return stated
    count = 0
    while count < len(rows) and all(cell.tag == "th" for cell in rows[count].cells):
        count += 1
    return count if count < len(rows) else min(1, count)


def grid(rows: Sequence[Row], words_of: Callable[[Node], Words]) -> tuple[tuple[TableCell, ...], ...]:
    """Cells by row and column. A merged cell stands in every place it covers; columns no cell begins in vanish.

    >>> wide = Row((Node("td", {"colspan": "2"}),), False)
    >>> pair = Row((Node("td", {}), Node("td", {})), False)
    >>> [len(row) for row in grid([wide, pair], lambda cell: Words("x"))], len(grid([wide], lambda cell: Words("x"))[0])
    ([2, 2], 1)
    """
    spans = [[_spans(cell, len(rows) - place) for cell in row.cells] for place, row in enumerate(rows)]
    cells = sum(map(len, spans))
    repeats = sum(across * down for row in spans for across, down in row)
    if repeats > _REPEATS_PER_CELL * cells + _REPEATS_ALLOWED:  # no honest table; without its spans it is still read
        spans = [[(1, 1)] * len(row) for row in spans]
    placed: list[dict[int, TableCell]] = [{} for _ in rows]
    begun: set[int] = set()
    for number, row in enumerate(rows):
        column = 0
        for node, (across, down) in zip(row.cells, spans[number], strict=True):
            while column in placed[number]:
                column += 1
            begun.add(column)
            cell = TableCell(words_of(node), header=row.head or node.tag == "th")
            for below in range(number, number + down):
                for beside in range(column, column + across):
                    placed[below].setdefault(beside, cell)
            column += across
    empty = TableCell(Words(""))
    columns = sorted(begun)
    return tuple(tuple(row.get(column, empty) for column in columns) for row in placed)


def _spans(cell: Node, rows_left: int) -> tuple[int, int]:
    across = min(_MOST_COLUMNS, max(1, _whole(cell.attributes.get("colspan", ""), 1)))
    down = min(_MOST_ROWS, _whole(cell.attributes.get("rowspan", ""), 1))
    return across, min(rows_left, down or rows_left)  # rowspan="0": to the table's end


def _whole(text: str, otherwise: int) -> int:
    found = re.match(r"\s*\+?(\d{1,9})", text)
    return int(found[1]) if found else otherwise
