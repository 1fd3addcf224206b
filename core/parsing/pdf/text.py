"""Pages of lines to canonical text: blocks one blank line apart, with a box for every text run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from core.parsing.pdf.furniture import furniture
from core.parsing.pdf.headings import mark_headings
from core.parsing.pdf.joining import Spelling, joined, joint, lists, spelling_of
from core.parsing.pdf.lines import Box, Run, TableCells, Target, TextLine, body_font, body_size, title_key
from core.parsing.pdf.paragraphs import Draft, drafts_of
from core.parsing.table_header import cell_value
from core.types import Block, BlockKind, Cell, Link, Page, PageBox, Span

_MAX_MONO_SHARE = 0.6  # a typewritten document is no program


@dataclass(slots=True)
class Composition:
    """The canonical text being written, with its blocks, boxes and links. ``sizes``: of the pages, by number."""

    sizes: dict[int, tuple[float, float]]

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    boxes: list[PageBox] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def write(self, text: str) -> Span:
        start = self.length
        self.pieces.append(text)
        self.length += len(text)
        return Span(start, self.length)

    def run(self, text: str, page: int, box: Box, links: Sequence[Target] = ()) -> Span:
        """Write a text run; remember its box, as much of it as lies on the page, and its links."""
        span = self.write(text)
        if text:
            width, height = self.sizes[page]
            x0, x1 = (round(min(max(value, 0.0), width), 2) for value in (box[0], box[2]))
            y0, y1 = (round(min(max(value, 0.0), height), 2) for value in (box[1], box[3]))
            self.boxes.append(PageBox(span.start, span.end, page, x0, y0, x1, y1))
        for start, end, target in links:
            self._link(span.start + start, min(span.start + end, span.end), target)
        return span

    def _link(self, start: int, end: int, target: str) -> None:
        """Remember a link; one that a line's end parted is whole again."""
        last = self.links[-1] if self.links else None
        if last and last.target == target and 0 <= start - last.end <= 1:
            self.links[-1] = Link(last.start, end, target)
        elif start < end:
            self.links.append(Link(start, end, target))

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def compose(
    pages: Sequence[Page],
    heights: Sequence[float],
    lines_of: Sequence[Sequence[TextLine]],
    outline: Sequence[tuple[int, str, int]],
    tick: Callable[[], None] = lambda: None,
) -> Composition:
    """The document's text, blocks and boxes. Furniture comes last, one block a page.

    ``heights``: of the frames in which the pages' lines read upright. ``lines_of``: each page's lines in reading order.
    ``outline``: (level, title, 1-based page). ``tick``: called between pages; it may raise to stop.
    """
    titles = {(page, title_key(title).lstrip("0123456789")) for _, title, page in outline}
    edges = furniture(lines_of, pages, heights, titles, tick)
    body = [
        [line for index, line in enumerate(lines) if index not in edge]
        for lines, edge in zip(lines_of, edges, strict=True)
    ]
    every = [line for lines in body for line in lines if not line.stands_in]
    size = body_size(every)
    letters = sum(len(line.text) for line in every) or 1
    with_code = sum(len(line.text) for line in every if line.mono) < _MAX_MONO_SHARE * letters
    drafts: list[Draft] = []
    for page, height, lines in zip(pages, heights, body, strict=True):
        tick()
        drafts += drafts_of(page.number, lines, size, height, with_code=with_code)
    mark_headings(drafts, outline, size, body_font(every))
    tick()
    drafts = joined(drafts)
    spelling = spelling_of((line.text, line.parted) for line in every)
    result = Composition({page.number: (page.width, page.height) for page in pages})
    for is_list, group in groupby(drafts, key=lambda draft: draft.kind is BlockKind.LIST):
        members = list(group)
        for run in lists(members) if is_list else [[draft] for draft in members]:
            tick()
            _write_block(result, run, spelling)
    for page, all_lines, edge in zip(pages, lines_of, edges, strict=True):
        _write_furniture(result, page.number, [all_lines[index] for index in sorted(edge)])
    return result


def _write_block(result: Composition, run: Sequence[Draft], spelling: Spelling) -> None:
    if result.length:
        result.write("\n\n")
    start, kind, first = result.length, run[0].kind, run[0].first
    if kind is BlockKind.TABLE and first.table is not None:
        result.blocks.append(_table(result, run[0].page, first.table, spelling))
        return
    if kind is BlockKind.CODE:
        parts = _code(result, run[0])
        result.blocks.append(Block(kind, start, result.length, parts=parts))
        return
    if first.labels:
        parts = _lines(result, [(run[0].page, label) for label in first.labels if label.text])
        result.blocks.append(Block(kind, start, result.length, parts=parts))
        return
    spans = []
    for number, draft in enumerate(run):
        if number:
            result.write("\n")
        spans.append(_flowing(result, draft, spelling))
    parts = tuple(spans) if kind is BlockKind.LIST else ()
    result.blocks.append(Block(kind, start, result.length, level=run[0].level, parts=parts))


