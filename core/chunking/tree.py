"""A plan made into chunks: exact sizes, prefixes, ids and levels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.cancellation import check_cancelled
from core.chunking.atoms import NOTHING
from core.chunking.packing import NO_SECTION, Row, pack
from core.chunking.plan import ChunkingContext, Group, Metadata, Piece, Plan
from core.chunking.prefixes import below, encoder_input, prefix_text
from core.text.spans import trim
from core.text.tokens import boundary_before
from core.types import Chunk, ChunkTree, PrefixPart, Span, TokenCounter

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


_OVERLAP_NOTE = re.compile(r", after \d+ (?:tokens|characters) of overlap$")


def chunk_id(version_id: str, fingerprint: str, level: int, start: int, end: int) -> str:
    """Public and by content: 32 hex digits of SHA-256 over version, recipe, level and span.

    >>> chunk_id("v", "r", 0, 1, 2) == chunk_id("v", "r", 0, 1, 2) != chunk_id("v", "r", 1, 1, 2)
    True
    """
    return hashlib.sha256(f"{version_id}|{fingerprint}|{level}|{start}|{end}".encode()).hexdigest()[:32]


def without_overlap_note(begins: str) -> str:
    """Why a chunk begins where its own text does, without what was said of its overlap.

    >>> without_overlap_note("begins: similarity falls to 0.31, below 0.42, after 12 tokens of overlap")
    'begins: similarity falls to 0.31, below 0.42'
    """
    return _OVERLAP_NOTE.sub("", begins)


def chunk_at(
    context: ChunkingContext,
    fingerprint: str,
    level: int,
    span: Span,
    parent_id: str | None,
    *,
    tokens: int,
    prefix: tuple[PrefixPart, ...],
    reasons: tuple[str, ...],
    metadata: Metadata = NOTHING,
    encoder_tokens: int = 0,
) -> Chunk:
    """A chunk of a document: id, text and headings follow from its place and the recipe's fingerprint."""
    document, outline = context.document, context.outline
    return Chunk(
        chunk_id(document.version_id, fingerprint, level, span.start, span.end),
        level,
        parent_id,
        span.start,
        span.end,
        document.text[span.start : span.end],
        tokens,
        encoder_tokens,
        outline.texts(outline.path_over(span.start, span.end)),
        prefix,
        reasons,
        metadata,
    )


def build_tree(context: ChunkingContext, plan: Plan, fingerprint: str) -> ChunkTree:
    """Chunks of a plan, parents before their children. Leaves are measured again and cut until all fit."""
    families = _limited(context, list(zip(plan.groups, _fitting(context, plan), strict=True)))
    made = partial(chunk_at, context, fingerprint)
    chunks: list[Chunk] = []

    def add(tops: Sequence[Tier | Family], above: str | None) -> None:
        for top in tops:
            group = top.group if isinstance(top, Family) else Group((), top.begins, top.ends)
            upper = made(
                1 if isinstance(top, Family) else top.level,
                top.span,
                above,
                tokens=top.tokens,
                prefix=context.prefixes.parts(top.span.start, top.span.end, group.header, group.header_kind),
                reasons=(group.begins, group.ends, *plan.notes),
                metadata=group.metadata,
            )
            chunks.append(upper)
            if isinstance(top, Tier):
                add(top.members, upper.chunk_id)
                continue
            for leaf in top.leaves:
                check_cancelled()
                own = made(
                    0,
                    Span(leaf.piece.start, leaf.piece.end),
                    upper.chunk_id,
                    tokens=leaf.tokens,
                    prefix=leaf.prefix,
                    reasons=(leaf.piece.begins, leaf.piece.ends, *plan.notes),
                    metadata=leaf.piece.metadata,
                    encoder_tokens=leaf.read + context.tokens.counter.specials,
                )
                chunks.append(own)

    add(tiered(context, families, plan.rooted), None)
    return ChunkTree(context.document, tuple(chunks))


def recounted(tree: ChunkTree, counter: TokenCounter, kinds: Sequence[str]) -> ChunkTree:
    """A tree that was measured in another unit, with the tokens ``counter`` finds in it."""
    tokens = counter.count([chunk.text for chunk in tree.chunks])
    read = iter(counter.count([encoder_input(leaf, kinds) for leaf in tree.leaves]))
    chunks = (
        replace(chunk, tokens=count, encoder_tokens=0 if chunk.level else next(read) + counter.specials)
        for chunk, count in zip(tree.chunks, tokens, strict=True)
    )
    return ChunkTree(tree.document, tuple(chunks))


