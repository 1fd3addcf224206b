"""Formats and parses numbers: English words, ordinals, Roman numerals, letters, durations, byte sizes."""

from __future__ import annotations

import re

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
ROMAN = r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
"""The pattern of a Roman numeral below 4000 in lower case; it also matches the empty text."""
_IS_ROMAN = re.compile(ROMAN)
_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip


def in_words(number: int) -> str:
    """A number below 1000 in English words; others in figures.

    >>> in_words(42), in_words(305), in_words(1000)
    ('forty-two', 'three hundred five', '1000')
    """
    if not 0 <= number < 1000:
        return str(number)
    if number < 20:
        return _UP_TO_TWENTY[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_UP_TO_TWENTY[number % 10]}" if number % 10 else "")
    return f"{_UP_TO_TWENTY[number // 100]} hundred" + (f" {in_words(number % 100)}" if number % 100 else "")


def ordinal_in_words(number: int) -> str:
    """An ordinal number below 1000 in English words; others in figures.

    >>> [ordinal_in_words(number) for number in (2, 12, 20, 42, 1001)]
    ['second', 'twelfth', 'twentieth', 'forty-second', '1001st']
    """
    words = in_words(number)
    if words[-1].isdigit():
        return f"{number}{_ending(number)}"
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    return words[:cut] + _ORDINALS.get(last, f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def ordinal(rank: int) -> str:
    """An ordinal number in figures.

    >>> [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 13, 21, 112, 1123)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th', '1,123rd']
    """
    return f"{rank:,}{_ending(rank)}"


def _ending(rank: int) -> str:
    return "th" if rank % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")


def in_roman(number: int) -> str:
    """A number above 0 as a Roman numeral in lower case.

    >>> in_roman(1994)
    'mcmxciv'
    """
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def roman(numeral: str) -> int:
    """The value of a Roman numeral below 4000; 0 where it is none.

    >>> roman("iv"), roman("XLII"), roman("abc"), roman("iiii")
    (4, 42, 0, 0)
    """
    rest, value = numeral.lower(), 0
    if not _IS_ROMAN.fullmatch(rest):
        return 0
    for step, letters in _ROMAN:
        while rest.startswith(letters):
            rest, value = rest.removeprefix(letters), value + step
    return value


def counted(count: int, noun: str) -> str:
    """A number in figures with its noun.

    >>> counted(1, "recipe"), counted(1200, "recipe")
    ('1 recipe', '1,200 recipes')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_time(seconds: float) -> str:
    """A duration in rounded seconds, minutes or hours.

    >>> in_time(0.4), in_time(89), in_time(200), in_time(9000)
    ('1 s', '89 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def in_bytes(count: float) -> str:
    """A size in bytes in decimal units.

    >>> in_bytes(999), in_bytes(1500), in_bytes(412_000_000)
    ('999 B', '1.5 kB', '412 MB')
    """
    units = iter(("B", "kB", "MB", "GB", "TB"))
    unit = next(units)
    while count >= 1000 and (larger := next(units, "")):
        count, unit = count / 1000, larger
    return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"


def in_letters(number: int) -> str:
    """A number above 0 in lower-case letters, as the columns of a spreadsheet are named.

    >>> in_letters(3), in_letters(28)
    ('c', 'ab')
    """
    text = ""
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("a") + digit) + text
    return text


def numbered(number: int, style: str) -> str:
    """A number as the marker of a list item; ``style`` as in ``numeral``.

    >>> [numbered(28, style) for style in ("decimal", "upper-alpha", "lower-roman", "none")]
    ['28.', 'AB.', 'xxviii.', '']
    """
    text = numeral(number, style)
    return f"{text}." if text else ""


def numeral(number: int, style: str) -> str:
    """A number in a list style of CSS: "decimal", "lower-alpha", "upper-roman" and so on; "none" gives "".

    Source: CSS Counter Styles Level 3, sections 6 and 7.

    >>> numeral(3, "lower-alpha"), numeral(0, "lower-roman")
    ('c', '0')
    """
    if style == "none":
        return ""
    if style.endswith("roman") and 0 < number < 4000:
        text = in_roman(number)
    elif style.endswith(("alpha", "latin")) and number > 0:
        text = in_letters(number)
    else:
        text = str(number)
    return text.upper() if style.startswith("upper") else text


NUMBER_WORDS = {in_words(number): number for number in range(1000)}
"""English number words below a thousand, as ``in_words`` writes them."""
