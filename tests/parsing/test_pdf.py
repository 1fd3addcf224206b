from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from io import BytesIO

import pymupdf
import pytest

from core.errors import CancelledError, ParseError, PasswordNeededError, TextLayerMissingError, WorkerError
from core.parsing import parse
from core.parsing.pictures.drawing import render_page
from core.settings import ParsingSettings
from core.text.places import boxes_of, page_of
from core.types import BlockKind, Span
from tests.conftest import ROOT
from tests.parsing.pdf_builder import WORDS, blocks, box, levels_of, parsed, pdf, prose, texts


def two_columns(page: pymupdf.Page) -> None:
    page.insert_text((60, 80), "A Study of the River and of its Mills in Former Times", fontsize=20)
    box(page, 60, 120, 290, 700, f"{prose('Leftfirst', 160)}.")
    box(page, 310, 120, 540, 700, f"{prose('Rightfirst', 160)}.")


def test_two_columns_are_read_one_after_the_other() -> None:
    document = parsed(pdf(two_columns))
    assert texts(document, BlockKind.PARAGRAPH) == [f"{prose('Leftfirst', 160)}.", f"{prose('Rightfirst', 160)}."]
    assert document.title == "A Study of the River and of its Mills in Former Times"
    assert document.title_span == Span(0, len(document.title))


def test_a_wide_figure_parts_columns_in_bands() -> None:
    def draw(page: pymupdf.Page) -> None:
        for top, name in ((60, "upper"), (420, "lower")):
            box(page, 60, top, 290, top + 300, f"{prose(f'Left {name}', 90)}.")
            box(page, 310, top, 540, top + 300, f"{prose(f'Right {name}', 90)}.")
        page.insert_text((60, 400), "Figure 1. " + " ".join(WORDS[:14]), fontsize=10)

    found = [text[:12].strip() for text in texts(parsed(pdf(draw)), BlockKind.PARAGRAPH)]
    assert found == ["Left upper t", "Right upper", "Left lower t", "Right lower"]


def test_small_print_in_the_margin_stands_apart_from_the_text_beside_it() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 150, 100, 540, 300, f"{prose('Begins', 90)}.", 10)
        for line, said in enumerate(("Received", "3 May 2020", "Published", "9 July 2020", "DOI", "10.1/x")):
            page.insert_text((60, 108 + 13.5 * line), said, fontsize=8)

    found = texts(parsed(pdf(draw)), BlockKind.PARAGRAPH)
    assert f"{prose('Begins', 90)}." in found
    assert "Received 3 May 2020" in " ".join(found)


@pytest.mark.parametrize(("beside", "wanted"), [(7, "block by block"), (0, "row by row")])
def test_blocks_with_lines_of_their_own_are_read_one_after_the_other(beside: int, wanted: str) -> None:
    sender, receipt = (
        ["Ada Byron", "Mill Lane", "Corfe"],
        ["Number seven", "Third of May", "Due in June", "Final notice"],
    )

    def draw(page: pymupdf.Page) -> None:
        for left, top, lines in ((60, 100, sender), (360, 100 + beside, receipt)):
            for line, said in enumerate(lines):
                page.insert_text((left, top + 14 * line), said, fontsize=10)
        box(page, 60, 300, 540, 500, f"{prose('Begins', 90)}.", 10)

    found = " ".join(parsed(pdf(draw)).text.split())
    rows = " ".join(f"{one} {other}" for one, other in zip(sender, receipt, strict=False))
    assert (" ".join([*sender, *receipt]) in found) is (wanted == "block by block")
    assert (rows in found) is (wanted == "row by row")


