"""Where a phrase stands in a text that may be written otherwise and reads the same: letters composed or not, ligatures,
hyphens, marks of emphasis and links between its words. And where words stand that a person only points with.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import regex

from core.text.tokens import is_boundary, is_unspaced
from core.types import Span

_LIGATURES = {"ﬃ": "ffi", "ﬄ": "ffl", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬅ": "st", "ﬆ": "st"}
_PARTED = str.maketrans({**_LIGATURES, "\u2010": "-", "\u2011": "-"})
_MAY_BE_LIGATURE = re.compile("f[fil]|st", re.IGNORECASE)
# A run of letters that ligatures may stand for, or one character as a reader sees it.
_UNIT = regex.compile(r"ff[il]|f[fil]|st|\X")
_ALIKE = {
    "ffi": "(?:ffi|ﬃ|ﬀi|fﬁ)", "ffl": "(?:ffl|ﬄ|ﬀl|fﬂ)", "ff": "(?:ff|ﬀ)", "fi": "(?:fi|ﬁ)", "fl": "(?:fl|ﬂ)",
    "st": "(?:st|ﬅ|ﬆ)", "-": "[-\u2010\u2011]", **dict.fromkeys("'‘’", "['‘’]"),
}  # fmt: skip
# Between two words: what closes emphasis, code or a link, the blanks, and what opens another.
_LINKED = r"\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,200}\])?"
_BETWEEN = rf"(?:[*_`~]|{_LINKED})*\s+[*_`~\[]*"
_EMPHASIS = 3  # underscores at most


def occurrences(text: str, words: str) -> Iterator[tuple[int, int]]:
    """``(start, end)`` of the words in a text, from the left, none inside another: whole words, in any case, with any
    blanks between them and what marks them as emphasis, code or a link.

    >>> list(occurrences("An access\\ntoken. Access tokens.", "Access  token")), list(occurrences("東京都", "東京"))
    ([(3, 15)], [(0, 2)])
    >>> text = "The **access** [token](/t) has e\\u0301lan: a ﬁne one."
    >>> [text[start:end] for words in ("access token has", "fine") for start, end in occurrences(text, words)]
    ['access** [token](/t) has', 'ﬁne']
    >>> list(occurrences(text, "élan"))
    [(31, 36)]
    """
    pattern = _pattern(words)
    if pattern is None:
        return
    folded = _folded(text)
    at = 0
    while (match := pattern.search(folded, at)) is not None:
        start, end = match.span()
        # Looked around here, not in the pattern: one that begins with plain letters is searched many times as fast.
        whole = is_boundary(text, start) and is_boundary(text, end)
        if not whole or _goes_on(folded, start, start - 1, -1) or _goes_on(folded, end - 1, end, 1):
            at = start + 1
            continue
        at = end
        yield start, end


def longest_letters(words: str) -> tuple[str, bool]:
    """The longest run of plain letters and digits that every text with the words has, "" for none; and whether a
    ligature (``U+FB00`` to ``U+FB06``) may stand for some of them there, as the Kelvin sign may for a k.

    >>> longest_letters("Öffnet die Tür"), longest_letters("fine day"), longest_letters("東京")
    (('ffnet', True), ('fine', True), ('', False))
    """
    longest = max(re.findall(r"[A-Za-z0-9]+", _composed(words)), key=len, default="")
    return longest, _MAY_BE_LIGATURE.search(longest) is not None


def find_words(text: str, words: str, most: int) -> list[Span]:
    """The first ``most`` places of some words: in this order, in any case, with any blanks between them.

    Parts of words count, unlike in a quoted phrase of a question: whoever marks a passage may begin within a word.

    >>> find_words("An Access\\ntoken. No access  token.", " access tok", 9)
    [Span(start=3, end=13), Span(start=20, end=31)]
    >>> find_words("any", "  ", 9)
    []
    """
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return []
    pattern = re.compile(r"\s+".join(parts), re.IGNORECASE)
    return [Span(*match.span()) for match in islice(pattern.finditer(text), most)]


@lru_cache(maxsize=64)
def _pattern(words: str) -> re.Pattern[str] | None:
    """Finds the words in a text that is folded, however its letters are written."""
    parts = _folded(_composed(words)).split()
    return re.compile(_BETWEEN.join("".join(map(_alike, _UNIT.findall(part))) for part in parts)) if parts else None


def _alike(unit: str) -> str:
    parted = unicodedata.normalize("NFD", unit)
    return _ALIKE.get(unit) or (re.escape(unit) if parted == unit else f"(?:{re.escape(unit)}|{re.escape(parted)})")


def _composed(words: str) -> str:
    return unicodedata.normalize("NFC", words).translate(_PARTED)


def _goes_on(text: str, inside: int, outside: int, step: int) -> bool:
    """Whether a word goes on over its edge: never in scripts that are written without spaces, nor over underscores that
    part it from nothing, as marks of emphasis do."""
    while inside and unicodedata.combining(text[inside]):
        inside -= 1
    while outside > 0 > step and unicodedata.combining(text[outside]):
        outside -= 1
    if not _is_bounded(text[inside]):
        return False
    for _ in range(_EMPHASIS):
        if 0 <= outside < len(text) and text[outside] == "_":
            outside += step
    return 0 <= outside < len(text) and _is_bounded(text[outside])


def _is_bounded(character: str) -> bool:
    """Whether words of the character's script have ends that show."""
    return (character.isalnum() or character == "_") and not is_unspaced(character)


def _folded(text: str) -> str:
    """The text in lower case, each character at its own place.

    >>> _folded("AİßÄ")
    'aİßä'
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(lower if len(lower := character.lower()) == 1 else character for character in text)
