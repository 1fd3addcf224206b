"""Parses PDF files and pictures into a ``Document``.

A worker process runs PyMuPDF: it reads the pages and puts the lines of each in reading order. What needs several pages
(running headers, heading levels, paragraphs across pages) is done here, without the PDF library.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import pairwise
from typing import Any

from core.errors import ParseError, WorkerError
from core.parsing.audit.gathering import unseen_note
from core.parsing.audit.word_audit import audit_words
from core.parsing.file_names import display_name, is_title, readable_title
from core.parsing.flow import Flow
from core.parsing.ocr.pages import Sheets, read_scans
from core.parsing.ocr.verdicts import listed, notes_on, require_text
from core.parsing.pdf.lines import OpenedFile, PageRead, title_key
from core.parsing.pdf.steps import completed_by
from core.parsing.pdf.text import compose
from core.parsing.pictures.drawing import pictures_for_ocr, pool
from core.parsing.plain.paged import subject_of_mail
from core.parsing.sandbox.sandbox import REPAIR, failure
from core.plain_values import from_values
from core.settings import ParsingSettings
from core.text.sentences import is_in_sentences
from core.types import Block, BlockKind, Document, Page, PageBox, Span

Progress = Callable[[str, int, int], None]

_METADATA = {"author": "author", "subject": "subject", "keywords": "keywords", "creationDate": "created"}
_WORD = re.compile(r"\w+")
_SALUTATION = re.compile("[^,;]{2,60},")  # in any language: a short paragraph with no comma but the one at its end
_COVER = 100  # characters; a first page with no more only says what kind of document it is
_MIN_SHOWN_SHARE = 2 / 3  # of the stated title's words: so many must stand on the first page
_AS_LARGE = 0.75  # of the height of a page's largest heading
_MOST_TITLE_LINES = 3
_LONGEST_JOINED_TITLE = 100  # characters
_MAX_PAGES = 100_000
_SECOND_READER = "pdfium's plain text of each page"
_OCR_REPLACED = "in the text layer of a scanned page, which OCR read"


@dataclass(slots=True)
class _Received:
    """The worker's messages so far. ``second``: the second reading's text of each page.

    ``damaged`` and ``unmarked``: numbers of the pages that could not be read, and of those whose comments and form
    fields could not. ``doubles``: texts drawn twice. ``unseen``: invisible words by page number.
    """

    opened: OpenedFile = field(default_factory=lambda: OpenedFile(0))
    sheets: Sheets = field(default_factory=Sheets)
    damaged: list[int] = field(default_factory=list)
    unmarked: list[int] = field(default_factory=list)
    second: list[str] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)
    unseen: dict[int, list[str]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every page was read once; the second reading may still be missing."""
        return bool(self.sheets.pages) and len(self.sheets.pages) == self.opened.pages


