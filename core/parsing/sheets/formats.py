"""Numbers of a spreadsheet as a person sees them: number formats applied to values.

Dates and times are written as ISO 8601 has them, whatever order the format asks for: it decides only which parts show.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from core.text.calendar_names import MONTHS, WEEKDAYS
from core.types import CellValue

GENERAL = "General"
# What the ids below 164 stand for where they show anything but General; 27-36 and 50-58 are East Asian dates.
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
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_MAX_FORMAT = 255


@dataclass(frozen=True, slots=True)
class FormatPart:
    """A run of a format: ``kind`` "literal", "digit", "point", "comma", "percent", "exponent", "general" or "text"."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """What one of a format's sections does. ``shows``: of "ymdhs" and "w" (weekday) what a date shows, "" for numbers.

    ``elapsed``: the unit hours, minutes or seconds are counted up in, beyond a day. ``condition``: ("<", 5.0).
    """

    parts: tuple[FormatPart, ...] = ()
    shows: str = ""
    elapsed: str = ""
    condition: tuple[str, float] | None = None


@lru_cache(maxsize=4096)
def sections_of(code: str) -> tuple[Section, ...]:
    """The sections of a format, in order."""
    drafts: list[list[re.Match[str]]] = [[]]
    for match in _TOKEN.finditer(code[:_MAX_FORMAT]):
        if match["other"] == ";":
            drafts.append([])
        else:
            drafts[-1].append(match)
    return tuple(_section(draft) for draft in drafts[:4])


def _section(tokens: list[re.Match[str]]) -> Section:
    parts: list[FormatPart] = []
    shows, elapsed, condition = "", "", None
    dated = any(token["date"] for token in tokens) and not any(token["digit"] in ("#", "?") for token in tokens)
    for token in tokens:
        if (bracket := token["bracket"]) is not None:
            if _ELAPSED.fullmatch(bracket):
                elapsed = elapsed or bracket[0].lower()
                shows += "h" if bracket[0] in "hH" else "s" if bracket[0] in "sS" else "n"
            elif match := _CONDITION.fullmatch(bracket):
                condition = (match[1], float(match[2]))
            elif bracket.startswith("$"):
                parts.append(FormatPart("literal", bracket[1:].partition("-")[0]))
        elif token["half"] and dated:
            continue
        elif token["date"] and (dated or elapsed):
            shows += _date_part(token["date"].lower(), shows)
        else:
            parts.append(_number_part(token))
    if "s" in shows and "h" not in shows and "y" not in shows and "d" not in shows:
        shows = shows.replace("m", "n")  # "mm:ss": minutes
    return Section(tuple(parts), shows, elapsed, condition)


def _date_part(run: str, shown: str) -> str:
    """The letter for a run of a date format: y, m (month), d, w (weekday), h, n (minute) or s."""
    if run[0] in "egb":
        return "y"
    if run[0] == "m":
        return "n" if shown.endswith(("h", "s")) and len(run) < 3 else "m"
    if run[0] == "d":
        return "w" if len(run) > 2 else "d"
    return run[0]


def _number_part(token: re.Match[str]) -> FormatPart:
    if token["quoted"] is not None:
        return FormatPart("literal", token["quoted"])
    if token["escaped"] is not None:
        return FormatPart("literal", token["escaped"])
    if token["space"] is not None:
        return FormatPart("literal", " ")
    if token["fill"] is not None:
        return FormatPart("literal", "")
    if token["general"]:
        return FormatPart("general", "")
    if token["exponent"]:
        return FormatPart("exponent", token["exponent"])
    if token["digit"]:
        return FormatPart("digit", token["digit"])
    if token["other"] and token["other"] in ".,%@":
        return FormatPart({".": "point", ",": "comma", "%": "percent", "@": "text"}[token["other"]], token["other"])
    return FormatPart("literal", token.group())


def section_for(value: float, sections: tuple[Section, ...]) -> tuple[Section | None, float]:
    """The section for a value, and the value it shows: one that has negatives to itself shows no sign."""
    numeric = sections[:3] if len(sections) > 3 else sections
    if len(numeric) > 1 and any(part.kind == "text" for part in numeric[-1].parts):
        numeric = numeric[:-1]
    conditional = [section for section in numeric if section.condition]
    if conditional:
        for section in numeric:
            if section.condition is None or _holds(value, *section.condition):
                return section, value
        return None, value
    if value < 0 and len(numeric) > 1:
        return numeric[1], -value
    if value == 0 and len(numeric) > 2:
        return numeric[2], value
    return numeric[0], value


def _holds(value: float, sign: str, limit: float) -> bool:
    return {
        "<": value < limit,
        "<=": value <= limit,
        ">": value > limit,
        ">=": value >= limit,
        "=": value == limit,
        "<>": value != limit,
    }[sign]


_LAST_SERIAL = 2_958_466  # the day after 9999-12-31
_SECONDS = 86_400
_MAX_DIGITS = 25


class Shown(NamedTuple):
    """``text`` as it stands in the sheet, the ``value`` behind it, and whether that is a day or a time."""

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
    if code == GENERAL:
        return Shown(plain_number(value), number)
    section, magnitude = section_for(value, sections_of(code))
    if section is None:
        return Shown(plain_number(value), number)
    if section.shows:
        return _show_date(value, section, from_1904) or Shown(plain_number(value), number)
    text = " ".join(_render(magnitude, section).split())
    return Shown(text or plain_number(value), number)  # ";;;" hides a number: it is not lost here


def show_text(text: str, code: str) -> str:
    """A text under a format, which may put words around it.

    >>> show_text("B7", '"Item "@'), show_text("B7", "0.00")
    ('Item B7', 'B7')
    """
    if "@" not in code or code == "@":
        return text
    sections = sections_of(code)
    last = sections[-1]
    if not any(part.kind == "text" for part in last.parts):
        return text
    return "".join(
        text if part.kind == "text" else part.text for part in last.parts if part.kind in ("text", "literal")
    )


def plain_number(value: float) -> str:
    """A finite number without a format: fifteen significant digits, no exponent while it can be read without one.

    >>> [plain_number(value) for value in (5000.0, 0.1 + 0.2, -0.0, 1e-7, 4006381333931)]
    ['5000', '0.3', '0', '0.0000001', '4006381333931']
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    shortest = _exact(value)
    if not 1e-10 <= abs(value) < 1e21:
        return f"{value:.15g}".upper()
    text = format(shortest, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def moment(serial: float, *, from_1904: bool = False) -> datetime | None:
    """The day and time a serial number means, to the second; ``None`` when it is none.

    Day 60 is the 29th of February 1900, which never was: Excel keeps it for the sake of an older program.

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


def _render(value: float, section: Section) -> str:
    kinds = [part.kind for part in section.parts]
    if "general" in kinds or "text" in kinds:
        shown = ("general", "text")
        return "".join(plain_number(value) if part.kind in shown else part.text for part in section.parts)
    if "digit" not in kinds:
        return "".join(part.text for part in section.parts if part.kind in ("literal", "percent"))
    if any(part.kind == "literal" and part.text == "/" for part in section.parts):
        return _fraction(value, section)
    if "exponent" in kinds:
        return _scientific(value, section)
    return _decimal(value, section.parts)


def _decimal(value: float, parts: tuple[FormatPart, ...]) -> str:
    """Digits into their places, with the literals the format has before, behind and between them."""
    kinds = [part.kind for part in parts]
    point = kinds.index("point") if "point" in kinds else len(parts)
    places = [at for at, kind in enumerate(kinds) if kind == "digit"]
    whole, decimals = [at for at in places if at < point], [at for at in places if at > point]
    commas = [at for at, kind in enumerate(kinds) if kind == "comma"]
    grouped = any(whole and whole[0] < at < whole[-1] for at in commas)
    thousands = sum(not whole or at > whole[-1] for at in commas)
    scaled = abs(_exact(value)).scaleb(2 * kinds.count("percent") - 3 * thousands)
    if scaled.adjusted() > _MAX_DIGITS or len(places) > _MAX_DIGITS:
        return plain_number(value)
    rounded = scaled.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    before, _, behind = format(rounded, "f").partition(".")
    least = next((len(whole) - number for number, at in enumerate(whole) if parts[at].text == "0"), 0)
    digits = _in_places(before.lstrip("0").rjust(least, "0"), max(1, len(whole)), grouped)
    kept = max(
        (n for n, at in enumerate(decimals, start=1) if parts[at].text == "0" or behind[n - 1] != "0"), default=0
    )
    written = dict(zip(whole, digits, strict=False)) | {at: behind[n] for n, at in enumerate(decimals[:kept])}
    out = ["-"] if value < 0 and rounded else []
    out += digits if not whole else []
    for at, part in enumerate(parts):
        if part.kind == "point":
            out.append("." if kept else "")
        elif part.kind in ("literal", "percent"):
            out.append(part.text)
        else:
            out.append(written.get(at, ""))
    return "".join(out)


def _exact(value: float) -> Decimal:
    """The number as fifteen significant digits have it: what lies behind them is noise of its binary form."""
    return Decimal(f"{value:.15g}")


def _in_places(digits: str, places: int, grouped: bool) -> list[str]:
    """Digits dealt to ``places`` from the right, the first taking all that is left.

    >>> _in_places("1234567", 4, True), _in_places("12", 3, False)
    (['1,234,', '5', '6', '7'], ['', '1', '2'])
    """
    from_right = range(len(digits) - 1, -1, -1)
    marked = [
        digit + ("," if grouped and at and at % 3 == 0 else "") for at, digit in zip(from_right, digits, strict=True)
    ]
    missing = places - len(marked)
    if missing >= 0:
        return [""] * missing + marked
    return ["".join(marked[: 1 - missing]), *marked[1 - missing :]]


def _scientific(value: float, section: Section) -> str:
    kinds = [part.kind for part in section.parts]
    at = kinds.index("exponent")
    decimals = kinds[kinds.index("point") if "point" in kinds else at : at].count("digit")
    mantissa, _, power = f"{value:.{min(decimals, 15)}E}".partition("E")
    width = kinds[at:].count("digit")
    sign = "-" if power.startswith("-") else "+" if section.parts[at].text.endswith("+") else ""
    return f"{mantissa}E{sign}{abs(int(power)):0{width}d}"


def _fraction(value: float, section: Section) -> str:
    """A mixed number whose denominator has as many digits as the format leaves room for."""
    slash = next(at for at, part in enumerate(section.parts) if part.kind == "literal" and part.text == "/")
    width = max(1, sum(part.kind == "digit" for part in section.parts[slash:]))
    whole, rest = divmod(Fraction(_exact(abs(value))), 1)
    near = rest.limit_denominator(10 ** min(width, 3) - 1)
    if near == 1:
        whole, near = whole + 1, Fraction(0)
    words = [str(whole)] if whole or not near else []
    words += [f"{near.numerator}/{near.denominator}"] if near else []
    return ("-" if value < 0 else "") + " ".join(words)


def _show_date(value: float, section: Section, from_1904: bool) -> Shown | None:
    """A day, a time or both, as far as the format shows them; ``None`` for a number that is none."""
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
    """Hours, minutes or seconds counted beyond a day, as in a time sheet's sum."""
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
