"""Names of months, weekdays, quarters and years in text, and periods of days written as ISO dates."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import NamedTuple

MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
SHORT_MONTHS = tuple(month[:3] for month in MONTHS)
SHORT_WEEKDAYS = tuple(day[:3] for day in WEEKDAYS)

# For each month: other short forms, then German, Spanish, French, Italian and Russian (as in dates).
_OTHER_NAMES = (
    "januar jänner enero janvier gennaio января",
    "februar febrero février febbraio февраля",
    "märz marzo mars марта",
    "abril avril aprile апреля",
    "mai mayo maggio мая",
    "juni junio juin giugno июня",
    "juli julio juillet luglio июля",
    "agosto août августа",
    "sept septiembre septembre settembre сентября",
    "oktober okt octubre octobre ottobre октября",
    "noviembre novembre ноября",
    "dezember dez diciembre décembre dicembre декабря",
)
_NUMBERS = {
    name: number
    for number, (month, others) in enumerate(zip(MONTHS, _OTHER_NAMES, strict=True), 1)
    for name in (month.lower(), month[:3].lower(), *others.split())
}
MONTH_NAMES = tuple(sorted(_NUMBERS, key=len, reverse=True))  # in lower case, longest first, as a pattern needs


def month_of(plain: str) -> int:
    """The month a lower-case word names in English, German, French, Spanish, Italian or Russian; 0 for none.

    >>> month_of("märz"), month_of("sept"), month_of("maybe")
    (3, 9, 0)
    """
    return _NUMBERS.get(plain, 0)


def day_in_words(year: int, month: int, day: int) -> str:
    """A day as documents tell it. Raises ``IndexError`` above the twelfth month.

    >>> day_in_words(2024, 1, 2)
    '2 January 2024'
    """
    return f"{day} {MONTHS[month - 1]} {year}"


YEAR = r"(?:1[5-9]|20)\d\d"
"""The pattern of a year in running text: 1500 to 2099."""
# The spellings of periods in reports and tables, each with the words that replace it.
_PERIODS = (
    *(
        (
            re.compile(
                rf"\b{name}[ -]quarter(?: of)?\b|(?:\b|(?<=\d{{4}}))Q{number}(?=\b|\d{{4}})|\b{number}Q(?=\b|\d\d)",
                re.IGNORECASE,
            ),
            f" quarter {name} ",
        )
        for number, name in enumerate(("first", "second", "third", "fourth"), 1)
    ),
    (re.compile(r"\bFY ?['’]?(?=\d\d(?!\d))", re.IGNORECASE), " fiscal year 20"),
    (re.compile(r"\bFY ?['’]?(?=\d)|\bFY\b", re.IGNORECASE), " fiscal year "),
    *(
        (re.compile(rf"\b(?:{short}|{short.upper()})\b\.?"), month)
        for short, month in zip(SHORT_MONTHS, MONTHS, strict=True)
    ),
)
_PERIOD = re.compile(r"(\d{4})(?:-(?:Q([1-4])|(\d{1,2})(?:-(\d{1,2}))?))?(?:T.*)?", re.IGNORECASE | re.DOTALL)
RELATIONS = ("after", "since", "before", "until", "during")


class Period(NamedTuple):
    """The days from ``first`` to ``last``, both included."""

    first: date
    last: date


def period(text: str) -> Period | None:
    """The period of an ISO date, month, quarter or year, or of two of them joined by "/"; ``None`` for other texts.

    >>> period("2024-02").last.isoformat(), period("2026-Q3").first.isoformat(), period("2026-13")
    ('2024-02-29', '2026-07-01', None)
    >>> period("2023/2024-03").last.isoformat(), period("2024/2023")
    ('2024-03-31', None)
    """
    begin, slash, end = text.partition("/")
    first = _single_period(begin)
    if not slash or first is None:
        return first
    last = _single_period(end)
    return Period(first.first, last.last) if last is not None and first.first <= last.last else None


def spell_out_periods(text: str) -> str:
    """The text with quarters, fiscal years and abbreviated months in words, the same words for all spellings.

    >>> " ".join(spell_out_periods("Q3 FY2025, FY25, 3Q24 and Sep. 2024").split())
    'quarter third fiscal year 2025, fiscal year 2025, quarter third 24 and September 2024'
    >>> spell_out_periods("third quarter of 2025").split(), spell_out_periods("2025Q3").split()
    (['quarter', 'third', '2025'], ['2025', 'quarter', 'third'])
    """
    for pattern, words in _PERIODS:
        text = pattern.sub(words, text)
    return text


def _single_period(text: str) -> Period | None:
    """The period of one ISO date, month, quarter or year; ``None`` for other texts."""
    match = _PERIOD.fullmatch(text.strip())
    if match is None or not 1 <= int(match[1]) <= 9999:
        return None
    year = int(match[1])
    if match[2]:
        first, last = 3 * int(match[2]) - 2, 3 * int(match[2])
    elif match[3]:
        first = last = int(match[3])
    else:
        first, last = 1, 12
    if not 1 <= first <= last <= 12:
        return None
    if not match[4]:
        return Period(date(year, first, 1), date(year, last, monthrange(year, last)[1]))
    if not 1 <= int(match[4]) <= monthrange(year, first)[1]:
        return None
    day = date(year, first, int(match[4]))
    return Period(day, day)


def has_relation(relation: str, there: Period, asked: Period) -> bool:
    """Whether any day of the period ``there`` has this relation (one of ``RELATIONS``) to the period ``asked``.

    "after" and "before" exclude the days of ``asked``, "since" and "until" include them.

    >>> may, year = period("2023-05"), period("2023")
    >>> [has_relation(relation, may, year) for relation in RELATIONS]
    [False, True, False, True, True]
    """
    match relation:
        case "after":
            return there.last > asked.last
        case "since":
            return there.last >= asked.first
        case "before":
            return there.first < asked.first
        case "until":
            return there.first <= asked.last
        case _:
            return there.first <= asked.last and there.last >= asked.first
