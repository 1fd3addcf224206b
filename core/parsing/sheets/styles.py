"""The looks of an Excel workbook's cells, as far as they matter to a reader: number formats, bold, colour behind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from core.parsing.ooxml.package import Element, whole
from core.parsing.sheets.formats import BUILTIN, GENERAL

_ESCAPED = re.compile(r"_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")  # halves of surrogate pairs say nothing alone
_MAX_STYLES = 100_000


@dataclass(frozen=True, slots=True)
class Look:
    """``code``: the number format. ``strong``: bold; ``shaded``: on a colour."""

    code: str = GENERAL
    strong: bool = False
    shaded: bool = False


PLAIN = Look()


def read_looks(root: Element | None) -> tuple[Look, ...]:
    """The looks that cells name by number. ``root``: of the styles' part; ``None`` where there is none."""
    if root is None:
        return ()
    codes = {entry.get("numFmtId", ""): entry.get("formatCode", "") for entry in root.iterfind("{*}numFmts/{*}numFmt")}
    strong = [_is_on(font.find("{*}b")) for font in root.iterfind("{*}fonts/{*}font")]
    shaded = [_is_coloured(fill) for fill in root.iterfind("{*}fills/{*}fill")]
    looks = []
    for entry in islice(root.iterfind("{*}cellXfs/{*}xf"), _MAX_STYLES):
        number = entry.get("numFmtId", "0")
        builtin = BUILTIN.get(whole(number), GENERAL)
        looks.append(
            Look(
                codes.get(number) or builtin,
                _entry(strong, entry.get("fontId", "")),
                _entry(shaded, entry.get("fillId", "")),
            )
        )
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


def _entry(flags: list[bool], number: str) -> bool:
    return 0 <= whole(number) < len(flags) and flags[whole(number)]
