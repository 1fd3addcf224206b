"""Pandoc's syntax tree (its JSON, pandoc-types 1.23) to pieces, for reStructuredText, Org and OpenDocument.

The tree keeps what its HTML would lose: the form of list numbers, every field of metadata, where a note stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.errors import ParseError
from core.parsing.flow import Item, ParsedFile, Piece, TableCell, Words
from core.parsing.html.reader import read as read_html
from core.parsing.inline import Inline, joined, linked, safe_target, says_something, stands_beside
from core.parsing.kinds import LANGUAGES
from core.text.numerals import numeral
from core.types import BlockKind

Tree = Any  # JSON
_STYLES = {
    "LowerRoman": "lower-roman",
    "UpperRoman": "upper-roman",
    "LowerAlpha": "lower-alpha",
    "UpperAlpha": "upper-alpha",
}
_DELIMITERS = {"OneParen": "{})", "TwoParens": "({})"}
_METADATA = {"date": "created", "abstract": "description", "lang": "language"}
_KEPT_RAW = frozenset({"html", "html5", "html4"})
_QUOTES = {"SingleQuote": ("‘", "’"), "DoubleQuote": ("“", "”")}


def read(data: bytes, name: str) -> ParsedFile:
    """Pieces of a document from pandoc's JSON. Raises ``ParseError`` for a tree nested too deeply to follow."""
    try:
        tree = json.loads(data)
        walker = _Walker()
        walker.front(tree["meta"])
        walker.blocks(tree["blocks"])
        walker.end_list()
    except RecursionError:
        raise ParseError(f"{name} is nested too deeply to be read.", "Flatten its lists or quotes.") from None
    stated = {key: " ".join(_text(value).split()) for key, value in tree["meta"].items()}
    title = stated.pop("title", "")
    stated["date"] = stated.get("date", "").strip("<>[]")
    return ParsedFile(
        pieces=tuple(walker.pieces),
        title=title,
        metadata={_METADATA.get(key, key): value for key, value in stated.items() if value},
    )


