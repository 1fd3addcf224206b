"""Excel's workbooks: what a person sees in a sheet is what is read, in order, typed, with nothing lost."""

from __future__ import annotations

import datetime
import random

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.styles import Color, Font, PatternFill
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from core.parsing.flow import compose
from core.parsing.sheets import reader as sheet_reader
from core.parsing.sheets.formats import show_number
from tests.parsing.packages import packed, parts_of
from tests.parsing.sheet_files import document_of, headers, read_xlsx, rows_of, saved, shown, values, with_cells, xlsx

SALES = (("Region", "Day", "Share"), ("North", 3, 0.5), ("South", 4, 0.25))
DRAWING = (
    '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">{}</xdr:wsDr>'
)
THREADS = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PERSONS = "http://schemas.microsoft.com/office/2017/10/relationships"


# Every cell, once, in its place


@given(st.sets(st.tuples(st.integers(0, 14), st.integers(0, 9)), min_size=1, max_size=60), st.randoms())
def test_scattered_cells_are_all_there_exactly_once(places: set[tuple[int, int]], chance: random.Random) -> None:
    texts = {place: chance.choice([f"w{place[0]}x{place[1]}", "same"]) for place in places}

    def fill(sheet: Worksheet) -> None:
        for (row, column), text in texts.items():
            cell = sheet.cell(row + 1, column + 1, text)
            cell.font = Font(bold=chance.random() < 0.2)

    document = document_of(read_xlsx(fill, name="S"))
    found = document.text.replace("|", " ").split()[1:]
    assert sorted(found) == sorted(texts.values())
    for row in range(15):  # whatever the regions are, a row is read from left to right inside each
        for block in document.blocks:
            inside = [word for word in document.text[block.start : block.end].split() if word.startswith(f"w{row}x")]
            assert inside == sorted(inside, key=lambda word: int(word.partition("x")[2]))


# Regions


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("Ducks a year",), (), *SALES], [("caption", "Ducks a year"), ("table", "Region | Day | Share")]),
        ([("Ducks a year",), *SALES], [("caption", "Ducks a year"), ("table", "Region | Day | Share")]),
        ([*SALES, (), (), ("A note.",)], [("table", "Region | Day | Share"), ("paragraph", "A note.")]),
        (
            [("As of", datetime.date(2024, 5, 1)), (), *SALES],
            [("caption", "As of 2024-05-01"), ("table", "Region | Day | Share")],
        ),
        (
            [("Name", "Age", None, "Town", "Rain"), ("Ann", 3, None, "Bern", 9)],
            [("table", "Name | Age"), ("table", "Town | Rain")],
        ),
        (
            [("Name", "Age"), ("Ann", 3), (), ("Town", "Rain"), ("Bern", 9)],
            [("table", "Name | Age"), ("table", "Town | Rain")],
        ),
        ([("Only a word",)], [("paragraph", "Only a word")]),
        ([(5,)], [("table", "5")]),
    ],
)
def test_blank_rows_and_columns_part_tables(rows: list[tuple[object, ...]], expected: list[tuple[str, str]]) -> None:
    blocks = shown(read_xlsx(rows_of(*rows)))[1:]
    assert [(kind, text.split("\n")[0]) for kind, text in blocks] == expected


@pytest.mark.parametrize(
    ("rows", "text", "header"),
    [
        ([("Year", "Ducks"), (), (2019, 120), (2020, 135)], "Year | Ducks\n2019 | 120\n2020 | 135", "Year | Ducks"),
        ([("Year", "Ducks"), (2019, 120), (), (2020, 135)], "Year | Ducks\n2019 | 120\n2020 | 135", "Year | Ducks"),
        (
            [("Item", 2024, 2025), ("Sales", 120, 135), (), ("Costs",), ("Oats", 20, 25), ("Water", None, 5)],
            "Item | 2024 | 2025\nSales | 120 | 135\nCosts |  |\nOats | 20 | 25\nWater |  | 5",
            "Item | 2024 | 2025",
        ),
        (
            [("Voltage", None, "kV", 130), ("Frequency", None, "Hz", 50), ("Phases", None, None, 3)],
            "Voltage | kV | 130\nFrequency | Hz | 50\nPhases |  | 3",
            None,
        ),
    ],
)
def test_a_blank_row_or_column_inside_a_table_does_not_part_it(
    rows: list[tuple[object, ...]], text: str, header: str | None
) -> None:
    reading = read_xlsx(rows_of(*rows))
    assert shown(reading)[1:] == [("table", text)]
    assert headers(reading) == [header]


