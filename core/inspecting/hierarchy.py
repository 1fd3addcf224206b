"""The chunk tree as rows for a tree view, and as the bars of an icicle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.types import Chunk, ChunkTree

_LABEL = 60  # characters


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One chunk. ``chunk_id`` and ``parent_id``: "" is the parent of the topmost row, and only of that one.

    ``label``: the heading its text stands under, where its parent has another, else its first words. ``tokens``: its
    own. ``extent``: code points of it that are drawn: those of a leaf that no leaf before it holds, and of a parent
    the sum of its children's, so that widths add up although leaves overlap. ``depth``: 0 for the document.
    ``leaf``: index into ``ChunkTree.leaves``, -1 for others.
    """

    chunk_id: str
    parent_id: str
    label: str
    tokens: int
    extent: int
    level: int
    depth: int
    start: int
    end: int
    leaf: int = -1


@dataclass(frozen=True, slots=True)
class Bar:
    """Neighbours of one depth, drawn as one. ``row``: the first of them; ``count``: how many; ``tokens``: together.

    ``start`` and ``end``: the text that it is drawn over; that of a leaf begins where the leaf before it ends.
    """

    row: TreeRow
    count: int
    start: int
    end: int
    tokens: int

    @property
    def mean(self) -> float:
        """Tokens of one of its chunks."""
        return self.tokens / self.count


def bars(rows: Sequence[TreeRow], thinnest: int = 0, whole: str = "") -> tuple[Bar, ...]:
    """The rows as bars, in order: one a row, but what is thinner than ``thinnest`` joins the thin ones before it.

    ``thinnest``: code points; leaves join leaves and parents join parents of the same depth, until their bar is that
    thick. 0: all stand alone. ``whole``: id of a chunk that stands alone anyway, "" for none.
    """
    made: list[Bar] = []
    growing: dict[int, int] = {}  # depth -> place in ``made`` of its last bar, while that is thin
    for row in rows:
        bar = Bar(row, 1, row.end - row.extent if row.leaf >= 0 else row.start, row.end, row.tokens)
        thin = bar.end - bar.start < thinnest and row.chunk_id != whole
        place = growing.pop(row.depth, -1)
        before = made[place] if place >= 0 else None
        if thin and before and (before.row.leaf >= 0) == (row.leaf >= 0) and bar.start - before.end < thinnest:
            bar = Bar(before.row, before.count + 1, before.start, bar.end, before.tokens + bar.tokens)
            made[place] = bar
        else:
            place = len(made)
            made.append(bar)
        if thin and bar.end - bar.start < thinnest:
            growing[row.depth] = place
    return tuple(made)


def icicle(tree: ChunkTree) -> tuple[TreeRow, ...]:
    """The document, then every chunk in the tree's own order; parents come before their children.

    The document's row takes its version's id, the title for a label, and the tokens of the topmost chunks together.
    """
    document = tree.document
    extents = _extents(tree)
    by_id = {chunk.chunk_id: chunk for chunk in tree.chunks}
    tops = [chunk for chunk in tree.chunks if chunk.parent_id is None]
    root = TreeRow(
        chunk_id=document.version_id,
        parent_id="",
        label=_shortened(document.title),
        tokens=sum(chunk.tokens for chunk in tops),
        extent=sum(extents[chunk.chunk_id] for chunk in tops),
        level=max((chunk.level for chunk in tops), default=0) + 1,
        depth=0,
        start=min((chunk.start for chunk in tops), default=0),
        end=max((chunk.end for chunk in tops), default=len(document.text)),
    )
    rows = [root]
    depths = {document.version_id: 0}
    leaf = 0
    for chunk in tree.chunks:
        above = chunk.parent_id or document.version_id
        depths[chunk.chunk_id] = depths[above] + 1
        rows.append(
            TreeRow(
                chunk.chunk_id,
                above,
                _label(chunk, by_id),
                chunk.tokens,
                extents[chunk.chunk_id],
                chunk.level,
                depths[chunk.chunk_id],
                chunk.start,
                chunk.end,
                leaf if chunk.level == 0 else -1,
            )
        )
        leaf += chunk.level == 0
    return tuple(rows)


def _extents(tree: ChunkTree) -> dict[str, int]:
    extents: dict[str, int] = {}
    reached = 0
    for chunk in tree.chunks:
        extents[chunk.chunk_id] = 0
        if chunk.level == 0:
            extents[chunk.chunk_id] = max(0, chunk.end - max(chunk.start, reached))
            reached = max(reached, chunk.end)
    for chunk in reversed(tree.chunks):  # children come after their parents
        if chunk.parent_id is not None:
            extents[chunk.parent_id] += extents[chunk.chunk_id]
    return extents


def _label(chunk: Chunk, by_id: Mapping[str, Chunk]) -> str:
    above = by_id[chunk.parent_id].headings if chunk.parent_id is not None else ()
    if chunk.headings and chunk.headings != above:
        return _shortened(chunk.headings[-1])
    return _shortened(chunk.text.strip().lstrip("#>*-|• \t") or chunk.text)


def _shortened(text: str) -> str:
    """One line of at most ``_LABEL`` characters, cut between words where there are any.

    >>> _shortened("The quick brown fox jumps over the lazy dog and then over the fence.")
    'The quick brown fox jumps over the lazy dog and then over…'
    """
    words = " ".join(text[: 4 * _LABEL].split())
    if len(words) <= _LABEL:
        return words
    head, _, _ = words[:_LABEL].rpartition(" ")
    return (head or words[: _LABEL - 1]) + "…"
