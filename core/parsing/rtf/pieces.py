"""One run of RTF text on its way to pieces: paragraphs, list items, table rows, and what stands aside of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.parsing.flow import Item, Piece, Words
from core.parsing.inline import Inline, joined
from core.parsing.rtf.tables import Row, RowShape, table_piece
from core.parsing.rtf.tokens import Style
from core.types import BlockKind

_BODY_TEXT = 9  # the outline level of no heading
_HEADING = re.compile(r"heading (\d)")
_TITLES = {"title": 1, "subtitle": 2, "toc heading": 1}
_ROLES = {
    "quote": BlockKind.QUOTE,
    "intense quote": BlockKind.QUOTE,
    "quotations": BlockKind.QUOTE,
    "caption": BlockKind.CAPTION,
    "preformatted text": BlockKind.CODE,
    "html preformatted": BlockKind.CODE,
    "source code": BlockKind.CODE,
}
_MOST_CODE_SHARE = 0.5  # above it a fixed-pitch font is the document's own, and says nothing
_MAX_DEPTH = 8
_TYPED_MARKER = re.compile(r"\s*([•·▪◦–-]|\(?[0-9A-Za-z]{1,4}[.)]) ?\t\s*")  # in a hanging line, by other programs
_INDENT_STEP = 360  # twips, the usual one


@dataclass(slots=True)
class Paragraph:
    """A paragraph's properties. ``marker``: its number or bullet as the writer put it there, ``None`` outside lists.

    ``indent`` and ``first_line``: in twips, the latter from the former; below 0 the first line hangs.
    """

    style: int = 0
    outline: int | None = None
    depth: int = 0
    in_table: bool = False
    marker: str | None = None
    indent: int = 0
    first_line: int = 0


@dataclass(slots=True)
class Story:
    """The document's text, or that of a note, a header, a box. Pieces put aside follow the block they are in.

    ``_fixed``: places of pieces whose words are all in a fixed-pitch font.
    """

    styles: Mapping[int, Style]
    paragraph: Paragraph = field(default_factory=Paragraph)
    shape: RowShape | None = None
    inline: Inline = field(default_factory=Inline)
    _pieces: list[Piece] = field(default_factory=list)
    _items: list[Item] = field(default_factory=list)
    _cell: list[Words] = field(default_factory=list)
    _cells: list[Words] = field(default_factory=list)
    _rows: list[Row] = field(default_factory=list)
    _aside: list[Piece] = field(default_factory=list)
    _all_fixed: bool = True
    _fixed: set[int] = field(default_factory=set)

    def add(self, text: str, *, is_fixed: bool = False) -> None:
        """Words of the current paragraph."""
        self.inline.add(text)
        self._all_fixed = self._all_fixed and (is_fixed or not text.strip())

    def put_aside(self, piece: Piece) -> None:
        """A piece for behind the block that is being written."""
        self._aside.append(piece)

    def reset(self) -> None:
        """``\\\\pard``: the properties of a plain paragraph. Its marker may stand before or behind this word."""
        self.paragraph = Paragraph(marker=self.paragraph.marker)

    def end_paragraph(self) -> None:
        """``\\\\par``"""
        words, is_fixed = self.inline.take(), self._all_fixed
        self._all_fixed = True
        if self.paragraph.in_table:
            self._cell += [words] if words else []
            self.paragraph.marker = None
            return
        self._end_table()
        if words:
            self._block(words, is_fixed)
        self.paragraph.marker = None
        if not self._items:
            self._put_aside()

    def end_cell(self) -> None:
        """``\\\\cell``"""
        words = self.inline.take()
        marker, self.paragraph.marker = self.paragraph.marker, None
        self._cell += [_labelled(marker or "", words)] if words else []
        self._cells.append(joined(self._cell or [Words("")], "\n"))
        self._cell, self._all_fixed = [], True

    def end_row(self) -> None:
        """``\\\\row``"""
        if self._cells:
            self._end_list()
            self._rows.append(Row(tuple(self._cells), self.shape or RowShape()))
            self._cells = []

    def finish(self) -> tuple[Piece, ...]:
        """All pieces, the open paragraph and table closed."""
        self.paragraph.in_table = False
        if self._cell:
            self.end_cell()
        self.end_row()
        self.end_paragraph()
        self._end_list()
        self._end_table()
        self._put_aside()
        return tuple(self._with_code())

    def _block(self, words: Words, is_fixed: bool) -> None:
        style = self.styles.get(self.paragraph.style, Style())
        level = self._level(style)
        marker = self.paragraph.marker
        if marker is None and self.paragraph.first_line < 0 and (typed := _TYPED_MARKER.match(words.text)):
            marker, words = typed[1], _without(words, typed.end())
            self.paragraph.depth = max(0, self.paragraph.indent // _INDENT_STEP - 1)
        if level:
            self._end_list()
            label = marker if marker and any(map(str.isalnum, marker)) else ""
            self._pieces.append(Piece(BlockKind.HEADING, _labelled(label, words), level=level))
        elif marker is not None:
            shown = marker if any(map(str.isalnum, marker)) else "-"
            self._items.append(Item(words, shown, max(0, min(_MAX_DEPTH, self.paragraph.depth))))
        else:
            self._end_list()
            kind = _ROLES.get(style.name.lower(), BlockKind.PARAGRAPH)
            if (is_fixed and kind is BlockKind.PARAGRAPH) or kind is BlockKind.CODE:
                self._fixed.add(len(self._pieces))
            self._pieces.append(Piece(kind, words))

    def _level(self, style: Style) -> int:
        """The paragraph's level as a heading, 0 when it is none."""
        name = style.name.lower()
        if name in _TITLES:
            return _TITLES[name]
        outline = style.outline if self.paragraph.outline is None else self.paragraph.outline
        if outline is not None:
            return outline + 1 if 0 <= outline < _BODY_TEXT else 0
        found = _HEADING.match(name)
        return int(found[1]) if found else 0

    def _end_list(self) -> None:
        if self._items:
            self._pieces.append(Piece(BlockKind.LIST, items=tuple(self._items)))
            self._items = []
            self._put_aside()

    def _end_table(self) -> None:
        if self._rows:
            self._pieces.append(table_piece(self._rows))
            self._rows = []
            self._put_aside()

    def _put_aside(self) -> None:
        self._pieces += self._aside
        self._aside = []

    def _with_code(self) -> list[Piece]:
        """The pieces, those in a fixed-pitch font as code, its lines one block."""
        everything = sum(len(piece.words.text) for piece in self._pieces)
        fixed = sum(len(self._pieces[place].words.text) for place in self._fixed)
        if fixed > _MOST_CODE_SHARE * everything:
            return [
                replace(piece, kind=BlockKind.PARAGRAPH) if place in self._fixed else piece
                for place, piece in enumerate(self._pieces)
            ]
        found: list[Piece] = []
        runs: list[str] = []
        for place, piece in enumerate(self._pieces):
            if place in self._fixed:
                runs.append(piece.words.text)
                continue
            if runs:
                found.append(Piece(BlockKind.CODE, Words("\n".join(runs))))
                runs = []
            found.append(piece)
        return [*found, Piece(BlockKind.CODE, Words("\n".join(runs)))] if runs else found


def _without(words: Words, start: int) -> Words:
    """The words from ``start`` on."""
    links = tuple((max(0, a - start), b - start, target) for a, b, target in words.links if b > start)
    return Words(words.text[start:], links)


def _labelled(label: str, words: Words) -> Words:
    return joined([Words(label), words], " ") if label else words


def as_words(pieces: tuple[Piece, ...]) -> Words:
    """Pieces as one run of words, a block a line."""
    lines: list[Words] = []
    for piece in pieces:
        if piece.kind is BlockKind.LIST:
            lines += [_labelled(item.marker, item.words) for item in piece.items]
        elif piece.kind is BlockKind.TABLE:
            lines += [cell.words for row in piece.rows for cell in row]
        else:
            lines.append(piece.words)
    return joined(lines or [Words("")], "\n")
