"""Puts edited leaves into a chunk tree: assigns them to parents, updates the parents' spans, makes the new chunks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.chunking.edits.edited_leaves import LeafExtent
from core.chunking.leaves import merge_metadata
from core.chunking.plan import ChunkingContext
from core.chunking.prefixes import PATH, encoder_input
from core.chunking.tree import chunk_at, without_overlap_note
from core.types import BlockKind, Chunk, ChunkTree, Span, TokenCounter

EDITED = "edited"  # metadata key: the edits that made the chunk
_PARENT_BEGINS = "begins: where its first chunk begins since an edit by hand"
_PARENT_ENDS = "ends: where its last chunk ends since an edit by hand"
_LARGER = "edited: larger than the dials allow"
_TRUNCATED = "edited: the encoder reads only"
_UNMEASURED = -1


class ChunkBuilder:
    """Makes new chunks of a document with the same recipe (id, prefix, headings), and measures them.

    ``reads``: the encoder's input limit in tokens; 0 means unknown. An edited chunk may exceed its size limit or the
    encoder's; its reasons say so then.
    """

    def __init__(self, context: ChunkingContext, fingerprint: str, counter: TokenCounter, reads: int = 0) -> None:
        self._context, self._fingerprint, self._counter, self._reads = context, fingerprint, counter, reads
        blocks = context.document.blocks
        self._tables = [block for block in blocks if block.kind == BlockKind.TABLE and block.header]

    def draft(
        self,
        like: Chunk,
        span: Span,
        parent_id: str | None,
        reasons: Sequence[str],
        metadata: Mapping[str, tuple[str, ...]],
    ) -> Chunk:
        """A chunk that is not measured yet. ``like``: the chunk that it begins in or replaces; gives the level."""
        return chunk_at(
            self._context,
            self._fingerprint,
            like.level,
            span,
            parent_id,
            tokens=_UNMEASURED,
            prefix=self._context.prefixes.parts(span.start, span.end, *self._header(like, span.start)),
            reasons=tuple(reasons),
            metadata=metadata,
        )

    def _header(self, like: Chunk, start: int) -> tuple[Span | None, str]:
        """The table header or signature to repeat before a chunk, and its kind of prefix part."""
        for part in like.prefix:
            if part.kind not in PATH and part.source is not None and part.source.end <= start:
                return part.source, part.kind
        number = bisect_right(self._tables, start, key=lambda block: block.start) - 1
        if not like.level and number >= 0 and start < self._tables[number].end:
            return self._tables[number].header, "table_header"
        return None, "table_header"

    def measured(self, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """The chunks, with the sizes of drafts, and reasons for those above a limit."""
        drafts = [chunk for chunk in chunks if chunk.tokens == _UNMEASURED]
        inputs = [encoder_input(one, self._context.settings.read_prefix) if not one.level else "" for one in drafts]
        text_tokens, input_tokens = self._counter.count([one.text for one in drafts]), self._counter.count(inputs)
        by_id = {
            one.chunk_id: self._sized(one, tokens, encoder_text, size)
            for one, tokens, encoder_text, size in zip(drafts, text_tokens, inputs, input_tokens, strict=True)
        }
        return tuple(by_id.get(chunk.chunk_id, chunk) for chunk in chunks)

    def _sized(self, chunk: Chunk, tokens: int, encoder_text: str, input_tokens: int) -> Chunk:
        """A draft with its sizes. ``encoder_text``: the encoder's input, "" for a parent."""
        settings = self._context.settings
        encoder_tokens = 0 if chunk.level else input_tokens + self._counter.specials
        if settings.unit == "tokens":
            size = tokens if chunk.level else input_tokens
        else:
            size = len(chunk.text if chunk.level else encoder_text)
        limit = {0: settings.max_tokens, 1: settings.parent_room}.get(chunk.level, size)
        reasons = [reason for reason in chunk.reasons if not reason.startswith((_LARGER, _TRUNCATED))]
        if size > limit:
            reasons.append(f"{_LARGER} ({size} > {limit} {settings.unit})")
        if 0 < self._reads < encoder_tokens:
            reasons.append(f"{_TRUNCATED} {self._reads} of its {encoder_tokens} tokens")
        return replace(chunk, tokens=tokens, encoder_tokens=encoder_tokens, reasons=tuple(reasons))


