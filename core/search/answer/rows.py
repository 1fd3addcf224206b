"""Rows of a table as things to quote: read with their headers, and the one cell a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.text.analysis import analyse
from core.text.calendar_names import spell_out_periods
from core.types import Block, BlockKind, Cell, Span, Vectors

# Two things are asked, and the row may hold both.
_SEVERAL = re.compile(r"\band (?:what|which|how|when|whom?|where|why|by|for|its|their|the)\b", re.IGNORECASE)

Encode = Callable[[Sequence[str]], Vectors]
_AMOUNT = re.compile(r"\bhow \w+", re.IGNORECASE)  # says that a number is asked for: "many" means no column of all
_LABEL = 60  # characters of a row that names those below it; a longer one says more than what they are of
# Cosines: of words that mean what a label does, of those that mean what a header does ("allowed" is no "Required"), and
# by how much headers that can not be told apart differ.
_ALIKE, _ALIKE_HEADER, _TIED = 0.5, 0.6, 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells in column order and the header above each ("" where there is none), of the table at ``table``.

    ``group``: the row above that is one cell and names those below it ("Earnings per share:"), "" for none.
    """

    cells: tuple[Cell, ...]
    headers: tuple[str, ...]
    table: Span
    group: str = ""

    @property
    def span(self) -> Span:
        """From its first cell to its last."""
        return Span(min(cell.start for cell in self.cells), max(cell.end for cell in self.cells))

    @property
    def reading(self) -> str:
        """The row in words: its group, and every value after its header."""
        told = [
            f"{header}: {cell.value}" if header else f"{cell.value}"
            for cell, header in zip(self.cells, self.headers, strict=True)
        ]
        return "; ".join([self.group, *told] if self.group else told)

    def only(self, places: Sequence[int]) -> Row:
        """The row without its other cells."""
        return replace(
            self,
            cells=tuple(self.cells[place] for place in places),
            headers=tuple(self.headers[place] for place in places),
        )

    def words(self, text: str, start: int) -> tuple[tuple[str, str], ...]:
        """Each cell's header and its words in a text that begins at ``start`` of the document."""
        pairs = zip(self.headers, self.cells, strict=True)
        return tuple((header, text[cell.start - start : cell.end - start]) for header, cell in pairs)

    def named(self, place: int) -> str:
        """What a cell says with the row's group before it."""
        return f"{self.group} {self.cells[place].value}".strip()

    def cell_at(self, place: int) -> Cell:
        """The cell whose words stand at a place of ``reading``; the last one beyond them."""
        end = len(self.group) if self.group else -2
        for cell, header in zip(self.cells, self.headers, strict=True):
            end += 2 + len(f"{header}: {cell.value}" if header else f"{cell.value}")
            if place < end:
                return cell
        return self.cells[-1]

    def told(self, place: Span) -> tuple[str, Span]:
        """What the cell at a place of the document is of, and its span; ("", the whole row) for a place in none."""
        for at, (cell, header) in enumerate(zip(self.cells, self.headers, strict=True)):
            if cell.start <= place.start < cell.end:
                words = [self.named(0) if at else self.group, header]
                return " › ".join(filter(None, words)), Span(cell.start, cell.end)
        return "", self.span


def rows_of(table: Block, within: Span) -> Iterator[Row]:
    """The rows of a table that lie whole in a span and have at least two filled cells; header rows are none.

    Where no cell is called a header, the rows before the first number are taken for headers, if there are any and a
    number at all. A cell that was spread over several columns stands there once. A row of one cell of words names the
    rows below it, up to the next one.
    """
    if table.kind is not BlockKind.TABLE:
        return
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.value is not None and cell.end > cell.start:
            rows.setdefault(cell.row, []).append(cell)
    told = {cell.row for cell in table.cells if cell.header}
    heads = {row for row in rows if all(cell.header for cell in rows[row])} if told else _first_words(rows)
    headers: dict[int, str] = {}
    group = ""
    for number in sorted(rows):
        cells = sorted(rows[number], key=lambda cell: cell.column)
        if number in heads:
            for cell in cells:
                said = headers.get(cell.column, "")
                headers[cell.column] = said if str(cell.value) in said else f"{said} {cell.value}".strip()
            continue
        kept = _once(_with_signs(cells), headers)
        if len(kept) == 1:
            named = f"{kept[0].value}"
            group = named if kept[0].column == 0 and len(named) <= _LABEL else ""
            continue
        whole = all(within.contains(Span(cell.start, cell.end)) for cell in cells)
        if whole and kept:
            told_headers = tuple(headers.get(cell.column, "") for cell in kept)
            yield Row(tuple(kept), told_headers, Span(table.start, table.end), group)


