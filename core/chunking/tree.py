"""A plan made into chunks: exact sizes, prefixes, ids and levels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.chunking.plan import Frame, Group, Piece, Plan
from core.chunking.prefixes import encoder_input, prefix_text
from core.text.graphemes import boundary_before
from core.text.spans import trim
from core.types import Chunk, ChunkTree, PrefixPart, Span, TokenCounter


def chunk_id(version_id: str, fingerprint: str, level: int, start: int, end: int) -> str:
    """Public and by content: 32 hex digits of SHA-256 over version, recipe, level and span.

    >>> chunk_id("v", "r", 0, 1, 2) == chunk_id("v", "r", 0, 1, 2) != chunk_id("v", "r", 1, 1, 2)
    True
    """
    return hashlib.sha256(f"{version_id}|{fingerprint}|{level}|{start}|{end}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A piece with its prefix, and its tokens as the tokenizer counts them: of the text, and of the encoder's input."""

    piece: Piece
    prefix: tuple[PrefixPart, ...]
    tokens: int
    read: int


def build_tree(frame: Frame, plan: Plan, fingerprint: str) -> ChunkTree:
    """Chunks of a plan, parents before their children. Leaves are measured again and cut until all fit."""
    maker = _Maker(frame, fingerprint)
    families = _limited(frame, list(zip(plan.groups, _fitting(frame, plan), strict=True)))
    rooted = plan.rooted and len(families) > 1
    chunks: list[Chunk] = []
    if rooted:
        whole = Span(families[0].span.start, families[-1].span.end)
        reasons = ("begins: the document starts here", "ends: the document ends here")
        chunks.append(maker.parent(2, None, whole, frame.tokens.exact([whole])[0], reasons))
    root = chunks[0].chunk_id if rooted else None
    for family in families:
        group = family.group
        parent = maker.parent(1, root, family.span, family.tokens, (group.begins, group.ends), group.header)
        chunks.append(parent)
        chunks.extend(maker.leaf(parent.chunk_id, leaf) for leaf in family.leaves)
    return ChunkTree(frame.document, tuple(chunks))


def recounted(tree: ChunkTree, counter: TokenCounter, kinds: Sequence[str]) -> ChunkTree:
    """A tree that was measured in another unit, with the tokens ``counter`` finds in it."""
    tokens = counter.count([chunk.text for chunk in tree.chunks])
    read = iter(counter.count([encoder_input(leaf, kinds) for leaf in tree.leaves]))
    chunks = (
        replace(chunk, tokens=count, encoder_tokens=0 if chunk.level else next(read) + counter.specials)
        for chunk, count in zip(tree.chunks, tokens, strict=True)
    )
    return ChunkTree(tree.document, tuple(chunks))


@dataclass(frozen=True, slots=True)
class _Family:
    """A parent with its measured leaves."""

    group: Group
    leaves: list[_Leaf]
    span: Span
    tokens: int


def _limited(frame: Frame, pairs: list[tuple[Group, list[_Leaf]]]) -> list[_Family]:
    """Families within ``parent_max_tokens`` as the tokenizer counts; one that proves larger is parted at a leaf."""
    limit = frame.settings.parent_max_tokens
    done: list[_Family] = []
    pending = pairs
    while pending:
        spans = [Span(leaves[0].piece.start, leaves[-1].piece.end) for _, leaves in pending]
        halves: list[tuple[Group, list[_Leaf]]] = []
        for (group, leaves), span, tokens in zip(pending, spans, frame.tokens.exact(spans), strict=True):
            if tokens <= limit or len(leaves) == 1:
                done.append(_Family(group, leaves, span, tokens))
                continue
            middle = len(leaves) // 2
            why = f"counted by itself, this stretch has more {frame.settings.unit} than a parent may hold"
            halves.append((replace(group, ends=f"ends: {why}"), leaves[:middle]))
            header = leaves[middle].piece.header
            head = _measured(frame, [_without_overlap(leaves[middle].piece)])
            halves.append((replace(group, begins=f"begins: {why}", header=header), head + leaves[middle + 1 :]))
        pending = halves
    return sorted(done, key=lambda family: (family.span.start, family.span.end))


