"""Questions that compare with a number ("which regions above 5 %"), answered from typed table cells, exactly.

Small on purpose: one bound or a range, one unit, no sums and no arithmetic. A table answers where one of its columns
bears the asked unit, or the asked words, and something in its header is what the question is about; else none does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.parsing.cells import cell_value
from core.storage.leaves import LeafTable
from core.storage.store import Store
from core.storage.table_columns import NumberCell, RowCell, TableHead, cells_of_rows, numbers_in, table_heads
from core.text.analysis import analyse

_ABOVE = r"(?:above|over|exceed(?:s|ing|ed)?|beyond|>|(?:more|greater|larger|higher|longer|bigger|heavier|older) than)"
_BELOW = r"(?:below|under|<|(?:less|fewer|lower|smaller|shorter|lighter|younger|cheaper) than)"
_LEAST = r"(?:at least|no less than|not less than|a minimum of|>=|≥)"
_MOST = r"(?:at most|no more than|not more than|up to|a maximum of|<=|≤)"
_UNITS = {
    **dict.fromkeys(("%", "percent", "per cent"), "%"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "eur"),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), "usd"),
    **dict.fromkeys(("£", "gbp", "pounds"), "gbp"),
    **dict.fromkeys(("s", "sec", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("year", "years", "yrs"), "year"),
    **dict.fromkeys(("v", "volt", "volts"), "v"),
    **dict.fromkeys(("w", "watt", "watts"), "w"),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("°c", "degrees", "℃"), "°c"),
    **{unit: unit for unit in "ms km cm mm kg g mg kw kwh mw mwh kb mb gb tb mah ma hz khz mhz ghz l ml ha".split()},
}
_SPOKEN = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
_AMOUNT = (
    r"(?P<{0}money>[€$£]|EUR|USD|GBP)?\s?(?P<{0}number>[-−]?\d[\d.,]*\d|[-−]?\d)\s?"
    rf"(?P<{{0}}unit>{_SPOKEN})?(?![\w.,]*\d)(?!\w)"
)
_BOUND = re.compile(
    rf"(?<!\w)(?P<how>{_LEAST}|{_MOST}|{_ABOVE}|{_BELOW})(?:(?<=[<>=≥≤])\s*|\s+)"
    rf"{_AMOUNT.format('')}(?P<more>\s+or (?:more|less|fewer)\b)?",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\bbetween\s+{_AMOUNT.format('low')}\s+and\s+{_AMOUNT.format('high')}", re.IGNORECASE)
_UNIT_WORD = re.compile(rf"[%€$£]|(?<![^\W\d_])(?:{_SPOKEN})(?!\w)", re.IGNORECASE)
_SHARE = 0.5  # of a column's numbers that must bear the unit, where its header does not
_MOST_ROWS = 200


Columns = list[list[tuple[NumberCell, float]]]  # cells, and their numbers as they are compared


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is asked of a number: ``low`` and ``high`` bounds, ``None`` where open; ``closed``: a bound itself will do.

    ``unit``: in one form, "" for none. ``subject``: the question's other words, as tokens; ``beside``: of the one
    that names what is counted. ``[start, end)``: of the question.
    """

    low: float | None
    high: float | None
    closed: bool
    unit: str
    subject: frozenset[str]
    beside: frozenset[str]
    start: int
    end: int

    def holds(self, value: float) -> bool:
        """Whether a number satisfies it.

        >>> [Comparison(5, None, False, "%", frozenset(), frozenset(), 0, 0).holds(value) for value in (5, 5.1)]
        [False, True]
        """
        if self.closed:
            return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        return (self.low is None or value > self.low) and (self.high is None or value < self.high)


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A table row that satisfies a comparison: ``[start, end)`` of a version's text, its ``cells``, the one that does
    (``cell``), and the ``header`` of that one's column.
    """

    version_id: str
    start: int
    end: int
    header: str
    cell: NumberCell
    cells: tuple[RowCell, ...]


def comparison_in(question: str) -> Comparison | None:
    """What a question asks of a number, ``None`` where it compares with none. Pure.

    >>> found = comparison_in("Which regions grew above 5 %?")
    >>> found.low, found.high, found.unit, sorted(found.subject)
    (5.0, None, '%', ['grew', 'region'])
    >>> comparison_in("plans between €10 and €50").high, comparison_in("more than one way")
    (50.0, None)
    """
    if (match := _RANGE.search(question)) is not None:
        low, high = _number(match["lownumber"]), _number(match["highnumber"])
        unit = _unit(match["highmoney"] or match["highunit"]) or _unit(match["lowmoney"] or match["lowunit"])
        if low is None or high is None or (not unit and _is_year(low) and _is_year(high)):
            return None
        return Comparison(min(low, high), max(low, high), True, unit, *_subject(question, match, unit), *match.span())
    match = _BOUND.search(question)
    if match is None or (value := _number(match["number"])) is None:
        return None
    unit = _unit(match["money"] or match["unit"])
    how = match["how"].lower()
    rises = re.fullmatch(f"{_LEAST}|{_ABOVE}", how) is not None
    closed = match["more"] is not None or re.fullmatch(f"{_LEAST}|{_MOST}", how) is not None
    low, high = (value, None) if rises else (None, value)
    return Comparison(low, high, closed, unit, *_subject(question, match, unit), *match.span())


def rows_satisfying(store: Store, asked: Comparison, version_ids: Sequence[str]) -> list[FoundRow]:
    """The rows of the tables of some versions that satisfy the comparison, from the tables that fit it best.

    Best: most words of the question in header and caption; tables of equal fit all answer. At most 200 rows. None
    where no table is about what is asked.
    """
    best = 0
    fitting: list[tuple[TableHead, Columns]] = []
    for table in table_heads(store, version_ids):
        fit, columns = _fit(store, asked, table)
        if columns and fit >= max(1, best):
            fitting = [*(fitting if fit == best else []), (table, columns)]
            best = fit
    found: list[FoundRow] = []
    for table, columns in fitting:
        cells = [cell for column in columns for cell, value in column if asked.holds(value)]
        cells = sorted(cells, key=lambda cell: (cell.row, cell.column))[: _MOST_ROWS - len(found)]
        rows = cells_of_rows(store, table, [cell.row for cell in cells])
        for cell in cells:
            row = rows[cell.row]
            start, end = min(one.start for one in row), max(one.end for one in row)
            found.append(FoundRow(table.version_id, start, end, table.headers[cell.column], cell, row))
    return found


def leaves_with(leaves: LeafTable, rows: Sequence[FoundRow]) -> NDArray[np.bool_]:
    """(n,) bool: the leaves that share a character with one of the rows."""
    mask = np.zeros(len(leaves), bool)
    places = {version_id: place for place, version_id in enumerate(leaves.version_ids)}
    for row in rows:
        place = places.get(row.version_id, -1)
        mask |= (leaves.documents == place) & (leaves.starts < row.end) & (leaves.ends > row.start)
    return mask


def _fit(store: Store, asked: Comparison, table: TableHead) -> tuple[int, Columns]:
    """How well a table fits, and the numbers in the asked unit of its columns that fit best: several, if equally."""
    spoken = [frozenset(analyse(header)) for header in table.headers]
    told = len(asked.subject & frozenset(analyse(table.about)).union(*spoken))
    best, columns = 0, Columns()
    for column, header in enumerate(table.headers):
        own = len(asked.subject & spoken[column])
        fit = 2 * own + told + len(asked.beside & spoken[column])  # "400 gateways": the numbers under "Gateways"
        if not told or not (asked.unit or own) or fit < best:
            continue
        numbers = list(_in_unit(asked.unit, header, numbers_in(store, table, column)))
        if numbers:
            columns = [*(columns if fit == best else []), numbers]
            best = fit
    return best, columns


def _in_unit(unit: str, header: str, cells: Sequence[NumberCell]) -> Iterator[tuple[NumberCell, float]]:
    """The cells with their numbers as they are written, where header or cells bear the unit; "" asks for none."""
    bearing = [_has_unit(cell.text, unit) for cell in cells]
    if unit and not _has_unit(header, unit) and (not cells or sum(bearing) < _SHARE * len(cells)):
        return
    for cell in cells:
        other = _other_unit(cell.text, unit)
        if not other:
            written = cell_value(cell.text)
            yield cell, float(written) if isinstance(written, int | float) else cell.value


def _has_unit(text: str, unit: str) -> bool:
    return any(_unit(match.group()) == unit for match in _UNIT_WORD.finditer(text))


def _other_unit(text: str, unit: str) -> bool:
    """Whether a cell names a unit, and not the asked one: 300 ms among seconds are left out, not misread."""
    named = {_unit(match.group()) for match in _UNIT_WORD.finditer(text)}
    return bool(unit and named and unit not in named)


def _subject(question: str, match: re.Match[str], unit: str) -> tuple[frozenset[str], frozenset[str]]:
    """The tokens around a comparison, and of the word that names what is counted: the next one behind a bare number
    ("400 gateways"), else the last one before ("a battery below 3 V").
    """
    before, after = analyse(question[: match.start()]), analyse(question[match.end() :])
    follows = re.match(r"\s+[^\W\d_]", question[match.end() :]) is not None
    return frozenset([*before, *after]), frozenset(after[:1] if follows and not unit else before[-1:])


def _number(text: str) -> float | None:
    value = cell_value(text.strip().rstrip(".,"))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unit(text: str | None) -> str:
    return _UNITS.get((text or "").lower(), "")


def _is_year(value: float) -> bool:
    return value == int(value) and 1500 <= value <= 2100