def test_numbers_in_the_middle_of_wrapped_labels_stay_beside_them() -> None:
    labels = ["Complaints and", "other enquiries", "Regional", "policies, research", "Export", "and customs"]

    def draw(page: pymupdf.Page) -> None:
        for line, said in enumerate(labels):
            page.insert_text((60, 100 + 12 * line + 8 * (line // 2)), said, fontsize=10)
        for row, said in enumerate(("four hundred", "ninety", "sixteen")):
            page.insert_text((360, 106 + 32 * row), said, fontsize=10)
        box(page, 60, 300, 540, 500, f"{prose('Begins', 90)}.", 10)

    found = parsed(pdf(draw)).text
    assert found.index("four hundred") < found.index("Regional") < found.index("ninety") < found.index("Export")


def test_the_last_rows_of_columns_are_read_with_their_columns_though_headings_part_them_off() -> None:
    def draw(page: pymupdf.Page) -> None:
        for left, name in ((60, "Left"), (310, "Right")):
            box(page, left, 80, left + 230, 690, f"{prose(name, 140)}.")
            page.insert_text((left, 712), f"2.{left // 60} On the {name} hand", fontsize=10, fontname="hebo")
            page.insert_text((left, 742), f"{name} under the heading is written out as a line of words", fontsize=8.5)
            page.insert_text(
                (left, 753), f"and {name.lower()} of the gutter it ends with another line of words.", fontsize=8.5
            )

    document = parsed(pdf(draw))
    below = [text for text in texts(document, BlockKind.PARAGRAPH) if "under the heading" in text]
    assert [text.split()[0] for text in below] == ["Left", "Right"]
    assert all(text.endswith("it ends with another line of words.") for text in below)
    assert document.text.index("ends with") < document.text.index("On the Right hand")


def test_keywords_beside_an_abstract_stand_apart_from_it_below_the_title() -> None:
    abstract = f"{prose('Human', 70)}."

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((60, 60), "ISSN 1234", fontsize=8)
        page.insert_text((180, 66), "The Ducks of the River", fontsize=18)
        page.insert_text((60, 120), "article info", fontsize=10)
        page.insert_text((180, 120), "abstract", fontsize=10)
        box(page, 180, 130, 540, 300, abstract, 9)
        for line, said in enumerate(("Article history:", "Received 3 May", "Keywords:", "Ducks", "Rivers")):
            page.insert_text((60, 139 + 9.5 * line), said, fontsize=7)
        box(page, 60, 330, 540, 500, f"{prose('Then', 100)}.", 9)

    document = parsed(pdf(draw))
    found = texts(document, BlockKind.PARAGRAPH)
    assert abstract in found
    assert "Ducks Rivers" in " ".join(found)
    places = [document.text.index(said) for said in ("The Ducks of the River", "Received", abstract)]
    assert places == sorted(places)


def test_a_paragraph_crosses_pages_past_running_headers_and_footnotes() -> None:
    def page_of_report(number: int) -> Callable[[pymupdf.Page], None]:
        def draw(page: pymupdf.Page) -> None:
            page.insert_text((60, 40), "The Annual Report", fontsize=9)
            page.insert_text((290, 780), str(number), fontsize=9)
            page.insert_text((60, 740), f"{number} A note about {WORDS[number]}.", fontsize=7)
            start = "Begins" if number == 1 else "and"
            box(page, 60, 80, 540, 400, prose(start, 70) + ("." if number == 3 else ""), 11)

        return draw

    document = parsed(pdf(*(page_of_report(number) for number in (1, 2, 3))))
    joined = " ".join(prose(start, 70) for start in ("Begins", "and", "and"))
    assert texts(document, BlockKind.PARAGRAPH) == [f"{joined}."]
    assert texts(document, BlockKind.FOOTNOTE) == [f"{number} A note about {WORDS[number]}." for number in (1, 2, 3)]
    assert texts(document, BlockKind.FURNITURE) == [f"The Annual Report\n{number}" for number in (1, 2, 3)]
    assert [block.kind for block in document.blocks[-3:]] == [BlockKind.FURNITURE] * 3


def test_a_slide_that_appears_line_by_line_is_read_once_when_it_is_complete() -> None:
    def step(lines: int, number: int) -> Callable[[pymupdf.Page], None]:
        def draw(page: pymupdf.Page) -> None:
            page.insert_text((60, 60), "Why ducks swim" if number < 3 else "Why ducks fly", fontsize=18)
            for line, said in enumerate(["They eat in the water.", "They sleep", "there, too."][:lines]):
                page.insert_text((60, 200 + 30 * line), said, fontsize=12)
            page.insert_text((500, 580), f"{number} / 4", fontsize=9)

        return draw

    steps = [step(lines, number) for number, lines in ((1, 0), (1, 1), (1, 2), (1, 3), (2, 3), (3, 1), (4, 2), (4, 3))]
    assert "before it is complete" not in str(parsed(pdf(*steps)).notes), "pages of a book may say less than the next"
    document = parsed(pdf(*steps, width=800, height=600))
    whole = "They eat in the water.", "They sleep", "there, too."
    assert texts(document, BlockKind.HEADING) == ["Why ducks swim", "Why ducks fly"]
    assert sorted(" ".join(texts(document, BlockKind.PARAGRAPH)).split()) == sorted(" ".join(whole * 2).split())
    assert [box.page for box in document.boxes if box.start < document.text.index("Why ducks fly")] == [5] * 4
    assert document.words
    assert document.words.missing == 0
    assert document.words.dropped[0][0] == "on pages that show a slide before it is complete"
    assert any("before it is complete" in note and ": 1, 2, 3, 4, 6, 7." in note for note in document.notes)


def test_lines_that_recur_are_the_text_where_there_is_nothing_else() -> None:
    def form(page: pymupdf.Page) -> None:
        page.insert_text((60, 40), f"Received at the mill, sheet {page.number + 1}.")
        page.insert_text((290, 780), str(page.number + 1), fontsize=9)

    document = parsed(pdf(form, form, form))
    assert texts(document, BlockKind.FURNITURE) == ["1", "2", "3"]
    assert all(f"Received at the mill, sheet {number}." in document.text for number in (1, 2, 3))


def typeset(html: str, columns: int) -> bytes:
    """Pages in columns with a running header and numbers, as MuPDF sets HTML."""
    story, stream = pymupdf.Story(html=html, user_css="body { font-size: 10px; text-align: justify }"), BytesIO()
    writer, width, more = pymupdf.DocumentWriter(stream), (500 - 20 * columns) / columns, True
    while more:
        device = writer.begin_page(pymupdf.Rect(0, 0, 600, 800))
        for left in (60 + column * (width + 20) for column in range(columns)):
            if more:
                more, _ = story.place(pymupdf.Rect(left, 80, left + width, 740))
                story.draw(device)
        writer.end_page()
    writer.close()
    with pymupdf.open(stream=stream.getvalue(), filetype="pdf") as document:
        for page in document:
            page.insert_text((60, 40), "The Annual Report", fontsize=9)
            page.insert_text((290, 780), str(page.number + 1), fontsize=9)
        return bytes(document.tobytes())


@pytest.mark.parametrize("columns", [1, 2])
def test_a_report_over_several_pages_is_read_block_by_block(columns: int) -> None:
    html, expected = "", []
    for name in ("one", "two", "three", "four", "five", "six"):
        items = [prose(f"{name}{number}", 6) for number in range(4)]
        first, last = f"{prose(f'Here{name}', 170)}.", f"{prose(f'There{name}', 120)}."
        listed = "".join(f"<li>{item}</li>" for item in items)
        html += f"<h2>Chapter {name}</h2><p>{first}</p><ul>{listed}</ul><p>{last}</p>"
        expected += [f"Chapter {name}", first, "\n".join(f"• {item}" for item in items), last]
    document = parsed(typeset(html, columns))
    assert len(document.pages) == 3
    read = [document.text[block.start : block.end] for block in document.blocks]
    assert read == [*expected, *(f"The Annual Report\n{number}" for number in (1, 2, 3))]
    assert document.words is not None
    assert document.words.missing == 0


def test_boxes_say_where_each_run_stands() -> None:
    data = pdf(two_columns, two_columns)
    document = parsed(data)
    source = pymupdf.open(stream=data, filetype="pdf")
    for run in document.boxes:
        there = source[run.page - 1].get_textbox((run.x0 - 1, run.y0, run.x1 + 1, run.y1))
        ours = document.text[run.start : run.end]
        assert "".join(ours.split()) in "".join(there.split())
    at = document.text.index("Rightfirst", len(document.text) // 2)
    assert page_of(document, at) == 2
    assert {run.page for run in boxes_of(document, Span(at, at + 10))} == {2}


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_lie_on_the_page_as_it_is_shown(rotation: int) -> None:
    source = pymupdf.open()
    page = source.new_page(width=600, height=800)
    page.insert_text((72, 100), "Some words at the top of the page.")
    page.set_rotation(rotation)
    document = parsed(bytes(source.tobytes()))
    run = document.boxes[0]
    expected = page.search_for("Some words at the top of the page.")[0] * page.rotation_matrix
    assert (run.x0, run.y0, run.x1, run.y1) == pytest.approx(tuple(expected), abs=2)
    assert (document.pages[0].width, document.pages[0].height) == (page.rect.width, page.rect.height)


def test_text_written_sideways_is_read_along() -> None:
    def draw(page: pymupdf.Page) -> None:
        for number in range(6):
            page.insert_text((100 + 20 * number, 700), f"Line {number} of a landscape table", rotate=90)

    document = parsed(pdf(draw))
    assert document.text.split() == " ".join(f"Line {number} of a landscape table" for number in range(6)).split()


def test_broken_words_are_whole_again_and_their_boxes_exact() -> None:
    def draw(page: pymupdf.Page) -> None:
        lines = (
            "This is a line whose last word is hyphen-",
            "ated, and another that ends in a well-",
            "known compound, which stands as well-known here,",
            "and the last one goes on as people usually do.",
        )
        for number, line in enumerate(lines):
            page.insert_text((60, 100 + 14 * number), line)

    document = parsed(pdf(draw))
    assert document.text == (
        "This is a line whose last word is hyphenated, and another that ends in a well-known compound, which stands "
        "as well-known here, and the last one goes on as people usually do."
    )
    assert [document.text[run.start : run.end][-6:] for run in document.boxes] == [
        "hyphen",
        " well-",
        " here,",
        "ly do.",
    ]


def test_headings_come_from_type_size() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((60, 60), "The Whole Report", fontsize=24)
        top = 100
        for chapter in (1, 2):
            page.insert_text((60, top), f"Chapter about topic {'AB'[chapter - 1]}", fontsize=16)
            for section in (1, 2):
                page.insert_text((60, top + 30), f"Section {'xy'[section - 1]}", fontsize=12, fontname="hebo")
                box(page, 60, top + 40, 540, top + 140, f"{prose('Then', 40)}.")
                top += 130
            top += 40

    document = parsed(pdf(draw))
    assert levels_of(document) == [
        (1, "The Whole Report"),
        (2, "Chapter about topic A"),
        (3, "Section x"),
        (3, "Section y"),
        (2, "Chapter about topic B"),
        (3, "Section x"),
        (3, "Section y"),
    ]
    assert document.title == "The Whole Report"


def test_headings_of_papers_in_the_type_of_their_text_are_found() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((60, 60), "The Whole Paper", fontsize=20)
        # Small capitals: the first letters in the size of the text, the others in smaller type, centred in the column.
        page.insert_text((260, 100), "I. ", fontsize=10)
        page.insert_text((269, 100), "I", fontsize=10)
        page.insert_text((272, 100), "NTRODUCTION", fontsize=8)
        box(page, 60, 103, 540, 180, f"{prose('Then', 60)}.")
        page.insert_text((60, 190), "A. Who they are", fontsize=10, fontname="heit")
        box(page, 60, 193, 540, 255, f"{prose('Now', 60)}.")
        page.insert_text((60, 262), "B. Whom they met", fontsize=10, fontname="heit")
        page.insert_text((60, 282), "See the table of all words that end with it in", fontsize=10)
        page.insert_text((60, 294), "THE OLD BOOK OF THE RIVER, which nobody has read.", fontsize=10)
        width = pymupdf.get_text_length("2. Results", fontsize=10)
        page.insert_text((300 - width / 2, 320), "2. Results", fontsize=10)
        box(page, 60, 324, 540, 400, f"{prose('Here', 60)}.")
        width = pymupdf.get_text_length("G G G G G G", fontsize=10)
        page.insert_text((300 - width / 2, 420), "G G G G G G", fontsize=10)
        box(page, 60, 424, 540, 500, f"{prose('Last', 60)}.")

    document = parsed(pdf(draw))
    assert levels_of(document) == [
        (1, "The Whole Paper"),
        (2, "I. INTRODUCTION"),
        (3, "A. Who they are"),
        (3, "B. Whom they met"),
        (2, "2. Results"),
    ]


def test_headings_side_by_side_at_the_head_of_a_page_head_their_columns() -> None:
    def draw(page: pymupdf.Page) -> None:
        for left, name in ((60, "II. METHODS"), (320, "III. RESULTS")):
            width = pymupdf.get_text_length(name, fontsize=10)
            page.insert_text((left + 110 - width / 2, 60), name, fontsize=10)
            box(page, left, 80, left + 220, 700, f"{prose(name.split()[1].title(), 300)}.")

    document = parsed(pdf(draw))
    assert texts(document, BlockKind.HEADING) == ["II. METHODS", "III. RESULTS"]
    assert document.text.index("II. METHODS") < document.text.index("Methods the")
    assert document.text.index("Methods the") < document.text.index("III. RESULTS") < document.text.index("Results the")


def test_headings_come_from_the_outline() -> None:
    source = pymupdf.open()
    for number in (1, 2):
        page = source.new_page()
        page.insert_text((60, 80), f"{number}. Topic number {number}", fontsize=10)
        page.insert_text((60, 120), "Details", fontsize=10)
        box(page, 60, 140, 500, 300, f"{prose('Here', 60)}.")
    source.set_toc([[1, "Topic number 1", 1], [2, "Details", 1], [1, "Topic number 2", 2], [2, "Details", 2]])
    found = levels_of(parsed(bytes(source.tobytes())))
    assert found == [(1, "1. Topic number 1"), (2, "Details"), (1, "2. Topic number 2"), (2, "Details")]


def test_bookmarks_that_point_beside_their_headings_still_make_them() -> None:
    source = pymupdf.open()
    for title in ("", "THE FIRST RECEIVERS", "The valves"):
        page = source.new_page()
        page.insert_text((60, 80), title, fontsize=10)
        box(page, 60, 140, 500, 300, f"{prose('Here', 60)}.")
    source.set_toc(
        [
            [1, "The first receivers", 1],  # the leaf before the chapter
            [1, "Printed nowhere in the book", 2],
            [1, "4. The valves", 1],  # the page of another print
        ]
    )
    found = levels_of(parsed(bytes(source.tobytes())))
    assert found == [(1, "THE FIRST RECEIVERS"), (1, "The valves")]


def test_lists_keep_their_items() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 120, f"{prose('Before', 30)}:")
        for number, item in enumerate(("first item", "second item that", "third item")):
            page.insert_text((70, 140 + 28 * number), "\u2022")
            page.insert_text((84, 140 + 28 * number), item)
        page.insert_text((84, 140 + 28 + 13), "goes on below")

    document = parsed(pdf(draw))
    (block,) = blocks(document, BlockKind.LIST)
    assert [document.text[part.start : part.end] for part in block.parts] == [
        "• first item",
        "• second item that goes on below",
        "• third item",
    ]


def test_code_keeps_its_lines() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 140, f"{prose('Before', 40)}.")
        for number, line in enumerate(("def f():", "    return 1", "print(f())")):
            page.insert_text((60, 160 + 12 * number), line, fontname="cour", fontsize=10)

    document = parsed(pdf(draw))
    assert texts(document, BlockKind.CODE) == ["def f():\n    return 1\nprint(f())"]


def test_first_words_that_are_set_apart_are_no_heading() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((60, 90), "2 What was learnt", fontsize=10, fontname="hebo")
        page.insert_text(
            (60, 120), "Poor choices have effects that nobody awaited. In the", fontsize=10, fontname="hebo"
        )
        for at, line in enumerate(
            ("most part of the work they did no harm, but one of", "them stands out among the others by far.")
        ):
            page.insert_text((60, 132 + 12 * at), line, fontsize=10)
        page.insert_text((60, 190), "3 What is to be done about all that was learnt", fontsize=10, fontname="hebo")
        page.insert_text((60, 204), "gcc is built anew for it, and nobody minds.", fontsize=10)
        box(page, 60, 230, 310, 700, f"{prose('More', 120)}.", 10)

    document = parsed(pdf(draw))
    assert texts(document, BlockKind.HEADING) == ["2 What was learnt", "3 What is to be done about all that was learnt"]
    assert "Poor choices have effects that nobody awaited. In the most part of the work" in document.text


def test_a_letter_is_called_by_its_file_and_not_by_its_first_section() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((60, 90), "Heather Row 12, Normal", fontsize=11)
        page.insert_text((60, 130), "Dear neighbour,", fontsize=11)
        page.insert_text((60, 170), "Nominations for the board", fontsize=16)
        page.insert_text((60, 210), "Two seats are up for election, with terms of two years.", fontsize=11)

    assert parsed(pdf(draw), "autumn_letter.pdf").title == "Autumn letter"


def test_title_from_metadata_if_the_first_page_shows_it() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((60, 50), "www.ducks.example", fontsize=14)
        page.insert_text((60, 80), "Heard on the river", fontsize=14)
        page.insert_text((60, 170), "Ducks: a real title", fontsize=22)
        box(page, 60, 190, 540, 300, f"{prose('More', 40)}.")

    def untitled(page: pymupdf.Page) -> None:
        page.insert_text((60, 60), "CONTENTS", fontsize=22)
        box(page, 60, 90, 540, 200, f"{prose('Words', 40)}.")

    shown = "Ducks: a real title"
    assert parsed(pdf(draw, title="Ducks&#58; a Real Title")).title == "Ducks: a Real Title"
    for unshown in ("", "Find more of them online", "8283_xs_0801_dv", "Microsoft Word - draft3.doc"):
        document = parsed(pdf(draw, title=unshown))
        assert document.title == shown
        assert document.title_span
        assert document.text[document.title_span.start : document.title_span.end] == shown
        assert parsed(pdf(untitled, title=unshown), "x/annual_plan.pdf").title == "Annual plan"

    def cover(page: pymupdf.Page) -> None:
        page.insert_text((60, 170), "ANNUAL REPORT", fontsize=22)

    assert parsed(pdf(cover, draw, title="Ducks: a Real Title")).title == "Ducks: a Real Title"


def test_a_cover_that_first_names_an_authority_is_called_by_the_file_that_names_the_company() -> None:
    def cover(page: pymupdf.Page) -> None:
        page.insert_text((60, 60), "COMMISSION FOR SECURITIES", fontsize=20)
        page.insert_text((60, 120), "FORM 10-K", fontsize=20)
        page.insert_text((60, 180), "MILL BROOK CO., INC.", fontsize=20)
        box(page, 60, 230, 540, 400, f"{prose('Words', 60)}.")

    assert parsed(pdf(cover), "MILLBROOK_2022_10K.pdf").title == "MILLBROOK 2022 10K"
    for name in ("commission_report.pdf", "scan_0012.pdf", "download.pdf"):
        assert parsed(pdf(cover), name).title == "COMMISSION FOR SECURITIES · FORM 10-K · MILL BROOK CO., INC."


@pytest.mark.parametrize(
    ("between", "sizes", "title"),
    [
        ("", (12, 20, 20), "FORM 10-Q · Mill Brook"),  # the authority stands in smaller type
        ("", (20, 20, 27), "Mill Brook"),
        (f"{prose('Words', 40)}.", (12, 20, 20), "FORM 10-Q"),  # sections, each with its prose
    ],
)
def test_equally_large_headings_of_a_cover_are_the_title_together(between: str, sizes: tuple, title: str) -> None:
    def cover(page: pymupdf.Page) -> None:
        for number, words in enumerate(("COMMISSION", "FORM 10-Q", "Mill Brook")):
            page.insert_text((60, 60 + 120 * number), words, fontsize=sizes[number], fontname="hebo")
            box(page, 60, 75 + 120 * number, 540, 150 + 120 * number, between)
        box(page, 60, 400, 540, 600, f"{prose('Words', 60)}.")

    assert parsed(pdf(cover), "scan_0012.pdf").title == title


def picture_page(page: pymupdf.Page) -> None:
    pixels = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 8, 8))
    page.insert_image((50, 50, 500, 500), pixmap=pixels)


