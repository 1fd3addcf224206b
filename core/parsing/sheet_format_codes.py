"""Number formats of spreadsheets taken apart (ECMA-376 part 1, 18.8.30-31), and the section a number is shown by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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
