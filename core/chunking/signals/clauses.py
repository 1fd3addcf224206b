"""Text to the numbered clauses of a contract or a law, as a tree: numbers must count up, or they number nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from core.chunking.signals.clause_numbers import DIVISION_RANK, Number, read_numbers
from core.text.spans import trim
from core.types import Span

_SKIPPED_AT_MOST = 3  # numbers left out in a row: clauses that were struck
_FEWEST = 2
_SMALL_WORD = re.compile(r"[ \t]*[a-zà-öø-ÿ]")
_ENDS_OPEN = re.compile(r"(?:[,;:.!?。)\]”\"*_|-]|\b(?:and|or|und|oder|et|ou|y|o))[ \t]*\Z", re.IGNORECASE)
_LISTED = re.compile(r"[;,:.)][ \t]*(?:(?:and|or|und|oder|et|ou)[ \t]*)?\Z", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:\b(?:of|in|under|to|and|or|see|with|by|per|clauses?|sections?|articles?|gemäß|nach|des|und)|§§?)[ \t]*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """``[start, end)``: its own words, number included, up to the next clause of any rank, trimmed.

    ``until``: where its last sub-clause ends. ``label``: as cited, "3.2(a)". ``depth``: 1 for the outermost.
    ``parent``: index of the clause above it, -1 for none. ``body``: where the words after its number begin.
    """

    start: int
    end: int
    until: int
    body: int
    label: str
    depth: int
    parent: int
    style: str


@dataclass(slots=True)
class _Found:
    start: int
    body: int
    number: Number
    parent: int
    run: int  # numbers that count up together share a run


def find_clauses(text: str, start: int = 0, end: int | None = None, barriers: Iterable[int] = ()) -> list[Clause]:
    """The clauses of ``[start, end)`` in order; [] where fewer than two lines are numbered in a row.

    A number counts where it goes on from one of its style that is open (at most three are left out), or begins a
    style with its first number; a division's name (Article, Section, Clause, Schedule, §) may begin with any. A run
    of one member is no numbering, but for a division by name. ``barriers``: where a new part of the text begins, such
    as a heading, and numbers may start again.

    >>> text = "1. Rent\\n1.1 The rent is:\\n(a) 5 a month;\\n(b) 9 with heat.\\n2. Term\\nOne year since 2019."
    >>> [(clause.label, clause.depth, clause.parent) for clause in find_clauses(text)]
    [('1', 1, -1), ('1.1', 2, 0), ('1.1(a)', 3, 1), ('1.1(b)', 3, 1), ('2', 1, -1)]
    >>> find_clauses("2019 was good.\\n3 of them left.\\n7. Nobody knows.")
    []
    """
    stop = len(text) if end is None else end
    tree = _Tree()
    for begin, line, above in _lines(text, start, stop):
        if (readings := read_numbers(line)) and _is_plausible(readings[0], line, text[above:begin].rstrip()):
            tree.add(begin, readings)
    return _clauses(text, stop, tree.kept(), sorted(at for at in barriers if start <= at < stop))


def _lines(text: str, start: int, stop: int) -> Iterable[tuple[int, str, int]]:
    """Every line as where it begins, its first 200 characters, and where the last 40 of the line above begin."""
    at = above = start
    while at < stop:
        line_end = text.find("\n", at, stop)
        line_end = stop if line_end < 0 else line_end
        yield at, text[at : min(line_end, at + 200)], above
        above = max(at, line_end - 40)
        at = line_end + 1


def _is_plausible(number: Number, line: str, before: str) -> bool:
    """Whether a line may begin a clause and is not a wrapped one that goes on with a number. ``before``: its end."""
    end = number.end
    is_division = number.style in DIVISION_RANK
    refers = before and _REFERENCE.search(before) and not _LISTED.search(before)
    if refers or (is_division and before[-1:] == ","):
        return False  # "... under Section\n5 of the Act"
    goes_on = bool(_SMALL_WORD.match(line, end))
    is_marked = line[end - 1 : end] == ")"
    if before and goes_on and not is_marked and number.path != (1,) and not _ENDS_OPEN.search(before):
        return False  # "... for a term of\n3. months" reads on
    return not (goes_on and is_division and line[end : end + 1] not in ".:)")  # "Section 5 applies to" is about one


class _Tree:
    """Clauses as they come, and the numberings open at the last of them: the clauses that bear their last numbers."""

    def __init__(self) -> None:
        self.found: list[_Found] = []
        self._open: list[int] = []
        self._runs = count(1)

    def add(self, start: int, readings: Sequence[Number]) -> None:
        """Takes a line in as the reading that goes on from an open numbering, else as one that begins a new one."""
        for level in range(len(self._open) - 1, -1, -1):
            for number in readings:
                one = self._at(level)
                if number.style == one.style and _follows(one.path, number.path):
                    self._go_on(start, number, level)
                    return
        for number in readings:
            if number.style in DIVISION_RANK:
                self._divide(start, number)
                return
        for number in readings:
            if number.path == (1,) or (number.style == "1" and number.path[-1] == 1 and len(number.path) == 2):
                # A new numbering: inside the clause before, or again from the start where its style is open already.
                styles = [self._at(level).style for level in range(len(self._open))]
                level = styles.index(number.style) if number.style in styles else len(styles)
                self._push(start, number, level, next(self._runs))
                return

    def _at(self, level: int) -> Number:
        return self.found[self._open[level]].number

    def _go_on(self, start: int, number: Number, level: int) -> None:
        if number.style == "1" and len(number.path) > len(self._at(level).path):
            self._push(start, number, level + 1, next(self._runs))
            return
        while level and self._at(level - 1).style == number.style and len(self._at(level).path) > len(number.path):
            level -= 1
        same = len(self._at(level).path) == len(number.path)
        self._push(start, number, level, self.found[self._open[level]].run if same else next(self._runs))

    def _divide(self, start: int, number: Number) -> None:
        """A division by name closes all that is not a division above it."""
        rank = DIVISION_RANK[number.style]
        level = 0
        while level < len(self._open) and DIVISION_RANK.get(self._at(level).style, len(DIVISION_RANK)) < rank:
            level += 1
        same = level < len(self._open) and self._at(level).style == number.style
        self._push(start, number, level, self.found[self._open[level]].run if same else next(self._runs))

    def _push(self, start: int, number: Number, level: int, run: int) -> None:
        """Closes the numberings from ``level`` on and opens this one there."""
        del self._open[level:]
        parent = self._open[-1] if self._open else -1
        self.found.append(_Found(start, start + number.end, number, parent, run))
        self._open.append(len(self.found) - 1)

    def kept(self) -> list[_Found]:
        """The clauses of runs with two members at least, or of a division's name, under the parents that are left."""
        members = Counter(one.run for one in self.found)
        names = Counter(one.number.style for one in self.found)
        holds = {one.parent for one in self.found if members[one.run] >= _FEWEST}
        place: dict[int, int] = {-1: -1}
        kept: list[_Found] = []
        for index, one in enumerate(self.found):
            style, path = one.number.style, one.number.path
            above = self.found[one.parent].number.path if one.parent >= 0 else ()
            is_sure = (style in DIVISION_RANK and names[style] >= _FEWEST) or (
                style == "1" and len(path) > 1 and (index in holds or above == path[:-1])
            )
            if members[one.run] < _FEWEST and not is_sure:
                place[index] = place[one.parent]
                continue
            place[index] = len(kept)
            one.parent = place[one.parent]
            kept.append(one)
        return kept if len(kept) >= _FEWEST else []


