"""PDF to a document, through PyMuPDF in a worker process that can be killed.

The worker reads pages and puts their lines in reading order; what pages have in common (running headers, headings,
paragraphs that cross pages) is found here. Nothing in this module touches the PDF library itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any

from core.errors import ParseError, WorkerError
from core.parsing.audit.gathering import unseen_note
from core.parsing.audit.word_audit import audit_words
from core.parsing.file_names import display_name, is_title, readable_title
from core.parsing.flow import Flow
from core.parsing.ocr.pages import Sheets, read_scans
from core.parsing.ocr.verdicts import listed, notes_on, require_text
from core.parsing.pdf.lines import OpenedFile, PageRead, title_key
from core.parsing.pdf.text import compose
from core.parsing.pictures.drawing import pictures_for_ocr, pool
from core.parsing.sandbox.sandbox import REPAIR, failure
from core.plain_values import from_values
from core.settings import ParsingSettings
from core.types import BlockKind, Document, Page, Span

Progress = Callable[[str, int, int], None]

_METADATA = {"author": "author", "subject": "subject", "keywords": "keywords", "creationDate": "created"}
_WORD = re.compile(r"\w+")
_SALUTATION = re.compile(
    r"(?:dear|to whom it may concern|hello|sehr geehrte|liebe[rs]?|chers?|chères?|madame|monsieur|estimad[oa]s?|"
    r"car[oaie]|gentile|beste|geachte)\b.{0,100}[,:!]",
    re.IGNORECASE,
)
_TOLD = 2 / 3  # of a stated title's words, those that the first page shows
_MAX_PAGES = 100_000
_SECOND_READER = "pdfium's plain text of each page"
_OCR_REPLACED = "in the text layer of a scanned page, which OCR read"


@dataclass(slots=True)
class _Received:
    """What the worker has said so far. ``second``: the second reading's text of each page."""

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
    """PDF by its text layer, and by OCR where pages are scans; ``kind`` "image": pictures, which are pages alone.

    ``password``: opens an encrypted file; others do not mind it.
    """

    version = 10

    def __init__(self, settings: ParsingSettings, password: str | None = None, kind: str = "pdf") -> None:
        self._settings = settings
        self._password = password
        self._kind = kind
        self.name = kind + settings.scans_mark

    def parse(self, data: bytes, name: str, progress: Progress | None = None) -> Document:
        """The text in reading order, with blocks, pages and a box for every text run.

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

        def tick(left: int = 0) -> None:
            if progress:
                progress("parsing", received.opened.pages - left, received.opened.pages)

        def draw(pages: Sequence[int], turn: int) -> Mapping[int, tuple[bytes, float]]:
            return pictures_for_ocr(data, pages, turn, self._settings, self._password)

        sheets, reads = received.sheets, self._settings.scans != "off"
        replaced = read_scans(sheets, draw, self._settings, tick)
        require_text(sheets, received.damaged, shown, repaired=received.opened.repaired, reads_scans=reads)
        composition = compose(sheets.pages, sheets.heights, sheets.lines, received.opened.outline, tick)
        notes = [*_notes(received, self._kind), *notes_on(sheets, received.damaged, reads_scans=reads)]
        of_layer = {page.number for page in sheets.pages if page.reading == "text"}
        unseen = {number: words for number, words in received.unseen.items() if number in of_layer}
        first = f"on page {min(unseen):,} first" if unseen else ""
        notes += unseen_note([word for words in unseen.values() for word in words], first)
        document = _document(data, name, self._kind, received, composition, notes)
        if len(received.second) != received.opened.pages:
            return document
        tick()
        dropped = {"drawn twice": received.doubles, _OCR_REPLACED: replaced}
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
            received.second.clear()  # the document is safe, its audit is not
        if problem and not received.whole:
            raise failure(problem, shown, self._settings.memory_megabytes)
        tick()
        return received


def _take(received: _Received, message: Mapping[str, Any]) -> None:
    if message["type"] == "open":
        received.opened = from_values(OpenedFile, message)
        if received.opened.pages > _MAX_PAGES:
            problem = f"The file claims {received.opened.pages:,} pages."
            raise ParseError(problem, f"Split it: {_MAX_PAGES:,} are the limit.")
    elif message["type"] == "page":
        read = from_values(PageRead, message)
        width, height = read.size
        page = Page(read.number, round(width, 2), round(height, 2), "unread" if read.damaged else "text")
        received.sheets.take(page, read.height, list(read.lines), read.signs)
        received.doubles += read.doubles
        if read.unseen:
            received.unseen[read.number] = [word for text in read.unseen for word in text.split()]
        received.damaged += [read.number] * read.damaged
        received.unmarked += [read.number] * read.unmarked
    elif message["type"] == "second" and message["number"] == len(received.second) + 1:
        received.second.append(str(message["text"]))


def _document(
    data: bytes, name: str, kind: str, received: _Received, composition: Flow, notes: Sequence[str]
) -> Document:
    metadata = {key: unescape(value) for key, value in received.opened.metadata.items()}  # as some programs write it
    title, title_span = _title(" ".join(metadata.get("title", "").split()), composition, name)
    stated = {ours: metadata[theirs] for theirs, ours in _METADATA.items() if theirs in metadata}
    return Document(
        version_id=hashlib.sha256(data).hexdigest(),
        kind=kind,
        title=title,
        text=composition.text,
        blocks=tuple(composition.blocks),
        title_span=title_span,
        links=tuple(composition.links),
        pages=tuple(received.sheets.pages),
        boxes=tuple(composition.boxes),
        metadata=stated,
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


def _title(stated: str, composition: Flow, name: str) -> tuple[str, Span | None]:
    """The stated title if the first page with words shows it, else that page's highest heading, else the file's name.

    What the page does not show names the program, the template or the site that the file came from. A heading that
    begins with a number is a section's, and so is one behind the words that a letter begins with.
    """
    text, boxes = composition.text, composition.boxes
    page = [box for box in boxes if box.page == boxes[0].page]
    shown = " ".join(text[box.start : box.end] for box in page)
    seen, wanted = set(_WORD.findall(shown.casefold())), _WORD.findall(stated.casefold())
    told = sum(word in seen for word in wanted) >= _TOLD * len(wanted) or title_key(stated) in title_key(shown)
    if is_title(stated) and (told or not page):
        return stated, None
    begin = {box.start for box in page}
    blocks = [(" ".join(text[block.start : block.end].split()), block) for block in composition.blocks]
    greeting = min((block.start for words, block in blocks if _SALUTATION.fullmatch(words)), default=len(text))
    headings = [
        (words, block)
        for words, block in blocks
        if block.kind is BlockKind.HEADING and block.start in begin and block.start < greeting
    ]
    titles = [(title, block) for title, block in headings if is_title(title)]
    title, chosen = min(titles, key=lambda pair: pair[1].level, default=("", None))
    if chosen and not title[0].isdigit():
        return title, chosen.span
    return readable_title(name), None
