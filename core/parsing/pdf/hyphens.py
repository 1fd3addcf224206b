"""Words that a line's end breaks, whole again: which hyphens belong to the word, and which to the line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_WORD_BREAK = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_HYPHENATED = re.compile(r"[^\W\d_]+[-\u2010][^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_SELF = {"self", "well"}  # hardly ever written in one, and no syllable of other words ...
_ONE_WORD = {"ish", "less", "same", "ness", "being"}  # ... but for these
_CLOSED = {"over", "under", "inter", "super", "some", "every", "where", "there", "fore", "what", "with", "counter"}
_MIN_PART = 4  # letters of each part of a compound that nothing else shows


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a document writes its words elsewhere: ``hyphenated`` compounds, all ``words``, in lower case.

    ``hangul_parted``: Korean lines tell by a blank at their end whether a word ends there.
    """

    hyphenated: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    hangul_parted: bool = False


def spelling_of(lines: Iterable[tuple[str, bool]]) -> Spelling:
    """``lines``: their text, and whether a blank stood at the end.

    >>> spelling = spelling_of([("a well-known river", False)])
    >>> spelling.hyphenated, "river" in spelling.words
    (frozenset({'well-known'}), True)
    """
    hyphenated: set[str] = set()
    words: set[str] = set()
    hangul = parted = 0
    for text, blank in lines:
        folded = text.casefold()
        whole = folded[:-1].rpartition(" ")[0] if folded[-1:] in "-\u2010\u00ad" else folded
        words.update(_WORD.findall(whole))
        if "-" in whole or "\u2010" in whole:
            hyphenated.update(word.replace("\u2010", "-") for word in _HYPHENATED.findall(whole))
        if _HANGUL.match(text[-1:]):
            hangul += 1
            parted += blank
    return Spelling(frozenset(hyphenated), frozenset(words), hangul >= 5 and 0.1 < parted / hangul < 0.9)


def joint(text: str, following: str | None, spelling: Spelling, *, parted: bool = False) -> tuple[str, str]:
    """A line's text and what stands between it and the next line. ``parted``: a blank stood at the line's end.

    >>> spelling = spelling_of([("a well-known river that is known well", False)])
    >>> joint("a hyphen-", "ated word", spelling), joint("a well-", "known word", spelling)
    (('a hyphen', ''), ('a well-', ''))
    """
    if following is None:
        return text.removesuffix("\u00ad").rstrip(), ""
    if text.endswith("\u00ad"):
        return text[:-1], ""
    broken, follows = _WORD_BREAK.search(text), _WORD.match(following)
    if broken and follows:
        if following[0].islower() and not keeps_hyphen(broken[1].casefold(), follows[0].casefold(), spelling):
            return text[:-1], ""
        return text, ""
    if _is_ideograph(text[-1]) and _is_ideograph(following[0]):
        return text, ""
    if spelling.hangul_parted and not parted and _HANGUL.match(text[-1]) and _HANGUL.match(following[0]):
        return text, ""
    return text, " "


def ends_broken(text: str) -> bool:
    """Whether a line ends inside a word."""
    return bool(_WORD_BREAK.search(text))


def keeps_hyphen(first: str, second: str, spelling: Spelling) -> bool:
    """Whether ``first-second``, broken at its hyphen, is a compound: what the document writes elsewhere decides.

    >>> keeps_hyphen("self", "publishing", Spelling()), keeps_hyphen("infor", "mation", Spelling())
    (True, False)
    """
    if first + second in spelling.words:
        return False
    if f"{first}-{second}" in spelling.hyphenated:
        return True
    if first in _SELF:
        return second not in _ONE_WORD
    known = {first, second} <= spelling.words
    return known and min(len(first), len(second)) >= _MIN_PART and first not in _CLOSED


def _is_ideograph(char: str) -> bool:
    """Whether ``char`` belongs to a script written without blanks between words (Han, kana, their punctuation)."""
    return "\u3000" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uff00" <= char <= "\uff60"
