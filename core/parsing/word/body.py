"""Reads the stories of a Word document (body, cells, text boxes, notes, headers and footers) as pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.parsing.flow import Piece, Words
from core.parsing.inline import comment_head, flat, headed
from core.parsing.ooxml.charts import chart_pieces, diagram_pieces
from core.parsing.ooxml.package import RELATIONS, Element, Package
from core.parsing.word.drawings import Aside
from core.parsing.word.groups import CONTENTS, Entry, grouped
from core.parsing.word.notes import Marks
from core.parsing.word.numbering import Mark, Numbering
from core.parsing.word.styles import Style, Styles, is_monospaced, looks_of
from core.parsing.word.tables import CellContent, only_cell, read_table
from core.parsing.word.text import LeftOut, Line, TextReader
from core.parsing.word.xml import (
    ALTERNATE,
    PARAGRAPH,
    TABLE,
    M,
    W,
    alternative,
    content,
    indent_of,
    number,
    switch,
    value,
)
from core.types import BlockKind

_MAX_HEADING_CHARACTERS = 300  # a longer paragraph in a heading's style is a clause
_ROLES = {"caption": BlockKind.CAPTION, "quote": BlockKind.QUOTE}


@dataclass(slots=True)
class Source:
    """What all stories of one document share.

    ``notes``: elements of notes and comments by (kind, id). ``note_parts``: the package part of each kind. ``written``:
    notes, charts and diagrams that are already in the text; each is written once. ``titles``: paragraphs in the style
    Title. ``repeat_budget``: characters that may still be written again because their cell is merged.
    """

    package: Package
    styles: Styles
    numbering: Numbering
    marks: Marks
    notes: dict[tuple[str, str], Element]
    note_parts: dict[str, str]
    left_out: LeftOut = field(default_factory=LeftOut)
    written: set[tuple[str, str]] = field(default_factory=set)
    titles: list[str] = field(default_factory=list)
    repeat_budget: int = 2_000_000


class StoryReader:
    """Reads the stories of one package part.

    ``part``: its name. ``is_furniture``: whether it is a header or footer, whose page numbers are left out.
    """

    def __init__(self, source: Source, part: str, *, is_furniture: bool = False) -> None:
        self._source = source
        self._part = part
        self._is_furniture = is_furniture
        self._open_cells = 0

    def pieces(self, parent: Element) -> list[Piece]:
        """The content of ``parent`` (``w:body``, ``w:tc``, ``w:txbxContent`` ...) as pieces in reading order."""
        return grouped(self.entries(parent))

    def entries(self, parent: Element) -> list[Entry]:
        """The content of ``parent``, one entry for each paragraph and table."""
        return list(self._entries(parent, self._text_reader()))

    def note(self, kind: str, note_id: str) -> Iterator[Piece]:
        """A footnote, endnote or comment as a piece, unless it was written before."""
        source = self._source
        element = source.notes.get((kind, note_id))
        if element is None or (kind, note_id) in source.written:
            return
        source.written.add((kind, note_id))
        mark = source.marks.known_mark(kind, note_id)
        prefix = f"{mark} " if mark else ""
        if kind == "comment":
            prefix = comment_head(element.get(f"{W}author", ""), element.get(f"{W}date", "")[:10])
        words = flat(StoryReader(source, source.note_parts[kind]).pieces(element))
        if words.text.strip():
            yield Piece(BlockKind.FOOTNOTE, headed(prefix, words))

    def _text_reader(self) -> TextReader:
        source = self._source
        relations = source.package.relations(self._part)
        return TextReader(
            source.styles, relations, source.marks, source.left_out, drops_page_numbers=self._is_furniture
        )

    def _entries(self, parent: Element, reader: TextReader) -> Iterator[Entry]:
        unfinished: Line | None = None  # of a paragraph that continues in the next one
        for element in content(parent):
            if element.tag == PARAGRAPH:
                style, line = self._line(element, reader, unfinished)
                unfinished = line if _continues_in_next(element) else None
                if unfinished is None:
                    yield self._entry(element, style, line)
                continue
            if unfinished is not None:
                yield self._plain_entry(unfinished)
                unfinished = None
            yield from self._other_entries(element, reader)
        if unfinished is not None:
            yield self._plain_entry(unfinished)

    def _other_entries(self, element: Element, reader: TextReader) -> Iterator[Entry]:
        if element.tag == TABLE:
            yield from self._table(element, reader)
        elif element.tag == ALTERNATE:
            branch = alternative(element)
            if branch is not None:
                yield from self._entries(branch, reader)
        elif element.tag in (f"{M}oMath", f"{M}oMathPara"):
            yield self._plain_entry(reader.formula(element))
        elif element.tag in (f"{W}altChunk", f"{W}subDoc"):
            relation = self._source.package.relations(self._part).get(element.get(f"{RELATIONS}id", ""))
            self._source.left_out.unread.append(relation.target.rpartition("/")[2] if relation else "a file")

    def _line(self, element: Element, reader: TextReader, unfinished: Line | None) -> tuple[Style, Line]:
        style = self._source.styles.paragraph(value(element.find(f"{W}pPr"), "pStyle"))
        return style, reader.paragraph(element, style, unfinished)

    def _plain_entry(self, line: Line) -> Entry:
        entry = Entry(BlockKind.PARAGRAPH, line.words)
        self._add_asides(entry, line)
        return entry

    def _entry(self, element: Element, style: Style, line: Line) -> Entry:
        properties = element.find(f"{W}pPr")
        words = line.words
        is_blank = not words.text.strip()
        is_hidden = is_blank and bool(switch(None if properties is None else properties.find(f"{W}rPr"), "vanish"))
        mark = None if is_hidden else self._mark(properties, style)
        outline = number(properties, "outlineLvl")
        level = style.level if outline is None else outline + 1 if 0 <= outline < 9 else 0
        number_prefix = "" if is_blank else _number_prefix(mark)
        entry = Entry(BlockKind.PARAGRAPH, words, is_bold=line.is_most(line.bold), look=line.look)
        if level and style.role not in ("title", "subtitle"):
            entry.heading_style = value(properties, "pStyle") or ""
        if level and len(words.text) <= _MAX_HEADING_CHARACTERS:
            entry.kind, entry.level = BlockKind.HEADING, min(level, 6)
            entry.words = headed(number_prefix, words)
            if style.role == "title" and not is_blank:
                self._source.titles.append(words.text)
        elif style.role == CONTENTS:
            entry.kind, entry.mark = BlockKind.LIST, Mark("", style.depth, 0, CONTENTS)
            entry.words, entry.depth = headed(number_prefix, words), style.depth
        elif style.role == "caption" or level:
            entry.kind = BlockKind.PARAGRAPH if level else BlockKind.CAPTION
            entry.words = headed(number_prefix, words)
        elif mark is not None and style.role != "code":
            own_indent = indent_of(properties)
            entry.kind, entry.mark = BlockKind.LIST, mark
            entry.depth = mark.depth or style.depth
            entry.indent = mark.indent if own_indent is None else own_indent
        else:
            entry.kind = _ROLES.get(style.role, BlockKind.PARAGRAPH)
            entry.code = self._code_sign(properties, style, line) if style.role != "quote" else ""
        self._add_asides(entry, line)
        return entry

    def _mark(self, properties: Element | None, style: Style) -> Mark | None:
        """The number or bullet that Word prints before the paragraph, ``None`` for none. Every call counts it."""
        numbering = self._source.numbering
        stated = None if properties is None else properties.find(f"{W}numPr")
        inherited_id, inherited_level, owner = style.number or (None, None, "")
        list_id = value(stated, "numId") or inherited_id
        if list_id is None or list_id == "0":
            return None
        level = number(stated, "ilvl")
        if level is None:
            level = numbering.level_of_style(list_id, owner)
        if level is None:
            level = inherited_level
        return numbering.next(list_id, level or 0)

    def _code_sign(self, properties: Element | None, style: Style, line: Line) -> str:
        """Why a paragraph may be code: its style ("code"), its font ("monospaced"), or "" for no reason."""
        if style.role == "code":
            return style.role
        if line.visible:
            return "monospaced" if line.is_most(line.monospaced) else ""
        looks = looks_of(None if properties is None else properties.find(f"{W}rPr"))
        return "monospaced" if is_monospaced(looks.font or style.font) else ""

    def _add_asides(self, entry: Entry, line: Line) -> None:
        """Add the notes and drawings that are anchored in a line to its entry."""
        for aside in line.asides:
            if aside.kind in ("footnote", "endnote", "comment"):
                entry.notes += self.note(aside.kind, aside.text)
            else:
                entry.beside += self._drawn_pieces(aside)

    def _drawn_pieces(self, aside: Aside) -> list[Piece]:
        if aside.kind == "box":
            return self.pieces(aside.element)
        if aside.kind == "words":
            return [Piece(BlockKind.PARAGRAPH, Words(aside.text))]
        if aside.kind == "picture":
            return [Piece(BlockKind.CAPTION, Words(aside.text))]
        relation = self._source.package.relations(self._part).get(aside.text)
        if relation is None or relation.external or (aside.kind, relation.target) in self._source.written:
            return []
        self._source.written.add((aside.kind, relation.target))
        root = self._source.package.optional_root(relation.target)
        if root is None:
            return []
        return list(chart_pieces(root) if aside.kind == "chart" else diagram_pieces(root))

    def _table(self, table: Element, reader: TextReader) -> Iterator[Entry]:
        """A table as an entry. A table of one cell is a frame: its content is read in its place."""
        cell = only_cell(table)
        if cell is not None:
            yield from self._entries(cell, reader)
            return
        # Nothing is repeated in nested tables: that would grow exponentially.
        repeat_budget = 0 if self._open_cells else self._source.repeat_budget
        pieces, repeated = read_table(table, self._cell, self._source.styles, repeat_budget)
        self._source.repeat_budget -= repeated
        yield Entry(BlockKind.TABLE, table=tuple(pieces))

    def _cell(self, cell: Element) -> CellContent:
        self._open_cells += 1
        entries = list(self._entries(cell, self._text_reader()))
        self._open_cells -= 1
        pieces = grouped(entries)
        notes = tuple(piece for piece in pieces if piece.kind is BlockKind.FOOTNOTE)
        body = [piece for piece in pieces if piece.kind is not BlockKind.FOOTNOTE]
        filled = [entry for entry in entries if not entry.is_blank]
        is_line = len(filled) <= 2 and all(entry.kind is not BlockKind.LIST and not entry.table for entry in filled)
        plain = not any(entry.mark or entry.table or entry.words.links for entry in entries)
        lines = "\n".join(entry.words.text for entry in entries).rstrip().split("\n") if plain else []
        is_bold = bool(filled) and all(entry.is_bold for entry in filled)
        return CellContent(flat(body), notes, is_bold, is_line, tuple(line.strip() for line in lines))


def _continues_in_next(element: Element) -> bool:
    """Whether the paragraph's end is deleted, or the paragraph is the drop cap of the next one."""
    properties = element.find(f"{W}pPr")
    if properties is None:
        return False
    mark, frame = properties.find(f"{W}rPr"), properties.find(f"{W}framePr")
    is_deleted = mark is not None and (mark.find(f"{W}del") is not None or mark.find(f"{W}moveFrom") is not None)
    return is_deleted or (frame is not None and frame.get(f"{W}dropCap", "none") != "none")


def _number_prefix(mark: Mark | None) -> str:
    """The number before the text of a heading or caption, with its blank; "" for bullets, which are ornaments there."""
    if mark is None or mark.is_bullet:
        return ""
    return mark.text if mark.glued else f"{mark.text} "
