"""Edits taken from a text to the one that succeeds it: by their diff, or by their words where they had been lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from core.chunking.edits.edits import Anchor, Edit
from core.text.anchoring import Finder, follow
from core.text.spans import trim
from core.types import Span

_TOLD = (40, 16)  # characters of each side that a lost place is looked for by, at first and then
_INTACT = 8  # characters next to a place that must stand again for it to be where they are


def follow_edits(edits: Sequence[Edit], old: str | None, old_hash: str, new: str, new_hash: str) -> list[Edit]:
    """The edits as they lie in ``new``; one that is not found keeps its last place and hash, and so is lost for now.

    ``old`` ``None``: it is gone. What lay in ``old`` follows by the diff, a place by the words on both sides of it.
    What was lost before is looked for by its words and their surroundings.

    >>> from core.chunking.edits.edits import split
    >>> from core.types import Document
    >>> made = replace(split(Document("v", "text", "T", "One. Two."), 5), text_hash="a")
    >>> follow_edits([made], "One. Two.", "a", "Zero. One. Two.", "b")[0].at.span
    Span(start=10, end=11)
    """
    held = [edit for edit in edits if old is not None and edit.text_hash == old_hash != new_hash]
    anchors = [told for edit in held for told in _anchors(edit)]
    sides = [side for anchor, _ in anchors for side in _sides(old or "", anchor)]
    followed = iter(follow(old or "", new, sides))
    places = iter([_landed(old or "", new, anchor, wanted, followed) for anchor, wanted in anchors])
    finder = Finder(new)
    moved = []
    for edit in edits:
        if edit.text_hash == new_hash:
            moved.append(edit)
            continue
        if edit.text_hash == old_hash and old is not None:
            found = [next(places) for _ in _anchors(edit)]
        else:
            found = [_found(finder, anchor) for anchor, _ in _anchors(edit)]
        moved.append(_moved(edit, found, new, new_hash))
    return moved


def _moved(edit: Edit, found: Sequence[Span | None], new: str, new_hash: str) -> Edit:
    spans = [span for span in found if span is not None]
    if len(spans) < len(found) or (edit.to and spans[0].end == spans[1].end):
        return edit
    to = Anchor.on(new, spans[1]) if edit.to else None
    return replace(edit, at=Anchor.on(new, spans[0]), to=to, text_hash=new_hash)


def _anchors(edit: Edit) -> tuple[tuple[Anchor, bool], ...]:
    """The edit's anchors, each with whether a leaf is to begin there: then one side of it is enough to find it."""
    at = (edit.at, edit.kind == "split")
    return (at, (edit.to, True)) if edit.to else (at,)


def _is_place(anchor: Anchor) -> bool:
    return not anchor.quote.strip()


def _sides(old: str, anchor: Anchor) -> list[Span]:
    """What has to be followed of an anchor: a stretch itself, of a place the words on its two sides."""
    if not _is_place(anchor):
        return [anchor.span]
    left = trim(old, anchor.start - len(anchor.before), anchor.start)
    right = trim(old, anchor.end, anchor.end + len(anchor.after))
    return [left or anchor.span, right or anchor.span]


def _landed(old: str, new: str, anchor: Anchor, cut: bool, followed: Iterator[Span | None]) -> Span | None:
    if not _is_place(anchor):
        place = next(followed)
        return None if place is None else trim(new, place.start, place.end)
    left, right = islice(followed, 2)
    # A side of which its near end is gone ends, or begins, somewhere else by now.
    left_whole = left is not None and new.endswith(old[max(0, anchor.start - _INTACT) : anchor.start], 0, left.end)
    right_whole = right is not None and new.startswith(old[anchor.end : anchor.end + _INTACT], right.start)
    if left is not None and right is not None and left.end <= right.start and not new[left.end : right.start].strip():
        return Span(left.end, right.start) if left_whole or right_whole else None
    # Text came between the two sides, or one of them is gone: a cut is beside the words that are still whole.
    if cut and right is not None and right_whole:
        return _between(new, right.start)
    if cut and left is not None and left_whole:
        return _between(new, left.end)
    return None


def _between(text: str, position: int) -> Span | None:
    """The blanks at a position; ``None`` at the edges of the text."""
    left, right = text[:position].rstrip(), text[position:].lstrip()
    return Span(len(left), len(text) - len(right)) if left and right else None


def _found(finder: Finder, anchor: Anchor) -> Span | None:
    """Where an anchor's words stand in their surroundings, ``None`` where they do not."""
    if not _is_place(anchor):
        return finder.find_again(anchor.quote, anchor.before, anchor.after, anchor.start)
    for told in _TOLD:
        left, right = anchor.before[-told:], anchor.after[:told]
        around = anchor.before[: len(anchor.before) - len(left)], anchor.after[len(right) :]
        found = finder.find_again(left + anchor.quote + right, *around, anchor.start - len(left))
        if found is not None:
            return _between(finder.text, _past(finder.text, found.start, len("".join(left.split()))))
    return None


def _past(text: str, position: int, wanted: int) -> int:
    """Where so many non-blank characters have gone by: blanks may have come or gone among them."""
    while wanted:
        wanted -= not text[position].isspace()
        position += 1
    return position
