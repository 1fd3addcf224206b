"""Detects the dialect of a table in a text file (separator and quotes), and reads its records.

The dialect is chosen by consistency (G. van den Burg et al., "Wrangling messy CSV files by detecting row and type
patterns", 2019, simplified): records have the same number of cells, and cells look like values.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from typing import Literal

from core.parsing.table_header import cell_value

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
_STATED = re.compile(r"\"?sep=(?P<separator>[^\s\"'\w]|\t)\"?[^\S\t\n]*(?:\n|\Z)", re.IGNORECASE)
_SAMPLE_CHARACTERS, _SAMPLE_RECORDS = 400_000, 300
_LARGEST_FIELD = 2**31 - 1
_MAX_QUOTE_LINES = 5_000  # a quote that stays open longer is an ordinary character
_MAX_RESCUES = 200
_LEAST_CONSISTENT, _LEAST_PROMISED = 0.7, 0.5
_PROMISE = {",": 1.1, "\t": 3.0, "|": 3.0}  # "csv" names files of any separator
_LEAST_SHARE, _ENOUGH_RECORDS = 0.4, 5
_STRAY = re.compile(r"[,;\t|\"]|^'")
_ESCAPED_QUOTE = re.compile(r'(?<!\\)((?:\\\\)*)\\"')
Record = list[str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written. ``separator``: "" for a single column. ``start``: offset of the table in the text.

    ``escaped``: quotes inside quotes are escaped with a backslash instead of doubled.
    """

    separator: str
    quote: str = '"'
    escaped: bool = False
    start: int = 0


def find_dialect(text: str, expected: str = "") -> Dialect:
    """The most likely dialect. ``expected``: the separator that the file's extension implies; it is preferred.

    >>> find_dialect('a;b\\n1,5;"x;y"\\n2,5;z\\n').separator, find_dialect("sep=|\\na,b|c").start
    (';', 6)
    """
    if stated := _STATED.match(text):
        return Dialect(stated["separator"], start=stated.end())
    sample = text[:_SAMPLE_CHARACTERS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample
    candidates = [Dialect(separator) for separator in SEPARATORS if separator in sample]
    plain = list(candidates)
    if '\\"' in sample:
        candidates += [Dialect(dialect.separator, escaped=True) for dialect in plain]
    if "'" in sample:
        candidates += [Dialect(dialect.separator, "'") for dialect in plain]
    best, best_score = Dialect(""), 0.0
    for dialect in candidates:
        rows = list(islice(records(sample, dialect), _SAMPLE_RECORDS))
        is_expected = dialect.separator == expected
        score = _score(rows, least=_LEAST_PROMISED if is_expected else _LEAST_CONSISTENT)
        score *= _PROMISE.get(expected, 1.0) if is_expected else 1.0
        if score > best_score * 1.0001:  # of equals the simplest
            best, best_score = dialect, score
    return best


def records(text: str, dialect: Dialect) -> Iterator[Record]:
    """The records of a text in a dialect; blank lines are []. No text is lost, even if quotes are not balanced.

    A quote that is not closed, or only far below, counts as a character: its line is read without quotes.

    >>> list(records('a,"b\\nc",d\\n"e,f\\ng,h', Dialect(",")))
    [['a', 'b\\nc', 'd'], ['"e', 'f'], ['g', 'h']]
    """
    text = text[dialect.start :]
    if dialect.escaped:  # csv's own option would drop all other backslashes too
        text = _ESCAPED_QUOTE.sub(r'\1""', text)
    lines = _Lines(io.StringIO(text, newline="\n"))
    if not dialect.separator:
        yield from ([line.strip()] if line.strip() else [] for line in lines)
        return
    csv.field_size_limit(_LARGEST_FIELD)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
    rescues = 0
    while True:
        for record in _reader(lines, dialect, quoting):
            if lines.is_broken:
                break
            yield record
            lines.taken.clear()
        if not lines.is_broken:
            return
        first, *rest = lines.taken
        yield from _reader([first], dialect, csv.QUOTE_NONE)
        lines.give_back(rest)
        rescues += 1
        if rescues == _MAX_RESCUES:
            quoting = csv.QUOTE_NONE


def _reader(lines: Iterable[str], dialect: Dialect, quoting: Literal[0, 3]) -> Iterator[Record]:
    quote = None if quoting == csv.QUOTE_NONE else dialect.quote
    # A quote after a blank is one, too, as in tables whose columns are aligned.
    return csv.reader(lines, delimiter=dialect.separator, quotechar=quote, quoting=quoting, skipinitialspace=True)


class _Lines:
    """The lines for ``csv.reader``. ``taken``: lines of the current record. ``is_broken``: its quote is not closed."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._given_back: list[str] = []
        self.taken: list[str] = []
        self.is_broken = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._given_back.pop() if self._given_back else next(self._lines, None)
        if line is None or len(self.taken) >= _MAX_QUOTE_LINES:
            # The reader asks for another line of a record: a quote is open.
            self.is_broken = bool(self.taken)
            if line is not None:
                self._given_back.append(line)
            raise StopIteration
        self.taken.append(line)
        return line

    def give_back(self, lines: Sequence[str]) -> None:
        """Return lines to the reader, which yields them again."""
        self._given_back += reversed(lines)
        self.taken.clear()
        self.is_broken = False


def _score(rows: Sequence[Record], least: float) -> float:
    """How well records agree, from 0 (not a table) to 1. ``least``: the share that has to."""
    widths = [len(row) for row in rows if row]
    parted = [at for at, width in enumerate(widths) if width > 1]
    if len(parted) < min(_ENOUGH_RECORDS, _LEAST_SHARE * len(widths)) or not parted:
        return 0.0
    widths = widths[parted[0] : parted[-1] + 1]
    usual = Counter(width for width in widths if width > 1).most_common(1)[0][0]
    agreeing = sum(1.0 if width == usual else 0.6 if width > 1 else 0.0 for width in widths) / len(widths)
    if agreeing < least:
        return 0.0
    cells = [cell for row in rows if len(row) > 1 for cell in row]
    clean = sum(not _STRAY.search(cell) or not isinstance(cell_value(cell), str) for cell in cells) / len(cells)
    parts = len(parted) / sum(map(bool, rows))
    return float(agreeing**2 * (0.3 + 0.7 * clean) * parts * sqrt((usual - 1) / usual))