def test_prose_in_cells_is_prose() -> None:
    first, second = "The ducks came back in spring, as they do.", "Nobody had counted them before that year, it seems."
    assert shown(read_xlsx(rows_of((first,), (second,))))[1:] == [("paragraph", first), ("paragraph", second)]


def test_merged_cells_stand_in_every_place_and_a_merged_title_once() -> None:
    def fill(sheet: Worksheet) -> None:
        rows_of(("Ducks", None, None), ("Pond", "Count", None), (None, "Day", "Night"), ("Upper", 3, 4), (None, 5, 6))(
            sheet
        )
        for area in ("A1:C1", "A2:A3", "B2:C2", "A4:A5"):
            sheet.merge_cells(area)

    reading = read_xlsx(fill)
    assert shown(reading)[1:] == [
        ("caption", "Ducks"),
        ("table", "Pond | Count | Count\nPond | Day | Night\nUpper | 3 | 4\nUpper | 5 | 6"),
    ]
    assert headers(reading) == ["Pond | Count | Count\nPond | Day | Night"]


def test_group_lines_stay_in_their_table() -> None:
    rows = [
        ("Power",),
        (1, "Voltage", "kV"),
        (2, "Phases", "3"),
        ("Build",),
        (3, "Case", "steel"),
        ("Notes",),
        (4, "x", "y"),
    ]
    assert [kind for kind, _ in shown(read_xlsx(rows_of(*rows)))] == ["heading", "table"]


# Headers


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        (SALES, "Region | Day | Share"),
        ([("Ann", 3), ("Bob", 4)], None),
        ([("Name", "Town"), ("Ann", "Bern"), ("Bob", "Rome")], "Name | Town"),
        ([("Ann", "Bern"), ("Bob", "Bern")], None),
        ([("Region", 2019, 2020, 2021), ("North", 5, 7, 9), ("South", 4, 4, 8)], "Region | 2019 | 2020 | 2021"),
        ([("Name:", "Ann"), ("Age:", 3)], None),
        ([("Sort", "Weight", "Width"), (None, "kg", "m"), ("a", 1, 2), ("b", 3, 4)], "Sort | Weight | Width\n| kg | m"),
        ([(1, 2), (3, 4)], None),
    ],
)
def test_headers_differ_from_what_is_under_them(rows: list[tuple[object, ...]], header: str | None) -> None:
    assert headers(read_xlsx(rows_of(*rows))) == [header]


@pytest.mark.parametrize("look", [{"font": Font(bold=True)}, {"fill": PatternFill("solid", fgColor="FFFF00")}])
def test_bold_or_shaded_first_rows_are_headers(look: dict[str, object]) -> None:
    def fill(sheet: Worksheet) -> None:
        rows_of(("Bern", "Bern"), ("Bern", "Rome"), ("Oslo", "Rome"))(sheet)
        for cell in sheet[1]:
            for name, value in look.items():
                setattr(cell, name, value)

    assert headers(read_xlsx(fill)) == ["Bern | Bern"]


def test_what_the_file_says_of_headers_counts() -> None:
    def filtered(sheet: Worksheet) -> None:
        rows_of((1, 2), (3, 4), (5, 6))(sheet)
        sheet.auto_filter.ref = "A1:B3"

    def frozen(sheet: Worksheet) -> None:
        rows_of((1, 2), (3, 4), (5, 6))(sheet)
        sheet.freeze_panes = "A2"

    def printed(sheet: Worksheet) -> None:
        rows_of((1, 2), (3, 4), (5, 6))(sheet)
        sheet.print_title_rows = "1:1"

    assert headers(read_xlsx(filtered, frozen, printed)) == ["1 | 2"] * 3


