"""Large, strange and hostile workbooks: read, or refused in a sentence, and nothing else."""

from __future__ import annotations

import pytest

from core.errors import ParseError
from core.parsing import parse
from core.parsing.sheets import grid as sheet_grid
from core.parsing.sheets import reader as sheet_reader
from core.settings import ParsingSettings
from tests.parsing.packages import packed
from tests.parsing.sheet_files import (
    read_xlsx,
    rows_of,
    shown,
    values,
    with_cells,
    xls,
    xlsx,
)


def test_a_used_range_that_lies_costs_nothing() -> None:
    rows = (
        '<row r="1"><c r="A1"><v>1</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>2</v></c><c r="A1048576" s="0"/></row>'
    )
    after = (
        '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
        '<hyperlinks><hyperlink ref="A1:XFD1048576" location="x"/></hyperlinks>'
    )
    reading = sheet_reader.read(with_cells(rows, after=after), "a.xlsx")
    assert shown(reading)[1:] == [("table", "1"), ("table", "2")]
    assert reading.notes == ('In the sheet "Data", 1 merged cells are too large to be repeated.',)


def test_a_sheet_strewn_with_cells_keeps_them_without_the_blanks_between() -> None:
    rows = "".join(f'<row r="{row}"><c r="A{row}"><v>{row}</v></c></row>' for row in range(2, 3000))
    first = '<row r="1">' + "".join(f"<c><v>{column}</v></c>" for column in range(500)) + "</row>"
    (_, table) = shown(sheet_reader.read(with_cells(first + rows), "a.xlsx"))
    assert table[1].split("\n")[-1] == "2999"


def test_a_long_text_a_million_times_over_is_refused() -> None:
    strings = f"<si><t>{'x' * 30_000}</t></si>"
    rows = f"<row>{'<c t=`s`><v>0</v></c>' * 100}</row>".replace("`", '"') * 80
    with pytest.raises(ParseError, match=r"bomb\.xlsx holds more than 200,000,000 characters"):
        sheet_reader.read(with_cells(rows, strings=strings), "bomb.xlsx")


def test_more_cells_than_may_be_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_grid.Allowance.__init__, "__defaults__", (5, 100))
    with pytest.raises(ParseError, match="Split it into smaller files"):
        read_xlsx(rows_of((1, 2, 3), (4, 5, 6)))


def test_a_package_without_a_workbook_says_so_in_a_sentence() -> None:
    with pytest.raises(ParseError, match="lacks its main part"):
        sheet_reader.read(packed({"[Content_Types].xml": "<Types/>", "a.txt": "x"}), "locked.xls")


@pytest.mark.parametrize(("data", "name"), [(xlsx(rows_of()), "a.xlsx"), (b",,,\n,,\n", "a.csv")])
def test_a_table_that_holds_nothing_says_so_in_a_sentence(data: bytes, name: str) -> None:
    with pytest.raises(ParseError, match=f"{name} holds no text"):
        parse(data, name, ParsingSettings())


# The older binary format


def test_old_workbooks_are_read_alike() -> None:
    data = xls(
        (0, 0, "Ducks"), (1, 0, "Year"), (1, 1, "Day"), (2, 0, 2019.0), (2, 1, 45292.0), (3, 0, 1.5),
        merges=((0, 0, 0, 1),),
    )  # fmt: skip
    reading = sheet_reader.read(data, "a.xls")
    assert shown(reading) == [
        ("heading", "Data"),
        ("caption", "Ducks"),
        ("table", "Year | Day\n2019 | 2024-01-01\n1.5 |"),
    ]
    assert values(reading)[1:] == [[2019, "2024-01-01"], [1.5, None]]
