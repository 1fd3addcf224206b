"""What lies over, inside and beside a page's text: links, comments, forms, figures, notes, locks, a second reading."""

from __future__ import annotations

import pymupdf
import pytest

from core.errors import PasswordNeededError
from core.parsing.pdf import reader as pdf_module
from core.parsing.pdf import worker
from core.parsing.pdf.lines import TextLine
from core.parsing.pdf.reader import PdfParser
from core.parsing.pictures.drawing import render_page
from core.parsing.sandbox.sandbox import WorkerPool
from core.settings import ParsingSettings
from core.types import BlockKind, Document
from tests.parsing.pdf_builder import box, parsed, pdf, prose, texts


def linked(rotation: int = 0) -> bytes:
    source = pymupdf.open()
    page = source.new_page(width=600, height=800)
    page.insert_text((72, 100), "Please see the manual (https://a.example/b) or ask the mill")
    page.insert_text((72, 114), "keeper at the river, who knows chapter 2.")
    source.new_page().insert_text((72, 100), "The second chapter.")
    page = source[0]
    targets: dict[str, dict[str, object]] = {
        "the manual": {"kind": pymupdf.LINK_URI, "uri": "https://manual.example/"},
        "https://a.example/b": {"kind": pymupdf.LINK_URI, "uri": "https://a.example/b"},
        "mill": {"kind": pymupdf.LINK_URI, "uri": "https://keeper.example/"},
        "keeper": {"kind": pymupdf.LINK_URI, "uri": "https://keeper.example/"},
        "chapter 2": {"kind": pymupdf.LINK_GOTO, "page": 1, "to": pymupdf.Point(0, 0)},
    }
    for words, target in targets.items():
        page.insert_link({**target, "from": page.search_for(words)[0]})
    page.set_rotation(rotation)
    return bytes(source.tobytes())


def links_of(document: Document) -> list[tuple[str, str]]:
    return [(document.text[link.start : link.end], link.target) for link in document.links]


@pytest.mark.parametrize("rotation", [0, 90])
def test_links_lie_over_their_words(rotation: int) -> None:
    assert links_of(parsed(linked(rotation))) == [
        ("the manual", "https://manual.example/"),
        ("https://a.example/b", "https://a.example/b"),
        ("mill keeper", "https://keeper.example/"),
        ("chapter 2", "#page=2"),
    ]


def test_links_in_cells_move_with_escaped_pipes() -> None:
    def draw(page: pymupdf.Page) -> None:
        for row, (left, right) in enumerate((("Name", "Where"), ("a|b", "the site"), ("c", "there"))):
            page.insert_text((66, 116 + 20 * row), left)
            page.insert_text((266, 116 + 20 * row), right)
            page.draw_line((60, 100 + 20 * row), (460, 100 + 20 * row))
        page.draw_line((60, 160), (460, 160))
        for x in (60, 260, 460):
            page.draw_line((x, 100), (x, 160))
        page.insert_link(
            {"kind": pymupdf.LINK_URI, "from": page.search_for("the site")[0], "uri": "https://a.example/"}
        )

    assert links_of(parsed(pdf(draw))) == [("the site", "https://a.example/")]


def test_comments_and_fields_are_kept() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 140, f"{prose('Words', 40)}.")
        note = page.add_text_annot((50, 300), "Is this still true?\nPlease check.")
        note.set_info(title="Jane Smith", modDate="D:20260618101500Z")
        note.update()
        page.add_freetext_annot((100, 300, 300, 350), "Written over the page")
        field = pymupdf.Widget()
        field.field_type, field.field_name, field.field_label = pymupdf.PDF_WIDGET_TYPE_TEXT, "n", "Your name"
        field.rect, field.field_value = pymupdf.Rect(72, 400, 300, 420), "Ada Miller"
        page.add_widget(field)

    document = parsed(pdf(draw))
    assert texts(document, BlockKind.FOOTNOTE) == [
        "Comment by Jane Smith, 2026-06-18: Is this still true? Please check."
    ]
    for words in ("Written over the page", "Ada Miller"):
        assert document.text.count(words) == 1


def test_a_damaged_form_costs_its_page_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> list[TextLine]:
        raise ValueError("a cycle among the fields")

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "A form to fill in.")
        page.add_text_annot((50, 300), "Is this still true?")

    monkeypatch.setattr(worker, "comments", damaged)
    pages = [frame for frame in worker.parse_pdf(pdf(draw), {}) if frame["type"] == "page"]
    assert [("unmarked" in page, "damaged" in page, len(page["lines"])) for page in pages] == [(True, False, 1)]


def test_words_inside_a_figure_follow_its_caption() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 150, f"{prose('Before', 60)}.")
        page.draw_rect((60, 170, 540, 300))
        for x, y, label in ((100, 200, "Intake"), (300, 200, "Mill race"), (100, 260, "Wheel"), (300, 260, "Outlet")):
            page.draw_rect((x - 5, y - 12, x + 60, y + 5))
            page.insert_text((x, y), label, fontsize=8)
        page.insert_text((60, 320), "Figure 1: The way of the water.", fontsize=10)
        box(page, 60, 340, 540, 430, f"{prose('Behind', 60)}.")

    document = parsed(pdf(draw))
    assert [block.kind.value for block in document.blocks] == ["paragraph", "caption", "caption", "paragraph"]
    assert texts(document, BlockKind.CAPTION) == [
        "Figure 1: The way of the water.",
        "Intake\nMill race\nWheel\nOutlet",
    ]


