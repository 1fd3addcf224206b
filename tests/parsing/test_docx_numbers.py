"""Automatic numbers in Word documents: counted as Word counts, and lists put together as they are seen."""

from __future__ import annotations

import pytest

from core.types import BlockKind
from tests.parsing.docx_builder import abstract, docx, item, level, number, paragraph, run, style, table
from tests.parsing.test_docx import document_of, shown, text_of

LEGAL = [level(0, "%1."), level(1, "%1.%2"), level(2, "%1.%2.%3")]


def lines(*items: tuple[int, int] | str, numbering: str, styles: str = "") -> list[str]:
    """The lines of a document with items (level, list) and plain paragraphs; each item's words are "x"."""
    blocks = [paragraph(entry) if isinstance(entry, str) else item("x", *entry) for entry in items]
    text = text_of("".join(blocks), numbering=numbering, styles=styles)
    return [line.strip() for line in text.replace("\n\n", "\n").split("\n")]


def test_levels_restart_under_the_level_above() -> None:
    numbering = abstract(0, *LEGAL) + number(1, 0)
    levels = [(0, 1), (1, 1), (2, 1), (2, 1), (1, 1), (2, 1), (0, 1), (1, 1)]
    assert lines(*levels, numbering=numbering) == [
        "1. x", "1.1 x", "1.1.1 x", "1.1.2 x", "1.2 x", "1.2.1 x", "2. x", "2.1 x",
    ]  # fmt: skip


def test_a_skipped_level_counts_as_used() -> None:
    numbering = abstract(0, *LEGAL) + number(1, 0)
    assert lines((1, 1), (0, 1), (2, 1), (1, 1), numbering=numbering) == ["1.1 x", "2. x", "2.1.1 x", "2.2 x"]


def test_lists_of_one_definition_count_on_and_overrides_start_afresh_once() -> None:
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{}"/></w:lvlOverride>'
    numbering = abstract(0, *LEGAL) + number(1, 0) + number(2, 0) + number(3, 0, override.format(7))
    order = [(0, 1), "between", (0, 2), "between", (0, 3), (0, 3), "between", (0, 1)]
    assert [line for line in lines(*order, numbering=numbering) if line != "between"] == [
        "1. x", "2. x", "7. x", "8. x", "9. x",
    ]  # fmt: skip


def test_an_instance_may_replace_a_level() -> None:
    replaced = f'<w:lvlOverride w:ilvl="0">{level(0, "%1)", "lowerLetter", start=3)}</w:lvlOverride>'
    numbering = abstract(0, *LEGAL) + number(1, 0, replaced)
    assert lines((0, 1), (0, 1), numbering=numbering) == ["c) x", "d) x"]


@pytest.mark.parametrize(
    ("restart", "expected"),
    [
        ("", ["1.1.1 x", "2. x", "2.1.1 x", "2.2 x", "2.2.1 x"]),
        ('<w:lvlRestart w:val="0"/>', ["1.1.1 x", "2. x", "2.1.2 x", "2.2 x", "2.2.3 x"]),
        ('<w:lvlRestart w:val="1"/>', ["1.1.1 x", "2. x", "2.1.1 x", "2.2 x", "2.2.2 x"]),
    ],
)
def test_a_level_restarts_where_it_says(restart: str, expected: list[str]) -> None:
    numbering = abstract(0, level(0, "%1."), level(1, "%1.%2"), level(2, "%1.%2.%3", extra=restart)) + number(1, 0)
    assert lines((2, 1), (0, 1), (2, 1), (1, 1), (2, 1), numbering=numbering) == expected


def test_legal_numbers_words_around_and_levels_without_numbers() -> None:
    numbering = abstract(
        0,
        level(0, "Article %1", "upperRoman"),
        level(1, "§ %1.%2", extra="<w:isLgl/>"),
        level(2, "", "bullet", extra='<w:lvlPicBulletId w:val="0"/>'),
        level(3, "%1.%3.%4)", "lowerRoman"),
    ) + number(1, 0)
    assert lines((0, 1), (1, 1), (2, 1), (3, 1), numbering=numbering) == [
        "Article I x", "§ 1.1 x", "- x", "I..i) x",
    ]  # fmt: skip


