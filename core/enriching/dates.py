"""Finds dates and version numbers, normalised only where they are unambiguous."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from core.text.values.calendar_names import MONTH_NAMES, YEAR, month_of

Located = tuple[int, int, str]  # start, end and value

_NUMERIC = re.compile(
    r"(?<![\w./-])(?:(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?"
    r"(?:T\d{2}:?\d{2}[\w:.+-]{0,12})?|(?P<one>\d{1,2})(?P<separator>[/.-])(?P<other>\d{1,2})(?P=separator)(?P<last>\d{4}))"
    r"(?![\w/-]|\.\d)"
)
_ORDINAL = r"(?:st|nd|rd|th|er|º|°|\.)?"
_WRITTEN = re.compile(
    rf"(?<![\w.])(?:(?P<day>\d{{1,2}}){_ORDINAL}\s+(?:(?:of|de|del)\s+)?)?(?P<month>(?i:{'|'.join(MONTH_NAMES)}))\b\.?"
    rf"(?:(?(day)(?!))\s+(?P<after>\d{{1,2}}){_ORDINAL}(?!\w))?(?:,?\s+(?:(?:of|de|del)\s+)?(?P<year>{YEAR})(?!\w))?"
)
_QUARTER = re.compile(rf"(?<!\w)[QqTt](?P<quarter>[1-4])\s+(?P<year>{YEAR})(?!\w)")

_VERSION = re.compile(
    r"(?<![\w./-])(?:(?P<word>[^\W\d_][\w+#-]{0,40})[ \u00a0])?(?P<number>[vV]?\d{1,4}(?:\.\d{1,6}){0,3}"
    r"(?:[-+][0-9A-Za-z][\w.]{0,30}|\.x)?)(?!\w|[/%-]|\.\d|\s?%|\s(?:million|billion|thousand|percent|per cent))"
)
_VERSION_WORDS = frozenset("version versions release releases firmware ver build versión versione revision".split())
_NUMBERED_WORDS = frozenset(
    "section sections sec chapter figure fig table tab clause article appendix annex equation eq part step page"
    " pages volume no number level abschnitt kapitel abbildung tabelle".split()
)
_BEFORE_NUMBERS = frozenset(  # words before a plain number
    "the at by in of to from and or for with within about over under only than between some".split()
)


def dates(text: str) -> Iterator[Located]:
    """The dates of a text as (start, end, value): in ISO 8601 where unambiguous, else as written.

    >>> text = "On 5 March 2024, 03/25/2024, 03/05/2024, May 2023 and 19 August (Q3 2026); in force from 2024-03-05."
    >>> [value for _, _, value in sorted(dates(text))]
    ['2024-03-05', '2024-03-25', '03/05/2024', '2023-05', '19 August', '2026-Q3', '2024-03-05']
    """
    for match in _NUMERIC.finditer(text):
        if value := _numeric(match):
            yield (*match.span(), value)
    for match in _WRITTEN.finditer(text):
        day, year = int(match["day"] or match["after"] or 0), int(match["year"] or 0)
        # A lower-case month needs a day and a year: "it may 5 times".
        is_date = day and year if match["month"][0].islower() else day or year
        if not is_date or day > 31:
            continue
        value = (
            _iso(year, month_of(match["month"].lower()), day) if year else " ".join(match.group().rstrip(".").split())
        )
        if value:
            yield (*match.span(), value)
    for match in _QUARTER.finditer(text):
        yield (*match.span(), f"{match['year']}-Q{match['quarter']}")


def _numeric(match: re.Match[str]) -> str:
    """A date in figures: in ISO 8601, or as written where day and month could be swapped; "" for no date."""
    year = match["year"] or match["last"]
    if not re.fullmatch(YEAR, year):
        return ""
    if match["year"]:
        is_date = match["day"] or match["mark"] == "-"
        return _iso(int(year), int(match["month"]), int(match["day"] or 0)) if is_date else ""
    first, second = int(match["one"]), int(match["other"])
    if match["separator"] == "." or first > 12:  # with dots the day comes first
        return _iso(int(year), second, first)
    if second > 12 or first == second:
        return _iso(int(year), first, second)
    return match.group() if first and second else ""


def _iso(year: int, month: int, day: int) -> str:
    """The date in ISO 8601, the month if ``day`` is 0; "" for an invalid date."""
    try:
        value = date(year, month, day or 1)
    except ValueError:
        return ""
    return value.isoformat() if day else value.strftime("%Y-%m").zfill(7)


def versions(text: str) -> Iterator[Located]:
    """The version numbers of a text as (start, end, value), with the product's name before them.

    >>> text = "With Python 3.11, v2.1 and 1.4.0-rc1; firmware 4.3, version 7. See Section 3.11, 10.0.0.1, about 3.5 %."
    >>> [value for _, _, value in versions(text)]
    ['Python 3.11', 'v2.1', '1.4.0-rc1', 'firmware 4.3', 'version 7']
    """
    for match in _VERSION.finditer(text):
        word, number = match["word"] or "", match["number"]
        plain, points = word.lower(), number.partition("-")[0].count(".")
        start = match.start("number")
        is_product = word[:1].isupper() and plain not in _NUMBERED_WORDS | _BEFORE_NUMBERS and not month_of(plain)
        named = plain in _VERSION_WORDS or (is_product and 0 < points < 3)
        if number[0] in "vV":
            value = number
        elif _NUMERIC.match(text, start):
            continue
        elif named:
            value, start = f"{word} {number}", match.start()
        elif points == 2 and plain not in _NUMBERED_WORDS and not _opens_line(text, start):
            value = number
        else:
            continue
        yield start, match.end(), value


def _opens_line(text: str, start: int) -> bool:
    """Whether only marks are before it on its line, so that "3.1.2" is the number of a heading."""
    return not text[text.rfind("\n", 0, start) + 1 : start].strip("#*- \t>")
