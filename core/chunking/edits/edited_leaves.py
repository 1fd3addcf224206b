"""The leaves of a tree as extents that tile its text, and the extents that edits make of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.chunking.edits.edits import Edit
from core.text.spans import subtract_spans, trim
from core.types import Chunk, ChunkTree, Span

MARKS = {"merge": "merged", "split": "split", "move": "moved", "pin": "pinned"}
BESIDE = "trimmed"  # a leaf that lost text to an edit beside it


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf's extent. ``body``: where its own text begins, after its overlap. ``chunk``: it as it was, if it was.

    ``holders``: the numbers of the leaves of the tree as it was that share text with it, first and last.
    ``marks``: how edits made it, () where they did not. ``begins``, ``ends``: why there, "" where that is as it was.
    """

    start: int
    body: int
    end: int
    chunk: Chunk | None
    holders: tuple[int, int]
    marks: tuple[str, ...] = ()
    begins: str = ""
    ends: str = ""


def base_leaves(tree: ChunkTree) -> list[Leaf]:
    """The tree's leaves in text order. What a leaf shares with those before it is its overlap."""
    text, found, covered = tree.document.text, list[Leaf](), 0
    for number, chunk in enumerate(tree.leaves):
        body = max(chunk.start, covered)
        while body < chunk.end - 1 and text[body].isspace():
            body += 1
        found.append(Leaf(chunk.start, body, chunk.end, chunk, (number, number)))
        covered = max(covered, chunk.end)
    return found


def stretches(text: str, base: Sequence[Leaf], off: Sequence[Span]) -> list[Span]:
    """The text that leaves cover without interruption but for blanks, less what is switched off, trimmed.

    >>> leaves = [Leaf(0, 0, 1, None, (0, 0)), Leaf(2, 2, 3, None, (1, 1)), Leaf(6, 6, 7, None, (2, 2))]
    >>> stretches("a b # c", leaves, ()), stretches("a b # c", leaves, [Span(0, 1)])
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
    kept = (trim(text, span.start, span.end) for span in subtract_spans(joined, off))
    return [span for span in kept if span is not None]


def cut_leaves(
    text: str,
    base: Sequence[Leaf],
    *,
    cuts: Mapping[int, Edit],
    joins: Mapping[int, Edit],
    off: Sequence[Span],
    pins: Sequence[Span],
) -> list[Leaf]:
    """The leaves that edits make of ``base``: those they leave alone as they were, overlap included.

    ``cuts``: where a leaf is to begin; ``joins``: where none is; ``off``: what none covers; ``pins``: what is one.
    """
    begins, ends = [leaf.body for leaf in base], [leaf.end for leaf in base]
    known = {(leaf.body, leaf.end): leaf for leaf in base}
    edge_of_pin = {edge for pin in pins for edge in (pin.start, next_word(text, pin.end))}
    pinned = {(pin.start, pin.end) for pin in pins}
    places = sorted({*begins, *cuts, *edge_of_pin}.difference(joins))
    made = list[Leaf]()
    for whole in stretches(text, base, off):
        inside = places[bisect_right(places, whole.start) : bisect_left(places, whole.end)]
        inside = [at for at in inside if not any(pin.start < at < pin.end for pin in pins)]
        for start, stop in pairwise([whole.start, *inside, whole.end]):
            piece = trim(text, start, stop)
            if piece is None:
                continue
            holders = bisect_right(ends, piece.start), bisect_left(begins, piece.end) - 1
            as_it_was = known.get((piece.start, piece.end))
            if as_it_was is not None:
                marks = ("pinned",) if (piece.start, piece.end) in pinned else ()
                made.append(Leaf(as_it_was.start, *(piece.start, piece.end), as_it_was.chunk, holders, marks))
                continue
            first = base[holders[0]]
            made.append(
                Leaf(
                    first.start if first.body == piece.start else piece.start,
                    *(piece.start, piece.end, None, holders),
                    tuple(dict.fromkeys(_marks(piece, stop, begins, cuts, joins, pinned))),
                    _why("begins", piece.start, piece.start, whole.start, begins, cuts, edge_of_pin),
                    _why("ends", piece.end, stop, whole.end, ends, cuts, edge_of_pin),
                )
            )
    return list(_without_lost_overlap(made, off))


def _marks(
    piece: Span,
    stop: int,
    begins: Sequence[int],
    cuts: Mapping[int, Edit],
    joins: Mapping[int, Edit],
    pinned: set[tuple[int, int]],
) -> Iterator[str]:
    if (piece.start, piece.end) in pinned:
        yield MARKS["pin"]
    told = False
    for at in begins[bisect_right(begins, piece.start) : bisect_left(begins, piece.end)]:
        if at in joins:
            told = True
            yield MARKS[joins[at].kind]
    for at in (piece.start, stop):
        if at in cuts and not _holds(begins, at):
            told = True
            yield MARKS[cuts[at].kind]
    if not told and (piece.start, piece.end) not in pinned:
        yield BESIDE


def _why(
    word: str, at: int, place: int, edge: int, known: Sequence[int], cuts: Mapping[int, Edit], edge_of_pin: set[int]
) -> str:
    """Why a new leaf begins or ends (``word``) here, "" where one did before. ``place``: where cuts would be.

    ``edge``: where the text that leaves cover without interruption begins or ends.
    """
    if _holds(known, at):
        return ""
    if place in cuts:
        return (
            f"{word}: split by hand" if cuts[place].kind == "split" else f"{word}: the boundary was moved here by hand"
        )
    if place in edge_of_pin:
        return f"{word}: a chunk pinned by hand begins or ends here"
    side = "before" if word == "begins" else "after"
    return f"{word}: the text {side} it is switched off by hand" if at == edge else f"{word}: edited by hand"


def _without_lost_overlap(made: Sequence[Leaf], off: Sequence[Span]) -> Iterator[Leaf]:
    """The leaves, those without their overlap that would share all of the leaf before, or text that is switched off."""
    body = -1
    for leaf in made:
        overlap = Span(leaf.start, leaf.body)
        if overlap.length and (
            leaf.start <= body or "pinned" in leaf.marks or any(span.overlap(overlap) for span in off)
        ):
            yield Leaf(leaf.body, leaf.body, leaf.end, None, leaf.holders, leaf.marks, leaf.begins, leaf.ends)
        else:
            yield leaf
        body = leaf.body


def _holds(places: Sequence[int], at: int) -> bool:
    number = bisect_left(places, at)
    return number < len(places) and places[number] == at


def next_word(text: str, position: int) -> int:
    """The first non-blank character at or after a position, the text's end where there is none."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position
