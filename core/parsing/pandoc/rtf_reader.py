r"""Prepares RTF for pandoc: all characters become Unicode, and what pandoc would drop is moved to where it reads it.

Pandoc knows only the code page of Western Europe, refuses a file because of one stray control word, and drops nested
tables, text boxes, comments, headers and footers. Pictures, fonts and themes are left out.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from core.errors import ParseError
from core.parsing.flow import ParsedFile, Piece, Words
from core.parsing.inline import comment_head, hidden_note
from core.parsing.pandoc.rtf_tables import Rows
from core.parsing.pandoc.rtf_tokens import (
    CHARACTER_SETS,
    INFO,
    LITERALS,
    READ_WHEN_STARRED,
    RUNNING,
    SIGNS,
    SKIPPED,
    SYMBOLS,
    Font,
    Token,
    codec_of,
    tokens,
)
from core.parsing.word.symbols import in_font
from core.types import Attachment, BlockKind

_RTF_MARK = b"{\\rtf"
_MAX_DEPTH = 200  # of groups, with which pandoc's time and memory grow; no program writes more
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
_SHAPES = frozenset((b"shpinst", b"do"))
_BOXES = frozenset((b"shptxt", b"dptxbxtext"))
_MEANINGFUL = re.compile(r"[\\{}\n\t]")
_UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f]")
_WRITTEN = {"\n": r"\line ", "\t": r"\tab "}
_NESTED = {b"nestcell": rb"\line ", b"nestrow": rb"\line ", b"itap": b""}  # a cell's table becomes its lines


def warm_up() -> None:
    """Load the codecs of code pages, which are otherwise loaded at their first use."""
    for page in (437, 850, 874, 932, 936, 949, 950, *range(1250, 1259), 1361, 10000):
        codecs.lookup(codec_of(page))


def prepare(data: bytes, name: str) -> ParsedFile:
    """The document for pandoc as the only attachment, with what pandoc does not get: metadata, headers and footers.

    Raises ``ParseError`` where the file is no RTF.
    """
    start = data[:4096].find(_RTF_MARK)
    if start < 0:
        raise ParseError(f"{name} is no RTF document: it does not begin like one.", "Save it again as RTF.")
    writer = RtfWriter()
    for token in tokens(data[start:]):
        writer.take(token)
        if writer.is_done:
            break
    stated = {key: " ".join(words.split()) for key, words in writer.info.items()}
    return ParsedFile(
        pieces=tuple(Piece(BlockKind.FURNITURE, Words(line)) for line in writer.running if any(map(str.isalnum, line))),
        title=stated.pop("title", ""),
        metadata={key: words for key, words in stated.items() if words},
        notes=hidden_note(writer.hidden_words),
        attachments=(Attachment("for pandoc", writer.finish()),),
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """The state within a group. ``place``: "" where text belongs to the document, else what it is used for.

    ``substitutes``: how many characters after a Unicode one are its replacement for older readers.
    """

    place: str = ""
    font: int = -1
    substitutes: int = 1
    is_hidden: bool = False


class RtfWriter:
    """Rewrites RTF token by token. ``running``: the distinct lines of headers and footers."""

    def __init__(self) -> None:
        self.info: dict[str, str] = {}
        self.hidden_words = 0
        self.is_done = False
        self.running: dict[str, None] = {}
        self._out = bytearray()
        self._group = _Group()
        self._outer: list[tuple[_Group, int]] = []  # the groups around it, and where their output begins
        self._row_begun = False
        self._starred = False
        self._codec = "cp1252"
        self._fonts: dict[int, Font] = {}
        self._entry = 0
        self._bytes = bytearray()
        self._units: list[int] = []
        self._to_skip = 0
        self._line = ""
        self._author = self._instruction = ""
        self._number = ""  # of the paragraph, as its writer counted it
        self._is_defined = False
        self._rows = Rows()

    def finish(self) -> bytes:
        """The rewritten RTF. Groups that a truncated file leaves open are closed."""
        self._flush()
        for place, text, times in self._rows.repeats():
            self._out[place:place] = (_escaped(text) + rb"\cell ") * times
        return bytes(self._out) + b"}" * min(len(self._outer), _MAX_DEPTH)

    def take(self, token: Token) -> None:
        kind, data = token.kind, token.data
        if kind in ("text", "code") or (kind == "symbol" and data in LITERALS):
            skipped = min(self._to_skip, len(data))
            self._to_skip -= skipped
            if self._units and len(data) > skipped:
                self._flush()
            self._bytes += data[skipped:]
        elif data == b"u" and token.number is not None:
            self._to_skip = self._group.substitutes
            if self._bytes:
                self._flush()
            self._units.append(token.number & 0xFFFF)
        else:
            self._flush()
            if kind == "open":
                self._open()
            elif kind == "close":
                self._close()
            elif kind == "symbol":
                if data in (b"\r", b"\n"):
                    self._word(b"par", None)
                self._put(SYMBOLS.get(data, ""))
            elif self._group.place != "skip":
                self._word(data, token.number)
        self._starred = kind == "symbol" and data == b"*"

    def _open(self) -> None:
        self._outer.append((self._group, len(self._out)))
        self._to_skip = 0
        if len(self._outer) <= _MAX_DEPTH:
            self._out += b"{"

    def _close(self) -> None:
        self._to_skip = 0
        if not self._outer:
            return
        ended, (self._group, start) = self._group, self._outer.pop()
        if bytes(self._out[start:]) == b"{":  # pandoc stumbles over groups without anything in them
            del self._out[start:]
        elif len(self._outer) < _MAX_DEPTH:
            self._out += b"}"
        if ended.place == "running" != self._group.place:
            self.running[" ".join(self._line.split())] = None
            self._line = ""
        self.is_done = not self._outer

    def _flush(self) -> None:
        """Decode the collected characters: bytes by the font's code page, code units as UTF-16."""
        font = self._fonts.get(self._group.font, Font())
        if self._bytes:
            text = self._bytes.decode(font.codec or self._codec, "replace")
            self._bytes.clear()
            self._put(text if self._group.place == "fonts" else in_font(text, font.name))
        if self._units:
            units = b"".join(unit.to_bytes(2, "little") for unit in self._units)
            self._units.clear()
            self._put(in_font(units.decode("utf-16-le", "replace"), font.name))

    def _put(self, text: str) -> None:
        """Write text to the current group's destination."""
        place = self._group.place
        if place == "fonts":
            self._fonts.setdefault(self._entry, Font()).name += text.partition(";")[0]
        elif place == "running":
            self._line += text
        elif place == "commenter":
            self._author += text
        elif place == "instruction":
            self._instruction += text
        elif place == "number":
            self._number += text.strip()
        elif place in INFO.values():
            self.info[place] = self.info.get(place, "") + text
        elif place == "" and self._group.is_hidden:
            self.hidden_words += len(text.split())
        elif place == "":
            self._out += _escaped(text)
            self._rows.text += text
            if not self._is_defined and text.strip():
                self._rows.end_table()

    def _word(self, word: bytes, number: int | None) -> None:
        place = self._group.place
        if word in SKIPPED or (self._starred and word not in READ_WHEN_STARRED):
            self._group = replace(self._group, place="skip")
        elif word in RUNNING:
            self._group = replace(self._group, place="running")
        elif word in _SHAPES:
            self._group = replace(self._group, place="shape")
        elif word in _BOXES:
            self._group = replace(self._group, place="")
            self._out += rb"\par "
        elif word in (b"fonttbl", b"atnauthor"):
            self._group = replace(self._group, place="fonts" if word == b"fonttbl" else "commenter")
        elif place == "fonts":
            self._entry = number or 0 if word == b"f" else self._entry
            self._fonts.setdefault(self._entry, Font()).note(word, number)
        elif word in SIGNS:
            self._put(SIGNS[word])
        elif word == b"info" or place == "info":
            self._group = replace(self._group, place=INFO.get(word, "info"))
        elif word == b"fldinst" and place == "running":
            self._group, self._instruction = replace(self._group, place="instruction"), ""
        elif word == b"fldrslt" and place == "running":
            self._group = replace(self._group, place="skip" if _PAGE_FIELD.match(self._instruction) else place)
        elif word == b"listtext":
            self._group, self._number = replace(self._group, place="number"), ""
        elif word == b"annotation":
            self._out += rb"\footnote " + _escaped(comment_head(self._author, ""))
            self._author = ""
        elif word in (b"fldinst", b"fldrslt") and place == "field":
            self._group = replace(self._group, place="")
            self._hand_on(word, number)
        elif not self._set(word, number) and place == "":
            self._hand_on(word, number)
            if word == b"field":  # a word of its own between instruction and result hides both from pandoc
                self._group = replace(self._group, place="field")
        elif place == "running" and word in (b"par", b"line", b"cell", b"tab"):
            self._line += " "

    def _hand_on(self, word: bytes, number: int | None) -> None:
        """Write a control word for pandoc. A table row is defined before its cells: pandoc drops earlier ones."""
        if word == b"trowd":
            self._rows.edges = []
        elif word == b"cellx":
            self._rows.edges.append(number or 0)
        if (word in (b"trowd", b"cellx") and self._row_begun) or (word == b"rtf" and len(self._outer) > 1):
            return
        self._is_defined = word == b"trowd" or (self._is_defined and word != b"row")
        if word == b"intbl" and not self._is_defined:  # the row before this one defines it, too
            self._hand_on(b"trowd", None)
        self._row_begun = word in (b"intbl", b"cell") or (self._row_begun and word != b"row")
        star, stated = rb"\*" if word == b"fldinst" else b"", b"" if number is None else b"%d" % number
        self._out += _NESTED.get(word, rb"%b\%b%b " % (star, word, stated))
        if word == b"outlinelevel" and any(map(str.isalnum, self._number)):  # pandoc counts items, but no headings
            self._out += _escaped(f"{self._number} ")
        if word in (b"par", b"outlinelevel"):
            self._number = ""
        if word == b"cell":
            self._rows.end_cell(len(self._out))
        elif word == b"row":
            self._rows.end_row()
        if word == b"pard" and self._is_defined:  # some programs do not repeat that a defined row's text is in a table
            self._hand_on(b"intbl", None)

    def _set(self, word: bytes, number: int | None) -> bool:
        """Apply a control word about characters. Returns whether it is one."""
        if word in (b"f", b"deff"):
            self._group = replace(self._group, font=number or 0)
        elif word == b"plain":
            self._group = replace(self._group, is_hidden=False)
        elif word in (b"v", b"deleted"):
            self._group = replace(self._group, is_hidden=number != 0)
        elif word == b"uc":
            self._group = replace(self._group, substitutes=max(0, number or 0))
        elif word == b"ansicpg" and number:
            self._codec = codec_of(number)
        elif word in CHARACTER_SETS:
            self._codec = CHARACTER_SETS[word]
        else:
            return False
        return True


def _escaped(text: str) -> bytes:
    r"""Text escaped for RTF; characters beyond ASCII are kept, because pandoc reads RTF as UTF-8.

    >>> _escaped("{Мир}\n").decode()
    '\\{Мир\\}\\line '
    """
    text = _UNSAFE.sub("", text)
    return _MEANINGFUL.sub(lambda match: _WRITTEN.get(match[0], f"\\{match[0]}"), text).encode("utf-8", "replace")
