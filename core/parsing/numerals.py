"""Numbers as list markers and headings write them (CSS Counter Styles Level 3, sections 6 and 7)."""

from __future__ import annotations

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def numbered(number: int, style: str) -> str:
    """A number as a list item's marker; see ``numeral``.

    >>> [numbered(28, style) for style in ("decimal", "upper-alpha", "lower-roman", "none")]
    ['28.', 'AB.', 'xxviii.', '']
    """
    text = numeral(number, style)
    return f"{text}." if text else ""


def numeral(number: int, style: str) -> str:
    """A number in one of CSS's styles: "decimal", "lower-alpha", "upper-roman" and so on; "none" is "".

    >>> numeral(3, "lower-alpha"), numeral(0, "lower-roman")
    ('c', '0')
    """
    if style == "none":
        return ""
    if style.endswith("roman") and 0 < number < 4000:
        text = _roman(number)
    elif style.endswith(("alpha", "latin")) and number > 0:
        text = _letters(number)
    else:
        text = str(number)
    return text.upper() if style.startswith("upper") else text


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def _letters(number: int) -> str:
    text = ""
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("a") + digit) + text
    return text
