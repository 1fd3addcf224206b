"""The measure of reading is exact, and the readers are measured with it on documents of known text."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.readers import broken_law, means, measure, read_folder, summary
from benchmarks.readers_tables import document_tables, markdown_tables, matched_cells, plain_words
from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Block, BlockKind, Cell, Document, Link, Span
from tests.evaluation.known_documents import MAKERS, Story, markdown, pipes, web_page
from tests.parsing.laws import assert_laws

SEEDS = range(1, 4)

GRID = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 4)), st.sampled_from("abcde"), min_size=2, max_size=20
)


def named(grid):
    return {place: frozenset({text}) for place, text in grid.items()}


@given(GRID, st.integers(0, 4), st.integers(0, 3), GRID)
def test_a_table_is_found_whole_wherever_it_stands(grid, down, across, other) -> None:
    moved = {(row + down, column + across): text for (row, column), text in grid.items()}
    around = {(row + 20, column): text for (row, column), text in other.items()}
    assert matched_cells([grid], [named({**around, **moved})]) == len(grid)
    assert matched_cells([grid], [named(other), named(moved)]) == len(grid)


@given(GRID, st.lists(GRID, max_size=3))
def test_no_cell_serves_twice(grid, others) -> None:
    found = [named(other) for other in others]
    assert matched_cells([grid, grid], found) <= sum(map(len, others))
    assert matched_cells([grid], found) <= len(grid)
    assert matched_cells([grid, *others], [named(grid), *found]) == len(grid) + sum(map(len, others))


def test_tables_that_were_parted_or_joined_count_whole() -> None:
    rows = Story(5).table()
    whole = markdown_tables(pipes(rows))
    (grid,) = whole
    half = len(rows) // 2
    parted = [
        {(r, c): text for (r, c), text in grid.items() if r < half},
        {(r - half, c): text for (r, c), text in grid.items() if r >= half},
    ]
    assert matched_cells(whole, [named(part) for part in parted]) == len(grid)
    assert matched_cells(parted, [named(grid)]) == len(grid)


def test_a_column_in_the_wrong_place_costs_its_cells() -> None:
    expected = markdown_tables(pipes([["a", "b", "c"], ["1", "2", "3"], ["4", "5", "6"]]))
    swapped = {(r, {0: 0, 1: 2, 2: 1}[c]): text for (r, c), text in expected[0].items()}
    assert matched_cells(expected, [named(swapped)]) == 3


def test_many_equal_cells_cost_no_time() -> None:
    zeros = {(row, column): "0" for row in range(400) for column in range(20)}
    assert matched_cells([zeros], [named(zeros)]) == len(zeros)


def test_cells_count_by_their_text_or_their_value() -> None:
    text = "Share | 30 %\nAll | 1,200"
    cells = (
        *(Cell(0, 0, 0, 5, "Share"), Cell(0, 1, 8, 12, 0.3)),
        *(Cell(1, 0, 13, 16, "All"), Cell(1, 1, 19, 24, 1200.0)),
    )
    document = Document("0" * 64, "xlsx", "T", text, (Block(BlockKind.TABLE, 0, len(text), cells=cells),))
    for shown in ("30 %", "0.3"):
        for total in ("1,200", "1200"):
            expected = markdown_tables(pipes([["Share", shown], ["All", total]]))
            assert matched_cells(expected, document_tables(document)) == 4
    assert measure(document, "a.xlsx", pipes([["Share", "31 %"], ["All", "1200"]])).cell_share == 0.75


def test_markdown_is_read_as_its_words_and_tables() -> None:
    text = "# A [link](http://x.org/a_(b)) &amp; `code`\n\n<!-- no -->\n| | *b* |\n|:-|-:|\n| a \\| c | |\n"
    assert plain_words(text) == "a link code b a c".split()
    assert markdown_tables(text) == [{(0, 1): "b", (1, 0): "a c"}]
    assert markdown_tables("| one |\n| - |\n") == []
    assert markdown_tables("| not a table |\n\n| nor | this |\n") == []


@pytest.mark.parametrize(
    ("blocks", "links", "law"),
    [
        ((Block(BlockKind.PARAGRAPH, 0, 7),), (), ""),
        ((Block(BlockKind.PARAGRAPH, 0, 3),), (), "outside every block"),
        ((Block(BlockKind.PARAGRAPH, 0, 4), Block(BlockKind.PARAGRAPH, 4, 7)), (), "blank edges"),
        ((Block(BlockKind.LIST, 0, 7, parts=(Span(3, 5), Span(0, 2))),), (), "parts"),
        ((Block(BlockKind.PARAGRAPH, 0, 7),), (Link(2, 4, "a"), Link(0, 3, "b")), "links"),
    ],
)
def test_broken_laws_are_named(blocks, links, law) -> None:
    document = Document("0" * 64, "text", "T", "one two", blocks, links=links)
    assert law in broken_law(document)
    assert bool(law) is bool(broken_law(document))


@pytest.mark.parametrize("kind", MAKERS)
def test_documents_of_known_text_are_read_whole_and_in_order(kind) -> None:
    readings = []
    for seed in SEEDS:
        known = MAKERS[kind](seed)
        document = parse(known.data, known.name, ParsingSettings())
        assert_laws(document)
        assert document.kind == kind
        reading = measure(document, known.name, known.expected)
        assert reading.broken == ""
        assert reading.audit is not None
        assert reading.audit.missing == 0, reading.audit
        readings.append(reading)
    assert fmean(reading.word_share for reading in readings) >= 0.97, summary(readings)
    shares = [reading.cell_share for reading in readings if reading.cell_share is not None]
    assert not shares or fmean(shares) >= 0.95, summary(readings)


def test_a_folder_is_measured_and_failures_are_listed(tmp_path) -> None:
    page, note = web_page(1), markdown(2)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / page.name).write_bytes(page.data)
    (tmp_path / "deep" / f"{page.name}.expected.md").write_text(page.expected, encoding="utf-8")
    (tmp_path / note.name).write_bytes(note.data)
    (tmp_path / ".hidden.md").write_text("# No", encoding="utf-8")
    files = list(read_folder(tmp_path, ParsingSettings()))
    assert [file.name for file in files] == [f"deep/{page.name}", note.name]
    assert (files[0].word_share, files[1].word_share) == (1.0, None)
    assert means(files)["all"]["files"] == 2
    (tmp_path / "broken.docx").write_bytes(MAKERS["docx"](1).data[:900])
    shown = summary(list(read_folder(tmp_path, ParsingSettings())))
    assert "100.0 %" in shown
    assert "broken.docx" in shown