def _first_words(rows: Mapping[int, Sequence[Cell]]) -> frozenset[int]:
    """The rows before the first that holds a number; () where none does, or the first does."""
    numbered = (row for row in sorted(rows) if any(isinstance(cell.value, int | float) for cell in rows[row]))
    first = next(numbered, None)
    return frozenset() if first is None else frozenset(row for row in rows if row < first)


def _with_signs(cells: Sequence[Cell]) -> list[Cell]:
    """The cells in order, a sign in a column of its own taken into the number it belongs to."""
    found: list[Cell] = []
    opening: Cell | None = None
    for cell in cells:
        said = str(cell.value)
        if any(map(str.isalnum, said)):
            found.append(replace(cell, start=opening.start) if opening else cell)
            opening = None
        elif found and said[:1] in "%)":
            found[-1] = replace(found[-1], end=cell.end)
        else:
            opening = opening or cell
    return found


def _once(cells: Sequence[Cell], headers: Mapping[int, str]) -> list[Cell]:
    """The cells without those that repeat the one before: the same words, or the same number below the same header."""
    found = list(cells[:1])
    for before, cell in pairwise(cells):
        below = headers.get(before.column, "") == headers.get(cell.column, "")
        if cell.value != before.value or not (below or isinstance(cell.value, str)):
            found.append(cell)
    return found


def asked_cell(row: Row, question: str, encode: Encode | None = None) -> tuple[str, Span]:
    """What the asked cell is of, and its span; ("", the whole row) where the question does not tell one cell.

    One cell is told where one thing is asked, the row's label, which is its first cell of words, shares a word with the
    question, and exactly one other cell's header holds most of the question's words that the label lacks. Where no word
    is shared, ``encode`` (texts to ``(n, d)`` unit vectors) tells label and header by what they mean: "revenue" a row
    of net sales.

    >>> texts = ["Availability", "99.97 %", "99.92 %"]
    >>> cells = tuple(Cell(1, at, 10 * at, 10 * at + 5, text) for at, text in enumerate(texts))
    >>> row = Row(cells, ("Figure", "Q2 2026", "Q3 2026"), Span(0, 30))
    >>> asked_cell(row, "What was the availability in Q3 2026?")
    ('Availability › Q3 2026', Span(start=20, end=25))
    >>> asked_cell(row, "How available was it?")[0]
    ''
    """
    if _SEVERAL.search(question):
        return "", row.span
    wanted = frozenset(_spoken(question))
    first = next((place for place, cell in enumerate(row.cells) if isinstance(cell.value, str)), 0)
    named = row.named(first)
    label = frozenset(_spoken(named))
    if not label & wanted and not _meant(question, [named], encode, _ALIKE):
        return "", row.span
    left = wanted - label
    others = [place for place in range(len(row.cells)) if place != first]
    shared = [len(frozenset(_spoken(row.headers[place])) & left) for place in others]
    best = max(shared, default=0)
    if best:
        meant = [place for place, count in enumerate(shared) if count == best]
    else:
        meant = _meant(question, [row.headers[place] for place in others], encode, _ALIKE_HEADER)
    if len(meant) != 1:
        return "", row.span
    place = others[meant[0]]
    cell = row.cells[place]
    return f"{named} › {row.headers[place]}", Span(cell.start, cell.end)


def _meant(question: str, texts: Sequence[str], encode: Encode | None, least: float) -> list[int]:
    """The places of the texts that mean most what some word of the question does; () where none is as like it as
    ``least``, a cosine.
    """
    words = [word for word in re.findall(r"[^\W\d_]{3,}", _AMOUNT.sub("", question)) if analyse(word)]
    if encode is None or not words or not any(map(str.isalpha, "".join(texts))):
        return []
    vectors = encode([*words, *(text.replace("_", " ") for text in texts)])
    likeness = (vectors[len(words) :] @ vectors[: len(words)].T).max(axis=1)
    best = float(likeness.max())
    return [place for place, alike in enumerate(likeness) if alike > best - _TIED] if best >= least else []


def _spoken(text: str) -> list[str]:
    """The tokens of a text, abbreviations of headers as they are spoken.

    >>> _spoken("third quarter of 2025") == _spoken("Q3 2025"), _spoken("FY2024") == _spoken("fiscal year 2024")
    (True, True)
    """
    return analyse(spell_out_periods(text).replace("%", " percent "))
