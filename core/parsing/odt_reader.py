"""OpenDocument text (.odt, flat .fodt) to pieces: what LibreOffice shows, its computed numbers included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.parsing.flow import Item, Piece, Reading, Words
from core.parsing.inline import Inline, hidden_note, joined, says_something, stands_beside
from core.parsing.ods_drawings import chart_pieces
from core.parsing.odt_package import OpenDocument
from core.parsing.odt_running import running_lines
from core.parsing.odt_styles import BULLET, TEXT, Numbering, Styles
from core.parsing.odt_tables import Allowance, table_rows
from core.parsing.odt_text import XLINK, Anchored, children, gather, local_name, plain_text
from core.types import BlockKind

Element = Any  # lxml's elements come without types
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_CREATOR, _DATE = "{http://purl.org/dc/elements/1.1/}creator", "{http://purl.org/dc/elements/1.1/}date"
_KINDS = {"quote": BlockKind.QUOTE, "caption": BlockKind.CAPTION, "code": BlockKind.CODE}
_TITLES = {"title": 1, "subtitle": 2}
_DESCRIPTIONS = frozenset({"desc", "title"})
_SOURCES = frozenset(
    "table-of-content-source illustration-index-source table-index-source object-index-source user-index-source "
    "alphabetical-index-source bibliography-source".split()
)
_UNSEEN = frozenset("tracked-changes forms sequence-decls variable-decls user-field-decls dde-connection-decls".split())
_MAX_DEPTH = 60


def read(data: bytes, name: str) -> Reading:
    """The document's pieces. Raises ``ParseError``."""
    document = OpenDocument(data, name)
    styles = Styles()
    for root in (document.styles, document.content):
        if root is not None:
            styles.add(root)
    walker = _Walker(document, styles, Allowance(name))
    for body in document.content.iterfind(f"{_OFFICE}body/{_OFFICE}text"):
        walker.blocks(body, 0)
    walker.finish()
    lines = running_lines(document, styles)
    metadata = document.metadata()
    return Reading(
        pieces=(*walker.pieces, *(Piece(BlockKind.FURNITURE, words) for words in lines)),
        title=metadata.pop("title", ""),
        metadata=metadata,
        notes=hidden_note(walker.hidden_words),
    )


@dataclass(slots=True)
class _List:
    """A list being read: its numbers, and the level and marker of the item whose words come next."""

    numbering: Numbering
    level: int
    marker: str | None = None
    joins: bool = False


