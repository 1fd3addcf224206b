"""Composes the lines of a PDF's pages into canonical text with blocks, links and a box for every text run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from core.parsing.flow import Flow, Piece, Rectangle, TableCell, Words, tidy, write_piece
from core.parsing.pdf.furniture import find_furniture
from core.parsing.pdf.headings import mark_headings
from core.parsing.pdf.joining import Spelling, joined, joint, lists, spelling_of
from core.parsing.pdf.lines import Box, Run, TableCells, TextLine, body_font, body_size, title_key
from core.parsing.pdf.paragraphs import Draft, drafts_of
from core.parsing.table_header import cell_value
from core.types import Block, BlockKind, Link, Page, PageBox, Span

_MAX_MONO_SHARE = 0.6  # of the letters; a document with more monospaced type is typewritten, not source code


def compose(
    pages: Sequence[Page],
    heights: Sequence[float],
    lines_of: Sequence[Sequence[TextLine]],
    outline: Sequence[tuple[int, str, int]],
    tick: Callable[[], None] = lambda: None,
    left_out: Sequence[TextLine] = (),
) -> Flow:
    """The document's text, blocks, links and boxes. Furniture comes last, one block for each page.

    ``heights``: of the pages' upright frames. ``lines_of``: each page's lines in reading order. ``outline``: (level,
    title, page from 1). ``tick``: called between pages; may raise to stop. ``left_out``: lines that are not written,
    but show the type of running text too.
    """
    titles = {(page, title_key(title).lstrip("0123456789")) for _, title, page in outline}
    edges = find_furniture(lines_of, pages, heights, titles, tick)
    body = [
        [line for index, line in enumerate(lines) if index not in edge]
        for lines, edge in zip(lines_of, edges, strict=True)
    ]
    body_lines = [line for lines in body for line in lines if line.is_field or not line.is_placeholder]
    repeated = {title_key(lines[index].text) for lines, edge in zip(lines_of, edges, strict=True) for index in edge}
    typed = [*body_lines, *(line for line in left_out if title_key(line.text) not in repeated)]
    size = body_size(typed)
    letters = sum(len(line.text) for line in body_lines) or 1
    with_code = sum(len(line.text) for line in body_lines if line.mono) < _MAX_MONO_SHARE * letters
    drafts: list[Draft] = []
    for page, height, lines in zip(pages, heights, body, strict=True):
        tick()
        drafts += drafts_of(page.number, lines, size, height, with_code=with_code)
    mark_headings(drafts, outline, size, body_font(typed))
    tick()
    drafts = joined(drafts)
    writer = _Writer(pages, spelling_of((line.text, line.ends_with_blank) for line in body_lines))
    for is_list, group in groupby(drafts, key=lambda draft: draft.kind is BlockKind.LIST):
        members = list(group)
        for run in lists(members) if is_list else [[draft] for draft in members]:
            tick()
            writer.block(run)
    for page, all_lines, edge in zip(pages, lines_of, edges, strict=True):
        writer.lines(BlockKind.FURNITURE, page.number, [all_lines[index] for index in sorted(edge)])
    return writer.flow


class _Writer:
    """Writes drafts as blocks of canonical text. ``spelling``: tells which hyphens at line ends belong to the word."""

    def __init__(self, pages: Sequence[Page], spelling: Spelling) -> None:
        self.flow = Flow()
        self._sizes = {page.number: (page.width, page.height) for page in pages}
        self._spelling = spelling

    def block(self, run: Sequence[Draft]) -> None:
        """Write one draft as a block, or the items of a list together as one block."""
        kind, first, page = run[0].kind, run[0].first, run[0].page
        if first.table is not None:
            self._table(page, first.table)
        elif kind is BlockKind.CODE:
            self._code(run[0])
        elif first.labels:
            self.lines(kind, page, [label for label in first.labels if label.text])
        else:
            start = self._start()
            spans = [self._prose(draft, "\n" if number else "") for number, draft in enumerate(run)]
            parts = tuple(spans) if kind is BlockKind.LIST else ()
            self.flow.blocks.append(Block(kind, start, self.flow.length, level=run[0].level, parts=parts))

    def lines(self, kind: BlockKind, page: int, lines: Sequence[TextLine | Run]) -> None:
        """Write lines of one page as one block with a line each. Writes nothing without lines."""
        if not lines:
            return
        start = self._start()
        parts = [
            self._run(Words(line.text, line.links), page, line.box, "\n" if at else "") for at, line in enumerate(lines)
        ]
        self.flow.blocks.append(Block(kind, start, self.flow.length, parts=tuple(parts)))

    def _start(self) -> int:
        if self.flow.length:
            self.flow.write("\n\n")
        return self.flow.length

    def _run(self, words: Words, page: int, box: Box, before: str = "") -> Span:
        """Write a text run and record its box and links. A link that a line end split becomes one link again."""
        flow = self.flow
        flow.write(before)
        span = flow.write(words.text)
        if words.text:
            flow.boxes.append(PageBox(span.start, span.end, page, *self._on_page(page, box)))
        for start, end, target in words.links:
            start, end = span.start + start, min(span.start + end, span.end)
            last = flow.links[-1] if flow.links else None
            if last and last.target == target and 0 <= start - last.end <= 1:
                flow.links[-1] = Link(last.start, end, target)
            elif start < end:
                flow.links.append(Link(start, end, target))
        return span

    def _on_page(self, page: int, box: Box) -> Rectangle:
        """The part of a box that lies on the page."""
        width, height = self._sizes[page]
        x0, x1 = (round(min(max(value, 0.0), width), 2) for value in (box[0], box[2]))
        y0, y1 = (round(min(max(value, 0.0), height), 2) for value in (box[1], box[3]))
        return x0, y0, x1, y1

    def _prose(self, draft: Draft, before: str) -> Span:
        """Write lines as running text, joined by blanks; words that were hyphenated at line ends are joined."""
        self.flow.write(before)
        start = self.flow.length
        lines = [(page, line) for page, line in draft.lines if line.text]
        for index, (page, line) in enumerate(lines):
            following = lines[index + 1][1].text.lstrip() if index + 1 < len(lines) else None
            words = Words(line.text, line.links)
            words = tidy(words) if "  " in line.text else words  # monospaced type that is no listing
            text, between = joint(words.text, following, self._spelling, ends_with_blank=line.ends_with_blank)
            self._run(Words(text, words.links), page, line.box)
            self.flow.write(between)
        return Span(start, self.flow.length)

    def _code(self, draft: Draft) -> None:
        """Write the lines of a listing, indented as on the page."""
        start = self._start()
        margin = min(line.x0 for _, line in draft.lines)
        widths = sorted(line.width / len(line.text) for _, line in draft.lines)
        character = max(1.0, widths[len(widths) // 2])
        parts = []
        for number, (page, line) in enumerate(draft.lines):
            indent = " " * min(80, round((line.x0 - margin) / character)) if number else ""
            parts.append(self._run(Words(line.text, line.links), page, line.box, f"\n{indent}" if number else ""))
        self.flow.blocks.append(Block(BlockKind.CODE, start, self.flow.length, parts=tuple(parts)))

    def _table(self, page: int, table: TableCells) -> None:
        rows = tuple(tuple(self._cell(page, run) for run in row) for row in table.rows)
        write_piece(self.flow, Piece(BlockKind.TABLE, rows=rows, header_rows=table.header_rows, page=page))

    def _cell(self, page: int, run: Run) -> TableCell:
        words = self._join_lines(run)
        return TableCell(words, cell_value(words.text), box=self._on_page(page, run.box))

    def _join_lines(self, run: Run) -> Words:
        """A cell's printed lines as one text, hyphenated words joined, with the links moved along."""
        lines = run.text.split("\n")
        if len(lines) == 1:
            return Words(run.text, run.links)
        text = ""
        offsets: list[int] = []  # in ``text``, of each character of the printed lines
        for line, following in zip(lines, [*lines[1:], None], strict=True):
            kept, between = joint(line, following, self._spelling, ends_with_blank=True)
            offsets += [len(text) + min(offset, len(kept)) for offset in range(len(line) + 1)]
            text += kept + between
        return Words(text, tuple((offsets[start], offsets[end], target) for start, end, target in run.links))
