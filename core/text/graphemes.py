"""Where a text may be cut without tearing what a reader sees as one character.

A compact rendering of the rules of Unicode Standard Annex 29 (grapheme cluster boundaries, rules GB3 to GB13) that
needs no tables beyond ``unicodedata``: marks, joiners, modifiers, flags and conjoining Hangul stay together.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_LINE_ENDS = frozenset("\r\n")


def _extends(character: str) -> bool:
    """Whether the character attaches to the one before it (GB9, GB9a)."""
    if character < "\u0300":
        return False
    return (
        character in {_JOINER, "\u200c"}
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or unicodedata.category(character)[0] == "M"
        or character in "\uff9e\uff9f"
    )


def _hangul(character: str) -> str:
    """The Hangul syllable type: "L", "V", "T", "LV" (with or without a final), or "" for anything else."""
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    if "\uac00" <= character <= "\ud7a3":
        return "LV" if (ord(character) - 0xAC00) % 28 == 0 else "LVT"
    return ""


_HANGUL_JOINS = {"L": ("L", "V", "LV", "LVT"), "LV": ("V", "T"), "V": ("V", "T"), "LVT": ("T",), "T": ("T",)}
_LOOKBACK = 128


def is_boundary(text: str, position: int) -> bool:
    """Whether a cut at ``position`` leaves every grapheme cluster whole; both ends of the text are boundaries.

    >>> [is_boundary("e\\u0301a", at) for at in range(4)]
    [True, False, True, True]
    >>> is_boundary("\\U0001f468\\u200d\\U0001f469", 2), is_boundary("\\U0001f1e9\\U0001f1ea\\U0001f1eb\\U0001f1f7", 2)
    (False, True)
    """
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if before in _LINE_ENDS or before.isspace():
        return not _extends(after) or before in _LINE_ENDS
    if _extends(after):
        return False
    if before == _JOINER:
        return after.isascii() or unicodedata.category(after) != "So"
    if "\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff":
        first = position - 1
        while first > max(0, position - _LOOKBACK) and "\U0001f1e6" <= text[first - 1] <= "\U0001f1ff":
            first -= 1
        return (position - first) % 2 == 0
    return _hangul(after) not in _HANGUL_JOINS.get(_hangul(before), ())


def boundary_before(text: str, position: int, low: int) -> int:
    """The last boundary in ``(low, position]``, or else the first after ``position``: a cluster is never torn.

    >>> boundary_before("ae\\u0301b", 2, 0), boundary_before("e\\u0301\\u0301b", 2, 0)
    (1, 3)
    """
    at = position
    while at > low and not is_boundary(text, at):
        at -= 1
    if at > low:
        return at
    at = position
    while not is_boundary(text, at):
        at += 1
    return at