def test_a_declared_table_is_cut_out_of_what_touches_it() -> None:
    def fill(sheet: Worksheet) -> None:
        rows_of(("Stock",), ("a", "b"), ("c", "d"), ("e", "f"), ("Counted by hand.",))(sheet)
        sheet.add_table(Table(displayName="Stock", ref="A2:B4"))

    reading = read_xlsx(fill)
    assert shown(reading)[1:] == [
        ("caption", "Stock"),
        ("table", "a | b\nc | d\ne | f"),
        ("paragraph", "Counted by hand."),
    ]
    assert headers(reading) == ["a | b"]


# What cells show


@pytest.mark.parametrize(
    ("value", "code", "text", "stated"),
    [
        (5000, "General", "5000", 5000),
        (0.1 + 0.2, "General", "0.3", 0.1 + 0.2),
        (4006381333931, "General", "4006381333931", 4006381333931),
        (0.256, "0%", "26%", 0.256),
        (1234567.891, "#,##0.00", "1,234,567.89", 1234567.891),
        (1.005, "0.00", "1.01", 1.005),
        (-5, "#,##0_);[Red](#,##0)", "(5)", -5),
        (-5, "0.0", "-5.0", -5),
        (1.5, "[$€-407] #,##0.00", "€ 1.50", 1.5),
        (1.5, '#,##0.00\\ "€"', "1.50 €", 1.5),
        (1234567, '0.0,,"M"', "1.2M", 1234567),
        (7, "000", "007", 7),
        (5551234567, "(###) ###-####", "(555) 123-4567", 5551234567),
        (12345.678, "0.00E+00", "12345.678", 12345.678),  # not carried out: shown whole
        (3, ";;;", "3", 3),
        (45292, "dd/mm/yyyy", "2024-01-01", "2024-01-01"),
        (45292.25, "d.m.yy h:mm", "2024-01-01 06:00", "2024-01-01T06:00:00"),
        (45292, "yyyy-mm-dd h:mm:ss", "2024-01-01 00:00:00", "2024-01-01"),
        (45292, "mmm-yy", "2024-01", "2024-01-01"),
        (45292, "dddd", "Monday", "2024-01-01"),
        (0.5, "h:mm AM/PM", "12:00", "12:00:00"),
        (1.25, "[h]:mm:ss", "30:00:00", "30:00:00"),
        (60, "yyyy-mm-dd", "1900-02-28", "1900-02-28"),
        (-1, "yyyy-mm-dd", "-1", -1),
        (1e300, "#,##0", "1E+300", 1e300),
    ],
)
def test_number_formats(value: float, code: str, text: str, stated: object) -> None:
    assert show_number(value, code)[:2] == (text, stated)


@given(st.floats(allow_nan=True, allow_infinity=True), st.text(alphabet='0#?.,%E+-/ymdhs;@"\\[]_* G$', max_size=20))
def test_any_number_under_any_format_shows_something(value: float, code: str) -> None:
    found = show_number(value, code)
    assert found.text.strip() or "text" in code


def test_text_formulas_errors_and_truth() -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>in</t></is></c>'
        '<c r="C1" t="e"><v>#DIV/0!</v></c><c r="D1" t="b"><v>1</v></c></row>'
        '<row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="str"><f>A1&amp;"x"</f><v>yx</v></c>'
        '<c r="C2"><f t="shared" ref="C2:C3" si="0">A2*$B$1</f></c><c r="D2" t="str"><f>""</f><v></v></c></row>'
        '<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" t="d"><v>2024-05-06T00:00:00</v></c>'
        '<c r="C3"><f t="shared" si="0"/></c><c><v>9</v></c></row>'
    )
    strings = (
        "<si><r><t>one</t></r><r><rPr><b/></rPr><t xml:space='preserve'> two</t></r><rPh><t>aid</t></rPh></si>"
        "<si><t>a_x000A_b_x005F_x000D_</t></si>"
    )
    reading = sheet_reader.read(with_cells(rows, strings=strings), "a.xlsx")
    assert values(reading) == [
        ["one two", "in", "#DIV/0!", True],
        [2, "yx", "=A2*$B$1", None],
        ["a\nb_x000D_", "2024-05-06", None, 9],
    ]
    (note,) = reading.notes
    assert note.startswith('In the sheet "Data", 2 formulas have no stored result')


