"""Turns a plan into chunks: exact sizes, prefixes, ids and levels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.cancellation import check_cancelled
from core.chunking.atoms import NO_METADATA
from core.chunking.packing import NO_SECTION, PackItem, pack
from core.chunking.plan import ChunkingContext, Group, Metadata, Piece, Plan
from core.chunking.prefixes import below, encoder_input, prefix_text
from core.text.spans import trim
from core.text.tokens import boundary_before
from core.types import Chunk, ChunkTree, PrefixPart, Span, TokenCounter

# Costs of packing parents into a further level, as fractions of a chunk (see ``packing``).
_CUT_SECTION = 0.05  # for each level of the section that begins there
_CUT_ELSEWHERE = 0.5
_DEEPER, _SIBLING = 0.05, 0.15


@dataclass(frozen=True, slots=True)
class MeasuredLeaf:
    """A planned leaf with its prefix and exact sizes: tokens of its text, and of the encoder's input."""

    piece: Piece
    prefix: tuple[PrefixPart, ...]
    tokens: int
    input_tokens: int


@dataclass(frozen=True, slots=True)
class Parent:
    """A planned parent with its measured leaves; level 1 of the tree."""

    group: Group
    leaves: list[MeasuredLeaf]
    span: Span
    tokens: int


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A chunk above the parents (level 2 and up) and its direct children."""

    level: int
    children: Sequence[Ancestor | Parent]
    span: Span
    tokens: int
    begins: str
    ends: str


def upper_levels(context: ChunkingContext, parents: Sequence[Parent], rooted: bool) -> Sequence[Ancestor | Parent]:
    """The top nodes of the tree: ``parents`` under up to ``settings.levels - 2`` further levels, and a root if asked.

    A level that would have a single chunk is not made, so a short document has fewer levels than a long one.
    """
    nodes: Sequence[Ancestor | Parent] = parents
    limit: float = context.settings.parent_room
    for level in range(2, context.settings.levels):
        limit *= context.settings.parent_ratio
        ranges = pack(_pack_items(context, nodes, int(limit)))
        if len(ranges) < 2:
            break
        nodes = _ancestors(context, nodes, ranges, level, int(limit))
    if rooted and len(nodes) > 1:
        level = 1 + max(node.level if isinstance(node, Ancestor) else 1 for node in nodes)
        whole = Span(nodes[0].span.start, nodes[-1].span.end)
        reasons = ("begins: the document starts here", "ends: the document ends here")
        return [Ancestor(level, nodes, whole, context.tokens.exact([whole])[0], *reasons)]
    return nodes


def _pack_items(context: ChunkingContext, nodes: Sequence[Ancestor | Parent], limit: int) -> list[PackItem]:
    """The nodes as the packer sees them, for chunks of at most ``limit`` tokens."""
    outline, sections = context.outline, context.settings.parents != "ratio"
    items: list[PackItem] = []
    for node in nodes:
        heading = outline.heading_at(node.span.start)
        block = outline.headings[heading].block if heading >= 0 else None
        opens = block.level if sections and block and block.start == node.span.start else NO_SECTION
        cut = _CUT_SECTION * opens if opens < NO_SECTION else _CUT_ELSEWHERE
        first_token, end_token = context.tokens.index(node.span.start), context.tokens.index(node.span.end)
        level = block.level if block else 0
        items.append(PackItem(first_token, end_token, limit, cut, level, opens, _DEEPER, _SIBLING))
    return items


def _ancestors(
    context: ChunkingContext,
    nodes: Sequence[Ancestor | Parent],
    ranges: Sequence[tuple[int, int]],
    level: int,
    limit: int,
) -> list[Ancestor]:
    """One chunk of ``level`` over each range of nodes."""
    spans = [Span(nodes[first].span.start, nodes[last - 1].span.end) for first, last in ranges]
    counts = context.tokens.exact(spans)
    ancestors: list[Ancestor] = []
    full = f"what follows would not fit in {limit} {context.settings.unit}, or opens a section"
    for (first, last), span, tokens in zip(ranges, spans, counts, strict=True):
        begins = "the text starts here" if not first else "the chunk before it on this level ends here"
        ends = "the text ends here" if last == len(nodes) else full
        ancestors.append(Ancestor(level, nodes[first:last], span, tokens, f"begins: {begins}", f"ends: {ends}"))
    return ancestors


_OVERLAP_NOTE = re.compile(r", after \d+ (?:tokens|characters) of overlap$")


def chunk_id(version_id: str, fingerprint: str, level: int, start: int, end: int) -> str:
    """A chunk's stable id: 32 hex digits of SHA-256 over version, recipe, level and span.

    >>> chunk_id("v", "r", 0, 1, 2) == chunk_id("v", "r", 0, 1, 2) != chunk_id("v", "r", 1, 1, 2)
    True
    """
    return hashlib.sha256(f"{version_id}|{fingerprint}|{level}|{start}|{end}".encode()).hexdigest()[:32]


def without_overlap_note(begins: str) -> str:
    """The reason a chunk begins, without the note on its overlap.

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
    metadata: Metadata = NO_METADATA,
    encoder_tokens: int = 0,
) -> Chunk:
    """The chunk of a span: its id, text and headings follow from the span and the recipe's ``fingerprint``."""
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
    """The chunks of a plan, each before its children.

    A plan's sizes are estimates, so leaves are measured with the tokenizer here and halved until all fit.
    """
    parents = _fitting_parents(context, list(zip(plan.groups, _fitting_leaves(context, plan), strict=True)))
    new_chunk = partial(chunk_at, context, fingerprint)
    chunks: list[Chunk] = []

    def add(nodes: Sequence[Ancestor | Parent], parent_id: str | None) -> None:
        for node in nodes:
            group = node.group if isinstance(node, Parent) else Group((), node.begins, node.ends)
            upper = new_chunk(
                1 if isinstance(node, Parent) else node.level,
                node.span,
                parent_id,
                tokens=node.tokens,
                prefix=context.prefixes.parts(node.span.start, node.span.end, group.header, group.header_kind),
                reasons=(group.begins, group.ends, *plan.notes),
                metadata=group.metadata,
            )
            chunks.append(upper)
            if isinstance(node, Ancestor):
                add(node.children, upper.chunk_id)
                continue
            for leaf in node.leaves:
                check_cancelled()
                chunks.append(
                    new_chunk(
                        0,
                        Span(leaf.piece.start, leaf.piece.end),
                        upper.chunk_id,
                        tokens=leaf.tokens,
                        prefix=leaf.prefix,
                        reasons=(leaf.piece.begins, leaf.piece.ends, *plan.notes),
                        metadata=leaf.piece.metadata,
                        encoder_tokens=leaf.input_tokens + context.tokens.counter.specials,
                    )
                )

    add(upper_levels(context, parents, plan.rooted), None)
    return ChunkTree(context.document, tuple(chunks))


