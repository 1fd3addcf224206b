from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from core.parsing.pdf.headings import mark_headings
from core.parsing.pdf.layout.tables import make_characters
from core.parsing.pdf.lines import TableCells, TextLine
from core.parsing.pdf.paragraphs import Draft
from core.types import BlockKind
from tests.parsing.pdf_builder import blocks, box, parsed, pdf, prose, texts

TABLE = (("Name", "Price", "Live"), ("pipe | end", "1,234.50", "yes"), ("bolt", "7 %", ""), ("nut", "(3)", "no"))


def ruled(page: pymupdf.Page, *, verticals: bool) -> None:
    box(page, 60, 60, 540, 140, f"{prose('Before', 40)}.")
    for number, row in enumerate(TABLE):
        for column, cell in enumerate(row):
            page.insert_text((66 + 150 * column, 176 + 24 * number), cell)
    heights = [160 + 24 * number for number in range(5)] if verticals else [160, 184, 256]
    for y in heights:
        page.draw_line((60, y), (510, y))
    for x in (60, 210, 360, 510) if verticals else ():
        page.draw_line((x, 160), (x, 256))
    box(page, 60, 300, 540, 400, f"{prose('Behind', 40)}.")


@pytest.mark.parametrize("verticals", [True, False])
def test_ruled_tables_are_tables(verticals: bool) -> None:
    document = parsed(pdf(lambda page: ruled(page, verticals=verticals)))
    kinds = [block.kind.value for block in document.blocks]
    assert kinds == ["paragraph", "table", "paragraph"]
    (table,) = blocks(document, BlockKind.TABLE)
    lines = document.text[table.start : table.end].split("\n")
    assert lines == ["Name | Price | Live", r"pipe \| end | 1,234.50 | yes", "bolt | 7 % |", "nut | (3) | no"]
    assert table.header is not None
    assert document.text[table.header.start : table.header.end] == lines[0]
    assert [document.text[part.start : part.end] for part in table.parts] == lines[1:]
    values = {(cell.row, cell.column): cell.value for cell in table.cells}
    assert [values[1, column] for column in range(3)] == ["pipe | end", 1234.5, True]
    assert [values[2, column] for column in range(3)] == ["bolt", 7, None]
    assert values[3, 1] == -3


def test_the_finder_sees_in_boxes_of_characters_what_it_sees_in_all_of_their_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pymupdf.table

    def found(page: pymupdf.Page) -> list[object]:
        tables = page.find_tables(use_layout=False, strategy="lines_strict").tables
        return [(table.bbox, table.cells) for table in tables]

    with pymupdf.open() as document:
        page = document.new_page()
        page.set_cropbox(pymupdf.Rect(20, 30, 590, 780))
        ruled(page, verticals=True)
        box(page, 60, 420, 540, 500, "No table but a frame, and one without a word")
        for frame in ((50, 410, 550, 510), (50, 600, 550, 640), (300, 600, 550, 640)):
            page.draw_rect(frame)
        assert pymupdf.table.make_chars is not make_characters
        own = found(page)
        monkeypatch.setattr(pymupdf.table, "make_chars", make_characters)
        assert found(page) == own
    assert len(own) == 1


def cells_of(page: Callable[[pymupdf.Page], None]) -> list[list[str]]:
    (table,) = texts(parsed(pdf(page)), BlockKind.TABLE)
    return [[cell.strip() for cell in line.split("|")] for line in table.split("\n")]


def set_rows(
    page: pymupdf.Page, rows: list[list[str]], columns: list[float], top: float = 170, step: float = 16
) -> None:
    """Words flush left at ``columns``; figures flush right, 60 points further on."""
    for number, row in enumerate(rows):
        for x, cell in zip(columns, row, strict=True):
            is_number = cell[:1].isdigit()
            left = x + 60 - pymupdf.get_text_length(cell, fontsize=10) if is_number else x
            page.insert_text((left, top + step * number), cell, fontsize=10)


FIGURES = [
    ["Region", "2023", "2024"],
    ["North", "1,200.5", "31.0"],
    ["South", "88.0", "4,100.2"],
    ["West", "7.5", "9.9"],
]


