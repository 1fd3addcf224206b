"""Separated values: the separator found, headers told, nothing lost, and no file too odd to be read."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing.plain.table_dialect import Dialect, records
from core.parsing.plain.table_text import read
from core.parsing.table_header import cell_value
from tests.parsing.sheet_files import document_of, headers, shown, values

WORDS = st.text(alphabet="abcdefghij", min_size=1, max_size=6)


def of(text: str, name: str = "a.csv") -> list[tuple[str, str]]:
    return shown(read(text.encode(), name))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", "a | b\n1 | 2"),
        ("a;b\n1,5;2,5\n3,5;4,5\n", "a | b\n1,5 | 2,5\n3,5 | 4,5"),
        ("1,5;2,5;x\n3,5;4,5;y\n", "1,5 | 2,5 | x\n3,5 | 4,5 | y"),
        ("a\tb\nx, y\tz\n", "a | b\nx, y | z"),
        ("a|b\nc|d\n", "a | b\nc | d"),
        ('a,b\n"x, y","say ""hi"""\n', 'a | b\nx, y | say "hi"'),
        ('a,b\n"one\n\ntwo",z\n', "a | b\none two | z"),
        ('a,  b  , c\nx,  "y, z", 1\nu,  v     , 2\n', "a | b | c\nx | y, z | 1\nu | v | 2"),
        ("a,b\n'x, y',z\n'u, v',w\n", "a | b\nx, y | z\nu, v | w"),
        ('a,b\n"x \\"q, r\\" y",z\n"\\"u, v\\"",w\n', 'a | b\nx "q, r" y | z\n"u, v" | w'),
        ("sep=;\na;b\n1;2", "a | b\n1 | 2"),
        ('"sep=,"\na,b;c', "a | b;c"),
        ("a,b,,\n1,2,,\n", "a | b\n1 | 2"),
        ("a,b,c\n1\n2,3,4,5\n", "a | b | c |\n1 |  |  |\n2 | 3 | 4 | 5"),
        ("\ufeffa,b\r\n1,2\r\n", "a | b\n1 | 2"),
        ("one\ntwo\nthree\n", "one\ntwo\nthree"),
        ("Hello there.\nHow are you?\nFine, fine, and you?\n", "Hello there.\nHow are you?\nFine, fine, and you?"),
        ("a\0b,c\n1,2\n", "ab | c\n1 | 2"),
        ('a,b\n"C:\\dir \\"x\\"",z\n"\\"u, v\\"",w\n', 'a | b\nC:\\dir "x" | z\n"u, v" | w'),
        ("x,y", "x | y"),
    ],
)
def test_the_separator_is_the_one_that_makes_sense(text: str, expected: str) -> None:
    assert of(text) == [("table", expected)]


def test_the_name_decides_where_the_content_leaves_it_open() -> None:
    text = "a,b\tc,d\ne,f\tg,h\n"
    assert of(text, "a.tsv")[0][1] == "a,b | c,d\ne,f | g,h"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Name,Age\nAnn,3\n", "Name | Age"),
        ("Name,Town\nAnn,Bern\n", "Name | Town"),
        ("Ann,3\nBob,4\n", None),
        ("1,2,3\na,b,c\n", "1 | 2 | 3"),
        ("Town,2019,2020,2021\nBern,5,7,9\nRome,1,1,2\n", "Town | 2019 | 2020 | 2021"),
        ("2024-01-01,3\n2024-01-02,4\n", None),
        ("red,small\nblue,small\n", None),
        ("Name,Age\n", None),
        ("Ducks\n3\n4\n", "Ducks"),
        ("one\ntwo\n", None),
    ],
)
def test_the_first_row_is_the_header_unless_it_looks_like_data(text: str, header: str | None) -> None:
    assert headers(read(text.encode(), "a.csv")) == [header]


def test_cells_are_typed_and_names_of_columns_are_text() -> None:
    text = 'No,2019,2020\n007,12.5 %,yes\n8,"1,234",\n'
    assert values(read(text.encode(), "a.csv")) == [["No", "2019", "2020"], ["007", 12.5, True], [8, 1234, None]]