def _limited(context: ChunkingContext, pairs: list[tuple[Group, list[Leaf]]]) -> list[Family]:
    """Families within ``parent_max_tokens`` as the tokenizer counts; one that proves larger is parted at a leaf."""
    limit = context.settings.parent_room
    done: list[Family] = []
    pending = pairs
    while pending:
        spans = [Span(leaves[0].piece.start, leaves[-1].piece.end) for _, leaves in pending]
        halves: list[tuple[Group, list[Leaf]]] = []
        for (group, leaves), span, tokens in zip(pending, spans, context.tokens.exact(spans), strict=True):
            if tokens <= limit or len(leaves) == 1:
                done.append(Family(group, leaves, span, tokens))
                continue
            middle = len(leaves) // 2
            why = f"counted by itself, this stretch has more {context.settings.unit} than a parent may hold"
            halves.append((replace(group, ends=f"ends: {why}"), leaves[:middle]))
            piece = leaves[middle].piece
            head = _measured(context, [_without_overlap(piece)])
            begun = replace(group, begins=f"begins: {why}", header=piece.header, header_kind=piece.header_kind)
            halves.append((begun, head + leaves[middle + 1 :]))
        pending = halves
    return sorted(done, key=lambda family: (family.span.start, family.span.end))


def _fitting(context: ChunkingContext, plan: Plan) -> list[list[Leaf]]:
    """Every group's leaves, measured by the tokenizer itself; one that proves too large is halved until it fits."""
    limit = context.settings.max_tokens
    pending = [(at, piece) for at, group in enumerate(plan.groups) for piece in group.pieces]
    done: list[list[Leaf]] = [[] for _ in plan.groups]
    while pending:
        measured = _measured(context, [piece for _, piece in pending])
        halves: list[tuple[int, Piece]] = []
        for (at, _), leaf in zip(pending, measured, strict=True):
            if leaf.read <= limit:
                done[at].append(leaf)
            elif leaf.piece.said:
                halves.append((at, replace(leaf.piece, said="")))  # the text is read in any case
            elif parts := _halved(context, leaf.piece):
                halves.extend((at, part) for part in parts)
            else:
                bare = replace(leaf, prefix=(), read=leaf.tokens)  # one grapheme: nothing is left to cut but the prefix
                done[at].append(bare)
        pending = halves
    return [_in_order(context, members) for members in done]


def _in_order(context: ChunkingContext, leaves: list[Leaf]) -> list[Leaf]:
    """Leaves by where their bodies begin. Where one was halved, the next may reach back over the whole second half:
    it does without its overlap then, so that no leaf begins before the one it follows.
    """
    leaves.sort(key=lambda leaf: (leaf.piece.body, leaf.piece.end))
    for at in range(1, len(leaves)):
        if leaves[at].piece.start <= leaves[at - 1].piece.start:
            leaves[at] = _measured(context, [_without_overlap(leaves[at].piece)])[0]
    return leaves


def _measured(context: ChunkingContext, pieces: list[Piece]) -> list[Leaf]:
    prefixes = [
        context.prefixes.parts(piece.start, piece.end, piece.header, piece.header_kind, piece.said) for piece in pieces
    ]
    counts = context.tokens.exact([Span(piece.start, piece.end) for piece in pieces])
    if context.tokens.additive:
        reads = [count + context.prefixes.tokens(prefix) for count, prefix in zip(counts, prefixes, strict=True)]
    else:
        text = context.document.text
        before = [prefix_text(prefix, context.settings.read_prefix) for prefix in prefixes]
        bodies = [text[piece.start : piece.end] for piece in pieces]
        reads = context.tokens.counter.count(list(map(below, before, bodies)))
    return [Leaf(*values) for values in zip(pieces, prefixes, counts, reads, strict=True)]


def _halved(context: ChunkingContext, piece: Piece) -> tuple[Piece, ...]:
    """The piece without its overlap, or in two at a word near its middle, else between two graphemes.

    () when it is a single one.
    """
    if piece.start < piece.body:
        return (_without_overlap(piece),)
    text = context.document.text
    cut = context.tokens.cut(piece.start, piece.end, context.tokens.count(piece.start, piece.end) // 2)
    if cut >= piece.end:
        middle = (piece.start + piece.end) // 2
        cut = boundary_before(text, middle, piece.start) if middle > piece.start else piece.end
    left, right = trim(text, piece.start, cut), trim(text, cut, piece.end)
    if left is None or right is None:
        return ()
    why = f"counted by itself, this stretch has more {context.settings.unit} than fit"
    return (
        replace(piece, start=left.start, end=left.end, ends=f"ends: {why}"),
        replace(piece, start=right.start, body=right.start, end=right.end, begins=f"begins: {why}"),
    )


def _without_overlap(piece: Piece) -> Piece:
    return replace(piece, start=piece.body, begins=without_overlap_note(piece.begins))
