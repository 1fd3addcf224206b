"""Candidates for quotes: sentences, table rows and list items; the lines of a listing are its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from core.evidence import Hit, Passage
from core.search.answer.prose import is_prose
from core.search.answer.rows import Row, rows_of
from core.text.analysis import analyse
from core.text.sentences import asks, is_half, sentence_spans
from core.types import Block, BlockKind, Span

PASSAGES = 6  # the best passages that are searched for candidates
CANDIDATES = 64  # limit of their number
CONTEXT_LENGTH = 400  # characters of a sentence together with the ones it depends on
LONG_CELL = 120  # characters; sentences of a longer cell can be quoted by themselves
SENTENCE, LONGEST = 600, 900  # most characters of a sentence or line, and of a quote, which may be a whole list
# The beginning of a sentence that needs the one before it, or the term with which its paragraph begins.
_DEPENDS_ON_PREVIOUS = re.compile(
    r"\W*(?:(?:\w+\s+){0,3}(?:this|these|it|its|they|such)|those|both|otherwise|instead)\b", re.IGNORECASE
)
_DEPENDS_ON_TERM = re.compile(
    r"\W*(?:defaults?|(?:the|valid|possible) (?:defaults?|choices|options|values?|units?))\b", re.IGNORECASE
)
_OPENING_FENCE, _CLOSING_FENCE = re.compile(r"(?:```|~~~).*\n"), re.compile(r"\n\s*(?:```|~~~)\s*\Z")
_INDENTED = re.compile(r"\n[ \t]{2,}\Z")
_SKIPPED = (BlockKind.HEADING, BlockKind.FURNITURE, BlockKind.RULE)  # never an answer


class Reads(Protocol):
    """The catalogue reads of candidates."""

    def blocks(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The blocks that overlap a span, in order; tables have at least the cells in it and their headers."""

    def splits_sentence(self, version_id: str, offset: int) -> bool:
        """Whether the offset is inside a sentence."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A candidate: the text at ``span`` of its passage's document.

    ``reading``: the text for encoder and reader. ``kind``: "sentence", "item", "row" or "line". ``hit_rank``: 1-based
    rank of the best retrieved child it overlaps, 0 for none. ``row``: of a table row, its cells and headers. ``prose``:
    whether it is prose and not symbols or data. ``headings``: the heading path above it. ``cell_label``: of a sentence
    in a table cell, the label of the cell, which is also the last of ``headings``; "" for others.
    """

    passage: Passage
    span: Span
    reading: str
    kind: str = "sentence"
    hit_rank: int = 0
    row: Row | None = None
    prose: bool = True
    headings: str = ""
    cell_label: str = ""

    @property
    def text(self) -> str:
        """The text as it is in the document."""
        return self.passage.text[self.span.start - self.passage.start : self.span.end - self.passage.start]


def quotables(passages: Sequence[Passage], hits: Sequence[Hit], reads: Reads) -> list[Quotable]:
    """The candidates in the best passages, by the rank of the retrieved child they overlap, those without one last.

    Half a sentence may say the opposite of the whole, and a question answers nothing: both are left out.
    """
    best = sorted(passages, key=lambda item: item.rank)[:PASSAGES]
    candidates: list[Quotable] = []
    for passage in best:
        children = [
            (rank, Span(hit.start, hit.end))
            for rank, hit in enumerate(hits, start=1)
            if hit.version_id == passage.version_id and hit.start < passage.end and passage.start < hit.end
        ]
        for item in _join_lead_ins(_pieces(passage, reads)):
            hit_rank = next((rank for rank, child in children if child.overlap(item.span)), 0)
            candidates.append(replace(item, hit_rank=hit_rank))
    candidates.sort(key=lambda item: item.hit_rank or len(hits) + 1)  # stable: ties keep the order of the passages
    return candidates[:CANDIDATES]


def _join_lead_ins(pieces: Iterable[Quotable]) -> Iterator[Quotable]:
    """The pieces, with sentences that end with a colon joined to the first line of the listing they introduce.

    One that introduces a table is left out, since it says nothing without the table.
    """
    items = list(pieces)
    for item, after in zip(items, [*items[1:], None], strict=False):
        introduces = item.kind == "sentence" and item.text.rstrip("*_ ").endswith(":")
        if not introduces or after is None or after.kind not in ("row", "line"):
            yield item
        elif after.kind == "line" and after.span.end - item.span.start <= CONTEXT_LENGTH:
            yield replace(item, span=Span(item.span.start, after.span.end), reading=f"{item.reading} {after.reading}")


def _pieces(passage: Passage, reads: Reads) -> Iterator[Quotable]:
    """The candidates of one passage, in text order."""
    headings = " › ".join(passage.headings)
    offset = passage.start
    for block in reads.blocks(passage.version_id, passage.start, passage.end):
        start, end = max(block.start, offset), min(block.end, passage.end)
        items = (*_sentences(passage, offset, start, reads), *_block_pieces(passage, block, start, end, reads))
        yield from (_with_headings(headings, item) for item in items)
        if block.kind is BlockKind.HEADING and start < end:
            headings = passage.text[start - passage.start : end - passage.start].strip("#= \n")
        offset = max(offset, end)
    yield from (_with_headings(headings, item) for item in _sentences(passage, offset, passage.end, reads))


