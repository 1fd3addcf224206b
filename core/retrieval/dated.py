"""Of which years, months and days a question, a caption or a table's cell speaks. Pure; months' names in English.

A time is told in one form: "2024", "2024-02", "2024-02-29", "2024-Q1", "--02" for February of any year; and where
it has no one reading ("03/05/2024", "2023/24") as it is written, lower case, so that it equals only itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from core.enriching.dates import dates
from core.enriching.shapes import month_of
from core.enriching.vocabulary import Vocabulary
from core.text.periods import period

_YEAR = r"(?:1[5-9]|20)\d\d"
_YEARS = re.compile(rf"(?<![\w.,/€$£#+-])(?:FY)?(?P<year>{_YEAR})(?![\w%]|[.,/]\d|\s?[%€$£])", re.IGNORECASE)
_QUARTERS = re.compile(rf"(?<!\w)(?P<year>{_YEAR})[ -]?Q(?P<quarter>[1-4])(?!\w)", re.IGNORECASE)
_SPANS = re.compile(rf"(?<![\w.,/-]){_YEAR}\s?[-–—/]\s?(?:{_YEAR}|\d\d)(?![\w-]|[.,/]\d)")
_ISO_MONTHS = re.compile(rf"(?<![\w.,/-])(?P<year>{_YEAR})[-/](?P<month>0[1-9]|1[0-2])(?![\w/-]|[.,]\d)")
_NAMES = (
    "january february march april may june july august september october november december"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
).split()
# Words besides, "may" and "march", are months where they are written as names or a preposition leads to them.
_MONTHS = re.compile(rf"(?<!\w)(?P<led>(?:in|of|for|during)\s+)?(?P<name>{'|'.join(_NAMES)})(?!\w)", re.IGNORECASE)
# What no time lacks: most texts have none, and are looked through no further.
_LIKELY = re.compile(rf"{_YEAR}|(?<![^\W\d_])(?:{'|'.join(sorted({name[:3] for name in _NAMES}))})", re.IGNORECASE)
_PLAIN_CELL = re.compile(rf"{_YEAR}(?:-\d\d(?:-\d\d)?)?")
_CLOCK = re.compile(r"[T ]\d{1,2}:\d\d\S*\Z")
_LONGEST = 40  # characters of a cell that is a date
# Before a time: not at it alone, but from it on, or up to it.
_OPEN = re.compile(
    r"\b(?:after|since|before|until|till|by|from|to|through|between|than|past|up to|as of|starting|beginning"
    r"|prior to|earlier|later|and not|not)(?:\s+(?:in|with|the|end|start|beginning|year|month|of))*\s+\Z",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:last|previous|past|next|coming|this|current|the same)\s+(?:\w+\s+)?(?:years?|quarters?|months?"
    r"|weeks?|days?)\b|\b(?:yesterday|today|tomorrow|year[- ]on[- ]year|year[- ]over[- ]year|so far|to date)\b",
    re.IGNORECASE,
)


def times_in(text: str) -> frozenset[str]:
    """The times a text names.

    >>> sorted(times_in("Sales in January 2024, 2023 and February")), sorted(times_in("Headcount_2022.md"))
    (['--02', '2023', '2024-01'], ['2022'])
    >>> times_in("It may march 1,950 times over 2000.5"), sorted(times_in("Seasons 2023/24, Q1 2024"))
    (frozenset(), ['2023/24', '2024-q1'])
    """
    return frozenset(value for _, _, value in _spans(text))


def without_times(text: str) -> str:
    """A text with blanks where it names a time.

    >>> without_times("and in May 2024?").split()
    ['and', 'in', '?']
    """
    for start, end, _ in _spans(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def is_open(question: str) -> bool:
    """Whether a question asks for more than the times it names: what comes after or before one, or lies between two,
    or a time that is told from the day of asking.

    >>> [is_open(f"sales above 5 {told}") for told in ("in 2024", "since 2024", "from May to June 2024", "last year")]
    [False, True, True, True]
    """
    if _RELATIVE.search(question):
        return True
    return any(_OPEN.search(question, max(0, start - 40), start) for start, _, _ in _spans(question))


@lru_cache(maxsize=8192)
def time_of(cell: str) -> str:
    """The time that a table's cell is, "" for anything else.

    >>> [time_of(cell) for cell in ("2024", "2024-01", "5 March 2024", "February", "2024-01-05 12:30", "in 2024", "7")]
    ['2024', '2024-01', '2024-03-05', '--02', '2024-01-05', '', '']
    """
    cell = cell.strip()
    if _PLAIN_CELL.fullmatch(cell):
        return cell if period(cell) else ""
    if len(cell) > _LONGEST or not _LIKELY.search(cell):
        return ""
    cell = _CLOCK.sub("", cell)
    spans = _spans(f"in {cell}") if cell.isalpha() else _spans(cell)
    if len(spans) != 1:
        return ""
    start, end, value = spans[0]
    rest = cell[:0] if cell.isalpha() else cell[:start] + cell[end:]
    return "" if any(map(str.isalnum, rest)) else value


def lies_in(there: str, asked: str) -> bool | None:
    """Whether one time lies in another; ``None`` where it may in part, or cannot be told.

    >>> [lies_in(there, "2024") for there in ("2024-02", "2024", "2023", "--02", "03/05/2024", "2024-Q1")]
    [True, True, False, None, None, True]
    >>> [lies_in(there, "--02") for there in ("2024-02-29", "--02", "--03", "2024-03", "2024")]
    [True, True, False, False, None]
    """
    if there == asked:
        return True
    one, other = period(there), period(asked)
    if asked.startswith("--"):
        if there.startswith("--"):
            return False
        if one is None or (one.first.year, one.first.month) != (one.last.year, one.last.month):
            return None
        return one.first.month == int(asked[2:])
    if one is None or other is None:
        return None
    if one.last < other.first or other.last < one.first:
        return False
    return True if other.first <= one.first and one.last <= other.last else None


def lies_in_any(there: str, asked: Collection[str]) -> bool | None:
    """The same, of several times.

    >>> lies_in_any("2024-02", ("2023", "2024")), lies_in_any("2024", ("2023", "2024-02")), lies_in_any("2022", ())
    (True, None, False)
    """
    found = {lies_in(there, one) for one in asked}
    return True if True in found else None if None in found else False


@lru_cache(maxsize=1024)
def _spans(text: str) -> tuple[tuple[int, int, str], ...]:
    """``(start, end, time)`` in the order of the text, none over another."""
    if not _LIKELY.search(text):
        return ()
    text = text.replace("_", " ")
    taken: list[tuple[int, int, str]] = [(start, end, value.lower()) for start, end, value in dates(Vocabulary(text))]
    for pattern in (_QUARTERS, _ISO_MONTHS, _SPANS, _YEARS, _MONTHS):
        for match in pattern.finditer(text):
            value = _value(match)
            start = match.start("name") if pattern is _MONTHS else match.start()
            if value and all(match.end() <= begins or ends <= start for begins, ends, _ in taken):
                taken.append((start, match.end(), value))
    return tuple(sorted(taken))


def _value(match: re.Match[str]) -> str:
    said = match.groupdict()
    if match.re is _QUARTERS:
        return f"{said['year']}-q{said['quarter']}"
    if match.re is _ISO_MONTHS:
        return f"{said['year']}-{said['month']}"
    if match.re is _YEARS:
        return str(said["year"])
    if match.re is _SPANS:
        return match.group().lower()
    name = str(said["name"])
    is_word = name.lower() in ("may", "march", "mar", "dec", "sep", "jun") and not said["led"]
    if is_word and (name.islower() or not match.start()):
        return ""
    return f"--{month_of(name.lower()):02d}"
