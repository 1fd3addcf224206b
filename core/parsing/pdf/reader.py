"""PDF to a document, through PyMuPDF in a worker process that can be killed.

The worker reads pages and puts their lines in reading order; what pages have in common (running headers, headings,
paragraphs that cross pages) is found here. Nothing in this module touches the PDF library itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from core.errors import ParseError, PasswordNeededError, TextLayerMissingError, WorkerError
from core.parsing.audit.word_audit import audit_words
from core.parsing.names import MAX_TITLE, display_name, is_title, readable_title
from core.parsing.pdf.lines import TextLine, from_json
from core.parsing.pdf.second import SECOND_READER
from core.parsing.pdf.text import Composition, compose
from core.parsing.sandbox.sandbox import WorkerPool, out_of_memory
from core.settings import ParsingSettings
from core.types import BlockKind, Document, Page, Span

Progress = Callable[[str, int, int], None]

_METADATA = {"author": "author", "subject": "subject", "keywords": "keywords", "creationDate": "created"}
_MAX_PAGES = 100_000
_LOCKED = "Give it on the Library page, or with --password."
_REPAIR = "Open it in a PDF reader, save it again and add it once more."


@cache
def pool() -> WorkerPool:
    """The warm workers of this process."""
    return WorkerPool("core.parsing.pdf.worker")


@dataclass(slots=True)
class _Received:
    """What the worker has said so far."""

    outline: list[tuple[int, str, int]] = field(default_factory=list)
    metadata: Mapping[str, str] = field(default_factory=dict)
    repaired: bool = False
    expected: int = 0
    pages: list[Page] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    lines: list[list[TextLine]] = field(default_factory=list)
    pictures: int = 0
    damaged: list[int] = field(default_factory=list)
    files: int = 0
    second: list[str] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every page was read once; the second reading may still be missing."""
        return bool(self.pages) and len(self.pages) == self.expected


class PdfParser:
    """PDF with a text layer; pages that are pictures need OCR, which is its own step.

    ``password``: opens an encrypted file; others do not mind it.
    """

    name = "pdf"
    version = 3

    def __init__(self, settings: ParsingSettings, password: str | None = None) -> None:
        self._settings = settings
        self._password = password

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
            raise WorkerError(f"{shown} could not be read: the worker's answer made no sense.", _REPAIR) from error
        _require_text(received, shown)

        def tick() -> None:
            if progress:
                progress("parsing", received.expected, received.expected)

        composition = compose(received.pages, received.heights, received.lines, received.outline, tick)
        document = _document(data, name, received, composition)
        if len(received.second) != received.expected:
            return document
        tick()
        dropped = {"drawn twice": received.doubles}
        return replace(document, words=audit_words(document, received.second, SECOND_READER, dropped))

    def _receive(self, data: bytes, shown: str, progress: Progress | None) -> _Received:
        received = _Received()
        request = {
            "task": "parse",
            "password": self._password,
            "memory_bytes": self._settings.memory_megabytes << 20,
        }

        def tick() -> None:
            if progress:
                progress("parsing", len(received.pages), max(received.expected, 1))

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
            raise failure(problem, shown, self._settings)
        tick()
        return received


def failure(problem: Mapping[str, Any], shown: str, settings: ParsingSettings) -> ParseError:
    """The error for the worker's "error" message, as a sentence about the file ``shown``."""
    kind = problem.get("kind")
    if kind == "password":
        return PasswordNeededError(f"{shown} is encrypted and needs its password.", _LOCKED)
    if kind == "wrong password":
        return PasswordNeededError(f"{shown} is encrypted, and the password did not open it.", _LOCKED)
    if kind == "memory":
        return out_of_memory(shown, settings.memory_megabytes)
    if kind == "page":
        return ParseError(f"{shown}: {problem.get('message', '')}")
    return ParseError(f"{shown} is damaged or cut short: no page of it can be read.", _REPAIR)


def _take(received: _Received, message: Mapping[str, Any]) -> None:
    if message["type"] == "open":
        received.expected = int(message["pages"])
        if received.expected > _MAX_PAGES:
            raise ParseError(
                f"The file claims {received.expected:,} pages.", f"Split it: {_MAX_PAGES:,} are the limit."
            )
        received.outline = [(int(level), str(title), int(page)) for level, title, page in message["outline"]]
        received.metadata = {str(key): str(value) for key, value in message["metadata"].items()}
        received.repaired = bool(message["repaired"])
        received.files = int(message["files"])
    elif message["type"] == "page":
        width, height = message["size"]
        number = int(message["number"])
        received.pages.append(Page(number, round(float(width), 2), round(float(height), 2)))
        received.heights.append(float(message["height"]))
        received.lines.append([from_json(line) for line in message["lines"]])
        received.doubles += [str(text) for text in message.get("doubles", ())]
        received.pictures += bool(message.get("pictures"))
        if message.get("damaged"):
            received.damaged.append(number)
    elif message["type"] == "second" and message["number"] == len(received.second) + 1:
        received.second.append(str(message["text"]))


