"""Decks made of text boxes alone: their slides' titles and running lines are told by size and place."""

from __future__ import annotations

from pptx import Presentation
from pptx.util import Pt

from core.types import Document
from tests.parsing.test_pptx import parsed, slide_of, text_box

BLANK = 6


def sized(slide, text: str, points: float, top: float) -> None:
    box = text_box(slide, text, top=top, width=6)
    for paragraph in box.text_frame.paragraphs:
        paragraph.runs[0].font.size = Pt(points)


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def test_the_largest_line_above_is_the_title_and_what_recurs_below_is_set_aside() -> None:
    deck = Presentation()
    for number in (1, 2, 3):
        slide = slide_of(deck, BLANK)
        sized(slide, f"Pond {number}", 34, 0.3)
        sized(slide, "Ducks swim there.", 20, 2)
        sized(slide, "Spring term", 10, 7)
    assert kinds(parsed(deck)) == [
        *[pair for at in (1, 2, 3) for pair in (("heading", f"Pond {at}"), ("paragraph", "Ducks swim there."))],
        ("furniture", "Spring term"),
    ]


def test_no_title_is_made_of_what_is_low_or_no_larger_than_the_rest() -> None:
    deck = Presentation()
    low, same = slide_of(deck, BLANK), slide_of(deck, BLANK)
    sized(low, "Thanks", 34, 5)
    sized(low, "Ducks swim.", 20, 1)
    sized(same, "One", 20, 0.3)
    sized(same, "Two", 20, 2)
    assert {kind for kind, _ in kinds(parsed(deck))} == {"paragraph"}


def test_a_larger_first_line_of_a_text_box_is_the_title() -> None:
    deck = Presentation()
    for first, rest in ((34, 20), (20, 20)):
        box = text_box(slide_of(deck, BLANK), "Ponds\nDucks swim there.", top=1, width=6)
        for paragraph, points in zip(box.text_frame.paragraphs, (first, rest), strict=True):
            paragraph.runs[0].font.size = Pt(points)
    lines = [("heading", "Ponds"), ("paragraph", "Ducks swim there.")]
    assert kinds(parsed(deck)) == [*lines, ("paragraph", "Ponds"), lines[1]]