def test_lines_around_the_table_are_paragraphs() -> None:
    text = (
        "# made by hand\nReport of ducks\n\nState: good\n\nPond;Ducks;Day\nUpper;3;1\nLower;4;2\n\nSource: the office\n"
    )
    assert of(text) == [
        ("paragraph", "# made by hand\nReport of ducks"),
        ("paragraph", "State: good"),
        ("table", "Pond | Ducks | Day\nUpper | 3 | 1\nLower | 4 | 2"),
        ("paragraph", "Source: the office"),
    ]
    assert of("Ducks a year,,\nPond,Ducks,Day\nUpper,3,1\n")[0] == ("paragraph", "Ducks a year")


def test_encodings_and_separators_are_named() -> None:
    reading = read("Name;Straße\nMüller;Am schönen Graben 3\nWeiß;Große Gasse\n".encode("latin-1"), "a.csv")
    assert reading.metadata == {"encoding": "latin-1", "separator": "semicolon"}
    assert shown(read("a\tb\nc\td\n".encode("utf-16"), "a.csv"))[0][1] == "a | b\nc | d"


# Nothing is lost


SEPARATORS = st.sampled_from(",;\t|")


@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(
            st.lists(WORDS | st.integers(0, 999).map(str), min_size=width, max_size=width), min_size=2
        )
    ),
    SEPARATORS,
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_a_writer_of_any_dialect_wrote_comes_back(
    grid: list[list[str]], separator: str, quoting: int, line_end: str
) -> None:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, quoting=quoting, lineterminator=line_end).writerows(grid)
    reading = read(stream.getvalue().encode(), "a.csv")
    (block,) = document_of(reading).blocks
    found = values(reading)
    assert found[1:] == [[cell_value(cell) for cell in row] for row in grid[1:]]
    assert found[0] == [cell if block.header else cell_value(cell) for cell in grid[0]]


@given(
    st.lists(st.lists(st.text(alphabet='ab ,;|\t\n"', max_size=8), min_size=3, max_size=3), min_size=1, max_size=6),
    SEPARATORS,
)
def test_quoted_cells_keep_separators_quotes_and_lines(grid: list[list[str]], separator: str) -> None:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(grid)
    assert [row for row in records(stream.getvalue(), Dialect(separator)) if row] == grid


@given(st.text(alphabet="abc0,;|\t\n\"'\\# ", max_size=120))
def test_no_word_of_any_text_is_lost(text: str) -> None:
    try:
        document = document_of(read(text.encode(), "a.csv"))
    except ParseError:
        assert not any(map(str.isalnum, text))
        return
    wanted, found = ([character for character in each if character.isalnum()] for each in (text, document.text))
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a,b\n1,"x\n2,y\n', [["a", "b"], ["1", '"x'], ["2", "y"]]),
        ('a,b\n"1"x,2\n', [["a", "b"], ["1x", "2"]]),
        ('a,5" disk\nb,c\n', [["a", '5" disk'], ["b", "c"]]),
        ('"', [['"']]),
    ],
)
def test_lone_quotes_are_characters(text: str, expected: list[list[str]]) -> None:
    assert list(records(text, Dialect(","))) == expected


def test_a_quote_left_open_does_not_swallow_a_long_file() -> None:
    text = 'a,b\n1,"open\n' + "x,y\n" * 12_000 + '2,"closed"\n'
    rows = list(records(text, Dialect(",")))
    assert (len(rows), rows[1], rows[-1]) == (12_003, ["1", '"open'], ["2", "closed"])


def test_a_field_of_megabytes_is_a_field() -> None:
    reading = read(b'a,b\n1,"' + b"word " * 400_000 + b'"\n', "a.csv")
    (table,) = reading.pieces
    assert len(table.rows[1][1].words.text) == 1_999_999


def test_one_long_row_among_short_ones_does_not_multiply_the_table() -> None:
    text = "a,b\n" + "1,2\n" * 3000 + ",".join("x" * 500) + "\n"
    (table,) = read(text.encode(), "a.csv").pieces
    assert [len(row) for row in (table.rows[1], table.rows[-1])] == [2, 500]


@pytest.mark.parametrize("data", [b"", b" \n\n", bytes(range(256)) * 4])
def test_what_holds_nothing_says_so_in_a_sentence(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"a\.csv is (?:empty|not text)"):
        read(data, "folder/a.csv")


# Chunks
