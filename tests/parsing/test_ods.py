"""OpenDocument sheets, written by hand: repeats, spans, typed values, what floats over cells, and hostile files."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing.sheets import ods_reader
from tests.parsing.packages import packed
from tests.parsing.sheet_files import document_of, headers, ods, read_ods, shown, values


def text(words: str, attributes: str = "", inside: str = "") -> str:
    return (
        f'<table:table-cell office:value-type="string" {attributes}>{inside}<text:p>{words}</text:p></table:table-cell>'
    )


def number(value: float, attributes: str = "", kind: str = "float", words: str = "") -> str:
    stated = f'office:value-type="{kind}" office:value="{value}"'
    return f"<table:table-cell {stated} {attributes}><text:p>{words or value}</text:p></table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


BLANK = "<table:table-cell/>"
SALES = row(text("Pond"), text("Ducks")) + row(text("Upper"), number(3)) + row(text("Lower"), number(4))


def test_a_table_and_its_title() -> None:
    reading = read_ods(row(text("Ducks a year")) + row(BLANK) + SALES)
    assert shown(reading) == [
        ("heading", "Data"),
        ("caption", "Ducks a year"),
        ("table", "Pond | Ducks\nUpper | 3\nLower | 4"),
    ]
    assert headers(reading) == ["Pond | Ducks"]


def test_values_are_typed_and_days_read_as_iso_has_them() -> None:
    def stated(kind: str, name: str, value: str, words: str) -> str:
        attributes = f'office:value-type="{kind}" office:{name}="{value}"'
        return f"<table:table-cell {attributes}><text:p>{words}</text:p></table:table-cell>"

    cells = [
        stated("float", "value", "1234.5", "1 234,50"),
        stated("percentage", "value", "0.25", "25%"),
        stated("currency", "value", "2", "€2.00"),
        stated("date", "date-value", "2024-01-31", "31.01.24"),
        stated("date", "date-value", "2024-01-31T10:30:00", "31.01.24 10:30"),
        stated("date", "date-value", "2024-01-31T00:00:00", "31.01.24"),
        stated("time", "time-value", "PT10H30M00S", "10:30"),
        stated("boolean", "boolean-value", "true", "WAHR"),
        stated("string", "string-value", "hidden", "seen"),
        '<table:table-cell office:value-type="float" office:value="7"/>',
        '<table:table-cell office:value-type="string" office:string-value="bare"/>',
        '<table:table-cell table:formula="of:=SUM([.A1:.B1])"/>',
    ]
    reading = read_ods(row(*cells))
    assert shown(reading)[1][1] == (
        "1 234,50 | 25% | €2.00 | 2024-01-31 | 2024-01-31 10:30:00 | 2024-01-31 | 10:30 | WAHR | seen | 7 | bare | "
        "=SUM([.A1:.B1])"
    )
    assert values(reading) == [
        [1234.5, 0.25, 2, "2024-01-31", "2024-01-31T10:30:00", "2024-01-31", "10:30:00", True, "seen", 7, "bare",
         "=SUM([.A1:.B1])"],
    ]  # fmt: skip
    assert len(reading.notes) == 1
    assert reading.notes[0].startswith('In the sheet "Data", 1 formula has no stored result')


def test_repeats_are_written_out_and_trailing_ones_dropped() -> None:
    many = 'table:number-columns-repeated="16384"'
    rows = (
        row(number(1, 'table:number-columns-repeated="2"'), f"<table:table-cell {many}/>")
        + row(number(5), number(6), attributes='table:number-rows-repeated="3"')
        + row(f"<table:table-cell {many}/>", attributes='table:number-rows-repeated="1048570"')
    )
    assert shown(read_ods(rows))[1] == ("table", "1 | 1\n5 | 6\n5 | 6\n5 | 6")


def test_repeats_of_content_are_bounded() -> None:
    many = 'table:number-columns-repeated="16384"'
    with pytest.raises(ParseError, match=r"a\.ods holds more than 5,000,000 filled cells"):
        read_ods(row(number(5, many), attributes='table:number-rows-repeated="1048576"'))


def test_merged_cells_stand_in_every_place_and_what_lies_under_them_is_noted() -> None:
    covered = "<table:covered-table-cell/>"
    rows = (
        row(text("Pond", 'table:number-rows-spanned="2"'), text("Count", 'table:number-columns-spanned="2"'), covered)
        + row(
            "<table:covered-table-cell><text:p>unseen</text:p></table:covered-table-cell>", text("Day"), text("Night")
        )
        + row(text("Upper"), number(3), number(4))
    )
    reading = read_ods(rows)
    assert shown(reading)[1] == ("table", "Pond | Count | Count\nPond | Day | Night\nUpper | 3 | 4")
    assert headers(reading) == ["Pond | Count | Count\nPond | Day | Night"]
    assert reading.notes == ('In the sheet "Data", 1 cell lies unseen under merged ones: left out.',)


def test_inline_text_links_and_annotations() -> None:
    note = (
        "<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-06-18T09:00:00</dc:date>"
        "<text:p>Too few?</text:p></office:annotation>"
    )
    words = (
        'one<text:s text:c="2"/>two<text:line-break/>'
        '<text:a xlink:href="https://a.example/">th<text:span>ree</text:span></text:a></text:p><text:p>four'
    )
    reading = read_ods(row(text(words, inside=note)))
    assert shown(reading)[1:] == [
        ("paragraph", "one two\nthree\nfour"),
        ("footnote", "Comment by Ann, 2026-06-18, on A1: Too few?"),
    ]
    document = document_of(reading)
    assert [(document.text[link.start : link.end], link.target) for link in document.links] == [
        ("three", "https://a.example/")
    ]


def test_what_the_file_says_of_headers_and_looks_counts() -> None:
    plain = row(number(1), number(2)) + row(number(3), number(4))
    rows = f"<table:table-header-rows>{row(number(8), number(9))}</table:table-header-rows>{plain}"
    assert headers(read_ods(rows)) == ["8 | 9"]
    area = '<table:database-range table:target-range-address="Data.A1:Data.B2"/>'
    assert headers(read_ods(plain, after=f"<table:database-ranges>{area}</table:database-ranges>")) == ["1 | 2"]
    bold = (
        '<style:style style:name="b"><style:text-properties fo:font-weight="bold"/></style:style>'
        '<style:style style:name="c" style:parent-style-name="b"/>'
    )
    same = row(text("x", 'table:style-name="c"'), text("x", 'table:style-name="c"')) + row(text("x"), text("x")) * 3
    assert headers(read_ods(same, styles=bold)) == ["x | x"]


def test_hidden_sheets_rows_columns_and_letters_are_read_and_noted() -> None:
    style = (
        '<style:style style:name="h"><style:table-properties table:display="false"/></style:style>'
        '<style:style style:name="w"><style:text-properties fo:color="#ffffff"/></style:style>'
        '<style:style style:name="d" style:parent-style-name="w">'
        '<style:table-cell-properties fo:background-color="#202020"/></style:style>'
    )
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    first = row(text("a", 'table:style-name="d"'), text("x"), text("w", 'table:style-name="w"'))
    hidden = row(text("b"), attributes='table:visibility="collapse"')
    sheets = (
        f'<table:table table:name="One">{columns}{first}{hidden}</table:table>'
        f'<table:table table:name="Two" table:style-name="h">{row(text("c"))}</table:table>'
        '<table:table table:name="Three"/>'
    )
    reading = ods_reader.read(ods(sheets, styles=style), "a.ods")
    assert [words for kind, words in shown(reading) if kind == "heading"] == ["One", "Two"]
    assert reading.notes == (
        'The sheet "One" has 1 hidden row and 1 hidden column; what they hold is read all the same.',
        'The sheet "Two" is hidden in the workbook; it is read all the same.',
        'Empty sheets are left out: "Three".',
        '4 words that nobody sees are read as text, in the sheet "One" first: “x w b c”.',
    )


def test_charts_text_boxes_and_described_pictures() -> None:
    chart = (
        "<office:body><office:chart><chart:chart><chart:title><text:p>Ducks seen</text:p></chart:title>"
        f"<table:table><table:table-header-rows>{row(BLANK, text('Ducks'))}</table:table-header-rows>"
        f"<table:table-rows>{row(text('Upper'), number(3))}{row(text('Lower'), number(nan))}</table:table-rows>"
        "</table:table></chart:chart></office:chart></office:body>"
    )
    framed = (
        '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="x.png"/></draw:frame>'
        "<draw:frame><draw:text-box><text:p>Mind the gap</text:p></draw:text-box></draw:frame>"
        "<draw:frame><draw:image/><svg:desc>A duck on a pond</svg:desc></draw:frame>"
        "<draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape>"
    )
    rows = SALES + row(BLANK, f"<table:table-cell>{framed}</table:table-cell>")
    assert shown(read_ods(rows, parts={"Object 1/content.xml": chart}))[2:] == [
        ("caption", "Ducks seen"),
        ("table", "| Ducks\nUpper | 3\nLower |"),
        ("paragraph", "Mind the gap"),
        ("caption", "A duck on a pond"),
        ("paragraph", "In a shape"),
    ]


def test_the_file_states_its_title_and_metadata() -> None:
    meta = (
        "<office:meta><dc:title>Ducks</dc:title><meta:initial-creator>Ann</meta:initial-creator><dc:creator>Bo</dc:creator>"
        "<meta:keyword>pond</meta:keyword><meta:keyword>lake</meta:keyword></office:meta>"
    )
    sheet = f'<table:table table:name="Data">{SALES}</table:table>'
    reading = ods_reader.read(ods(sheet, parts={"meta.xml": meta}), "a.ods")
    assert (reading.title, reading.metadata) == ("Ducks", {"author": "Ann", "keywords": "pond, lake"})


@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=1, max_size=5), min_size=1, max_size=6))
def test_every_filled_cell_is_there_once(grid: list[list[str]]) -> None:
    filled = [[f"{word}{y}x{x}" if word else "" for x, word in enumerate(line)] for y, line in enumerate(grid)]
    rows = "".join(row(*(text(word) if word else BLANK for word in line)) for line in filled)
    wanted = sorted(word for line in filled for word in line if word)
    if not wanted:
        assert read_ods(rows).pieces == ()
        return
    assert sorted(document_of(read_ods(rows, name="S")).text.replace("|", " ").split()[1:]) == wanted


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"PK\3\4 cut off", "cut off or damaged"),
        (packed({"mimetype": "x"}), r"lacks its part content\.xml"),
        (ods("", parts={"META-INF/manifest.xml": "<encryption-data/>"}), "encrypted with a password"),
        (packed({"content.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a><style>&b;</style></a>'}), "declares entities"),
        (packed({"content.xml": "<a><style/>"}), r"its part content\.xml cannot be read"),
    ],
)
def test_what_cannot_be_read_says_so_in_a_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(ParseError, match=rf"a\.ods.*{sentence}"):
        ods_reader.read(data, "a.ods")
