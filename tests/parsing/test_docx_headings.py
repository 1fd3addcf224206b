"""Headings of Word documents whose author set them in bold or large type and used no style for them."""

from __future__ import annotations

from tests.parsing.docx_builder import docx
from tests.parsing.test_docx import document_of, shown

PROSE = "They swim most of the day, and what they eat they find on the ground of the pond."
NUMBERED = (
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
)


def line(text: str, look: str = "", properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def item(text: str, look: str = "") -> str:
    return line(text, look, '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')


def test_lines_set_large_bold_or_underlined_head_what_follows_them() -> None:
    large, bold, underlined = '<w:sz w:val="40"/>', "<w:b/>", '<w:u w:val="single"/>'
    body = line("On ducks", large) + line(PROSE)
    for number in (1, 2, 3):
        body += line(f"{number}. Part", bold) + line(PROSE) + line(f"{number}.1 Detail", bold) + line(PROSE)
    body += line("Annex", underlined) + line(PROSE) + line("The end", bold)
    document = document_of(docx(body))
    headings = [(block.level, document.text[block.start : block.end]) for block in document.blocks if block.level]
    assert headings == [
        (1, "On ducks"),
        *[(level, f"{number}{name}") for number in (1, 2, 3) for level, name in ((1, ". Part"), (2, ".1 Detail"))],
        (1, "Annex"),
    ]


def test_a_numbered_item_in_bold_is_a_heading_unless_the_next_is_one_too() -> None:
    body = item("Feed", "<w:b/>") + line(PROSE) + item("Ponds", "<w:b/>") + item("Lakes", "<w:b/>") + line(PROSE * 3)
    assert shown(docx(body, numbering=NUMBERED))[:3] == [
        ("heading1", "1. Feed"),
        ("paragraph", PROSE),
        ("list", "2. Ponds"),
    ]


def test_what_a_style_states_is_not_guessed_beside_but_for_the_first_line() -> None:
    outline = '<w:outlineLvl w:val="0"/>'
    body = line("On ducks", '<w:b/><w:sz w:val="40"/>') + line("Feed", properties=outline) + line(PROSE)
    body += line("Mind this", "<w:b/>") + line(PROSE) + line("Ponds", properties=outline) + line(PROSE)
    kinds = [entry for entry in shown(docx(body)) if entry[1] != PROSE]
    assert kinds == [("heading1", "On ducks"), ("heading1", "Feed"), ("paragraph", "Mind this"), ("heading1", "Ponds")]


def test_a_table_of_contents_is_one_list() -> None:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/></w:style>'
        for key, name in (("C", "TOC Heading"), ("C1", "toc 1"), ("C2", "toc 2"), ("H", "heading 1"))
    )
    entries = [("C", "Contents"), ("C1", "Feed 1"), ("C2", "Weeds 2"), ("C1", "Ponds 3"), ("H", "Feed"), ("H", "Ponds")]
    body = "".join(line(text, properties=f'<w:pStyle w:val="{key}"/>') for key, text in entries)
    document = document_of(docx(body + line(PROSE), styles=styles))
    assert document.text.startswith("Contents\n\nFeed 1\n  Weeds 2\nPonds 3\n\nFeed")
    assert [block.kind.value for block in document.blocks[:2]] == ["heading", "list"]


def test_of_a_title_page_in_bold_the_first_line_is_the_title() -> None:
    page = "".join(
        line(name, "<w:b/>") for name in ("On ducks", "By Ann", "By Bob", "By Cid", "By Dan", "By Eve", "2026")
    )
    assert shown(docx(page + line(PROSE * 4)))[:2] == [("heading1", "On ducks"), ("paragraph", "By Ann")]


def test_a_style_that_its_author_calls_a_heading_is_one() -> None:
    names = ("Pleading Heading", "Clause Heading 2", "Table Heading")
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{at}"><w:name w:val="{name}"/></w:style>'
        for at, name in enumerate(names)
    )
    body = "".join(line(name, properties=f'<w:pStyle w:val="S{at}"/>') + line(PROSE) for at, name in enumerate(names))
    kinds = [entry for entry in shown(docx(body, styles=styles)) if entry[1] != PROSE]
    assert kinds == [
        ("heading1", "Pleading Heading"),
        ("heading2", "Clause Heading 2"),
        ("paragraph", "Table Heading"),
    ]
