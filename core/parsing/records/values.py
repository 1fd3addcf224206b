"""What the single values of a record are: prose, facts to be told, or what programs keep for themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from core.text.values.calendar_names import day_in_words

TITLES = ("title", "name", "subject", "headline", "page name", "page title", "heading", "filename", "file name")
TEXTS = frozenset("text content contents body string note notes quote quotes highlight comment abstract".split())
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[\W_]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTERS = r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff])+"  # with the marks of Hebrew to Tamil
_WORD = re.compile(rf"[\W_]*{_LETTERS}(?:['’.-]{_LETTERS})*[\W_]*")
_SHELL = re.compile(r"(?:^|\s)(?:--?\w|&&|\|\||\$\w)")
_FEWEST_WORDS, _FEWEST_UNSPACED = 5, 12  # of a sentence
_WORD_SHARE, _SMALL_SHARE = 0.6, 0.3  # of a sentence's words: those of letters alone, those that begin with a small one
_CODE = re.compile(
    r"(?=\S*\d)(?!\S*[/@])\w[\w:+=-]{15,}|[\da-f]{8,}|<[^<>]*radius.*|data:\S*|#[\da-f]{3,8}", re.IGNORECASE
)
_CODED = frozenset("id ids uid uuid guid md5 sha1 sha256 hash checksum etag token slug".split())
_MARKS = frozenset("type format object version css style kind attrs attributes marks".split())
_TIME = frozenset("time date timestamp ts at on created updated modified edited published usec ms expires".split())
_STAMP = re.compile(
    r"(\d{4})(-?)(\d\d)\2(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?\d\d(?:\.?\d+)?)?\s*(Z|[+-]00:?00)?([+-]\d\d:?\d\d)?)?"
)
_FIRST_SECOND, _LAST_SECOND = 300_000_000, 4_200_000_000  # between 1979 and 2103
_PERSON = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix", "literal")
_LONGEST_FRACTION = 4  # digits; longer ones are measures, such as of a place on the globe


@lru_cache(maxsize=4096)  # records share their keys
def key_words(key: str) -> str:
    """A key as words.

    >>> key_words("createdTimestampUsec"), key_words(":page/name"), key_words("container-title")
    ('created timestamp usec', 'page name', 'container title')
    """
    return " ".join(_HUMP.split(key)).strip().lower()


def has_words(text: str) -> bool:
    """Whether a text has more than one word."""
    return len(text.split()) > 1 or bool(_UNSPACED.search(text))


def reads_as_sentence(text: str) -> bool:
    """Whether a text is words in a row, most of them small, as those of sentences.

    >>> [reads_as_sentence(text) for text in ("They eat oats every day.", "Save As Copy To Disk", "tsc && node a.js")]
    [True, False, False]
    """
    if len(_UNSPACED.findall(text)) >= _FEWEST_UNSPACED:
        return True
    words = text.split()
    if len(words) < _FEWEST_WORDS or _SHELL.search(text):
        return False
    plain = [word for word in words if _WORD.fullmatch(word)]
    small = sum(not next(filter(str.isalpha, word), "").isupper() for word in plain)
    return len(plain) >= _WORD_SHARE * len(words) and small >= _SMALL_SHARE * len(words)


def is_for_programs(words: str, value: object) -> bool:
    """Whether a value tells a reader nothing: an identifier, a hash, a style. ``words``: those of its key.

    >>> is_for_programs("edit uid", "xyZ"), is_for_programs("url", "https://a.b/c"), is_for_programs("colour", "red")
    (True, False, False)
    """
    if is_time(words, value):
        return False
    last = words.rpartition(" ")[2]
    held = value.values() if isinstance(value, Mapping) else [value]
    if last == "css" or (
        last in _CODED | _MARKS and not any(isinstance(inner, str) and has_words(inner) for inner in held)
    ):
        return True
    if isinstance(value, float):
        return len(repr(value).partition(".")[2]) > _LONGEST_FRACTION
    return isinstance(value, str) and not has_words(value) and _CODE.fullmatch(value.strip()) is not None


def is_time(words: str, value: object) -> bool:
    """Whether a value is a moment or a day."""
    if isinstance(value, str):
        return bool(_stamp_of(words, value))
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(_moment_of(words, value))


def told(words: str, value: object) -> str:
    """A value as a person says it: moments and days in words, names of people whole; "" for what says nothing.

    >>> told("created", 1690426596429000), told("created", "2021-03-12"), told("starred", True), told("count", 3)
    ('27 July 2023, 02:56 UTC', '12 March 2021', 'yes', '3')
    >>> told("author", {"family": "Lee", "given": "Ann"}), told("issued", {"date-parts": [["2021", 7, 7]]})
    ('Ann Lee', '7 July 2021')
    """
    if isinstance(value, bool) or value is None:
        return "yes" if value else ""
    if isinstance(value, int | float):
        return _moment_of(words, value) or str(value)
    if isinstance(value, str):
        return _stamp_of(words, value) or value.strip()
    return _name_or_day(value) if isinstance(value, Mapping) else ""


def person_name(person: Mapping[str, Any]) -> str:
    """The name of a person in the form that CSL gives it.

    >>> person_name({"family": "Berg", "given": "Ann", "non-dropping-particle": "van den"})
    'Ann van den Berg'
    """
    return " ".join(person[part] for part in _PERSON if isinstance(person.get(part), str) and person[part])


def _name_or_day(value: Mapping[str, Any]) -> str:
    """A person or a date in the form that CSL gives them; "" for anything else."""
    if isinstance(value.get("family") or value.get("literal"), str):
        return person_name(value)
    days = value.get("date-parts")
    if not isinstance(days, list) or not all(isinstance(day, list) for day in days):
        return ""
    return " to ".join(filter(None, (_of_parts([str(part) for part in day]) for day in days)))


def _of_parts(parts: list[str]) -> str:
    """
    >>> _of_parts(["2021", "7"]), _of_parts(["2021", "07", "07"]), _of_parts(["2021"])
    ('July 2021', '7 July 2021', '2021')
    """
    numbers = [int(part) for part in parts if part.isdecimal() and len(part) < 5]
    if len(numbers) < 2 or not 0 < numbers[1] < 13:
        return " ".join(parts)
    in_words = day_in_words(numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 1)
    return in_words if len(numbers) > 2 else in_words.partition(" ")[2]


def _stamp_of(words: str, value: str) -> str:
    """A moment or a day that is written in digits, in words; "" for other strings.

    >>> _stamp_of("", "2020-03-23T10:05:00Z"), _stamp_of("created", "20240819131500000"), _stamp_of("isbn", "20240819")
    ('23 March 2020, 10:05 UTC', '19 August 2024, 13:15', '')
    """
    found = _STAMP.fullmatch(value.strip())
    if found is None or not (found[2] or _TIME.intersection(words.split())) or not 0 < int(found[3]) < 13:
        return ""
    year, _, month, day, hour, minute, utc, zone = found.groups()
    clock = f", {hour}:{minute}{' UTC' if utc else f' UTC{zone}' if zone else ''}" if hour else ""
    return day_in_words(int(year), int(month), int(day)) + clock


def _moment_of(words: str, number: float) -> str:
    """Seconds, milliseconds or microseconds since 1970 in words, where the key speaks of time; else ""."""
    if not _TIME.intersection(words.split()):
        return ""
    for unit in (1, 1_000, 1_000_000):
        if _FIRST_SECOND < number / unit < _LAST_SECOND:
            moment = datetime.fromtimestamp(number / unit, UTC)
            return f"{day_in_words(moment.year, moment.month, moment.day)}, {moment:%H:%M} UTC"
    return ""
