"""The colours hold what they promise: words and marks can be seen, and marks told apart with any colour vision.

Contrast: WCAG 2.2, relative luminance. Colour blindness: Machado, Oliveira and Fernandes 2009, severity 1.0, in linear
RGB. Distance: Euclidean in OKLab (Ottosson 2020), times 100; about 2 is the least difference one sees side by side.
"""

from __future__ import annotations

import itertools
import re
import tomllib

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.pages.browsing import ROOT

Colours = dict[str, str]
Vector = NDArray[np.float64]

WORDS_ON = ("paper", "panel", "leaf-a", "leaf-b", "aside")
MARKS = ("leaf-a-edge", "leaf-b-edge", "match-edge", "gold", "lost", "edited", "accent")
VISIONS = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def palette(theme: str) -> Colours:
    """The tokens of ``palette.css`` in a theme, and the theme's own colours under the names they have there."""
    css = (ROOT / "pages/ui/shared/palette.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", css)
    colours = {name: (light if theme == "light" else dark) for name, light, dark in pairs}
    themes = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    of_theme = {"paper": "backgroundColor", "panel": "secondaryBackgroundColor", "ink": "textColor"}
    return colours | {name: themes[theme][key].lower() for name, key in of_theme.items()}


def linear(colour: str) -> Vector:
    """
    >>> linear("#ffffff").round(3).tolist()
    [1.0, 1.0, 1.0]
    """
    encoded = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """
    >>> round(contrast("#ffffff", "#000000"), 1)
    21.0
    """
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) + 0.05 for colour in (one, other))
    return high / low


def distance(one: str, other: str, vision: str) -> float:
    """
    >>> distance("#123456", "#123456", "normal")
    0.0
    """
    seen = [np.clip(np.array(VISIONS[vision]) @ linear(colour), 0, 1) for colour in (one, other)]
    first, second = (np.array(TO_LAB) @ np.cbrt(np.array(TO_LMS) @ colour) for colour in seen)
    return 100 * float(np.linalg.norm(first - second))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_can_be_read(theme: str) -> None:
    colours = palette(theme)
    pairs = [(word, ground) for word in ("ink", "quiet") for ground in WORDS_ON]
    pairs += [("ink", ground) for ground in ("match", "match-strong", "lost-soft", "chosen")]
    pairs += [(word, ground) for word in ("lost", "gold", "warn", "accent") for ground in ("paper", "panel")]
    faint = {pair: ratio for pair in pairs if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < 4.5}
    assert faint == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_can_be_seen(theme: str) -> None:
    colours = palette(theme)
    pairs = [(mark, ground) for mark in (*MARKS, "faint") for ground in ("paper", "panel")]
    pairs += [(mark, ground) for mark in MARKS for ground in ("leaf-a", "leaf-b")]
    faint = {pair: ratio for pair in pairs if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < 3}
    assert faint == {}


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_are_told_apart_with_any_colour_vision(theme: str, vision: str) -> None:
    colours = palette(theme)
    close = {
        pair: apart
        for pair in itertools.combinations(MARKS, 2)
        if (apart := distance(colours[pair[0]], colours[pair[1]], vision)) < 8
    }
    assert close == {}


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_washes_are_told_from_the_paper_and_matches_from_washes(theme: str, vision: str) -> None:
    colours = palette(theme)
    assert min(distance(colours[leaf], colours["paper"], vision) for leaf in ("leaf-a", "leaf-b")) > 3
    assert min(distance(colours["match"], colours[leaf], vision) for leaf in ("leaf-a", "leaf-b")) > 4
    assert distance(colours["leaf-a"], colours["leaf-b"], vision) > 2
