"""Detects the language of a text, and adds the stems of that language to its tokens.

Every text is indexed as English (``core.text.analysis``). A text in one of ``LANGUAGES`` is indexed by the stems of its
own language too, so that "Kündigung" finds "Kündigungen". The language is detected by its function words, which are a
third and more of prose and rare in tables and code.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import regex

from core.text.analysis import STOP_WORDS, analyse, fold, stem
from core.text.values.calendar_names import spell_out_periods

# The languages with both a Snowball stemmer and a list of function words.
LANGUAGES = (
    "arabic", "catalan", "czech", "danish", "dutch", "finnish", "french", "german", "greek", "hindi", "hungarian",
    "indonesian", "italian", "norwegian", "persian", "polish", "portuguese", "romanian", "russian", "spanish",
    "swedish", "turkish",
)  # fmt: skip
ENGLISH = "english"

_WORD = regex.compile(r"[^\W\d_]{2,}")
_LATIN, _OTHER_LETTER = regex.compile(r"\p{Latin}"), regex.compile(r"[\p{L}--\p{Latin}]", regex.V1)
_SAMPLE_WORDS = 3000  # words at the beginning of a text that are looked at
_LEAST_SHARE = 0.15  # of function words; below it the language is not detected
_LEAST_DISTINCT = 2  # one alone may be a content word of another language ("total" in Spanish), or a name
# Enough if other languages have far fewer: where endings take their place, as in Turkish, prose has few of them.
_LOWER_SHARE, _LOWER_DISTINCT, _MARGIN = 0.1, 6, 2


def language_of(text: str, among: Collection[str] = LANGUAGES) -> str:
    """The language of ``among`` and English with the most function words in the text.

    English in a tie, or where there are too few function words.

    >>> language_of("Der Vertrag kann mit einer Frist von drei Monaten gekündigt werden.")
    'german'
    >>> language_of("def total(rows): return sum(rows)")
    'english'
    """
    found, words = _function_words_of(text, among)
    best, second = sorted(found, key=lambda language: -len(found[language]))[:2] if among else (ENGLISH, ENGLISH)
    count, distinct = len(found[best]), len(set(found[best]))
    is_plain = count >= _LEAST_SHARE * words and distinct >= _LEAST_DISTINCT
    stands_out = count >= max(_LOWER_SHARE * words, _MARGIN * len(found[second])) and distinct >= _LOWER_DISTINCT
    return best if is_plain or stands_out else ENGLISH


def is_in_latin_letters(text: str) -> bool:
    """Whether at least half of a text's letters are Latin ones; True without letters.

    >>> is_in_latin_letters("Wann?"), is_in_latin_letters("Когда вышел TextWrap?"), is_in_latin_letters("何年?")
    (True, False, False)
    """
    latin = len(_LATIN.findall(text))
    return 2 * latin >= latin + len(_OTHER_LETTER.findall(text))


def function_word_share(text: str) -> float:
    """The share of function words of a text in the language that has most of them; 0 without words.

    >>> function_word_share("The end of it"), function_word_share("Wklv lv d flskhu")
    (0.75, 0.0)
    """
    found, words = _function_words_of(text, LANGUAGES)
    return max(map(len, found.values())) / words if words else 0.0


def _function_words_of(text: str, among: Collection[str]) -> tuple[dict[str, list[str]], int]:
    """The function words in the text by language, English first; and the number of words looked at."""
    words = [fold(word) for word in islice(_words(text), _SAMPLE_WORDS)]
    lists = {language: function_words(language) for language in (ENGLISH, *among)}
    return {language: [word for word in words if word in listed] for language, listed in lists.items()}, len(words)


def stems(text: str, language: str) -> list[str]:
    """The stems of a text's words in this language, without function words and stems that ``analyse`` gives anyway.

    ``language``: one of ``LANGUAGES``; [] for English.

    >>> stems("Kündigungen der Versicherungen", "german")
    ['kundig', 'versicher']
    >>> stems("terminations", "english")
    []
    """
    if language == ENGLISH:
        return []
    return [word_stem for word in _words(text) if (word_stem := _stem(word, language))]


def indexed_tokens(text: str, language: str) -> list[str]:
    """The tokens to index for a text in a language: those of ``analyse``, then its stems in that language.

    The stems come last, so that adjacent tokens stay adjacent.

    >>> indexed_tokens("Kündigungen prüfen", "german")
    ['kundigungen', 'prufen', 'kundig', 'pruf']
    """
    return analyse(text) + stems(text, language)


def question_tokens(question: str, languages: Sequence[str]) -> list[str]:
    """The distinct query tokens of a question to a library with documents in these languages and English.

    Function words of the question's own language are left out, because they would look rare, and so important, where
    few documents are in that language.

    >>> question_tokens("Was ist eine Kündigung?", ["german"])
    ['kundigung', 'kundig']
    >>> question_tokens("Kündigungen", ["german"])
    ['kundigungen', 'kundig']
    >>> question_tokens("Running tests", []), question_tokens("Q3 profit", [])
    (['run', 'test'], ['q3', 'profit', 'quarter', 'third'])
    """
    own_language = language_of(question, languages) if languages else ENGLISH
    if own_language != ENGLISH:
        stop_words = function_words(own_language)
        question = _WORD.sub(
            lambda word: " " if fold(word.group()) in stop_words else word.group(), _composed(question)
        )
    tokens = [*analyse(question), *analyse(spell_out_periods(question))]
    for language in languages:
        tokens += stems(question, language)
    return list(dict.fromkeys(tokens))


@lru_cache(maxsize=len(LANGUAGES) + 1)
def function_words(language: str) -> frozenset[str]:
    """The function words of a language, folded as tokens are (``analysis.fold``)."""
    if language == ENGLISH:
        return STOP_WORDS
    from stop_words import get_stop_words

    words = get_stop_words(language)
    if language == "turkish":  # its list was stored in the encoding of Turkish and read in that of Western Europe
        words = [word.encode("latin-1", "ignore").decode("iso8859-9") for word in words]
    return frozenset(map(fold, words))


@lru_cache(maxsize=200_000)
def _stem(word: str, language: str) -> str:
    """The stem of a word; "" for a function word, and where ``analyse`` gives the same token."""
    plain = fold(word)
    if plain in STOP_WORDS or plain in function_words(language):
        return ""
    # Stem before folding, because a stemmer needs the diacritics of its language.
    word_stem = fold(stem(word.casefold(), language))
    return "" if word_stem in analyse(word) else word_stem


def _words(text: str) -> Iterator[str]:
    """The words of a text, lazily line by line, as often only the beginning is needed."""
    for line in text.splitlines():
        yield from _WORD.findall(_composed(line))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