class PdfParser:
    """The parser for PDF files and, with ``kind`` "image", for pictures. Scanned pages are read by OCR.

    ``password``: opens an encrypted file; ignored for other files.
    """

    version = 19

    def __init__(self, settings: ParsingSettings, password: str | None = None, kind: str = "pdf") -> None:
        self._settings = settings
        self._password = password
        self._kind = kind
        self.name = kind + settings.scans_mark

    def parse(self, data: bytes, name: str, progress: Progress | None = None) -> Document:
        """The document: text in reading order, blocks, pages and a box for every text run.

        Raises ``PasswordNeededError``, ``TextLayerMissingError``, ``WorkerError`` (time, memory, crash) or
        ``ParseError``; ``CancelledError`` when ``progress`` raises it.
        """
        shown = display_name(name)
        if not data.strip():
            raise ParseError(f"{shown} is empty.", "Save it again with its content and retry.")
        try:
            received = self._receive(data, shown, progress)
        except (KeyError, TypeError, ValueError) as error:
            raise WorkerError(f"{shown} could not be read: the worker's answer made no sense.", REPAIR) from error

        def tick(remaining: int = 0) -> None:
            if progress:
                progress("parsing", received.opened.pages - remaining, received.opened.pages)

        def draw(pages: Sequence[int], turn: int) -> Mapping[int, tuple[bytes, float]]:
            return pictures_for_ocr(data, pages, turn, self._settings, self._password)

        sheets, reads_scans = received.sheets, self._settings.scans != "off"
        replaced = read_scans(sheets, draw, self._settings, tick)
        require_text(sheets, received.damaged, shown, repaired=received.opened.repaired, reads_scans=reads_scans)
        complete = completed_by(sheets.pages, sheets.lines)
        steps = [index for index, last in enumerate(complete) if index != last]
        lines = [[] if index in steps else lines for index, lines in enumerate(sheets.lines)]
        outline = [(level, title, _completed(page, complete)) for level, title, page in received.opened.outline]
        left_out = [line for index in steps for line in sheets.lines[index] if not line.is_placeholder]
        flow = compose(sheets.pages, sheets.heights, lines, outline, tick, left_out)
        notes = [
            *_notes(received, self._kind),
            *_step_notes(steps),
            *notes_on(sheets, received.damaged, reads_scans=reads_scans),
            *_unseen_notes(received),
        ]
        document = _document(data, name, self._kind, received, flow, notes)
        if len(received.second) != received.opened.pages:
            return document
        tick()
        dropped = {
            "drawn twice": received.doubles,
            _OCR_REPLACED: replaced,
            "on pages that show a slide before it is complete": [received.second[index] for index in steps],
        }
        return replace(document, words=audit_words(document, received.second, _SECOND_READER, dropped))

    def _receive(self, data: bytes, shown: str, progress: Progress | None) -> _Received:
        received = _Received()
        request = {
            "task": "parse",
            "name": shown,
            "password": self._password,
            "memory_bytes": self._settings.memory_megabytes << 20,
        }

        def tick() -> None:
            if progress:
                done = len(received.sheets.pages) - len(received.sheets.doubtful)
                progress("parsing", done, max(received.opened.pages, 1))

        problem: Mapping[str, Any] | None = None
        try:
            with closing(pool().ask(request, data, self._settings.timeout_seconds, tick)) as messages:
                for message in messages:
                    if message["type"] == "error":
                        problem = message
                    else:
                        _take(received, message)
        except WorkerError as error:
            if not received.whole:
                raise WorkerError(f"{shown} could not be read: {error.problem}", error.remedy) from error
            received.second.clear()  # only the audit is lost
        if problem and not received.whole:
            raise failure(problem, shown, self._settings.memory_megabytes)
        tick()
        return received


def _take(received: _Received, message: Mapping[str, Any]) -> None:
    """Add one message of the worker to ``received``."""
    if message["type"] == "open":
        received.opened = from_values(OpenedFile, message)
        if received.opened.pages > _MAX_PAGES:
            problem = f"The file claims {received.opened.pages:,} pages."
            raise ParseError(problem, f"Split it: {_MAX_PAGES:,} are the limit.")
    elif message["type"] == "page":
        page_read = from_values(PageRead, message)
        number, (width, height) = page_read.number, page_read.size
        page = Page(number, round(width, 2), round(height, 2), "unread" if page_read.damaged else "text")
        received.sheets.take(page, page_read.height, list(page_read.lines), page_read.signs)
        received.doubles += page_read.doubles
        if page_read.unseen:
            received.unseen[number] = " ".join(page_read.unseen).split()
        if page_read.damaged:
            received.damaged.append(number)
        if page_read.unmarked:
            received.unmarked.append(number)
    elif message["type"] == "second" and message["number"] == len(received.second) + 1:
        received.second.append(str(message["text"]))


def _document(data: bytes, name: str, kind: str, received: _Received, flow: Flow, notes: Sequence[str]) -> Document:
    metadata = {key: unescape(value) for key, value in received.opened.metadata.items()}  # some programs escape it
    title, title_span = _title(" ".join(metadata.get("title", "").split()), flow, name)
    return Document(
        version_id=hashlib.sha256(data).hexdigest(),
        kind=kind,
        title=title,
        text=flow.text,
        blocks=tuple(flow.blocks),
        title_span=title_span,
        links=tuple(flow.links),
        pages=tuple(received.sheets.pages),
        boxes=tuple(flow.boxes),
        metadata={ours: metadata[theirs] for theirs, ours in _METADATA.items() if theirs in metadata},
        notes=tuple(notes),
    )


def _notes(received: _Received, kind: str) -> list[str]:
    notes = []
    if received.opened.repaired:
        notes.append("The file was damaged; it was repaired while reading, and text may be missing.")
    if received.unmarked:
        notes.append(f"Pages whose comments and form fields could not be read: {listed(received.unmarked)}.")
    if received.opened.files:
        notes.append(f"Files attached inside, which were not read: {received.opened.files}. Save them and add them.")
    if len(received.second) != received.opened.pages and kind == "pdf":
        notes.append("A second reading, which would tell of lost words, could not be made.")
    return notes


def _completed(page: int, complete: Sequence[int]) -> int:
    """The number of the page on which the page with this number is complete."""
    return complete[page - 1] + 1 if 0 < page <= len(complete) else page


