"""Applies the number formats of spreadsheets: values as text, as the sheet displays them.

Dates and times are written in ISO 8601; the format only decides which of their parts are shown. Fractions, exponents
and conditional formats are not supported: such numbers are written in full, as without a format.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from core.text.values.calendar_names import MONTHS, WEEKDAYS
from core.types import CellValue

GENERAL = "General"
# The built-in formats, with ids below 164, other than General; 27 to 36 and 50 to 58 are East Asian dates.
BUILTIN: dict[int, str] = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    **dict.fromkeys((5, 6), "$#,##0_);($#,##0)"),
    **dict.fromkeys((7, 8), "$#,##0.00_);($#,##0.00)"),
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    **dict.fromkeys((14, 15, *range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd"),
    16: "d-mmm",
    17: "mmm-yy",
    **dict.fromkeys((18, 20, 32, 34), "h:mm"),
    **dict.fromkeys((19, 21, 33, 35), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    **dict.fromkeys((37, 38), "#,##0_);(#,##0)"),
    **dict.fromkeys((39, 40, 43, 44), "#,##0.00_);(#,##0.00)"),
    **dict.fromkeys((41, 42), "#,##0_);(#,##0)"),
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|'
    r"(?P<general>General)|(?P<half>AM/PM|A/P|上午/下午)|(?P<exponent>E[+-])|(?P<date>[yY]+|[mM]+|[dD]+|[hH]+|[sS]+|e+|g+|b+)|"
    r"(?P<digit>[0#?])|(?P<other>.)",
    re.DOTALL | re.IGNORECASE,
)
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_MAX_FORMAT = 255
_LAST_SERIAL = 2_958_466  # the day after 9999-12-31
_SECONDS = 86_400
_MAX_DIGITS = 25


class Section(NamedTuple):
    """One section of a format. ``parts``: (kind, text); a kind is "words", "digit", "@", "general", ".", "," or "%".

    ``shows``: the shown parts of a date, as letters of "ymdhs", "n" (minute) and "w" (weekday); "" for numbers.
    ``elapsed``: the unit, "h", "m" or "s", in which a duration of any length is counted; "" for none.
    """

    parts: tuple[tuple[str, str], ...] = ()
    shows: str = ""
    elapsed: str = ""


@lru_cache(maxsize=4096)
def sections_of(code: str) -> tuple[Section, ...]:
    """The sections of a format in order; () for a format that is not supported."""
    drafts: list[list[re.Match[str]]] = [[]]
    for match in _TOKEN.finditer(code[:_MAX_FORMAT]):
        if match["other"] == ";":
            drafts.append([])
        elif match["exponent"] or (match["bracket"] or "").startswith(("<", ">", "=")):
            return ()
        else:
            drafts[-1].append(match)
    sections = tuple(_section(draft) for draft in drafts[:4])
    return () if any(("words", "/") in section.parts and not section.shows for section in sections) else sections


def _section(tokens: list[re.Match[str]]) -> Section:
    parts: list[tuple[str, str]] = []
    shows = elapsed = ""
    is_date = any(token["date"] for token in tokens) and not any(token["digit"] in ("#", "?") for token in tokens)
    for token in tokens:
        bracket, date, sign = token["bracket"], token["date"], token["other"] or ""
        if bracket is not None and _ELAPSED.fullmatch(bracket):
            elapsed = elapsed or bracket[0].lower()
            shows += {"h": "h", "s": "s"}.get(bracket[0].lower(), "n")
        elif bracket is not None:
            parts += [("words", bracket[1:].partition("-")[0])] if bracket.startswith("$") else []
        elif date and (is_date or elapsed):
            shows += _date_part(date.lower(), shows)
        elif token["general"] or token["digit"]:
            parts.append(("general" if token["general"] else "digit", token[0]))
        elif sign and sign in ".,%@":
            parts.append((sign, sign))
        elif not (token["half"] and is_date) and token["fill"] is None:
            words = token["quoted"] if token["quoted"] is not None else token["escaped"]
            parts.append(("words", " " if token["space"] else token[0] if words is None else words))
    if "s" in shows and not set("hyd") & set(shows):
        shows = shows.replace("m", "n")  # "mm:ss": minutes
    return Section(tuple(parts), shows, elapsed)


def _date_part(run: str, shown: str) -> str:
    """The letter for a run of a date format: y, m (month), d, w (weekday), h, n (minute) or s."""
    if run[0] == "m":
        return "n" if shown.endswith(("h", "s")) and len(run) < 3 else "m"
    if run[0] == "d":
        return "w" if len(run) > 2 else "d"
    return "y" if run[0] in "egb" else run[0]


class Shown(NamedTuple):
    """A formatted number: the displayed ``text``, the ``value``, and whether that is a date or a time."""

    text: str
    value: CellValue
    is_date: bool = False


def show_number(value: float, code: str, *, from_1904: bool = False) -> Shown:
    """A number under a format. ``from_1904``: the workbook counts days from 1904-01-01.

    >>> [show_number(n, code).text for n, code in ((0.256, "0.0%"), (-1234.5, "#,##0.00_);(#,##0.00)"), (7, "000"))]
    ['25.6%', '(1,234.50)', '007']
    >>> show_number(45292.25, "dd/mm/yyyy hh:mm")
    Shown(text='2024-01-01 06:00', value='2024-01-01T06:00:00', is_date=True)
    """
    if not isfinite(value):
        return Shown(str(value), str(value))
    number = int(value) if float(value).is_integer() and abs(value) < 1e15 else value
    sections = sections_of(code) if code != GENERAL else ()
    # The last section may be for texts. The section for negative numbers shows no sign.
    numeric = [section for section in sections[:3] if section is sections[0] or ("@", "@") not in section.parts]
    text = ""
    if numeric:
        section, magnitude = numeric[0], value
        if len(numeric) > 1 and value < 0:
            section, magnitude = numeric[1], -value
        elif len(numeric) > 2 and value == 0:
            section = numeric[2]
        if section.shows:
            return _show_date(value, section, from_1904) or Shown(plain_number(value), number)
        text = " ".join(_render(magnitude, section.parts).split())
    return Shown(text or plain_number(value), number)  # a number that ";;;" hides is written nevertheless


def show_text(text: str, code: str) -> str:
    """A text under a format, which may add words around it.

    >>> show_text("B7", '"Item "@'), show_text("B7", "0.00")
    ('Item B7', 'B7')
    """
    sections = sections_of(code) if "@" in code and code != "@" else ()
    if not sections or ("@", "@") not in sections[-1].parts:
        return text
    return "".join(text if kind == "@" else words for kind, words in sections[-1].parts if kind in ("@", "words"))


def plain_number(value: float) -> str:
    """A finite number without a format: fifteen significant digits, and no exponent for usual magnitudes.

    >>> [plain_number(value) for value in (5000.0, 0.1 + 0.2, -0.0, 1e-7, 4006381333931)]
    ['5000', '0.3', '0', '0.0000001', '4006381333931']
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    if not 1e-10 <= abs(value) < 1e21:
        return f"{value:.15g}".upper()
    text = format(_exact(value), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def moment(serial: float, *, from_1904: bool = False) -> datetime | None:
    """The date and time of a serial number, to the second; ``None`` where it is out of range.

    Day 60 is 29 February 1900, which did not exist; Excel counts it for compatibility with an older program.

    >>> moment(1), moment(61), moment(0, from_1904=True)
    (datetime.datetime(1900, 1, 1, 0, 0), datetime.datetime(1900, 3, 1, 0, 0), datetime.datetime(1904, 1, 1, 0, 0))
    """
    if not 0 <= serial < _LAST_SERIAL - (1462 if from_1904 else 0):
        return None
    day = int(serial)
    seconds = round((serial - day) * _SECONDS)
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 31 if day < 60 else 30)  # noqa: DTZ001
    try:
        return start + timedelta(days=day, seconds=seconds)
    except OverflowError:
        return None