def test_tables_side_by_side_are_tables_of_their_own() -> None:
    holdings: list[list[str]] = [["Class", "Share"], ["Stocks", "42"], ["Bonds", "20"], ["Other", "4"], ["Cash", "34"]]

    def draw(page: pymupdf.Page) -> None:
        set_rows(page, FIGURES, [66, 130, 200])
        set_rows(page, holdings, [330, 420], top=177)

    found = texts(parsed(pdf(draw)), BlockKind.TABLE)
    assert [[line.split(" | ") for line in table.split("\n")] for table in found] == [FIGURES, holdings]


@pytest.mark.parametrize(
    ("font", "wanted"),
    [
        ("hebo", [["Hotel", "Check in", "Rooms"], ["Mill House Corfe", "31 May", "one"], ["Payment by", "Guest"]]),
        ("helv", []),
    ],
)
def test_values_below_the_names_of_fields_are_their_cells(font: str, wanted: list[list[str]]) -> None:
    rows: list[tuple[int, str, list[str]]] = [
        (100, font, ["Hotel", "Check in", "Rooms"]),
        (113, "helv", ["Mill House", "31 May", "one"]),
    ]
    rows += [(126, "helv", ["Corfe"]), (150, font, ["Payment by", "Guest"]), (163, "helv", ["bank transfer", "Ada"])]

    def draw(page: pymupdf.Page) -> None:
        for top, name, cells in rows:
            for left, cell in zip((66, 250, 400), cells, strict=False):
                page.insert_text((left, top), cell, fontsize=10, fontname=name)

    tables = texts(parsed(pdf(draw)), BlockKind.TABLE)
    found = [line.split(" | ") for table in tables for line in table.split("\n")]
    assert found == [*wanted, ["bank transfer", "Ada"]] if wanted else found == []


def test_aligned_figures_are_a_table_without_rules() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 140, f"{prose('Before', 40)}.")
        set_rows(page, FIGURES, [66, 220, 380])
        box(page, 60, 260, 540, 400, f"{prose('Behind', 40)}.")

    document = parsed(pdf(draw))
    assert [block.kind.value for block in document.blocks] == ["paragraph", "table", "paragraph"]
    (table,) = blocks(document, BlockKind.TABLE)
    assert {(cell.row, cell.column): cell.value for cell in table.cells}[2, 2] == 4100.2
    assert table.header is not None
    assert document.text[table.header.start : table.header.end] == "Region | 2023 | 2024"


def test_figures_set_as_one_run_stand_in_their_columns_below_names_of_several() -> None:
    """In bold, the figures of a sum are as wide as their columns: they are one run, a blank apart."""
    places = [66, 160, 220, 280, 340, 400]
    rows = [
        [name, *(f"{number}{row}0,{row}00" for number in "12345")] for row, name in enumerate(("North", "South"), 1)
    ]

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((66, 118), "Table 7.", fontsize=10)
        page.insert_text((120, 118), "Reeds by region and year", fontsize=10)
        page.insert_text((239, 134), "Counted", fontsize=10)  # over three of the years
        page.insert_text((385, 134), "Expected", fontsize=10)  # over two
        set_rows(page, [["Region", "2020", "2021", "2022", "2023", "2024"], *rows], places, top=150)
        page.insert_text((66, 198), "All", fontsize=10)
        run = " ".join(f"{number}1,220,300" for number in "12345")
        size = 10 * 288 / pymupdf.get_text_length(run, fontsize=10)  # from the first column's figures to the last's
        page.insert_text((172, 198), run, fontsize=size)
        box(page, 60, 260, 540, 400, f"{prose('Behind', 40)}.")

    assert cells_of(draw) == [
        ["", "Counted", "Counted", "Counted", "Expected", "Expected"],
        ["Region", "2020", "2021", "2022", "2023", "2024"],
        *rows,
        ["All", *(f"{number}1,220,300" for number in "12345")],
    ]


