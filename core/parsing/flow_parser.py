"""Documents that flow (web pages, Office, books, mail ...) to a ``Document``, through readers in a killable worker."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from time import monotonic
from typing import Any

from core.cancellation import cancellation_check
from core.errors import ParseError, WorkerError
from core.parsing import elements
from core.parsing.audit.gathering import UNSEEN, unseen_note
from core.parsing.audit.word_audit import audit_words
from core.parsing.file_names import (
    MAX_TITLE,
    display_name,
    is_of_a_row,
    is_part,
    is_title,
    names_nothing,
    readable_title,
)
from core.parsing.flow import ParsedFile, Piece, compose
from core.parsing.plain.plain_markup import MARKUPS, through_pandoc, to_page
from core.parsing.sandbox.sandbox import REPAIR, WorkerPool, failure, out_of_time
from core.plain_values import from_values
from core.settings import ParsingSettings
from core.text.normalise import decode
from core.types import Attachment, Block, BlockKind, Document, Span

Progress = Callable[[str, int, int], None]

FLOW_KINDS = (
    *("html", "docx", "pptx", "xlsx", "ods", "csv", "epub", "odt", "rtf", "rst", "org", "eml", "msg"),
    *("latex", "asciidoc", "bibtex", "jats", "xml", "subtitles", "mbox"),
    *("man", "mediawiki"),
)
_WORKBOOKS = frozenset({"xlsx", "ods", "csv"})
_VERSIONS = {
    "article": 4,
    **dict.fromkeys(("xml", "man", "mediawiki"), 1),
    **dict.fromkeys(("xlsx", "ods", "mbox", "rst"), 4),
    **dict.fromkeys(("docx", "pptx", "bibtex", "subtitles"), 2),
}
_USUAL_VERSION = 3
_COLLECTIONS = _WORKBOOKS | {"bibtex", "mbox"}  # of which no heading names the whole
_PREPARED = frozenset({"odt", "rtf"})  # what it is given after our own code has put it right
_TITLE_WITHIN = 4_000  # characters; a heading further down is one of a part
_LEAST_WRITING = 10.0  # seconds, however long the reading took
_AUDIT_UNFINISHED = "The second reading, which tells of lost words, did not finish."


@cache
def pool() -> WorkerPool:
    """The warm workers of this process."""
    return WorkerPool("core.parsing.sandbox.flow_worker")


@dataclass(slots=True)
class _Received:
    """What the worker has said so far. ``is_read``: the reading is whole; ``is_audited``: the second one is, too.

    ``words``: of the second reading, by the reason they may be left out for. ``notes``: what was said before it began.
    """

    head: dict[str, Any] | None = None
    pieces: list[Piece] = field(default_factory=list)
    attachments: list[tuple[str, list[bytes]]] = field(default_factory=list)
    reader: str = ""
    words: dict[str, list[str]] = field(default_factory=dict)
    is_read: bool = False
    is_audited: bool = False
    problem: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


@cache
def elements_pool() -> WorkerPool:
    """The warm workers that run ``unstructured``; the first takes seconds to start."""
    return WorkerPool("core.parsing.sandbox.elements_worker")


class FlowParser:
    """One kind of flowing document, by the reader of the settings. ``name`` is the kind, and says which reader."""

    def __init__(self, kind: str, settings: ParsingSettings) -> None:
        self._by_library = settings.reader == "unstructured" and kind in elements.KINDS
        is_article = kind == "html" and settings.web_pages == "article" and not self._by_library
        self._task = "article" if is_article else kind
        by_library = 3 if kind in _WORKBOOKS else 2
        self.version = by_library if self._by_library else _VERSIONS.get(self._task, _USUAL_VERSION)
        self.name = f"unstructured-{kind}" if self._by_library else "html-article" if is_article else kind
        self._kind = kind
        self._settings = settings

    def parse(self, data: bytes, name: str, progress: Progress | None = None) -> Document:
        """The text in reading order with blocks, typed cells, links, and boxes for slides.

        Raises ``PasswordNeededError``, ``WorkerError`` (time, memory, crash) or ``ParseError``; ``CancelledError``
        when ``progress`` raises it.
        """
        shown = display_name(name)
        if not data.removeprefix(b"\xef\xbb\xbf").strip():
            raise ParseError(f"{shown} is empty.", "Save it again with its content and retry.")

        def tick() -> None:
            if progress:
                progress("parsing", 0, 1)

        try:
            began = monotonic()
            received = self._receive(data, shown, tick)
            with cancellation_check(self._in_time(tick, shown, monotonic() - began)):
                document = _document(data, name, self._kind, received)
        except (KeyError, TypeError, ValueError) as error:
            raise WorkerError(f"{shown} could not be read: the worker's answer made no sense.", REPAIR) from error
        if not document.text:
            raise ParseError(f"{shown} holds no text.", "Save it again with its content and retry.")
        tick()
        return self._audited(replace(document, notes=(*document.notes, *received.notes)), received)

    def _in_time(self, tick: Callable[[], None], shown: str, took: float) -> Callable[[], None]:
        """``tick``, until writing down what was read has taken what reading left of its time."""
        seconds = self._settings.timeout_seconds
        late, ends = out_of_time(seconds), monotonic() + max(_LEAST_WRITING, seconds - took)

        def told() -> None:
            tick()
            if monotonic() > ends:
                raise WorkerError(f"{shown} could not be read: {late.problem}", late.remedy)

        return told

    def _audited(self, document: Document, received: _Received) -> Document:
        """The document with what the second reading of its file says of it."""
        if not received.is_audited:
            return replace(document, notes=(*document.notes, _AUDIT_UNFINISHED))
        if not received.reader:
            return document
        dropped = {reason: words for reason, words in received.words.items() if reason}
        words = audit_words(document, received.words.get("", []), received.reader, dropped)
        return replace(
            document, words=words, notes=(*document.notes, *unseen_note(" ".join(dropped.get(UNSEEN, ())).split()))
        )

    def _receive(self, data: bytes, shown: str, tick: Callable[[], None]) -> _Received:
        """The reading and, as far as they came, the words of the second one. Without the reading it raises."""
        received = _Received()
        given = self._prepared(data, shown, tick, received)
        own = given is data and not self._by_library
        workers = elements_pool() if self._by_library else pool()
        try:
            self._ask(workers, {"task": self._task, "name": shown, "second": own}, given, received, tick)
            if not own and not received.problem:
                self._ask(pool(), {"task": "second", "name": shown, "kind": self._kind}, data, received, tick)
            received.is_audited = not received.problem
        except WorkerError:
            if not received.is_read:  # else the document is safe, only its audit is not
                raise
        if received.problem and not received.is_read:
            raise failure(received.problem, shown, self._settings.memory_megabytes)
        return received

    def _prepared(self, data: bytes, shown: str, tick: Callable[[], None], received: _Received) -> bytes:
        """What the worker is given: the file itself, or what pandoc makes of it first.

        What pandoc is not given (metadata, notes, running lines) has then been ``received``.
        """
        if self._by_library and self._kind in elements.PANDOC_FIRST:
            target = elements.PANDOC_FIRST[self._kind]
            text = decode(data, shown).text.encode("utf-8", "replace") if self._kind in MARKUPS else data
            return through_pandoc(text, self._kind, target, self._settings, tick, shown)
        if self._kind in MARKUPS:
            page, received.notes = to_page(decode(data, shown).text, self._kind, self._settings, tick, shown)
            return page
        if self._kind in _PREPARED:
            self._ask(pool(), {"task": "prepare", "name": shown, "kind": self._kind}, data, received, tick)
            if received.problem:
                raise failure(received.problem, shown, self._settings.memory_megabytes)
            prepared = b"".join(received.attachments.pop()[1])
            received.is_read = False
            return through_pandoc(prepared, self._kind, "html", self._settings, tick, shown)
        return data

    def _ask(
        self,
        workers: WorkerPool,
        request: dict[str, Any],
        data: bytes,
        received: _Received,
        tick: Callable[[], None],
    ) -> None:
        request = {**request, "memory_bytes": self._settings.memory_megabytes << 20}
        try:
            with closing(workers.ask(request, data, self._settings.timeout_seconds, tick)) as messages:
                for message in messages:
                    _take(received, message)
        except WorkerError as error:
            raise WorkerError(f"{request['name']} could not be read: {error.problem}", error.remedy) from error


def _take(received: _Received, message: Mapping[str, Any]) -> None:
    kind = message["type"]
    if kind == "error":
        received.problem = message
    elif kind == "reading":
        received.head = received.head or dict(message)  # what a document says of itself comes before its tree
    elif kind == "pieces":
        received.pieces += from_values(ParsedFile, {"pieces": message["pieces"]}).pieces
    elif kind == "attachment":
        if message["begins"]:
            received.attachments.append((str(message["name"]), []))
        received.attachments[-1][1].append(base64.b64decode(message["data"]))
    elif kind == "read":
        received.is_read = True
    elif kind == "second":
        received.reader = str(message["reader"])
    elif kind == "words":
        received.words.setdefault(str(message["reason"]), []).append(str(message["words"]))


def _document(data: bytes, name: str, kind: str, received: _Received) -> Document:
    reading = from_values(ParsedFile, {**(received.head or {}), "pieces": ()})
    flow = compose(received.pieces)
    text = flow.text
    title, title_span = _title(reading, () if kind in _COLLECTIONS else flow.blocks, text, name)
    return Document(
        version_id=hashlib.sha256(data).hexdigest(),
        kind=kind,
        title=title,
        text=text,
        blocks=tuple(flow.blocks),
        title_span=title_span,
        links=tuple(flow.links),
        pages=reading.pages,
        boxes=tuple(flow.boxes),
        metadata=reading.metadata,
        notes=reading.notes,
        attachments=tuple(Attachment(title, b"".join(parts)) for title, parts in received.attachments),
    )


def _title(reading: ParsedFile, blocks: Sequence[Block], text: str, name: str) -> tuple[str, Span | None]:
    """The stated title if it is one, else the highest of the first headings where it is not one of a row, else the
    file's name.

    ``blocks``: () where no heading names the whole: those of a workbook name a sheet, those of a mailbox a message.

    A web page states its title with its site's name; where the page's own heading is a part of it, that is the title,
    for it stands in the text.
    """
    stated = " ".join(reading.title.split())
    headings = [
        (block.level > 1, words, block.span)
        for block in blocks
        if block.kind is BlockKind.HEADING and any(map(str.isalnum, words := text[block.start : block.end]))
    ]
    if is_title(stated):
        same = next((found for found in headings if found[1].casefold() == stated.casefold()), None)
        part = same or next((found for found in headings[:1] if is_part(found[1], stated)), None)
        return part[1:] if part else (stated, None)
    above = [found for found in headings if found[2].start <= _TITLE_WITHIN]
    named = [found for found in above if len(found[1]) <= MAX_TITLE and not names_nothing(found[1])]
    best = min(named, key=lambda found: found[0], default=None)
    if best is None or is_of_a_row(best[1], [words for _, words, _ in headings]):
        return readable_title(name), None
    return best[1:]
