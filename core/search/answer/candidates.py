"""What an answer line may quote: sentences, rows of tables, whole items of lists and lines of listings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Protocol

from core.evidence import Hit, Passage
from core.search.answer.prose import OPENING, ROW, is_prose, quotable_lines
from core.search.answer.rows import Row, rows_of
from core.text.analysis import analyse
from core.text.cited import is_reference_heading
from core.text.sentences import asks, is_half, sentence_spans
from core.types import Block, BlockKind, Span

# So many of the best passages are read, and so many candidates of them weighed.
PASSAGES = 6
CANDIDATES = 64
# Characters of a sentence with the one it leans on.
LEANING = 400
CELL = 120  # characters of a cell, beyond which its sentences can be quoted by themselves
SENTENCE, LONGEST = 600, 900  # characters of a sentence or line, and of a quote, which may be a whole list
_RAW = (BlockKind.CODE, BlockKind.HTML, BlockKind.FRONT_MATTER)
# Begins a sentence that says nothing without the one before it, or without the term its paragraph begins with.
_LEANS = re.compile(
    r"\W*(?:(?:\w+\s+){0,3}(?:this|these|it|its|they|such)|those|both|otherwise|instead)\b", re.IGNORECASE
)
_OF_A_TERM = re.compile(
    r"\W*(?:defaults?|(?:the|valid|possible) (?:defaults?|choices|options|values?|units?))\b", re.IGNORECASE
)
_MARKUP = re.compile(r"(?:```|~~~)[\w-]*|<[^<>]*>")  # alone in its line, which says nothing
_INDENTED = re.compile(r"\n[ \t]{2,}\Z")
_NEITHER = (BlockKind.HEADING, BlockKind.FURNITURE, BlockKind.RULE)  # they name a topic, and answer nothing


class Reads(Protocol):
    """The catalogue as candidates need it."""

    def blocks(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The blocks that reach into a span, in order, tables with at least the cells in it and their headers."""

    def cut(self, version_id: str, place: int) -> bool:
        """Whether a passage that begins or ends there parts a sentence."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A piece at ``span`` of its passage's document. ``reading``: in the words the encoder and the reader get.

    ``kind``: "sentence", "item", "row" or "line". ``standing``: 1-based rank of the best retrieved child it stands in,
    0 in none. ``row``: of a table, its cells and their headers. ``whole``: it can be quoted; half a sentence, a
    question and a row whose cells nobody read are weighed as evidence alone. ``prose``: words, and not marks or a list
    of references, make it up. ``under``: the headings it stands below. ``told``: of a sentence in a cell, what the cell
    is of, which is the last of ``under``; "" for any other.
    """

    passage: Passage
    span: Span
    reading: str
    kind: str = "sentence"
    standing: int = 0
    row: Row | None = None
    whole: bool = True
    prose: bool = True
    under: str = ""
    told: str = ""

    @property
    def text(self) -> str:
        """The document's own text."""
        return self.passage.text[self.span.start - self.passage.start : self.span.end - self.passage.start]


def quotables(passages: Sequence[Passage], hits: Sequence[Hit], reads: Reads) -> list[Quotable]:
    """What can be quoted of the best passages, in the order the search found it: by the rank of the child it stands in,
    then what stands around the children.

    Half a sentence may say the contrary of the whole, and one that asks answers nothing: both are evidence alone.
    """
    best = sorted(passages, key=lambda item: item.rank)[:PASSAGES]
    found: list[Quotable] = []
    for passage in best:
        children = [
            (rank, Span(hit.start, hit.end))
            for rank, hit in enumerate(hits, start=1)
            if hit.version_id == passage.version_id and hit.start < passage.end and passage.start < hit.end
        ]
        for item in _leading(_pieces(passage, reads)):
            standing = next((rank for rank, child in children if child.overlap(item.span)), 0)
            found.append(replace(item, standing=standing))
    # Python's sort is stable: what stands around the children keeps the order of its passages.
    found.sort(key=lambda item: item.standing or len(hits) + 1)
    return found[:CANDIDATES]


def _leading(pieces: Iterable[Quotable]) -> Iterator[Quotable]:
    """The pieces; a sentence that leads a listing in, together with its first line. What leads a table in says nothing
    without it, and is evidence alone.
    """
    held = list(pieces)
    for item, after in zip(held, [*held[1:], None], strict=False):
        leads = item.kind == "sentence" and item.text.rstrip("*_ ").endswith(":")
        if leads and after and after.kind == "line" and after.span.end - item.span.start <= LEANING:
            yield replace(item, span=Span(item.span.start, after.span.end), reading=f"{item.reading} {after.reading}")
        else:
            yield replace(item, whole=False) if leads and after and after.kind in ("row", "line") else item


