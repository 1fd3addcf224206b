"""Finds the numbered clauses of a contract or law, as a tree; only numbers that count up make clauses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from core.chunking.signals.clause_numbers import DIVISION_RANK, Number, read_numbers
from core.text.spans import line_bounds, trim
from core.types import Span

_SKIPPED_AT_MOST = 3  # numbers missing in a row, such as repealed clauses
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
    """A clause. ``[start, end)``: its number and text up to the next clause of any depth, trimmed.

    ``until``: end of its last sub-clause. ``body``: start of the text after its number. ``label``: as cited, "3.2(a)".
    ``depth``: 1 for the outermost. ``parent``: index of the clause above it, -1 for none.
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
class _Candidate:
    """A line that may begin a clause."""

    start: int
    body: int
    number: Number
    parent: int
    run: int  # numbers of one sequence share a run


def find_clauses(text: str, start: int = 0, end: int | None = None, barriers: Iterable[int] = ()) -> list[Clause]:
    """The clauses of ``[start, end)`` in order; [] where there are fewer than two.

    A number begins a clause if it continues an open sequence of its style (at most three numbers are missing), or is
    the first number of a style; a named division (Article, Section, Clause, Schedule, §) may begin with any number. A
    sequence of one number is dropped, except of a named division. ``barriers``: offsets such as headings, which end
    the clause before them.

    >>> text = "1. Rent\\n1.1 The rent is:\\n(a) 5 a month;\\n(b) 9 with heat.\\n2. Term\\nOne year since 2019."
    >>> [(clause.label, clause.depth, clause.parent) for clause in find_clauses(text)]
    [('1', 1, -1), ('1.1', 2, 0), ('1.1(a)', 3, 1), ('1.1(b)', 3, 1), ('2', 1, -1)]
    >>> find_clauses("2019 was good.\\n3 of them left.\\n7. Nobody knows.")
    []
    """
    stop = len(text) if end is None else end
    tree = _Tree()
    for begin, line, before in _lines(text, start, stop):
        if (readings := read_numbers(line)) and _is_plausible(readings[0], line, text[before:begin].rstrip()):
            tree.add(begin, readings)
    return _clauses(text, stop, tree.result(), sorted(at for at in barriers if start <= at < stop))


def _lines(text: str, start: int, stop: int) -> Iterable[tuple[int, str, int]]:
    """Every line: its start, its first 200 characters, and where the last 40 characters of the line before begin."""
    before = start
    for at, line_end in line_bounds(text, start, stop):
        yield at, text[at : min(line_end, at + 200)], before
        before = max(at, line_end - 40)


def _is_plausible(number: Number, line: str, before: str) -> bool:
    """Whether a numbered line may begin a clause, and is not the rest of a wrapped line that ends with ``before``."""
    end = number.end
    is_division = number.style in DIVISION_RANK
    refers = before and _REFERENCE.search(before) and not _LISTED.search(before)
    if refers or (is_division and before[-1:] == ","):
        return False  # "... under Section\n5 of the Act"
    lower_case = bool(_SMALL_WORD.match(line, end))
    bracketed = line[end - 1 : end] == ")"
    if before and lower_case and not bracketed and number.path != (1,) and not _ENDS_OPEN.search(before):
        return False  # "... for a term of\n3. months"
    return not (lower_case and is_division and line[end : end + 1] not in ".:)")  # "Section 5 applies to"


