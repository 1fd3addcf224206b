"""RTF to pieces: text with its code pages, headings, lists as numbered by the writer, tables, notes and comments."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace

from core.errors import ParseError
from core.parsing.flow import ParsedFile, Piece, Words
from core.parsing.inline import hidden_note, joined, safe_target, says_something
from core.parsing.rtf.pieces import Story, as_words
from core.parsing.rtf.tables import RowShape
from core.parsing.rtf.tokens import (
    CHARACTER_SETS,
    HYPERLINK,
    INFO,
    LITERALS,
    PAGE_FIELD,
    PLACES,
    READ_WHEN_STARRED,
    RUNNING,
    SIGNS,
    SILENT,
    SKIPPED,
    STORIES,
    SYMBOLS,
    Font,
    Style,
    Token,
    codec_of,
    day_of,
    tokens,
)
from core.parsing.word.symbols import in_font
from core.types import BlockKind

_RTF_MARK = b"{\\rtf"


def warm_up() -> None:
    """Load what is loaded late: codecs of code pages."""
    for page in (437, 850, 874, 932, 936, 949, 950, *range(1250, 1259), 1361, 10000):
        codecs.lookup(codec_of(page))


def read(data: bytes, name: str) -> ParsedFile:
    """The document's pieces. Raises ``ParseError`` where it is none."""
    start = data[:4096].find(_RTF_MARK)
    if start < 0:
        raise ParseError(f"{name} is no RTF document: it does not begin like one.", "Save it again as RTF.")
    reader = _Reader()
    for token in tokens(data[start:]):
        reader.take(token)
        if reader.is_done:
            break
    pieces = reader.finish()
    metadata = {key: words for key, words in ((key, " ".join(v.split())) for key, v in reader.info.items()) if words}
    return ParsedFile(
        pieces=pieces,
        title=metadata.pop("title", ""),
        metadata=metadata,
        notes=hidden_note(reader.hidden_words),
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds between two braces. ``place``: what text here is for, "" for the page.

    ``substitutes``: how many characters stand behind a Unicode one for older readers.
    """

    place: str = ""
    font: int | None = None
    substitutes: int = 1
    is_hidden: bool = False
    is_deleted: bool = False


@dataclass(slots=True)
class _Field:
    """A field of the text: the depth of braces it stands at, and its instruction."""

    depth: int
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class _Open:
    """A story being written: the depth of braces it ends at, what it is ("note", "box" ...), and its label."""

    story: Story
    depth: int = -1
    kind: str = ""
    label: str = ""


class _Reader:
    """Takes tokens. ``_open``: the stories being written, innermost last; notes and boxes are stories of their own."""

    def __init__(self) -> None:
        self.info: dict[str, str] = {}
        self.hidden_words = 0
        self.is_done = False
        self._group = _Group()
        self._outer: list[_Group] = []
        self._starred = False
        self._codec = "cp1252"
        self._default_font: int | None = None
        self._fonts: dict[int, Font] = {}
        self._styles: dict[int, Style] = {}
        self._entry = 0  # of the font table or the style sheet
        self._bytes = bytearray()
        self._units: list[int] = []
        self._to_skip = 0
        self._fields: list[_Field] = []
        self._open = [_Open(Story(self._styles))]
        self._running: dict[str, Piece] = {}
        self._notes = 0
        self._author = ""
        self._date = ""
        self._property = ""

    @property
    def _story(self) -> Story:
        return self._open[-1].story

    def finish(self) -> tuple[Piece, ...]:
        """What was read; stories still open, as in a file cut short, are closed."""
        self._flush()
        while len(self._open) > 1:
            self._end_story()
        return (*self._story.finish(), *self._running.values())

    def take(self, token: Token) -> None:
        kind, data = token.kind, token.data
        if kind in ("text", "code") or (kind == "symbol" and data in LITERALS):
            self._characters(data)
        elif data == b"u" and token.number is not None:
            self._unicode(token.number)
        else:
            self._flush()
            if kind == "open":
                self._outer.append(self._group)
                self._to_skip = 0
                self._entry = 0 if self._group.place == "style" else self._entry
            elif kind == "close":
                self._close()
            elif kind == "symbol":
                self._symbol(data)
            elif self._group.place != "skip":
                self._word(data, token.number)
        self._starred = kind == "symbol" and data == b"*"

    def _characters(self, data: bytes) -> None:
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        if self._group.place not in SILENT and len(data) > skipped:
            if self._units:
                self._flush()
            self._bytes += data[skipped:]

    def _unicode(self, number: int) -> None:
        self._to_skip = self._group.substitutes
        if self._group.place not in SILENT:
            if self._bytes:
                self._flush()
            self._units.append(number & 0xFFFF)

    def _flush(self) -> None:
        """Characters that have gathered become text: bytes by the font's code page, units as UTF-16."""
        font = self._fonts.get(-1 if self._group.font is None else self._group.font)
        if self._bytes:
            text = self._bytes.decode((font.codec if font else "") or self._codec, "replace")
            self._bytes.clear()
            self._put(in_font(text, font.name) if font and self._group.place != "font" else text)
        if self._units:
            units = b"".join(unit.to_bytes(2, "little") for unit in self._units)
            self._units.clear()
            self._put(in_font(units.decode("utf-16-le", "replace"), font.name if font else ""))

    def _put(self, text: str) -> None:
        """Text for whatever the group is for."""
        place = self._group.place
        if not text or place in SILENT:
            return
        if place == "":
            if self._group.is_hidden:
                self.hidden_words += len(text.split())
            elif not self._group.is_deleted:
                self._story.add(text, is_fixed=self._is_fixed())
        elif place == "marker":
            self._story.paragraph.marker = (self._story.paragraph.marker or "") + text.strip()
        elif place == "instruction" and self._fields:
            self._fields[-1].instruction += text
        elif place == "font":
            self._fonts.setdefault(self._entry, Font()).name += text.partition(";")[0]
        elif place == "style":
            self._styles.setdefault(self._entry, Style()).name += text.partition(";")[0]
        elif place == "author":
            self._author += text
        elif place == "date":
            self._date = day_of(text)
        elif place == "property":
            self._property = text.strip()
        elif place == "value":
            if self._property == "wzDescription" and says_something(text.strip()):
                self._story.put_aside(Piece(BlockKind.CAPTION, Words(text.strip())))
        elif place.startswith("info "):
            self.info[place[5:]] = self.info.get(place[5:], "") + text

    def _is_fixed(self) -> bool:
        number = self._group.font
        font = self._fonts.get(number) if number is not None and number != self._default_font else None
        return font is not None and font.is_fixed

    def _symbol(self, data: bytes) -> None:
        if data in (b"\r", b"\n"):
            self._word(b"par", None)
        else:
            self._put(SYMBOLS.get(data, ""))

    def _close(self) -> None:
        self._to_skip = 0
        if not self._outer:
            return
        self._group = self._outer.pop()
        depth = len(self._outer)
        while self._fields and depth <= self._fields[-1].depth:
            self._fields.pop()
            self._story.inline.close_link()
        while len(self._open) > 1 and depth <= self._open[-1].depth:
            self._end_story()
        self.is_done = depth == 0

    def _word(self, word: bytes, number: int | None) -> None:
        place = self._group.place
        if word in SKIPPED or (self._starred and word not in READ_WHEN_STARRED):
            self._group = replace(self._group, place="skip")
        elif word in STORIES or word in RUNNING:
            self._begin_story("running" if word in RUNNING else STORIES[word])
        elif word in PLACES:
            self._group = replace(self._group, place=PLACES[word])
        elif place in ("font", "style"):
            self._note_entry(word, number)
        elif place == "info" and word in INFO:
            self._group = replace(self._group, place=f"info {INFO[word]}")
        elif place in ("created", "modified"):
            self._note_date(place, word, number)
        elif place == "nested row":
            if word == b"nestrow":
                self._story.add("\n")
        elif word == b"field":
            self._fields.append(_Field(len(self._outer) - 1))
        elif word == b"fldrslt" and self._fields:
            self._begin_result(self._fields[-1].instruction)
        elif word in SIGNS:
            self._put(SIGNS[word])
        elif not self._set_character(word, number) and place == "":
            self._set_paragraph(word, number)

    def _note_entry(self, word: bytes, number: int | None) -> None:
        """A word of the font table or the style sheet."""
        if self._group.place == "font":
            if word == b"f":
                self._entry = number or 0
            self._fonts.setdefault(self._entry, Font()).note(word, number)
        elif word == b"s":
            self._entry = number or 0
        elif word == b"outlinelevel":
            self._styles.setdefault(self._entry, Style()).outline = number or 0

    def _note_date(self, place: str, word: bytes, number: int | None) -> None:
        if word in (b"yr", b"mo", b"dy") and number:
            before = self.info.get(place, "")
            self.info[place] = f"{before}-{number:02d}" if before else f"{number:04d}"

    def _begin_result(self, instruction: str) -> None:
        found = HYPERLINK.match(instruction)
        if PAGE_FIELD.match(instruction):
            self._group = replace(self._group, place="skip")
        elif found:
            target = found["quoted"] or found["bare"] or ""
            self._story.inline.open_link(safe_target(f"#{target}" if found["local"] else target))

    def _set_character(self, word: bytes, number: int | None) -> bool:
        """Take in a word about characters or the whole document; false where it is about neither."""
        if word == b"f":
            self._group = replace(self._group, font=number or 0)
        elif word == b"plain":
            self._group = replace(self._group, font=self._default_font, is_hidden=False)
        elif word == b"v":
            self._group = replace(self._group, is_hidden=number != 0)
        elif word == b"deleted":
            self._group = replace(self._group, is_deleted=number != 0)
        elif word == b"uc":
            self._group = replace(self._group, substitutes=max(0, number or 0))
        elif word == b"ansicpg" and number:
            self._codec = codec_of(number)
        elif word in CHARACTER_SETS:
            self._codec = CHARACTER_SETS[word]
        elif word == b"deff":
            self._default_font = number or 0
            self._group = replace(self._group, font=self._default_font)
        else:
            return False
        return True

    def _set_paragraph(self, word: bytes, number: int | None) -> None:
        story, paragraph = self._story, self._story.paragraph
        if word in (b"par", b"sect"):
            story.end_paragraph()
        elif word == b"cell":
            story.end_cell()
        elif word == b"row":
            story.end_row()
        elif word in (b"nestcell", b"nestrow"):
            story.add("\n")
        elif word == b"pard":
            story.reset()
        elif word == b"intbl":
            paragraph.in_table = True
        elif word == b"s":
            paragraph.style = number or 0
        elif word == b"outlinelevel":
            paragraph.outline = number or 0
        elif word == b"ilvl":
            paragraph.depth = number or 0
        elif word == b"li":
            paragraph.indent = number or 0
        elif word == b"fi":
            paragraph.first_line = number or 0
        elif word == b"trowd":
            story.shape = RowShape()
        elif story.shape is not None:
            story.shape.note(word, number)

    def _begin_story(self, kind: str) -> None:
        label = ""
        if kind == "note":
            self._notes += 1
            label = f"[{self._notes}]"
            self._story.add(label)
        self._open.append(_Open(Story(self._styles), len(self._outer) - 1, kind, label))
        self._group = replace(self._group, place="")

    def _end_story(self) -> None:
        done = self._open.pop()
        pieces = done.story.finish()
        if done.kind == "box":
            for piece in pieces:
                self._story.put_aside(piece)
            return
        words = as_words(pieces)
        said = " ".join(words.text.split())
        if done.kind == "running":
            if any(map(str.isalnum, said)):
                self._running.setdefault(said, Piece(BlockKind.FURNITURE, words))
        elif said:
            label = done.label or self._comment_head()
            self._story.put_aside(Piece(BlockKind.FOOTNOTE, joined([Words(label), words], " ")))

    def _comment_head(self) -> str:
        author, day = self._author.strip(), self._date
        self._author = self._date = ""
        return f"Comment{f' by {author}' if author else ''}{f', {day}' if day else ''}:"
