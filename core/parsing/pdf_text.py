"""Pages of lines to canonical text: blocks one blank line apart, with a box for every text run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from core.parsing.cells import cell_value
from core.parsing.pdf_furniture import furniture
from core.parsing.pdf_headings import mark_headings
from core.parsing.pdf_lines import Box, TableCells, TextLine, body_size, title_key
from core.parsing.pdf_paragraphs import Draft, drafts_of, ends_sentence
from core.types import Block, BlockKind, Cell, Page, PageBox, Span

_WORD_BREAK = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_HYPHENATED = re.compile(r"[^\W\d_]+[-\u2010][^\W\d_]+")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_MAX_MONO_SHARE = 0.6  # a typewritten document is no program


@dataclass(slots=True)
class Composition:
    """The canonical text being written, with its blocks and boxes. ``sizes``: of the pages, by number."""

    sizes: dict[int, tuple[float, float]]

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    boxes: list[PageBox] = field(default_factory=list)

    def write(self, text: str) -> Span:
        start = self.length
        self.pieces.append(text)
        self.length += len(text)
        return Span(start, self.length)

    def run(self, text: str, page: int, box: Box) -> Span:
        """Write a text run and remember its box, as much of it as lies on the page."""
        span = self.write(text)
        if text:
            width, height = self.sizes[page]
            x0, x1 = (round(min(max(value, 0.0), width), 2) for value in (box[0], box[2]))
            y0, y1 = (round(min(max(value, 0.0), height), 2) for value in (box[1], box[3]))
            self.boxes.append(PageBox(span.start, span.end, page, x0, y0, x1, y1))
        return span

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def compose(
    pages: Sequence[Page],
    heights: Sequence[float],
    lines_of: Sequence[Sequence[TextLine]],
    outline: Sequence[tuple[int, str, int]],
) -> Composition:
    """The document's text, blocks and boxes. Furniture comes last, one block a page.

    ``heights``: of the frames in which the pages' lines read upright. ``lines_of``: each page's lines in reading order.
    ``outline``: (level, title, 1-based page).
    """
    titles = {(page, title_key(title).lstrip("0123456789")) for _, title, page in outline}
    edges = furniture(lines_of, pages, heights, titles)
    body = [
        [line for index, line in enumerate(lines) if index not in edge]
        for lines, edge in zip(lines_of, edges, strict=True)
    ]
    every = [line for lines in body for line in lines if line.table is None]
    size = body_size(every)
    letters = sum(len(line.text) for line in every) or 1
    with_code = sum(len(line.text) for line in every if line.mono) < _MAX_MONO_SHARE * letters
    drafts = [
        draft
        for page, height, lines in zip(pages, heights, body, strict=True)
        for draft in drafts_of(page.number, lines, size, height, with_code=with_code)
    ]
    mark_headings(drafts, outline, size)
    drafts = _continued(drafts)
    spelled = Counter(word.casefold() for line in every for word in _HYPHENATED.findall(line.text))
    result = Composition({page.number: (page.width, page.height) for page in pages})
    for is_list, group in groupby(drafts, key=lambda draft: draft.kind is BlockKind.LIST):
        members = list(group)
        for run in _lists(members) if is_list else [[draft] for draft in members]:
            _write_block(result, run, spelled)
    for page, lines, edge in zip(pages, lines_of, edges, strict=True):
        _write_furniture(result, page.number, [lines[index] for index in sorted(edge)])
    return result


def _continued(drafts: Sequence[Draft]) -> list[Draft]:
    """Paragraphs that a column or page break cuts, whole again; footnotes and captions between go behind them."""
    result: list[Draft] = []
    open_index: int | None = None
    for draft in drafts:
        if draft.kind in (BlockKind.FOOTNOTE, BlockKind.CAPTION) and open_index is not None:
            result.append(draft)
            continue
        before = result[open_index] if open_index is not None else None
        if before and draft.kind is BlockKind.HEADING and _same_title(before, draft):
            before.lines.extend(draft.lines)
            continue
        if before and draft.kind is BlockKind.PARAGRAPH and _goes_on(before, draft):
            before.lines.extend(draft.lines)
            continue
        result.append(draft)
        flows = draft.kind in (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.HEADING)
        open_index = len(result) - 1 if flows else None
    return result


def _same_title(before: Draft, draft: Draft) -> bool:
    """Whether two headings are the printed lines of one: same type, same level, hardly apart."""
    above, below = before.last, draft.first
    return (
        before.kind is BlockKind.HEADING
        and before.level == draft.level
        and before.page == draft.page
        and above.region == below.region
        and above.bold == below.bold
        and abs(above.size - below.size) < 0.5
        and 0 < below.baseline - above.baseline < 1.5 * above.size
        and not re.match(r"\d|[A-Z][a-z]+ \d", below.text)
    )


def _goes_on(before: Draft, draft: Draft) -> bool:
    """Whether ``draft``, in another column or on the next page, continues ``before``."""
    if before.kind is BlockKind.HEADING:
        return False
    above, below = before.last, draft.first
    page, next_page = before.lines[-1][0], draft.page
    elsewhere = (next_page == page and above.region != below.region) or next_page == page + 1
    if not elsewhere or above.aside or below.aside or abs(above.size - below.size) > 0.06 * above.size + 0.2:
        return False
    if above.bold != below.bold and len(before.lines) == 1:
        return False
    first = below.text.lstrip("\"'“‘«(")[:1]
    if _WORD_BREAK.search(above.text) and first.islower():
        return True
    if ends_sentence(above.text):
        return False
    return first.islower() or (len(before.lines) >= 2 and (first.isdigit() or above.text[-1] in ",–—(/"))


def _lists(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Items that follow one another; one line that only looks like an item stays a paragraph."""
    runs: list[list[Draft]] = []
    for draft in drafts:
        last = runs[-1][-1] if runs else None
        if last and abs(last.first.size - draft.first.size) < 1.5 and draft.page - last.lines[-1][0] <= 1:
            runs[-1].append(draft)
        else:
            runs.append([draft])
    for run in runs:
        if len(run) == 1 and run[0].first.text[0].isalnum():
            run[0].kind = BlockKind.PARAGRAPH
    return runs


