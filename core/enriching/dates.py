"""Dates and versions, read only where one reading is possible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from core.enriching.shapes import Shape
from core.enriching.vocabulary import Vocabulary
from core.text.calendar_names import month_of

Found = tuple[int, int, str]

_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:T\d{2}:?\d{2}\S{0,12})?")
_TAIL_YEAR = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|º|°)?")
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_QUARTER = re.compile(r"[QqTt]([1-4])")
_BETWEEN = frozenset({"of", "de", "del"})

_MARKED = re.compile(r"[vV]\d{1,4}(?:\.\d{1,6}){0,3}(?:[-+.][0-9A-Za-z][\w.+-]{0,30})?")
_SEMANTIC = re.compile(r"\d{1,4}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z][\w.-]{0,30})?(?:\+[\w.-]{1,30})?")
_POINTED = re.compile(r"\d{1,4}(?:\.\d{1,6}){1,3}(?:(?:-?(?:alpha|beta|rc)|a|b)\.?\d{0,4}|\.x|\+)?")
_WHOLE = re.compile(r"\d{1,4}(?:\.\d{1,6}){0,3}(?:-[\w.]{1,30})?")
_VERSION_WORDS = frozenset("version versions release releases firmware ver build versión versione revision".split())
_NO_PRODUCT = frozenset(
    "section sections sec chapter figure fig table tab clause article appendix annex equation eq part step page"
    " pages volume no number level about over under only nearly than the at by in of to from and or for with"
    " within abschnitt kapitel abbildung tabelle between some is was are were a an".split()
)
_UNITS = frozenset(
    "% percent per million billion thousand m km cm mm kg g mg s ms seconds minutes hours days weeks months years"
    " times gb mb tb kb v a w kw degrees points euros dollars metres meters".split()
)


def dates(vocabulary: Vocabulary) -> Iterator[Found]:
    """Where dates stand, and each in ISO 8601 where only one reading is possible, else as it is written.

    >>> text = "On 5 March 2024, 03/25/2024, 03/05/2024, May 2023 and 19 August (Q3 2026); in force from 2024-03-05."
    >>> [value for _, _, value in sorted(dates(Vocabulary(text)))]
    ['2024-03-05', '2024-03-25', '03/05/2024', '2023-05', '19 August', '2026-Q3', '2024-03-05']
    """
    for at in vocabulary.places(Shape.NUMBER):
        start, end = vocabulary.span(at)
        value = _numeric(vocabulary.words[at].text)
        if value:
            yield start, end, value
    for at in vocabulary.places(Shape.MONTH):
        if (found := _spoken(vocabulary, at)) is not None:
            yield found
    for at in vocabulary.places(Shape.CAPITAL):
        quarter = _QUARTER.fullmatch(vocabulary.words[at].text)
        if quarter is None or at + 1 == len(vocabulary.words) or not _YEAR.fullmatch(vocabulary.words[at + 1].text):
            continue
        yield (vocabulary.span(at)[0], vocabulary.span(at + 1)[1], f"{vocabulary.words[at + 1].text}-Q{quarter[1]}")


def _numeric(text: str) -> str:
    """A date in figures, as ISO or, where day and month could change places, as it is; "" for anything else."""
    if (whole := _ISO.fullmatch(text)) is not None:
        year, month, day = int(whole[1]), int(whole[2]), int(whole[3] or 0)
        if not _YEAR.fullmatch(whole[1]) or (not day and "-" not in text):
            return ""
        return _iso(year, month, day)
    tail = _TAIL_YEAR.fullmatch(text)
    if tail is None or len(tail[4]) == 2:
        return ""
    one, other, year = int(tail[1]), int(tail[3]), int(tail[4])
    if tail[2] == "." or one > 12:  # dots are written where the day comes first
        return _iso(year, other, one)
    if other > 12 or one == other:
        return _iso(year, one, other)
    return text if one and other and _YEAR.fullmatch(tail[4]) else ""


def _iso(year: int, month: int, day: int) -> str:
    """ISO 8601; "" where there is no such day. ``day`` 0: the month."""
    try:
        found = date(year, month, day or 1)
    except ValueError:
        return ""
    return found.isoformat() if day else found.strftime("%Y-%m").zfill(7)


def _spoken(vocabulary: Vocabulary, at: int) -> Found | None:
    """The date around a month's name: "5 March 2024", "March 5th, 2024", "5 de marzo de 2024", "March 2024"."""
    words = vocabulary.words
    month = month_of(words[at].plain)
    first, last, day, year = at, at, 0, 0
    before = at - 1
    if before >= 0 and words[before].plain in _BETWEEN:
        before -= 1
    pointed = before >= 0 and (not words[before].closes or words[before].stops)  # "5. März"
    if pointed and (found := _DAY.fullmatch(words[before].text)) is not None:
        day, first = int(found[1]), before
    after = at + 1
    if not day and after < len(words) and (found := _DAY.fullmatch(words[after].text)) is not None:
        day, last, after = int(found[1]), after, after + 1
    if after < len(words) and words[after].plain in _BETWEEN:
        after += 1
    if after < len(words) and _YEAR.fullmatch(words[after].text) and not words[last].stops:
        year, last = int(words[after].text), after
    if not 0 <= day <= 31 or not (day or year):
        return None
    if words[at].text[0].islower() and not (day and year):
        return None  # "may 5" of "it may 5 times ..."
    start, end = vocabulary.span(first)[0], vocabulary.span(last)[1]
    value = _iso(year, month, day) if year else " ".join(vocabulary.text[start:end].split())
    return (start, end, value) if value else None


