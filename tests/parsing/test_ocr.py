"""Scans are read: which pages they are, what OCR makes of them, and what is said where it does not."""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pymupdf
import pytest
from PIL import Image, ImageChops, ImageStat

from core.errors import CancelledError, ParseError, TextLayerMissingError
from core.parsing import parse, parser_fingerprint
from core.parsing.audit.word_audit import words_of
from core.parsing.ocr import pages as ocr_pages
from core.parsing.ocr.judgement import PageSigns, accounts_for, may_be_scan, says_nothing
from core.parsing.ocr.lines import Reading, ReadLine, lines_on, on_turned_page
from core.parsing.pictures.drawing import render_page
from core.settings import ParsingSettings
from core.text.places import boxes_of, pages_read
from core.types import Document, Page, Span
from tests.parsing.laws import assert_laws
from tests.parsing.scanned import LEFT, LETTER, RIGHT, encoded, faxed, page_of, picture, scanned, slip

PROSE = "It is not a scan, for all of its words are in the text layer, and they can be read from there. " * 6
GARBAGE = "Wklv lv d flskhu wkdw rqfh zdv d whaw odbhu ri wkh sdjh, dqg qrw d zrug ri lw lv wrog. " * 4


def read(data: bytes, name: str = "scan.pdf", **dials: object) -> Document:
    document = parse(data, name, ParsingSettings(**dials))
    assert_laws(document)
    return document


def share(text: str, lines: tuple[str, ...] = LETTER) -> float:
    """Of the words of these lines, those that stand in the text."""
    wanted = Counter(words_of(" ".join(lines)))
    return (wanted & Counter(words_of(text))).total() / wanted.total()


@pytest.mark.parametrize(
    ("layer", "covered", "beside", "scan"),
    [
        ("", 1.0, 1.0, True),
        ("17", 1.0, 0.99, True),
        ("Scanned with CamScanner", 1.0, 0.98, True),
        (GARBAGE, 1.0, 0.1, True),
        (PROSE, 1.0, 0.1, False),
        (PROSE * 4, 1.0, 0.9, False),
        (PROSE, 0.2, 0.9, False),
        ("東京は日本の首都です。" * 9, 1.0, 0.2, False),
    ],
)
def test_a_page_is_a_scan_where_its_layer_does_not_account_for_its_picture(layer, covered, beside, scan) -> None:
    assert may_be_scan(PageSigns(layer, covered, 0.05, beside)) is scan
    assert not may_be_scan(PageSigns(layer, covered, 0.0, beside)), "a blank page is none"


def test_letters_that_no_font_tells_need_ocr_without_a_picture() -> None:
    assert may_be_scan(PageSigns("\ufffd\ufffd\ufffd a \ufffd"))
    assert not may_be_scan(PageSigns("a \ufffd few of them are no matter, as a bullet or a sign \ufffd may be one"))


def test_a_layer_stays_where_it_holds_what_ocr_reads() -> None:
    assert accounts_for(" ".join(LETTER), LETTER)
    assert not accounts_for("17", LETTER)
    assert not accounts_for(GARBAGE, LETTER)
    assert accounts_for("17", []), "OCR found nothing more"
    assert says_nothing("")
    assert not says_nothing(PROSE)


def test_boxes_lie_on_a_turned_page() -> None:
    line = ReadLine("a", 0.9, (10, 20, 30, 24), (10, 20, 30, 24))
    for turn in (0, 90, 180, 270):
        reading = on_turned_page(Reading((line,), (100, 200)), turn, (100, 200))
        x0, y0, x1, y1 = reading.lines[0].box
        width, height = (100, 200) if turn % 180 == 0 else (200, 100)
        assert 0 <= x0 < x1 <= width
        assert 0 <= y0 < y1 <= height


def test_columns_are_read_one_after_the_other() -> None:
    def column(x: float, words: tuple[str, ...]) -> list[ReadLine]:
        boxes = [(x, 100.0 + 30 * row, x + 200, 120.0 + 30 * row) for row in range(len(words))]
        return [ReadLine(text, 0.9, box, box) for text, box in zip(words, boxes, strict=True)]

    found = [line for pair in zip(column(40, LEFT), column(300, RIGHT), strict=True) for line in pair]
    lines, height = lines_on(Reading(tuple(found), (600, 800)), 2.0)
    assert [line.text for line in lines] == [*LEFT, *RIGHT]
    assert height == 400


@pytest.fixture(scope="module")
def told() -> list[int]:
    """The pages done, as they were told while ``letter`` was read."""
    return []