def test_links_lead_where_they_say_and_never_run_anything() -> None:
    def fill(sheet: Worksheet) -> None:
        rows_of(("Site", "Place", "Bad"), ("a", "b", "c"))(sheet)
        sheet["A2"].hyperlink = "https://example.org/x"
        sheet["B2"].hyperlink = openpyxl.worksheet.hyperlink.Hyperlink(ref="B2", location="Data!A1")
        sheet["C2"].hyperlink = "javascript:go()"

    document = document_of(read_xlsx(fill))
    assert [(document.text[link.start : link.end], link.target) for link in document.links] == [
        ("a", "https://example.org/x"),
        ("b", "#Data!A1"),
    ]
    rows = '<row r="1"><c r="A1" t="str"><f>HYPERLINK("https://a.example/","Go")</f><v>Go</v></c></row>'
    (link,) = document_of(sheet_reader.read(with_cells(rows), "a.xlsx")).links
    assert link.target == "https://a.example/"


# Around the cells


def test_letters_that_nobody_sees_are_read_and_told_of() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    dark, white = (PatternFill("solid", fgColor=colour) for colour in ("FF202020", "FFFFFFFF"))
    for row, (words, font, fill, number) in enumerate(
        [
            ("seen", Font(), None, "General"),
            ("on dark", Font(color="FFFFFFFF"), dark, "General"),
            ("white", Font(color="FFFFFFFF"), None, "General"),
            ("theme", Font(color=Color(theme=0)), white, "General"),
            ("same", Font(color="FF202020"), dark, "General"),
            ("tiny", Font(size=1), None, "General"),
            ("formatted", Font(), None, ";;;"),
        ],
        1,
    ):
        cell = sheet.cell(row, 1, words)
        cell.font, cell.number_format, cell.fill = font, number, fill or PatternFill()
    sheet["C1"] = "column"
    sheet.column_dimensions["C"].hidden = True
    reading = sheet_reader.read(saved(book), "a.xlsx")
    assert {"seen", "white", "formatted", "column"} <= set(compose(reading.pieces).text.replace("|", " ").split())
    hidden, unseen = reading.notes
    assert hidden == 'The sheet "Sheet" has 1 hidden column; what they hold is read all the same.'
    assert unseen.startswith('6 words that nobody sees are read as text, in the sheet "Sheet" first: ')
    assert unseen.endswith("“column white theme same tiny formatted”.")


def test_sheets_are_headings_hidden_ones_are_noted_and_empty_ones_left_out() -> None:
    book = openpyxl.Workbook()
    book.active.title = "First"
    book.active["A1"] = "seen"
    for name, state in (("Second", "hidden"), ("Third", "veryHidden"), ("Fourth", "visible")):
        sheet = book.create_sheet(name)
        sheet.sheet_state = state
        sheet["A1"] = "words" if state != "visible" else None
    book["First"].row_dimensions[1].hidden = True
    book.properties.title, book.properties.creator = "Ducks", "Ann"
    reading = sheet_reader.read(saved(book), "a.xlsx")
    assert [text for kind, text in shown(reading) if kind == "heading"] == ["First", "Second", "Third"]
    assert reading.notes == (
        'The sheet "First" has 1 hidden row; what they hold is read all the same.',
        'The sheet "Second" is hidden in the workbook; it is read all the same.',
        'The sheet "Third" is hidden in the workbook; it is read all the same.',
        'Empty sheets are left out: "Fourth".',
        '3 words that nobody sees are read as text, in the sheet "First" first: “seen words words”.',
    )
    assert (reading.title, reading.metadata["author"]) == ("Ducks", "Ann")


def test_comments_stand_behind_their_table() -> None:
    def fill(sheet: Worksheet) -> None:
        rows_of(*SALES, (), (), ("A note.",))(sheet)
        sheet["B3"].comment = Comment("Ann:\nToo few?", "Ann")
        sheet["H9"].comment = Comment("On nothing", "")

    assert [text for _, text in shown(read_xlsx(fill))[2:]] == [
        "Comment by Ann on B3: Too few?",
        "A note.",
        "Comment on H9: On nothing",
    ]