def test_heading_numbers_are_part_of_the_heading() -> None:
    tied = '<w:pStyle w:val="{}"/>'
    numbering = abstract(
        0, level(0, "%1", extra=tied.format("heading1")), level(1, "%1.%2", extra=tied.format("heading2"))
    ) + number(1, 0)
    numbering += abstract(1, level(0, "第%1章", "chineseCounting", extra='<w:suff w:val="nothing"/>')) + number(2, 1)
    styles = (
        style("heading 1", inside='<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>')
        + style("heading 2", "heading1", '<w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr>')
        + style("heading 3", "heading2", '<w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>')
        + style("Appendix", "heading1")
    )
    off = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>'
    body = (
        paragraph("Limits", "heading1")
        + paragraph("Depth", "heading2")
        + paragraph("Free", "heading3")
        + paragraph("", "heading2")
        + paragraph("Width", "heading2")
        + paragraph("Preface", "heading1", off)
        + paragraph("Tables", "Appendix")
        + paragraph("鸭子", "heading1", '<w:numPr><w:numId w:val="2"/></w:numPr>')
    )
    assert shown(docx(body, styles=styles, numbering=numbering)) == [
        ("heading1", "1 Limits"),
        ("heading2", "1.1 Depth"),
        ("heading3", "Free"),
        ("heading2", "1.3 Width"),
        ("heading1", "Preface"),
        ("heading1", "2 Tables"),
        ("heading1", "第一章鸭子"),
    ]


def test_numbering_styles_lead_to_their_list() -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="Outline"/></w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="Outline"/>{LEGAL[0]}</w:abstractNum>'
        + number(1, 0)
        + number(2, 1)
    )
    styles = style("Outline", kind="numbering", inside='<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>')
    assert lines((0, 1), (0, 1), numbering=numbering, styles=styles) == ["1. x", "2. x"]


def test_list_styles_number_their_paragraphs_and_say_how_deep_they_stand() -> None:
    numbering = abstract(0, level(0, "\uf0b7", "bullet")) + number(1, 0)
    numbering += abstract(1, level(0, "\uf0b7", "bullet")) + number(2, 1)
    listed = '<w:pPr><w:numPr><w:numId w:val="{}"/></w:numPr></w:pPr>'
    styles = style("List Bullet", inside=listed.format(1)) + style("List Bullet 2", inside=listed.format(2))
    body = paragraph("one", "ListBullet") + paragraph("in", "ListBullet2") + paragraph("two", "ListBullet")
    assert shown(docx(body, styles=styles, numbering=numbering)) == [("list", "- one\n  - in\n- two")]


# Which items make one list


BOTH = (
    abstract(0, level(0, "%1."), level(1, "%2)", "lowerLetter"))
    + abstract(1, level(0, "•", "bullet", '<w:pPr><w:ind w:left="720"/></w:pPr>'))
    + abstract(2, level(0, "%1."))
    + abstract(3, level(0, " ", "bullet", '<w:pPr><w:ind w:left="720"/></w:pPr>'))
    + "".join(number(name + 1, name) for name in range(4))
)


def test_a_paragraph_ends_a_list_and_its_numbers_go_on() -> None:
    body = item("one") + item("sub", 1) + paragraph("Between.") + item("two") + table("") + item("three")
    assert shown(docx(body, numbering=BOTH)) == [
        ("list", "1. one\n  a) sub"),
        ("paragraph", "Between."),
        ("list", "2. two"),
        ("list", "3. three"),
    ]


def test_blank_paragraphs_do_not_end_a_list_and_empty_items_count() -> None:
    body = item("one") + paragraph() + item("") + item("three") + paragraph() + item("other", 0, 3)
    assert shown(docx(body, numbering=BOTH)) == [("list", "1. one\n3. three"), ("list", "1. other")]


def test_bullets_further_in_belong_to_the_item_above() -> None:
    body = item("one") + item("in", 0, 2) + item("in too", 0, 2) + item("two") + item("goes on", 0, 4) + item("three")
    assert shown(docx(body, numbering=BOTH)) == [("list", "1. one\n  - in\n  - in too\n2. two\n  goes on\n3. three")]


def test_a_list_that_is_not_defined_numbers_nothing() -> None:
    assert shown(docx(item("x", 0, 99) + item("y", 8, 1), numbering=BOTH)) == [("paragraph", "x"), ("list", "a) y")]
    assert shown(docx(item("x"))) == [("paragraph", "x")]


def test_lines_of_an_item_hang_under_it() -> None:
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = paragraph(run("one") + "<w:r><w:br/></w:r>" + run("still one"), properties=listed)
    document = document_of(docx(body, numbering=BOTH))
    (block,) = document.blocks
    assert (block.kind, len(block.parts), document.text) == (BlockKind.LIST, 1, "1. one\n  still one")
