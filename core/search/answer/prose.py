"""Whether a text is prose, in any script."""

from __future__ import annotations

import re
import unicodedata

from core.text.sentences import is_ended
from core.text.tokens import is_unspaced, is_wide

# Before the first word: a bullet or number of a list, or the sign of a quotation, a comment or a heading.
_MARKER = re.compile(r"\A(?:[-*+•–>#%;]+|/{2,}|/?\*+|\"{3}|'{3}|\(?\d{1,3}[.)]|[a-z][.)])\s+|\A(?:\"{3}|'{3})")
# Parts of a sentence that are not words: code between backticks, addresses, links.
_INLINE_MARKUP = re.compile(r"`+[^`\n]+`+|https?://\S+|\[([^\]\n]*)\]\([^)\s]*\)|<[^<>\s]+@[^<>\s]+>")
_DATA = re.compile(
    r"[\"'][\w .$@/-]{1,60}[\"']\s*:"  # "name": of JSON
    r"|\A[\[{(]*[\"']?[\w.-]+[\"']?\s*(?::\s*[\[{]|=\s*[\[{\"'])"  # name: {, name = "
    r"|</?[A-Za-z][^>]*>"
)
# A table row with pipes or tabs between the columns.
_ROW = re.compile(r"\A\s*\||\s\|\s.*\s\|\s|\t.*\t")
# The line that opens an admonition or a tab.
_OPENING = re.compile(r"\A(?:!!!|\?\?\?\+?|===[+!]?|:::+)[^\n]*\Z")
_WORD = re.compile(r"[\"'“‘„‚«(\[*_¿¡]*[^\W\d_]+(?:['’.-][^\W\d_]+)*[\"'”’“‘»)\]*_.,;:!?…]*")
_NUMBER = re.compile(r"[\"'“(\[*_±+−-]?[€$£]?\d[\d.,:/–-]*[%‰°\"'”)\]*_.,;:!?]*")
_CAMEL = re.compile(r"[a-z][A-Z]")
_FEWEST_WORDS, _FEWEST_WORDS_IN_CODE = 2, 4
# Letters counted as one word in scripts without spaces: Han and kana, and others.
_WIDE_LETTERS_PER_WORD, _LETTERS_PER_WORD = 2, 4
# Characters of scripts without spaces or with combining marks; soft hyphens and joiners.
_NEEDS_NORMALISING = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0559-\u1cff\u200b-\u200f\u2060\u2e80-\ua4cf\ua66f-\uabff\uf900-\U0010ffff]"
)
# Punctuation of scripts that put no space beside it; other punctuation is matched with the words.
_UNSPACED_PUNCTUATION = re.compile(
    "[\u055d\u055e\u0589\u05be\u05c3\u05f3\u05f4\u060c\u061b\u061f\u06d4\u0964\u0965\u0f0b-\u0f12\u1361-\u1368"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)


def is_prose(text: str, *, in_code: bool = False) -> bool:
    """Whether a text consists mainly of words and not of symbols or data. Pure.

    ``in_code``: for a line of a listing; it must also start with a capital and end with a full stop, as a comment does.

    >>> [is_prose(text) for text in ("- Valid for `3600` seconds", '"expires_in": 3600,', "| Scope | Allows |")]
    [True, False, False]
    >>> is_prose('??? example "In the file of settings"')
    False
    >>> [is_prose(text, in_code=True) for text in ("# Keys are rotated every month.", "for name in names of all")]
    [True, False]
    >>> [is_prose(text) for text in ("受付は九時に開きます。", "कार्यालय सुबह खुलता है।", "東京")]
    [True, True, False]
    """
    line = " ".join(text.split())
    if _ROW.search(text) or _OPENING.match(text) or line.startswith(("```", "~~~")):
        return False
    while (marker := _MARKER.match(line)) is not None:
        line = line[marker.end() :]
    plain = _INLINE_MARKUP.sub(lambda found: found[1] or "x", line)
    if _DATA.search(plain):
        return False
    tokens = _separate_words(plain).split()
    words = sum(_is_word(token) for token in tokens)
    others = len(tokens) - words - sum(_NUMBER.fullmatch(token) is not None for token in tokens)
    if words < (_FEWEST_WORDS_IN_CODE if in_code else _FEWEST_WORDS) or 2 * others > words:
        return False
    return not in_code or (_is_capital(line.lstrip("\"'“‘(*_「『")[:1]) and is_ended(line))


def _is_word(token: str) -> bool:
    return _WORD.fullmatch(token) is not None and not _CAMEL.search(token)


def _is_capital(character: str) -> bool:
    """Whether a character may begin a sentence: a capital, or a letter of a script without case."""
    return character.isalpha() and not character.islower()


def _separate_words(text: str) -> str:
    """The text with blanks between its words, for counting them: composed and without combining marks; in scripts
    without spaces a fixed number of letters counts as a word.

    >>> _separate_words("東京の天気は3日間、雨。"), _separate_words("o\\u0308ffnet हिन्दी।")
    ('東京 の天 気は 3 日間 雨 ', 'öffnet हनद ')
    """
    composed = unicodedata.normalize("NFC", text)
    if not _NEEDS_NORMALISING.search(composed):
        return composed
    found: list[str] = []
    run = 0  # letters without spaces so far
    last = ""
    for character in _UNSPACED_PUNCTUATION.sub(" ", composed):
        if unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf"}:
            continue
        unspaced = is_unspaced(character)
        if unspaced and character.isalpha():
            if last.isalnum() and run % (_WIDE_LETTERS_PER_WORD if is_wide(character) else _LETTERS_PER_WORD) == 0:
                found.append(" ")
            run += 1
        else:
            if run and character.isalnum():
                found.append(" ")
            run = 0
            character = " " if unspaced and not character.isdigit() else character
        found.append(character)
        last = character
    return "".join(found)
