from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing import parse
from core.parsing.plain.markdown import read_blocks
from core.settings import ParsingSettings
from core.types import Block, BlockKind, Document
from tests.parsing.laws import assert_laws

GUIDE = (Path(__file__).parent / "documents" / "guide.md").read_text(encoding="utf-8")


def document_of(text: str, name: str = "notes.md") -> Document:
    return parse(text.encode(), name, ParsingSettings())


def blocks_of(document: Document, kind: BlockKind) -> list[Block]:
    return [block for block in document.blocks if block.kind is kind]


def words(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


@pytest.fixture(scope="module")
def guide() -> Document:
    return document_of(GUIDE)


def test_every_construct_becomes_its_block(guide: Document) -> None:
    assert_laws(guide)
    assert guide.text == GUIDE
    kinds = [block.kind.value for block in guide.blocks]
    assert (
        kinds
        == (
            "front_matter heading paragraph heading list list quote table code code rule html paragraph footnote "
            "footnote paragraph"
        ).split()
    )


def test_headings_have_levels_and_whole_lines(guide: Document) -> None:
    setext, atx = blocks_of(guide, BlockKind.HEADING)
    assert (words(guide, setext), setext.level) == ("Setting up\n==========", 1)
    assert (words(guide, atx), atx.level) == ("## Limits ##", 2)


def test_list_items_hold_their_nested_content(guide: Document) -> None:
    bullets, numbers = blocks_of(guide, BlockKind.LIST)
    items = [guide.text[part.start : part.end] for part in bullets.parts]
    assert items == ["- first item\n  with a second line\n\n  ```sh\n  make\n  ```", "- second"]
    assert words(guide, numbers) == "1. numbered"


def test_table_cells_are_typed_and_exact(guide: Document) -> None:
    (table,) = blocks_of(guide, BlockKind.TABLE)
    assert table.header is not None
    assert guide.text[table.header.start : table.header.end].count("\n") == 1
    assert [guide.text[row.start : row.end][:6] for row in table.parts] == ["| a \\|", "| | -3"]
    grid = {(cell.row, cell.column): cell for cell in table.cells}
    assert [grid[0, column].value for column in range(4)] == ["Name", "Price", "Share", "Live"]
    assert [grid[1, column].value for column in range(4)] == ["a | b", 1234.5, 12, True]
    assert [grid[2, column].value for column in range(4)] == [None, -3, -7, False]
    price = grid[1, 1]
    assert guide.text[price.start : price.end] == "$1,234.50"
    assert [cell.header for cell in table.cells].count(True) == 4


def test_code_knows_language_and_lines(guide: Document) -> None:
    fence, indented = blocks_of(guide, BlockKind.CODE)
    assert fence.language == "python"
    assert len(fence.parts) == 4
    assert words(guide, indented) == "indented code"


def test_footnotes_take_their_continuation(guide: Document) -> None:
    first, second = blocks_of(guide, BlockKind.FOOTNOTE)
    assert words(guide, first).endswith("And a second paragraph.")
    assert words(guide, second) == "[^two]: Another."


def test_front_matter_is_metadata_and_gives_the_title(guide: Document) -> None:
    assert guide.title == "The **guide**"
    assert guide.title_span is None
    assert (guide.metadata["tags"], guide.metadata["owner.name"]) == ("one, two", "Ada")


def test_links_stand_over_their_visible_words(guide: Document) -> None:
    found = [(guide.text[link.start : link.end], link.target) for link in guide.links]
    assert found[:3] == [
        ("the docs", "https://docs.test/a"),
        ("mail@x.test", "mailto:mail@x.test"),
        ("ref", "https://ref.test"),
    ]
    assert all("code" not in target for _, target in found)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n# The [one](x) `title` #\n", "The one title"),
        ("# : Ducks in winter\n", "Ducks in winter"),
        ("## Only second level\n", "Notes"),
        ("---\ntitle:\n---\n# Real\n", "Real"),
        ("# Changes\n\n## 2.1\n\n## 2.0\n", "Changes"),
        ("#\n\ntext", "Notes"),
        ("# Dates and times {#sec-dates}\n\ntext", "Dates and times"),
        ("# Other topics {-}\n\ntext", "Other topics"),
        ("# (PART) Other topics {-}\n\n# Reports {#reports}\n\ntext", "Reports"),
        ("**Chapter 6: Ducks**\n\nText.\n\n# Setup\n\n# Feed\n", "Chapter 6: Ducks"),
        ("**Note.** It is old.\n\n# Setup\n\n# Feed\n", "Setup"),
    ],
)
def test_title(text: str, title: str) -> None:
    document = document_of(text)
    assert document.title == title
    if document.title_span:
        assert document.text[document.title_span.start : document.title_span.end].startswith(title[:3])


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("---\na: [1, 2\nb: plain\n---\n", {"a": "[1, 2", "b": "plain"}),
        ("---\nx: !!python/object/apply:os.system ['true']\n---\n", {}),
        ("---\na: &a [x]\nb: *a\n---\n", {"b": "*a"}),
        ('+++\ntitle = "T"\n[nested]\nk = 1\n+++\n', {"title": "T", "nested.k": "1"}),
        ("+++\n= broken\nk = v\n+++\n", {"k": "v"}),
        ("---\n---\n", {}),
        ('---\ntitle: "half \\uD800 a pair"\n---\n', {"title": "half ? a pair"}),
        (f"+++\na = {'9' * 5000}\n+++\n", {"a": "9" * 500}),
        (f"+++\na = 0x{'f' * 5000}\n+++\n", {"a": f"0x{'f' * 498}"}),
    ],
)
def test_front_matter_never_raises_and_runs_nothing(head: str, expected: dict[str, str]) -> None:
    document = document_of(f"{head}\nbody\n")
    assert_laws(document)
    assert document.blocks[0].kind is BlockKind.FRONT_MATTER
    assert expected.items() <= document.metadata.items()


