"""What the fonts of a PDF tell about text: bold, italic, monospaced, symbols."""

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

_MIN_CHARACTERS = 4  # of a run whose advance is measured
_MIN_RUNS = 3  # measured before a font can be judged
_MAX_VARIATION = 0.02  # of a monospaced font's mean advance, relative to the largest
_STRETCHED_WORDS, _STRETCHED = 20, 0.04  # measured words, and their standard deviation relative to the mean


def is_bold(span: Mapping[str, Any]) -> bool:
    """Whether a span is bold by its flags or its font's name."""
    return bool(span["flags"] & _BOLD or _BOLD_NAME.search(span["font"]))


def is_italic(span: Mapping[str, Any]) -> bool:
    """Whether a span is italic by its flags."""
    return bool(span["flags"] & _ITALIC)


def base_name(font: str) -> str:
    """A font's name without the prefix of a subset.

    >>> base_name("ABCDEF+Times-Roman")
    'Times-Roman'
    """
    return font[7:] if len(font) > 7 and font[6] == "+" else font


def spelled(span: Mapping[str, Any]) -> str:
    """A span's text; letters in ZapfDingbats become the symbols they show.

    >>> spelled({"font": "ZapfDingbats", "text": "3"})
    '✓'
    """
    text = str(span["text"])
    return text.translate(_DINGBATS) if "Dingbats" in span["font"] else text


def ordered_text(characters: Sequence[Mapping[str, Any]]) -> str:
    """Characters as text, with Arabic lam-alef in its order.

    The library returns that ligature as alef, lam, of which the alef has no width.

    >>> ordered_text([{"c": "\u0627", "bbox": (5, 0, 5, 9)}, {"c": "\u0644", "bbox": (1, 0, 5, 9)}])
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
    """A font's smallest and largest mean advance over the runs so far, in em, and whether these had narrow and wide
    letters. ``words``: runs that are one word; ``total`` and ``squares``: sums over their advances.
    """

    runs: int = 0
    words: int = 0
    total: float = 0.0
    squares: float = 0.0
    minimum: float = float("inf")
    maximum: float = 0.0
    has_narrow: bool = False
    has_wide: bool = False

    @property
    def is_stretched(self) -> bool:
        """Whether words are stretched to different widths, as OCR does to fit any font onto the printed words."""
        mean = self.total / max(1, self.words)
        return self.words >= _STRETCHED_WORDS and self.squares / self.words - mean**2 > (_STRETCHED * mean) ** 2


@dataclass(slots=True)
class Typewriters:
    """Detects monospaced fonts, also those that tell it neither by name nor by flag, as fonts of listings often do.

    A font is monospaced if runs with narrow and with wide letters have the same mean advance.
    """

    _advances: dict[str, _Advance] = field(default_factory=dict)

    def learn(self, spans: Sequence[Mapping[str, Any]]) -> None:
        """Measure the runs of one more page."""
        for span in spans:
            text = span["text"]
            if len(text) < _MIN_CHARACTERS or not text.isascii():
                continue
            advance = self._advances.setdefault(span["font"], _Advance())
            x0, _, x1, _ = span["bbox"]
            width = (x1 - x0) / (len(text) * max(span["size"], 0.1))
            advance.runs += 1
            if " " not in text.strip():
                advance.words += 1
                advance.total += width
                advance.squares += width**2
            advance.minimum, advance.maximum = min(advance.minimum, width), max(advance.maximum, width)
            letters = set(text)
            advance.has_narrow = advance.has_narrow or len(letters & _NARROW) >= 2
            advance.has_wide = advance.has_wide or bool(letters & _WIDE)

    def is_mono(self, span: Mapping[str, Any]) -> bool:
        """Whether a span is monospaced by its flags, its font's name or the measured advances."""
        advance = self._advances.get(span["font"])
        if span["flags"] & _MONO or _MONO_NAME.search(span["font"]):
            return advance is None or not advance.is_stretched
        if advance is None or advance.runs < _MIN_RUNS or not (advance.has_narrow and advance.has_wide):
            return False
        return advance.maximum - advance.minimum < _MAX_VARIATION * advance.maximum
