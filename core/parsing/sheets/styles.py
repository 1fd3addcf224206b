"""The looks of an Excel workbook's cells, as far as they matter to a reader: number formats, bold, colour behind."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice

from core.parsing.ooxml.package import Element, whole
from core.parsing.sheets.formats import BUILTIN, GENERAL

_ESCAPED = re.compile(r"_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")  # halves of surrogate pairs say nothing alone
_MAX_STYLES = 100_000
WHITE = "FFFFFF"
TINY = 2.0  # points: no letter of a lesser size can be read
_HIDES = ";;;"  # a number format that shows nothing
_WHITES = {("theme", "0"), ("indexed", "1"), ("indexed", "9")}


@dataclass(frozen=True, slots=True)
class Look:
    """``code``: the number format. ``strong``: bold; ``shaded``: on a colour; ``tiny``: in letters too small to read.

    ``ink`` and ``ground``: the colours of the letters and of what is behind them, "" for one that is not told.
    """

    code: str = GENERAL
    strong: bool = False
    shaded: bool = False
    ink: str = ""
    ground: str = WHITE
    tiny: bool = False

    @property
    def unseen(self) -> bool:
        """Whether nobody sees what a cell holds: tiny, of its ground's colour, or under a format that hides it."""
        return self.tiny or self.code == _HIDES or (self.ink != "" and self.ink == self.ground)


PLAIN = Look()


def read_looks(root: Element | None) -> tuple[Look, ...]:
    """The looks that cells name by number. ``root``: of the styles' part; ``None`` where there is none."""
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
    """Text whose characters that XML cannot hold are written ``_x000D_``.

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


def _colour(told: Element | None) -> str:
    """A colour by what tells it, all that are white alike; "" where none is told."""
    if told is None:
        return ""
    kind = next((name for name in ("rgb", "theme", "indexed") if told.get(name)), "")
    value = told.get(kind, "") if kind else ""
    if (tint := told.get("tint", "0")) not in ("0", "0.0"):
        return f"{kind} {value} {tint}"
    return WHITE if (kind, value) in _WHITES else value[-6:].upper() if kind == "rgb" else f"{kind} {value}".strip()


def _is_tiny(size: Element | None) -> bool:
    try:
        return size is not None and 0 < float(size.get("val", "")) < TINY
    except ValueError:
        return False


def _entry(looks: list[Look], number: str) -> Look:
    return looks[whole(number)] if 0 <= whole(number) < len(looks) else PLAIN