@pytest.fixture(scope="module")
def letter(told: list[int]) -> Document:
    """A text page, a scan under a stamp, one on its side, and two short ones: upside down and askew."""
    pages = (PROSE, picture(), picture(turn=90), *(picture(LETTER[:2], turn=turn) for turn in (180, 3)))
    data = scanned(*pages, stamp="Scanned with CamScanner")
    document = parse(data, "scan.pdf", ParsingSettings(), lambda stage, done, total: told.append(done))
    assert_laws(document)
    return document


def test_scanned_pages_are_read_whichever_way_they_lie(letter: Document) -> None:
    assert [page.reading for page in letter.pages] == ["text", "ocr", "ocr", "ocr", "ocr"]
    assert letter.pages[0].confidence is None
    assert all(page.confidence is not None and 0.8 < page.confidence <= 1 for page in letter.pages[1:])
    for number in (2, 3, 4, 5):
        own = "".join(letter.text[box.start : box.end] + " " for box in letter.boxes if box.page == number)
        assert share(own, LETTER if number < 4 else LETTER[:2]) > 0.9, own
    assert "mended on Tuesday by two plumbers, who found" in letter.text, "lines flow, blanks between words stay"
    assert "Scanned pages, read by OCR: 2, 3, 4, 5." in letter.notes
    found = pages_read(letter.pages)
    assert found is not None
    assert (found.text, found.ocr, found.whole) == (1, (2, 3, 4, 5), True)


def test_boxes_lie_over_the_words(letter: Document) -> None:
    """The line of a word on the upright page and on the one turned by 90 degrees is where it was drawn."""
    with page_of(LETTER) as drawn:
        x0, y0, x1, y1 = drawn[0].search_for("bill of 412 euros")[0]
        wide, high = drawn[0].rect.width, drawn[0].rect.height
    assert wide > high
    places = [place for place in range(len(letter.text)) if letter.text.startswith("412", place)]
    for number, (x, y) in ((2, ((x0 + x1) / 2, (y0 + y1) / 2)), (3, (high - (y0 + y1) / 2, (x0 + x1) / 2))):
        boxes = [box for place in places for box in boxes_of(letter, Span(place, place + 3)) if box.page == number]
        assert len(boxes) == 1
        assert boxes[0].x0 <= x <= boxes[0].x1
        assert boxes[0].y0 <= y <= boxes[0].y1
        assert min(boxes[0].x1 - boxes[0].x0, boxes[0].y1 - boxes[0].y0) < 30, "one line is no block"


def test_a_text_layer_that_gave_way_is_told_in_the_audit(letter: Document) -> None:
    assert letter.words is not None
    assert letter.words.missing == 0, "each word of it stands in the text, or is left out with this reason"
    assert {reason for reason, _ in letter.words.dropped} <= {"in the text layer of a scanned page, which OCR read"}


def test_two_columns_of_a_picture_keep_their_order() -> None:
    document = read(encoded(picture(LEFT, RIGHT), "jpeg"), "photo.jpg")
    assert document.kind == "image"
    found = words_of(document.text)
    assert found.index("keeper") < found.index("leather") < found.index("daughter") < found.index("museum")


def test_pictures_are_documents_of_their_pages() -> None:
    head = slip()
    for form, options in (("webp", {"quality": 90}), ("bmp", {})):
        document = read(encoded(head, form, **options), f"letter.{form}")
        assert share(document.text, LETTER[:2]) > 0.9, form
        assert [page.reading for page in document.pages] == ["ocr"]
    photographed = (Path(__file__).parent / "documents" / "letter.heic").read_bytes()
    assert share(read(photographed, "IMG_0001.HEIC").text) > 0.9
    several = encoded(head, "tiff", save_all=True, append_images=[slip(LEFT)], dpi=(150, 150))
    document = read(several, "fax.tiff")
    assert [page.reading for page in document.pages] == ["ocr", "ocr"]
    assert document.text.index("cellar") < document.text.index("lighthouse")


def test_a_picture_without_words_says_so() -> None:
    image = Image.new("RGB", (740, 740), "white")
    image.paste((20, 90, 160), (100, 200, 500, 600))
    with pytest.raises(TextLayerMissingError, match=r"dots\.png is a picture in which OCR found no words"):
        read(encoded(image), "dots.png")
    document = read(scanned(PROSE, image))
    assert [page.reading for page in document.pages] == ["text", "wordless"]
    assert "Pages that are pictures in which OCR found no words: 2." in document.notes


def test_a_picture_that_one_engine_cannot_decode_is_drawn_by_the_other_or_told() -> None:
    data = faxed(picture())
    with pytest.raises(TextLayerMissingError, match="its pages are pictures"):
        read(data, scans="off")
    there, plain = (Image.open(BytesIO(render_page(one, 1, 0.5))) for one in (data, scanned(picture())))
    with there, plain:
        assert ImageStat.Stat(ImageChops.difference(there, plain)).rms[0] < 10 < ImageStat.Stat(plain).stddev[0]
    for other in (b"/DCTDecode  ", b"/JPXDecode  ", b"/LZWDecode   "):
        with pytest.raises(ParseError, match="no page of it can be read"):
            read(data.replace(b"/JBIG2Decode", other))


