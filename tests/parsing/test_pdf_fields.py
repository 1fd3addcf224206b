"""Filled form fields: the name and the value of each stand together, wherever the form prints the two."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf
import pytest

from core.parsing.pdf.fields import FormField, with_fields
from core.parsing.pdf.lines import TextLine
from core.types import BlockKind
from tests.parsing.pdf_builder import parsed, pdf, texts

TEXT, LIST, CHECK = (
    pymupdf.PDF_WIDGET_TYPE_TEXT,
    pymupdf.PDF_WIDGET_TYPE_LISTBOX,
    pymupdf.PDF_WIDGET_TYPE_CHECKBOX,
)
Box = tuple[float, float, float, float]


def add_field(
    page: pymupdf.Page, key: str, label: str, value: str, box: Box, kind: int = TEXT, *, shown: bool = True
) -> None:
    field = pymupdf.Widget()
    field.field_type, field.field_name, field.field_label = kind, key, label or None
    field.rect, field.text_fontsize, field.border_width = pymupdf.Rect(box), 9, 0
    if kind == LIST:
        field.choice_values = ["Millbridge", value]
    if "\n" in value:
        field.field_flags = pymupdf.PDF_TX_FIELD_IS_MULTILINE
    field.field_value = value
    page.add_widget(field)
    if not shown:
        page.parent.xref_set_key(field.xref, "AP", "null")


def read(draw_text: Sequence[tuple[float, float, str]], fields: Sequence[tuple[str, str, str, Box]]) -> list[str]:
    def draw(page: pymupdf.Page) -> None:
        for x, y, words in draw_text:
            page.insert_text((x, y), words, fontsize=8)
        for key, label, value, box in fields:
            add_field(page, key, label, value, box)

    return parsed(pdf(draw)).text.split("\n\n")


@pytest.mark.parametrize("labels", [("OWNER", "VESSEL NUMBER", "PORT"), ("", "", "")])
@pytest.mark.parametrize("side", ["above", "below", "left"])
def test_a_field_stands_with_the_name_printed_beside_it(labels: tuple[str, ...], side: str) -> None:
    names, values = ("OWNER", "VESSEL NUMBER", "PORT"), ("Ada Miller", "K 4182", "Corfe")
    boxes = [(left, 200.0 + at, left + 60, 217.0 + at) for at, left in enumerate((150, 310, 470))]
    words = []
    for name, (left, top, _, foot) in zip(names, boxes, strict=True):
        before = left - pymupdf.get_text_length(name, fontsize=8) - 4
        places = {"above": (left, top - 3), "below": (left, foot + 9), "left": (before, top + 12)}
        words.append((*places[side], name))
    fields = [
        (f"f{at}", label, value, box) for at, (label, value, box) in enumerate(zip(labels, values, boxes, strict=True))
    ]
    assert read([(72, 100, "HARBOUR DUES"), *words], fields) == [
        "HARBOUR DUES", "OWNER: Ada Miller", "VESSEL NUMBER: K 4182", "PORT: Corfe",
    ]  # fmt: skip


def test_the_files_own_name_serves_where_none_is_printed_or_its_letters_cannot_be_read() -> None:
    printed = [(72, 197, "ate of Loss"), (72, 297, "Remarks of the harbour master")]
    fields: list[tuple[str, str, str, Box]] = [
        ("a", "Date of Loss", "2025-08-12", (72, 200, 200, 217)),
        ("b", "Name of the Witness.", "Priya Desai", (300, 200, 420, 217)),
    ]
    assert read(printed, fields) == [
        "Date of Loss: 2025-08-12", "Name of the Witness: Priya Desai", "Remarks of the harbour master",
    ]  # fmt: skip


def test_blanks_in_a_sentence_are_filled_in() -> None:
    words = [(72, 100, "The seller, ________________, was paid $__________ on this day and"), (72, 110, "is content.")]

    def draw(page: pymupdf.Page) -> None:
        for x, y, line in words:
            page.insert_text((x, y), line, fontsize=8)
        blanks = page.search_for("________")
        for key, value, blank in (("s", "Jack Smith", blanks[0]), ("p", "400", blanks[-1])):
            add_field(page, key, "undefined", value, (blank.x0, blank.y0, blank.x1, blank.y1 + 1), shown=key == "s")

    wanted = "The seller, Jack Smith, was paid $400 on this day and is content."
    assert parsed(pdf(draw)).text == wanted


def test_fields_of_one_row_are_read_before_those_of_the_next() -> None:
    boxes = [(left, top, left + 100, top + 17.0) for top in (200.0, 300.0, 400.0) for left in (72.0, 330.0)]
    names = ("Owner", "Town", "Vessel", "Length", "Port", "Berth")
    words = [(box[0], box[1] - 3, name) for name, box in zip(names, boxes, strict=True)]
    fields = [(name, name, f"{name} it is", box) for name, box in zip(names, boxes, strict=True)]
    assert read(words, fields) == [f"{name}: {name} it is" for name in names]


def test_words_beside_some_fields_alone_are_no_names() -> None:
    boxes = [(72.0, 200 + 60 * row, 200.0, 217 + 60.0 * row) for row in range(4)]
    fields = [(f"Text{row}", "", f"value of row {row}", box) for row, box in enumerate(boxes)]
    text = read([(72, 197, "Copy for the Employer")], fields)
    assert text == ["Copy for the Employer", *(f"value of row {row}" for row in range(4))]


def test_a_page_of_very_many_fields_keeps_their_values() -> None:
    names = [TextLine("Kept here: 7", 72, 100, 200, 110, 110, 10, box=(72, 100, 200, 110))]
    fields = [FormField("", f"f{n}", f"value {n}", (72, 20.0 + n, 90, 21.0 + n)) for n in range(1500)]
    found = with_fields(names, [*fields, FormField("", "seven", "7", (72, 5, 90, 6))])
    assert found[0] == names[0]
    assert [line.text for line in found[1:]] == [f"f{n}: value {n}" for n in range(1500)]


def test_a_value_of_several_lines_is_no_heading() -> None:
    def draw(page: pymupdf.Page) -> None:
        for row in range(6):
            page.insert_text((72, 100 + 14 * row), f"Line {row} of what the form says about itself.", fontsize=7)
        add_field(page, "goods", "", "Gold coins of the old mint\nTreasure chests", (72, 400, 400, 440))

    assert not texts(parsed(pdf(draw)), BlockKind.HEADING)


def test_a_value_that_the_page_cuts_off_or_hides_is_whole_and_one_of_several_lines_stays() -> None:
    cut = "Rear bumper crushed, trunk lid misaligned and the rear frame visibly deformed"

    def draw(page: pymupdf.Page) -> None:
        add_field(page, "damage", "Damage", cut, (72, 200, 200, 217))
        add_field(page, "town", "", "Overton", (72, 300, 200, 317), LIST, shown=False)
        add_field(page, "goods", "Goods", "Gold coins\nTreasure chests", (72, 400, 300, 440))
        box = pymupdf.Widget()
        box.field_type, box.field_name, box.rect, box.field_value = CHECK, "paid", pymupdf.Rect(72, 500, 82, 510), True
        page.add_widget(box)

    text = parsed(pdf(draw)).text
    assert text.count(cut) == 1
    assert f"Damage: {cut}" in text
    assert "town: Overton" in text
    assert text.count("Gold coins") == text.count("Treasure chests") == 1
    assert "paid" not in text
