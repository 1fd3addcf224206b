"""Ruled tables of a page: grids of drawn lines, and tables with horizontal rules alone (as in papers).

Everything works on boxes: rules are thin vector boxes, words come with theirs. Nothing here needs the PDF library.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from core.parsing.pdf_columns import (
    Piece,
    Row,
    cell_text,
    header_rows,
    is_figure,
    phrases,
    placed,
    printed_lines,
    shared_gutters,
    table_of,
    unwrapped,
)
from core.parsing.pdf_lines import Box, Run, TableCells, around
from core.parsing.pdf_rules import TOUCH, Grid, Place, edges, grids, rules_of

Word = tuple[float, float, float, float, str]

_MAX_CELL_CHARACTERS = 800
_GAP = 0.6  # of a word's height, between columns that no rule parts
_CUT_SHARE = 0.04  # of a table's words, those that a column's edge may part
_SLOPE = 1.5  # times as high as wide: a word written upwards


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table and the box of the page it fills."""

    box: Box
    cells: TableCells


def find_tables(vectors: Iterable[Box], words: Sequence[Word]) -> list[FoundTable]:
    """Tables that drawn rules mark, from top to bottom; they do not overlap.

    ``vectors``: boxes of drawn paths. ``words``: (x0, y0, x1, y1, text) of the page's words.
    """
    across, down = rules_of(vectors)
    found: list[FoundTable] = []
    for grid in grids(across, down):
        inside = _between(words, grid.box)
        if not _overlaps(grid.box, found) and (cells := _filled(grid, inside)):
            found.append(FoundTable(grid.box, cells))
    for box, rules in _families(across):
        inside = _between(words, box)
        if not _overlaps(box, found) and (cells := _between_rules(inside, rules, across)):
            found.append(FoundTable(box, cells))
    return sorted(found, key=lambda table: (table.box[1], table.box[0]))


def _overlaps(box: Box, found: Sequence[FoundTable]) -> bool:
    return any(
        box[0] < table.box[2] and table.box[0] < box[2] and box[1] < table.box[3] and table.box[1] < box[3]
        for table in found
    )


def _between(words: Sequence[Word], box: Box) -> list[Piece]:
    """The words whose middles lie in the box, on a margin's breadth."""
    return [
        Piece(*word[:4], word[4], word[:4])
        for word in words
        if box[0] - 2 < (word[0] + word[2]) / 2 < box[2] + 2 and box[1] < (word[1] + word[3]) / 2 < box[3]
    ]


def _families(across: Sequence[Box]) -> list[tuple[Box, list[float]]]:
    """Stacks of three or more horizontal rules of one width: the box they span, and their heights."""
    families: dict[tuple[int, int], list[Box]] = {}
    for rule in across:
        key = next(
            (k for k in families if abs(k[0] - rule[0]) < 4 and abs(k[1] - rule[2]) < 4), (int(rule[0]), int(rule[2]))
        )
        families.setdefault(key, []).append(rule)
    found = []
    for rules in families.values():
        ys = edges(rule[1] for rule in rules)
        if len(ys) >= 3:
            found.append(((rules[0][0], ys[0], rules[0][2], ys[-1]), ys))
    return found