class _Walker:
    """``pieces``: what is done. ``_items``: of the list being read, ``_depth`` at least 0 inside it.

    One with an ``outer`` walker reads what becomes one run of words there; its notes are the outer one's to place.
    """

    def __init__(self, outer: _Walker | None = None) -> None:
        self.pieces: list[Piece] = []
        self._items: list[Item] = []
        self._depth = -1
        self._marker: str | None = None
        self._joins = False
        self._kind = BlockKind.PARAGRAPH
        self._is_inner = outer is not None
        self._notes: list[tuple[int, Tree]] = outer._notes if outer else []
        self._note_numbers: dict[str, int] = outer._note_numbers if outer else {}
        self._deeper = 0
        self._pictures: list[tuple[str, str]] = []

    def front(self, meta: Tree) -> None:
        """The title and subtitle as headings, as a reader of the page sees them."""
        for level, key in enumerate(("title", "subtitle"), start=1):
            found = meta.get(key, {})
            if found.get("t") == "MetaInlines":
                self._emit(Piece(BlockKind.HEADING, self._words(found["c"]), level=level))
        self._deeper = 1 if self.pieces else 0

    def blocks(self, blocks: Sequence[Tree]) -> None:
        for block in blocks:
            self._block(block["t"], block.get("c"))

    def end_list(self) -> None:
        """What is left of a list becomes a piece."""
        if self._items:
            items, self._items, self._joins = tuple(self._items), [], False
            self.pieces.append(Piece(BlockKind.LIST, items=items))

    def _block(self, kind: str, content: Tree) -> None:
        if kind in ("Plain", "Para"):
            self._flow(self._words(content))
        elif kind == "LineBlock":
            self._flow(joined([self._words(line) for line in content], "\n"))
        elif kind == "Header":
            level, (_identity, _classes, properties), inlines = content
            self._emit(Piece(BlockKind.HEADING, self._words(inlines), level=level + self._deeper))
            if properties:  # an Org heading's drawer
                self._flow(Words("\n".join(f"{key}: {value}" for key, value in properties)))
        elif kind == "CodeBlock":
            self._emit(Piece(BlockKind.CODE, Words(content[1]), language=_language(content[0])))
        elif kind == "BlockQuote":
            before, self._kind = self._kind, BlockKind.QUOTE
            self.blocks(content)
            self._kind = before
        elif kind == "BulletList":
            self._list(content, ("-" for _ in content))
        elif kind == "OrderedList":
            (start, style, delimiter), items = content
            self._list(items, _markers(start, style["t"], delimiter["t"]))
        elif kind == "DefinitionList":
            self._definitions(content)
        elif kind == "Table":
            self._table(content)
        elif kind == "Div":
            self.blocks(content[1])
        elif kind == "Figure":
            _attributes, (_short, caption), inner = content
            self.blocks(inner)
            self._captions(caption)
        elif kind == "RawBlock":
            self._raw(*content)

    def _flow(self, words: Words) -> None:
        pictures, self._pictures = self._pictures, []
        said = [linked(text, target) for text, target in pictures if not stands_beside(text, words.text)]
        if self._depth >= 0:
            parts = [part for part in (words, *said) if part.text.strip()]
            if parts:
                self._add_to_item(joined(parts, " "))
            return
        if words.text.strip():
            self._emit(Piece(self._kind, words))
        for caption in said:
            self._emit(Piece(BlockKind.CAPTION, caption))

    def _emit(self, piece: Piece) -> None:
        self.end_list()
        self.pieces.append(piece)
        self._put_notes()

    def _put_notes(self) -> None:
        while self._notes and not self._is_inner:
            number, blocks = self._notes.pop(0)
            words = self._flat(blocks)
            self.pieces.append(Piece(BlockKind.FOOTNOTE, joined([Words(f"[{number}]"), words], " ")))

    def _note_number(self, blocks: Tree) -> int:
        """A note's number; it is due behind this block, unless an earlier mark has brought it along."""
        written = json.dumps(blocks)
        if written not in self._note_numbers:
            self._note_numbers[written] = len(self._note_numbers) + 1
            self._notes.append((self._note_numbers[written], blocks))
        return self._note_numbers[written]

    def _list(self, items: Sequence[Sequence[Tree]], markers: Iterator[str]) -> None:
        before = self._marker
        self._depth += 1
        for item in items:
            self._marker, self._joins = next(markers), False
            self.blocks(item)
        self._depth -= 1
        self._marker, self._joins = before, False
        if self._depth < 0:
            self.end_list()
            self._put_notes()

    def _definitions(self, entries: Sequence[tuple[Tree, Sequence[Sequence[Tree]]]]) -> None:
        before = self._marker
        self._depth += 1
        for term, definitions in entries:
            self._marker, self._joins = "", False
            self._flow(self._words(term))
            self._depth += 1
            for definition in definitions:
                self._marker, self._joins = "", False
                self.blocks(definition)
            self._depth -= 1
        self._depth -= 1
        self._marker, self._joins = before, False
        if self._depth < 0:
            self.end_list()
            self._put_notes()

    def _add_to_item(self, words: Words) -> None:
        if self._marker is None and self._joins and self._items:
            last = self._items[-1]
            self._items[-1] = replace(last, words=joined([last.words, words], "\n"))
        else:
            self._items.append(Item(words, self._marker or "", self._depth))
            self._marker, self._joins = None, True

    def _captions(self, blocks: Sequence[Tree]) -> None:
        words = self._flat(blocks)
        if words.text.strip():
            self._emit(Piece(BlockKind.CAPTION, words))

    def _table(self, content: Tree) -> None:
        _attributes, (_short, caption), columns, (_head, head), bodies, (_foot, foot) = content
        self._captions(caption)
        rows = [(row, True) for row in head]
        for _body, _row_heads, inner_head, body in bodies:
            rows += [(row, False) for row in (*inner_head, *body)]
        rows += [(row, False) for row in foot]
        grid = self._grid(rows, len(columns))
        self._emit(Piece(BlockKind.TABLE, rows=grid, header_rows=len(head)))

    def _grid(self, rows: Sequence[tuple[Tree, bool]], width: int) -> tuple[tuple[TableCell, ...], ...]:
        """Cells by row and column, merged ones in every place they cover."""
        placed: list[dict[int, TableCell]] = [{} for _ in rows]
        for number, ((_attributes, cells), is_head) in enumerate(rows):
            column = 0
            for _cell, _alignment, down, across, blocks in cells:
                while column in placed[number]:
                    column += 1
                cell = TableCell(self._flat(blocks), header=is_head)
                for below in range(number, min(len(rows), number + down)):
                    for beside in range(column, min(width, column + across)):
                        placed[below].setdefault(beside, cell)
                column += across
        empty = TableCell(Words(""))
        return tuple(tuple(row.get(column, empty) for column in range(width)) for row in placed)

    def _raw(self, form: str, text: str) -> None:
        if form in _KEPT_RAW and text.strip():
            for piece in read_html(text.encode(), "raw.html").pieces:
                self._emit(piece)

    def _flat(self, blocks: Sequence[Tree]) -> Words:
        """All words of blocks as one run; a block is a line."""
        inner = _Walker(self)
        inner.blocks(blocks)
        inner.end_list()
        return joined([_words_of(piece) for piece in inner.pieces] or [Words("")], "\n")

    def _words(self, inlines: Sequence[Tree]) -> Words:
        inline = Inline()
        self._inlines(inlines, inline)
        return inline.take() or Words("")

    def _inlines(self, inlines: Sequence[Tree], inline: Inline) -> None:
        for element in inlines:
            self._inline(element["t"], element.get("c"), inline)

    def _inline(self, kind: str, content: Tree, inline: Inline) -> None:
        if kind == "Str":
            inline.add(content)
        elif kind in ("Space", "SoftBreak"):
            inline.add(" ")
        elif kind == "LineBreak":
            inline.add("\n")
        elif kind in ("Code", "Math"):
            inline.add(content[1])
        elif kind == "Link":
            inline.open_link(safe_target(content[2][0]))
            self._inlines(content[1], inline)
            inline.close_link()
        elif kind == "Image":
            said = " ".join(_text(content[1]).split())
            if says_something(said):
                self._pictures.append((said, inline.target))
        elif kind == "Note":
            inline.add(f"[{self._note_number(content)}]")
        elif kind == "Quoted":
            opening, closing = _QUOTES[content[0]["t"]]
            inline.add(opening)
            self._inlines(content[1], inline)
            inline.add(closing)
        elif kind in ("Span", "Cite"):
            self._inlines(content[1], inline)
        elif kind == "RawInline":
            if content[0] in _KEPT_RAW and content[1].strip():
                inline.add(" ".join(piece.words.text for piece in read_html(content[1].encode(), "raw.html").pieces))
        else:  # Emph, Strong, Underline, Strikeout, Superscript, Subscript, SmallCaps
            self._inlines(content, inline)