def test_bad_files_get_a_sentence() -> None:
    good = pdf(*[two_columns] * 4)
    locked = pymupdf.open(stream=good, filetype="pdf").tobytes(
        encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="owner"
    )
    with pytest.raises(PasswordNeededError, match=r"locked\.pdf is encrypted"):
        parse(locked, "locked.pdf", ParsingSettings())
    with pytest.raises(TextLayerMissingError, match=r"scan\.pdf has no text layer"):
        parse(pdf(picture_page), "scan.pdf", ParsingSettings(scans="off"))
    for damaged in (good[:300], b"%PDF-1.7\nnothing", b"garbage"):
        with pytest.raises(ParseError, match=r"cut\.pdf is damaged or cut short"):
            parse(damaged, "cut.pdf", ParsingSettings())


def test_a_truncated_file_keeps_what_can_be_read() -> None:
    document = pymupdf.open()
    for _ in range(6):
        two_columns(document.new_page(width=600, height=800))
    data = bytes(document.tobytes())
    kept = parsed(data[: int(len(data) * 0.95)])
    assert "Leftfirst" in kept.text
    assert any("repaired" in note for note in kept.notes)


def test_progress_counts_pages_and_can_cancel() -> None:
    data = pdf(*[two_columns] * 12)
    seen: list[tuple[str, int, int]] = []
    parse(data, "a.pdf", ParsingSettings(), lambda stage, done, total: seen.append((stage, done, total)))
    assert seen[-1] == ("parsing", 12, 12)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)

    def stop(stage: str, done: int, total: int) -> None:
        if done >= 5:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        parse(data, "a.pdf", ParsingSettings(), stop)
    assert len(parse(data, "a.pdf", ParsingSettings()).pages) == 12


def test_time_limit_is_an_error_with_a_sentence() -> None:
    data = pdf(*[two_columns] * 30)
    with pytest.raises(WorkerError, match=r"big\.pdf could not be read: it was not read within 1 seconds"):
        parse(data, "big.pdf", ParsingSettings(timeout_seconds=1), lambda *_: time.sleep(0.05))


def test_the_process_that_reads_loads_no_model_of_layouts() -> None:
    code = (
        "import sys; from core.parsing.pdf.worker import warm_up; warm_up(); "
        "print({'onnxruntime', 'torch'} & set(sys.modules), 'pymupdf' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set() True"


def test_parsing_is_deterministic() -> None:
    data = pdf(two_columns, two_columns)
    assert parsed(data) == parsed(data)


def test_pictures_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf(two_columns, two_columns)
    picture = pymupdf.Pixmap(render_page(data, 2, 1.5))
    assert (picture.width, picture.height) == (900, 1200)
    monkeypatch.setattr("core.parsing.pictures.drawing._MAX_PIXELS", 480_000)
    assert pymupdf.Pixmap(render_page(data, 1, 500.0)).width in (600, 601)
    with pytest.raises(ParseError, match="There is no page 3"):
        render_page(data, 3, 1.0)