def test_a_note_goes_on_in_the_next_column() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 290, 600, f"{prose('Leftfirst', 160)}.")
        box(page, 310, 60, 540, 600, f"{prose('Rightfirst', 160)}.")
        page.insert_text((60, 700), "1 A note that begins in the left", fontsize=7)
        page.insert_text((60, 709), "column, and that was too long", fontsize=7)
        page.insert_text((310, 700), "for it, so it ends in the right one.", fontsize=7)

    assert texts(parsed(pdf(draw)), BlockKind.FOOTNOTE) == [
        "1 A note that begins in the left column, and that was too long for it, so it ends in the right one."
    ]


def test_small_print_in_a_whole_column_is_no_footnote() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 400, f"{prose('Words', 200)}.", 11)
        page.insert_text((60, 470), "References", fontname="hebo", fontsize=12)
        for number in range(1, 9):
            page.insert_text((60, 480 + 14 * number), f"[{number}] A. Miller: On rivers, volume {number}.", fontsize=8)

    assert texts(parsed(pdf(draw)), BlockKind.FOOTNOTE) == []


def test_type_of_one_width_is_a_listing_whatever_its_name() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 140, f"{prose('Before', 40)}.")
        for number, line in enumerate(("SELECT name, river", "FROM   mills", "WHERE  wheel = 'iron' ;")):
            page.insert_text((60, 160 + 12 * number), line, fontname="cour", fontsize=10)

    data = pdf(draw)
    source = pymupdf.open(stream=data, filetype="pdf")
    for number in range(1, source.xref_length()):
        if source.xref_get_key(number, "BaseFont")[1] == "/Courier":
            source.xref_set_key(number, "BaseFont", "/BookMasterGothic")
            source.xref_set_key(number, "FirstChar", "0")
            source.xref_set_key(number, "LastChar", "255")
            source.xref_set_key(number, "Widths", f"[{' 600' * 256}]")
    document = parsed(bytes(source.tobytes()))
    assert texts(document, BlockKind.CODE) == ["SELECT name, river\nFROM   mills\nWHERE  wheel = 'iron' ;"]


def test_bullets_may_be_drawn() -> None:
    def draw(page: pymupdf.Page) -> None:
        box(page, 60, 60, 540, 120, f"{prose('Before', 30)}:")
        for number, item in enumerate(("first item", "second item", "third item")):
            page.draw_circle((74, 146 + 14 * number), 2, fill=(0, 0, 0))
            page.insert_text((84, 150 + 14 * number), item, fontsize=10)

    assert texts(parsed(pdf(draw)), BlockKind.LIST) == ["• first item\n• second item\n• third item"]


@pytest.fixture(scope="module")
def locked() -> bytes:
    source = pymupdf.open(stream=pdf(lambda page: page.insert_text((72, 100), "A secret page.")), filetype="pdf")
    return bytes(source.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="owner"))


@pytest.mark.parametrize("password", ["sesame", "owner"])
def test_a_password_opens_an_encrypted_file(locked: bytes, password: str) -> None:
    document = PdfParser(ParsingSettings(), password).parse(locked, "locked.pdf")
    assert document.text == "A secret page."
    assert document.words is not None
    assert document.words.missing == 0
    assert render_page(locked, 1, 1.0, password=password).startswith(b"\x89PNG")


def test_without_its_password_it_asks(locked: bytes) -> None:
    with pytest.raises(PasswordNeededError, match=r"locked\.pdf is encrypted and needs its password\. Give it on the"):
        PdfParser(ParsingSettings()).parse(locked, "locked.pdf")
    with pytest.raises(PasswordNeededError, match="the password did not open it"):
        PdfParser(ParsingSettings(), "wrong").parse(locked, "locked.pdf")
    with pytest.raises(PasswordNeededError, match="Page 1 is encrypted"):
        render_page(locked, 1, 1.0)


def shadowed(page: pymupdf.Page) -> None:
    for shift in (0, 0.6):
        page.insert_text((72 + shift, 100 + shift), "A title with a shadow")
    box(page, 60, 160, 540, 260, f"{prose('Words', 40)}.")


def test_a_second_engine_tells_that_no_word_was_lost() -> None:
    audit = parsed(pdf(shadowed)).words
    assert audit is not None
    assert "pdfium" in audit.reader
    assert audit.missing == 0
    assert audit.words == audit.in_text + audit.in_metadata + sum(count for _, count in audit.dropped)


def test_a_crash_of_the_second_engine_costs_the_audit_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = WorkerPool("tests.parsing.pdf_crashing_worker")
    monkeypatch.setattr(pdf_module, "pool", lambda: workers)
    document = parsed(pdf(*[shadowed] * 3))
    workers.close()
    assert len(document.pages) == 3
    assert document.words is None
    assert document.notes == ("A second reading, which would tell of lost words, could not be made.",)


def test_attached_files_are_told_of() -> None:
    source = pymupdf.open(stream=pdf(lambda page: page.insert_text((72, 100), "With a file inside.")), filetype="pdf")
    source.embfile_add("data.csv", b"a,b")
    (note,) = parsed(bytes(source.tobytes())).notes
    assert note.startswith("Files attached inside, which were not read: 1.")