def recounted(tree: ChunkTree, counter: TokenCounter, kinds: Sequence[str]) -> ChunkTree:
    """A tree measured in another unit, with all sizes counted again by ``counter``.

    ``kinds``: the kinds of prefix parts that the encoder reads.
    """
    tokens = counter.count([chunk.text for chunk in tree.chunks])
    input_tokens = iter(counter.count([encoder_input(leaf, kinds) for leaf in tree.leaves]))
    chunks = (
        replace(chunk, tokens=count, encoder_tokens=0 if chunk.level else next(input_tokens) + counter.specials)
        for chunk, count in zip(tree.chunks, tokens, strict=True)
    )
    return ChunkTree(tree.document, tuple(chunks))


def _fitting_parents(context: ChunkingContext, pending: list[tuple[Group, list[MeasuredLeaf]]]) -> list[Parent]:
    """Parents within ``settings.parent_room``, counted exactly; one that is larger is halved between two leaves."""
    limit = context.settings.parent_room
    parents: list[Parent] = []
    while pending:
        spans = [Span(leaves[0].piece.start, leaves[-1].piece.end) for _, leaves in pending]
        halves: list[tuple[Group, list[MeasuredLeaf]]] = []
        for (group, leaves), span, tokens in zip(pending, spans, context.tokens.exact(spans), strict=True):
            if tokens <= limit or len(leaves) == 1:
                parents.append(Parent(group, leaves, span, tokens))
                continue
            middle = len(leaves) // 2
            why = f"counted by itself, this stretch has more {context.settings.unit} than a parent may hold"
            halves.append((replace(group, ends=f"ends: {why}"), leaves[:middle]))
            piece = leaves[middle].piece
            head = _measured(context, [_without_overlap(piece)])  # an overlap would reach into the other parent
            second = replace(group, begins=f"begins: {why}", header=piece.header, header_kind=piece.header_kind)
            halves.append((second, head + leaves[middle + 1 :]))
        pending = halves
    return sorted(parents, key=lambda parent: (parent.span.start, parent.span.end))