def test_a_title_over_several_columns_is_a_row_and_figures_with_another_in_brackets_are_figures() -> None:
    rows = [
        ["", "Often,", "Wide,", "Noise"],
        ["Place", "months", "rate a year", "SD"],
        ["", "Method of two stages", "", ""],
        ["Perth", "2.3", "2.0 (2.0)", "4.3 (4.2)"],
        ["Leeds", "12", "7.0 (7.0)", "8.7 (8.7)"],
        ["", "6", "3.6 (3.6)", ""],
        ["", "9", "3.4 [3.3]", ""],
        ["", "24", "3.2 (3.2)", ""],
    ]

    def draw(page: pymupdf.Page) -> None:
        for number, row in enumerate(rows):
            for x, cell in zip((66, 160, 230, 340), row, strict=True):
                page.insert_text((x, 170 + 12 * number), cell, fontsize=10)
        box(page, 60, 280, 540, 400, f"{prose('Behind', 40)}.")

    assert cells_of(draw) == rows
    document = parsed(pdf(draw))
    (table,) = blocks(document, BlockKind.TABLE)
    assert table.header is not None
    assert document.text[table.header.start : table.header.end].endswith("Place | months | rate a year | SD")


def test_cells_beside_one_that_wraps_are_of_its_row() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 140, f"{prose('Before', 40)}.")
        set_rows(page, FIGURES, [66, 220, 380])
        for top, text in ((234, "East, with all that"), (247, "belongs to it")):
            page.insert_text((66, top), text, fontsize=10)
        set_rows(page, [["", "12.0", "13.5"]], [66, 220, 380], top=240)
        box(page, 60, 270, 540, 400, f"{prose('Behind', 40)}.")

    assert cells_of(draw)[-2:] == [["West", "7.5", "9.9"], ["East, with all that belongs to it", "12.0", "13.5"]]


def test_a_table_in_one_of_two_columns_stays_in_it() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 290, 160, f"{prose('Leftfirst', 40)}.")
        set_rows(page, FIGURES, [62, 120, 200], top=190)
        box(page, 60, 260, 290, 700, f"{prose('Leftlast', 120)}.")
        box(page, 310, 60, 540, 700, f"{prose('Rightfirst', 220)}.")

    document = parsed(pdf(draw))
    assert [document.text[block.start : block.end].split()[0] for block in document.blocks] == [
        "Leftfirst",
        "Region",
        "Leftlast",
        "Rightfirst",
    ]
    assert [block.kind for block in document.blocks].count(BlockKind.TABLE) == 1


def test_rows_of_a_shaded_statement_stay_whole() -> None:
    """Signs of a currency in columns of their own, brackets, a wrapped label, shading behind every other row."""
    rows = [
        ("Revenue", "$", "1,200", "$", "(1,100)"),
        ("Costs:", "", "", "", ""),
        ("Wages and", "", "", "", ""),
        ("other pay", "", "(400)", "", "-"),
        ("Net income", "$", "800", "$", "(1,100)"),
    ]

    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 140, f"{prose('Before', 40)}.")
        for number, (top, row) in enumerate(zip((176, 196, 216, 228, 248), rows, strict=True)):
            if number % 2 == 0:
                for x0, x1 in ((60, 200), (200, 290), (310, 400)):
                    page.draw_rect((x0, top - 11, x1, top + 5), color=None, fill=(0.8, 0.9, 1))
            for x, cell in zip((64, 204, 285, 314, 395), row, strict=True):
                flush = pymupdf.get_text_length(cell, fontsize=10) if x in (285, 395) else 0
                page.insert_text((x - flush, top), cell, fontsize=10)
        box(page, 60, 300, 540, 400, f"{prose('Behind', 40)}.")

    assert cells_of(draw) == [
        ["Revenue", "$ 1,200", "$ (1,100)"],
        ["Costs:", "", ""],
        ["Wages and other pay", "(400)", "-"],
        ["Net income", "$ 800", "$ (1,100)"],
    ]


def contents(page: pymupdf.Page) -> None:
    set_rows(page, [[f"A chapter about {word}", str(7 * number)] for number, word in enumerate("abcdef")], [66, 420])


def numbered(page: pymupdf.Page) -> None:
    set_rows(page, [[f"({letter})", prose("an item of a list", 5)] for letter in "abcdef"], [66, 90])


def equations(page: pymupdf.Page) -> None:
    set_rows(page, [[f"x = {number} y + z", f"(2.{number})"] for number in range(1, 7)], [200, 480])


