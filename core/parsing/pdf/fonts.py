"""What a PDF's fonts say about their letters: weight, slope, fixed width, signs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_BOLD, _MONO, _ITALIC = 16, 8, 2
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
_MONO_NAME = re.compile(r"mono|courier|consol|menlo|typewriter|fixed|cmtt|sftt|lettergothic|inconsolata", re.IGNORECASE)
_NARROW, _WIDE = set("ijlft.,;:'|!()I"), set("mwMWQ@%")
_DINGBATS = str.maketrans({"3": "✓", "4": "✔", "7": "✗", "8": "✘", "l": "•", "n": "■", "o": "❏", "u": "◆"})

_ALEFS, _LAM = set("\u0622\u0623\u0625\u0627"), "\u0644"

_MIN_CHARACTERS = 4  # of a run that is measured
_MIN_RUNS = 3
_EVEN = 0.02  # of the mean advance, that of a typewriter may vary


def is_bold(span: Mapping[str, Any]) -> bool:
    """By the span's flags, or its font's name."""
    return bool(span["flags"] & _BOLD or _BOLD_NAME.search(span["font"]))


def is_italic(span: Mapping[str, Any]) -> bool:
    """By the span's flags."""
    return bool(span["flags"] & _ITALIC)


def base_name(font: str) -> str:
    """A font's name without the mark of its subset.

    >>> base_name("ABCDEF+Times-Roman")
    'Times-Roman'
    """
    return font[7:] if len(font) > 7 and font[6] == "+" else font


def spelled(span: Mapping[str, Any]) -> str:
    """A span's text; the common signs of ZapfDingbats, which come as letters, as the signs they show.

    >>> spelled({"font": "ZapfDingbats", "text": "3"})
    '✓'
    """
    text = str(span["text"])
    return text.translate(_DINGBATS) if "Dingbats" in span["font"] else text


def unturned(characters: Sequence[Mapping[str, Any]]) -> str:
    """Characters as text, Arabic lam-alef in its order: the library hands that one letter out as alef, lam.

    Of the two, the alef that came first has no width of its own.

    >>> unturned([{"c": "\u0627", "bbox": (5, 0, 5, 9)}, {"c": "\u0644", "bbox": (1, 0, 5, 9)}])
    '\u0644\u0627'
    """
    letters = [str(character["c"]) for character in characters]
    for index in range(len(letters) - 1):
        if letters[index] in _ALEFS and letters[index + 1] == _LAM:
            x0, _, x1, _ = characters[index]["bbox"]
            if abs(x1 - x0) < 0.1:
                letters[index], letters[index + 1] = letters[index + 1], letters[index]
    return "".join(letters)


@dataclass(slots=True)
class _Advance:
    """How wide a font's characters came out, in em, over the runs seen so far."""

    runs: int = 0
    least: float = float("inf")
    most: float = 0.0
    narrow: bool = False
    wide: bool = False


@dataclass(slots=True)
class Typewriters:
    """Fonts whose letters all have one width. Listings are often set in one that says so neither by name nor by flag.

    A proportional font would have to set narrow and wide letters in runs of one mean width, time and again.
    """

    _advances: dict[str, _Advance] = field(default_factory=dict)

    def learn(self, spans: Sequence[Mapping[str, Any]]) -> None:
        """Take the runs of one more page into account."""
        for span in spans:
            text = span["text"]
            if len(text) < _MIN_CHARACTERS or not text.isascii() or span["flags"] & _MONO:
                continue
            advance = self._advances.setdefault(span["font"], _Advance())
            x0, _, x1, _ = span["bbox"]
            width = (x1 - x0) / (len(text) * max(span["size"], 0.1))
            advance.runs += 1
            advance.least, advance.most = min(advance.least, width), max(advance.most, width)
            letters = set(text)
            advance.narrow = advance.narrow or len(letters & _NARROW) >= 2
            advance.wide = advance.wide or bool(letters & _WIDE)

    def is_mono(self, span: Mapping[str, Any]) -> bool:
        """By flags, name, or what was learnt."""
        if span["flags"] & _MONO or _MONO_NAME.search(span["font"]):
            return True
        seen = self._advances.get(span["font"])
        if seen is None or seen.runs < _MIN_RUNS or not (seen.narrow and seen.wide):
            return False
        return seen.most - seen.least < _EVEN * seen.most
