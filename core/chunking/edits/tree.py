"""A chunk tree with other leaves in it: who belongs to which parent, and where the parents end now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.chunking.edits.leaves import Leaf
from core.chunking.tree import without_overlap_note
from core.types import Chunk, ChunkTree, Span

EDITED = "edited"  # the key of a chunk's metadata that says how edits made it
_PARENT_BEGINS = "begins: where its first chunk begins since an edit by hand"
_PARENT_ENDS = "ends: where its last chunk ends since an edit by hand"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chunk to be made. ``like``: the chunk of the tree as it was that it begins in, or that it is instead of."""

    level: int
    start: int
    end: int
    parent_id: str | None
    reasons: tuple[str, ...]
    like: Chunk
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


Remake = Callable[[Sequence[Wanted]], list[Chunk]]
"""Chunks as the recipe makes them: text, tokens, headings, prefix and id; reasons and metadata as they are wanted."""


@dataclass(slots=True)
class _Node:
    """A parent as it was, what is directly below it now, and the extent of what was."""

    chunk: Chunk
    before: Span
    nodes: list[_Node] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)

    @property
    def span(self) -> Span:
        if self.leaves:
            return Span(self.leaves[0].start, self.leaves[-1].end)
        return Span(self.nodes[0].span.start, self.nodes[-1].span.end)


def edited_tree(tree: ChunkTree, base: Sequence[Leaf], leaves: Sequence[Leaf], remake: Remake) -> ChunkTree:
    """``tree`` with ``leaves`` for ``base``; what is as it was is the same chunk, the rest is made by ``remake``."""
    owners = [_owner(leaf, base) for leaf in leaves]
    family: dict[str | None, list[Leaf]] = {}
    for leaf, owner in zip(leaves, owners, strict=True):
        members = family.setdefault(owner, [])
        # A leaf that has become its parent's first has nothing to share with the leaf before it.
        first = not members and leaf.start < leaf.body and not _was_first(leaf, base)
        members.append(replace(leaf, start=leaf.body, chunk=None) if first and owner is not None else leaf)
    if None in family:
        return ChunkTree(tree.document, tuple(_made(family[None], None, base, remake)))
    tops = _nodes(tree, family)
    chunks: list[Chunk] = []
    _emit(tops, None, base, remake, chunks)
    return ChunkTree(tree.document, tuple(chunks))


def _owner(leaf: Leaf, base: Sequence[Leaf]) -> str | None:
    """The parent that holds most of a leaf's own text, the first of equals."""
    first, last = leaf.holders
    shares: dict[str | None, int] = {}
    for holder in base[first : last + 1]:
        chunk = holder.chunk
        shared = min(leaf.end, holder.end) - max(leaf.body, holder.body)
        parent = chunk.parent_id if chunk else None
        shares[parent] = shares.get(parent, 0) + shared
    return max(shares, key=lambda parent: shares[parent])


def _was_first(leaf: Leaf, base: Sequence[Leaf]) -> bool:
    number = leaf.holders[0]
    one, before = base[number].chunk, base[number - 1].chunk if number else None
    return before is None or one is None or before.parent_id != one.parent_id


def _nodes(tree: ChunkTree, family: Mapping[str | None, list[Leaf]]) -> list[_Node]:
    """The parents that have leaves left, as a forest in text order."""
    parents = {chunk.chunk_id: chunk.parent_id for chunk in tree.chunks if chunk.level}
    extents: dict[str, Span] = {}
    for chunk in tree.chunks:
        if chunk.parent_id is not None:
            known = extents.get(chunk.parent_id, chunk.span)
            extents[chunk.parent_id] = Span(min(known.start, chunk.start), max(known.end, chunk.end))
    alive: set[str] = set()
    for owner in family:
        while owner is not None and owner not in alive:
            alive.add(owner)
            owner = parents[owner]
    tops: list[_Node] = []
    nodes: dict[str, _Node] = {}
    for chunk in tree.chunks:
        if chunk.chunk_id in alive:
            node = _Node(chunk, extents[chunk.chunk_id], leaves=family.get(chunk.chunk_id, []))
            nodes[chunk.chunk_id] = node
            (tops if chunk.parent_id is None else nodes[chunk.parent_id].nodes).append(node)
    return tops


def _emit(nodes: Sequence[_Node], above: str | None, base: Sequence[Leaf], remake: Remake, chunks: list[Chunk]) -> None:
    for node in nodes:
        old, span = node.chunk, node.span
        if span == node.before:
            made = old if old.parent_id == above else replace(old, parent_id=above)
        else:
            begins = old.reasons[0] if span.start == node.before.start else _PARENT_BEGINS
            ends = old.reasons[1] if span.end == node.before.end else _PARENT_ENDS
            reasons = (begins, ends, *old.reasons[2:])
            (made,) = remake([Wanted(old.level, span.start, span.end, above, reasons, old, old.metadata)])
        chunks.append(made)
        _emit(node.nodes, made.chunk_id, base, remake, chunks)
        chunks.extend(_made(node.leaves, made.chunk_id, base, remake))


def _made(leaves: Sequence[Leaf], parent: str | None, base: Sequence[Leaf], remake: Remake) -> list[Chunk]:
    """The leaves' chunks: those that are as they were, marked where they are pinned, the others made anew."""
    wanted = [_wanted(leaf, parent, base) for leaf in leaves if leaf.chunk is None]
    new = iter(remake(wanted) if wanted else ())
    return [next(new) if leaf.chunk is None else _kept(leaf.chunk, parent, leaf.marks) for leaf in leaves]


def _kept(chunk: Chunk, parent: str | None, marks: tuple[str, ...]) -> Chunk:
    if chunk.parent_id != parent:
        chunk = replace(chunk, parent_id=parent)
    missing = tuple(mark for mark in marks if mark not in chunk.metadata.get(EDITED, ()))
    if not missing:
        return chunk
    metadata = {**chunk.metadata, EDITED: (*chunk.metadata.get(EDITED, ()), *missing)}
    return replace(chunk, metadata=metadata, reasons=(*chunk.reasons, *map(_said, missing)))


def _wanted(leaf: Leaf, parent: str | None, base: Sequence[Leaf]) -> Wanted:
    first, last = leaf.holders
    held = [holder.chunk for holder in base[first : last + 1] if holder.chunk is not None]
    metadata: dict[str, tuple[str, ...]] = {}
    for chunk in held:
        for name, values in chunk.metadata.items():
            metadata[name] = tuple(dict.fromkeys((*metadata.get(name, ()), *values)))
    if leaf.marks:
        metadata[EDITED] = tuple(dict.fromkeys((*metadata.get(EDITED, ()), *leaf.marks)))
    begins, ends = leaf.begins or held[0].reasons[0], leaf.ends or held[-1].reasons[1]
    if leaf.start == leaf.body:
        begins = without_overlap_note(begins)
    said = tuple(reason for chunk in held for reason in chunk.reasons[2:])
    reasons = dict.fromkeys((begins, ends, *said, *map(_said, leaf.marks)))
    return Wanted(0, leaf.start, leaf.end, parent, tuple(reasons), held[0], metadata)


def _said(mark: str) -> str:
    return "edited: cut short beside an edit by hand" if mark == "trimmed" else f"edited: {mark} by hand"
