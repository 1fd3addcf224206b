"""A place as a line of text shows it. Pure."""

from __future__ import annotations

from core.types import Span

_AROUND = 70  # characters shown on each side of a place


def surroundings(text: str, place: Span) -> tuple[str, str, str]:
    """What stands before a place, in it and behind it, in one line each, cut at a word.

    >>> surroundings("Tea is\\nfree on Fridays.", Span(7, 11))
    ('Tea is ', 'free', ' on Fridays.')
    """
    before = " ".join(f"|{text[max(0, place.start - _AROUND) : place.start]}|".split())[1:-1]
    behind = " ".join(f"|{text[place.end : place.end + _AROUND]}|".split())[1:-1]
    if place.start > _AROUND:
        before = f"… {before.split(' ', 1)[-1]}"
    if place.end + _AROUND < len(text):
        behind = f"{behind.rsplit(' ', 1)[0]} …"
    return before, " ".join(text[place.start : place.end].split()), behind
