"""The worker process that opens PDF files and pictures: ``python -m core.parsing.pdf.worker``."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from core.errors import ParseError, PasswordNeededError
from core.parsing.pdf.extract import PageParts, clean, on_shown_page, page_lines, shown
from core.parsing.pdf.fields import FormField, filled_fields
from core.parsing.pdf.fonts import Typewriters, ordered_text
from core.parsing.pdf.layout.tables import Word, find_tables
from core.parsing.pdf.lines import OpenedFile, PageRead, TextLine
from core.parsing.pdf.marks import comments, links_on, with_links
from core.parsing.pictures.looking import (
    drawn,
    drawn_by_pdfium,
    opened_picture,
    picture_of,
    signs,
    unseen,
    warm_picture,
)
from core.parsing.sandbox.worker import Answer, Task, answer, is_memory, serve
from core.plain_values import to_values

# PyMuPDF imports these if they are installed: a layout model that is not used here, and its runtime.
_UNUSED_MODULES = ("pymupdf.layout", "pymupdf4llm")
_LOCKED = "Give it on the Library page, or with --password."
_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
_LINE_END_HYPHENS = {ord(char): "-" for char in "\x02\ufffe\u00ad"}  # how pdfium writes a hyphen at a line end


def parse_pdf(data: bytes, request: Answer) -> Iterator[Answer]:
    """Frames for a file: "open" with outline and metadata, then one "page" for each page, then one "second" for each.

    The second reading comes last, so that a file which crashes pdfium costs the audit only.
    """
    document = _open(data, request)
    if not document.is_pdf:
        yield from _pictures(document)
        return
    opened = OpenedFile(
        document.page_count,
        outline=tuple((int(level), str(title), int(page)) for level, title, page, *_ in document.get_toc(simple=True)),
        metadata={key: str(value) for key, value in (document.metadata or {}).items() if value},
        repaired=bool(document.is_repaired),
        files=document.embfile_count(),
    )
    yield {"type": "open", **to_values(opened)}
    typewriters = Typewriters()
    for number in range(document.page_count):
        try:
            page = _read_page(document.load_page(number), typewriters)
        except _failures() as error:  # only this page is damaged
            if is_memory(error):
                raise
            page = PageRead(number + 1, damaged=True)
        yield {"type": "page", **to_values(page)}
    document.close()
    yield from _second(data, request.get("password"))


def _pictures(document: Any) -> Iterator[Answer]:
    """Frames for a picture file: pages without a text layer."""
    yield {"type": "open", **to_values(OpenedFile(document.page_count))}
    for number, page in enumerate(document, 1):
        yield {"type": "page", **to_values(_with_signs(page, PageRead(number, height=page.rect.height)))}


def _with_signs(page: Any, page_read: PageRead) -> PageRead:
    """The page with its size and ``signs``. A page whose picture cannot be decoded is damaged."""
    has_text = any(line.is_placeholder or any(map(str.isalnum, line.text)) for line in page_read.lines)
    page_signs = signs(page, [line.box for line in page_read.lines], has_text=has_text)
    size = (page.rect.width, page.rect.height)
    return replace(page_read, size=size, signs=page_signs or page_read.signs, damaged=page_signs is None)


def _open(data: bytes, request: Answer) -> Any:
    """The document. Raises ``PasswordNeededError`` where it needs a password and none or a wrong one was given."""
    import pymupdf

    document = opened_picture(data) or pymupdf.open(stream=data, filetype="pdf")
    password = request.get("password")
    if document.needs_pass and not (password and document.authenticate(str(password))):
        lacks = ", and the password did not open it" if password else " and needs its password"
        raise PasswordNeededError(f"{request['name']} is encrypted{lacks}.", _LOCKED)
    return document


def _read_page(page: Any, typewriters: Typewriters) -> PageRead:
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_COLLECT_VECTORS
    text_page = page.get_textpage(flags=flags)
    raw = text_page.extractDICT()
    page_text = text_page.extractTEXT()
    if _ALEF_LAM.search(page_text):
        raw = _with_ordered_text(text_page.extractRAWDICT())
    links = list(links_on(page))
    has_vectors = any(block["type"] == 3 for block in raw["blocks"])
    words = _words(text_page) if has_vectors or links else []
    marks = _marks(page, page_text)
    parts = PageParts(
        raw=raw,
        size=(page.cropbox.width, page.cropbox.height),
        tables=lambda: find_tables(page, words) if not page.rotation else (),
        pictures=lambda: [tuple(item["bbox"]) for item in page.get_image_info()],
        comments=marks[0] if marks else (),
        fields=marks[1] if marks else (),
    )
    lines, height, doubles = page_lines(parts, typewriters)
    if links:
        derotation = tuple(page.derotation_matrix)
        lines = with_links(lines, words, [(shown(box, derotation), target) for box, target in links])
    if page.rotation:
        lines = [on_shown_page(line, tuple(page.rotation_matrix)) for line in lines]
    page_read = PageRead(
        page.number + 1,
        height=height,
        lines=tuple(lines),
        doubles=tuple(doubles),
        unseen=unseen(page, raw),
        unmarked=marks is None,
    )
    return _with_signs(page, page_read)


def _with_ordered_text(raw: Answer) -> Answer:
    """A "rawdict" as a "dict": each span gets its text, with Arabic lam-alef in its order, instead of characters."""
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                span["text"] = ordered_text(span.pop("chars"))
    return raw


def _words(text_page: Any) -> list[Word]:
    """The page's words, cleaned like the lines; words drawn twice are kept once."""
    by_row: dict[tuple[str, int], list[Word]] = {}
    for x0, y0, x1, y1, text, *_ in text_page.extractWORDS():
        cleaned, row = clean(text).strip(), int(y0 // 4)
        near = (twin for near_row in (row - 1, row, row + 1) for twin in by_row.get((cleaned, near_row), ()))
        if cleaned.strip(" \u00ad") and not any(abs(x0 - twin[0]) < 2 and abs(y0 - twin[1]) < 2 for twin in near):
            by_row.setdefault((cleaned, row), []).append((x0, y0, x1, y1, cleaned))
    return [word for same in by_row.values() for word in same]


def _marks(page: Any, page_text: str) -> tuple[list[TextLine], list[FormField]] | None:
    """Lines of the page's comments, and its filled form fields; ``None`` where they are damaged."""
    try:
        if page.first_annot is None and page.first_widget is None:
            return [], []
        return comments(page.annots() or (), page_text, clean), filled_fields(page.widgets() or (), clean)
    except _failures() as error:
        if is_memory(error):
            raise
        return None


def _with_whole_ligatures(text: str, box_of: Callable[[int], object]) -> str:
    """The text with Arabic lam-alef in its order: pdfium returns that ligature as alef, lam, both in the same box."""
    for match in _ALEF_LAM.finditer(text):
        if box_of(match.start()) == box_of(match.start() + 1):
            text = f"{text[: match.start()]}{match[0][::-1]}{text[match.end() :]}"
    return text


def _page_texts(data: bytes, password: str | None) -> Iterator[str]:
    """The text of every page by pdfium, in order; "" for a page that it cannot read.

    Raises ``pypdfium2.PdfiumError`` where it cannot open the file.
    """
    import pypdfium2

    document = pypdfium2.PdfDocument(data, password=password)
    try:
        for number in range(len(document)):
            try:
                page = document[number]
                text_page = page.get_textpage()
                text = _with_whole_ligatures(text_page.get_text_range(), text_page.get_charbox)
                text_page.close()
                page.close()
            except pypdfium2.PdfiumError:
                text = ""
            yield text.translate(_LINE_END_HYPHENS)
    finally:
        document.close()


def _second(data: bytes, password: str | None) -> Iterator[Answer]:
    from pypdfium2 import PdfiumError

    try:
        for number, text in enumerate(_page_texts(data, password)):
            yield {"type": "second", "number": number + 1, "text": text}
    except PdfiumError:
        yield {"type": "second", "number": 0, "text": ""}


def render_pdf(data: bytes, request: Answer) -> Iterator[Answer]:
    """A frame for each of the request's "pages", with its picture in base64: a PNG, or with "turn" a JPEG for OCR."""
    document = _open(data, request)
    for number in request["pages"]:
        if not 1 <= number <= document.page_count:
            raise ParseError(f"There is no page {number}: the file has {document.page_count}.")
        page = document.load_page(number - 1)
        if "turn" in request:
            picture, scale = picture_of(page, int(request["turn"]))
        else:
            scale = min(float(request["scale"]), (float(request["max_pixels"]) / max(1.0, page.rect.get_area())) ** 0.5)
            picture = drawn(page, scale).tobytes("png")
        yield {"type": "image", "number": number, "scale": scale, "data": base64.b64encode(picture).decode("ascii")}


TASKS: dict[str, Task] = {"parse": parse_pdf, "render": render_pdf}


def _failures() -> tuple[type[Exception], ...]:
    """What the libraries raise on damaged files, including errors in their bindings on unexpected values."""
    from pymupdf import mupdf

    binding_errors = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, ZeroDivisionError)
    return (mupdf.FzErrorBase, RuntimeError, OSError, AssertionError, *binding_errors)


def warm_up() -> None:
    """Use every feature of the libraries once: afterwards no file can be opened, so nothing may be loaded lazily."""
    sys.modules.update(dict.fromkeys(_UNUSED_MODULES))  # type: ignore[arg-type] # as if they were not installed
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    document = pymupdf.open()
    page = document.new_page(width=200, height=200)
    page.insert_text((20, 40), "warm")
    page.draw_line((20, 60), (90, 60))
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(20, 30, 60, 45), "uri": "https://a.example/"})
    page.add_text_annot((20, 100), "warm")
    drawn_by_pdfium(page, 1.0, 0, pymupdf.csGRAY)
    data = document.tobytes()
    for task, request in (
        ("parse", {}),
        ("render", {"pages": [1], "scale": 1, "max_pixels": 1e6}),
        ("render", {"pages": [1], "turn": 0}),
    ):
        list(answer(TASKS[task], data, request, _failures()))
    list(answer(TASKS["parse"], warm_picture(), {}, _failures()))


def main() -> None:
    """Serve requests from standard input until it closes."""
    serve(TASKS, warm_up, _failures)


if __name__ == "__main__":
    main()