def _markers(start: int, style: str, delimiter: str) -> Iterator[str]:
    form = _DELIMITERS.get(delimiter, "{}.")
    while True:
        yield form.format(numeral(start, _STYLES.get(style, "decimal")))
        start += 1


def _words_of(piece: Piece) -> Words:
    if piece.kind is BlockKind.LIST:
        return joined([joined([Words(item.marker), item.words], " ") for item in piece.items], "\n")
    if piece.kind is BlockKind.TABLE:
        return joined([cell.words for row in piece.rows for cell in row] or [Words("")], " ")
    return piece.words


def _language(attributes: Tree) -> str:
    stated = (attributes[1] or [""])[0].lower()
    return LANGUAGES.get(stated, "" if stated in ("default", "text", "none", "literate", "example") else stated)


def _text(value: Tree) -> str:
    """All words of metadata or inlines."""
    if isinstance(value, list):
        return "".join(map(_text, value))
    if not isinstance(value, dict):
        return ""
    kind: str = value.get("t", "")
    content: Tree = value.get("c", "")
    if kind in ("Str", "MetaString"):
        return str(content)
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if kind in ("Code", "Math"):
        return str(content[1])
    if kind in ("MetaList", "MetaMap"):
        return ", ".join(map(_text, content.values() if kind == "MetaMap" else content))
    return f"{_text(content)} " if kind in ("Para", "Plain") else _text(content)
