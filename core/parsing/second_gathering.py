"""Words of a second reading as they are gathered, and the little it needs to read bytes safely."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO
from xml.parsers import expat

from core.parsing.word_audit import SecondReading, words_of

# Why a reader may leave words out.
HIDDEN, DELETED, FIELDS = "hidden", "deleted or moved revisions", "field codes"
PAGE_NUMBERS, REPEATED = "page numbers and dates of running lines", "repeated headers and footers"
OLDER_COPIES, NAMES = "older copies of shapes and comments", "pictures' descriptions"
_FIELD_MARK = "\0"  # stands where a page number was
_MAX_PART = 1 << 28  # bytes of one unpacked part; what is larger is a bomb or no text
_CHUNK = 1 << 16
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)


@dataclass(slots=True)
class Gathering:
    """Text in the file's order. ``dropped``: by reason, text that a reader may leave out."""

    kept: list[str] = field(default_factory=list)
    dropped: dict[str, list[str]] = field(default_factory=dict)
    _lines: set[tuple[str, ...]] = field(default_factory=set)
    _latest: str = ""  # where the latest text went

    def keep(self, text: str) -> None:
        self.kept.append(text)
        self._latest = ""

    def drop(self, reason: str, text: str) -> None:
        """Texts dropped one right after the other may be parts of one word; others are not."""
        apart = "" if self._latest == reason else " "
        self.dropped.setdefault(reason, []).append(apart + text)
        self._latest = reason

    def put(self, reason: str, text: str) -> None:
        """Keep it where there is no reason not to."""
        if reason:
            if reason == PAGE_NUMBERS:
                self.keep(_FIELD_MARK)
            self.drop(reason, text)
        else:
            self.keep(text)

    def keep_lines(self, text: str) -> None:
        """Keep each line of headers and footers once, and none that says which page this is."""
        for line in text.split("\n"):
            words = tuple(words_of(line))
            repeated = REPEATED if words in self._lines else ""
            self.put(PAGE_NUMBERS if _FIELD_MARK in line else repeated, f"{line}\n")
            self._lines.add(words)

    def keep_running(self, lines: Gathering) -> None:
        """``keep_lines`` for a header or footer that was gathered apart."""
        self.keep_lines("".join(lines.kept))
        lines.kept.clear()
        self.take(lines)

    def take(self, other: Gathering) -> None:
        """All that another one gathered."""
        self.kept += other.kept
        for reason, texts in other.dropped.items():
            self.dropped.setdefault(reason, []).extend(texts)

    def reading(self, reader: str) -> SecondReading:
        """The words; those that may be left out stand behind the others."""
        dropped = {reason: tuple(words_of("".join(texts))) for reason, texts in self.dropped.items()}
        kept = words_of("".join(self.kept))
        return SecondReading(reader, (*kept, *(word for words in dropped.values() for word in words)), dropped)


def decoded(data: bytes) -> str:
    """Bytes as text: by their mark, by the character set they name, as UTF-8, else as Western.

    >>> decoded("né".encode("utf-8-sig")), decoded(b'<meta charset="cp1251">\\xcf'), decoded(b"n\\xe9")
    ('né', '<meta charset="cp1251">П', 'né')
    """
    for mark, encoding in (
        (b"\xff\xfe\0\0", "utf-32"),
        (b"\0\0\xfe\xff", "utf-32"),
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\0" in data[:1000:2] or b"\0" in data[1:1000:2]:
        wide = "utf-16-be" if data[:1000:2].count(0) > data[1:1000:2].count(0) else "utf-16-le"
        return data.decode(wide, "replace")
    named = _CHARSET.search(data[:2048])
    for encoding in (*([named[1].decode("ascii", "replace")] if named else []), "utf-8"):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    broken = data.decode("utf-8", "replace")
    return data.decode("cp1252", "replace") if broken.count("\ufffd") > 0.01 * len(broken) else broken


def part_names(package: zipfile.ZipFile, pattern: str) -> list[str]:
    """The package's parts whose whole name the pattern matches, numbers in their order.

    Case is aside: some programs write ``Word/Document.xml``.
    """
    matching = [name for name in package.namelist() if re.fullmatch(pattern, name, re.IGNORECASE)]
    return sorted(matching, key=lambda name: [int(run) if run.isdigit() else 0 for run in re.split(r"(\d+)", name)])


def part(package: zipfile.ZipFile, name: str) -> bytes:
    """One part's bytes, up to a limit. Raises ``KeyError`` when it is missing."""
    with package.open(name) as stream:
        return stream.read(_MAX_PART)


class PlainXml:
    """Walks a part of a package; subclasses see local names only. Documents that declare entities are refused."""

    def __init__(self) -> None:
        self._local: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element opens. ``attributes`` by local name."""

    def end(self, name: str) -> None:
        """An element closes."""

    def text(self, characters: str) -> None:
        """Characters between tags."""

    def walk(self, package: zipfile.ZipFile, name: str) -> None:
        """Raises ``KeyError`` for a part that is missing, ``ExpatError`` or ``ValueError`` for one that is no XML."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = _refuse
        with package.open(name) as stream:
            for chunk in _chunks(stream):
                parser.Parse(chunk)
        parser.Parse(b"", True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.start(self._named(name), {self._named(key): value for key, value in attributes.items()})

    def _end(self, name: str) -> None:
        self.end(self._named(name))

    def _named(self, name: str) -> str:
        local = self._local.get(name)
        if local is None:
            local = self._local[name] = name.rpartition(":")[2]
        return local


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    taken = 0
    while (chunk := stream.read(_CHUNK)) and taken < _MAX_PART:
        taken += len(chunk)
        yield chunk


def _refuse(*declared: object) -> None:
    raise ValueError("entities are declared here")