def listing(page: pymupdf.Page) -> None:
    for number, (left, right) in enumerate(
        [("a = 1", "# 10"), ("b = 22", "# 20"), ("c = 3", "# 30"), ("d = 4", "# 4")]
    ):
        page.insert_text((66, 100 + 12 * number), left, fontname="cour", fontsize=10)
        page.insert_text((300, 100 + 12 * number), right, fontname="cour", fontsize=10)


def authors(page: pymupdf.Page) -> None:
    for number, row in enumerate(
        (("Ann Lee", "Bartholomew Ott"), ("Mill College", "River School"), ("a@b.c", "d@e.f"))
    ):
        for middle, text in zip((180, 420), row, strict=True):
            x = middle - pymupdf.get_text_length(text, fontsize=10) / 2
            page.insert_text((x, 100 + 14 * number), text, fontsize=10)


def two_columns(page: pymupdf.Page) -> None:
    box(page, 60, 60, 290, 700, f"{prose('Left', 200)}.")
    box(page, 310, 60, 540, 700, f"{prose('Right', 200)}.")


def decorated(page: pymupdf.Page) -> None:
    page.draw_rect((40, 40, 560, 760), fill=(0.9, 0.9, 1))
    page.draw_rect((400, 40, 560, 760), fill=(0.8, 0.2, 0.2))
    page.draw_line((40, 400), (560, 400))
    box(page, 60, 60, 210, 380, f"{prose('Left', 60)}.")
    box(page, 230, 60, 380, 380, f"{prose('Middle', 60)}.")
    box(page, 420, 60, 540, 380, f"{prose('Right', 50)}.")


@pytest.mark.parametrize(
    "draw", [contents, numbered, equations, listing, authors, two_columns, decorated], ids=lambda x: x.__name__
)
def test_what_only_looks_like_columns_is_no_table(draw: Callable[[pymupdf.Page], None]) -> None:
    assert texts(parsed(pdf(draw)), BlockKind.TABLE) == []


def test_merged_cells_stand_in_every_place_they_cover() -> None:
    def draw(page: pymupdf.Page) -> None:
        for x0, y0, x1, y1, text in (
            (60, 100, 180, 140, "Model"),
            (180, 100, 420, 120, "Score"),
            (180, 120, 300, 140, "first"),
            (300, 120, 420, 140, "second"),
            (60, 140, 180, 160, "large"),
            (180, 140, 300, 160, "1.5"),
            (300, 140, 420, 160, "2.5"),
        ):
            page.draw_rect((x0, y0, x1, y1))
            page.insert_text((x0 + 8, (y0 + y1) / 2 + 4), text, fontsize=10)

    assert cells_of(draw) == [["Model", "Score", "Score"], ["Model", "first", "second"], ["large", "1.5", "2.5"]]


def gridded(*cells: tuple[float, float, float, float, str]) -> Callable[[pymupdf.Page], None]:
    """Drawn cells with their words, a line of which is 12 points high."""

    def draw(page: pymupdf.Page) -> None:
        for x0, y0, x1, y1, text in cells:
            page.draw_rect((x0, y0, x1, y1))
            lines = text.split("\n")
            for number, line in enumerate(lines):
                page.insert_text((x0 + 8, (y0 + y1) / 2 + 4 + 12 * (number - (len(lines) - 1) / 2)), line, fontsize=10)

    return draw


def test_numbers_of_a_merged_cell_are_in_each_row_beside_it() -> None:
    rows = [("30 min", "8.3"), ("60 min", "4.1"), ("90 min", "2.7")]
    labels = [(60, 100 + 60 * half, 180, 160 + 60 * half, name) for half, name in enumerate(("250 mL", "100 mL"))]
    values = [
        (180 + 120 * column, 100 + 20 * row, 300 + 120 * column, 120 + 20 * row, words)
        for row, (time, rate) in enumerate(2 * rows)
        for column, words in enumerate((time, rate))
    ]
    table = cells_of(gridded(*labels, *values))
    assert table == [["250 mL", *row] for row in rows] + [["100 mL", *row] for row in rows]