class _Maker:
    """Makes the chunks of one document under one recipe."""

    def __init__(self, frame: Frame, fingerprint: str) -> None:
        self._frame = frame
        self._fingerprint = fingerprint

    def parent(
        self,
        level: int,
        above: str | None,
        span: Span,
        tokens: int,
        reasons: tuple[str, ...],
        header: Span | None = None,
    ) -> Chunk:
        frame = self._frame
        return Chunk(
            chunk_id=chunk_id(frame.document.version_id, self._fingerprint, level, span.start, span.end),
            level=level,
            parent_id=above,
            start=span.start,
            end=span.end,
            text=frame.document.text[span.start : span.end],
            tokens=tokens,
            headings=frame.outline.texts(frame.outline.body_heading(span.start, span.end)),
            prefix=frame.prefixes.parts(span.start, span.end, header),
            reasons=reasons,
        )

    def leaf(self, parent: str, leaf: _Leaf) -> Chunk:
        frame, piece = self._frame, leaf.piece
        return Chunk(
            chunk_id=chunk_id(frame.document.version_id, self._fingerprint, 0, piece.start, piece.end),
            level=0,
            parent_id=parent,
            start=piece.start,
            end=piece.end,
            text=frame.document.text[piece.start : piece.end],
            tokens=leaf.tokens,
            encoder_tokens=leaf.read + frame.tokens.counter.specials,
            headings=frame.outline.texts(frame.outline.body_heading(piece.start, piece.end)),
            prefix=leaf.prefix,
            reasons=(piece.begins, piece.ends),
        )


def _fitting(frame: Frame, plan: Plan) -> list[list[_Leaf]]:
    """Every group's leaves, measured by the tokenizer itself; one that proves too large is halved until it fits."""
    limit = frame.settings.max_tokens
    pending = [(at, piece) for at, group in enumerate(plan.groups) for piece in group.pieces]
    done: list[list[_Leaf]] = [[] for _ in plan.groups]
    while pending:
        measured = _measured(frame, [piece for _, piece in pending])
        halves: list[tuple[int, Piece]] = []
        for (at, _), leaf in zip(pending, measured, strict=True):
            if leaf.read <= limit:
                done[at].append(leaf)
            elif parts := _halved(frame, leaf.piece):
                halves.extend((at, part) for part in parts)
            else:
                bare = replace(leaf, prefix=(), read=leaf.tokens)  # one grapheme: nothing is left to cut but the prefix
                done[at].append(bare)
        pending = halves
    for members in done:
        members.sort(key=lambda leaf: (leaf.piece.start, leaf.piece.end))
    return done


def _measured(frame: Frame, pieces: list[Piece]) -> list[_Leaf]:
    prefixes = [frame.prefixes.parts(piece.start, piece.end, piece.header) for piece in pieces]
    counts = frame.tokens.exact([Span(piece.start, piece.end) for piece in pieces])
    if frame.tokens.additive:
        reads = [count + frame.prefixes.tokens(prefix) for count, prefix in zip(counts, prefixes, strict=True)]
    else:
        text = frame.document.text
        before = [prefix_text(prefix, frame.settings.prefix) for prefix in prefixes]
        bodies = [text[piece.start : piece.end] for piece in pieces]
        inputs = [f"{one}\n{body}" if one else body for one, body in zip(before, bodies, strict=True)]
        reads = frame.tokens.counter.count(inputs)
    return [_Leaf(*values) for values in zip(pieces, prefixes, counts, reads, strict=True)]


def _halved(frame: Frame, piece: Piece) -> tuple[Piece, ...]:
    """The piece without its overlap, or in two at a word near its middle, else between two graphemes.

    () when it is a single one.
    """
    if piece.start < piece.body:
        return (_without_overlap(piece),)
    text = frame.document.text
    cut = frame.tokens.cut(piece.start, piece.end, frame.tokens.count(piece.start, piece.end) // 2)
    if cut >= piece.end:
        middle = (piece.start + piece.end) // 2
        cut = boundary_before(text, middle, piece.start) if middle > piece.start else piece.end
    left, right = trim(text, piece.start, cut), trim(text, cut, piece.end)
    if left is None or right is None:
        return ()
    why = f"counted by itself, this stretch has more {frame.settings.unit} than fit"
    return (
        replace(piece, start=left.start, end=left.end, ends=f"ends: {why}"),
        replace(piece, start=right.start, body=right.start, end=right.end, begins=f"begins: {why}"),
    )


def _without_overlap(piece: Piece) -> Piece:
    return replace(piece, start=piece.body, begins=piece.begins.partition(", ")[0])
