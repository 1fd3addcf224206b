"""What can be quoted: whole sentences, items, rows and lines, in the order in which the search found them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.search.answer.candidates import CANDIDATES, CONTEXT_LENGTH, PASSAGES, SENTENCE, quotables
from core.types import Block, BlockKind, Span
from tests.search.answer.support_worlds import TABLE, Reads, hits_of, passage, table

TEXT = (
    "A token is valid for 3600 seconds. The office is in Delft and has a blue safe. "
    "Nobody may keep a token longer than it is valid. Yes."
)


def found(*passages, reads=None):
    return quotables(passages, hits_of(passages), reads or Reads())


def test_what_stands_in_a_retrieved_child_comes_first_by_its_rank():
    late = passage(TEXT, children=[Span(100 + TEXT.index("Nobody"), 100 + len(TEXT))])
    other = passage("Keys are kept in the safe.", rank=2, version="w" * 64)
    items = found(other, late)
    assert [(item.text.split()[0], item.hit_rank) for item in items] == [
        ("Nobody", 1),
        ("Keys", 2),
        ("A", 0),
        ("The", 0),
    ], "a sentence of one word supports nothing"


def test_the_cost_is_bounded():
    many = [passage("Short sentence number one stands here. " * 40, rank=rank) for rank in range(1, 20)]
    chosen = found(*many)
    assert len(chosen) == CANDIDATES
    assert {item.passage.rank for item in chosen} <= set(range(1, PASSAGES + 1))
    assert found(passage("word " * SENTENCE)) == []


def test_a_heading_is_no_answer_and_what_follows_it_is():
    text = "## Access token lifetime\n\nAn access token lives 3600 seconds."
    heading = Block(BlockKind.HEADING, 0, 24, level=2)
    assert [item.text for item in found(passage(text, start=0), reads=Reads(heading))] == [
        "An access token lives 3600 seconds."
    ]


def test_an_item_of_a_list_is_whole():
    text = "Limits:\n- Uploads. At most 25 MB a file.\n- Names. At most 90 letters.\n"
    starts = [text.index("- U"), text.index("- N")]
    parts = (Span(starts[0], starts[1] - 1), Span(starts[1], len(text) - 1))
    items = found(passage(text, start=0), reads=Reads(Block(BlockKind.LIST, starts[0], len(text) - 1, parts=parts)))
    assert [(item.text, item.kind) for item in items if item.kind == "item"] == [
        ("- Uploads. At most 25 MB a file.", "item"),
        ("- Names. At most 90 letters.", "item"),
    ]


def test_the_lines_of_a_listing_are_quoted_by_themselves_without_its_fences():
    text = "```python\nwidth = limit(70)\n# Lines are never wider, whatever they hold.\nindent = blanks(width)\n```\n"
    items = found(passage(text, start=0), reads=Reads(Block(BlockKind.CODE, 0, len(text) - 1, language="python")))
    assert [item.text for item in items] == [
        "width = limit(70)",
        "# Lines are never wider, whatever they hold.",
        "indent = blanks(width)",
    ]


def test_rows_are_read_with_their_headers_and_not_again_as_lines():
    items = found(passage(TABLE), reads=Reads(table()))
    assert [item.reading for item in items] == [
        "Figure: Availability of intake; Q2 2026: 99.97 %; Q3 2026: 99.92 %",
        "Figure: Alerts sent; Q2 2026: 1,200; Q3 2026: 1,340",
    ]
    assert [item.row.cell_at(item.reading.index("99.92")).value for item in items[:1]] == ["99.92 %"]


def test_a_row_cut_off_by_the_passage_is_no_row():
    items = found(passage(TABLE[: TABLE.index("1,340") + 2]), reads=Reads(table()))
    assert [item.row is not None for item in items] == [True]


def test_a_line_of_a_table_whose_cells_nobody_read_is_no_candidate():
    text = "Plan and its price in euros.\nRiver and sea cost 54 euros a month.\n"
    raw = Block(BlockKind.TABLE, 100 + text.index("River"), 100 + len(text) - 1)
    assert [item.text for item in found(passage(text), reads=Reads(raw))] == [
        "Plan and its price in euros.",
    ]


@pytest.mark.parametrize(
    "asked", ["How long is a token valid?", "- *How long is a token valid?*", '"Is a token valid?"']
)
def test_a_sentence_that_asks_is_no_candidate(asked):
    assert found(passage(f"{asked}\n\n{TEXT}"))[0].text == "A token is valid for 3600 seconds."


def test_a_sentence_that_leads_a_table_in_is_no_candidate():
    text = "Sales by region were as follows:\n\n" + TABLE
    block = table()
    by = text.index(TABLE)
    cells = tuple(replace(cell, start=cell.start + by, end=cell.end + by) for cell in block.cells)
    moved = replace(block, start=block.start + by, end=block.end + by, cells=cells)
    items = found(passage(text), reads=Reads(moved))
    assert items[0].kind == "row"


def test_a_sentence_that_leans_on_another_is_quoted_with_it():
    text = "TRIALS are the most that are tried. Fewer trials may do. That is why it is asked. The default is 40."
    assert [item.text for item in found(passage(text))] == [
        "TRIALS are the most that are tried.",
        "Fewer trials may do.",
        "Fewer trials may do. That is why it is asked.",
        text,
    ]
    far = f"Salt is dear. {'It is so dear that nobody has any. ' * 20}"
    assert max(len(item.text) for item in found(passage(far))) <= CONTEXT_LENGTH


def test_a_term_and_what_is_said_of_it_are_one_below_their_heading():
    text = "Options\n=======\n\n_header=off\n  Leaves the first row out.\n_stream=on\n  Sends all rows.\n"
    starts = [text.index(part) for part in ("_header", "Leaves", "_stream", "Sends")]
    parts = tuple(Span(start, text.index("\n", start)) for start in starts)
    blocks = Block(BlockKind.HEADING, 0, 15, level=2), Block(BlockKind.LIST, starts[0], len(text) - 1, parts=parts)
    items = found(passage(text, start=0), reads=Reads(*blocks))
    assert [item.text.splitlines()[0] for item in items] == ["_header=off", "_stream=on"]
    assert {item.headings for item in items} == {"Options"}


def test_a_sentence_that_leads_a_listing_in_is_quoted_with_its_first_line():
    text = "To see the kinds, run this:\n\nrg --type-list\n"
    listing = Block(BlockKind.CODE, text.index("rg"), len(text) - 1)
    assert found(passage(text, start=0), reads=Reads(listing))[0].text == text.strip()


def test_half_a_sentence_is_no_candidate():
    text = "The wall is raised. A token is valid for 3600 seconds unless it is withdrawn before."
    half = passage(text[: text.index(" unless")])
    assert [item.text for item in found(half, reads=Reads(cuts={half.end}))] == ["The wall is raised."]
    late = passage(text[text.index("valid") :])
    assert found(late, reads=Reads(cuts={late.start})) == []


def test_a_cell_that_is_a_paragraph_is_quoted_by_its_sentences():
    said = "How long it waits for a client that is silent. On mobile networks 90 is advised, since phones save energy. "
    text = f"Option | Default | Meaning\ntimeout | 30 | {said * 2}\nlog | none | A path.\n"
    items = found(passage(text), reads=Reads(table(text)))
    assert [item.reading for item in items if item.row] == [
        "Option: timeout; Default: 30",
        "Option: log; Default: none; Meaning: A path.",
    ]
    lines = [item for item in items if item.cell_label]
    assert [item.cell_label for item in lines] == ["timeout › Meaning"] * 4
    assert lines[1].text == "On mobile networks 90 is advised, since phones save energy."
    assert lines[1].headings == "timeout › Meaning"