def _flowing(result: Composition, draft: Draft, spelling: Spelling) -> Span:
    """Lines as running text: one blank between them, words that a hyphen broke at a line's end whole again."""
    start = result.length
    lines = [(page, line) for page, line in draft.lines if line.text]
    for index, (page, line) in enumerate(lines):
        following = lines[index + 1][1].text.lstrip() if index + 1 < len(lines) else None
        flat, links = _flat(line)
        text, between = joint(flat, following, spelling, parted=line.parted)
        result.run(text, page, line.box, links)
        result.write(between)
    return Span(start, result.length)


def _flat(line: TextLine) -> tuple[str, Sequence[Target]]:
    """A line of typewriter's type that is no listing, its wide blanks as one; the links over the same words."""
    if "  " not in line.text:
        return line.text, line.links
    words = [(match.start(), match[0]) for match in re.finditer(r"\S+", line.text)]
    places: dict[int, int] = {}
    length = 0
    for start, word in words:
        for offset in range(len(word) + 1):
            places.setdefault(start + offset, length + offset)
        length += len(word) + 1
    links = [(places[start], places[end], to) for start, end, to in line.links]
    return " ".join(word for _, word in words), links


def _lines(result: Composition, lines: Sequence[tuple[int, TextLine | Run]]) -> tuple[Span, ...]:
    """One below the other."""
    parts = []
    for number, (page, line) in enumerate(lines):
        if number:
            result.write("\n")
        parts.append(result.run(line.text, page, line.box, line.links))
    return tuple(parts)


def _code(result: Composition, draft: Draft) -> tuple[Span, ...]:
    """Lines of a listing one below the other, indented as they stand on the page."""
    margin = min(line.x0 for _, line in draft.lines)
    widths = sorted(line.width / len(line.text) for _, line in draft.lines)
    character = max(1.0, widths[len(widths) // 2])
    parts = []
    for number, (page, line) in enumerate(draft.lines):
        if number:
            result.write("\n")
            result.write(" " * min(80, round((line.x0 - margin) / character)))
        parts.append(result.run(line.text, page, line.box, line.links))
    return tuple(parts)


def _table(result: Composition, page: int, table: TableCells, spelling: Spelling) -> Block:
    """One line a row, cells parted by `` | ``, pipes inside them escaped."""
    start = result.length
    rows: list[Span] = []
    cells: list[Cell] = []
    for number, row in enumerate(table.rows):
        if number:
            result.write("\n")
        row_start = result.length
        for column, run in enumerate(row):
            if column:  # no blank at a row's edges, whatever cells are empty
                before = "" if result.length == row_start else " "
                result.write(f"{before}|{'' if not run.text and column == len(row) - 1 else ' '}")
            words, links = _whole(run, spelling)
            value = cell_value(words)
            span = result.run(words.replace("|", r"\|"), page, run.box, _behind_pipes(words, links))
            cells.append(Cell(number, column, span.start, span.end, value, number < table.header_rows))
        rows.append(Span(row_start, result.length))
    header_span = Span(start, rows[table.header_rows - 1].end) if table.header_rows else None
    parts = tuple(rows[table.header_rows :])
    return Block(BlockKind.TABLE, start, result.length, parts=parts, header=header_span, cells=tuple(cells))


def _whole(run: Run, spelling: Spelling) -> tuple[str, Sequence[Target]]:
    """A cell's printed lines as one text, words they part whole again; the links over the same words."""
    lines = run.text.split("\n")
    if len(lines) == 1:
        return run.text, run.links
    text = ""
    places: list[int] = []  # where each character of the printed lines came to stand
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        kept, between = joint(line, following, spelling, parted=True)
        places += [len(text) + min(offset, len(kept)) for offset in range(len(line) + 1)]
        text += kept + between
    return text, [(places[start], places[end], to) for start, end, to in run.links]


def _behind_pipes(text: str, links: Sequence[Target]) -> list[Target]:
    """Links moved along as the pipes before them are escaped."""
    return [(start + text.count("|", 0, start), end + text.count("|", 0, end), to) for start, end, to in links]


def _write_furniture(result: Composition, page: int, lines: Sequence[TextLine]) -> None:
    if not lines:
        return
    if result.length:
        result.write("\n\n")
    start = result.length
    parts = _lines(result, [(page, line) for line in lines])
    result.blocks.append(Block(BlockKind.FURNITURE, start, result.length, parts=parts))
