"""The leaves of a tree as extents (spans without their overlap), and the extents that edits make of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.chunking.edits.edits import Edit
from core.text.spans import subtract_spans, trim
from core.types import Chunk, ChunkTree, Span

_MARKS = {"merge": "merged", "split": "split", "move": "moved", "pin": "pinned"}
_TRIMMED = "trimmed"  # a leaf that lost text to an edit next to it


@dataclass(frozen=True, slots=True)
class LeafExtent:
    """The extent of a leaf, ``[start, end)``. ``body``: where its own text begins, after its overlap.

    ``chunk``: the chunk of the unedited tree that it is, ``None`` for a new leaf. ``base_range``: the first and last
    number of the unedited leaves that share text with it. ``marks``: the edits that made it, () for none. ``begins``,
    ``ends``: the reasons for new boundaries, "" for unchanged ones.
    """

    start: int
    body: int
    end: int
    chunk: Chunk | None
    base_range: tuple[int, int]
    marks: tuple[str, ...] = ()
    begins: str = ""
    ends: str = ""


def base_leaves(tree: ChunkTree) -> list[LeafExtent]:
    """The extents of the tree's leaves, in text order. Text that a leaf shares with those before it is its overlap."""
    text, covered = tree.document.text, 0
    extents: list[LeafExtent] = []
    for number, chunk in enumerate(tree.leaves):
        body = max(chunk.start, covered)
        while body < chunk.end - 1 and text[body].isspace():
            body += 1
        extents.append(LeafExtent(chunk.start, body, chunk.end, chunk, (number, number)))
        covered = max(covered, chunk.end)
    return extents


def covered_spans(text: str, base: Sequence[LeafExtent], off: Sequence[Span]) -> list[Span]:
    """The spans of text that leaves cover without a gap (blanks are no gap), minus the spans ``off``, trimmed.

    >>> spans = [(0, 1), (2, 3), (6, 7)]
    >>> leaves = [LeafExtent(start, start, end, None, (at, at)) for at, (start, end) in enumerate(spans)]
    >>> covered_spans("a b # c", leaves, ()), covered_spans("a b # c", leaves, [Span(0, 1)])
    ([Span(start=0, end=3), Span(start=6, end=7)], [Span(start=2, end=3), Span(start=6, end=7)])
    """
    joined: list[Span] = []
    start = end = -1
    for leaf in base:
        if start < 0 or text[end : leaf.body].strip():
            if start >= 0:
                joined.append(Span(start, end))
            start = leaf.body
        end = leaf.end
    if start >= 0:
        joined.append(Span(start, end))
    if not off:
        return joined
    trimmed = (trim(text, span.start, span.end) for span in subtract_spans(joined, off))
    return [span for span in trimmed if span is not None]


def cut_leaves(
    text: str,
    base: Sequence[LeafExtent],
    *,
    cuts: Mapping[int, Edit],
    joins: Mapping[int, Edit],
    off: Sequence[Span],
    pins: Sequence[Span],
) -> list[LeafExtent]:
    """The leaves after edits. A leaf that no edit touches is unchanged, overlap included.

    ``cuts``: offsets at which a leaf must begin. ``joins``: offsets at which none may begin. ``off``: spans that no
    leaf covers. ``pins``: spans that are exactly one leaf each.
    """
    begins, ends = [leaf.body for leaf in base], [leaf.end for leaf in base]
    base_by_span = {(leaf.body, leaf.end): leaf for leaf in base}
    pin_edges = {edge for pin in pins for edge in (pin.start, next_word(text, pin.end))}
    pinned = {(pin.start, pin.end) for pin in pins}
    places = sorted({*begins, *cuts, *pin_edges}.difference(joins))
    leaves: list[LeafExtent] = []
    for whole in covered_spans(text, base, off):
        inside = places[bisect_right(places, whole.start) : bisect_left(places, whole.end)]
        inside = [at for at in inside if not any(pin.start < at < pin.end for pin in pins)]
        for start, stop in pairwise([whole.start, *inside, whole.end]):
            piece = trim(text, start, stop)
            if piece is None:
                continue
            base_range = bisect_right(ends, piece.start), bisect_left(begins, piece.end) - 1
            unchanged = base_by_span.get((piece.start, piece.end))
            if unchanged is not None:
                marks = (_MARKS["pin"],) if (piece.start, piece.end) in pinned else ()
                extent = LeafExtent(unchanged.start, piece.start, piece.end, unchanged.chunk, base_range, marks)
            else:
                first = base[base_range[0]]
                extent = LeafExtent(
                    first.start if first.body == piece.start else piece.start,
                    piece.start,
                    piece.end,
                    None,
                    base_range,
                    tuple(dict.fromkeys(_marks_of(piece, stop, begins, cuts, joins, pinned))),
                    _reason("begins", piece.start, piece.start, whole.start, begins, cuts, pin_edges),
                    _reason("ends", piece.end, stop, whole.end, ends, cuts, pin_edges),
                )
            leaves.append(extent)
    return list(_with_valid_overlap(leaves, off))


def _marks_of(
    piece: Span,
    stop: int,
    begins: Sequence[int],
    cuts: Mapping[int, Edit],
    joins: Mapping[int, Edit],
    pinned: set[tuple[int, int]],
) -> list[str]:
    """How edits made the new leaf ``piece``. ``stop``: where the next one may begin; ``begins``: of base leaves."""
    marks = [_MARKS["pin"]] if (piece.start, piece.end) in pinned else []
    inside = begins[bisect_right(begins, piece.start) : bisect_left(begins, piece.end)]
    marks += [_MARKS[joins[at].kind] for at in inside if at in joins]
    marks += [_MARKS[cuts[at].kind] for at in (piece.start, stop) if at in cuts and not _contains(begins, at)]
    return marks or [_TRIMMED]


def _reason(
    word: str, at: int, place: int, edge: int, known: Sequence[int], cuts: Mapping[int, Edit], pin_edges: set[int]
) -> str:
    """Why a new leaf begins or ends (``word``) at ``at``; "" where a base leaf did (``known``).

    ``place``: the offset under which ``cuts`` and ``pin_edges`` have this boundary. ``edge``: where the covered span of
    text begins or ends.
    """
    if _contains(known, at):
        return ""
    if place in cuts:
        return (
            f"{word}: split by hand" if cuts[place].kind == "split" else f"{word}: the boundary was moved here by hand"
        )
    if place in pin_edges:
        return f"{word}: a chunk pinned by hand begins or ends here"
    side = "before" if word == "begins" else "after"
    return f"{word}: the text {side} it is switched off by hand" if at == edge else f"{word}: edited by hand"


def _with_valid_overlap(leaves: Sequence[LeafExtent], off: Sequence[Span]) -> Iterator[LeafExtent]:
    """The leaves, without any overlap that repeats a whole leaf or switched-off text, or belongs to a pinned leaf."""
    body = -1
    for leaf in leaves:
        overlap = Span(leaf.start, leaf.body)
        pinned = _MARKS["pin"] in leaf.marks
        if overlap.length and (leaf.start <= body or pinned or any(span.overlap(overlap) for span in off)):
            yield LeafExtent(leaf.body, leaf.body, leaf.end, None, leaf.base_range, leaf.marks, leaf.begins, leaf.ends)
        else:
            yield leaf
        body = leaf.body


def _contains(places: Sequence[int], at: int) -> bool:
    number = bisect_left(places, at)
    return number < len(places) and places[number] == at


def next_word(text: str, position: int) -> int:
    """The offset of the first non-blank character at or after a position; the length of the text without one."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position