def test_a_garbage_layer_gives_way_and_a_good_one_stays() -> None:
    def layered(layer: str) -> bytes:
        with pymupdf.open(stream=scanned(picture()), filetype="pdf") as document:
            page = document[0]
            page.insert_textbox((60, 90, page.rect.width - 60, 330), layer, fontsize=9, render_mode=3)
            return bytes(document.tobytes())

    garbled = read(layered(GARBAGE))
    assert garbled.pages[0].reading == "ocr"
    assert share(garbled.text) > 0.9
    assert "Wklv" not in garbled.text
    kept = read(layered("\n".join(LETTER)))
    assert kept.pages[0].reading == "text"


def test_switched_off_a_document_in_part_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_pages, "pool", lambda: pytest.fail("OCR was started though it is off"))
    document = read(scanned(PROSE, picture(), stamp="2"), scans="off")
    found = pages_read(document.pages)
    assert found is not None
    assert (found.unread, found.whole) == ((2,), False)
    assert "Scanned pages that were not read (the reading of scans is off): 2." in document.notes
    with pytest.raises(TextLayerMissingError, match=r"no text layer: its pages are pictures\. Turn on"):
        read(scanned(picture(), stamp="2"), scans="off")
    names = {parser_fingerprint("pdf", ParsingSettings(scans=name)) for name in ("packaged", "tesseract", "off")}
    assert len(names) == 3, "another way of reading reads again"


def test_nothing_of_ocr_is_started_for_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_pages, "pool", lambda: pytest.fail("OCR was started for pages of text"))
    assert read(scanned(PROSE, PROSE * 2)).pages[1].reading == "text"
    assert not {"cv2", "rapidocr"} & sys.modules.keys(), "only the worker loads them"


def test_a_page_that_cannot_be_drawn_costs_the_others_nothing() -> None:
    def draw(numbers: Sequence[int], turn: int) -> dict[int, tuple[bytes, float]]:
        if 2 in numbers:
            raise ParseError("Page 2 could not be drawn.")
        return {number: (encoded(slip(), "jpeg"), 150 / 72) for number in numbers}

    sheets = ocr_pages.Sheets()
    for number in (1, 2, 3):
        sheets.take(Page(number, 595, 420), 420, [], (1.0, 0.1, 1.0))
    ocr_pages.read_scans(sheets, draw, ParsingSettings(), lambda left: None)
    assert [page.reading for page in sheets.pages] == ["ocr", "unread", "ocr"]


def test_a_page_that_takes_too_long_is_given_up_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_pages, "PAGE_SECONDS", 0.0)
    document = read(scanned(PROSE, picture()))
    assert [page.reading for page in document.pages] == ["text", "unread"]
    assert "Scanned pages that were not read (OCR gave up on them): 2." in document.notes


def test_pages_are_told_as_they_are_read_and_reading_can_be_cancelled(letter: Document, told: list[int]) -> None:
    assert told == sorted(told)
    assert set(range(1, len(letter.pages) + 1)) <= set(told)

    def stop(stage: str, done: int, total: int) -> None:
        if done >= 2:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        parse(scanned(slip(), slip(), PROSE), "a.pdf", ParsingSettings(), stop)


def program(folder: Path, script: str) -> None:
    """A program called tesseract, the first on the path."""
    place = folder / "tesseract"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
def test_tesseract_is_asked_where_it_is_there_and_missed_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "level page_num block_num par_num line_num word_num left top width height conf text"
    rows = ["1 1 0 0 0 0 0 0 900 600 -1 ", "5 1 1 1 1 1 20 30 200 40 96 Grüße", "5 1 1 1 1 2 240 30 90 40 90 Ada"]
    table = "\\n".join("\\t".join(row.split(" ")) for row in (names, *rows))
    program(
        tmp_path,
        f'case "$*" in *list-langs*) echo deu;; *"psm 0"*) cat >/dev/null; echo "Rotate: 0";;'
        f" *) cat >/dev/null; printf '{table}\\n';; esac",
    )
    data = scanned(PROSE, slip())
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    document = read(data, scans="tesseract", scan_languages="deu+fra")
    assert "Grüße Ada" in document.text
    assert document.pages[1].confidence == 0.93
    assert any("no data for fra" in note for note in document.notes)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    document = read(data, scans="tesseract")
    assert any(note.startswith("Tesseract is not on the path") for note in document.notes)
    assert share(document.text, LETTER[:2]) > 0.9, "the packaged OCR reads instead"
