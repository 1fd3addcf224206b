"""Rows of tables as things to quote: what names them, and which cell is asked for."""

from __future__ import annotations

from core.parsing import parse
from core.search.answer.rows import Row, asked_cell, rows_of
from core.settings import ParsingSettings
from core.types import BlockKind, Span

_STATEMENT = """<table><tr><th><th>2024<th>2023
<tr><td colspan=3>Earnings per share:
<tr><td>Basic<td>1.57<td>1.40
<tr><td>Diluted<td>1.55<td>1.38
<tr><td colspan=3>Shares that were used in computing what a share of the company has earned in a year:
<tr><td>Basic<td>14,902<td>15,287</table>"""


def rows(page: str) -> list[Row]:
    document = parse(page.encode(), "statement.html", ParsingSettings())
    (table,) = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    return list(rows_of(table, Span(table.start, table.end)))


def test_a_row_is_known_by_the_short_name_of_its_group() -> None:
    found = rows(_STATEMENT)
    assert [row.group for row in found] == ["Earnings per share:", "Earnings per share:", ""]
    assert found[0].reading == "Earnings per share:; Basic; 2024: 1.57; 2023: 1.4"
    told, cell = asked_cell(found[1], "What were diluted earnings per share in 2023?")
    assert (told, cell) == ("Earnings per share: Diluted › 2023", Span(found[1].cells[2].start, found[1].cells[2].end))


def test_a_place_of_the_reading_is_of_the_cell_that_stands_there() -> None:
    row = rows(_STATEMENT)[0]
    for cell, words in zip(row.cells, ("Basic", "1.57", "1.4"), strict=True):
        assert row.cell_at(row.reading.index(words)) is cell
    assert row.cell_label(Span(row.cells[1].start, row.cells[1].end))[0] == "Earnings per share: Basic › 2024"


def test_a_row_that_is_counted_is_named_by_its_first_words() -> None:
    (row,) = rows("<table><tr><th>Rank<th>Major<th>Women<tr><td>27<td>Nursing<td>187,621</table>")
    told, cell = asked_cell(row, "How many women studied nursing?")
    assert told == "Nursing › Women"
    assert cell == Span(row.cells[2].start, row.cells[2].end)
