"""Table rows as candidates for quotes, with their headers, and the one cell that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.text.analysis import analyse
from core.text.values.calendar_names import spell_out_periods
from core.types import Block, BlockKind, Cell, Span, Vectors

# A question that asks for two things; the row may contain both.
_SEVERAL = re.compile(r"\band (?:what|which|how|when|whom?|where|why|by|for|its|their|the)\b", re.IGNORECASE)

Encode = Callable[[Sequence[str]], Vectors]
_AMOUNT = re.compile(r"\bhow \w+", re.IGNORECASE)  # asks for a number; its words match no label ("many")
_LONGEST_LABEL = 60  # characters of a one-cell row that counts as the label of the rows below it
# Cosines: from which a word matches a label, from which it matches a header ("allowed" does not match "Required"), and
# the margin within which headers count as equally near.
_LEAST_LABEL_COSINE, _LEAST_HEADER_COSINE, _TIE_MARGIN = 0.5, 0.6, 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """A table row. ``cells``: in column order. ``headers``: of each, "" for none. ``table``: the span of the table.

    ``group``: the one-cell row above that labels this row ("Earnings per share:"), "" for none.
    """

    cells: tuple[Cell, ...]
    headers: tuple[str, ...]
    table: Span
    group: str = ""

    @property
    def span(self) -> Span:
        """From the first cell to the last."""
        return Span(min(cell.start for cell in self.cells), max(cell.end for cell in self.cells))

    @property
    def reading(self) -> str:
        """The row as text: its group, and every value after its header."""
        parts = [self.group] if self.group else []
        return "; ".join([*parts, *self._labelled_values])

    @property
    def _labelled_values(self) -> list[str]:
        return [
            f"{header}: {cell.value}" if header else f"{cell.value}"
            for cell, header in zip(self.cells, self.headers, strict=True)
        ]

    def select(self, indices: Sequence[int]) -> Row:
        """The row with these cells only."""
        return replace(
            self,
            cells=tuple(self.cells[index] for index in indices),
            headers=tuple(self.headers[index] for index in indices),
        )

    def words(self, text: str, start: int) -> tuple[tuple[str, str], ...]:
        """Each cell's header and text. ``text``: a part of the document that begins at ``start``."""
        pairs = zip(self.headers, self.cells, strict=True)
        return tuple((header, text[cell.start - start : cell.end - start]) for header, cell in pairs)

    def label_at(self, index: int) -> str:
        """A cell's value after the row's group."""
        return f"{self.group} {self.cells[index].value}".strip()

    def cell_at(self, offset: int) -> Cell:
        """The cell at an offset in ``reading``; the last one beyond the end."""
        end = len(self.group) if self.group else -2
        for cell, value in zip(self.cells, self._labelled_values, strict=True):
            end += 2 + len(value)
            if offset < end:
                return cell
        return self.cells[-1]

    def cell_label(self, span: Span) -> tuple[str, Span]:
        """The label ("Availability › Q3 2026") and the span of the cell where a span of the document begins.

        ("", the row's span) if it begins in no cell.
        """
        for index, (cell, header) in enumerate(zip(self.cells, self.headers, strict=True)):
            if cell.start <= span.start < cell.end:
                words = [self.label_at(0) if index else self.group, header]
                return " › ".join(filter(None, words)), Span(cell.start, cell.end)
        return "", self.span


def rows_of(table: Block, within: Span) -> Iterator[Row]:
    """The rows of a table that lie entirely in a span and have at least two filled cells, without header rows.

    If no cell is marked as a header, the rows before the first number count as headers. A cell that spans several
    columns comes once. A row of a single text cell is the group of the rows below it, up to the next such row.
    """
    if table.kind is not BlockKind.TABLE:
        return
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.value is not None and cell.end > cell.start:
            rows.setdefault(cell.row, []).append(cell)
    if any(cell.header for cell in table.cells):
        header_rows = frozenset(row for row in rows if all(cell.header for cell in rows[row]))
    else:
        header_rows = _rows_before_numbers(rows)
    headers: dict[int, str] = {}
    group = ""
    for number in sorted(rows):
        cells = sorted(rows[number], key=lambda cell: cell.column)
        if number in header_rows:
            for cell in cells:
                header = headers.get(cell.column, "")
                headers[cell.column] = header if str(cell.value) in header else f"{header} {cell.value}".strip()
            continue
        distinct = _without_repeats(_with_signs(cells), headers)
        if len(distinct) == 1:
            label = f"{distinct[0].value}"
            group = label if distinct[0].column == 0 and len(label) <= _LONGEST_LABEL else ""
            continue
        if distinct and all(within.contains(Span(cell.start, cell.end)) for cell in cells):
            row_headers = tuple(headers.get(cell.column, "") for cell in distinct)
            yield Row(tuple(distinct), row_headers, Span(table.start, table.end), group)


