from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing import parse
from core.parsing.plain.plain import text_blocks
from core.settings import ParsingSettings
from core.types import Document
from tests.parsing.laws import assert_laws


def document_of(text: str, name: str = "my_notes.txt") -> Document:
    document = parse(text.encode(), name, ParsingSettings())
    assert_laws(document)
    return document


def kinds(text: str) -> list[str]:
    return [block.kind.value for block in text_blocks(text)]


def test_paragraphs_are_parted_by_blank_lines() -> None:
    document = document_of("One line\ngoes on.\n \n\tTwo.\n\n\nThree.")
    assert [document.text[block.start : block.end] for block in document.blocks] == [
        "One line\ngoes on.",
        "Two.",
        "Three.",
    ]


def test_each_clipping_of_a_kindle_is_under_its_book() -> None:
    one = "Ducks (Lee, Ann)\n- Your Highlight on page 5 | Added on Monday\n\nThey\nswim.\n==========\n"
    other = "\ufeffGeese (Bob)\n- Your Bookmark on page 7 | Added on Tuesday\n\n\n==========\n"
    document = document_of(one + other, "My Clippings.txt")
    assert [document.text[block.start : block.end] for block in document.blocks if block.level] == [
        "Ducks (Lee, Ann)",
        "\ufeffGeese (Bob)",
    ]
    assert [block.kind.value for block in document.blocks[:4]] == ["heading", "paragraph", "paragraph", "rule"]
    assert document.title == "My Clippings"
    assert kinds("Ducks\n- of | ponds\n\nThey swim.\n==========\n")[:1] != ["heading"]


def test_lines_nobody_wrapped_are_paragraphs_of_their_own() -> None:
    turns = [f"Speaker {number}: " + "words and more words " * 9 for number in range(4)]
    assert kinds("\n".join([*turns, "Speaker 5: Yes ."])) == ["paragraph"] * 5
    assert kinds("\n".join(["a wrapped line of some seventy letters, as editors leave them alone"] * 6)) == [
        "paragraph"
    ]


def test_every_line_of_a_log_is_a_paragraph_of_its_own() -> None:
    entries = [f"Dec 10 06:55:4{second} host sshd[24200]: closed" for second in range(8)]
    assert kinds("\n".join(entries)) == ["paragraph"] * 8
    assert kinds("\n".join(["At 10:00:01 the gate was shut,", "and nobody came.", *["Rain fell all day."] * 4])) == [
        "paragraph"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Overview\n--------\n\nText.", ["heading", "paragraph"]),
        ("Overview\n--------\nText.", ["heading", "paragraph"]),
        ("a | b\n--------------------------------------\n1 | 2", ["paragraph"]),
        ("-----\n\nText.", ["rule", "paragraph"]),
        ("- one\n- two\n  more\n- three", ["list"]),
        ("1. one\n2. two", ["list"]),
        ("- one\nnot an item", ["paragraph"]),
        ("1. Aims\n\nText.\n\n2. Means\n\nMore.\n\n2.1 Money\n\nEnd.", ["heading", "paragraph"] * 3),
        ("3. Aims\n\nText.\n\n9. Means\n\nMore.", ["paragraph"] * 4),
        ("1984 was a year\n\nText.", ["paragraph", "paragraph"]),
    ],
)
def test_only_unmistakable_structure_is_seen(text: str, expected: list[str]) -> None:
    document_of(text)
    assert kinds(text) == expected


def test_list_items_are_parts() -> None:
    text = "  - one\n    more\n  - two"
    (block,) = text_blocks(text)
    assert [text[part.start : part.end] for part in block.parts] == ["- one\n    more", "  - two"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("A study of many things\n\n" + "Body text. " * 30, "A study of many things"),
        ("Heading\n=======\n\nBody.", "Heading"),
        ("A sentence that ends.\n\n" + "Body text. " * 30, "My notes"),
        ("From: someone\n\n" + "Body text. " * 30, "My notes"),
        ("word", "My notes"),
        ("Day 1\n=====\n\nBody.\n\nDay 2\n=====\n\nBody.", "My notes"),
    ],
)
def test_title(text: str, title: str) -> None:
    assert document_of(text).title == title


def test_code_is_parted_at_blank_lines_and_keeps_its_lines() -> None:
    document = document_of("import os\n\n\ndef f():\n    return 1\n\nx = 2\n", "src/tool.py")
    assert document.kind == "code"
    assert document.title == "tool.py"
    assert [len(block.parts) for block in document.blocks] == [1, 2, 1]
    assert {block.language for block in document.blocks} == {"python"}