def test_drawn_rows_whose_cells_wrap_stay_whole_and_stacked_numbers_are_rows_of_their_own() -> None:
    lines = [
        ("Income", "You pay"),
        ("above $100\nto $200", "$5 now"),
        ("above $200\nto $300", "$7"),
        ("more", "$9"),
    ]
    cells = [
        (60 + 120 * column, 100 + 30 * row, 180 + 120 * column, 130 + 30 * row, words)
        for row, line in enumerate(lines)
        for column, words in enumerate((*line, line[0]))
    ]
    assert cells_of(gridded(*cells))[1] == ["above $100 to $200", "$5 now", "above $100 to $200"]
    stacked = [
        (60 + 120 * column, 100 + 40 * row, 180 + 120 * column, 140 + 40 * row, words)
        for row, line in enumerate((("Pond", "2023", "2024"), ("A\nB\nC", "1\n2\n3", "40\n50\n60")))
        for column, words in enumerate(line)
    ]
    assert ["B", "2", "50"] in cells_of(gridded(*stacked))


def test_names_below_a_name_head_a_table_that_is_mostly_dashes() -> None:
    rows = [["Methane", "100 million", "-", "-"], ["Ammonia", "200", "-", "-"], ["Mercury", "10", "1", "-"]]

    def draw(page: pymupdf.Page) -> None:
        page.draw_rect((180, 100, 480, 120))
        page.insert_text((280, 114), "Threshold", fontsize=10)
        for number, row in enumerate([["", "to air", "to water", "to land"], *rows]):
            for column, cell in enumerate(row):
                x, y = 180 + 100 * (column - 1), 120 + 20 * number
                page.draw_rect((x, y, x + 100, y + 20))
                page.insert_text((x + 8, y + 14), cell, fontsize=10)
        page.draw_rect((80, 100, 180, 120))

    document = parsed(pdf(draw))
    (table,) = blocks(document, BlockKind.TABLE)
    assert table.header is not None
    assert document.text[table.header.start : table.header.end].split("\n") == [
        "| Threshold | Threshold | Threshold",
        "| to air | to water | to land",
    ]


def test_a_header_over_a_short_rule_heads_all_its_columns() -> None:
    def draw(page: pymupdf.Page) -> None:
        set_rows(page, [["", "Accuracy", ""], ["Name", "dev", "test"]], [66, 230, 340], top=114)
        page.draw_line((215, 119), (420, 119))
        set_rows(
            page, [["one", "91.2", "90.1"], ["two", "92.0", "88.8"], ["three", "9.0", "7.5"]], [66, 215, 330], top=146
        )
        for y in (100, 134, 184):
            page.draw_line((60, y), (430, y))

    assert cells_of(draw) == [
        ["", "Accuracy", "Accuracy"],
        ["Name", "dev", "test"],
        ["one", "91.2", "90.1"],
        ["two", "92.0", "88.8"],
        ["three", "9.0", "7.5"],
    ]


def test_a_name_over_several_lines_is_one_cell_and_words_over_all_columns_stand_in_each() -> None:
    def draw(page: pymupdf.Page) -> None:
        for x, y, words in (
            (250, 80, "Statement of Ponds"),
            (333, 100, "Years ended"),
            (250, 112, "June 28,"),
            (330, 112, "Other net"),
            (330, 124, "income"),
            (410, 112, "June 24,"),
        ):
            page.insert_text((x, y), words, fontsize=10)
        set_rows(page, [["", "2024", "2023", "2022"], ["Sales:", "", "", ""]], [66, 230, 310, 390], top=140)
        set_rows(page, [[name, "1,204", "980", "877"] for name in ("Reeds", "Ducks", "Total")], [66, 230, 310, 390])

    document = parsed(pdf(draw))
    (table,) = blocks(document, BlockKind.TABLE)
    assert table.header is not None
    assert document.text[table.header.start : table.header.end].split("\n") == [
        "| Years ended June 28, | Years ended Other net income | Years ended June 24,",
        "| 2024 | 2023 | 2022",
    ]
    assert document.text[table.parts[0].start : table.parts[0].end] == "Sales: |  |  |"
    assert "Statement of Ponds" not in document.text[table.start : table.end]