def _rows_before_numbers(rows: Mapping[int, Sequence[Cell]]) -> frozenset[int]:
    """The rows before the first one with a number; none if there is no number."""
    with_number = (row for row in sorted(rows) if any(isinstance(cell.value, int | float) for cell in rows[row]))
    first = next(with_number, None)
    return frozenset() if first is None else frozenset(row for row in rows if row < first)


def _with_signs(cells: Sequence[Cell]) -> list[Cell]:
    """The cells, with signs in columns of their own ("$", "%", brackets) merged into the number they belong to."""
    merged: list[Cell] = []
    opening: Cell | None = None
    for cell in cells:
        value = str(cell.value)
        if any(map(str.isalnum, value)):
            merged.append(replace(cell, start=opening.start) if opening else cell)
            opening = None
        elif merged and value[:1] in "%)":
            merged[-1] = replace(merged[-1], end=cell.end)
        else:
            opening = opening or cell
    return merged


def _without_repeats(cells: Sequence[Cell], headers: Mapping[int, str]) -> list[Cell]:
    """The cells without those that repeat the previous one: the same text, or the same number under the same header."""
    distinct = list(cells[:1])
    for before, cell in pairwise(cells):
        same_header = headers.get(before.column, "") == headers.get(cell.column, "")
        if cell.value != before.value or not (same_header or isinstance(cell.value, str)):
            distinct.append(cell)
    return distinct


def asked_cell(row: Row, question: str, encode: Encode | None = None) -> tuple[str, Span]:
    """The label and the span of the cell that a question asks for; ("", the row's span) if it does not determine one.

    It determines one if it asks for one thing, shares a term with the row's label, which is the first text cell, and
    one other cell's header contains more of the question's remaining terms than all others. Where no term is shared,
    ``encode`` (texts to ``(n, d)`` unit vectors) matches label and header by meaning: "revenue" a row of net sales.

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
    question_terms = frozenset(_terms(question))
    first = _label_index(row)
    label = row.label_at(first)
    label_terms = frozenset(_terms(label))
    if not label_terms & question_terms and not _nearest_in_meaning(question, [label], encode, _LEAST_LABEL_COSINE):
        return "", row.span
    remaining = question_terms - label_terms
    others = [index for index in range(len(row.cells)) if index != first]
    shared = [len(frozenset(_terms(row.headers[index])) & remaining) for index in others]
    most = max(shared, default=0)
    if most:
        best = [position for position, count in enumerate(shared) if count == most]
    else:
        best = _nearest_in_meaning(question, [row.headers[index] for index in others], encode, _LEAST_HEADER_COSINE)
    if len(best) != 1:
        return "", row.span
    index = others[best[0]]
    cell = row.cells[index]
    return f"{label} › {row.headers[index]}", Span(cell.start, cell.end)


def _label_index(row: Row) -> int:
    """The index of the row's label: its first text cell, else its first cell."""
    return next((index for index, cell in enumerate(row.cells) if isinstance(cell.value, str)), 0)


def names_label(row: Row, span: Span, question: str) -> bool:
    """Whether a span begins in the row's label, and the question names it: it asks for the rest.

    >>> cells = (Cell(1, 0, 0, 5, "ducks"), Cell(1, 1, 8, 12, "Birds that swim"))
    >>> row = Row(cells, ("Name", "Meaning"), Span(0, 12))
    >>> [names_label(row, Span(0, 5), text) for text in ("What are ducks?", "What swims?")]
    [True, False]
    """
    label = row.cells[_label_index(row)]
    is_label = label.start <= span.start < label.end
    return is_label and not frozenset(_terms(str(label.value))).isdisjoint(_terms(question))


def _nearest_in_meaning(question: str, texts: Sequence[str], encode: Encode | None, least: float) -> list[int]:
    """Indices of the texts with the highest cosine to any word of the question, ties included; [] if it is below
    ``least`` or ``encode`` is ``None``.
    """
    words = [word for word in re.findall(r"[^\W\d_]{3,}", _AMOUNT.sub("", question)) if analyse(word)]
    if encode is None or not words or not any(map(str.isalpha, "".join(texts))):
        return []
    vectors = encode([*words, *(text.replace("_", " ") for text in texts)])
    cosines = (vectors[len(words) :] @ vectors[: len(words)].T).max(axis=1)
    best = float(cosines.max())
    return [index for index, cosine in enumerate(cosines) if cosine > best - _TIE_MARGIN] if best >= least else []


def _terms(text: str) -> list[str]:
    """The tokens of a text, with abbreviations of headers written out.

    >>> _terms("third quarter of 2025") == _terms("Q3 2025"), _terms("FY2024") == _terms("fiscal year 2024")
    (True, True)
    """
    return analyse(spell_out_periods(text).replace("%", " percent "))
