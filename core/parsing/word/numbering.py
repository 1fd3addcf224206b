"""Automatic numbers of headings and lists, counted like in Word (ECMA-376 part 1, 17.9).

Lists with the same abstract definition share its counters. An instance may restart a level once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.parsing.ooxml.package import Element
from core.parsing.word.xml import W, indent_of, integer, number, switch, value
from core.text.values.numerals import in_roman, in_words, ordinal, ordinal_in_words

_MAX_REPEATED = 40
_CHINESE = "〇一二三四五六七八九"
# Formats that repeat the letter: the 27th number is "aa", the 28th "bb".
_ALPHABETS = {
    "lowerLetter": "abcdefghijklmnopqrstuvwxyz",
    "upperLetter": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "chicago": "*†‡§",
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "ganada": "가나다라마바사아자차카타파하",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
}


def number_as(form: str, count: int) -> str:
    """``count`` in a number format of Word. ``form``: the format's name; unknown ones are decimal.

    >>> [number_as(*pair) for pair in (("lowerRoman", 14), ("upperLetter", 28), ("ordinal", 22), ("decimalZero", 7))]
    ['xiv', 'BB', '22nd', '07']
    >>> number_as("chineseCounting", 105), number_as("cardinalText", 42), number_as("ordinalText", 20)
    ('一百〇五', 'Forty-two', 'Twentieth')
    """
    if count > 0 and (alphabet := _ALPHABETS.get(form)):
        repeats, index = divmod(count - 1, len(alphabet))
        return alphabet[index] * (repeats + 1) if repeats < _MAX_REPEATED else str(count)
    writer = _FORMS.get(form)
    return writer(count) if writer and count > 0 else str(count)


def _roman(count: int) -> str:
    return in_roman(count) if count <= 32_000 else str(count)


def _chinese(count: int) -> str:
    written = ""
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")) if count < 10_000 else ():
        digit = count // worth % 10
        written += _CHINESE[digit] + unit if digit else _CHINESE[0] * (written[-1:] not in ("", _CHINESE[0]))
    written = written.rstrip(_CHINESE[0])
    return (written[1:] if 10 <= count < 20 else written) or str(count)


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerRoman": _roman,
    "upperRoman": lambda count: _roman(count).upper(),
    **dict.fromkeys(("chineseCounting", "chineseCountingThousand", "japaneseCounting"), _chinese),
    "decimalZero": lambda count: f"{count:02d}",
    "ordinal": lambda count: ordinal(count).replace(",", ""),
    "cardinalText": lambda count: in_words(count).capitalize(),
    "ordinalText": lambda count: ordinal_in_words(count).capitalize(),
    "decimalEnclosedCircle": lambda count: chr(0x245F + count) if count <= 20 else str(count),
    "decimalEnclosedParen": lambda count: f"({count})",
    "decimalEnclosedFullstop": lambda count: f"{count}.",
}


_LEVELS = 9
_PLACEHOLDER = re.compile(r"%([1-9])")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_MAX_LINKS = 16  # a numbering style leads to a list, which may name a numbering style ...


@dataclass(frozen=True, slots=True)
class Mark:
    """The number or bullet before a paragraph.

    ``text``: "-" for a bullet of any shape, "" for a blank one, as further paragraphs of an item have. ``depth``: the
    level, from 0. ``count``: the number at that level. ``list_id``: the paragraph's list. ``indent``: of the level, in
    twentieths of a point. ``glued``: no blank follows the number.
    """

    text: str
    depth: int
    count: int
    list_id: str
    indent: int = 0
    is_bullet: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a list. ``form``: its number format. ``restart``: the level, from 1, whose use restarts it; 0 for
    never. ``is_legal``: all numbers are decimal. ``style``: the paragraph style tied to it.
    """

    form: str
    text: str
    start: int
    restart: int
    is_legal: bool
    glued: bool
    style: str
    indent: int
    has_picture: bool


@dataclass(frozen=True, slots=True)
class _List:
    """A list instance: the id of its abstract definition, its levels, and its own start values by level."""

    abstract: str
    levels: tuple[_Level, ...]
    starts: dict[int, int]


