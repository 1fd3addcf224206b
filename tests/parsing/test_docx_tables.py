"""Tables of Word documents: cell by cell on their grid, and which rows are their head."""

from __future__ import annotations

import pytest

from core.types import Block, BlockKind
from tests.parsing.docx_builder import abstract, cell, docx, item, level, number, paragraph, row, run, table
from tests.parsing.test_docx import document_of, shown

LOOK = '<w:tblLook w:val="{}"/>'
SPAN, DOWN, ON = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
BULLETS = abstract(0, level(0, "•", "bullet")) + number(1, 0)


def grid(body: str, **parts) -> list[list[str]]:
    document = document_of(docx(body, **parts))
    (block,) = (block for block in document.blocks if block.kind is BlockKind.TABLE)
    rows: dict[int, list[str]] = {}
    for found in block.cells:
        rows.setdefault(found.row, []).append(document.text[found.start : found.end])
    return list(rows.values())


def heads(*rows: str, look: str = "04A0", properties: str = "") -> int:
    """How many rows are the head."""
    document = document_of(docx(table(*rows, properties=properties + (LOOK.format(look) if look else ""))))
    (block,) = document.blocks
    return sum(is_head(block, number) for number in range(len(rows)))


def is_head(block: Block, row_number: int) -> bool:
    return any(found.header for found in block.cells if found.row == row_number)


def test_merged_cells_below_a_head_stand_in_every_place_they_cover() -> None:
    body = table(
        row("City", "Ducks", "Geese"),
        row("Bonn", cell("1", SPAN)),
        row(cell("2", DOWN), "3", "4"),
        row(cell("", ON), "5"),
    )
    assert grid(body)[1:] == [["Bonn", "1", "1"], ["2", "3", "4"], ["2", "5", ""]]


def test_merged_cells_of_a_form_stand_once_in_a_row() -> None:
    body = table(
        row(cell("wide", SPAN), "c"),
        row(cell("tall", DOWN), "e", "f"),
        row(cell("", ON), cell("both", SPAN + DOWN)),
        row("x", cell("", SPAN + ON)),
    )
    assert grid(body) == [
        ["wide", "", "c"],
        ["tall", "e", "f"],
        ["tall", "both", ""],
        ["x", "both", ""],
    ]


def test_rows_that_start_late_and_end_early() -> None:
    body = table(
        row("a", "b", "c"),
        row("late", properties='<w:gridBefore w:val="2"/>'),
        row("early", properties='<w:gridAfter w:val="2"/>'),
        row("short"),
        row(cell("old", '<w:hMerge w:val="restart"/>'), cell("", '<w:hMerge w:val="continue"/>'), "z"),
    )
    assert grid(body) == [["a", "b", "c"], ["", "", "late"], ["early", "", ""], ["short", "", ""], ["old", "old", "z"]]


def test_rows_and_cells_inside_content_controls() -> None:
    control = "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>"
    inside = f"<w:tr>{control.format(cell('c'))}{cell('d')}</w:tr>"
    assert grid(table(row("a", "b"), control.format(inside))) == [["a", "b"], ["c", "d"]]


def test_cells_hold_paragraphs_lists_and_tables() -> None:
    inner = table(row("i", cell("j", SPAN)), row(cell("k", DOWN), "l", "m"), row(cell("", ON), "n", "o"))
    body = table(
        row(cell(paragraph("one") + paragraph("two") + item("three") + item("four")), "b"),
        row(cell(paragraph("before") + inner + paragraph("after")), "d|e"),
    )
    assert grid(body, numbering=BULLETS) == [
        ["one two - three - four", "b"],
        ["before i j k l m n o after", r"d\|e"],
    ]


def test_a_table_of_one_cell_is_a_frame() -> None:
    inner = table(row("x", cell("y", SPAN)))
    body = table(row(cell(item("a") + paragraph("b") + table(row(cell(inner))))))
    assert shown(docx(body, numbering=BULLETS)) == [("list", "- a"), ("paragraph", "b"), ("table", "x | y")]


def test_cells_keep_types() -> None:
    document = document_of(docx(table(row("Name", "Price"), row("a", "1,234.50"), row("007", "yes"))))
    assert [found.value for found in document.blocks[0].cells] == ["Name", "Price", "a", 1234.5, "007", True]


