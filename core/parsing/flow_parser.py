"""Parses flowing formats (web pages, Office, books, mail ...) into a ``Document``; readers run in a worker process."""

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
    is_generic_heading,
    is_one_of_a_series,
    is_part_of_title,
    is_title,
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
    *("latex", "asciidoc", "bibtex", "jats", "xml", "subtitles", "mbox", "calendar", "contacts", "references"),
    *("man", "mediawiki", "records"),
)
_WORKBOOKS = frozenset({"xlsx", "ods", "csv"})
_VERSIONS = {
    "article": 7,
    "xml": 4,
    "html": 6,
    "docx": 5,
    "records": 2,
    **dict.fromkeys(("man", "mediawiki", "calendar", "contacts", "references"), 1),
    **dict.fromkeys(("xlsx", "ods"), 6),
    **dict.fromkeys(("mbox", "rtf"), 5),
    **dict.fromkeys(("rst", "odt", "msg", "eml", "csv"), 4),
    "pptx": 3,
    "bibtex": 3,
    "subtitles": 4,
    "epub": 4,
}
_USUAL_VERSION = 3
# Their headings name parts, not the whole.
_COLLECTIONS = _WORKBOOKS | {"bibtex", "references", "mbox", "calendar", "contacts", "records"}
_PREPARED = frozenset({"odt", "rtf"})  # a worker rewrites these before pandoc reads them
_TEXT = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE})
_TITLE_WITHIN = 4_000  # characters; a heading that starts later is not the document's title
_MIN_COMPOSE_SECONDS = 10.0  # for composing the text, however long the reading took
_AUDIT_UNFINISHED = "The second reading, which tells of lost words, did not finish."


@cache
def pool() -> WorkerPool:
    """This process's pool of workers that run our own readers."""
    return WorkerPool("core.parsing.sandbox.flow_worker")


@dataclass(slots=True)
class _Received:
    """The worker's messages so far.

    ``head``: the "reading" message. ``attachments``: name and data chunks of each. ``is_read``: the reading is
    complete. ``is_audited``: the second reading is complete too. ``reader`` and ``words``: of the second reading, the
    words by the reason why they may be left out of the document, "" for none. ``problem``: the "error" message.
    ``notes``: of converting the markup, before the worker was asked.
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
    """This process's pool of workers that run ``unstructured``; the first takes seconds to start."""
    return WorkerPool("core.parsing.sandbox.elements_worker")