def edited_tree(
    tree: ChunkTree, base: Sequence[LeafExtent], leaves: Sequence[LeafExtent], builder: ChunkBuilder
) -> ChunkTree:
    """``tree`` with ``leaves`` in place of ``base``. Unchanged chunks are kept, others are made by ``builder``."""
    parent_of = {chunk.chunk_id: chunk.parent_id for chunk in tree.chunks if chunk.level}
    children: dict[str | None, list[LeafExtent]] = {}
    for leaf in leaves:
        parent_id = _parent_id(leaf, base)
        siblings = children.setdefault(parent_id, [])
        # A parent's first leaf has no overlap, as overlap never leaves the parent.
        new_first = not siblings and leaf.start < leaf.body and not _was_first_of_parent(leaf, base)
        siblings.append(replace(leaf, start=leaf.body, chunk=None) if new_first and parent_id is not None else leaf)
    old_spans = _parent_spans(parent_of, ((leaf.chunk.parent_id, leaf.chunk.span) for leaf in base if leaf.chunk))
    new_spans = _parent_spans(
        parent_of, ((parent_id, Span(one.start, one.end)) for parent_id, extents in children.items() for one in extents)
    )
    chunks = [_leaf(leaf, None, base, builder) for leaf in children.get(None, ())]
    new_ids: dict[str | None, str | None] = {None: None}
    for old in tree.chunks:
        if old.chunk_id not in new_spans:
            continue  # a leaf, or a parent without leaves
        parent = _parent(old, new_ids[old.parent_id], old_spans[old.chunk_id], new_spans[old.chunk_id], builder)
        new_ids[old.chunk_id] = parent.chunk_id
        chunks.append(parent)
        chunks += [_leaf(leaf, parent.chunk_id, base, builder) for leaf in children.get(old.chunk_id, ())]
    return ChunkTree(tree.document, builder.measured(chunks))


def _parent_id(leaf: LeafExtent, base: Sequence[LeafExtent]) -> str | None:
    """The parent that had most of a leaf's own text; the first of equals."""
    first, last = leaf.base_range
    shares: dict[str | None, int] = {}
    for old in base[first : last + 1]:
        parent = old.chunk.parent_id if old.chunk else None
        shares[parent] = shares.get(parent, 0) + min(leaf.end, old.end) - max(leaf.body, old.body)
    return max(shares, key=lambda parent: shares[parent])


def _was_first_of_parent(leaf: LeafExtent, base: Sequence[LeafExtent]) -> bool:
    """Whether the base leaf that a leaf begins in was the first of its parent."""
    number = leaf.base_range[0]
    one, before = base[number].chunk, base[number - 1].chunk if number else None
    return before is None or one is None or before.parent_id != one.parent_id


def _parent_spans(parent_of: Mapping[str, str | None], leaves: Iterable[tuple[str | None, Span]]) -> dict[str, Span]:
    """The span that the leaves of each parent cover, at every level. ``leaves``: (parent id, span)."""
    spans: dict[str, Span] = {}
    for parent_id, leaf_span in leaves:
        while parent_id is not None:
            span = spans.get(parent_id, leaf_span)
            spans[parent_id] = Span(min(span.start, leaf_span.start), max(span.end, leaf_span.end))
            parent_id = parent_of[parent_id]
    return spans


def _parent(old: Chunk, parent_id: str | None, old_span: Span, new_span: Span, builder: ChunkBuilder) -> Chunk:
    """A parent with a new span and parent id; the same chunk where both are unchanged."""
    if new_span == old_span:
        return old if old.parent_id == parent_id else replace(old, parent_id=parent_id)
    begins = old.reasons[0] if new_span.start == old_span.start else _PARENT_BEGINS
    ends = old.reasons[1] if new_span.end == old_span.end else _PARENT_ENDS
    return builder.draft(old, new_span, parent_id, (begins, ends, *old.reasons[2:]), old.metadata)


def _leaf(leaf: LeafExtent, parent_id: str | None, base: Sequence[LeafExtent], builder: ChunkBuilder) -> Chunk:
    """The chunk of a leaf: the old chunk, with new marks added, or a new one made from the old chunks it overlaps."""
    if (chunk := leaf.chunk) is not None:
        new_marks = tuple(mark for mark in leaf.marks if mark not in chunk.metadata.get(EDITED, ()))
        if not new_marks:
            return chunk if chunk.parent_id == parent_id else replace(chunk, parent_id=parent_id)
        metadata = {**chunk.metadata, EDITED: (*chunk.metadata.get(EDITED, ()), *new_marks)}
        reasons = (*chunk.reasons, *map(_reason_for_mark, new_marks))
        return replace(chunk, parent_id=parent_id, metadata=metadata, reasons=reasons)
    first, last = leaf.base_range
    sources = [old.chunk for old in base[first : last + 1] if old.chunk is not None]
    metadata = dict(merge_metadata([chunk.metadata for chunk in sources]))
    if leaf.marks:
        metadata[EDITED] = tuple(dict.fromkeys((*metadata.get(EDITED, ()), *leaf.marks)))
    begins, ends = leaf.begins or sources[0].reasons[0], leaf.ends or sources[-1].reasons[1]
    if leaf.start == leaf.body:
        begins = without_overlap_note(begins)
    notes = [reason for chunk in sources for reason in chunk.reasons[2:]]
    reasons = tuple(dict.fromkeys((begins, ends, *notes, *map(_reason_for_mark, leaf.marks))))
    return builder.draft(sources[0], Span(leaf.start, leaf.end), parent_id, reasons, metadata)


def _reason_for_mark(mark: str) -> str:
    return "edited: cut short beside an edit by hand" if mark == "trimmed" else f"edited: {mark} by hand"
