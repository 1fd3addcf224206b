"""The styles of an Excel workbook's cells, as far as reading needs them: number formats, bold, colours, size."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice

from core.parsing.ooxml.package import Element, whole
from core.parsing.sheets.formats import BUILTIN, GENERAL

_ESCAPED = re.compile(r"_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")  # no lone surrogates
_MAX_STYLES = 100_000
WHITE = "FFFFFF"
TINY = 2.0  # points; smaller letters cannot be read
_HIDING_FORMAT = ";;;"
_WHITES = {("theme", "0"), ("indexed", "1"), ("indexed", "9")}


@dataclass(frozen=True, slots=True)
class Look:
    """The style of a cell. ``code``: the number format. ``strong``: bold. ``shaded``: on a coloured ground.

    ``ink`` and ``ground``: the colours of letters and ground, "" if unknown. ``tiny``: letters too small to read.
    """

    code: str = GENERAL
    strong: bool = False
    shaded: bool = False
    ink: str = ""
    ground: str = WHITE
    tiny: bool = False

    @property
    def unseen(self) -> bool:
        """Whether a cell's text is invisible: tiny, in the colour of its ground, or hidden by its number format."""
        return self.tiny or self.code == _HIDING_FORMAT or (self.ink != "" and self.ink == self.ground)


PLAIN = Look()


def read_looks(root: Element | None) -> tuple[Look, ...]:
    """The styles that cells refer to by index. ``root``: of the part with the styles, or ``None``."""
    if root is None:
        return ()
    codes = {entry.get("numFmtId", ""): entry.get("formatCode", "") for entry in root.iterfind("{*}numFmts/{*}numFmt")}
    fonts = [
        Look(strong=_is_on(font.find("{*}b")), ink=_colour(font.find("{*}color")), tiny=_is_tiny(font.find("{*}sz")))
        for font in root.iterfind("{*}fonts/{*}font")
    ]
    grounds = [
        Look(shaded=True, ground=_colour(fill.find("{*}patternFill[@patternType='solid']/{*}fgColor")))
        if _is_coloured(fill)
        else PLAIN
        for fill in root.iterfind("{*}fills/{*}fill")
    ]
    looks = []
    for entry in islice(root.iterfind("{*}cellXfs/{*}xf"), _MAX_STYLES):
        number = entry.get("numFmtId", "0")
        builtin = BUILTIN.get(whole(number), GENERAL)
        font, ground = _entry(fonts, entry.get("fontId", "")), _entry(grounds, entry.get("fillId", ""))
        looks.append(replace(font, code=codes.get(number) or builtin, shaded=ground.shaded, ground=ground.ground))
    return tuple(looks)


def unescaped(text: str) -> str:
    """Text with escapes such as ``_x000D_``, for characters that XML does not allow, resolved.

    >>> unescaped("one_x000A_two _x005F_x000D_")
    'one\\ntwo _x000D_'
    """
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _is_on(switch: Element | None) -> bool:
    return switch is not None and switch.get("val", "1") not in ("0", "false")


def _is_coloured(fill: Element) -> bool:
    pattern = fill.find("{*}patternFill")
    if pattern is None:
        return fill.find("{*}gradientFill") is not None
    return pattern.get("patternType", "none") not in ("none", "gray125")


def _colour(element: Element | None) -> str:
    """A colour as a string that can be compared; the same for every way to state white; "" for none."""
    if element is None:
        return ""
    kind = next((name for name in ("rgb", "theme", "indexed") if element.get(name)), "")
    value = element.get(kind, "") if kind else ""
    if (tint := element.get("tint", "0")) not in ("0", "0.0"):
        return f"{kind} {value} {tint}"
    return WHITE if (kind, value) in _WHITES else value[-6:].upper() if kind == "rgb" else f"{kind} {value}".strip()


def _is_tiny(size: Element | None) -> bool:
    try:
        return size is not None and 0 < float(size.get("val", "")) < TINY
    except ValueError:
        return False


def _entry(looks: list[Look], number: str) -> Look:
    return looks[whole(number)] if 0 <= whole(number) < len(looks) else PLAIN
