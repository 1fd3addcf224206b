"""What a table cell states: its number, truth value or text."""

from __future__ import annotations

import re

from core.types import CellValue

_EMPHASIS = re.compile(r"^(\*\*|__|\*|_|`|~~)(.+)\1$", re.DOTALL)
_CURRENCY = r"(?:[$€£¥₹₽₩₺₫₪฿¢]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)"
_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+\-\u2212])?\s*{_CURRENCY}?\s*(?P<sign2>[+\-\u2212])?"
    r"(?P<digits>\d[\d.,'\u2019 \u00a0\u202f\u2009]*|\.\d+)(?P<exponent>[eE][+\-]?\d{1,3})?"
    rf"\s*(?:%|‰|{_CURRENCY})?\s*(?P<close>\))?"
)
_GROUPED = re.compile(r"\d{1,3}(?P<mark>[,'\u2019 \u00a0\u202f\u2009])\d{3}(?:(?P=mark)\d{3})*(?:\.\d+)?")
_GROUPED_BY_POINT = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_PLAIN = re.compile(r"(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+")
_DECIMAL_COMMA = re.compile(r"(?:0|[1-9]\d*),\d+")
_TRUTH = {"true": True, "yes": True, "✓": True, "✔": True, "false": False, "no": False, "✗": False, "✘": False}
_MAX_NUMBER_CHARACTERS = 60


def cell_value(text: str) -> CellValue:
    """The value a cell's text states, emphasis marks aside. ``None`` when it is blank.

    Thousands separators, currency and percent signs are read past: ``12.5 %`` is the number 12.5. ``(3)`` as in
    accounts is -3. Text with leading zeros, as in codes, stays text.

    >>> [cell_value(text) for text in ("1,234.50", "$2.5", "**12 %**", "(1 200)", "1.200,50 €", "yes", "", "007")]
    [1234.5, 2.5, 12, -1200, 1200.5, True, None, '007']
    """
    text = text.strip()
    bare = text
    while match := _EMPHASIS.match(bare):
        bare = match.group(2).strip()
    if not bare:
        return None
    if bare.lower() in _TRUTH:
        return _TRUTH[bare.lower()]
    number = _number(bare) if len(bare) <= _MAX_NUMBER_CHARACTERS else None
    return text if number is None else number


def _number(text: str) -> int | float | None:
    match = _NUMBER.fullmatch(text)
    if not match or bool(match["open"]) != bool(match["close"]):
        return None
    digits = match["digits"].strip()
    if grouped := _GROUPED.fullmatch(digits):
        plain = digits.replace(grouped["mark"], "")
    elif _GROUPED_BY_POINT.fullmatch(digits):
        plain = digits.replace(".", "").replace(",", ".")
    elif _PLAIN.fullmatch(digits):
        plain = digits
    elif _DECIMAL_COMMA.fullmatch(digits):
        plain = digits.replace(",", ".")
    else:
        return None
    negative = (
        bool(match["open"]) or "-" in (sign := (match["sign"] or "") + (match["sign2"] or "")) or "\u2212" in sign
    )
    if match["exponent"] or "." in plain:
        value = float(plain + (match["exponent"] or ""))
        return -value if negative else value
    return -int(plain) if negative else int(plain)
