"""How bills, pleadings, opinions, patents and laws are printed and marked up, and that they are read as text."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from core.parsing import parse
from core.parsing.flow import compose
from core.parsing.html.reader import read
from core.settings import ParsingSettings
from core.types import BlockKind
from tests.parsing.docx_builder import docx
from tests.parsing.pdf_builder import WORDS, parsed, pdf, prose, texts
from tests.parsing.test_docx import document_of
from tests.parsing.test_docx_headings import PROSE, line
from tests.parsing.test_xml_prose import document_of as xml_document
from tests.parsing.test_xml_prose import shown


def lines_at(page: pymupdf.Page, x: float, top: float, step: float, text: str, words_a_line: int = 11) -> None:
    words = text.split()
    for number, at in enumerate(range(0, len(words), words_a_line)):
        page.insert_text((x, top + step * number), " ".join(words[at : at + words_a_line]), fontsize=10)


def test_the_numbers_of_a_bills_lines_are_no_part_of_it() -> None:
    def draw(page: pymupdf.Page) -> None:
        lines_at(page, 90, 100, 14, f"{prose('Begins', 400)}.")
        for number in range(1, 37):
            page.insert_text((60, 86 + 14 * number), str(number), fontsize=10)

    document = parsed(pdf(draw))
    assert texts(document, BlockKind.PARAGRAPH) == [f"{prose('Begins', 400)}."]
    assert texts(document, BlockKind.FURNITURE) == [" ".join(map(str, range(1, 37)))]


def test_numbers_in_the_gutter_of_a_patent_part_its_columns_as_before() -> None:
    def draw(page: pymupdf.Page) -> None:
        for left, name in ((50, "Left"), (310, "Right")):
            lines_at(page, left, 100, 11, f"{prose(name, 300)}.", 8)
        for number in range(5, 36, 5):
            page.insert_text((294, 89 + 11 * number), str(number), fontsize=8)

    found = texts(parsed(pdf(draw)), BlockKind.PARAGRAPH)
    assert found == [f"{prose('Left', 300)}.", f"{prose('Right', 300)}."]


@pytest.mark.parametrize(("step", "beside"), [(1, "Member {}"), (1, "{}"), (5, "{} per cent")])
def test_numbers_that_fill_the_first_column_of_a_page_are_kept(step: int, beside: str) -> None:
    def draw(page: pymupdf.Page) -> None:
        for number in range(1, 37):
            page.insert_text((60, 86 + 14 * number), str(number * step), fontsize=10)
            page.insert_text((90, 86 + 14 * number), beside.format(WORDS[number % len(WORDS)]), fontsize=10)

    document = parsed(pdf(draw))
    assert not texts(document, BlockKind.FURNITURE)
    assert str(36 * step) in document.text


def test_double_spaced_lines_are_paragraphs() -> None:
    def draw(page: pymupdf.Page) -> None:
        for number, first in enumerate(("One", "Two", "Three")):
            lines_at(page, 90, 100 + 200 * number, 26, f"{prose(first, 66)}.")

    found = texts(parsed(pdf(draw)), BlockKind.PARAGRAPH)
    assert found == [f"{prose(first, 66)}." for first in ("One", "Two", "Three")]


def test_headers_far_from_the_edge_and_numbers_below_the_text_are_furniture() -> None:
    def page_of(number: int) -> Callable[[pymupdf.Page], None]:
        def draw(page: pymupdf.Page) -> None:
            page.insert_text((90, 130), "Opinion of the Court", fontsize=9)
            lines_at(page, 90, 160, 12, f"{prose(f'Page{number}', 100 + 40 * number)}.")
            page.insert_text((300, 320 + 60 * number), str(number), fontsize=9)

        return draw

    document = parsed(pdf(*map(page_of, (1, 2, 3))))
    assert texts(document, BlockKind.FURNITURE) == [f"Opinion of the Court\n{number}" for number in (1, 2, 3)]


def test_an_item_whose_lines_go_back_to_the_margin_is_one_item() -> None:
    def draw(page: pymupdf.Page) -> None:
        for number, mark in enumerate(("(a)", "(b)")):
            words = prose(f"{mark} Whether", 33).split()
            page.insert_text((110, 100 + 60 * number), " ".join(words[:11]), fontsize=10)
            lines_at(page, 90, 112 + 60 * number, 12, f"{' '.join(words[11:])}.", 12)

    found = texts(parsed(pdf(draw)), BlockKind.LIST)
    assert found == [f"{prose('(a) Whether', 33)}.\n{prose('(b) Whether', 33)}."]


def test_a_patents_description_is_its_text_and_a_novels_its_metadata() -> None:
    patent = xml_document(
        "<us-patent-grant><us-bibliographic-data-grant><invention-title>A Pond</invention-title>"
        "</us-bibliographic-data-grant><description><heading>FIELD</heading><p>It is about a pond for ducks, "
        "which swim in it.</p><heading>SUMMARY</heading><p>There is a pond, and ducks in it, and reeds.</p>"
        "</description></us-patent-grant>"
    )
    assert patent.title == "A Pond"
    assert shown(patent)[-4::2] == ["# FIELD", "# SUMMARY"]
    novel = xml_document(
        "<FictionBook><description><title-info><genre>ponds</genre></title-info></description><body><section>"
        "<title><p>One</p></title><p>Ducks swim.</p></section></body></FictionBook>"
    )
    assert shown(novel) == ["# One", "Ducks swim."]


def test_an_article_of_formex_has_its_number_title_and_paragraphs() -> None:
    document = xml_document(
        "<LEXP.COMBINED><ACT><TITLE><TI><P>Regulation on Ponds</P></TI></TITLE><ENACTING.TERMS><ARTICLE>"
        "<TI.ART>Article 1</TI.ART><STI.ART>Scope</STI.ART><PARAG><NO.PARAG>1.</NO.PARAG><ALINEA>It applies to all "
        "ponds in which ducks are kept.</ALINEA></PARAG></ARTICLE><ARTICLE><TI.ART>Article 2</TI.ART><ALINEA>It enters "
        "into force when the first duck is seen.</ALINEA></ARTICLE></ENACTING.TERMS></ACT></LEXP.COMBINED>",
    )
    assert document.title == "Regulation on Ponds"
    assert [text.lstrip("# ") for text in shown(document)][1:] == [
        "Article 1 Scope",
        "1. It applies to all ponds in which ducks are kept.",
        "Article 2",
        "It enters into force when the first duck is seen.",
    ]


def test_a_page_of_eur_lex_has_the_headings_its_classes_tell() -> None:
    page = (
        "<p class=oj-ti-section-1>PART ONE</p><p class=oj-ti-section-2>PONDS</p><p class=oj-ti-section-1>TITLE I</p>"
        "<p class=oj-ti-art>Article 1</p><div class=eli-title><p class=oj-sti-art>Scope</p></div><p>All ponds.</p>"
        "<p class=oj-ti-section-1>TITLE II</p><p class=oj-ti-art>Article 2</p><p>No lakes.</p>"
        "<p class=oj-doc-ti>ANNEX I</p><p>Ducks.</p>"
    )
    flow = compose(read(page.encode(), "page.html").pieces)
    headings = [(block.level, flow.text[block.start : block.end]) for block in flow.blocks if block.level]
    assert headings == [
        (2, "PART ONE PONDS"),
        (3, "TITLE I"),
        (4, "Article 1 Scope"),
        (3, "TITLE II"),
        (4, "Article 2"),
        (1, "ANNEX I"),
    ]


@pytest.mark.parametrize("after", ["<p>long</p><table><tr><td>(a)<td>ducks</table>", "<pre>long</pre>"])
def test_a_marker_in_a_cell_of_its_own_stays_with_its_text(after: str) -> None:
    text = compose(read(f"<table role=none><tr><td>(1)<td>{after}</table>".encode(), "page.html").pieces).text
    assert text.startswith("(1) long") or text == "long\n\n(1)"


def test_a_style_of_headings_that_numbers_sentences_makes_no_headings() -> None:
    heading = '<w:pStyle w:val="Heading1"/>'
    sentences = "".join(line(f"{number} {PROSE}", properties=heading) for number in range(4))
    document = document_of(docx(line("On ducks", properties=heading) + sentences))
    assert not [block for block in document.blocks if block.level]
    short = "".join(line(f"Part {number}", properties=heading) + line(PROSE) for number in range(4))
    document = document_of(docx(line(PROSE, properties=heading) + short))
    assert len([block for block in document.blocks if block.level]) == 5


def test_a_page_without_tags_is_text() -> None:
    assert parse(b"A BILL\n\nSee <https://a.b/c>.\n", "bill.html", ParsingSettings()).kind == "text"