def _step_notes(steps: Sequence[int]) -> list[str]:
    if not steps:
        return []
    shown = listed([index + 1 for index in steps])
    return [f"Pages that show a slide before it is complete; the last one of each has all its words: {shown}."]


def _unseen_notes(received: _Received) -> tuple[str, ...]:
    """The note on invisible words in the text layers of pages; OCR does not read such words."""
    of_layer = {page.number for page in received.sheets.pages if page.reading == "text"}
    unseen = {number: words for number, words in received.unseen.items() if number in of_layer}
    where = f"on page {min(unseen):,} first" if unseen else ""
    return unseen_note([word for words in unseen.values() for word in words], where)


def _names_another(name: str, headings: Sequence[str]) -> bool:
    """Whether a file's name of several words shares a longer word with a later one of ``headings`` than with the first.

    On a cover with several equally large headings, the first may name the form or the authority. The file's name, which
    a person chose, is then the better title.

    >>> cover = ["SECURITIES AND EXCHANGE COMMISSION", "FORM 10-K", "BEST BUY CO., INC."]
    >>> _names_another("BESTBUY_2023_10K.pdf", cover), _names_another("scan.pdf", cover)
    (True, False)
    """
    words = re.findall(r"[^\W_]{3,}", readable_title(name).casefold())
    if len(words) < 2:
        return False
    shared = [max((len(word) for word in words if word in title_key(heading)), default=0) for heading in headings]
    return max(shared[1:], default=0) > shared[0]


def _naming(headings: Sequence[tuple[str, Block]], page: Sequence[PageBox], text: str) -> list[tuple[str, Block]]:
    """Of a page's highest headings, those that name the document: the largest, and on a cover all that are as large.

    A cover may name the form, the authority and the company in equal type, with no prose between them; more than three,
    or long ones, are sections. [] without headings.
    """
    heights = [
        max((box.y1 - box.y0 for box in page if block.start <= box.start < block.end), default=0.0)
        for _, block in headings
    ]
    least = _AS_LARGE * max(heights, default=0.0)
    largest = [heading for heading, height in zip(headings, heights, strict=True) if height >= least]
    between = [text[first.end : second.start] for (_, first), (_, second) in pairwise(largest)]
    has_prose = any(part.strip() and is_in_sentences(part, Span(0, len(part))) for part in between)
    too_long = sum(len(words) for words, _ in largest) > _LONGEST_JOINED_TITLE
    return largest[:1] if has_prose or too_long or len(largest) > _MOST_TITLE_LINES else largest


def _title(stated: str, flow: Flow, name: str) -> tuple[str, Span | None]:
    """The document's title and, where a heading is the title, its span in the text.

    The title is the stated one if the first page with words shows it, or the next where that is a cover of a few words:
    others name the program, template or website that the file came from. Else it is the subject of a printed mail, the
    largest heading of the first page, or several equally large ones of a cover, else the file's name. Headings that
    begin with a number, and those after a letter's salutation, are sections' and not the document's.
    """
    text, boxes = flow.text, flow.boxes
    page = [box for box in boxes if box.page == boxes[0].page]
    last = boxes[0].page + (sum(box.end - box.start for box in page) <= _COVER)
    shown = " ".join(text[box.start : box.end] for box in boxes if boxes[0].page <= box.page <= last)
    shown_words, title_words = set(_WORD.findall(shown.casefold())), _WORD.findall(stated.casefold())
    matches = sum(word in shown_words for word in title_words)
    is_shown = matches >= _MIN_SHOWN_SHARE * len(title_words) or title_key(stated) in title_key(shown)
    if is_title(stated) and (is_shown or not page):
        return stated, None
    if subject := subject_of_mail(text):
        return text[subject.start : subject.end], subject
    starts = {box.start for box in page}
    headings: list[tuple[str, Block]] = []
    for block in flow.blocks:
        words = " ".join(text[block.start : block.end].split())
        if block.kind is not BlockKind.HEADING and _SALUTATION.fullmatch(words):
            break
        if block.kind is BlockKind.HEADING and block.start in starts and is_title(words):
            headings.append((words, block))
    highest = min((block.level for _, block in headings), default=0)
    headings = [heading for heading in headings if heading[1].level == highest]
    named = _naming(headings, page, text)
    if not named or named[0][0][0].isdigit() or _names_another(name, [words for words, _ in headings]):
        return readable_title(name), None
    if len(named) == 1:
        return named[0][0], named[0][1].span
    return " · ".join(words for words, _ in named), None
