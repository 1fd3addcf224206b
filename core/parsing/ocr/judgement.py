"""Which pages are scans: pictures whose words the text layer does not hold. OCR has the last word on it.

What looks at a page before (``may_be_scan``) only has to be right about pages that are surely none, so that OCR is not
run in vain; whether a layer stays is then decided by what OCR read (``accounts_for``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.parsing.pictures.looking import COVERED, LEAST_INK
from core.text.languages import function_word_share

_BESIDE = 0.5  # of the page's ink, outside the lines of the text layer
_ENOUGH_LETTERS = 1500  # of words in some language: such a page is read, whatever lies behind them
_FEW_LETTERS = 100  # a page number, a stamp, the name of a scanning program
_TOLD_LETTERS = 50  # from so many on the words of a language can be told from a cipher
_LEAST_SHARE = 0.08  # of function words; prose has five times as many
_UNKNOWN_SHARE = 0.3  # of letters that no reader can tell
_KNOWN_AGAIN = 0.5  # of the words OCR read
_WORD = re.compile(r"[A-Za-z0-9\u00c0-\u052f]+|\w")  # letters one by one where words are not parted by blanks
_FOREIGN = re.compile(r"[^\W\d_A-Za-z\u00c0-\u052f]")  # to the languages whose function words are known
_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff]")


@dataclass(frozen=True, slots=True)
class PageSigns:
    """What a page shows before OCR looks at it. ``layer``: the text of its text layer.

    ``covered``: share of the page under pictures. ``ink``: share of it that is not of its paper's colour; ``beside``:
    share of that ink outside the layer's lines. Both are 0 where nobody looked, for the layer told enough.
    """

    layer: str
    covered: float = 0.0
    ink: float = 0.0
    beside: float = 0.0


def may_be_scan(signs: PageSigns) -> bool:
    """Whether OCR has to look at the page.

    >>> may_be_scan(PageSigns("12", covered=1.0, ink=0.05, beside=0.99)), may_be_scan(PageSigns("", 1.0, 0.0, 0.0))
    (True, False)
    """
    if unreadable(signs.layer):
        return True
    if signs.ink < LEAST_INK:
        return False
    if not _letters(signs.layer):
        return True
    if signs.covered < COVERED:
        return False
    return _is_cipher(signs.layer) or (signs.beside > _BESIDE and _letters(signs.layer) < _ENOUGH_LETTERS)


def says_nothing(layer: str) -> bool:
    """Whether a text layer is no reading of its page: nothing, a page number, a stamp, or letters without words.

    >>> says_nothing("Scanned with CamScanner"), says_nothing("It is one of the words that there are. " * 9)
    (True, False)
    """
    return _letters(layer) < _FEW_LETTERS or unreadable(layer) or _is_cipher(layer)


def accounts_for(layer: str, read: Sequence[str]) -> bool:
    """Whether a text layer holds most of the words that OCR read on its page, and so may stay.

    >>> accounts_for("Scanned with CamScanner", ["Dear Ada, the pump is mended.", "Scanned with CamScanner"])
    False
    >>> accounts_for("Dear Ada, the pump is rnended.", ["Dear Ada,", "the pump is mended."])
    True
    """
    if unreadable(layer):
        return False
    there, seen = _counted(layer), _counted(" ".join(read))
    return sum((there & seen).values()) >= _KNOWN_AGAIN * sum(seen.values())


def unreadable(layer: str) -> bool:
    """Whether many letters of a text layer cannot be told: its fonts do not say which they are.

    >>> unreadable("\\ufffd\\ufffd\\ufffd a"), unreadable("a b c")
    (True, False)
    """
    unknown = len(_UNKNOWN.findall(layer))
    return bool(unknown) and unknown >= _UNKNOWN_SHARE * len("".join(layer.split()))


def _is_cipher(layer: str) -> bool:
    """Whether a text layer has letters enough, and no words of a language whose function words are known."""
    letters = _letters(layer)
    if letters < _TOLD_LETTERS or 2 * len(_FOREIGN.findall(layer)) > letters:
        return False
    return function_word_share(layer) < _LEAST_SHARE


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _counted(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))
