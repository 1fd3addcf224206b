"""Where words stand in a text, to point at a place. Pure."""

from __future__ import annotations

import re
from itertools import islice

from core.types import Span

_AROUND = 70  # characters shown on each side of a place


def occurrences(text: str, words: str, most: int) -> list[Span]:
    """The first places of some words: in this order, in any case, with any blanks between them.

    >>> occurrences("An Access\\ntoken. No access  token.", " access token", 9)
    [Span(start=3, end=15), Span(start=20, end=33)]
    >>> occurrences("any", "  ", 9)
    []
    """
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return []
    pattern = re.compile(r"\s+".join(parts), re.IGNORECASE)
    return [Span(*match.span()) for match in islice(pattern.finditer(text), most)]


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
