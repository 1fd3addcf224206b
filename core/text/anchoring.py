"""Spans that follow a text through its edits: an anchored diff where the old text is at hand, a quotation where not.

Two ways, one idea: what a person marked is words in their surroundings, and offsets are only where they stood last.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from core.text.alignment import Match, align, common_prefix
from core.text.spans import non_blank_length, trim
from core.types import Span

AROUND = 80  # characters of the surroundings that tell one occurrence of a quotation from another
AGREEING = 16  # of them, on one side, make two places the same
TELLING = 20  # non-blank characters of a quotation that nothing else will be by chance

_BLANKS = re.compile(r"\s+")


def surroundings(text: str, span: Span) -> tuple[str, str]:
    """What stands before and after a span, up to 80 characters of each; less than that only at the text's edge.

    >>> surroundings("One two three.", Span(4, 7))
    ('One ', ' three.')
    """
    return text[max(0, span.start - AROUND) : span.start], text[span.end : span.end + AROUND]


def follow(old: str, new: str, spans: Sequence[Span]) -> list[Span | None]:
    """Where each span of ``old`` lies in ``new``; ``None`` where its words are gone.

    A span whose words stand unchanged keeps exactly them. One that was edited keeps its extent, from the first to the
    last character that the diff finds again, as long as those are at least half of its non-blank characters, in their
    order. A passage of 20 characters or more that stood once in ``old`` and stands once in ``new`` was moved, and is
    followed too. A span of blanks alone is lost by any change.

    >>> follow("A cat sat here. It purred.", "Once a cat sat there. It purred.", [Span(16, 26), Span(2, 9)])
    [Span(start=22, end=32), Span(start=7, end=14)]
    >>> follow("A cat sat here. It purred.", "A cat sat here.", [Span(16, 26)])
    [None]
    """
    if old == new:
        return list(spans)
    following = _Following(old, Finder(new), align(old, new))
    return [following.place(span) for span in spans]


def find_quote(text: str, quote: str, before: str, after: str, near: int) -> Span | None:
    """Where a quotation stands in a text: of several places the one whose surroundings agree best, then the nearest.

    Where it does not stand word by word, differences of white space are passed over. ``None`` where it is nowhere.

    >>> find_quote("yes, no, yes, maybe", "yes", ", ", ", maybe", 0), find_quote("a  b", "a b", "", "", 0)
    (Span(start=9, end=12), Span(start=0, end=4))
    """
    return Finder(text).find(quote, before, after, near)


class Finder:
    """``find_quote`` for many quotations of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._squeezed: str | None = None
        self._starts: list[int] = []  # of each run of non-blank characters, in the text ...
        self._ranks: list[int] = []  # ... and in it without its blanks

    def find(self, quote: str, before: str, after: str, near: int) -> Span | None:
        """``find_quote`` in this text."""
        for places in (self.places(quote), self._loose(quote)):
            if found := self.best(places, before, after, near):
                return found
        return None

    def find_again(self, quote: str, before: str, after: str, near: int) -> Span | None:
        """``find``, but only a place that must be the same one: its surroundings agree on one side at least."""
        found = self.find(quote, before, after, near)
        return found if found and self.agrees(found, before, after) else None

    def places(self, quote: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
        """Every place inside ``[start, end)`` where a quotation stands word by word."""
        stop = len(self.text) if end is None else end
        place = self.text.find(quote, start, stop) if quote else -1
        while place >= 0:
            yield Span(place, place + len(quote))
            place = self.text.find(quote, place + 1, stop)

    def overlapping(self, quote: str, place: Span) -> Iterator[Span]:
        """Every place where a quotation stands word by word and shares a character with ``place``."""
        return self.places(quote, max(0, place.start - len(quote) + 1), place.end + len(quote) - 1)

    def best(self, places: Iterator[Span], before: str, after: str, near: int) -> Span | None:
        """Of some places the one whose surroundings agree best, then the nearest; ``None`` of none."""
        return min(
            places, key=lambda span: (-sum(self._agreement(span, before, after)), abs(span.start - near)), default=None
        )

    def agrees(self, span: Span, before: str, after: str) -> bool:
        """Whether what stood before or after stands there again: 16 characters of it, or all up to the text's edge."""
        left, right = self._agreement(span, before, after)
        at_start = len(before) < AGREEING and span.start == left == len(before)
        at_end = len(after) < AGREEING and len(self.text) - span.end == right == len(after)
        return left >= AGREEING or right >= AGREEING or at_start or at_end

    def _loose(self, quote: str) -> Iterator[Span]:
        """Places of the quotation with blanks left out on both sides: hyphenation, wrapping and tables change them."""
        wanted = _BLANKS.sub("", quote)
        if not wanted:
            return
        if self._squeezed is None:
            self._squeeze()
        squeezed = self._squeezed or ""
        place = squeezed.find(wanted)
        while place >= 0:
            yield Span(self._offset(place), self._offset(place + len(wanted) - 1) + 1)
            place = squeezed.find(wanted, place + 1)

    def _squeeze(self) -> None:
        pieces = []
        length = 0
        for found in re.finditer(r"\S+", self.text):
            self._starts.append(found.start())
            self._ranks.append(length)
            pieces.append(found[0])
            length += len(found[0])
        self._squeezed = "".join(pieces)

    def _offset(self, place: int) -> int:
        run = bisect_right(self._ranks, place) - 1
        return self._starts[run] + place - self._ranks[run]

    def _agreement(self, span: Span, before: str, after: str) -> tuple[int, int]:
        """Characters of the surroundings that agree, counted from the span outwards, on each side."""
        left, right = surroundings(self.text, span)
        return common_prefix(left[::-1], before[::-1]), common_prefix(right, after)


class _Following:
    """The diff of two texts, asked for one span after the other."""

    def __init__(self, old: str, finder: Finder, matches: Sequence[Match]) -> None:
        self.old, self.finder, self.new = old, finder, finder.text
        self.matches = matches
        self.old_starts = [match.old for match in matches]
        self.new_starts = [match.new for match in matches]
        self.changed = len(old) + len(self.new) - 2 * sum(match.length for match in matches)

    def place(self, span: Span) -> Span | None:
        """``follow`` of one span."""
        quote, extent = self.old[span.start : span.end], self._extent(span)
        if extent and self.new[extent.start : extent.end] == quote:
            return extent
        if not quote.strip():
            return None
        # A diff may take equal neighbours for the span's own words; the words themselves, in their place, are surer.
        before, after = surroundings(self.old, span)
        finder = self.finder
        if extent and (found := finder.best(finder.overlapping(quote, extent), before, after, extent.start)):
            return found
        found = finder.best(finder.places(quote), before, after, (extent or span).start)
        if found and finder.agrees(found, before, after) and not self._is_another(found, span):
            return found
        if found and extent is None and self._was_moved(quote):
            return found
        return trim(self.new, extent.start, extent.end) if extent else None

    def _was_moved(self, quote: str) -> bool:
        return non_blank_length(quote) >= TELLING and self.old.count(quote) == self.new.count(quote) == 1

    def _is_another(self, found: Span, span: Span) -> bool:
        """Whether the words found are those of a passage that stood elsewhere: further away than the changes go."""
        number = bisect_right(self.new_starts, found.start) - 1
        if number < 0 or found.end > self.matches[number].new + self.matches[number].length:
            return False
        stood = found.start - self.matches[number].new + self.matches[number].old
        return abs(stood - span.start) > self.changed

    def _extent(self, span: Span) -> Span | None:
        """From the first to the last character of the span that stands in ``new`` by the diff, an edited word whole.

        ``None`` where less than half of its non-blank characters do.
        """
        first = max(0, bisect_right(self.old_starts, span.start) - 1)
        kept: list[tuple[int, int, int]] = []  # [start, end) in the old text, and the number of the match
        for number in range(first, bisect_left(self.old_starts, span.end)):
            match = self.matches[number]
            start, end = max(span.start, match.old), min(span.end, match.old + match.length)
            if self.old[start:end].strip():
                kept.append((start, end, number))
        there = sum(non_blank_length(self.old[start:end]) for start, end, _ in kept)
        if not kept or 2 * there < non_blank_length(self.old[span.start : span.end]):
            return None
        start, _, number = kept[0]
        match = self.matches[number]
        begin = start + match.new - match.old
        if start > span.start:
            previous = self.matches[number - 1] if number else Match(0, 0, 0)
            begin = _word_start(self.new, begin, previous.new + previous.length)
        _, end, number = kept[-1]
        match = self.matches[number]
        stop = end + match.new - match.old
        if end < span.end:
            ceiling = self.new_starts[number + 1] if number + 1 < len(self.matches) else len(self.new)
            stop = _word_end(self.new, stop, ceiling)
        return Span(begin, stop)


def _word_start(text: str, place: int, floor: int) -> int:
    while place > floor and text[place].isalnum() and text[place - 1].isalnum():
        place -= 1
    return place


def _word_end(text: str, place: int, ceiling: int) -> int:
    while place < ceiling and text[place - 1].isalnum() and text[place].isalnum():
        place += 1
    return place