def _exact(value: float) -> Decimal:
    """The number rounded to fifteen significant digits, which removes the noise of its binary representation."""
    return Decimal(f"{value:.15g}")


def _render(value: float, parts: tuple[tuple[str, str], ...]) -> str:
    """The number with its digits in the positions of ``parts``, and the words between them."""
    kinds = [kind for kind, _ in parts]
    if "general" in kinds or "@" in kinds:
        return "".join(plain_number(value) if kind in ("general", "@") else words for kind, words in parts)
    point = kinds.index(".") if "." in kinds else len(parts)
    positions = [index for index, kind in enumerate(kinds) if kind == "digit"]
    if not positions:
        return "".join(words for kind, words in parts if kind in ("words", "%"))
    integers = [index for index in positions if index < point]
    decimals = [index for index in positions if index > point]
    commas = [index for index, kind in enumerate(kinds) if kind == ","]
    grouped = any(integers and integers[0] < index < integers[-1] for index in commas)
    thousands = sum(not integers or index > integers[-1] for index in commas)
    scaled = abs(_exact(value)).scaleb(2 * kinds.count("%") - 3 * thousands)
    if scaled.adjusted() > _MAX_DIGITS or len(positions) > _MAX_DIGITS:
        return plain_number(value)
    rounded = scaled.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    integer_digits, _, decimal_digits = format(rounded, "f").partition(".")
    min_digits = next((len(integers) - number for number, index in enumerate(integers) if parts[index][1] == "0"), 0)
    digits = _deal(integer_digits.lstrip("0").rjust(min_digits, "0"), max(1, len(integers)), grouped)
    shown_decimals = max(
        (n for n, index in enumerate(decimals, 1) if parts[index][1] == "0" or decimal_digits[n - 1] != "0"), default=0
    )
    texts = dict(zip(integers, digits, strict=False))
    texts |= {index: decimal_digits[n] for n, index in enumerate(decimals[:shown_decimals])}
    texts |= {index: words for index, (kind, words) in enumerate(parts) if kind in ("words", "%")}
    texts |= {point: "."} if shown_decimals else {}
    sign = "-" if value < 0 and rounded else ""
    return "".join([sign, *(digits if not integers else ()), *(texts.get(index, "") for index in range(len(parts)))])


