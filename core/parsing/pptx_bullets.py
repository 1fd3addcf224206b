"""Bullets and automatic numbers of slides: what stands before each paragraph (ECMA-376 part 1, 21.1.2.4)."""

from __future__ import annotations

from collections.abc import Sequence

from core.parsing.docx_number_forms import number_as
from core.parsing.docx_symbols import symbol
from core.parsing.ooxml import Element

_CHOICES = ("buNone", "buAutoNum", "buChar", "buBlip")
_MEANINGFUL = "✓✔✗✘☐☑☒★☆➔→←↑↓"  # bullets that say something; all others are dashes
_MAX_START = 32_767
# Longest first: the names are put together as "alphaLc" + "ParenBoth".
_FORMS = (
    ("circleNum", "decimalEnclosedCircle"),
    ("arabicDb", "decimalFullWidth"),
    ("alphaLc", "lowerLetter"),
    ("alphaUc", "upperLetter"),
    ("romanLc", "lowerRoman"),
    ("romanUc", "upperRoman"),
    ("arabic1Minus", "arabicAlpha"),
    ("arabic2Minus", "arabicAbjad"),
    ("hebrew", "hebrew2"),
    ("ea1", "chineseCounting"),
)
_CLOSINGS = (("ParenBoth", "({})"), ("ParenR", "{})"), ("Period", "{}."), ("Minus", "{}-"))


class Numbering:
    """Counts the paragraphs of one text body."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[str, int]] = {}  # by level: the kind of number that runs there, and how far

    def marker(self, bullet: Element | None, font: str, level: int) -> str | None:
        """What stands before the next paragraph, which has words; ``None`` where it is no list item.

        A run of numbers goes on over deeper levels and ends with any other paragraph of its own or a higher one.
        """
        for deeper in [other for other in self._counts if other > level]:
            del self._counts[deeper]
        kind = _local(bullet)
        if bullet is None or kind != "buAutoNum":
            self._counts.pop(level, None)
            if kind == "buChar":
                return _shown(bullet.get("char", "") if bullet is not None else "", font)
            return "-" if kind == "buBlip" else None
        form, start = bullet.get("type", "arabicPeriod"), _start(bullet.get("startAt"))
        running = f"{form} {start}"
        before, count = self._counts.get(level, ("", 0))
        count = count + 1 if before == running else start
        self._counts[level] = (running, count)
        return auto_number(form, count)


def bullet_of(properties: Sequence[Element | None]) -> tuple[Element | None, str]:
    """The bullet that holds and its font, of paragraph properties from the paragraph's own to the master's."""
    bullet, font = None, ""
    for level in properties:
        for child in () if level is None else level:
            name = _local(child)
            if bullet is None and name in _CHOICES:
                bullet = child
            elif not font and name == "buFont":
                font = child.get("typeface", "")
    return bullet, font


def auto_number(form: str, count: int) -> str:
    """A number as PowerPoint writes it, by its name for the form; unknown forms are decimal.

    >>> [auto_number(f, 4) for f in ("arabicPeriod", "alphaUcParenR", "romanLcParenBoth", "circleNumWdBlackPlain")]
    ['4.', 'D)', '(iv)', '④']
    """
    name = next((name for start, name in _FORMS if form.startswith(start)), "decimal")
    frame = next((frame for end, frame in _CLOSINGS if form.endswith(end)), "{}")
    return frame.format(number_as(name, count))


def _shown(char: str, font: str) -> str | None:
    """The dash that stands for a bullet, or the bullet itself where it says something; ``None`` for no bullet."""
    if not char:
        return None
    seen = symbol(ord(char[0]), font) if len(char) == 1 else char
    return seen if seen and seen in _MEANINGFUL else "-"


def _start(value: str | None) -> int:
    return min(_MAX_START, int(value)) if value and value.isdecimal() and len(value) < 9 else 1


def _local(element: Element | None) -> str:
    return "" if element is None or not isinstance(element.tag, str) else str(element.tag).rpartition("}")[2]