class _Tree:
    """Builds the tree of clauses line by line. ``_open``: at each level, the clause with its sequence's last number."""

    def __init__(self) -> None:
        self.candidates: list[_Candidate] = []
        self._open: list[int] = []
        self._runs = count(1)

    def add(self, start: int, readings: Sequence[Number]) -> None:
        """Adds a line by the reading that continues an open sequence, innermost first, else by one that begins one."""
        for level in range(len(self._open) - 1, -1, -1):
            last = self._at(level)
            for number in readings:
                if number.style == last.style and _follows(last.path, number.path):
                    self._continue(start, number, level)
                    return
        for number in readings:
            if number.style in DIVISION_RANK:
                self._add_division(start, number)
                return
        for number in readings:
            if number.path == (1,) or (number.style == "1" and number.path[-1] == 1 and len(number.path) == 2):
                # A new sequence: inside the clause before, or in place of an open one of the same style.
                styles = [self._at(level).style for level in range(len(self._open))]
                level = styles.index(number.style) if number.style in styles else len(styles)
                self._push(start, number, level, next(self._runs))
                return

    def _at(self, level: int) -> Number:
        return self.candidates[self._open[level]].number

    def _continue(self, start: int, number: Number, level: int) -> None:
        """Adds a number that follows the open one at ``level``."""
        if number.style == "1" and len(number.path) > len(self._at(level).path):
            self._push(start, number, level + 1, next(self._runs))
            return
        while level and self._at(level - 1).style == number.style and len(self._at(level).path) > len(number.path):
            level -= 1
        same_run = len(self._at(level).path) == len(number.path)
        self._push(start, number, level, self.candidates[self._open[level]].run if same_run else next(self._runs))

    def _add_division(self, start: int, number: Number) -> None:
        """Adds a named division, which ends everything but the divisions above it."""
        rank = DIVISION_RANK[number.style]
        level = 0
        while level < len(self._open) and DIVISION_RANK.get(self._at(level).style, len(DIVISION_RANK)) < rank:
            level += 1
        same_run = level < len(self._open) and self._at(level).style == number.style
        self._push(start, number, level, self.candidates[self._open[level]].run if same_run else next(self._runs))

    def _push(self, start: int, number: Number, level: int, run: int) -> None:
        """Ends the sequences from ``level`` on and adds a clause there."""
        del self._open[level:]
        parent = self._open[-1] if self._open else -1
        self.candidates.append(_Candidate(start, start + number.end, number, parent, run))
        self._open.append(len(self.candidates) - 1)

    def result(self) -> list[_Candidate]:
        """The clauses of sequences with at least two numbers, and other sure ones; children of dropped ones move up."""
        run_lengths = Counter(one.run for one in self.candidates)
        style_counts = Counter(one.number.style for one in self.candidates)
        with_children = {one.parent for one in self.candidates if run_lengths[one.run] >= _FEWEST}
        new_index: dict[int, int] = {-1: -1}
        result: list[_Candidate] = []
        for index, one in enumerate(self.candidates):
            style, path = one.number.style, one.number.path
            parent_path = self.candidates[one.parent].number.path if one.parent >= 0 else ()
            is_sure = (style in DIVISION_RANK and style_counts[style] >= _FEWEST) or (
                style == "1" and len(path) > 1 and (index in with_children or parent_path == path[:-1])
            )
            if run_lengths[one.run] < _FEWEST and not is_sure:
                new_index[index] = new_index[one.parent]
                continue
            new_index[index] = len(result)
            one.parent = new_index[one.parent]
            result.append(one)
        return result if len(result) >= _FEWEST else []


def _follows(last: tuple[int, ...], path: tuple[int, ...]) -> bool:
    """Whether a number may follow another of its style: as its sibling, its child, or the sibling of an ancestor.

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


def _clauses(text: str, stop: int, candidates: Sequence[_Candidate], barriers: Sequence[int]) -> list[Clause]:
    """The candidates as clauses, each up to the next clause, barrier or ``stop``. ``barriers``: ascending."""
    clauses: list[Clause] = []
    next_barrier = 0
    for index, one in enumerate(candidates):
        end = candidates[index + 1].start if index + 1 < len(candidates) else stop
        while next_barrier < len(barriers) and barriers[next_barrier] <= one.body:
            next_barrier += 1
        if next_barrier < len(barriers):
            end = min(end, barriers[next_barrier])
        span = trim(text, one.start, end) or Span(one.start, end)
        parent = clauses[one.parent] if one.parent >= 0 else None
        label = _label(parent, one.number)
        depth = parent.depth + 1 if parent else 1
        body = min(one.body, span.end)
        clauses.append(Clause(span.start, span.end, span.end, body, label, depth, one.parent, one.number.style))
    until = [clause.end for clause in clauses]
    for index in range(len(clauses) - 1, -1, -1):
        parent_index = clauses[index].parent
        if parent_index >= 0:
            until[parent_index] = max(until[parent_index], until[index])
    return [replace(clause, until=last) for clause, last in zip(clauses, until, strict=True)]


def _label(parent: Clause | None, number: Number) -> str:
    """The number as it is cited: a decimal number or division alone, a letter after its parent's label."""
    if parent is None or number.style in DIVISION_RANK or (number.style == "1" and len(number.path) > 1):
        return number.label
    return f"{parent.label}{number.label}" if number.label.startswith("(") else f"{parent.label} {number.label}"
