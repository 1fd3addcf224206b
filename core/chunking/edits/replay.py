"""Edits carried out on a chunk tree, whatever cut it: what is asked for first, then what fits, then the new leaves.

The result depends on the text, the tree and the edits alone. What two edits say of one place is settled by their order;
what they say of different places is not, so independent edits may come in any order. Carrying them out again changes
nothing, and leaving one out gives back what was there without it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.chunking.edits.edited_leaves import Leaf, base_leaves, cut_leaves, next_word, stretches
from core.chunking.edits.edited_tree import Remaker, edited_tree
from core.chunking.edits.edits import Conflict, Edit
from core.text.tokens import is_boundary
from core.types import ChunkTree, Span

_SAYS = {
    "merge": "joins the text at this place",
    "split": "cuts the text at this place",
    "move": "moves this boundary",
    "disable": "switches this text off",
    "pin": "pins another chunk here",
}
_LOST = "The words it was made on are no longer in the text."


@dataclass(frozen=True, slots=True)
class Replayed:
    """A tree with edits carried out. ``applied``: those in force, whether they changed anything or it was so already.

    ``conflicts``: the others, each with why; of a move that a later edit takes back in part, the other part holds.
    ``switched_off``: what "disable" keeps out of all leaves, for the audit.
    """

    tree: ChunkTree
    applied: tuple[Edit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    switched_off: tuple[Span, ...] = ()


def replay(tree: ChunkTree, edits: Sequence[Edit], remaker: Remaker) -> Replayed:
    """The tree with the edits carried out, in the order they were made.

    A merged leaf belongs to the parent that holds most of it; parents end where their leaves do, and one without
    leaves is gone. What a person asks for may be larger than the dials allow, and then its reasons say so. A leaf that
    no edit touches is the same chunk, id and all. ``remaker`` makes the chunks that are new.
    """
    if not edits:
        return Replayed(tree)
    text = tree.document.text
    ground = _Ground.of(tree)
    why: dict[int, str] = {}
    trying = []
    for number, edit in enumerate(edits):
        if edit.stands(text):
            trying.append(number)
        else:
            why[number] = _LOST
    while True:
        tried = {number: edits[number] for number in trying}
        wishes = _wishes(tried, text)
        failed = _misfits(tried, wishes, ground)
        if not failed:
            break
        why |= failed
        trying = [number for number in trying if number not in failed]
    why |= wishes.overruled
    leaves = cut_leaves(
        text,
        ground.base,
        cuts={place: wish.edit for place, wish in wishes.places.items() if wish.cut},
        joins={place: wish.edit for place, wish in wishes.places.items() if not wish.cut},
        off=[item.span for item in wishes.off],
        pins=[item.span for item in wishes.pins],
    )
    return Replayed(
        edited_tree(tree, ground.base, leaves, remaker),
        tuple(edit for number, edit in enumerate(edits) if number not in why),
        tuple(Conflict(edits[number], why[number]) for number in sorted(why)),
        tuple(item.span for item in wishes.off),
    )


def misfit(tree: ChunkTree, edit: Edit) -> str:
    """Why an edit could not be carried out on a tree, as a sentence; "" where it could."""
    if not edit.stands(tree.document.text):
        return _LOST
    alone = {0: edit}
    return _misfits(alone, _wishes(alone, tree.document.text), _Ground.of(tree)).get(0, "")


@dataclass(frozen=True, slots=True)
class _Wish:
    """``cut``: a leaf is to begin here; else none is. ``numbers``: of all who ask for it, ``edit`` the latest."""

    cut: bool
    numbers: tuple[int, ...]
    edit: Edit


@dataclass(frozen=True, slots=True)
class _Region:
    span: Span
    after: int  # where the leaf that follows begins
    number: int


@dataclass(slots=True)
class _Wishes:
    """What all edits together ask for. ``overruled``: by number, what a later edit says against an earlier one."""

    places: dict[int, _Wish] = field(default_factory=dict)
    off: list[_Region] = field(default_factory=list)
    pins: list[_Region] = field(default_factory=list)
    overruled: dict[int, str] = field(default_factory=dict)

    def overrule(self, numbers: Sequence[int], by: Edit) -> None:
        self.overruled |= dict.fromkeys(numbers, f"A later edit {_SAYS[by.kind]}.")


def _wishes(edits: Mapping[int, Edit], text: str) -> _Wishes:
    found = _Wishes()
    for number, edit in edits.items():
        if edit.kind in {"disable", "pin"}:
            _want_region(found, number, edit, text)
            continue
        if edit.kind == "split":
            _want(found, edit.at.end, _Wish(True, (number,), edit))
            continue
        _want(found, edit.at.end, _Wish(False, (number,), edit))
        if edit.to is not None:
            _want(found, edit.to.end, _Wish(True, (number,), edit))
    return found


def _want(found: _Wishes, place: int, wish: _Wish) -> None:
    known = found.places.get(place)
    handed_on = wish.edit.kind == "move" and not wish.cut  # it takes up the boundary the earlier edit made
    if known is not None and known.cut == wish.cut:
        wish = replace(wish, numbers=(*known.numbers, *wish.numbers))
    elif known is not None and not handed_on:
        found.overrule(known.numbers, wish.edit)
    found.places[place] = wish
    for pin in list(found.pins):
        if (pin.span.start < place < pin.span.end) if wish.cut else place in {pin.span.start, pin.after}:
            found.pins.remove(pin)
            found.overrule([pin.number], wish.edit)


def _want_region(found: _Wishes, number: int, edit: Edit, text: str) -> None:
    region = _Region(edit.at.span, next_word(text, edit.at.end), number)
    pins = edit.kind == "pin"
    for others in (found.pins, found.off):
        for other in list(others):
            same = other.span == region.span if pins else True
            if other.span.overlap(region.span) and not (others is (found.pins if pins else found.off) and same):
                others.remove(other)
                found.overrule([other.number], edit)
    for place, wish in list(found.places.items()):
        inside = region.span.start < place < region.span.end
        at_edge = place in {region.span.start, region.after}
        if pins and ((wish.cut and inside) or (not wish.cut and at_edge)):
            del found.places[place]
            found.overrule(wish.numbers, edit)
    (found.pins if pins else found.off).append(region)


@dataclass(frozen=True, slots=True)
class _Ground:
    """The cut that edits are tried on: its leaves, where they begin, and the text they cover without interruption."""

    text: str
    base: list[Leaf]
    begins: list[int]
    covered: list[Span]

    @classmethod
    def of(cls, tree: ChunkTree) -> _Ground:
        base, text = base_leaves(tree), tree.document.text
        return cls(text, base, [leaf.body for leaf in base], stretches(text, base, ()))


def _misfits(edits: Mapping[int, Edit], wishes: _Wishes, ground: _Ground) -> dict[int, str]:
    """Why edits cannot be carried out on this cut, by number; those that can be, or are so already, are absent."""
    off = [region.span for region in wishes.off]
    there = stretches(ground.text, ground.base, off) if off else ground.covered
    found: dict[int, str] = {}
    for number, edit in edits.items():
        said = ""
        if edit.kind == "pin":
            wanted = any(region.number == number for region in wishes.pins)
            if wanted and not any(span.contains(edit.at.span) for span in ground.covered):
                said = "It holds text that is never cut, such as front matter or a running header."
        elif edit.kind == "split":
            said = _no_cut(edit.at.end, there, off, ground.text)
        elif edit.kind != "disable":
            said = _no_join(edit.at.end, there, off)
            if edit.to is not None:
                said = said or _no_cut(edit.to.end, there, off, ground.text)
                said = said or _no_way(number, edit.at.end, edit.to.end, edits, wishes, ground, there)
        if said:
            found[number] = said
    return found


def _no_way(
    number: int,
    start: int,
    end: int,
    edits: Mapping[int, Edit],
    wishes: _Wishes,
    ground: _Ground,
    there: Sequence[Span],
) -> str:
    """Why a boundary cannot be moved from one place to another, "" where it can."""
    first, last = sorted((start, end))
    between = [
        place
        for place in ground.begins[bisect_right(ground.begins, first) : bisect_left(ground.begins, last)]
        if place not in wishes.places and not any(pin.span.start <= place <= pin.after for pin in wishes.pins)
    ]  # but for those that edits make or take away: they were there, or not, when the edit was made
    together = any(span.start <= first and last < span.end for span in there)
    if not together or (between and _is_cut(start, number, edits, ground)):
        return "Another boundary now lies between the two places."
    return ""


def _is_cut(place: int, number: int, edits: Mapping[int, Edit], ground: _Ground) -> bool:
    """Whether there is a boundary at a place for an edit to move: made by the other edits, or by the chunker."""
    others = _wishes({other: edit for other, edit in edits.items() if other != number}, ground.text)
    wish = others.places.get(place)
    if wish is not None:
        return wish.cut
    return place in ground.begins or any(place in {pin.span.start, pin.after} for pin in others.pins)


def _no_cut(place: int, there: Sequence[Span], off: Sequence[Span], text: str) -> str:
    if not is_boundary(text, place):
        return "A cut there would tear one character in two."
    if any(span.start <= place < span.end for span in there):
        return ""
    return _uncovered(place, off)


def _no_join(place: int, there: Sequence[Span], off: Sequence[Span]) -> str:
    if any(span.start < place < span.end for span in there):
        return ""
    if any(span.start == place for span in there):
        between = "switched-off text" if any(span.end <= place for span in off) else "text that is never cut"
        return f"There is {between} before this place, so nothing can be joined to it."
    return _uncovered(place, off)


def _uncovered(place: int, off: Sequence[Span]) -> str:
    if any(span.start <= place < span.end for span in off):
        return "The text at this place is switched off by another edit."
    return "No chunk reaches this place: it is switched off, front matter or a running header."
