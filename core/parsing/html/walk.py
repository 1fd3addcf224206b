"""Converts the tree of a page into pieces in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import repeat

from core.parsing.flow import Item, Piece, Words
from core.parsing.html.code import code_text, stated_language
from core.parsing.html.lists import BULLET, LISTS, bulleted, is_marker, items_of, markers
from core.parsing.html.looks import looks_within, sheet_edge, with_headings, without_running_lines
from core.parsing.html.tables import Grid, Table, grid, header_rows, is_layout, is_line_of_cells, table_of
from core.parsing.html.tree import Node, Source, look_of, plain_text
from core.parsing.inline import Inline, description, flat, headed, is_repeated_in, joined, linked, safe_target
from core.parsing.looks import PLAIN_LOOK, Look, common_look
from core.types import BlockKind

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CODE = frozenset({"pre", "listing", "xmp", "plaintext"})
_NOTE_HOLDERS = frozenset({"li", "aside", "div", "section", "p", "dd", "td"})
_INLINE_PICTURE = re.compile(r"mwe-math|\bemoji|smiley|\btex\b|\blatex\b|\bmath\b")
_MAIN = frozenset({"main", "article"})
_MAX_COMPARED = 50  # pictures of one block whose descriptions are compared with its text


def pieces_of(*sources: Source) -> tuple[Piece, ...]:
    """The pieces of one or more pages: every visible word once, in reading order. Site navigation becomes FURNITURE.

    >>> from core.parsing.html.source import parse_source
    >>> [piece.kind.value for piece in pieces_of(parse_source("<nav><a href='/'>Home</a></nav><h1>Ducks</h1>"))]
    ['furniture', 'heading']
    """
    ids = {address: node for source in sources for address, node in source.ids.items()}
    targets = set().union(*(source.note_targets for source in sources))
    walker = _Walker({name: ids[name] for name in targets if name in ids and ids[name].tag in _NOTE_HOLDERS})
    for source in sources:
        walker.children(source.body)
        walker.finish()
    pieces = with_headings(without_running_lines(walker.pieces, walker.edges), walker.looks)
    if all(piece.kind is BlockKind.FURNITURE for piece in pieces):  # a page of nothing but links: they are its content
        return tuple(replace(piece, kind=BlockKind.PARAGRAPH) for piece in pieces)
    return pieces


class _Walker:
    """Collects ``pieces``. Text is collected in an ``Inline`` until the edge of a block flushes it as ``_kind``.

    Inside a list ``_depth`` is 0 or more, and flushed text becomes items. The first text of an item takes ``_marker``;
    further text is added to the same item as long as nothing else came between (``_joins``).
    """

    def __init__(self, notes: dict[str, Node], outer: _Walker | None = None) -> None:
        """``notes``: footnotes by their address. ``outer``: the walker for which this one reads an element's text."""
        self.pieces: list[Piece] = []
        self.looks: dict[int, Look] = {}  # of paragraphs, by the piece's id
        self.edges: list[int] = []  # between printed sheets, as the number of pieces before
        self._look: Look | None = None
        self._states_headings = False
        self._notes = notes
        self._is_inner = outer is not None
        self._note_targets: frozenset[str] = outer._note_targets if outer else frozenset(notes)
        self._note_nodes: frozenset[int] = outer._note_nodes if outer else frozenset(map(id, notes.values()))
        self._marks: list[tuple[str, str]] = outer._marks if outer else []
        self._inline = Inline()
        self._pictures: list[tuple[str, str]] = []
        self._kind = BlockKind.PARAGRAPH
        self._figure_caption = ""
        self._language = ""
        self._in_main = False
        self._items: list[tuple[list[Words], str, int]] = []
        self._depth = -1
        self._marker: str | None = None
        self._markers: Iterator[str] = repeat(BULLET)
        self._joins = False
        self._lead = ""  # the marker in the cell before, for the text of the next

    def children(self, node: Node) -> None:
        for child in node.children:
            if isinstance(child, str):
                self._inline.add(child)
                if not child.isspace():
                    look = look_of(child)
                    self._look = look if self._look is None else common_look(self._look, look)
            elif id(child) not in self._note_nodes:
                self._element(child)

    def flush(self) -> None:
        """Turn the collected text into a piece or an item's text. Captions of its pictures come after it."""
        words = self._inline.take()
        if words and words.text.strip() and self._lead:
            words, self._lead = headed(self._lead, words), ""
        look, self._look = self._look or PLAIN_LOOK, None
        pictures, self._pictures = self._pictures, []
        if self._depth >= 0:
            item_words = _with_pictures(words or Words(""), pictures)
            if item_words.text:
                self._add_to_item(item_words)
            return
        item = bulleted(words) if words and self._kind is BlockKind.PARAGRAPH and not self._is_inner else None
        if item:
            self._add_items([item])
        elif words:
            piece = Piece(self._kind, words)
            if self._kind is BlockKind.PARAGRAPH:
                self.looks[id(piece)] = look
            self._emit(piece)
        text = f"{words.text if words else ''}\n{self._figure_caption}"
        for alternative, target in _not_repeated(pictures, text):
            self._emit(Piece(BlockKind.CAPTION, linked(alternative, target)))

    def finish(self) -> None:
        """End the last block and list."""
        self.flush()
        self._end_list()

    def _element(self, node: Node) -> None:
        tag = node.tag
        if tag == "a":
            self._link(node)
        elif tag == "br":
            if self._inline.line_break():
                self.flush()
        elif tag == "img":
            self._picture(node)
        else:
            self.flush()
            edge = sheet_edge(node.attributes.get("style", ""))
            self.edges += [len(self.pieces)] * (edge == "before")
            self._block(node)
            self.flush()
            self.edges += [len(self.pieces)] * (edge == "after")

    def _block(self, node: Node) -> None:
        tag = node.tag
        if tag in _HEADINGS:
            self._states_headings = True
            self._emit(Piece(BlockKind.HEADING, self._flat(node), level=_HEADINGS[tag]))
        elif tag in LISTS:
            self._list(node)
        elif tag in ("li", "dt", "dd"):
            self._item(node)
        elif tag == "table":
            self._table(node)
        elif tag in _CODE:
            self._code(node)
        elif tag == "blockquote":
            self._children_as(BlockKind.QUOTE, node)
        elif tag in ("figcaption", "caption"):
            self._children_as(BlockKind.CAPTION, node)
        elif self._is_navigation(node):
            self._emit(Piece(BlockKind.FURNITURE, self._flat(node)))
        elif tag == "figure":
            captions = (child for child in node.children if isinstance(child, Node) and child.tag == "figcaption")
            outer_caption, self._figure_caption = self._figure_caption, " ".join(map(plain_text, captions))
            self.children(node)
            self.flush()
            self._figure_caption = outer_caption
        else:
            before = (self._language, self._in_main)
            self._language = stated_language(node) or self._language
            self._in_main = self._in_main or tag in _MAIN or node.attributes.get("role") == "main"
            self.children(node)
            self._language, self._in_main = before

    def _is_navigation(self, node: Node) -> bool:
        """Whether a node is the navigation of a site. Links within a page are its table of contents, which is text."""
        if node.tag != "nav" and (self._in_main or node.attributes.get("role") != "navigation"):
            return False
        targets = list(_targets(node))
        return not targets or not all(target.startswith("#") for target in targets)

    def _children_as(self, kind: BlockKind, node: Node) -> None:
        before, self._kind = self._kind, kind
        self.children(node)
        self.flush()
        self._kind = before

    def _emit(self, piece: Piece) -> None:
        self._end_list()
        self.pieces.append(piece)
        self._put_notes()

    def _put_notes(self) -> None:
        """Add the footnotes that the last piece refers to; each comes after the first block that refers to it."""
        while self._marks and not self._is_inner:
            label, target = self._marks.pop(0)
            note = self._notes.pop(target, None)
            if note is not None:
                self.pieces.append(Piece(BlockKind.FOOTNOTE, self._flat(note, marker=f"[{label}]")))

    def _link(self, node: Node) -> None:
        label = self._note_label(node)
        self._inline.open_link(safe_target(node.attributes.get("href", "")))
        if label:
            self._inline.add(f"[{label}]")
        else:
            self.children(node)
        self._inline.close_link()

    def _note_label(self, node: Node) -> str:
        """The label of a footnote's mark, "" for other links. The footnote is then added after the block."""
        if node.note not in self._note_targets:
            return ""
        label = " ".join(plain_text(node).split()).strip("[]() ") or "*"
        self._marks.append((label, node.note))
        return label

    def _picture(self, node: Node) -> None:
        alternative = " ".join(node.attributes.get("alt", "").split())
        if _is_inline_picture(node, alternative):
            self._inline.add(alternative)
        elif told := description(alternative):
            self._pictures.append((told, self._inline.target))

    def _list(self, node: Node) -> None:
        before = (self._marker, self._markers)
        self._depth += 1
        self._marker, self._markers, self._joins = None, markers(node), False
        self.children(node)
        self.flush()
        self._depth -= 1
        (self._marker, self._markers), self._joins = before, False
        if self._depth < 0:
            self._end_list()
            self._put_notes()

    def _item(self, node: Node) -> None:
        if self._depth < 0:
            single_item = Node("dl" if node.tag != "li" else "ul", {})
            single_item.children.append(node)
            self._list(single_item)
            return
        is_definition = node.tag == "dd"
        self._depth += is_definition
        self._marker, self._joins = next(self._markers) if node.tag == "li" else "", False
        self.children(node)
        self.flush()
        self._marker, self._joins = None, False
        self._depth -= is_definition

    def _add_to_item(self, words: Words) -> None:
        if self._marker is None and self._joins and self._items:
            self._items[-1][0].append(words)
        else:
            self._items.append(([words], self._marker or "", self._depth))
            self._marker, self._joins = None, True

    def _end_list(self) -> None:
        if self._items:
            items = tuple(Item(joined(parts, "\n"), marker, depth) for parts, marker, depth in self._items)
            self._items, self._joins = [], False
            self.pieces.append(Piece(BlockKind.LIST, items=items))

    def _table(self, node: Node) -> None:
        table = table_of(node)
        for caption in table.captions:
            self._block(caption)
        if is_layout(node, table):
            for row in table.rows:
                is_line = not node.attributes.get("role") and is_line_of_cells(row.cells)
                may_lead = len(row.cells) > 1 and not is_line  # else texts of tables in tables are read for nothing
                texts = [plain_text(cell).strip() if may_lead else "" for cell in row.cells]
                for cell, text, after in zip(row.cells, texts, [*texts[1:], ""], strict=True):
                    if after and is_marker(text):
                        self._lead = f"{text} "
                        continue
                    self.children(cell)
                    if is_line:
                        self._inline.add(" ")
                    else:
                        self.flush()
                self.flush()
                if self._lead:
                    self._inline.add(self._lead)
                    self._lead = ""
                    self.flush()
        elif table.rows:
            rows = grid(table.rows, self._flat)
            items = items_of(rows) if self._depth < 0 else []
            if items:
                self._add_items(items)
            elif not self._read_as_lines(table, rows):
                self._emit(Piece(BlockKind.TABLE, rows=rows, header_rows=header_rows(table.rows, rows)))

    def _read_as_lines(self, table: Table, rows: Grid) -> bool:
        """Read a table as paragraphs, one for each row, if it is one column of data or a single bold row ("Item 1."
        beside "Business"). Returns whether it is.
        """
        looks = [[look for cell in row.cells for look in looks_within(cell)] for row in table.rows]
        is_bold_row = len(rows) == 1 and bool(looks[0]) and all(look.bold for look in looks[0])
        is_heading = is_bold_row and not self._states_headings
        is_single_cell = len(rows) == 1 and len(rows[0]) == 1
        if not is_single_cell and rows[0] and (rows[0][0].header or not (is_heading or len(rows[0]) == 1)):
            return False
        for row, row_looks in zip(rows, looks, strict=True):
            words = joined([cell.words for cell in row if cell.words.text.strip()] or [Words("")], " ")
            if words.text:
                piece = Piece(BlockKind.PARAGRAPH, words)
                self.looks[id(piece)] = reduce(common_look, row_looks, row_looks[0] if row_looks else PLAIN_LOOK)
                self._emit(piece)
        return True

    def _add_items(self, items: Sequence[Item]) -> None:
        self._items += [([item.words], item.marker, item.depth) for item in items]
        self._joins = False

    def _code(self, node: Node) -> None:
        language = stated_language(node) or self._language
        self._emit(Piece(BlockKind.CODE, Words(code_text(node)), language=language))

    def _flat(self, node: Node, marker: str = "") -> Words:
        """All text of a node as inline text after ``marker``; blocks inside the node become lines."""
        inner = _Walker(self._notes, self)
        inner._inline.open_link(self._inline.target)
        inner.children(node)
        inner.flush()
        inner._end_list()
        return headed(f"{marker} " if marker else "", flat(inner.pieces))


def _is_inline_picture(node: Node, alternative: str) -> bool:
    """Whether a picture is part of the text around it: a formula or an emoji."""
    if not alternative:
        return False
    return bool(_INLINE_PICTURE.search(node.classes)) or (
        not any(map(str.isalnum, alternative[:20])) and len(alternative) < 9
    )


def _not_repeated(pictures: Sequence[tuple[str, str]], text: str) -> Iterator[tuple[str, str]]:
    """The pictures, as (description, link target), whose descriptions are not part of ``text``, each once."""
    seen: set[str] = set()
    for index, (alternative, target) in enumerate(pictures):
        if alternative in seen or (index < _MAX_COMPARED and is_repeated_in(alternative, text)):
            continue
        seen.add(alternative)
        yield alternative, target


def _targets(node: Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, Node):
            if "href" in child.attributes:
                yield child.attributes["href"]
            yield from _targets(child)


def _with_pictures(words: Words, pictures: Sequence[tuple[str, str]]) -> Words:
    parts = [words, *(linked(alternative, target) for alternative, target in _not_repeated(pictures, words.text))]
    return joined([part for part in parts if part.text.strip()], " ")