def _write_block(result: Composition, run: Sequence[Draft], spelled: Counter[str]) -> None:
    if result.length:
        result.write("\n\n")
    start, kind = result.length, run[0].kind
    if kind is BlockKind.TABLE and run[0].first.table is not None:
        result.blocks.append(_table(result, run[0].page, run[0].first.table))
        return
    if kind is BlockKind.CODE:
        parts = _code(result, run[0])
        result.blocks.append(Block(kind, start, result.length, parts=parts))
        return
    spans = []
    for number, draft in enumerate(run):
        if number:
            result.write("\n")
        spans.append(_flowing(result, draft, spelled))
    parts = tuple(spans) if kind is BlockKind.LIST else ()
    result.blocks.append(Block(kind, start, result.length, level=run[0].level, parts=parts))


def _flowing(result: Composition, draft: Draft, spelled: Counter[str]) -> Span:
    """Lines as running text: one blank between them, words that a hyphen broke at a line's end whole again."""
    start = result.length
    lines = [(page, line) for page, line in draft.lines if line.text]
    for index, (page, line) in enumerate(lines):
        following = lines[index + 1][1].text if index + 1 < len(lines) else None
        text, joint = _joint(line.text, following, spelled)
        result.run(text, page, line.box)
        result.write(joint)
    return Span(start, result.length)


def _joint(text: str, following: str | None, spelled: Counter[str]) -> tuple[str, str]:
    """A line's text and what stands between it and the next line.

    >>> _joint("a hyphen-", "ated word", Counter()), _joint("a well-", "known word", Counter({"well-known": 2}))
    (('a hyphen', ''), ('a well-', ''))
    """
    if following is None:
        return text.removesuffix("\u00ad"), ""
    if text.endswith("\u00ad"):
        return text[:-1], ""
    broken, follows = _WORD_BREAK.search(text), _FIRST_WORD.match(following)
    if broken and follows:
        whole = f"{broken[1]}-{follows[0]}".casefold()
        if following[0].islower() and not spelled[whole]:
            return text[:-1], ""
        return text, ""
    if _is_ideograph(text[-1]) and _is_ideograph(following[0]):
        return text, ""
    return text, " "


def _is_ideograph(char: str) -> bool:
    """Whether ``char`` belongs to a script written without blanks between words (Han, kana, their punctuation)."""
    return "\u3000" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uff00" <= char <= "\uff60"


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
        parts.append(result.run(line.text, page, line.box))
    return tuple(parts)


def _table(result: Composition, page: int, table: TableCells) -> Block:
    """One line a row, cells parted by `` | ``, pipes inside them escaped."""
    start = result.length
    rows: list[Span] = []
    cells: list[Cell] = []
    for number, row in enumerate(table.rows):
        if number:
            result.write("\n")
        row_start = result.length
        for column, (words, box) in enumerate(row):
            if column:  # no blank at a row's edges, whatever cells are empty
                before = "" if result.length == row_start else " "
                result.write(f"{before}|{'' if not words and column == len(row) - 1 else ' '}")
            span = result.run(words.replace("|", r"\|"), page, box)
            header = number < table.header_rows
            cells.append(Cell(number, column, span.start, span.end, cell_value(words), header))
        rows.append(Span(row_start, result.length))
    header_span = Span(start, rows[table.header_rows - 1].end) if table.header_rows else None
    parts = tuple(rows[table.header_rows :])
    return Block(BlockKind.TABLE, start, result.length, parts=parts, header=header_span, cells=tuple(cells))


def _write_furniture(result: Composition, page: int, lines: Sequence[TextLine]) -> None:
    if not lines:
        return
    if result.length:
        result.write("\n\n")
    start = result.length
    parts = []
    for number, line in enumerate(lines):
        if number:
            result.write("\n")
        parts.append(result.run(line.text, page, line.box))
    result.blocks.append(Block(BlockKind.FURNITURE, start, result.length, parts=tuple(parts)))
