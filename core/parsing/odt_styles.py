"""What OpenDocument styles say of text: headings, quotes, code, hidden words, and how lists are numbered.

Source: OpenDocument 1.3 part 3, sections 16 (styles), 19.880 and 20.422 (numbering).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.parsing.numerals import numeral

Element = Any  # lxml's elements come without types
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_FORMATS = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_ENCODED = re.compile(r"_([0-9a-fA-F]{2,4})_")
_PLACE = re.compile(r"%(\d{1,2})%")
_ROLES = {
    "title": "title",
    "subtitle": "subtitle",
    "quotations": "quote",
    "quote": "quote",
    "intense quote": "quote",
    "preformatted text": "code",
    "source code": "code",
    "html preformatted": "code",
    **dict.fromkeys(("caption", "illustration", "table", "drawing", "figure", "text"), "caption"),
}
_MONOSPACED = re.compile(r"\b(?:mono|courier|consolas|menlo|monaco|typewriter|source code)", re.IGNORECASE)
_MAX_PARENTS = 30
BULLET = "-"


@dataclass(frozen=True, slots=True)
class Look:
    """What a style comes to with those it is based on. ``role``: "title", "quote", "code" and so on, "" for none."""

    role: str = ""
    is_hidden: bool = False
    is_monospaced: bool = False
    master_page: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered. ``form``: one of ``numeral``'s styles; "bullet"; "none" shows nothing.

    ``pattern``: LibreOffice's own, as ``%1%.%2%.``; "" leaves it to ``shown`` levels, ``prefix`` and ``suffix``.
    """

    form: str = "none"
    prefix: str = ""
    suffix: str = ""
    shown: int = 1
    start: int = 1
    pattern: str = ""


@dataclass(slots=True)
class Styles:
    """Styles of a document by family and name, its lists by name, and how it numbers headings."""

    _found: dict[tuple[str, str], Element] = field(default_factory=dict)
    _looks: dict[tuple[str, str], Look] = field(default_factory=dict)
    lists: dict[str, Mapping[int, Level]] = field(default_factory=dict)
    outline: Mapping[int, Level] = field(default_factory=dict)

    def add(self, root: Element) -> None:
        """Take in all styles below an element; later ones of a name win."""
        for style in root.iter(f"{STYLE}style"):
            self._found[style.get(f"{STYLE}family", ""), style.get(f"{STYLE}name", "")] = style
        for style in root.iter(f"{TEXT}list-style"):
            self.lists[style.get(f"{STYLE}name", "")] = _levels(style)
        for style in root.iter(f"{TEXT}outline-style"):
            self.outline = _levels(style)

    def look(self, family: str, name: str) -> Look:
        """What the style ``name`` of "paragraph", "text" or "section" comes to."""
        key = (family, name)
        if key not in self._looks:
            role = _ROLES.get(_decoded(name).lower(), "")  # some programs name styles that they do not define
            self._looks[key] = self._look(role, self._chain(family, name))
        return self._looks[key]

    def _look(self, role: str, chain: Iterable[Element]) -> Look:
        hidden, monospaced, master = None, None, ""
        for style in chain:
            shown_name = style.get(f"{STYLE}display-name") or _decoded(style.get(f"{STYLE}name", ""))
            role = role or _ROLES.get(shown_name.lower(), "")
            master = master or style.get(f"{STYLE}master-page-name", "")
            for properties in style.iterfind(f"{STYLE}text-properties"):
                display = properties.get(f"{TEXT}display")
                font = properties.get(f"{STYLE}font-name") or properties.get(f"{_FO}font-family")
                hidden = (display == "none") if hidden is None and display else hidden
                monospaced = bool(_MONOSPACED.search(font)) if monospaced is None and font else monospaced
            for properties in style.iterfind(f"{STYLE}section-properties"):
                hidden = hidden or properties.get(f"{TEXT}display") == "none"
        return Look(role, bool(hidden), bool(monospaced), master)

    def _chain(self, family: str, name: str) -> Iterable[Element]:
        """The style and those it is based on, nearest first."""
        for _ in range(_MAX_PARENTS):
            style = self._found.get((family, name))
            if style is None:
                return
            yield style
            name = style.get(f"{STYLE}parent-style-name", "")


def _decoded(name: str) -> str:
    """A style's name as people see it.

    >>> _decoded("Text_20_body")
    'Text body'
    """
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)


def _levels(style: Element) -> dict[int, Level]:
    found = {}
    for level in style:
        number = _whole(level, f"{TEXT}level", 0)
        kind = level.tag.rpartition("}")[2] if isinstance(level.tag, str) else ""
        if kind in ("list-level-style-bullet", "list-level-style-image"):
            found[number] = Level("bullet")
        elif kind in ("list-level-style-number", "outline-level-style"):
            found[number] = Level(
                _FORMATS.get(level.get(f"{STYLE}num-format", ""), "none"),
                level.get(f"{STYLE}num-prefix", ""),
                level.get(f"{STYLE}num-suffix", ""),
                _whole(level, f"{TEXT}display-levels", 1),
                _whole(level, f"{TEXT}start-value", 1),
                level.get(f"{_LOEXT}num-list-format", ""),
            )
    return found


def _whole(element: Element, name: str, otherwise: int) -> int:
    text = element.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else otherwise


class Numbering:
    """The running numbers of one list or of the headings. Levels count from 1."""

    def __init__(self, levels: Mapping[int, Level]) -> None:
        self.levels = levels
        self._numbers: dict[int, int] = {}

    def next(self, level: int, start: int | None = None) -> str:
        """The label of the next item of ``level``; ``start`` begins anew with that number.

        >>> numbering = Numbering({1: Level("decimal"), 2: Level("decimal", suffix=")", shown=2)})
        >>> [numbering.next(level) for level in (1, 2, 2, 1, 2)]
        ['1', '1.1)', '1.2)', '2', '2.1)']
        """
        style = self.levels.get(level, Level())
        for above in range(1, level):
            self._numbers.setdefault(above, self.levels.get(above, Level()).start)
        before = self._numbers.get(level, style.start - 1)
        self._numbers = {deep: number for deep, number in self._numbers.items() if deep < level}
        self._numbers[level] = before + 1 if start is None else start
        return self._label(level, style)

    def _label(self, level: int, style: Level) -> str:
        if style.form in ("bullet", "none"):
            return BULLET if style.form == "bullet" else ""
        if style.pattern:
            return _PLACE.sub(lambda match: self._numeral(int(match[1])), style.pattern).strip()
        first = max(1, level - style.shown + 1)
        numerals = filter(None, (self._numeral(deep) for deep in range(first, level + 1)))
        return f"{style.prefix}{'.'.join(numerals)}{style.suffix}".strip()

    def _numeral(self, level: int) -> str:
        form = self.levels.get(level, Level()).form
        return "" if form == "bullet" else numeral(self._numbers.get(level, 1), form)