def test_threads_are_read_with_their_replies_instead_of_the_note_that_repeats_them() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["A1"] = "x"
        sheet["A1"].comment = Comment("[Threaded comment] Your version of Excel ...", "tc={1}")

    parts = parts_of(xlsx(fill))
    thread = (
        f'<ThreadedComments xmlns="{THREADS}"><threadedComment ref="A1" dT="2026-06-18T10:00:00.00" personId="p" '
        'id="1"><text>Right?</text></threadedComment><threadedComment ref="A1" dT="2026-06-19T10:00:00.00" '
        'personId="q" id="2" parentId="1"><text>Yes.</text></threadedComment></ThreadedComments>'
    )
    people = (
        f'<personList xmlns="{THREADS}"><person displayName="Jane Smith" id="p"/><person displayName="Bo" id="q"/>'
        "</personList>"
    )
    relation = '<Relationship Id="{}" Type="{}" Target="{}"/></Relationships>'
    for name, row in (
        ("xl/worksheets/_rels/sheet1.xml.rels", ("t1", f"{PERSONS}/threadedComment", "../threadedComments/t1.xml")),
        ("xl/_rels/workbook.xml.rels", ("t2", f"{PERSONS}/person", "persons/p.xml")),
    ):
        parts[name] = parts[name].replace("</Relationships>", relation.format(*row))
    data = packed({**parts, "xl/threadedComments/t1.xml": thread, "xl/persons/p.xml": people})
    assert [text for kind, text in shown(sheet_reader.read(data, "a.xlsx")) if kind == "footnote"] == [
        "Comment by Jane Smith, 2026-06-18, on A1: Right?",
        "Reply by Bo, 2026-06-19, on A1: Yes.",
    ]


def test_a_chart_without_a_copy_of_its_cells_is_its_title_in_its_place() -> None:
    def fill(sheet: Worksheet) -> None:
        rows_of(("Pond", "Ducks"), ("Upper", 3), ("Lower", 4), (), (), ("The end of it.",))(sheet)
        chart = BarChart()
        chart.title = "Ducks seen"
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
        sheet.add_chart(chart, "D2")

    assert shown(read_xlsx(fill))[2:] == [("caption", "Ducks seen"), ("paragraph", "The end of it.")]


def test_text_boxes_and_described_pictures_are_read_at_their_anchor() -> None:
    box = (
        "<xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>{row}</xdr:row></xdr:from>"
        "{inside}<xdr:clientData/></xdr:twoCellAnchor>"
    )
    lines = [("Mind ", "the gap"), ("Two",)]
    runs = ["".join(f"<a:r><a:t>{run}</a:t></a:r>" for run in line) for line in lines]
    text = f"<xdr:sp><xdr:txBody>{''.join(f'<a:p>{line}</a:p>' for line in runs)}</xdr:txBody></xdr:sp>"
    picture = '<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" descr="A duck on a pond"/></xdr:nvPicPr></xdr:pic>'
    plain = picture.replace("A duck on a pond", "image1.png")
    grouped = f"<xdr:grpSp>{plain}{text}</xdr:grpSp>"
    data = xlsx(rows_of(("above",), (), (), (), (), (), ("below",)))
    parts = parts_of(data)
    parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"].replace(
        "</worksheet>", f'<drawing xmlns:r="{RELATIONS}" r:id="d"/></worksheet>'
    )
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="d" Type="{RELATIONS}/drawing" Target="/xl/drawings/d.xml"/></Relationships>'
    )
    parts["xl/drawings/d.xml"] = DRAWING.format(box.format(row=2, inside=grouped) + box.format(row=9, inside=picture))
    assert shown(sheet_reader.read(packed(parts), "a.xlsx"))[1:] == [
        ("paragraph", "above"),
        ("paragraph", "Mind the gap"),
        ("paragraph", "Two"),
        ("paragraph", "below"),
        ("caption", "A duck on a pond"),
    ]