class Numbering:
    """The lists of a document and their counters."""

    def __init__(self, root: Element | None, number_of_style: Callable[[str], str | None]) -> None:
        """``root``: ``w:numbering`` or ``None``. ``number_of_style``: the list id of a numbering style."""
        self._number_of_style = number_of_style
        self._instances: dict[str, Element] = {}
        self._abstracts: dict[str, Element] = {}
        for element in () if root is None else root:
            if element.tag == f"{W}num":
                self._instances.setdefault(element.get(f"{W}numId", ""), element)
            elif element.tag == f"{W}abstractNum":
                self._abstracts.setdefault(element.get(f"{W}abstractNumId", ""), element)
        self._lists: dict[str, _List | None] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def level_of_style(self, list_id: str, style_id: str) -> int | None:
        """The level of a list that is tied to a paragraph style; ``None`` for none."""
        definition = self._list(list_id)
        levels = definition.levels if definition else ()
        return next((index for index, level in enumerate(levels) if style_id and level.style == style_id), None)

    def next(self, list_id: str, level: int) -> Mark | None:
        """Count one paragraph and return its mark; ``None`` where the list is not defined or the level has no text."""
        definition = self._list(list_id)
        if definition is None or not definition.levels:
            return None
        level = min(max(level, 0), len(definition.levels) - 1)
        counts = self._counts.setdefault(definition.abstract, {})
        for upper in range(level):  # a level that was skipped counts as used (Microsoft KB Q110380)
            if upper not in counts or self._must_start(list_id, definition, upper):
                self._start(list_id, definition, upper, counts)
        if level not in counts or self._must_start(list_id, definition, level):
            self._start(list_id, definition, level, counts)
        else:
            counts[level] += 1
        for lower in range(level + 1, len(definition.levels)):
            if level < definition.levels[lower].restart:
                counts.pop(lower, None)
        return self._mark(list_id, definition, level, counts)

    def _must_start(self, list_id: str, definition: _List, level: int) -> bool:
        return level in definition.starts and (list_id, level) not in self._started

    def _start(self, list_id: str, definition: _List, level: int, counts: dict[int, int]) -> None:
        counts[level] = definition.starts.get(level, definition.levels[level].start)
        self._started.add((list_id, level))

    def _mark(self, list_id: str, definition: _List, level: int, counts: dict[int, int]) -> Mark | None:
        shape = definition.levels[level]
        if shape.form == "bullet":
            bullet = "-" if shape.text.strip() or shape.has_picture else ""
            return Mark(bullet, level, counts[level], list_id, shape.indent, is_bullet=True)

        def fill(placeholder: re.Match[str]) -> str:
            index = int(placeholder[1]) - 1
            form = definition.levels[index].form if index <= level else "none"
            if form in ("none", "bullet"):
                return ""
            return number_as("decimal" if shape.is_legal else form, counts.get(index, 0))

        text = _PRIVATE.sub("", _PLACEHOLDER.sub(fill, shape.text)).strip()
        return Mark(text, level, counts[level], list_id, shape.indent, glued=shape.glued) if text else None

    def _list(self, list_id: str) -> _List | None:
        if list_id not in self._lists:
            self._lists[list_id] = self._read(list_id)
        return self._lists[list_id]

    def _read(self, list_id: str) -> _List | None:
        instance = self._instances.get(list_id)
        abstract_id, abstract = self._abstract(instance)
        if instance is None or abstract is None:
            return None
        elements = {integer(level.get(f"{W}ilvl")): level for level in abstract.iterfind(f"{W}lvl")}
        starts: dict[int, int] = {}
        for override in instance.iterfind(f"{W}lvlOverride"):
            index = integer(override.get(f"{W}ilvl"))
            replacement, start = override.find(f"{W}lvl"), number(override, "startOverride")
            if replacement is not None:
                elements[index] = replacement
            if index is not None and start is not None:
                starts[index] = start
        last = max((index for index in elements if index is not None and index < _LEVELS), default=-1)
        levels = tuple(_level(elements.get(index), index) for index in range(last + 1))
        return _List(abstract_id, levels, starts)

    def _abstract(self, instance: Element | None) -> tuple[str, Element | None]:
        """The abstract definition of an instance and its id, followed through numbering styles."""
        for _ in range(_MAX_LINKS):
            abstract_id = value(instance, "abstractNumId") or ""
            abstract = self._abstracts.get(abstract_id)
            style = value(abstract, "numStyleLink")
            if abstract is None or style is None:
                return abstract_id, abstract
            instance = self._instances.get(self._number_of_style(style) or "")
        return "", None


def _level(element: Element | None, index: int) -> _Level:
    restart, start = number(element, "lvlRestart"), number(element, "start")
    return _Level(
        form=value(element, "numFmt") or "decimal",
        text=(value(element, "lvlText") or "") if element is not None else "",
        start=0 if start is None else start,
        restart=index if restart is None else restart,
        is_legal=bool(switch(element, "isLgl")),
        glued=value(element, "suff") == "nothing",
        style=value(element, "pStyle") or "",
        indent=indent_of(None if element is None else element.find(f"{W}pPr")) or 0,
        has_picture=value(element, "lvlPicBulletId") is not None,
    )