def _between_rules(words: Sequence[Piece], rules: Sequence[float], across: Sequence[Box]) -> TableCells | None:
    """A table whose rows horizontal rules group: columns from the gutters its body shares, rows from printed lines."""
    lines = printed_lines(words)
    if len(lines) < 3:
        return None
    gap = _GAP * sorted(word.height for word in words)[len(words) // 2]
    body = [line for line in lines if line[0].y0 > rules[1] - TOUCH]
    several = [line for line in body if len(phrases(line, gap)) > 1]
    gutters = shared_gutters(several if len(several) >= 2 else lines, gap)
    left, right = min(word.x0 for word in words), max(word.x1 for word in words)
    spans = [rule for rule in across if rule[2] - rule[0] < 0.8 * (right - left) and rules[0] < rule[1] < rules[-1]]
    rows = placed(lines, gutters, gap, spans)
    for row in rows:
        row.ruled = any(2 * row.y0 - row.y1 < rule < (row.y0 + row.y1) / 2 for rule in rules[1:-1])
    head = _with_one_header([row for row in rows if (row.y0 + row.y1) / 2 < rules[1]])
    rows = [*head, *unwrapped([row for row in rows if (row.y0 + row.y1) / 2 >= rules[1]])]
    columns = len(gutters) + 1
    if columns < 2 or len(rows) < 3 or sum(len(row.cells) > 1 for row in rows[1:]) < 0.7 * (len(rows) - 1):
        return None
    longest = max(len(row.text(column)) for row in rows for column in row.cells)
    filled = sum(len(row.cells) for row in rows)
    if longest > _MAX_CELL_CHARACTERS or filled < 0.4 * len(rows) * columns:
        return None
    table = table_of(rows, columns)
    return TableCells(table, len(head) if header_rows(table) and len(head) < len(rows) else 0)


def _with_one_header(head: Sequence[Row]) -> list[Row]:
    """The printed lines above the first rule as one row, unless some of their cells head several columns."""
    if len(head) < 2 or any(_spreads(row) for row in head):
        return list(head)
    first = head[0]
    for row in head[1:]:
        for column, pieces in row.cells.items():
            first.cells.setdefault(column, []).extend(pieces)
    return [first]


def _spreads(row: Row) -> bool:
    pieces = [id(piece) for cell in row.cells.values() for piece in cell]
    return len(set(pieces)) < len(pieces)


def _filled(grid: Grid, words: Sequence[Piece]) -> TableCells | None:
    """Words put into their cells; ``None`` when it is no table (a chart, a form's frame, a boxed text)."""
    parts = [part for word in words for part in _cut(word, _edges_beside(grid, word)) if part.text]
    if len(parts) - len(words) > max(1, _CUT_SHARE * len(words)):  # its rules run through the words
        return None
    cells = _cells(grid, parts)
    used_rows = sorted({row for row, _ in cells})
    used_columns = sorted({column for _, column in cells})
    if len(used_columns) < 2 or any(_is_set_in_columns(pieces) for pieces in cells.values()):
        return None
    bands = [
        (row, band)
        for row in used_rows
        for band in _bands({column: cells[row, column] for column in used_columns if (row, column) in cells})
    ]
    table = [tuple(_run(band.get(column, []), grid, (row, column)) for column in used_columns) for row, band in bands]
    filled = [run.text for row in table for run in row if run.text]
    owners = {grid.merged[place] for place in cells}
    if len(table) < 2 or len(owners) < 0.4 * len({grid.merged[r, c] for r in used_rows for c in used_columns}):
        return None
    full_rows = sum(len({grid.merged[row, column] for column in band}) >= 2 for row, band in bands)
    if full_rows < 2 or max(map(len, filled)) > _MAX_CELL_CHARACTERS:
        return None
    return TableCells(tuple(table), header_rows(table))


def _cells(grid: Grid, words: Sequence[Piece]) -> dict[Place, list[Piece]]:
    """The words of every place; those of a merged cell stand in each place it covers."""
    owned: dict[Place, dict[Place, list[Piece]]] = {}
    for word in words:
        row = _row_of(grid, word)
        column = min(max(bisect_right(grid.columns, (word.x0 + word.x1) / 2) - 1, 0), len(grid.columns) - 2)
        owned.setdefault(grid.merged[row, column], {}).setdefault((row, column), []).append(word)
    cells: dict[Place, list[Piece]] = {}
    for place, owner in grid.merged.items():
        within = owned.get(owner, {})
        pieces = [piece for column in _columns_of(within) for piece in column[1]]
        if not pieces:
            continue
        if _reach_over(within, pieces):
            cells[place] = pieces
        else:  # a row without vertical rules: its words stand apart, each part over its own column
            own = [piece for column, parts in _columns_of(within) if column == place[1] for piece in parts]
            if own:
                cells[place] = own
    return cells


def _columns_of(within: dict[Place, list[Piece]]) -> list[tuple[int, list[Piece]]]:
    columns: dict[int, list[Piece]] = {}
    for (_, column), pieces in within.items():
        columns.setdefault(column, []).extend(pieces)
    return sorted(columns.items())


def _reach_over(within: dict[Place, list[Piece]], pieces: Sequence[Piece]) -> bool:
    """Whether a merged cell's words are one text, not parts that stand apart in several columns."""
    columns = _columns_of(within)
    if len(columns) < 2:
        return True
    height = sorted(piece.height for piece in pieces)[len(pieces) // 2]
    return len(shared_gutters(printed_lines(pieces), 1.2 * height)) + 1 < len(columns)


def _row_of(grid: Grid, word: Piece) -> int:
    return min(max(bisect_right(grid.rows, (word.y0 + word.y1) / 2) - 1, 0), len(grid.rows) - 2)


def _edges_beside(grid: Grid, word: Piece) -> list[float]:
    """The columns' edges in the word's row, but those inside a merged cell."""
    row = _row_of(grid, word)
    inner = range(1, len(grid.columns) - 1)
    return [grid.columns[edge] for edge in inner if grid.merged[row, edge - 1] != grid.merged[row, edge]]


def _cut(word: Piece, columns: Sequence[float]) -> list[Piece]:
    """A word that runs over a column's edge, as where no blank was needed, parted there."""
    edge = next((x for x in columns if word.x0 + 0.3 * word.height < x < word.x1 - 0.3 * word.height), None)
    if edge is None or len(word.text) < 2:
        return [word]
    widths = [2 if east_asian_width(char) in "WF" else 1 for char in word.text]
    share = (edge - word.x0) / (word.x1 - word.x0) * sum(widths)
    at = min(range(1, len(word.text)), key=lambda i: abs(sum(widths[:i]) - share) - 2 * _parts_here(word.text, i))
    left = Piece(word.x0, word.y0, edge, word.y1, word.text[:at].strip(), (word.x0, word.y0, edge, word.y1))
    right = Piece(edge, word.y0, word.x1, word.y1, word.text[at:].strip(), (edge, word.y0, word.x1, word.y1))
    return [left, *_cut(right, columns)]


def _parts_here(text: str, index: int) -> bool:
    """Whether a sign meets a letter there: cells rather end and begin so than inside a word."""
    return text[index - 1].isalnum() is not text[index].isalnum()


def _is_set_in_columns(pieces: Sequence[Piece]) -> bool:
    """Whether a cell holds prose in two columns: then a page's decoration was taken for a grid."""
    if sum(len(piece.text) for piece in pieces) < 150:
        return False
    lines = printed_lines(pieces)
    height = sorted(piece.height for piece in pieces)[len(pieces) // 2]
    wide = [line for line in lines if len(phrases(line, 1.2 * height)) > 1]
    return len(wide) >= 3 and len(wide) >= 0.3 * len(lines) and bool(shared_gutters(wide, 0.8 * height))


def _bands(cells: dict[int, list[Piece]]) -> list[dict[int, list[Piece]]]:
    """One grid row as one or more table rows: rows without rules between them are told by aligned printed lines.

    A cell with a single line beside several of figures was set in their middle: it belongs to each of them.
    """
    by_column = {column: printed_lines(pieces) for column, pieces in cells.items()}
    middles = edges((line[0].y0 + line[0].y1) / 2 for lines in by_column.values() for line in lines if len(lines) > 1)
    if len(middles) < 2:
        return [cells]
    bands: list[dict[int, list[Piece]]] = [{} for _ in middles]
    single: dict[int, list[Piece]] = {}
    for column, lines in by_column.items():
        if len(lines) == 1:
            single[column] = lines[0]
            continue
        for line in lines:
            band = bisect_right(middles, (line[0].y0 + line[0].y1) / 2 + TOUCH) - 1
            bands[band].setdefault(column, []).extend(line)
    columns = len(by_column) - len(single)
    least = max(2, 0.6 * len(by_column))
    if len(middles) >= 3 and not single and all(len(band) >= least for band in bands):
        return bands
    figures = [sum(is_figure(" ".join(piece.text for piece in pieces)) for pieces in band.values()) for band in bands]
    even = all(len(band) >= max(2, 0.8 * columns) for band in bands)
    if even and columns >= 0.5 * len(by_column) and min(figures) >= max(2, 0.5 * columns):
        return [{**single, **band} for band in bands]
    return [cells]


def _run(pieces: Sequence[Piece], grid: Grid, place: Place) -> Run:
    row, column = place
    if not pieces:
        return Run("", (grid.columns[column], grid.rows[row], grid.columns[column + 1], grid.rows[row + 1]))
    words = [piece for piece in pieces if len(piece.text) > 2]
    upward = sum(piece.height > _SLOPE * (piece.x1 - piece.x0) for piece in words)
    text = cell_text(pieces)
    if upward > len(words) / 2:  # a narrow column's heading, written from bottom to top
        lines = edges((piece.x0 + piece.x1) / 2 for piece in pieces)
        ordered = sorted(pieces, key=lambda piece: (bisect_right(lines, (piece.x0 + piece.x1) / 2), -piece.y1))
        text = " ".join(piece.text for piece in ordered)
    return Run(text, around([piece.box for piece in pieces]))
