"""Moves edits from a text to its next version: by the diff of the two texts, or by searching for their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from core.chunking.edits.edits import Anchor, Edit
from core.text.anchoring import Finder, follow
from core.text.spans import trim
from core.types import Span

_CONTEXT_LENGTHS = (40, 16)  # characters on each side by which a lost place is searched, in turn
_INTACT = 8  # characters next to a place that must be unchanged for it to be found by them


def follow_edits(edits: Sequence[Edit], old: str | None, old_hash: str, new: str, new_hash: str) -> list[Edit]:
    """The edits at their places in the text ``new``; one that is not found keeps its last place and hash.

    Edits of the text ``old`` follow the diff of both texts, a place by the words on both sides of it. Edits of an
    earlier text (not found since then), or all of them where ``old`` is ``None``, are searched by their words.

    >>> from core.chunking.edits.edits import split
    >>> from core.types import Document
    >>> edit = replace(split(Document("v", "text", "T", "One. Two."), 5), text_hash="a")
    >>> follow_edits([edit], "One. Two.", "a", "Zero. One. Two.", "b")[0].at.span
    Span(start=10, end=11)
    """
    in_old = [edit for edit in edits if old is not None and edit.text_hash == old_hash != new_hash]
    anchors = [anchor for edit in in_old for anchor in _anchors(edit)]
    sides = [side for anchor, _ in anchors for side in _sides(old or "", anchor)]
    followed = iter(follow(old or "", new, sides))
    places = iter([_followed_anchor(old or "", new, anchor, cut, followed) for anchor, cut in anchors])
    finder = Finder(new)
    moved = []
    for edit in edits:
        if edit.text_hash == new_hash:
            moved.append(edit)
            continue
        if edit.text_hash == old_hash and old is not None:
            new_spans = [next(places) for _ in _anchors(edit)]
        else:
            new_spans = [_searched_anchor(finder, anchor) for anchor, _ in _anchors(edit)]
        moved.append(_moved(edit, new_spans, new, new_hash))
    return moved


def _moved(edit: Edit, new_spans: Sequence[Span | None], new: str, new_hash: str) -> Edit:
    """The edit at its new spans; unchanged where one is missing, or where a move would have no effect."""
    spans = [span for span in new_spans if span is not None]
    if len(spans) < len(new_spans) or (edit.to and spans[0].end == spans[1].end):
        return edit
    to = Anchor.on(new, spans[1]) if edit.to else None
    return replace(edit, at=Anchor.on(new, spans[0]), to=to, text_hash=new_hash)


def _anchors(edit: Edit) -> tuple[tuple[Anchor, bool], ...]:
    """The edit's anchors, each with whether a leaf is to begin there; such a place is found by one side of it alone."""
    at = (edit.at, edit.kind == "split")
    return (at, (edit.to, True)) if edit.to else (at,)


def _is_place(anchor: Anchor) -> bool:
    return not anchor.quote.strip()


def _sides(old: str, anchor: Anchor) -> list[Span]:
    """The spans to follow for an anchor: a passage itself, or the words on the two sides of a place."""
    if not _is_place(anchor):
        return [anchor.span]
    left = trim(old, anchor.start - len(anchor.before), anchor.start)
    right = trim(old, anchor.end, anchor.end + len(anchor.after))
    return [left or anchor.span, right or anchor.span]


def _followed_anchor(old: str, new: str, anchor: Anchor, cut: bool, followed: Iterator[Span | None]) -> Span | None:
    """An anchor in ``new``; ``None`` where it is lost. ``cut``: whether a leaf is to begin there.

    ``followed``: where the spans of ``_sides`` are in ``new``; takes as many as the anchor has.
    """
    if not _is_place(anchor):
        place = next(followed)
        return None if place is None else trim(new, place.start, place.end)
    left, right = islice(followed, 2)
    # The offset of a side is reliable only if the characters next to the place are unchanged.
    left_whole = left is not None and new.endswith(old[max(0, anchor.start - _INTACT) : anchor.start], 0, left.end)
    right_whole = right is not None and new.startswith(old[anchor.end : anchor.end + _INTACT], right.start)
    if left is not None and right is not None and left.end <= right.start and not new[left.end : right.start].strip():
        return Span(left.end, right.start) if left_whole or right_whole else None
    # Text was inserted between the two sides, or one of them is gone: a cut stays next to the unchanged one.
    if cut and right is not None and right_whole:
        return _between(new, right.start)
    if cut and left is not None and left_whole:
        return _between(new, left.end)
    return None


def _between(text: str, position: int) -> Span | None:
    """The blanks around a position; ``None`` at the edges of the text."""
    left, right = text[:position].rstrip(), text[position:].lstrip()
    return Span(len(left), len(text) - len(right)) if left and right else None


def _searched_anchor(finder: Finder, anchor: Anchor) -> Span | None:
    """Where an anchor's words are found in the same context; ``None`` where they are not."""
    if not _is_place(anchor):
        return finder.find_again(anchor.quote, anchor.before, anchor.after, anchor.start)
    for length in _CONTEXT_LENGTHS:
        left, right = anchor.before[-length:], anchor.after[:length]
        around = anchor.before[: len(anchor.before) - len(left)], anchor.after[len(right) :]
        found = finder.find_again(left + anchor.quote + right, *around, anchor.start - len(left))
        if found is not None:
            return _between(finder.text, _skip_characters(finder.text, found.start, len("".join(left.split()))))
    return None


def _skip_characters(text: str, position: int, count: int) -> int:
    """The position after ``count`` non-blank characters; the number of blanks among them may have changed."""
    while count:
        count -= not text[position].isspace()
        position += 1
    return position