def _fitting_leaves(context: ChunkingContext, plan: Plan) -> list[list[MeasuredLeaf]]:
    """The leaves of every group within ``settings.max_tokens``, counted exactly; one that is larger is halved."""
    limit = context.settings.max_tokens
    pending = [(number, piece) for number, group in enumerate(plan.groups) for piece in group.pieces]
    fitting: list[list[MeasuredLeaf]] = [[] for _ in plan.groups]
    while pending:
        measured = _measured(context, [piece for _, piece in pending])
        halves: list[tuple[int, Piece]] = []
        for (number, _), leaf in zip(pending, measured, strict=True):
            if leaf.input_tokens <= limit:
                fitting[number].append(leaf)
            elif leaf.piece.row_label:
                halves.append((number, replace(leaf.piece, row_label="")))  # the label gives way before the text does
            elif parts := _halved(context, leaf.piece):
                halves.extend((number, part) for part in parts)
            else:  # a single grapheme: only the prefix can go
                fitting[number].append(replace(leaf, prefix=(), input_tokens=leaf.tokens))
        pending = halves
    return [_in_order(context, leaves) for leaves in fitting]


def _in_order(context: ChunkingContext, leaves: list[MeasuredLeaf]) -> list[MeasuredLeaf]:
    """The leaves sorted by where their bodies begin, none beginning before the one it follows.

    After a leaf was halved, the overlap of the next may cover the whole second half; it loses its overlap then.
    """
    leaves.sort(key=lambda leaf: (leaf.piece.body, leaf.piece.end))
    for at in range(1, len(leaves)):
        if leaves[at].piece.start <= leaves[at - 1].piece.start:
            leaves[at] = _measured(context, [_without_overlap(leaves[at].piece)])[0]
    return leaves


def _measured(context: ChunkingContext, pieces: list[Piece]) -> list[MeasuredLeaf]:
    """The pieces with their prefixes and exact sizes."""
    prefixes = [
        context.prefixes.parts(piece.start, piece.end, piece.header, piece.header_kind, piece.row_label)
        for piece in pieces
    ]
    counts = context.tokens.exact([Span(piece.start, piece.end) for piece in pieces])
    if context.tokens.additive:
        sizes = [count + context.prefixes.tokens(prefix) for count, prefix in zip(counts, prefixes, strict=True)]
    else:
        text = context.document.text
        prefix_texts = [prefix_text(prefix, context.settings.read_prefix) for prefix in prefixes]
        bodies = [text[piece.start : piece.end] for piece in pieces]
        sizes = context.tokens.counter.count(list(map(below, prefix_texts, bodies)))
    return [MeasuredLeaf(*values) for values in zip(pieces, prefixes, counts, sizes, strict=True)]


def _halved(context: ChunkingContext, piece: Piece) -> tuple[Piece, ...]:
    """A smaller version of a piece: without its overlap, else cut in two near its middle.

    The cut is at a word, or between two graphemes of a single word. () for a single grapheme.
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
