"""A chunk tree with other leaves in it: who belongs to which parent, where the parents end now, and the new chunks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.chunking.edits.edited_leaves import Leaf
from core.chunking.leaves import joined
from core.chunking.plan import ChunkingContext
from core.chunking.prefixes import PATH, encoder_input
from core.chunking.tree import chunk_at, without_overlap_note
from core.types import BlockKind, Chunk, ChunkTree, Span, TokenCounter

EDITED = "edited"  # the key of a chunk's metadata that says how edits made it
_PARENT_BEGINS = "begins: where its first chunk begins since an edit by hand"
_PARENT_ENDS = "ends: where its last chunk ends since an edit by hand"
_LARGER = "edited: larger than the dials allow"
_TRUNCATED = "edited: the encoder reads only"
_UNMEASURED = -1


class Remaker:
    """Makes chunks of a document as its recipe does: prefix, headings, id, and in the end their tokens.

    ``reads``: what the encoder reads of a leaf in tokens, 0 unknown. By hand a leaf may be larger than ``max_tokens``,
    and a parent than its limit: it says so in its reasons, and a leaf that the encoder would read only in part says
    that too.
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
        """A chunk of the level of ``like``, which it begins in or is instead of; not measured yet."""
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
        """The table header or signature a chunk is parted from, and the kind of prefix part it becomes."""
        for part in like.prefix:
            if part.kind not in PATH and part.source is not None and part.source.end <= start:
                return part.source, part.kind
        number = bisect_right(self._tables, start, key=lambda block: block.start) - 1
        if not like.level and number >= 0 and start < self._tables[number].end:
            return self._tables[number].header, "table_header"
        return None, "table_header"

    def measured(self, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """The chunks, drafts among them with their tokens and what is to be said of their size."""
        drafts = [chunk for chunk in chunks if chunk.tokens == _UNMEASURED]
        inputs = [encoder_input(one, self._context.settings.read_prefix) if not one.level else "" for one in drafts]
        own, read = self._counter.count([one.text for one in drafts]), self._counter.count(inputs)
        made = {
            one.chunk_id: self._sized(one, tokens, words, count)
            for one, tokens, words, count in zip(drafts, own, inputs, read, strict=True)
        }
        return tuple(made.get(chunk.chunk_id, chunk) for chunk in chunks)

    def _sized(self, chunk: Chunk, tokens: int, read: str, count: int) -> Chunk:
        """``read``: what the encoder reads of a leaf, ``count`` its tokens; "" and 0 of a parent."""
        settings = self._context.settings
        whole = 0 if chunk.level else count + self._counter.specials
        if settings.unit == "tokens":
            size = tokens if chunk.level else count
        else:
            size = len(chunk.text if chunk.level else read)
        limit = {0: settings.max_tokens, 1: settings.parent_room}.get(chunk.level, size)
        said = [reason for reason in chunk.reasons if not reason.startswith((_LARGER, _TRUNCATED))]
        if size > limit:
            said.append(f"{_LARGER} ({size} > {limit} {settings.unit})")
        if 0 < self._reads < whole:
            said.append(f"{_TRUNCATED} {self._reads} of its {whole} tokens")
        return replace(chunk, tokens=tokens, encoder_tokens=whole, reasons=tuple(said))


def edited_tree(tree: ChunkTree, base: Sequence[Leaf], leaves: Sequence[Leaf], remaker: Remaker) -> ChunkTree:
    """``tree`` with ``leaves`` for ``base``; what is as it was is the same chunk, the rest is made anew."""
    parents = {chunk.chunk_id: chunk.parent_id for chunk in tree.chunks if chunk.level}
    family: dict[str | None, list[Leaf]] = {}
    for leaf in leaves:
        owner = _owner(leaf, base)
        members = family.setdefault(owner, [])
        # A leaf that has become its parent's first has nothing to share with the leaf before it.
        first = not members and leaf.start < leaf.body and not _was_first(leaf, base)
        members.append(replace(leaf, start=leaf.body, chunk=None) if first and owner is not None else leaf)
    before = _extents(parents, ((leaf.chunk.parent_id, leaf.chunk.span) for leaf in base if leaf.chunk))
    now = _extents(parents, ((owner, Span(one.start, one.end)) for owner, held in family.items() for one in held))
    chunks = [_leaf(leaf, None, base, remaker) for leaf in family.get(None, ())]
    names: dict[str | None, str | None] = {None: None}
    for old in tree.chunks:
        if old.chunk_id not in now:
            continue  # a leaf, or a parent without any left
        made = _parent(old, names[old.parent_id], before[old.chunk_id], now[old.chunk_id], remaker)
        names[old.chunk_id] = made.chunk_id
        chunks.append(made)
        chunks += [_leaf(leaf, made.chunk_id, base, remaker) for leaf in family.get(old.chunk_id, ())]
    return ChunkTree(tree.document, remaker.measured(chunks))


def _owner(leaf: Leaf, base: Sequence[Leaf]) -> str | None:
    """The parent that holds most of a leaf's own text, the first of equals."""
    first, last = leaf.holders
    shares: dict[str | None, int] = {}
    for holder in base[first : last + 1]:
        parent = holder.chunk.parent_id if holder.chunk else None
        shares[parent] = shares.get(parent, 0) + min(leaf.end, holder.end) - max(leaf.body, holder.body)
    return max(shares, key=lambda parent: shares[parent])


def _was_first(leaf: Leaf, base: Sequence[Leaf]) -> bool:
    number = leaf.holders[0]
    one, before = base[number].chunk, base[number - 1].chunk if number else None
    return before is None or one is None or before.parent_id != one.parent_id


def _extents(parents: Mapping[str, str | None], held: Iterable[tuple[str | None, Span]]) -> dict[str, Span]:
    """From where to where the leaves of every parent reach, at any level. ``held``: leaves, each with its parent."""
    found: dict[str, Span] = {}
    for owner, span in held:
        while owner is not None:
            known = found.get(owner, span)
            found[owner] = Span(min(known.start, span.start), max(known.end, span.end))
            owner = parents[owner]
    return found


def _parent(old: Chunk, above: str | None, before: Span, now: Span, remaker: Remaker) -> Chunk:
    if now == before:
        return old if old.parent_id == above else replace(old, parent_id=above)
    begins = old.reasons[0] if now.start == before.start else _PARENT_BEGINS
    ends = old.reasons[1] if now.end == before.end else _PARENT_ENDS
    return remaker.draft(old, now, above, (begins, ends, *old.reasons[2:]), old.metadata)


def _leaf(leaf: Leaf, parent: str | None, base: Sequence[Leaf], remaker: Remaker) -> Chunk:
    """A leaf's chunk: as it was, marked where it is pinned, or made anew of those it holds text of."""
    if (chunk := leaf.chunk) is not None:
        missing = tuple(mark for mark in leaf.marks if mark not in chunk.metadata.get(EDITED, ()))
        if not missing:
            return chunk if chunk.parent_id == parent else replace(chunk, parent_id=parent)
        metadata = {**chunk.metadata, EDITED: (*chunk.metadata.get(EDITED, ()), *missing)}
        return replace(chunk, parent_id=parent, metadata=metadata, reasons=(*chunk.reasons, *map(_said, missing)))
    first, last = leaf.holders
    held = [holder.chunk for holder in base[first : last + 1] if holder.chunk is not None]
    metadata = dict(joined([chunk.metadata for chunk in held]))
    if leaf.marks:
        metadata[EDITED] = tuple(dict.fromkeys((*metadata.get(EDITED, ()), *leaf.marks)))
    begins, ends = leaf.begins or held[0].reasons[0], leaf.ends or held[-1].reasons[1]
    if leaf.start == leaf.body:
        begins = without_overlap_note(begins)
    said = tuple(reason for chunk in held for reason in chunk.reasons[2:])
    reasons = tuple(dict.fromkeys((begins, ends, *said, *map(_said, leaf.marks))))
    return remaker.draft(held[0], Span(leaf.start, leaf.end), parent, reasons, metadata)


def _said(mark: str) -> str:
    return "edited: cut short beside an edit by hand" if mark == "trimmed" else f"edited: {mark} by hand"
