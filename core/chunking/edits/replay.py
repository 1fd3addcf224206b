"""Applies edits to a chunk tree, whatever chunker made it.

First collects what all edits demand, then drops those that do not fit the tree, then makes the new leaves. The result
depends only on the text, the tree and the edits. Of two edits of one place the later wins; edits of different places
may come in any order. Replaying is idempotent, and leaving out an edit undoes it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.chunking.edits.edited_leaves import LeafExtent, base_leaves, covered_spans, cut_leaves, next_word
from core.chunking.edits.edited_tree import ChunkBuilder, edited_tree
from core.chunking.edits.edits import Conflict, Edit
from core.text.tokens import is_boundary
from core.types import ChunkTree, Span

_EFFECTS = {
    "merge": "joins the text at this place",
    "split": "cuts the text at this place",
    "move": "moves this boundary",
    "disable": "switches this text off",
    "pin": "pins another chunk here",
}
_LOST = "The words it was made on are no longer in the text."


@dataclass(frozen=True, slots=True)
class Replayed:
    """A tree after edits. ``applied``: the edits in force, also those that changed nothing.

    ``conflicts``: the other edits, each with the reason. A move that a later edit partly undoes is one of them,
    although its other part is in force. ``switched_off``: the spans of "disable" edits, for the audit.
    """

    tree: ChunkTree
    applied: tuple[Edit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    switched_off: tuple[Span, ...] = ()


def replay(tree: ChunkTree, edits: Sequence[Edit], builder: ChunkBuilder) -> Replayed:
    """The tree with the edits applied, in the order they were made. ``builder`` makes the new chunks.

    A merged leaf belongs to the parent that has most of it. Parents end where their leaves do; a parent without leaves
    is removed. Edited leaves may exceed size limits; their reasons say so. A leaf that no edit touches is unchanged and
    keeps its id.
    """
    if not edits:
        return Replayed(tree)
    text = tree.document.text
    base_cut = _BaseCut.of(tree)
    conflicts = {number: _LOST for number, edit in enumerate(edits) if not edit.matches(text)}
    active = {number: edit for number, edit in enumerate(edits) if number not in conflicts}
    demands = _demands(active, text)
    # Dropping an edit changes what the others demand, so this repeats until all remaining edits fit.
    while misfits := _misfits(active, demands, base_cut):
        conflicts |= misfits
        active = {number: edit for number, edit in active.items() if number not in misfits}
        demands = _demands(active, text)
    conflicts |= demands.overruled
    leaves = cut_leaves(
        text,
        base_cut.base,
        cuts={place: demand.edit for place, demand in demands.places.items() if demand.cut},
        joins={place: demand.edit for place, demand in demands.places.items() if not demand.cut},
        off=[region.span for region in demands.off],
        pins=[region.span for region in demands.pins],
    )
    return Replayed(
        edited_tree(tree, base_cut.base, leaves, builder),
        tuple(edit for number, edit in enumerate(edits) if number not in conflicts),
        tuple(Conflict(edits[number], conflicts[number]) for number in sorted(conflicts)),
        tuple(region.span for region in demands.off),
    )


def misfit(tree: ChunkTree, edit: Edit) -> str:
    """The sentence that says why an edit cannot be applied to a tree; "" where it can."""
    if not edit.matches(tree.document.text):
        return _LOST
    alone = {0: edit}
    return _misfits(alone, _demands(alone, tree.document.text), _BaseCut.of(tree)).get(0, "")


@dataclass(frozen=True, slots=True)
class _Demand:
    """What edits demand of a place. ``cut``: whether a leaf must begin there, or must not.

    ``numbers``: of all edits that demand it; ``edit``: the latest of them.
    """

    cut: bool
    numbers: tuple[int, ...]
    edit: Edit


@dataclass(frozen=True, slots=True)
class _Region:
    """A passage that is switched off or pinned, and the number of the edit that demands it."""

    span: Span
    after: int  # where the leaf that follows begins
    number: int


@dataclass(slots=True)
class _Demands:
    """What all edits together demand. ``overruled``: number of an edit to the sentence on the later edit against it."""

    places: dict[int, _Demand] = field(default_factory=dict)
    off: list[_Region] = field(default_factory=list)
    pins: list[_Region] = field(default_factory=list)
    overruled: dict[int, str] = field(default_factory=dict)

    def overrule(self, numbers: Sequence[int], by: Edit) -> None:
        """Marks edits as overruled by a later one."""
        self.overruled |= dict.fromkeys(numbers, f"A later edit {_EFFECTS[by.kind]}.")


def _demands(edits: Mapping[int, Edit], text: str) -> _Demands:
    """What edits, in their order, demand of a text; a later edit overrules earlier ones that contradict it."""
    demands = _Demands()
    for number, edit in edits.items():
        if edit.kind in {"disable", "pin"}:
            _demand_region(demands, number, edit, text)
            continue
        _demand_place(demands, edit.at.end, _Demand(edit.kind == "split", (number,), edit))
        if edit.to is not None:
            _demand_place(demands, edit.to.end, _Demand(True, (number,), edit))
    return demands


def _demand_place(demands: _Demands, place: int, demand: _Demand) -> None:
    """Adds a demand of a place, which overrules an opposite demand and pins that contradict it."""
    earlier = demands.places.get(place)
    moves_boundary = demand.edit.kind == "move" and not demand.cut  # it moves the boundary that the earlier edit made
    if earlier is not None and earlier.cut == demand.cut:
        demand = replace(demand, numbers=(*earlier.numbers, *demand.numbers))
    elif earlier is not None and not moves_boundary:
        demands.overrule(earlier.numbers, demand.edit)
    demands.places[place] = demand
    for pin in list(demands.pins):
        if (pin.span.start < place < pin.span.end) if demand.cut else place in {pin.span.start, pin.after}:
            demands.pins.remove(pin)
            demands.overrule([pin.number], demand.edit)


def _demand_region(demands: _Demands, number: int, edit: Edit, text: str) -> None:
    """Adds a pinned or switched-off passage, which overrules overlapping passages and, if pinned, places in it."""
    region = _Region(edit.at.span, next_word(text, edit.at.end), number)
    is_pin = edit.kind == "pin"
    same_kind = demands.pins if is_pin else demands.off
    for others in (demands.pins, demands.off):
        for other in list(others):
            compatible = others is same_kind and (not is_pin or other.span == region.span)
            if other.span.overlap(region.span) and not compatible:
                others.remove(other)
                demands.overrule([other.number], edit)
    for place, demand in list(demands.places.items()):
        inside = region.span.start < place < region.span.end
        at_edge = place in {region.span.start, region.after}
        if is_pin and ((demand.cut and inside) or (not demand.cut and at_edge)):
            del demands.places[place]
            demands.overrule(demand.numbers, edit)
    same_kind.append(region)


@dataclass(frozen=True, slots=True)
class _BaseCut:
    """The unedited cut: its leaves, where they begin, and the spans of text that they cover without a gap."""

    text: str
    base: list[LeafExtent]
    begins: list[int]
    covered: list[Span]

    @classmethod
    def of(cls, tree: ChunkTree) -> _BaseCut:
        base, text = base_leaves(tree), tree.document.text
        return cls(text, base, [leaf.body for leaf in base], covered_spans(text, base, ()))


def _misfits(edits: Mapping[int, Edit], demands: _Demands, base_cut: _BaseCut) -> dict[int, str]:
    """The edits that cannot be applied to this cut: number to the reason. An edit without effect can be applied."""
    off = [region.span for region in demands.off]
    remaining = covered_spans(base_cut.text, base_cut.base, off) if off else base_cut.covered
    misfits: dict[int, str] = {}
    for number, edit in edits.items():
        reason = ""
        if edit.kind == "pin":
            overruled = all(region.number != number for region in demands.pins)
            if not overruled and not any(span.contains(edit.at.span) for span in base_cut.covered):
                reason = "It holds text that is never cut, such as front matter or a running header."
        elif edit.kind == "split":
            reason = _split_conflict(edit.at.end, remaining, off, base_cut.text)
        elif edit.kind != "disable":
            reason = _join_conflict(edit.at.end, remaining, off)
            if edit.to is not None:
                reason = reason or _split_conflict(edit.to.end, remaining, off, base_cut.text)
                reason = reason or _move_conflict(number, edit.at.end, edit.to.end, edits, demands, base_cut, remaining)
        if reason:
            misfits[number] = reason
    return misfits


def _move_conflict(
    number: int,
    start: int,
    end: int,
    edits: Mapping[int, Edit],
    demands: _Demands,
    base_cut: _BaseCut,
    remaining: Sequence[Span],
) -> str:
    """Why edit ``number`` cannot move a boundary from one place to another; "" where it can."""
    first, last = sorted((start, end))
    # Boundaries between the two places, without those that edits concern, which were known when this edit was made.
    between = [
        place
        for place in base_cut.begins[bisect_right(base_cut.begins, first) : bisect_left(base_cut.begins, last)]
        if place not in demands.places and not any(pin.span.start <= place <= pin.after for pin in demands.pins)
    ]
    together = any(span.start <= first and last < span.end for span in remaining)
    if not together or (between and _is_cut(start, number, edits, base_cut)):
        return "Another boundary now lies between the two places."
    return ""


def _is_cut(place: int, number: int, edits: Mapping[int, Edit], base_cut: _BaseCut) -> bool:
    """Whether a leaf begins at a place without edit ``number``: by the other edits, or by the chunker."""
    others = _demands({other: edit for other, edit in edits.items() if other != number}, base_cut.text)
    demand = others.places.get(place)
    if demand is not None:
        return demand.cut
    return place in base_cut.begins or any(place in {pin.span.start, pin.after} for pin in others.pins)


def _split_conflict(place: int, remaining: Sequence[Span], off: Sequence[Span], text: str) -> str:
    """Why no leaf can begin at a place; "" where one can. ``remaining``: the spans that leaves cover."""
    if not is_boundary(text, place):
        return "A cut there would tear one character in two."
    if any(span.start <= place < span.end for span in remaining):
        return ""
    return _uncovered(place, off)


def _join_conflict(place: int, remaining: Sequence[Span], off: Sequence[Span]) -> str:
    """Why the text before and after a place cannot be in one leaf; "" where it can."""
    if any(span.start < place < span.end for span in remaining):
        return ""
    if any(span.start == place for span in remaining):
        between = "switched-off text" if any(span.end <= place for span in off) else "text that is never cut"
        return f"There is {between} before this place, so nothing can be joined to it."
    return _uncovered(place, off)


def _uncovered(place: int, off: Sequence[Span]) -> str:
    """Why no leaf covers a place."""
    if any(span.start <= place < span.end for span in off):
        return "The text at this place is switched off by another edit."
    return "No chunk reaches this place: it is switched off, front matter or a running header."
