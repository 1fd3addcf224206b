"""Lexical analysis: text to tokens, the same for all lexical indexes and for questions.

Tokens consist of letters and digits only, so no engine splits them further. A change of the tokens needs a new index
schema (``core.storage.catalogue.texts.generations``).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain
from threading import local
from typing import Any

import regex

# A word, or words joined as in identifiers, numbers and versions: user_name, std::vector, E-1042, 3.14.
_PLAIN_TERM = re.compile(r"[A-Za-z0-9]+(?:(?:_+|::|[.,'’\-/])[A-Za-z0-9]+)*")  # the faster one, for ASCII texts
_LETTERS = regex.compile(r"[^\W\d_]+")
# To ``regex`` the vowel signs of scripts such as Devanagari are parts of words, unlike to ``re``.
TERM = regex.compile(r"[^\W_]+(?:(?:_+|::|[.,'’\-/])[^\W_]+)*")
_JOINER = re.compile(r"_+|::|[.,'’\-/]")
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_VIRAMA = 9  # the combining class of marks that join consonants
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Scripts without spaces: runs are indexed as overlapping bigrams of characters, trigrams where these are letters.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+"
)

_UNSPACED_LETTERS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer

# Function words occur in most passages: they cost time and distort the length norm.
STOP_WORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but by "
    "can could did do does doing down during each few for from further had has have having he her here hers herself "
    "him himself his how i if in into is it its itself just may me might more most my myself no nor not of off on once "
    "only or other our ours ourselves out over own same shall she should so some such than that the their theirs them "
    "themselves then there these they this those through to too under until up upon very was we were what when where "
    "which while who whom whose why will with would you your yours yourself yourselves".split()
)


def analyse(text: str) -> list[str]:
    """The tokens of ``text`` in order: case-folded, identifiers split, stemmed as English, without function words.

    An identifier gives a token for the whole and one for each part, so both find it; so does a year with letters next
    to it. Stems of other languages are added by ``core.text.languages``.

    >>> analyse("How does getUserName handle the E-1042 errors?")
    ['getusernam', 'get', 'user', 'name', 'handl', 'e1042', '1042', 'error']
    >>> analyse("2,500 events, version 3.14")
    ['2500', 'event', 'version', '3p14']
    >>> analyse("東京都"), analyse("FY2022"), analyse("ภาษา")
    (['東京', '京都'], ['fy2022', '2022'], ['ภาษ', 'าษา'])
    """
    terms = _PLAIN_TERM.findall(text) if text.isascii() else TERM.findall(unicodedata.normalize("NFKC", text))
    return list(chain.from_iterable(map(_tokens_of, terms)))


@lru_cache(maxsize=200_000)
def _tokens_of(term: str) -> tuple[str, ...]:
    """The tokens of one term; cached, because a library repeats its words."""
    if _NUMBER.fullmatch(term):
        return (term.replace(",", ""),)
    tokens: list[str] = []
    for piece in re.split(r"[,/]", term):
        tokens.extend(_tokens_of_piece(piece))
    return tuple(tokens)


def _tokens_of_piece(piece: str) -> list[str]:
    """The tokens of a word or identifier: the joined form of an identifier, then its parts."""
    words = [word for word in _JOINER.split(piece) if word]
    parts = [part for word in words for part in _CAMEL_CASE.split(word)]
    if "'" in piece or "’" in piece:
        # "don't" is one word, "Ada's" is "Ada".
        parts = [re.sub(r"['’]s$", "", piece, flags=re.IGNORECASE)]
        parts = [re.sub(r"['’]", "", part) for part in parts]
    tokens: list[str] = []
    if len(parts) > 1 and _is_identifier(piece, parts):
        joined = re.sub(r"(?<=\d)\.(?=\d)", "p", piece)  # 2.10 and 21.0 must not become the same token
        tokens.append(stem(fold(re.sub(r"[\W_]+", "", joined))))
        if _JOINER.sub("", piece).isdigit():
            return tokens
    for part in parts:
        folded = fold(part)
        if not folded or folded in STOP_WORDS:
            continue
        if len(parts) > 1 and len(folded) == 1:
            continue  # single letters of an identifier are useless in search
        tokens.extend(_split_unspaced(folded))
        if len(folded) > 4 and (year := _YEAR.search(folded)):
            tokens.append(year.group())
    return tokens


def _is_identifier(piece: str, parts: list[str]) -> bool:
    """Whether the joined form is a name that people search for, unlike mother-in-law or end.Next."""
    if all(len(part) == 1 for part in parts):
        return True  # U.S.
    return "_" in piece or "::" in piece or any(character.isdigit() for character in piece) or not _JOINER.search(piece)


def fold(word: str) -> str:
    """The word without case and diacritics: letters, digits, and the vowel signs that some scripts write as marks.

    >>> fold("Übergrößen"), fold("किताबें")
    ('ubergrossen', 'किताबें')
    """
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in plain if character.isalnum() or _is_vowel_sign(character))


def _is_vowel_sign(character: str) -> bool:
    """Whether a mark is a vowel sign or joins consonants. Accents, tones and points have other combining classes."""
    return (
        unicodedata.combining(character) in (0, _VIRAMA)
        and unicodedata.category(character) in ("Mn", "Mc")
        and not "\ufe00" <= character <= "\ufe0f"  # how the sign before it looks
    )


def _split_unspaced(word: str) -> list[str]:
    """The stem of a word; runs of scripts without spaces as overlapping pieces."""
    run = _UNSPACED.search(word)
    if run is None:
        return [stem(word)]
    tokens = _split_unspaced(word[: run.start()]) if run.start() else []
    characters = run.group()
    size = 3 if _UNSPACED_LETTERS.match(characters) else 2
    pieces = [characters[i : i + size] for i in range(len(characters) - size + 1)] or [characters]
    rest = word[run.end() :]
    return [*tokens, *pieces, *(_split_unspaced(rest) if rest else [])]


class _Stemmers(local):
    """Stemmers by language, separate for each thread, because a stemmer keeps the current word as state."""

    def __init__(self) -> None:
        self._by_language: dict[str, Any] = {}

    def of(self, language: str) -> Any:
        if language not in self._by_language:
            from Stemmer import Stemmer

            self._by_language[language] = Stemmer(language)
        return self._by_language[language]


_STEMMERS = _Stemmers()


def stem(word: str, language: str = "english") -> str:
    """The Snowball stem of a lower-case word of letters and marks; anything else is returned as it is.

    >>> stem("policies")
    'polici'
    """
    if not word.isalpha() and not _LETTERS.fullmatch(word):
        return word
    return str(_STEMMERS.of(language).stemWord(word))
