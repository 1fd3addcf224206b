"""What two versions of a text have in common, as ranges in order: by lines, sentences, words and, in words, by letters.

Each step pairs what stands once on either side and keeps the longest run of pairs in one order (patience diff, Bram
Cohen, as in ``git diff --patience``); only what is left between them, small by then, is compared by ``difflib``. So the
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

SMALL = 40_000  # pairs of pieces that difflib may look at; beyond that nothing is common by more than chance
LETTERS = 64  # a changed place up to this long may be a word spelt anew ...
ALIKE = 0.6  # ... if so much of its letters is the same

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_SENTENCES = re.compile(r"[^.!?。！？\n]+[.!?。！？]*|[.!?。！？]+")
_WORDS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Match:
    """``length`` characters that are the same from ``old`` in the old text and from ``new`` in the new one."""

    old: int
    new: int
    length: int


def align(old: str, new: str) -> list[Match]:
    """The ranges two texts share, in the order of both, neither overlapping nor touching on both sides.

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
    return _joined(old, new, [*matches, *_respelt(old, new, changed)])


def common_prefix(left: str, right: str) -> int:
    """How many characters two texts share at their beginning, found by halving: comparing slices is fast.

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
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[len(left) - middle : len(left) - low] == right[len(right) - middle : len(right) - low]:
            low = middle
        else:
            high = middle - 1
    return low


Gap = tuple[int, int, int, int]  # [start, end) of the old side, [start, end) of the new one


def _gaps(matches: Sequence[Match]) -> Iterator[Gap]:
    """What lies between matches and is not empty on either side."""
    old = new = 0
    for match in sorted(matches, key=lambda match: (match.old, match.new)):
        if match.old > old and match.new > new:
            yield old, match.old, new, match.new
        old, new = match.old + match.length, match.new + match.length


def _pieces(old: str, new: str, gaps: Sequence[Gap], pattern: re.Pattern[str]) -> Iterator[Match]:
    """Pieces of a pattern that stand on both sides of a gap, in one order."""
    for old_start, old_end, new_start, new_end in gaps:
        left = list(pattern.finditer(old, old_start, old_end))
        right = list(pattern.finditer(new, new_start, new_end))
        for i, j, count in _paired([piece[0] for piece in left], [piece[0] for piece in right]):
            for piece, other in zip(left[i : i + count], right[j : j + count], strict=True):
                yield Match(piece.start(), other.start(), len(piece[0]))


def _paired(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """``(i, j, n)``: ``left[i:i + n] == right[j:j + n]``, in no order, but all of them can be put in one."""
    waiting = [(0, len(left), 0, len(right))]
    while waiting:
        a, a_end, b, b_end = waiting.pop()
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
                waiting.append((i + 1, i_next, j + 1, j_next))
            yield from ((i, j, 1) for i, j in anchors)
        elif (a_end - a) * (b_end - b) <= SMALL:
            for found in SequenceMatcher(None, left[a:a_end], right[b:b_end], autojunk=False).get_matching_blocks():
                yield a + found.a, b + found.b, found.size


def _anchors(left: Mapping[str, int], right: Mapping[str, int]) -> list[tuple[int, int]]:
    """Of what stands once on either side, the longest run that is in the order of both."""
    pairs = [(place, right[piece]) for piece, place in left.items() if piece in right]
    # Patience sorting: ``last[n]`` ends the best run of n + 1 pairs so far, ``before`` leads back through it.
    last: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        run = bisect_left(ends, place)
        before.append(last[run - 1] if run else -1)
        last[run : run + 1] = [number]
        ends[run : run + 1] = [place]
    chosen = []
    number = last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _once(pieces: Sequence[str], start: int, end: int) -> dict[str, int]:
    """Where each piece stands that stands once in ``[start, end)``, in order."""
    counts = Counter(pieces[start:end])
    return {pieces[place]: place for place in range(start, end) if counts[pieces[place]] == 1}


def _respelt(old: str, new: str, gaps: Iterator[Gap]) -> Iterator[Match]:
    """Letters that two spellings of a short place share; none where it is another place altogether."""
    for old_start, old_end, new_start, new_end in gaps:
        if max(old_end - old_start, new_end - new_start) <= LETTERS:
            letters = SequenceMatcher(None, old[old_start:old_end], new[new_start:new_end], autojunk=False)
            if letters.ratio() >= ALIKE:
                for found in letters.get_matching_blocks():
                    yield Match(old_start + found.a, new_start + found.b, found.size)


def _joined(old: str, new: str, matches: Sequence[Match]) -> list[Match]:
    """The matches in order, neighbours as one: those that touch, and those with the same blanks between them."""
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