def test_shading_around_several_columns_draws_no_cells() -> None:
    def draw(page: pymupdf.Page) -> None:
        for number in range(4):
            for x0, x1 in ((60, 300), (300, 420)):
                page.draw_rect((x0, 156 + 24 * number, x1, 180 + 24 * number), fill=(0.8, 0.9, 1))
        set_rows(page, [[f"Pond {name}", "1,204", "980"] for name in "ABCD"], [66, 220, 340], top=172, step=24)

    assert cells_of(draw) == [[f"Pond {name}", "1,204", "980"] for name in "ABCD"]


@pytest.mark.parametrize("below", ["table", "text", "nothing"])
def test_bold_titles_below_each_other_are_a_heading_above_a_table_alone(below: str) -> None:
    def line(number: int, text: str = "", *, bold: bool = False, table: TableCells | None = None) -> TextLine:
        y, right = 11.0 * number, 60 + 5.0 * len(text)
        return TextLine(text, 60, y, right, y + 10, y + 8, 10, bold=bold, font="Times", table=table)

    titles = [line(at, text, bold=True) for at, text in enumerate(("The Mill", "Corn that was ground", "By year"), 9)]
    drafts = [
        Draft(BlockKind.PARAGRAPH, [(1, line(at, f"{prose('Before', 20)}")) for at in range(9)]),
        Draft(BlockKind.PARAGRAPH, [(1, title) for title in titles]),
    ]
    if below != "nothing":
        drafts.append(
            Draft(
                BlockKind.PARAGRAPH, [(1, line(13, "the river", table=TableCells((), 0) if below == "table" else None))]
            )
        )
    mark_headings(drafts, [], 10.0, "Times")
    assert [draft.kind is BlockKind.HEADING for draft in drafts[:2]] == [False, below == "table"]


def transcript(page: pymupdf.Page, *, is_framed: bool) -> None:
    """Times beside what was said, in drawn cells. ``is_framed``: the times are outside, so that a frame is left."""
    heights = [100, 130, 560, 590, 620]
    said = ["Where did you serve?", prose("Well", 180) + ".", "And after the war?", "I came home."]
    for number, words in enumerate(said):
        page.insert_text((52, heights[number] + 16), f"01:0{number}:15", fontsize=10)
        box(page, 120, heights[number] + 6, 500, heights[number + 1], words)
    for y in heights:
        page.draw_line((110 if is_framed else 50, y), (520, y))
    for x in (110, 520) if is_framed else (50, 110, 520):
        page.draw_line((x, heights[0]), (x, heights[-1]))


def test_cells_may_hold_long_text_beside_a_time_or_a_name_of_each_row() -> None:
    rows = cells_of(lambda page: transcript(page, is_framed=False))
    assert [row[0] for row in rows] == [f"01:0{number}:15" for number in range(4)]
    assert (rows[0][1], rows[3][1]) == ("Where did you serve?", "I came home.")
    assert len(rows[1][1]) > 800
    assert not blocks(parsed(pdf(lambda page: transcript(page, is_framed=True))), BlockKind.TABLE)


MEANINGS = {
    "id (number)": f"{prose('The', 22)}.",
    "party (text)": "The party of the member.",
    "margin (number)": f"{prose('By', 20)}.",
    "sex (0 or 1)": "Whether the member is a woman.",
    "votes (number)": f"{prose('Of', 21)}.",
    "year (number)": "When the member was first elected.",
}


def codebook(page: pymupdf.Page, *, in_sentences: bool = False) -> None:
    y = 80.0
    for name, meaning in MEANINGS.items():
        page.insert_text((60, y), name, fontsize=10)
        words = meaning.lower() if in_sentences else meaning
        while words:
            line = words[:60].rpartition(" ")[0] if len(words) > 60 else words
            page.insert_text((180, y), line, fontsize=10)
            words, y = words[len(line) :].strip(), y + 13


def test_names_beside_what_they_mean_are_rows_without_rules_or_caption() -> None:
    assert cells_of(codebook) == [[name, meaning] for name, meaning in MEANINGS.items()]
    beside = parsed(pdf(lambda page: codebook(page, in_sentences=True)))
    assert not blocks(beside, BlockKind.TABLE)