class FlowParser:
    """The parser for one of ``FLOW_KINDS`` with the reader that the settings choose. ``name``: kind and reader."""

    def __init__(self, kind: str, settings: ParsingSettings) -> None:
        self._uses_unstructured = settings.reader == "unstructured" and kind in elements.KINDS
        is_article = kind == "html" and settings.web_pages == "article" and not self._uses_unstructured
        self._task = "article" if is_article else kind
        if self._uses_unstructured:
            self.name, self.version = f"unstructured-{kind}", 3 if kind in _WORKBOOKS else 2
        else:
            self.name = "html-article" if is_article else kind
            self.version = _VERSIONS.get(self._task, _USUAL_VERSION)
        self._kind = kind
        self._settings = settings

    def parse(self, data: bytes, name: str, progress: Progress | None = None) -> Document:
        """The document: text in reading order, blocks, typed cells, links, and boxes for slides.

        Raises ``PasswordNeededError``, ``WorkerError`` (time, memory, crash), ``ParseError``, or ``CancelledError``
        when ``progress`` raises it.
        """
        shown = display_name(name)
        if not data.removeprefix(b"\xef\xbb\xbf").strip():
            raise ParseError(f"{shown} is empty.", "Save it again with its content and retry.")

        def tick() -> None:
            if progress:
                progress("parsing", 0, 1)

        try:
            started = monotonic()
            received = self._receive(data, shown, tick)
            with cancellation_check(self._compose_deadline(tick, shown, monotonic() - started)):
                document = _document(data, name, self._kind, received)
        except (KeyError, TypeError, ValueError) as error:
            raise WorkerError(f"{shown} could not be read: the worker's answer made no sense.", REPAIR) from error
        if not document.text:
            raise ParseError(f"{shown} holds no text.", "Save it again with its content and retry.")
        tick()
        return self._audited(replace(document, notes=(*document.notes, *received.notes)), received)

    def _compose_deadline(self, tick: Callable[[], None], shown: str, read_seconds: float) -> Callable[[], None]:
        """A check that calls ``tick`` and raises ``WorkerError`` once the time that reading left over is used up."""
        seconds = self._settings.timeout_seconds
        deadline = monotonic() + max(_MIN_COMPOSE_SECONDS, seconds - read_seconds)
        late = out_of_time(seconds)

        def check() -> None:
            tick()
            if monotonic() > deadline:
                raise WorkerError(f"{shown} could not be read: {late.problem}", late.remedy)

        return check

    def _audited(self, document: Document, received: _Received) -> Document:
        """The document with its word audit, if a second reading of the file was made."""
        if not received.is_audited:
            return replace(document, notes=(*document.notes, _AUDIT_UNFINISHED))
        if not received.reader:
            return document
        dropped = {reason: words for reason, words in received.words.items() if reason}
        audit = audit_words(document, received.words.get("", []), received.reader, dropped)
        unseen_words = " ".join(dropped.get(UNSEEN, ())).split()
        return replace(document, words=audit, notes=(*document.notes, *unseen_note(unseen_words)))

    def _receive(self, data: bytes, shown: str, tick: Callable[[], None]) -> _Received:
        """The reading and, as far as it was finished, the second reading. Raises where the reading is incomplete."""
        received = _Received()
        task_data = self._task_data(data, shown, tick, received)
        # One request does both readings where the worker is given the file itself and is not that of the library.
        in_one_request = task_data is data and not self._uses_unstructured
        workers = elements_pool() if self._uses_unstructured else pool()
        try:
            request = {"task": self._task, "name": shown, "second": in_one_request}
            self._ask(workers, request, task_data, received, tick)
            if not in_one_request and not received.problem:
                self._ask(pool(), {"task": "second", "name": shown, "kind": self._kind}, data, received, tick)
            received.is_audited = not received.problem
        except WorkerError:
            if not received.is_read:  # otherwise only the audit is lost
                raise
        if received.problem and not received.is_read:
            raise failure(received.problem, shown, self._settings.memory_megabytes)
        return received

    def _task_data(self, data: bytes, shown: str, tick: Callable[[], None], received: _Received) -> bytes:
        """The bytes for the reader: the file itself, or what pandoc converts it to.

        What pandoc would lose (metadata, notes, running lines) is put into ``received``.
        """
        if self._uses_unstructured and self._kind in elements.PANDOC_FIRST:
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
    """Add one message of a worker to ``received``."""
    kind = message["type"]
    if kind == "error":
        received.problem = message
    elif kind == "reading":
        received.head = received.head or dict(message)  # the first is that of "prepare", which has the metadata
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
        attachments=tuple(Attachment(title, b"".join(chunks)) for title, chunks in received.attachments),
    )


def _is_section(heading: Block, blocks: Sequence[Block]) -> bool:
    """Whether a heading is one of several sections: text is before it, and a later heading of its rank or above."""
    place = blocks.index(heading)
    later = [block for block in blocks[place + 1 :] if block.kind is BlockKind.HEADING]
    is_first = heading.level == 1 and not any(block.kind in _TEXT for block in blocks[:place])
    return not is_first and any(one.level <= heading.level for one in later)


def _title(reading: ParsedFile, blocks: Sequence[Block], text: str, name: str) -> tuple[str, Span | None]:
    """The document's title and, where a heading is the title, its span in the text.

    The title is the stated one if ``is_title``, else the first of the highest headings near the start, unless that is
    one of several sections below a text, else the file's name. ``blocks``: () for collections, whose headings name a
    sheet or a message and not the document.

    Web pages often append the site's name to the stated title. Where the first heading is a part of the stated title,
    the heading is preferred, because it stands in the text.
    """
    stated = " ".join(reading.title.split())
    headings = [
        (words, block)
        for block in blocks
        if block.kind is BlockKind.HEADING and any(map(str.isalnum, words := text[block.start : block.end]))
    ]
    if is_title(stated):
        same = [(words, block.span) for words, block in headings if words.casefold() == stated.casefold()]
        part = [(words, block.span) for words, block in headings[:1] if is_part_of_title(words, stated)]
        return next(iter((*same, *part)), (stated, None))
    candidates = [
        (words, block)
        for words, block in headings
        if block.start <= _TITLE_WITHIN and len(words) <= MAX_TITLE and not is_generic_heading(words)
    ]
    title, block = min(candidates, key=lambda heading: heading[1].level > 1, default=("", None))
    if block is None or is_one_of_a_series(title, [words for words, _ in headings]) or _is_section(block, blocks):
        return readable_title(name), None
    return title, block.span
