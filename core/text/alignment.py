"""Diff of two versions of a text, as the ranges that both share: by lines, sentences, words and letters of words.

Each step matches pieces that occur once on both sides, and keeps the longest sequence of matches in the order of both
(patience diff, Bram Cohen, as in ``git diff --patience``); ``difflib`` compares only the small gaps that remain. The
cost grows with the length of the text and the size of its changes, not with their product.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

SMALL = 40_000  # pairs of pieces that difflib may compare; in a larger gap matches would be chance
LETTERS = 64  # a changed gap up to this many characters may be another spelling ...
ALIKE = 0.6  # ... if at least this share of its letters is the same

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_SENTENCES = re.compile(r"[^.!?。！？\n]+[.!?。！？]*|[.!?。！？]+")
_WORDS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Match:
    """``length`` equal characters, at offset ``old`` of the old text and ``new`` of the new text."""

    old: int
    new: int
    length: int


def align(old: str, new: str) -> list[Match]:
    """The ranges that two texts share, in the order of both; they do not overlap, and adjacent ones are merged.

    >>> align("one two three", "one 2 three")
    [Match(old=0, new=0, length=4), Match(old=7, new=5, length=6)]
    >>> align("a colour", "the color")
    [Match(old=1, new=3, length=5), Match(old=7, new=8, length=1)]
    >>> align("favourites", "favorite")
    [Match(old=0, new=0, length=4), Match(old=5, new=4, length=4)]
    """
    start = common_prefix(old, new)
    tail = min(common_suffix(old, new), len(old) - start, len(new) - start)
    matches = [Match(0, 0, start), Match(len(old) - tail, len(new) - tail, tail)]
    for pattern in (_LINES, _SENTENCES, _WORDS):
        matches += _pieces(old, new, list(_gaps(matches)), pattern)
    matches = _joined(old, new, matches)
    changed = _gaps([*matches, Match(len(old), len(new), 0)])
    return _joined(old, new, [*matches, *_spelling_changes(old, new, changed)])


def common_prefix(left: str, right: str) -> int:
    """How many characters two texts share at their beginning, by binary search, as comparing slices is fast.

    >>> common_prefix("abcd", "abxd"), common_prefix("ab", "abc")
    (2, 2)
    """
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(left: str, right: str) -> int:
    """How many characters two texts share at their end.

    >>> common_suffix("abcd", "xcd"), common_suffix("", "a")
    (2, 0)
    """
    return common_prefix(left[::-1], right[::-1])


Gap = tuple[int, int, int, int]  # [start, end) of the old side, [start, end) of the new one


def _gaps(matches: Sequence[Match]) -> Iterator[Gap]:
    """The gaps between matches that are not empty on either side."""
    old = new = 0
    for match in sorted(matches, key=lambda match: (match.old, match.new)):
        if match.old > old and match.new > new:
            yield old, match.old, new, match.new
        old, new = match.old + match.length, match.new + match.length


def _pieces(old: str, new: str, gaps: Sequence[Gap], pattern: re.Pattern[str]) -> Iterator[Match]:
    """The pieces (matches of ``pattern``) that both sides of a gap share, in the order of both."""
    for old_start, old_end, new_start, new_end in gaps:
        left = list(pattern.finditer(old, old_start, old_end))
        right = list(pattern.finditer(new, new_start, new_end))
        for i, j, count in _matching_runs([piece[0] for piece in left], [piece[0] for piece in right]):
            for piece, other in zip(left[i : i + count], right[j : j + count], strict=True):
                yield Match(piece.start(), other.start(), len(piece[0]))


def _matching_runs(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Triples ``(i, j, n)`` with ``left[i:i + n] == right[j:j + n]``; unsorted, but consistent with the order of both.

    Each range is stripped of its common beginning and end, then split at pieces that occur once on both sides.
    """
    pending = [(0, len(left), 0, len(right))]
    while pending:
        a, a_end, b, b_end = pending.pop()
        count = 0
        while a + count < a_end and b + count < b_end and left[a + count] == right[b + count]:
            count += 1
        if count:
            yield a, b, count
        a, b, count = a + count, b + count, 0
        while a < a_end - count and b < b_end - count and left[a_end - count - 1] == right[b_end - count - 1]:
            count += 1
        if count:
            yield a_end - count, b_end - count, count
        a_end, b_end = a_end - count, b_end - count
        if a == a_end or b == b_end:
            continue
        anchors = _anchors(_once(left, a, a_end), _once(right, b, b_end))
        if anchors:
            for (i, j), (i_next, j_next) in pairwise([(a - 1, b - 1), *anchors, (a_end, b_end)]):
                pending.append((i + 1, i_next, j + 1, j_next))
            yield from ((i, j, 1) for i, j in anchors)
        elif (a_end - a) * (b_end - b) <= SMALL:
            for block in SequenceMatcher(None, left[a:a_end], right[b:b_end], autojunk=False).get_matching_blocks():
                yield a + block.a, b + block.b, block.size


def _anchors(left: Mapping[str, int], right: Mapping[str, int]) -> list[tuple[int, int]]:
    """The longest sequence of pieces that is in the order of both sides, as pairs of indices.

    ``left``, ``right``: the pieces that occur once, with their indices, in order.
    """
    pairs = [(place, right[piece]) for piece, place in left.items() if piece in right]
    # Longest increasing subsequence by patience sorting: ``last[n]`` is the end of the best sequence of n + 1 pairs so
    # far, ``ends`` its index in ``right``, and ``before`` links each pair to the one before it.
    last: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        run = bisect_left(ends, place)
        before.append(last[run - 1] if run else -1)
        last[run : run + 1] = [number]
        ends[run : run + 1] = [place]
    longest = []
    number = last[-1] if last else -1
    while number >= 0:
        longest.append(pairs[number])
        number = before[number]
    return longest[::-1]


def _once(pieces: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The pieces that occur once in ``[start, end)``, with their indices, in order."""
    counts = Counter(pieces[start:end])
    return {pieces[place]: place for place in range(start, end) if counts[pieces[place]] == 1}


def _spelling_changes(old: str, new: str, gaps: Iterator[Gap]) -> Iterator[Match]:
    """The letters that both sides of a short gap share; none where the sides are not similar."""
    for old_start, old_end, new_start, new_end in gaps:
        if max(old_end - old_start, new_end - new_start) <= LETTERS:
            letters = SequenceMatcher(None, old[old_start:old_end], new[new_start:new_end], autojunk=False)
            if letters.ratio() >= ALIKE:
                for block in letters.get_matching_blocks():
                    yield Match(old_start + block.a, new_start + block.b, block.size)


def _joined(old: str, new: str, matches: Sequence[Match]) -> list[Match]:
    """The matches in order, with neighbours merged where the text between them is the same on both sides."""
    joined: list[Match] = []
    for match in sorted(matches, key=lambda match: (match.old, match.new)):
        if not match.length:
            continue
        if joined:
            last = joined[-1]
            between = old[last.old + last.length : match.old]
            if between == new[last.new + last.length : match.new]:
                joined[-1] = Match(last.old, last.new, match.old + match.length - last.old)
                continue
        joined.append(match)
    return joined