def _pieces(passage: Passage, reads: Reads) -> Iterator[Quotable]:
    """The candidates of one passage, in text order."""
    under = " › ".join(passage.headings)
    at = passage.start
    for block in reads.blocks(passage.version_id, passage.start, passage.end):
        start, end = max(block.start, at), min(block.end, passage.end)
        said = (*_sentences(passage, at, start, reads), *_of_block(passage, block, start, end, reads))
        yield from (_below(under, item) for item in said)
        if block.kind is BlockKind.HEADING and start < end:
            under = passage.text[start - passage.start : end - passage.start].strip("#= \n")
        at = max(at, end)
    yield from (_below(under, item) for item in _sentences(passage, at, passage.end, reads))


def _below(headings: str, item: Quotable) -> Quotable:
    """The item with what stands above it; an entry of a list of references is no prose."""
    cited = is_reference_heading(headings.rpartition(" › ")[2])
    under = " › ".join(filter(None, (headings, item.told)))
    return replace(item, under=under, prose=item.prose and not cited)


def _of_block(passage: Passage, block: Block, start: int, end: int, reads: Reads) -> Iterator[Quotable]:
    """The candidates of the part ``[start, end)`` of a block."""
    if start < end:
        if block.kind is BlockKind.TABLE:
            inside = Span(passage.start, passage.end)
            rows = [_row(passage, row, reads) for row in rows_of(block, inside)]
            lines = () if rows else _sentences(passage, start, end, reads)
            yield from chain.from_iterable(rows)
            yield from (replace(line, whole=False) for line in lines)
        elif block.kind in _RAW:
            yield from _lines(passage, start, end)
        elif block.kind is BlockKind.LIST:
            for part in _with_terms(passage, block.parts or (Span(start, end),)):
                if part.overlap(Span(start, end)):
                    yield from _item(passage, Span(max(part.start, start), min(part.end, end)), part, reads)
        elif block.kind not in _NEITHER:
            yield from _sentences(passage, start, end, reads)


def _row(passage: Passage, row: Row, reads: Reads) -> Iterator[Quotable]:
    """A row of a table; a cell that is a paragraph by its sentences, for one of them may be all that is asked for."""
    kept, lines = [], list[Quotable]()
    for place, cell in enumerate(row.cells):
        told, span = row.told(Span(cell.start, cell.end))
        said = list(_sentences(passage, span.start, span.end, reads)) if place and told and span.length > CELL else []
        lines += [replace(line, told=told) for line in said] if len(said) > 1 else []
        kept += [place] if len(said) < 2 else []
    short = row if len(kept) == len(row.cells) else row.only(kept)
    if len(kept) > 1:
        yield Quotable(passage, short.span, short.reading, "row", row=short)
    yield from lines


def _with_terms(passage: Passage, parts: Sequence[Span]) -> list[Span]:
    """The items of a list, a term and what is said of it, indented in the next line, as one."""
    found: list[Span] = []
    for part in parts:
        text = passage.text[: max(part.start - passage.start, 0)]
        begun = passage.text[len(text) : len(text) + 1]
        defines = found and (begun.isalpha() or begun == "`") and _INDENTED.search(text)
        found.append(Span(found.pop().start, part.end) if defines else part)
    return found


def _item(passage: Passage, inside: Span, part: Span, reads: Reads) -> Iterator[Quotable]:
    """An item of a list whole, where it is short enough and the passage holds all of it; else by sentences."""
    if inside == part and inside.length <= SENTENCE:
        yield from _made(passage, inside, "item", reads)
    else:
        yield from _sentences(passage, inside.start, inside.end, reads)


def _sentences(passage: Passage, start: int, end: int, reads: Reads) -> Iterator[Quotable]:
    """The sentences of a paragraph; one that leans on others together with them."""
    places = sentence_spans(passage.text, start - passage.start, end - passage.start) if end > start else []
    for at, place in enumerate(places):
        first = 0 if _OF_A_TERM.match(passage.text, place.start) else at
        while first and _LEANS.match(passage.text, places[first].start):
            first -= 1
        for begin in (one.start for one in places[first : at + 1] if place.end - one.start <= LEANING or one == place):
            made = list(_made(passage, Span(passage.start + begin, passage.start + place.end), "sentence", reads))
            if begin == place.start or any(item.whole for item in made):
                yield from made
                break


def _lines(passage: Passage, start: int, end: int) -> Iterator[Quotable]:
    for place in quotable_lines(passage.text, start - passage.start, end - passage.start):
        text = passage.text[place.start : place.end]
        span = Span(passage.start + place.start, passage.start + place.end)
        if span.length <= SENTENCE and analyse(text):
            whole = not asks(text) and not _MARKUP.fullmatch(text.strip())
            yield Quotable(passage, span, text, "line", whole=whole, prose=is_prose(text, in_code=True))


def _made(passage: Passage, span: Span, kind: str, reads: Reads) -> Iterator[Quotable]:
    text = passage.text[span.start - passage.start : span.end - passage.start]
    if span.length > SENTENCE or len(analyse(text)) < 2:
        return
    half = is_half(span, Span(passage.start, passage.end), partial(reads.cut, passage.version_id))
    whole = not half and not asks(text) and not ROW.search(text) and not OPENING.match(text)
    yield Quotable(passage, span, text, kind, whole=whole, prose=is_prose(text))
