"""Tables compared cell by cell: the share of the expected non-empty cells that stand at their row and column.

Blank rows and columns are taken out of both sides first, and merged cells stand in every place they cover, on both
sides. A table may stand somewhere inside a larger one (two tables were read as one): then all its cells are shifted
alike. It may be spread over several (one was read as two): rows of which nothing was found yet may be found in another
table or at another shift, where at least half of the row agrees. No cell of the document serves twice. A cell agrees by
its text or by the value it types (what shows as "5 %" may be expected as 0.05). An expected table of one cell is no
table: its words count as words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from core.parsing.audit.word_audit import words_of
from core.types import BlockKind, Cell, Document

Place = tuple[int, int]  # row and column
Grid = Mapping[Place, str]
Cells = Mapping[Place, frozenset[str]]  # what each cell may be called
_MOST_PLACES = 64  # places of one text in a table
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TARGET = re.compile(r"\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_MARKS = re.compile(r"[|*_~`#\[\]!\\]")
_ENTITIES = {"&#124;": "|", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&nbsp;": " ", "&amp;": "&"}
_RULE_CELL = re.compile(r":?-+:?")
_UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")


def plain_words(markdown: str) -> list[str]:
    """The words of a text, Markdown's marks, comments and links' targets aside.

    >>> plain_words("## The *last* [word](https://example.org/a) <!-- image --> a_b, 1 &lt; 2")
    ['the', 'last', 'word', 'a', 'b', '1', '2']
    """
    text = _TARGET.sub("] ", _COMMENT.sub(" ", markdown))
    for written, meant in _ENTITIES.items():
        text = text.replace(written, meant)
    return words_of(_MARKS.sub(" ", text))


def markdown_tables(markdown: str) -> list[Grid]:
    """The pipe tables of a Markdown text: every non-empty cell's words by row and column; without tables of one cell.

    >>> markdown_tables("| Year | Sum |\\n| - | - |\\n| 2024 | 1 \\\\| 2 |\\n|  |  |\\n| x |  |")
    [{(0, 0): 'year', (0, 1): 'sum', (1, 0): '2024', (1, 1): '1 2', (2, 0): 'x'}]
    """
    lines = [line.strip() for line in markdown.split("\n")]
    tables: list[Grid] = []
    for inside, group in groupby(lines, key=lambda line: line.startswith("|")):
        rows = [_cells(line) for line in group] if inside else []
        if len(rows) > 1 and all(_RULE_CELL.fullmatch(cell) for cell in rows[1]):
            del rows[1]
            tables.append(_grid({(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}))
    return [table for table in tables if len(table) > 1]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _UNESCAPED_PIPE.split(line.removeprefix("|").removesuffix("|"))]


def document_tables(document: Document) -> list[Cells]:
    """The tables of a document in the same form; a cell is called by its text and by its value."""
    tables: list[Cells] = []
    for block in document.blocks:
        if block.kind is BlockKind.TABLE:
            names = {(cell.row, cell.column): _names(document, cell) for cell in block.cells if cell.start < cell.end}
            tables.append({place: names[old] for place, old in _closed(names).items()})
    return tables


def _names(document: Document, cell: Cell) -> frozenset[str]:
    value = f"{cell.value:.15g}" if isinstance(cell.value, int | float) else str(cell.value or "")
    return frozenset(filter(None, (_said(document.text[cell.start : cell.end]), _said(value))))


def _grid(cells: Mapping[Place, str]) -> Grid:
    """Cells that say something, blank rows and columns taken out. A cell of signs alone counts by its signs."""
    said = {place: text for place, written in cells.items() if (text := _said(written))}
    return {place: said[old] for place, old in _closed(said).items()}


def _said(text: str) -> str:
    return " ".join(plain_words(text)) or text.strip()


def _closed(places: Iterable[Place]) -> dict[Place, Place]:
    """Places without blank rows and columns between them, and which each one was.

    >>> _closed([(0, 1), (4, 1), (4, 7)])
    {(0, 0): (0, 1), (1, 0): (4, 1), (1, 1): (4, 7)}
    """
    old = list(places)
    rows = {row: number for number, row in enumerate(sorted({row for row, _ in old}))}
    columns = {column: number for number, column in enumerate(sorted({column for _, column in old}))}
    return {(rows[row], columns[column]): (row, column) for row, column in old}


def matched_cells(expected: Sequence[Grid], found: Sequence[Cells]) -> int:
    """How many of the expected cells stand where they should; the rules are those at the top of this file.

    >>> name = lambda grid: {place: frozenset({text}) for place, text in grid.items()}
    >>> whole = {(0, 0): "a", (0, 1): "b", (1, 0): "1", (1, 1): "2"}
    >>> matched_cells([whole], [name({(0, 0): "title", (1, 0): "a", (1, 1): "b", (2, 0): "1", (2, 1): "3"})])
    3
    """
    free = [dict(cells) for cells in found]
    matched = 0
    for grid in sorted(expected, key=len, reverse=True):  # the large ones first: a small one fits in many places
        rows: defaultdict[int, dict[int, str]] = defaultdict(dict)
        for (row, column), text in grid.items():
            rows[row][column] = text
        whole = True
        while rows and (best := _best_shift(rows, free)):
            taken = _agreeing(rows, free[best[0]], *best[1:])
            if not whole:
                taken = {row: columns for row, columns in taken.items() if 2 * len(columns) >= len(rows[row])}
            if not taken:
                break
            for row, columns in taken.items():
                matched += len(columns)
                for column in columns:
                    del free[best[0]][row + best[1], column + best[2]]
                del rows[row]
            whole = False
    return matched


def _agreeing(rows: Mapping[int, Mapping[int, str]], cells: Cells, down: int, across: int) -> dict[int, list[int]]:
    """The columns of each row that agree with the cells so far down and across; rows without any are absent."""
    agreeing = {
        row: [column for column, text in said.items() if text in cells.get((row + down, column + across), ())]
        for row, said in rows.items()
    }
    return {row: columns for row, columns in agreeing.items() if columns}


def _best_shift(rows: Mapping[int, Mapping[int, str]], free: Sequence[Cells]) -> tuple[int, int, int] | None:
    """The table and the shift at which most cells agree; ``None`` where none does. The least shift wins a tie.

    Cells that repeat many times would cost the product of their numbers and tell nothing: they vote for no shift but 0.
    """
    votes: Counter[tuple[int, int, int]] = Counter()
    for table, cells in enumerate(free):
        places: defaultdict[str, list[Place]] = defaultdict(list)
        for place, names in cells.items():
            for name in names:
                places[name].append(place)
        for row, said in rows.items():
            for column, text in said.items():
                if len(where := places.get(text, ())) <= _MOST_PLACES:
                    votes.update((table, r - row, c - column) for r, c in where)
                elif text in cells.get((row, column), ()):
                    votes[table, 0, 0] += 1
    return min(votes, key=lambda vote: (-votes[vote], abs(vote[1]) + abs(vote[2]), vote), default=None)
