"""Finds a phrase in a text despite differences in spelling that readers do not see: composed letters, ligatures,
hyphens, and marks of emphasis or links between its words.
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
_WITHOUT_LIGATURES = str.maketrans({**_LIGATURES, "\u2010": "-", "\u2011": "-"})
_MAY_BE_LIGATURE = re.compile("f[fil]|st", re.IGNORECASE)
# Letters that a ligature may replace, or one grapheme.
_UNIT = regex.compile(r"ff[il]|f[fil]|st|\X")
_VARIANTS = {
    "ffi": "(?:ffi|ﬃ|ﬀi|fﬁ)", "ffl": "(?:ffl|ﬄ|ﬀl|fﬂ)", "ff": "(?:ff|ﬀ)", "fi": "(?:fi|ﬁ)", "fl": "(?:fl|ﬂ)",
    "st": "(?:st|ﬅ|ﬆ)", "-": "[-\u2010\u2011]", **dict.fromkeys("'‘’", "['‘’]"),
}  # fmt: skip
# Between two words: the end of emphasis, code or a link, blanks, and the beginning of another.
_LINK_END = r"\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,200}\])?"
_BETWEEN = rf"(?:[*_`~]|{_LINK_END})*\s+[*_`~\[]*"
_SIGN = rf"[*_`~\\\[]|{_LINK_END}|<[^<>\n]{{1,200}}>"  # markup that is not drawn, within a line
_SIGNS, _GAP = f"(?:{_SIGN}){{0,20}}", rf"(?:{_SIGN}|[\s#>|+•-]){{1,400}}"  # in a word, between two
_EMPHASIS = 3  # underscores at most


def occurrences(text: str, words: str) -> Iterator[tuple[int, int]]:
    """The ``(start, end)`` of all occurrences of some whole words, from the left, not overlapping.

    Case is ignored; blanks and marks of emphasis, code or links may be between the words.

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
        # Checked here and not in the pattern, because a pattern that begins with plain letters is much faster.
        graphemes_whole = is_boundary(text, start) and is_boundary(text, end)
        if (
            not graphemes_whole
            or _word_continues(folded, start, start - 1, -1)
            or _word_continues(folded, end - 1, end, 1)
        ):
            at = start + 1
            continue
        at = end
        yield start, end


def longest_letters(words: str) -> tuple[str, bool]:
    """The longest run of ASCII letters and digits that every text with these words must contain, "" for none.

    Also whether a ligature (``U+FB00`` to ``U+FB06``) may replace some of its letters in the text.

    >>> longest_letters("Öffnet die Tür"), longest_letters("fine day"), longest_letters("東京")
    (('ffnet', True), ('fine', True), ('', False))
    """
    longest = max(re.findall(r"[A-Za-z0-9]+", _composed(words)), key=len, default="")
    return longest, _MAY_BE_LIGATURE.search(longest) is not None


def find_words(text: str, words: str, most: int) -> list[Span]:
    """The first ``most`` occurrences of some words in this order, in any case, with any blanks and markup between them.

    So words that were copied as they are drawn are found, too. The first and last word may be parts of words, because a
    selected passage may begin or end inside a word.

    >>> find_words("An Access\\ntoken. No access  token.", " access tok", 9)
    [Span(start=3, end=13), Span(start=20, end=31)]
    >>> text = "- Use `--conflict rej`, [**as**](/a) told."
    >>> [text[found.start : found.end] for found in find_words(text, "• Use --conflict rej, as told", 9)]
    ['Use `--conflict rej`, [**as**](/a) told']
    >>> find_words("any", "  ", 9)
    []
    """
    parts = [
        _SIGNS.join(map(re.escape, re.findall(r"\w+|\W", part)))
        for part in words.split()
        if not re.fullmatch(_GAP, part)
    ]
    if not parts:
        return []
    pattern = re.compile(_GAP.join(parts), re.IGNORECASE)
    return [Span(*match.span()) for match in islice(pattern.finditer(text), most)]


@lru_cache(maxsize=64)
def _pattern(words: str) -> re.Pattern[str] | None:
    """The pattern of the words in a ``_folded`` text, with variants of their letters; ``None`` without words."""
    parts = _folded(_composed(words)).split()
    return (
        re.compile(_BETWEEN.join("".join(map(_variants_of, _UNIT.findall(part))) for part in parts)) if parts else None
    )


def _variants_of(unit: str) -> str:
    """The pattern of a unit in all its spellings."""
    if unit in _VARIANTS:
        return _VARIANTS[unit]
    decomposed = unicodedata.normalize("NFD", unit)
    return re.escape(unit) if decomposed == unit else f"(?:{re.escape(unit)}|{re.escape(decomposed)})"


def _composed(words: str) -> str:
    return unicodedata.normalize("NFC", words).translate(_WITHOUT_LIGATURES)


def _word_continues(text: str, inside: int, outside: int, step: int) -> bool:
    """Whether a word continues from its edge ``inside`` to ``outside``; ``step`` is -1 at its start, 1 at its end.

    Never in scripts without spaces. A few underscores are skipped, as they may be marks of emphasis.
    """
    while inside and unicodedata.combining(text[inside]):
        inside -= 1
    while outside > 0 > step and unicodedata.combining(text[outside]):
        outside -= 1
    if not _is_word_character(text[inside]):
        return False
    for _ in range(_EMPHASIS):
        if 0 <= outside < len(text) and text[outside] == "_":
            outside += step
    return 0 <= outside < len(text) and _is_word_character(text[outside])


def _is_word_character(character: str) -> bool:
    """Whether the character is part of a word in a script that separates words by spaces."""
    return (character.isalnum() or character == "_") and not is_unspaced(character)


def _folded(text: str) -> str:
    """The text in lower case with the same offsets: characters whose lower case is longer stay.

    >>> _folded("AİßÄ")
    'aİßä'
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(lower if len(lower := character.lower()) == 1 else character for character in text)
