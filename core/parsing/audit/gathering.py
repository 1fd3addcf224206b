"""Collects the words of a second reading; safe access to packages' parts and to XML for it."""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import IO
from xml.parsers import expat

from core.errors import ParseError
from core.parsing.audit.word_audit import SecondReading, words_of
from core.parsing.html import encoding
from core.text.values.numerals import counted

# Reasons why a reader may leave words out.
HIDDEN, DELETED, FIELDS = "hidden", "deleted or moved revisions", "field codes"
UNSEEN = "in letters that nobody sees"  # tiny, off the page or without contrast; the readers keep them
RUNNING = "headers, footers and page numbers"
OLDER_COPIES, NAMES = "older copies of shapes and comments", "pictures' descriptions"
CHARTS, SHEET_NAMES = "charts' copies of cells and labels", "sheets' and tables' names"

_MAX_PART = 1 << 28  # bytes of one unpacked part; a larger one is a zip bomb or no text
_CHUNK = 1 << 16
_MAX_QUOTED = 12  # words in the note on unseen words


class WordCollector:
    """Collects text in the file's order, grouped by the reason why a reader may leave it out."""

    def __init__(self) -> None:
        self._texts: defaultdict[str, list[str]] = defaultdict(list)
        self._latest = ""  # the reason of the latest text

    def put(self, reason: str, text: str) -> None:
        """Add text with the reason why a reader may leave it out, "" where it may not.

        Consecutive texts with the same reason may be parts of one word; after another reason a new word begins.
        """
        separator = " " if reason and (reason != self._latest or reason == RUNNING) else ""
        self._texts[reason].append(separator + text)
        self._latest = reason

    def reading(self, reader: str) -> SecondReading:
        """The reading: first the words that must be in the document, then those that may be left out."""
        dropped = {reason: tuple(words_of("".join(texts))) for reason, texts in self._texts.items()}
        required = dropped.pop("", ())
        return SecondReading(reader, (*required, *chain.from_iterable(dropped.values())), dropped)


def unseen_note(words: Sequence[str], where: str = "") -> tuple[str, ...]:
    """The note on words of the text that a reader of the page cannot see; () for none. ``where``: the first are.

    >>> unseen_note(["ignore", "this"], "on page 3 first")
    ('2 words that nobody sees are read as text, on page 3 first: “ignore this”.',)
    >>> unseen_note([])
    ()
    """
    if not words:
        return ()
    quoted = " ".join(words[:_MAX_QUOTED]) + (" …" if len(words) > _MAX_QUOTED else "")
    where = f", {where}" if where else ""
    verb = "is" if len(words) == 1 else "are"
    return (f"{counted(len(words), 'word')} that nobody sees {verb} read as text{where}: “{quoted}”.",)


def page_text(data: bytes) -> str:
    """The source of an HTML page or of a web archive's page, decoded as the HTML reader does; else as Windows-1252.

    >>> page_text('<meta charset="cp1251">П'.encode("cp1251")), page_text(b"")
    ('<meta charset="cp1251">П', '')
    """
    try:
        return encoding.page_text(data, "")
    except ParseError:
        return data.decode("cp1252", "replace")


def read_part(package: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of one part, up to a limit. Raises ``KeyError`` where it is missing."""
    with package.open(name) as stream:
        return stream.read(_MAX_PART)


class XmlTextWalker:
    """Walks an XML document and calls ``start``, ``end`` and ``text``, which subclasses override.

    Names come without their namespace. Documents that declare entities are refused.
    """

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Called where an element opens."""

    def end(self, name: str) -> None:
        """Called where an element closes."""

    def text(self, characters: str) -> None:
        """Called with characters between tags."""

    def walk(self, package: zipfile.ZipFile, name: str) -> None:
        """Walk one part of a package. Raises ``KeyError`` where it is missing, and what ``feed`` raises."""
        with package.open(name) as stream:
            self.feed(stream)

    def feed(self, stream: IO[bytes]) -> None:
        """Walk a document. Raises ``ExpatError`` where it is not XML, ``ValueError`` where it declares entities."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = lambda name, attributes: self.start(
            _local(name), {_local(key): value for key, value in attributes.items()}
        )
        parser.EndElementHandler = lambda name: self.end(_local(name))
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = _refuse
        length = 0
        while (chunk := stream.read(_CHUNK)) and length < _MAX_PART:
            length += len(chunk)
            parser.Parse(chunk)
        parser.Parse(b"", True)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _refuse(*declared: object) -> None:
    raise ValueError("entities are declared here")
