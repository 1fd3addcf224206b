"""Dates and versions, read only where one reading is possible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from core.text.calendar_names import MONTH_NAMES, YEAR, month_of

Found = tuple[int, int, str]

_NUMERIC = re.compile(
    r"(?<![\w./-])(?:(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?"
    r"(?:T\d{2}:?\d{2}[\w:.+-]{0,12})?|(?P<one>\d{1,2})(?P<parted>[/.-])(?P<other>\d{1,2})(?P=parted)(?P<last>\d{4}))"
    r"(?![\w/-]|\.\d)"
)
_ORDINAL = r"(?:st|nd|rd|th|er|º|°|\.)?"
_SPOKEN = re.compile(
    rf"(?<![\w.])(?:(?P<day>\d{{1,2}}){_ORDINAL}\s+(?:(?:of|de|del)\s+)?)?(?P<month>(?i:{'|'.join(MONTH_NAMES)}))\b\.?"
    rf"(?:(?(day)(?!))\s+(?P<after>\d{{1,2}}){_ORDINAL}(?!\w))?(?:,?\s+(?:(?:of|de|del)\s+)?(?P<year>{YEAR})(?!\w))?"
)
_QUARTER = re.compile(rf"(?<!\w)[QqTt](?P<quarter>[1-4])\s+(?P<year>{YEAR})(?!\w)")

_VERSION = re.compile(
    r"(?<![\w./-])(?:(?P<word>[^\W\d_][\w+#-]{0,40})[ \u00a0])?(?P<number>[vV]?\d{1,4}(?:\.\d{1,6}){0,3}"
    r"(?:[-+][0-9A-Za-z][\w.]{0,30}|\.x)?)(?!\w|[/%-]|\.\d|\s?%|\s(?:million|billion|thousand|percent|per cent))"
)
_VERSION_WORDS = frozenset("version versions release releases firmware ver build versión versione revision".split())
_COUNTED = frozenset(
    "section sections sec chapter figure fig table tab clause article appendix annex equation eq part step page"
    " pages volume no number level abschnitt kapitel abbildung tabelle".split()
)
_SMALL = frozenset("the at by in of to from and or for with within about over under only than between some".split())


def dates(text: str) -> Iterator[Found]:
    """Where dates stand, and each in ISO 8601 where only one reading is possible, else as it is written.

    >>> text = "On 5 March 2024, 03/25/2024, 03/05/2024, May 2023 and 19 August (Q3 2026); in force from 2024-03-05."
    >>> [value for _, _, value in sorted(dates(text))]
    ['2024-03-05', '2024-03-25', '03/05/2024', '2023-05', '19 August', '2026-Q3', '2024-03-05']
    """
    for match in _NUMERIC.finditer(text):
        if value := _numeric(match):
            yield (*match.span(), value)
    for match in _SPOKEN.finditer(text):
        day, year = int(match["day"] or match["after"] or 0), int(match["year"] or 0)
        surely = day and year if match["month"][0].islower() else day or year  # "may 5" of "it may 5 times ..."
        if not surely or day > 31:
            continue
        value = (
            _iso(year, month_of(match["month"].lower()), day) if year else " ".join(match.group().rstrip(".").split())
        )
        if value:
            yield (*match.span(), value)
    for match in _QUARTER.finditer(text):
        yield (*match.span(), f"{match['year']}-Q{match['quarter']}")


def _numeric(match: re.Match[str]) -> str:
    """A date in figures, as ISO or, where day and month could change places, as it is; "" for anything else."""
    year = match["year"] or match["last"]
    if not re.fullmatch(YEAR, year):
        return ""
    if match["year"]:
        is_one = match["day"] or match["mark"] == "-"
        return _iso(int(year), int(match["month"]), int(match["day"] or 0)) if is_one else ""
    one, other = int(match["one"]), int(match["other"])
    if match["parted"] == "." or one > 12:  # dots are written where the day comes first
        return _iso(int(year), other, one)
    if other > 12 or one == other:
        return _iso(int(year), one, other)
    return match.group() if one and other else ""


def _iso(year: int, month: int, day: int) -> str:
    """ISO 8601; "" where there is no such day. ``day`` 0: the month."""
    try:
        found = date(year, month, day or 1)
    except ValueError:
        return ""
    return found.isoformat() if day else found.strftime("%Y-%m").zfill(7)


def versions(text: str) -> Iterator[Found]:
    """Where versions of something stand; a product's name belongs to its version.

    >>> text = "With Python 3.11, v2.1 and 1.4.0-rc1; firmware 4.3, version 7. See Section 3.11, 10.0.0.1, about 3.5 %."
    >>> [value for _, _, value in versions(text)]
    ['Python 3.11', 'v2.1', '1.4.0-rc1', 'firmware 4.3', 'version 7']
    """
    for match in _VERSION.finditer(text):
        word, number = match["word"] or "", match["number"]
        plain, points = word.lower(), number.partition("-")[0].count(".")
        start = match.start("number")
        named = plain in _VERSION_WORDS or (
            word[:1].isupper() and 0 < points < 3 and plain not in _COUNTED | _SMALL and not month_of(plain)
        )
        if number[0] in "vV":
            value = number
        elif _NUMERIC.match(text, start):
            continue
        elif named:
            value, start = f"{word} {number}", match.start()
        elif points == 2 and plain not in _COUNTED and not _opens_line(text, start):
            value = number
        else:
            continue
        yield start, match.end(), value


def _opens_line(text: str, start: int) -> bool:
    """Whether only marks stand before it on its line, where "3.1.2" numbers a heading."""
    return not text[text.rfind("\n", 0, start) + 1 : start].strip("#*- \t>")
