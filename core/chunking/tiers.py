"""Levels above the parents: parents gathered into larger ones, as often as asked, and under one root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.chunking.packing import NO_SECTION, Row, pack
from core.chunking.plan import ChunkingContext, Group, Piece
from core.types import PrefixPart, Span

_CUT_SECTION = 0.05  # for each level of the section that begins there
_CUT_ELSEWHERE = 0.5
_DEEPER, _SIBLING = 0.05, 0.15


@dataclass(frozen=True, slots=True)
class Leaf:
    """A piece with its prefix, and its tokens as the tokenizer counts them: of the text, and of the encoder's input."""

    piece: Piece
    prefix: tuple[PrefixPart, ...]
    tokens: int
    read: int


@dataclass(frozen=True, slots=True)
class Family:
    """A parent with its measured leaves."""

    group: Group
    leaves: list[Leaf]
    span: Span
    tokens: int


@dataclass(frozen=True, slots=True)
class Tier:
    """A chunk above the parents: its level, and what is directly below it."""

    level: int
    members: Sequence[Tier | Family]
    span: Span
    tokens: int
    begins: str
    ends: str


def tiered(context: ChunkingContext, families: Sequence[Family], rooted: bool) -> Sequence[Tier | Family]:
    """The tops of the tree: ``families`` under ``settings.levels - 2`` further levels, and under a root where asked.

    A level that would hold one chunk alone is not made: a short document has fewer levels than a long one.
    """
    tops: Sequence[Tier | Family] = families
    limit: float = context.settings.parent_room
    for level in range(2, context.settings.levels):
        limit *= context.settings.parent_ratio
        ranges = pack(_rows(context, tops, int(limit)))
        if len(ranges) < 2:
            break
        tops = _gathered(context, tops, ranges, level, int(limit))
    if rooted and len(tops) > 1:
        level = 1 + max(top.level if isinstance(top, Tier) else 1 for top in tops)
        whole = Span(tops[0].span.start, tops[-1].span.end)
        ends = ("begins: the document starts here", "ends: the document ends here")
        return [Tier(level, tops, whole, context.tokens.exact([whole])[0], *ends)]
    return tops


def _rows(context: ChunkingContext, tops: Sequence[Tier | Family], limit: int) -> list[Row]:
    outline, sections = context.outline, context.settings.parents != "ratio"
    rows: list[Row] = []
    for top in tops:
        heading = outline.heading_at(top.span.start)
        block = outline.headings[heading].block if heading >= 0 else None
        opens = block.level if sections and block and block.start == top.span.start else NO_SECTION
        cut = _CUT_SECTION * opens if opens < NO_SECTION else _CUT_ELSEWHERE
        begin, finish = context.tokens.index(top.span.start), context.tokens.index(top.span.end)
        level = block.level if block else 0
        rows.append(Row(begin, finish, limit, cut, level, opens, _DEEPER, _SIBLING))
    return rows


def _gathered(
    context: ChunkingContext, tops: Sequence[Tier | Family], ranges: Sequence[tuple[int, int]], level: int, limit: int
) -> list[Tier]:
    spans = [Span(tops[first].span.start, tops[last - 1].span.end) for first, last in ranges]
    counts = context.tokens.exact(spans)
    made: list[Tier] = []
    full = f"what follows would not fit in {limit} {context.settings.unit}, or opens a section"
    for (first, last), span, tokens in zip(ranges, spans, counts, strict=True):
        begins = "the text starts here" if not first else "the chunk before it on this level ends here"
        ends = "the text ends here" if last == len(tops) else full
        made.append(Tier(level, tops[first:last], span, tokens, f"begins: {begins}", f"ends: {ends}"))
    return made