def test_stated_head_rows() -> None:
    marked = "<w:tblHeader/>"
    rows = [row("1", "2", properties=marked), row("3", "4", properties=marked), row("5", "6")]
    assert heads(*rows, look="0000") == 2
    assert heads(row("Name", "Age"), row("a", "1", properties=marked)) == 1


@pytest.mark.parametrize(
    ("rows", "look", "expected"),
    [
        ([row("Name", "Age"), row("Ann", "4")], "04A0", 1),
        ([row("Name", "Age"), row("Ann", "4")], "", 1),
        ([row("Name", "Age"), row("Ann", "4")], "0480", 0),
        ([row("City", "2024", "2025"), row("Bonn", "4", "7")], "04A0", 1),
        ([row("Ann", "4"), row("Bob", "5")], "04A0", 0),
        ([row("Name:", "Ann"), row("Age:", "four")], "04A0", 0),
        ([row("Name", "Age")], "04A0", 0),
        ([row("Name"), row("Ann")], "04A0", 0),
        ([row("", "", "Total"), row("a", "b", "c")], "04A0", 0),
        ([row("", "Ash", "Elm"), row("a", "b", "c")], "04A0", 1),
        ([row("Why " * 40, "Age"), row("a", "b")], "04A0", 0),
        ([row(cell("All of it", SPAN)), row("a", "b")], "04A0", 0),
    ],
)
def test_what_makes_a_head(rows: list[str], look: str, expected: int) -> None:
    assert heads(*rows, look=look) == expected


def test_bold_type_makes_a_head_and_unmakes_a_form() -> None:
    def bold(text: str) -> str:
        return cell(paragraph(run(text, "<w:b/>")))

    assert heads(row(bold("Name"), bold("Age")), row("Ann", "four"), look="0480") == 1
    assert heads(row(bold("Name"), "Ann"), row(bold("Age"), "four")) == 0
    assert heads(row(bold("Name"), "Ann", "x"), row(bold("Age"), "four", "y"), look="0480") == 0


def test_a_head_of_two_storeys() -> None:
    rows = [row(cell("City", DOWN), cell("Ducks", SPAN)), row(cell("", ON), "wild", "tame"), row("Bonn", "1", "2")]
    assert heads(*rows) == 2


def test_lists_are_no_head() -> None:
    rows = [row(cell(item("a") + item("b")), cell(item("c"))), row("d", "e")]
    document = document_of(docx(table(*rows, properties=LOOK.format("04A0")), numbering=BULLETS))
    assert document.blocks[0].header is None


def test_repeated_cells_are_bounded() -> None:
    """A hostile table could multiply its words without end; behind the bound a merged cell stands once."""
    long = "word " * 8_000
    rows = [row(cell(long, DOWN), "x"), *(row(cell("", ON), f"y{count}") for count in range(100))]
    document = document_of(docx(table(*rows)))
    assert len(document.text) < 2_100_000
    assert document.text.endswith("| y99")
    inner = table(row(cell("deep", '<w:gridSpan w:val="63"/>')), row("a"))
    for _ in range(12):
        inner = table(row(cell(inner + paragraph(), '<w:gridSpan w:val="63"/>'), "b"))
    assert document_of(docx(inner)).text.count("deep") == 1


def test_columns_of_lines_within_cells_are_rows() -> None:
    def lines(*texts: str) -> str:
        return cell("".join(map(paragraph, texts)))

    names, year = lines("", "Income", "Tax", "Left"), lines("€", "17,542", "3,508", "14,034", "")
    body = table(row("", "2006"), row(names, year))
    assert grid(body) == [["", "2006"], ["", "€"], ["Income", "17,542"], ["Tax", "3,508"], ["Left", "14,034"]]
    addresses = table(row(lines("Ann", "Main St 1", "Bonn"), lines("Bob", "Elm St 2", "Kiel")))
    assert len(grid(addresses)) == 1


def test_a_form_on_a_fine_grid_has_only_its_own_cells() -> None:
    wide = '<w:gridSpan w:val="9"/>'
    body = table(row(cell("Name", wide), cell("Town", wide)), row(cell("Born", wide), cell("", wide)))
    assert shown(docx(body)) == [("table", "Name | Town\nBorn")]