def _require_text(received: _Received, shown: str) -> None:
    letters = sum(len(line.text) + 20 * line.stands_in for lines in received.lines for line in lines)
    if letters >= 20 or (letters and not received.pictures):
        unread = sum(line.text.count("\ufffd") for lines in received.lines for line in lines)
        if 2 * unread < letters:
            return
        raise TextLayerMissingError(
            f"{shown} has a text layer, but its letters cannot be told: the fonts do not say which they are.",
            "Run OCR over it and add the result.",
        )
    if not received.pages or len(received.damaged) == len(received.pages):
        raise ParseError(f"{shown} is damaged or cut short: no page of it can be read.", _REPAIR)
    if received.pictures:
        raise TextLayerMissingError(
            f"{shown} has no text layer: its pages are pictures.", "Run OCR over it and add the result."
        )
    if received.repaired:
        raise ParseError(f"{shown} is damaged or cut short: its pages hold no text any more.", _REPAIR)
    raise TextLayerMissingError(f"{shown} has no text layer: its pages are blank or drawn.", "Run OCR over it.")


def _document(data: bytes, name: str, received: _Received, composition: Composition) -> Document:
    title, title_span = _title(received.metadata, composition, name)
    stated = {ours: received.metadata[theirs] for theirs, ours in _METADATA.items() if theirs in received.metadata}
    return Document(
        version_id=hashlib.sha256(data).hexdigest(),
        kind="pdf",
        title=title,
        text=composition.text,
        blocks=tuple(composition.blocks),
        title_span=title_span,
        links=tuple(composition.links),
        pages=tuple(received.pages),
        boxes=tuple(composition.boxes),
        metadata=stated,
        notes=tuple(_notes(received)),
    )


def _notes(received: _Received) -> Sequence[str]:
    notes = []
    if received.repaired:
        notes.append("The file was damaged; it was repaired while reading, and text may be missing.")
    if received.damaged:
        notes.append(f"Pages that could not be read: {_listed(received.damaged)}.")
    if received.files:
        notes.append(f"Files attached inside, which were not read: {received.files}. Save them and add them.")
    if len(received.second) != received.expected:
        notes.append("A second reading, which would tell of lost words, could not be made.")
    bare = [
        page.number
        for page, lines in zip(received.pages, received.lines, strict=True)
        if not lines and page.number not in received.damaged
    ]
    if bare and received.pictures:
        notes.append(f"Pages without a text layer, which need OCR if they hold text: {_listed(bare)}.")
    return notes


def _listed(numbers: Sequence[int]) -> str:
    """Page numbers, the first ten of them.

    >>> _listed([1, 2]), _listed(list(range(1, 13)))
    ('1, 2', '1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more')
    """
    shown = ", ".join(map(str, numbers[:10]))
    return shown if len(numbers) <= 10 else f"{shown} and {len(numbers) - 10} more"


def _title(metadata: Mapping[str, str], composition: Composition, name: str) -> tuple[str, Span | None]:
    """The metadata's title if it is one, else the heading of the first page's head, else the file's name.

    The head ends with the first real paragraph; its highest heading is the title. Without one, the first heading of
    level 1 near the start serves, unless it is numbered: that is a section.
    """
    stated = " ".join(metadata.get("title", "").split())
    if is_title(stated):
        return stated, None
    text, early = composition.text, composition.blocks[:40]
    prose = (i for i, block in enumerate(early) if block.kind is BlockKind.PARAGRAPH and block.end - block.start > 80)
    head = early[: next(prose, len(early))]
    headings = [block for block in early if block.kind is BlockKind.HEADING and block.end - block.start <= MAX_TITLE]
    chosen = min((block for block in headings if block in head), key=lambda block: block.level, default=None)
    chosen = chosen or next((block for block in headings if block.level == 1), None)
    if chosen and not text[chosen.start].isdigit():
        return " ".join(text[chosen.start : chosen.end].split()), chosen.span
    return readable_title(name), None
