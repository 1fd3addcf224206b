"""Moves spans from a text to its changed version: by a diff where the old text is known, else by searching a quotation.

In both cases a span is its words in their context; its offsets are only where they were last.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from core.text.alignment import Match, align, common_prefix, common_suffix
from core.text.spans import non_blank_length, trim
from core.types import Span

AROUND = 80  # characters of context stored on each side of a quotation
_SAME_CONTEXT = 16  # characters of equal context on one side that make two places the same
_DISTINCTIVE = 20  # non-blank characters that make a quotation too long to occur by chance

_BLANKS = re.compile(r"\s+")


def surroundings(text: str, span: Span) -> tuple[str, str]:
    """The text before and after a span: 80 characters of each, fewer only at the edge of the text.

    >>> surroundings("One two three.", Span(4, 7))
    ('One ', ' three.')
    """
    return text[max(0, span.start - AROUND) : span.start], text[span.end : span.end + AROUND]


def follow(old: str, new: str, spans: Sequence[Span]) -> list[Span | None]:
    """Where each span of ``old`` is in ``new``; ``None`` where its words are gone.

    Unchanged words are found exactly. An edited span reaches from its first to its last character that the diff still
    finds, if at least half of its non-blank characters are. A passage of 20 or more characters that occurs once in both
    texts was moved, and is followed too. A span of blanks is lost by any change.

    >>> follow("A cat sat here. It purred.", "Once a cat sat there. It purred.", [Span(16, 26), Span(2, 9)])
    [Span(start=22, end=32), Span(start=7, end=14)]
    >>> follow("A cat sat here. It purred.", "A cat sat here.", [Span(16, 26)])
    [None]
    """
    if old == new:
        return list(spans)
    follower = _Follower(old, Finder(new), align(old, new))
    return [follower.place(span) for span in spans]


def find_quote(text: str, quote: str, before: str, after: str, near: int) -> Span | None:
    """Where a quotation is in a text: of several places the one with the best matching context, then the nearest.

    Without an exact occurrence, differences of white space are ignored. ``None`` where it is nowhere.

    >>> find_quote("yes, no, yes, maybe", "yes", ", ", ", maybe", 0), find_quote("a  b", "a b", "", "", 0)
    (Span(start=9, end=12), Span(start=0, end=4))
    """
    return Finder(text).find(quote, before, after, near)


class Finder:
    """Finds many quotations in one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._squeezed: str | None = None
        self._starts: list[int] = []  # start of each run of non-blank characters, in the text ...
        self._ranks: list[int] = []  # ... and in the text without blanks

    def find(self, quote: str, before: str, after: str, near: int) -> Span | None:
        """``find_quote`` in this text."""
        for places in (self.places(quote), self._ignoring_blanks(quote)):
            if found := self.best(places, before, after, near):
                return found
        return None

    def find_again(self, quote: str, before: str, after: str, near: int) -> Span | None:
        """As ``find``, but only a place whose context agrees on at least one side."""
        found = self.find(quote, before, after, near)
        return found if found and self.agrees(found, before, after) else None

    def places(self, quote: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
        """Every exact occurrence of a quotation inside ``[start, end)``."""
        stop = len(self.text) if end is None else end
        place = self.text.find(quote, start, stop) if quote else -1
        while place >= 0:
            yield Span(place, place + len(quote))
            place = self.text.find(quote, place + 1, stop)

    def overlapping(self, quote: str, place: Span) -> Iterator[Span]:
        """Every exact occurrence of a quotation that shares a character with ``place``."""
        return self.places(quote, max(0, place.start - len(quote) + 1), place.end + len(quote) - 1)

    def best(self, places: Iterator[Span], before: str, after: str, near: int) -> Span | None:
        """Of some places the one with the best matching context, then the nearest to ``near``; ``None`` without any."""
        return min(
            places, key=lambda span: (-sum(self._agreement(span, before, after)), abs(span.start - near)), default=None
        )

    def agrees(self, span: Span, before: str, after: str) -> bool:
        """Whether the context on one side of a span is equal: 16 characters, or all up to the edge of the text."""
        left, right = self._agreement(span, before, after)
        at_start = len(before) < _SAME_CONTEXT and span.start == left == len(before)
        at_end = len(after) < _SAME_CONTEXT and len(self.text) - span.end == right == len(after)
        return left >= _SAME_CONTEXT or right >= _SAME_CONTEXT or at_start or at_end

    def _ignoring_blanks(self, quote: str) -> Iterator[Span]:
        """Occurrences of the quotation in the text, both without blanks, which wrapping and tables change."""
        squeezed_quote = _BLANKS.sub("", quote)
        if not squeezed_quote:
            return
        if self._squeezed is None:
            self._squeeze()
        squeezed = self._squeezed or ""
        place = squeezed.find(squeezed_quote)
        while place >= 0:
            yield Span(self._offset(place), self._offset(place + len(squeezed_quote) - 1) + 1)
            place = squeezed.find(squeezed_quote, place + 1)

    def _squeeze(self) -> None:
        """Builds the text without blanks, and the map from its offsets to those of the text."""
        pieces = []
        length = 0
        for match in re.finditer(r"\S+", self.text):
            self._starts.append(match.start())
            self._ranks.append(length)
            pieces.append(match[0])
            length += len(match[0])
        self._squeezed = "".join(pieces)

    def _offset(self, place: int) -> int:
        """The offset in the text of an offset in the text without blanks."""
        run = bisect_right(self._ranks, place) - 1
        return self._starts[run] + place - self._ranks[run]

    def _agreement(self, span: Span, before: str, after: str) -> tuple[int, int]:
        """On each side, how many characters of the context are equal, counted from the span outwards."""
        left, right = surroundings(self.text, span)
        return common_suffix(left, before), common_prefix(right, after)


class _Follower:
    """Moves spans by the diff of two texts, given as ``matches``."""

    def __init__(self, old: str, finder: Finder, matches: Sequence[Match]) -> None:
        self.old, self.finder, self.new = old, finder, finder.text
        self.matches = matches
        self.old_starts = [match.old for match in matches]
        self.new_starts = [match.new for match in matches]
        self.changed = len(old) + len(self.new) - 2 * sum(match.length for match in matches)

    def place(self, span: Span) -> Span | None:
        """Where a span is in the new text, as ``follow`` describes."""
        quote, extent = self.old[span.start : span.end], self._extent(span)
        if extent and self.new[extent.start : extent.end] == quote:
            return extent
        if not quote.strip():
            return None
        # A diff may match equal words nearby instead of the span's own, so an exact occurrence in context comes first.
        before, after = surroundings(self.old, span)
        finder = self.finder
        if extent and (found := finder.best(finder.overlapping(quote, extent), before, after, extent.start)):
            return found
        found = finder.best(finder.places(quote), before, after, (extent or span).start)
        if found and finder.agrees(found, before, after) and not self._is_other_passage(found, span):
            return found
        if found and extent is None and self._was_moved(quote):
            return found
        return trim(self.new, extent.start, extent.end) if extent else None

    def _was_moved(self, quote: str) -> bool:
        return non_blank_length(quote) >= _DISTINCTIVE and self.old.count(quote) == self.new.count(quote) == 1

    def _is_other_passage(self, found: Span, span: Span) -> bool:
        """Whether the words found are another passage of the old text, further away than the changes could move it."""
        number = bisect_right(self.new_starts, found.start) - 1
        if number < 0 or found.end > self.matches[number].new + self.matches[number].length:
            return False
        old_start = found.start - self.matches[number].new + self.matches[number].old
        return abs(old_start - span.start) > self.changed

    def _extent(self, span: Span) -> Span | None:
        """The span in ``new`` from the first to the last character that the diff matches, extended to whole words.

        ``None`` where fewer than half of its non-blank characters are matched.
        """
        first = max(0, bisect_right(self.old_starts, span.start) - 1)
        matched: list[tuple[int, int, int]] = []  # [start, end) in the old text, and the number of the match
        for number in range(first, bisect_left(self.old_starts, span.end)):
            match = self.matches[number]
            start, end = max(span.start, match.old), min(span.end, match.old + match.length)
            if self.old[start:end].strip():
                matched.append((start, end, number))
        matched_length = sum(non_blank_length(self.old[start:end]) for start, end, _ in matched)
        if not matched or 2 * matched_length < non_blank_length(self.old[span.start : span.end]):
            return None
        start, _, number = matched[0]
        match = self.matches[number]
        begin = start + match.new - match.old
        if start > span.start:
            previous = self.matches[number - 1] if number else Match(0, 0, 0)
            begin = _word_start(self.new, begin, previous.new + previous.length)
        _, end, number = matched[-1]
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