class _Walker:
    """``pieces``: what is done. ``_items``: of the list being read; ``_list``: where in it, ``None`` outside."""

    def __init__(self, document: OpenDocument, styles: Styles, allowance: Allowance) -> None:
        self.pieces: list[Piece] = []
        self.hidden_words = 0
        self._document = document
        self._styles = styles
        self._allowance = allowance
        self._headings = Numbering(styles.outline)
        self._numberings: dict[str, Numbering] = {}
        self._last_of_style: dict[str, Numbering] = {}
        self._items: list[tuple[list[Words], str, int]] = []
        self._list: _List | None = None
        self._notes: list[tuple[str, Element]] = []
        self._is_inner = False
        self._told: set[int] = set()  # places of pictures' descriptions

    def blocks(self, holder: Element, depth: int) -> None:
        for name, child in children(holder):
            self._block(name, child, depth)

    def finish(self) -> None:
        """End the last list, and let go of descriptions that only say what stands beside them."""
        self.end_list()
        said = ["", *(piece.words.text for piece in self.pieces), ""]
        self.pieces = [
            piece
            for place, piece in enumerate(self.pieces)
            if place not in self._told or not stands_beside(piece.words.text, f"{said[place]}\n{said[place + 2]}")
        ]

    def end_list(self) -> None:
        """What is left of a list becomes a piece."""
        if self._items:
            items = tuple(Item(joined(parts, "\n"), marker, level) for parts, marker, level in self._items)
            self._items = []
            self.pieces.append(Piece(BlockKind.LIST, items=items))
        if self._list is None:
            self._put_notes()

    def _block(self, name: str, element: Element, depth: int) -> None:
        if name in _UNSEEN or name in _SOURCES:
            return
        if depth > _MAX_DEPTH:
            self._flow(Words(plain_text(element)))
        elif name in ("p", "h"):
            self._paragraph(name, element, depth)
        elif name == "list":
            self._read_list(element, depth)
        elif name == "table":
            rows, heads = table_rows(element, self._cell_words, self._allowance)
            self._emit(Piece(BlockKind.TABLE, rows=rows, header_rows=heads))
        elif f"{_DRAW}{name}" == element.tag:
            self._shape(element, depth)
        elif name == "section" and self._is_hidden("section", element):
            self.hidden_words += len(plain_text(element).split())
        else:  # sections, indexes and their bodies, numbered paragraphs, text boxes
            self.blocks(element, depth + 1)

    def _is_hidden(self, family: str, element: Element) -> bool:
        look = self._styles.look(family, element.get(f"{TEXT}style-name", ""))
        return look.is_hidden or element.get(f"{TEXT}display") == "none"

    def _paragraph(self, name: str, element: Element, depth: int) -> None:
        look = self._styles.look("paragraph", element.get(f"{TEXT}style-name", ""))
        if look.is_hidden:
            self.hidden_words += len(plain_text(element).split() or "".join(element.itertext()).split())
            return
        is_code = name == "p" and (look.role == "code" or (look.is_monospaced and not look.role))
        inline, anchored = Inline(), Anchored()
        gather(element, self._styles, inline, anchored, verbatim=is_code)
        words = inline.take()
        self._notes += anchored.notes
        self.hidden_words += anchored.hidden_words
        if name == "h":
            self._heading(element, words)
        elif words and look.role in _TITLES and self._list is None:
            self._emit(Piece(BlockKind.HEADING, words, level=_TITLES[look.role]))
        elif is_code and self._list is None:
            self._code(words)
        elif words:
            self._flow(words, _KINDS.get(look.role, BlockKind.PARAGRAPH))
        if self._list is None:
            self._put_notes()
        for shape in anchored.shapes:
            self._shape(shape, depth + 1)

    def _flow(self, words: Words, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        """Words as a block of their own or, inside a list, as an item's."""
        place = self._list
        if place is None:
            self._emit(Piece(kind, words))
        elif place.marker is None and place.joins and self._items:
            self._items[-1][0].append(words)
        else:
            self._items.append(([words], place.marker or "", place.level - 1))
            place.marker, place.joins = None, True

    def _heading(self, element: Element, words: Words | None) -> None:
        level = element.get(f"{TEXT}outline-level", "1")
        deep = int(level) if level.isdecimal() and len(level) < 3 else 1
        label = ""
        if self._list is not None and self._list.marker is not None:
            label, self._list.marker = self._list.marker, None  # a numbered list gives the heading its number
        elif element.get(f"{TEXT}is-list-header") != "true" and words:
            start = element.get(f"{TEXT}start-value", "")
            restarts = element.get(f"{TEXT}restart-numbering") == "true" or start.isdecimal()
            label = self._headings.next(deep, int(start or 1) if restarts else None)
        if words:
            label = "" if label == BULLET else label
            self._emit(Piece(BlockKind.HEADING, joined([Words(label), words], " ") if label else words, level=deep))

    def _code(self, words: Words | None) -> None:
        """A line of code; lines that follow each other are one block, blank ones between them too."""
        last = self.pieces[-1] if self.pieces and not self._items else None
        if last is not None and last.kind is BlockKind.CODE:
            text = words.text if words else ""
            self.pieces[-1] = Piece(BlockKind.CODE, Words(f"{last.words.text}\n{text}"))
        elif words:
            self._emit(Piece(BlockKind.CODE, Words(words.text)))

    def _read_list(self, element: Element, depth: int) -> None:
        outer = self._list
        level = outer.level + 1 if outer else 1
        numbering = self._numbering(element, outer, level)
        self._list = _List(numbering, level)
        for name, item in children(element):
            if name not in ("list-item", "list-header"):
                continue
            self._list.joins = False
            start = item.get(f"{TEXT}start-value", "")
            # An item that holds nothing but an inner list shows no marker and takes no number.
            holds_words = any(kind in ("p", "h") for kind, _ in children(item))
            if name == "list-header" or not holds_words:
                self._list.marker = "" if name == "list-header" else None
            else:
                self._list.marker = numbering.next(level, int(start) if start.isdecimal() else None)
            self.blocks(item, depth + 1)
        self._list = outer
        if outer is not None:
            outer.joins = False
        else:
            self.end_list()

    def _numbering(self, element: Element, outer: _List | None, level: int) -> Numbering:
        """The numbers a list counts with: its parent's, those of the list it continues, or its own."""
        style = element.get(f"{TEXT}style-name", "")
        if outer is not None and (not style or self._styles.lists.get(style) is outer.numbering.levels):
            return outer.numbering
        continued = self._numberings.get(element.get(f"{TEXT}continue-list", ""))
        if continued is None and element.get(f"{TEXT}continue-numbering") == "true":
            continued = self._last_of_style.get(style)
        numbering = continued or Numbering(self._styles.lists.get(style, {}))
        self._last_of_style[style] = numbering
        identity = element.get("{http://www.w3.org/XML/1998/namespace}id")
        if identity:
            self._numberings[identity] = numbering
        return numbering

    def _emit(self, piece: Piece) -> None:
        outer, self._list = self._list, self._list or _List(Numbering({}), 0)
        self.end_list()  # without the notes, which belong behind what comes now
        self._list = outer
        if outer is not None:
            outer.joins = False
        self.pieces.append(piece)

    def _cell_words(self, cell: Element) -> Words:
        """All words of a table's cell as one run."""
        inner = _Walker(self._document, self._styles, self._allowance)
        inner._notes, inner._is_inner = self._notes, True
        inner._list = _List(Numbering({}), 0)  # its paragraphs are lines; notes wait for the table's end
        inner.blocks(cell, 1)
        inner.end_list()
        self.hidden_words += inner.hidden_words
        return joined([_run(piece) for piece in inner.pieces] or [Words("")], "\n")

    def _shape(self, shape: Element, depth: int) -> None:
        """A text box at the place of its anchor; of a picture its description, of a chart its data."""
        if depth > _MAX_DEPTH:
            return
        outer, self._list = self._list, None
        pieces = len(self.pieces)
        if outer is not None:
            self.end_list()
        for name, child in children(shape):
            if name == "object":
                self._object(child)
            elif name in ("p", "h", "list", "table"):
                self._block(name, child, depth + 1)
            elif name == "text-box":
                self.blocks(child, depth + 1)
            elif child.tag.startswith(_DRAW) and name not in ("image", "object-ole", "plugin", "applet"):
                self._shape(child, depth + 1)
        if len(self.pieces) == pieces:
            stated = [" ".join((child.text or "").split()) for name, child in children(shape) if name in _DESCRIPTIONS]
            told = next(filter(says_something, stated), "")
            if told:
                self._emit(Piece(BlockKind.CAPTION, Words(told)))
                self._told.add(len(self.pieces) - 1)
        self._list = outer

    def _object(self, element: Element) -> None:
        root = self._document.object(element.get(f"{XLINK}href", ""))
        inner = root if root is not None else element
        if local_name(inner) == "math" or inner.find("{http://www.w3.org/1998/Math/MathML}math") is not None:
            self._emit(Piece(BlockKind.PARAGRAPH, Words(" ".join(_formula(inner)))))
            return
        for piece in chart_pieces(inner):
            self._emit(piece)

    def _put_notes(self) -> None:
        while self._notes and not self._is_inner:
            label, note = self._notes.pop(0)
            head = f"[{label}]" if label else _comment_head(note)
            body = note.find(f"{TEXT}note-body") if label else note
            words = self._cell_words(body) if body is not None else Words("")
            self.pieces.append(Piece(BlockKind.FOOTNOTE, joined([Words(head), words], " ")))


def _comment_head(annotation: Element) -> str:
    author = (annotation.findtext(_CREATOR) or "").strip()
    day = (annotation.findtext(_DATE) or "").strip()[:10]
    return f"Comment{f' by {author}' if author else ''}{f', {day}' if day else ''}:"


def _run(piece: Piece) -> Words:
    """A piece as part of a run of words."""
    if piece.kind is BlockKind.LIST:
        return joined([joined([Words(item.marker), item.words], " ") for item in piece.items], "\n")
    if piece.kind is BlockKind.TABLE:
        return joined([cell.words for row in piece.rows for cell in row] or [Words("")], " ")
    return piece.words


def _formula(root: Element) -> Iterator[str]:
    """A formula's signs in the order they are written; its source is left out."""
    for part in root.iter("{http://www.w3.org/1998/Math/MathML}*"):
        if part.text and part.text.strip() and local_name(part) != "annotation":
            yield part.text.strip()
