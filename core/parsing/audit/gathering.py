"""Words of a second reading as they are gathered, and the little it needs to read bytes and XML safely."""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Sequence
from typing import IO
from xml.parsers import expat

from core.errors import ParseError
from core.parsing.audit.word_audit import SecondReading, words_of
from core.parsing.html import encoding
from core.text.numerals import counted

# Why a reader may leave words out.
HIDDEN, DELETED, FIELDS = "hidden", "deleted or moved revisions", "field codes"
UNSEEN = "in letters that nobody sees"  # and the readers read them as text all the same
RUNNING = "headers, footers and page numbers"
OLDER_COPIES, NAMES = "older copies of shapes and comments", "pictures' descriptions"
CHARTS, SHEET_NAMES = "charts' copies of cells and labels", "sheets' and tables' names"

_MAX_PART = 1 << 28  # bytes of one unpacked part; what is larger is a bomb or no text
_CHUNK = 1 << 16
_NAMED = 12  # of the words that nobody sees


class Gathering:
    """Text in the file's order, that which a reader may leave out by its reason."""

    def __init__(self) -> None:
        self._texts: defaultdict[str, list[str]] = defaultdict(list)
        self._latest = ""  # the reason of the latest text

    def put(self, reason: str, text: str) -> None:
        """Text with the reason why a reader may leave it out, "" where it may not.

        Left out texts that follow each other may be parts of one word; others are not.
        """
        apart = " " if reason and (reason != self._latest or reason == RUNNING) else ""
        self._texts[reason].append(apart + text)
        self._latest = reason

    def reading(self, reader: str) -> SecondReading:
        """The words; those that may be left out stand behind the others."""
        words = {reason: tuple(words_of("".join(texts))) for reason, texts in self._texts.items()}
        kept = words.pop("", ())
        return SecondReading(reader, (*kept, *(word for left_out in words.values() for word in left_out)), words)


def unseen_note(words: Sequence[str], where: str = "") -> tuple[str, ...]:
    """The note on words that are read as text and that nobody sees. ``where``: the first stand, "" for nowhere.

    >>> unseen_note(["ignore", "this"], "on page 3 first")
    ('2 words that nobody sees are read as text, on page 3 first: “ignore this”.',)
    >>> unseen_note([])
    ()
    """
    if not words:
        return ()
    said = " ".join(words[:_NAMED]) + (" …" if len(words) > _NAMED else "")
    where = f", {where}" if where else ""
    verb = "is" if len(words) == 1 else "are"
    return (f"{counted(len(words), 'word')} that nobody sees {verb} read as text{where}: “{said}”.",)


def page_text(data: bytes) -> str:
    """The text of a page, or of a web archive's page, as its reader tells encodings apart; of no text as Western.

    >>> page_text('<meta charset="cp1251">П'.encode("cp1251")), page_text(b"")
    ('<meta charset="cp1251">П', '')
    """
    try:
        return encoding.page_text(data, "")
    except ParseError:
        return data.decode("cp1252", "replace")


def part(package: zipfile.ZipFile, name: str) -> bytes:
    """One part's bytes, up to a limit. Raises ``KeyError`` when it is missing."""
    with package.open(name) as stream:
        return stream.read(_MAX_PART)


class PlainXml:
    """Walks a part of a package; subclasses see local names only. Documents that declare entities are refused."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element opens. ``attributes`` by local name."""

    def end(self, name: str) -> None:
        """An element closes."""

    def text(self, characters: str) -> None:
        """Characters between tags."""

    def walk(self, package: zipfile.ZipFile, name: str) -> None:
        """Raises ``KeyError`` for a part that is missing, and as ``feed`` does."""
        with package.open(name) as stream:
            self.feed(stream)

    def feed(self, stream: IO[bytes]) -> None:
        """Raises ``ExpatError`` or ``ValueError`` for what is no XML."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = lambda name, attributes: self.start(
            _local(name), {_local(key): value for key, value in attributes.items()}
        )
        parser.EndElementHandler = lambda name: self.end(_local(name))
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = _refuse
        taken = 0
        while (chunk := stream.read(_CHUNK)) and taken < _MAX_PART:
            taken += len(chunk)
            parser.Parse(chunk)
        parser.Parse(b"", True)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _refuse(*declared: object) -> None:
    raise ValueError("entities are declared here")