def _follows(last: tuple[int, ...], path: tuple[int, ...]) -> bool:
    """Whether a number may come after another of its style: its sibling, its child, or the sibling of an ancestor.

    >>> [_follows((2, 3), path) for path in ((2, 4), (2, 3, 1), (3,), (3, 1), (2, 3), (7,), (2, 1))]
    [True, True, True, True, False, False, False]
    """
    shared = 0
    while shared < min(len(last), len(path)) and last[shared] == path[shared]:
        shared += 1
    if shared == len(path):
        return False
    if shared == len(last):
        return len(path) == shared + 1 and path[shared] <= 1 + _SKIPPED_AT_MOST
    step = path[shared] - last[shared]
    return 0 < step <= 1 + _SKIPPED_AT_MOST and all(part == 1 for part in path[shared + 1 :])


def _clauses(text: str, stop: int, found: Sequence[_Found], barriers: Sequence[int]) -> list[Clause]:
    made: list[Clause] = []
    waiting = 0
    for index, one in enumerate(found):
        after = found[index + 1].start if index + 1 < len(found) else stop
        while waiting < len(barriers) and barriers[waiting] <= one.body:
            waiting += 1
        end = min(after, barriers[waiting]) if waiting < len(barriers) else after
        span = trim(text, one.start, end) or Span(one.start, end)
        above = made[one.parent] if one.parent >= 0 else None
        label = _label(above, one.number)
        depth = above.depth + 1 if above else 1
        body = min(one.body, span.end)
        made.append(Clause(span.start, span.end, span.end, body, label, depth, one.parent, one.number.style))
    until = [clause.end for clause in made]
    for index in range(len(made) - 1, -1, -1):
        parent = made[index].parent
        if parent >= 0:
            until[parent] = max(until[parent], until[index])
    return [
        clause if clause.end == last else replace(clause, until=last) for clause, last in zip(made, until, strict=True)
    ]


def _label(above: Clause | None, number: Number) -> str:
    """The number as it is cited: a decimal number is whole, a letter needs what is above it."""
    if above is None or number.style in DIVISION_RANK or (number.style == "1" and len(number.path) > 1):
        return number.label
    return f"{above.label}{number.label}" if number.label.startswith("(") else f"{above.label} {number.label}"
