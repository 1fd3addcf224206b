"""HTML tables: their grid with merged cells repeated, their header, and which of them only lay out a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.parsing.flow import TableCell, Words
from core.parsing.html.tree import Node, plain_text
from core.parsing.inline import joined
from core.parsing.table_header import SAMPLE_ROWS, Merge, features_of
from core.parsing.table_header import header_rows as guessed_header_rows

_SECTIONS = ("thead", "tbody", "tfoot")
_CELLS = frozenset({"td", "th"})
_PAGE_PARTS = frozenset("h1 h2 h3 h4 h5 h6 pre listing hr form fieldset figure dl section article nav".split())
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_DATA_ROLES = frozenset({"table", "grid", "treegrid"})
_LONG_CELL = 700  # characters
_LONG_NEST = 600
_LONGEST_LINE = 300  # characters
_MOST_COLUMNS, _MOST_ROWS = 1000, 65_534  # HTML, section 4.9.11
_PREFIX, _SUFFIX = re.compile(r"[$€£¥₹(]|US\$"), re.compile(r"\)?\s*[%‰]|[)€†‡]|\*{1,3}|pts")
_EMPTY = TableCell(Words(""))
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
    found = [_content(cell, len(row.cells) > 1) for row in table.rows for cell in row.cells]
    if any(content.has_page_parts or content.characters > _LONG_CELL for content in found):
        return True
    return any(content.has_table for content in found) and sum(content.characters for content in found) > _LONG_NEST


@dataclass(frozen=True, slots=True)
class _Content:
    characters: int
    has_page_parts: bool
    has_table: bool


def _content(node: Node, is_beside: bool) -> _Content:
    """What is in a cell, counted only as far as the answer needs.

    ``is_beside``: others stand in its row; a heading that is all of such a cell is how its words are set.
    """
    characters, parts, tables = 0, False, False
    waiting: list[Node | str] = [node]
    inner = [child for child in node.children if isinstance(child, Node) or child.strip()]
    if is_beside and len(inner) == 1 and isinstance(inner[0], Node) and inner[0].tag in _HEADINGS:
        waiting = list(inner[0].children)
    while waiting and not parts and characters <= _LONG_CELL:
        item = waiting.pop()
        if isinstance(item, str):
            characters += len(item.strip())
            continue
        parts = parts or item.tag in _PAGE_PARTS
        tables = tables or item.tag == "table"
        waiting.extend(item.children)
    return _Content(characters, parts, tables)


Grid = tuple[tuple[TableCell, ...], ...]


def header_rows(rows: Sequence[Row], laid: Grid) -> int:
    """How many rows at the top are headers: those of a ``thead``, those of nothing but ``th``, or, in a table that
    states none, those that look other than the rows under them. ``laid``: the rows as ``grid`` lays them out.
    """
    stated = sum(row.head for row in rows)
    if stated:
        return stated
    count = 0
    while count < len(rows) and all(cell.tag == "th" for cell in rows[count].cells):
        count += 1
    if count or any(cell.tag == "th" for row in rows for cell in row.cells):
        return count if count < len(rows) else min(1, count)
    filled = [place for place, row in enumerate(laid) if any(cell.words.text.strip() for cell in row)][:SAMPLE_ROWS]
    top = [laid[place] for place in filled]
    lines = [[features_of(cell.words.text) for cell in row] for row in top]
    guessed = guessed_header_rows(lines, _merges(top), words_over_words=False)
    return filled[guessed - 1] + 1 if guessed else 0


def _merges(laid: Sequence[Sequence[TableCell]]) -> list[Merge]:
    """The cells that stand in several columns of a row."""
    found: list[Merge] = []
    for place, line in enumerate(laid):
        for left, cell in enumerate(line):
            right = left
            while right + 1 < len(line) and line[right + 1] is cell:
                right += 1
            if cell.words.text.strip() and right > left and (not left or line[left - 1] is not cell):
                found.append(Merge(place, left, place, right))
    return found


def is_line_of_cells(cells: Sequence[Node]) -> bool:
    """Whether a row of a table that lays out a page is one line: short words in each cell, and no block."""
    return (
        len(cells) > 1
        and sum(len(plain_text(cell)) for cell in cells) <= _LONGEST_LINE
        and not any(_holds_block(cell) for cell in cells)
    )


def _holds_block(node: Node) -> bool:
    return any(
        isinstance(child, Node) and (child.tag not in ("a", "br", "img") or _holds_block(child))
        for child in node.children
    )


def grid(rows: Sequence[Row], words_of: Callable[[Node], Words]) -> Grid:
    """Cells by row and column. A merged cell stands in every place it covers, in a row of data that it is all of once.

    Columns that no cell begins in vanish, and so do those that only space a page out: empty ones, parts of merged
    cells, and a "$" or "%" in a cell of its own, which joins its number.

    >>> wide = Row((Node("td", {"colspan": "2"}),), False)
    >>> pair = Row((Node("td", {}), Node("td", {})), False)
    >>> named = iter("abc")
    >>> [[cell.words.text for cell in row] for row in grid([wide, pair], lambda cell: Words(next(named)))]
    [['a', ''], ['b', 'c']]
    >>> signed = iter("x$5y$7")
    >>> row = Row((Node("td", {}), Node("td", {}), Node("td", {})), False)
    >>> [[cell.words.text for cell in row] for row in grid([row, row], lambda cell: Words(next(signed)))]
    [['x', '$5'], ['y', '$7']]
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
    columns = sorted(begun)
    return _folded([[row.get(column, _EMPTY) for column in columns] for row in placed])


def _folded(laid: list[list[TableCell]]) -> Grid:
    """The grid without columns that only space it out, and with cells that cover a row of data once."""
    columns: list[list[TableCell]] = []
    for column in map(list, zip(*laid, strict=True)):
        if columns and (_joins(column, columns[-1], _SUFFIX) or _joins(columns[-1], column, _PREFIX)):
            columns[-1] = list(map(_together, columns[-1], column))
        else:
            columns.append(column)
    return tuple((row[0], *[_EMPTY] * (len(row) - 1)) if _covers(row) else row for row in zip(*columns, strict=True))


def _covers(row: Sequence[TableCell]) -> bool:
    """Whether one cell is all of a row of data; as a header it names every column."""
    return len(row) > 1 and not row[0].header and all(cell is row[0] for cell in row)


def _joins(column: Sequence[TableCell], beside: Sequence[TableCell], signs: re.Pattern[str]) -> bool:
    """Whether a column says nothing of its own: its cells are those of the column beside it, empty, or a sign of what
    stands there.
    """
    return all(
        cell is other
        or not (text := cell.words.text.strip())
        or (other.words.text.strip() != "" and signs.fullmatch(text) is not None)
        for cell, other in zip(column, beside, strict=True)
    )


def _together(left: TableCell, right: TableCell) -> TableCell:
    if left is right or not right.words.text.strip():
        return left
    if not left.words.text.strip():
        return right
    return TableCell(joined([left.words, right.words], ""), header=left.header and right.header)


def _spans(cell: Node, rows_left: int) -> tuple[int, int]:
    across = min(_MOST_COLUMNS, max(1, _whole(cell.attributes.get("colspan", ""), 1)))
    down = min(_MOST_ROWS, _whole(cell.attributes.get("rowspan", ""), 1))
    return across, min(rows_left, down or rows_left)  # rowspan="0": to the table's end


def _whole(text: str, otherwise: int) -> int:
    found = re.match(r"\s*\+?(\d{1,9})", text)
    return int(found[1]) if found else otherwise