def _with_headings(headings: str, item: Quotable) -> Quotable:
    """The item with its heading path."""
    return replace(item, headings=" › ".join(filter(None, (headings, item.cell_label))))


def _block_pieces(passage: Passage, block: Block, start: int, end: int, reads: Reads) -> Iterator[Quotable]:
    """The candidates of the part ``[start, end)`` of a block."""
    if start >= end or block.kind in _SKIPPED:
        return
    if block.kind is BlockKind.TABLE:
        for row in rows_of(block, Span(passage.start, passage.end)):
            yield from _row_pieces(passage, row, reads)
    elif block.kind is BlockKind.CODE:
        listing = passage.text[start - passage.start : end - passage.start]
        opening, closing = _OPENING_FENCE.match(listing), _CLOSING_FENCE.search(listing)
        first, last = opening.end() if opening else 0, closing.start() if closing else len(listing)
        yield from _sentences(passage, start + first, start + last, reads, "line")
    elif block.kind is BlockKind.LIST:
        for part in _join_definitions(passage, block.parts or (Span(start, end),)):
            if part.overlap(Span(start, end)):
                yield from _list_item(passage, Span(max(part.start, start), min(part.end, end)), part, reads)
    else:
        yield from _sentences(passage, start, end, reads)


def _row_pieces(passage: Passage, row: Row, reads: Reads) -> Iterator[Quotable]:
    """A table row; cells of several sentences are left out of it and come sentence by sentence instead."""
    short_cells: list[int] = []
    sentences: list[Quotable] = []
    for index, cell in enumerate(row.cells):
        label, span = row.cell_label(Span(cell.start, cell.end))
        parts: list[Quotable] = []
        if index and label and span.length > LONG_CELL:
            parts = list(_sentences(passage, span.start, span.end, reads))
        if len(parts) > 1:
            sentences += [replace(part, cell_label=label) for part in parts]
        else:
            short_cells.append(index)
    short_row = row if len(short_cells) == len(row.cells) else row.select(short_cells)
    if len(short_cells) > 1:
        yield Quotable(passage, short_row.span, short_row.reading, "row", row=short_row)
    yield from sentences


def _join_definitions(passage: Passage, parts: Sequence[Span]) -> list[Span]:
    """The items of a list; a term and its definition, indented in the next line, are one."""
    items: list[Span] = []
    for part in parts:
        before = passage.text[: max(part.start - passage.start, 0)]
        first_character = passage.text[len(before) : len(before) + 1]
        defines = items and (first_character.isalpha() or first_character == "`") and _INDENTED.search(before)
        items.append(Span(items.pop().start, part.end) if defines else part)
    return items


def _list_item(passage: Passage, inside: Span, part: Span, reads: Reads) -> Iterator[Quotable]:
    """A list item whole if it is short and the passage contains all of it; else its sentences.

    ``inside``: the part of the item in the passage. ``part``: the whole item.
    """
    if inside == part and inside.length <= SENTENCE:
        yield from _piece(passage, inside, "item", reads)
    else:
        yield from _sentences(passage, inside.start, inside.end, reads)


def _sentences(passage: Passage, start: int, end: int, reads: Reads, kind: str = "sentence") -> Iterator[Quotable]:
    """The sentences of a paragraph or a listing, each with earlier ones that it depends on."""
    spans = sentence_spans(passage.text, start - passage.start, end - passage.start) if end > start else []
    for index, sentence in enumerate(spans):
        first = 0 if _DEPENDS_ON_TERM.match(passage.text, sentence.start) else index
        while first and _DEPENDS_ON_PREVIOUS.match(passage.text, spans[first].start):
            first -= 1
        # The longest context that fits and can be quoted; the sentence alone in any case.
        for begin in (span.start for span in spans[first : index + 1]):
            if begin != sentence.start and sentence.end - begin > CONTEXT_LENGTH:
                continue
            pieces = list(_piece(passage, Span(passage.start + begin, passage.start + sentence.end), kind, reads))
            if pieces:
                yield from pieces
                break


def _piece(passage: Passage, span: Span, kind: str, reads: Reads) -> Iterator[Quotable]:
    """The candidate at a span; none if it is too long, has fewer than two terms, is half a sentence, or asks."""
    text = passage.text[span.start - passage.start : span.end - passage.start]
    if span.length > SENTENCE or len(analyse(text)) < 2 or asks(text):
        return
    if not is_half(span, Span(passage.start, passage.end), partial(reads.splits_sentence, passage.version_id)):
        yield Quotable(passage, span, text, kind, prose=is_prose(text))