@given(st.text(), st.sampled_from(["a.txt", "a.py", "a.csv"]))
def test_laws_hold_for_any_text(text: str, name: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        document = parse(data, name, ParsingSettings())
    except ParseError:
        return
    assert_laws(document)
    assert document == parse(data, name, ParsingSettings())


@given(
    st.lists(st.sampled_from(["- a", "  b", "", "1. c", "2. d", "====", "Title", "long " * 50, "\t", "\x0c", "---"]))
)
def test_laws_hold_for_text_that_looks_structured(lines: list[str]) -> None:
    try:
        document = parse("\n".join(lines).encode(), "a.txt", ParsingSettings())
    except ParseError:
        return
    assert_laws(document)


def test_a_printed_mail_is_named_by_its_subject_and_its_pages_banners_are_no_text() -> None:
    banner = "RELEASED IN PART Case No. F-2014 Doc No. C05"
    mail = f"From: Ann\nSent: Monday\nTo: Bob\nSubject: FW: Two ducks\n\n{'They swim.' + chr(10) * 2}" + "\nSo.\n" * 30
    document = document_of(f"{banner}\n\n{mail}\n{banner}\n{banner}\n\nYours\n{banner}\n")
    assert document.title == "Two ducks"
    furniture = [block for block in document.blocks if block.kind.value == "furniture"]
    assert [document.text[block.start : block.end] for block in furniture] == [banner] * 4
    assert document_of("Dear Bob,\n\nFrom: here\nSubject: to change\n\nAnn").title == "My notes"


def test_named_parts_and_lines_in_capitals_are_headings() -> None:
    book = "BOOK I\n\nChapter 1. Loomings.\n\nCall me so.\n\nCHAPTER II\nThe Carpet-Bag\n\nI did.\n\nBOOK II\n"
    found = [(block.level, book[block.start : block.end]) for block in text_blocks(book) if block.level]
    assert found == [(1, "BOOK I"), (2, "Chapter 1. Loomings."), (2, "CHAPTER II\nThe Carpet-Bag"), (1, "BOOK II")]
    play = (
        "THE FIRST ACT\n\nEnter.\n\nTHE SECOND ACT.\n\nThe first act was long.\n\nBOOK THE SECOND\n\nBook the Third\n"
    )
    assert [play[block.start : block.end] for block in text_blocks(play) if block.level] == [
        "THE FIRST ACT",
        "THE SECOND ACT.",
        "BOOK THE SECOND",
        "Book the Third",
    ]
    sentence = "Section 4. The keeper of the ducks shall, on every day of the year, feed them what they like."
    assert kinds(f"{sentence}\n\n{sentence}\n\nPart of the pond\n\nis ice.") == ["paragraph"] * 4
    memo = "PURPOSE\n\nTo feed.\n\nSCOPE\n\nAll ducks.\n\nTERMS\n\nOf a year." + "\n\nAnd so on." * 9
    assert kinds(memo)[:6] == ["heading", "paragraph"] * 3


PAGES = """Network Working Group                                           A. Drake
Request for Comments: 9999                                     June 1992


                    How Ducks Are Addressed in Ponds

Status of this Memo

   This memo is for the ducks of the pond.
   It may be passed on.

Abstract

   Ducks are addressed by their colour, and by
   the pond in which they live.


Drake                                                           [Page 1]

RFC 9999                  Addresses of Ducks                   June 1992


   A pond has one name.

Encodings

   Two encodings are known, "B" and "Q".


Drake                                                           [Page 2]

RFC 9999                  Addresses of Ducks                   June 1992


   They are not mixed.
"""


def test_a_text_set_as_pages_has_its_title_its_headings_and_its_page_lines_apart() -> None:
    document = parse(PAGES.encode(), "rfc9999.txt", ParsingSettings())
    assert_laws(document)
    assert document.title == "How Ducks Are Addressed in Ponds"
    said = [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]
    assert [words for kind, words in said if kind == "heading"] == ["Status of this Memo", "Abstract", "Encodings"]
    apart = [words for kind, words in said if kind == "furniture"]
    assert [words.split()[0] for words in apart] == ["Drake", "RFC", "Drake", "RFC"]


def test_lines_at_the_margin_of_other_texts_are_no_headings() -> None:
    prose = "Dear Ada\n\nthe ducks are well.\n\nThe pond\n\nIt is full.\n\nYours\n\nGrace\n"
    assert not any(block.kind.value in ("heading", "furniture") for block in text_blocks(prose))


def test_a_line_of_a_table_of_contents_is_no_heading() -> None:
    text = "1.  INTRODUCTION ........ 1\n\n2.  FEED ...... 3\n\n3.  SLEEP ...... 7\n\n" + "Ducks eat.\n\n" * 20
    assert not any(block.kind.value == "heading" for block in text_blocks(text))


def test_lines_that_count_the_pages_are_apart_though_they_do_not_say_page() -> None:
    page, foot = "   They eat corn.\n\n" * 20, "     August 13, 1982           - {number} -           RFC #822\n\n"
    starts = ("   Duck.\n\n", "   Drake.\n\n", "   Duckling.\n\n", "   Flock.\n\n")
    text = "".join(start + page + foot.format(number=number) for number, start in enumerate(starts, 8))
    apart = [text[block.start : block.end] for block in text_blocks(text) if block.kind.value == "furniture"]
    assert [words.split("- ")[1][:2].strip() for words in apart] == ["8", "9", "10", "11"]
    rows = "".join(f"duck   {number}   corn\n\n" for number in range(60))
    assert not any(block.kind.value == "furniture" for block in text_blocks(rows))