def _deal(digits: str, count: int, grouped: bool) -> list[str]:
    """Digits distributed to ``count`` positions from the right; the first gets all that are left.

    >>> _deal("1234567", 4, True), _deal("12", 3, False)
    (['1,234,', '5', '6', '7'], ['', '1', '2'])
    """
    last = len(digits) - 1
    texts = [
        digit + ("," if grouped and index < last and (last - index) % 3 == 0 else "")
        for index, digit in enumerate(digits)
    ]
    texts = [""] * (count - len(texts)) + texts
    first_end = len(texts) - count + 1
    return ["".join(texts[:first_end]), *texts[first_end:]]


def _show_date(value: float, section: Section, from_1904: bool) -> Shown | None:
    """A date, a time or both, as the format shows them; ``None`` for a number out of range."""
    shows = set(section.shows)
    if section.elapsed:
        return _show_elapsed(value, section)
    at = moment(value, from_1904=from_1904)
    if at is None or (value == 0 and shows & set("ymdw")):
        return None
    clock = at.strftime("%H:%M:%S" if "s" in shows else "%H:%M")
    is_time = value < 1 and (not from_1904 or not shows & set("ymdw"))
    if is_time or not shows & set("ymdw"):
        stated = at.time().isoformat() if value < 1 else at.isoformat()
        return Shown(clock, stated, is_date=True)
    midnight = at.time() == datetime.min.time()
    stated = at.date().isoformat() if midnight else at.isoformat()
    day = _day(at, shows)
    return Shown(f"{day} {clock}" if shows & set("hns") else day, stated, is_date=True)


def _day(at: datetime, shows: set[str]) -> str:
    days = shows & set("ymdw")
    if days == {"w"}:
        return WEEKDAYS[at.weekday()]
    if days == {"m"}:
        return MONTHS[at.month - 1]
    if days == {"y"}:
        return f"{at.year:04d}"
    return at.date().isoformat()[:7] if days == {"y", "m"} else at.date().isoformat()


def _show_elapsed(value: float, section: Section) -> Shown | None:
    """A duration in hours, minutes or seconds, which may exceed a day."""
    if abs(value) > _LAST_SERIAL:
        return None
    seconds = round(abs(value) * _SECONDS)
    sign = "-" if value < 0 and seconds else ""
    minutes, second = divmod(seconds, 60)
    if section.elapsed == "s":
        text = f"{sign}{seconds}"
    elif section.elapsed == "m":
        text = f"{sign}{minutes}" + (f":{second:02d}" if "s" in section.shows else "")
    else:
        text = f"{sign}{minutes // 60}" + (f":{minutes % 60:02d}" if "n" in section.shows else "")
        text += f":{second:02d}" if "s" in section.shows else ""
    return Shown(text, text, is_date=True)