def test_a_thematic_break_is_no_front_matter() -> None:
    document = document_of("---\nJust words here.\n---\nmore\n")
    assert blocks_of(document, BlockKind.FRONT_MATTER) == []


MARKS = st.sampled_from(
    [
        *["# ", "## ", "- ", "* ", "1. ", "> ", "    ", "---", "===", "***", "\n", "\n", "\n\n", " ", "```", "~~~"],
        *["[a]", "(b)", "[^1]: ", "[r]: x", "<div>", "</div>", "<!--", "-->", "`", "**", "\\", "\\|", "word", "|", ":"],
        *["| a | b |\n|---|---|\n", "|x|1|\n", "| |\n", "\t", "\u00a0", "\u2028", "\x0b", "\x0c", "é", "日本", "+++\n"],
        *["---\n", "title: x\n", "![i](u)", "http://h.test/", "\0"],
        *["<table>", "<tr>", "<th>", "<td colspan=2>", "<td rowspan=3>", "</td>", "</tr>", "</table>\n", "&amp;"],
    ]
)
MARKDOWN = st.lists(MARKS | st.text(max_size=6), max_size=40).map("".join)


@given(MARKDOWN)
def test_laws_hold_for_any_markdown(text: str) -> None:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return
    try:
        document = parse(data, "any.md", ParsingSettings())
    except ParseError:
        return
    assert_laws(document)
    assert document == parse(data, "any.md", ParsingSettings())


@pytest.mark.parametrize(
    "text",
    [
        ">" * 100_000,
        "- " * 100_000,
        "\n".join("  " * depth + "- a" for depth in range(400)),
        "word " * 200_000,
        "```\n" * 30_001,
        "[" * 100_000,
        "[a](" * 50_000,
        "![a](" * 20_000 + ")" * 20_000,
        "".join("`" * length + " " for length in range(500)),
        "http://" + ")" * 100_000,
        "[a](" + " " * 100_000 + "x",
        "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|\n" * 100,
        "- a\n\npara\n\n" * 10_000,
        "[a]: " * 20_000,
        "\\" * 100_000,
        "<!--" * 50_000,
        "<table><tr>" + "<td>" * 100_000 + "</table>",
        "<table>" * 50_000,
        "<table><tr><td " + "a=1 " * 100_000,
    ],
    ids=lambda text: text[:8],
)
def test_hostile_markdown_does_not_run_away(text: str) -> None:
    """Nothing but the patience of who runs it tells."""
    blocks, _ = read_blocks(text)
    assert blocks


