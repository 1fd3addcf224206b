"""Decides which pages are scans: pages whose text layer lacks the words that are printed on them.

``may_be_scan`` decides whether OCR reads a page at all; it only has to exclude pages that are certainly no scans.
``accounts_for`` then decides, from what OCR read, whether the text layer is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.parsing.pictures.looking import COVERED, MIN_INK
from core.text.languages import function_word_share

_MIN_OUTSIDE = 0.5  # share of the page's ink outside the lines of the text layer
_ENOUGH_LETTERS = 1500  # a page with more in words of a language has a text layer, whatever pictures are behind it
_FEW_LETTERS = 100  # fewer are a page number, a stamp or the name of a scanning program
_MIN_JUDGED = 50  # letters from which on words of a language can be told from a cipher
_MIN_FUNCTION_WORDS = 0.08  # share of function words; prose has five times as many
_UNKNOWN_SHARE = 0.3  # of undecodable letters
_MIN_MATCHED = 0.5  # share of the words OCR read that the text layer must have
_WORD = re.compile(r"[A-Za-z0-9\u00c0-\u052f]+|\w")  # single letters in scripts without blanks between words
_FOREIGN = re.compile(r"[^\W\d_A-Za-z\u00c0-\u052f]")  # letters of languages whose function words are not known
_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff]")


@dataclass(frozen=True, slots=True)
class PageSigns:
    """What is known of a page before OCR. ``layer``: the text of its text layer.

    ``covered``: share of the page under pictures. ``ink``: share of the page that differs from its paper's colour.
    ``outside``: share of that ink outside the text layer's lines. The latter are 0 where they were not measured.
    """

    layer: str
    covered: float = 0.0
    ink: float = 0.0
    outside: float = 0.0


def may_be_scan(signs: PageSigns) -> bool:
    """Whether OCR has to read the page.

    >>> may_be_scan(PageSigns("12", covered=1.0, ink=0.05, outside=0.99)), may_be_scan(PageSigns("", 1.0, 0.0, 0.0))
    (True, False)
    """
    if unreadable(signs.layer):
        return True
    if signs.ink < MIN_INK:
        return False
    if not _letters(signs.layer):
        return True
    if signs.covered < COVERED:
        return False
    return _is_cipher(signs.layer) or (signs.outside > _MIN_OUTSIDE and _letters(signs.layer) < _ENOUGH_LETTERS)


def says_nothing(layer: str) -> bool:
    """Whether a text layer is not the text of its page: it is empty, a page number, a stamp, or letters without words.

    >>> says_nothing("Scanned with CamScanner"), says_nothing("It is one of the words that there are. " * 9)
    (True, False)
    """
    return _letters(layer) < _FEW_LETTERS or unreadable(layer) or _is_cipher(layer)


def accounts_for(layer: str, read: Sequence[str]) -> bool:
    """Whether a text layer has most of the words that OCR read on its page, so that the layer is kept.

    >>> accounts_for("Scanned with CamScanner", ["Dear Ada, the pump is mended.", "Scanned with CamScanner"])
    False
    >>> accounts_for("Dear Ada, the pump is rnended.", ["Dear Ada,", "the pump is mended."])
    True
    """
    if unreadable(layer):
        return False
    layer_words, read_words = _count_words(layer), _count_words(" ".join(read))
    return (layer_words & read_words).total() >= _MIN_MATCHED * read_words.total()


def unreadable(layer: str) -> bool:
    """Whether many letters of a text layer are undecodable, because its fonts do not map them to characters.

    >>> unreadable("\\ufffd\\ufffd\\ufffd a"), unreadable("a b c")
    (True, False)
    """
    unknown = len(_UNKNOWN.findall(layer))
    return bool(unknown) and unknown >= _UNKNOWN_SHARE * len("".join(layer.split()))


def _is_cipher(layer: str) -> bool:
    """Whether a text layer has enough letters but hardly any function words, in scripts where these are known."""
    letters = _letters(layer)
    if letters < _MIN_JUDGED or 2 * len(_FOREIGN.findall(layer)) > letters:
        return False
    return function_word_share(layer) < _MIN_FUNCTION_WORDS


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _count_words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))