def versions(vocabulary: Vocabulary) -> Iterator[Found]:
    """Where versions of something stand; a product's name belongs to its version.

    >>> text = "With Python 3.11, v2.1 and 1.4.0-rc1; firmware 4.3, version 7. See Section 3.11, 10.0.0.1, about 3.5 %."
    >>> [value for _, _, value in versions(Vocabulary(text))]
    ['Python 3.11', 'v2.1', '1.4.0-rc1', 'firmware 4.3', 'version 7']
    """
    words = vocabulary.words
    for at in vocabulary.places(Shape.NUMBER):
        word = words[at]
        before = words[at - 1] if at and not words[at - 1].closes and not word.opens else None
        value, first = "", at
        if _MARKED.fullmatch(word.text):
            value = word.text
        elif (before is not None and before.plain in _VERSION_WORDS and _WHOLE.fullmatch(word.text)) or (
            before is not None and _is_product(vocabulary, at)
        ):
            value, first = f"{before.text} {word.text}", at - 1
        elif _SEMANTIC.fullmatch(word.text) and not _opens_line(vocabulary, at) and not _numeric(word.text):
            value = "" if before is not None and before.plain in _NO_PRODUCT - _COMMON else word.text
        if value:
            yield vocabulary.span(first)[0], vocabulary.span(at)[1], value


_COMMON = frozenset("the at by in of to from and or for with within about over under only than is was are were".split())


def _is_product(vocabulary: Vocabulary, at: int) -> bool:
    """Whether the word before a pointed number is the name of something that has versions."""
    word, before = vocabulary.words[at], vocabulary.words[at - 1]
    if not _POINTED.fullmatch(word.text) or word.text.count(".") > 2 or not before.shape & Shape.CAPITAL:
        return False
    if before.plain in _NO_PRODUCT or month_of(before.plain) or len(before.text) < 2 or _numeric(word.text):
        return False
    if (at > 1 and vocabulary.words[at - 2].stops) or at == 1 or _opens_line(vocabulary, at - 1):
        return before.text.isupper() or not before.plain.isalpha() or word.text.count(".") == 2
    after = vocabulary.words[at + 1] if at + 1 < len(vocabulary.words) else None
    tail = vocabulary.text[vocabulary.span(at)[1] : vocabulary.span(at)[1] + 2]
    return not tail.strip().startswith("%") and (word.closes or after is None or after.plain not in _UNITS)


def _opens_line(vocabulary: Vocabulary, at: int) -> bool:
    """Whether a word is the first of its line, where "3.1.2" numbers a heading."""
    start = vocabulary.starts[at]
    line = vocabulary.text.rfind("\n", 0, start) + 1
    return not vocabulary.text[line:start].strip("#*- \t>")