def test_a_cell_is_worth_its_words_without_the_tags_around_them() -> None:
    document = document_of(
        '| Field | Value |\n|---|---|\n| <a id="x">`a`</a> | <b>5</b> |\n| <file> | one<br />two |\n'
    )
    (table,) = blocks_of(document, BlockKind.TABLE)
    assert [cell.value for cell in table.cells] == ["Field", "Value", "`a`", 5, "<file>", "one two"]
    assert document.text[table.cells[2].start : table.cells[2].end] == '<a id="x">`a`</a>'


def test_what_a_note_of_mkdocs_holds_is_no_code() -> None:
    fence = "        ```yaml\n        port: 80\n        ```\n"
    note = f'??? tip "Ports"\n\n    By default 80 is *open*.\n\n    - one\n    - two\n\n{fence}'
    document = document_of(f"# Guide\n\n{note}\nAfter.\n\n    code = 1\n\n```md\n!!! note\n    shown\n```\n")
    found = [(block.kind.value, words(document, block).split("\n")[0]) for block in document.blocks]
    assert found == [
        ("heading", "# Guide"),
        ("paragraph", '??? tip "Ports"'),
        ("paragraph", "By default 80 is *open*."),
        ("list", "- one"),
        ("paragraph", "After."),
        ("code", "code = 1"),
        ("code", "```md"),
    ]
    assert_laws(document)


def test_headings_written_as_tags_are_headings_and_may_be_the_title() -> None:
    text = '<h1 align="center">\n  <img src="a"><br>The <b>Duck</b>\n</h1>\n\nIt swims.\n\n<h2>\n<img src="b"></h2>\n'
    document = document_of(text)
    assert document.title == "The Duck"
    assert [(block.kind.value, block.level) for block in document.blocks] == [
        ("heading", 1),
        ("paragraph", 0),
        ("html", 0),
    ]


def test_tables_written_as_html_have_their_rows_and_cells() -> None:
    text = """# Doses

<p>For adults.</p>
<table class="t">
 <thead><tr><th rowspan=2>Drug<th colspan=2>Dose</tr><tr><th>first<th>next</thead>
 <tr><td rowspan="2"><p>Kelp &amp; lime</p></td><td>5&nbsp;mg</td><td>1,500</td></tr>
 <tr><td><b>7</b> mg</td><td></td></tr>
</table>
<table><tr><td><img src="logo.png"></td></tr></table>

After it.
"""
    document = document_of(text)
    assert_laws(document)
    (table,) = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    assert table.header is not None
    assert text[table.header.start : table.header.end].count("<tr>") == 2
    assert [text[part.start : part.end].startswith("<tr>") for part in table.parts] == [True, True]
    cells = {(cell.row, cell.column): (cell.value, text[cell.start : cell.end], cell.header) for cell in table.cells}
    assert cells[0, 1] == cells[0, 2] == ("Dose", "Dose", True)
    assert cells[1, 1] == ("first", "first", True)
    assert cells[2, 0] == ("Kelp & lime", "Kelp &amp; lime", False)
    assert cells[2, 2] == (1500, "1,500", False)
    assert cells[3, 1] == ("7 mg", "7</b> mg", False)
    assert cells[3, 2] == (None, "", False)
    assert (3, 0) not in cells
    others = [(block.kind, text[block.start : block.end]) for block in document.blocks if block is not table]
    assert others == [
        (BlockKind.HEADING, "# Doses"),
        (BlockKind.HTML, "<p>For adults.</p>"),
        (BlockKind.HTML, '<table><tr><td><img src="logo.png"></td></tr></table>'),
        (BlockKind.PARAGRAPH, "After it."),
    ]


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("<table><tr><td>a<td>b<tr><td>c<td>d", BlockKind.HTML),
        ("<table>" * 3000, BlockKind.RULE),
        ("<table><tr>" + "<td>" * 3000, BlockKind.RULE),
    ],
)
def test_what_no_tag_closes_is_no_table_and_tags_alone_are_a_rule(markup: str, kind: BlockKind) -> None:
    assert {block.kind for block in document_of(f"Text.\n\n{markup}\n").blocks} == {BlockKind.PARAGRAPH, kind}
