"""The language a text is written in, and its words' stems there, beside those that the analysis makes of all texts.

Every text is indexed as English is (``core.text.analysis``): identifiers, names and numbers are in no language. A text
in one of ``LANGUAGES`` is indexed by the stems of its own language as well, so that "Kündigungen" is found by
"Kündigung". Function words tell the language: they are a third and more of what people write, and of no table or code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from core.text.analysis import STOP_WORDS, analyse, fold, stem
from core.text.calendar_names import spell_out_periods

# Those for which there are both a Snowball stemmer and a list of function words that is in good order.
LANGUAGES = (
    "catalan", "czech", "danish", "dutch", "finnish", "french", "german", "hungarian", "indonesian", "italian",
    "norwegian", "polish", "portuguese", "romanian", "russian", "spanish", "swedish",
)  # fmt: skip
ENGLISH = "english"

_WORD = re.compile(r"[^\W\d_]{2,}")
_LOOKED_AT = 3000  # words of a text, from its beginning
_LEAST_SHARE = 0.15  # of function words among a text's words; below it nothing is told
_LEAST = 2  # function words: lists of them name some words that mean something elsewhere ("total" in Spanish)


def language_of(text: str, among: Collection[str] = LANGUAGES) -> str:
    """The language with the largest share of function words in the text, of ``among`` and English.

    English where it is as good as any other, or where too few words tell.

    >>> language_of("Der Vertrag kann mit einer Frist von drei Monaten gekündigt werden.")
    'german'
    >>> language_of("def total(rows): return sum(rows)")
    'english'
    """
    best, count, words = _most_function_words(text, among)
    return best if count >= max(_LEAST, _LEAST_SHARE * words) else ENGLISH


def function_word_share(text: str) -> float:
    """The share of function words among a text's words, in the language that has most of them there; 0 without words.

    >>> function_word_share("The end of it"), function_word_share("Wklv lv d flskhu")
    (0.75, 0.0)
    """
    _, count, words = _most_function_words(text, LANGUAGES)
    return count / words if words else 0.0


def _most_function_words(text: str, among: Collection[str]) -> tuple[str, int, int]:
    """The language with most function words in a text, of ``among`` and English; how many, and of how many words."""
    words = [fold(word) for word in islice(_words(text), _LOOKED_AT)]
    listed = {language: function_words(language) for language in (ENGLISH, *among)}
    counts = {language: sum(word in known for word in words) for language, known in listed.items()}
    best = max(counts, key=lambda language: counts[language])  # English stands first
    return best, counts[best], len(words)


def stems(text: str, language: str) -> list[str]:
    """Of each word its stem in this language, where the analysis makes another of it; function words have none.

    ``language``: one of ``LANGUAGES``, or English, of which there are none.

    >>> stems("Kündigungen der Versicherungen", "german")
    ['kundig', 'versicher']
    >>> stems("terminations", "english")
    []
    """
    if language == ENGLISH:
        return []
    return [found for word in _words(text) if (found := _stem(word, language))]


def indexed_tokens(text: str, language: str) -> list[str]:
    """What the lexical index holds of a text that is written in a language: its tokens, then its stems there.

    Behind and not between them: what the analysis finds side by side stays side by side.

    >>> indexed_tokens("Kündigungen prüfen", "german")
    ['kundigungen', 'prufen', 'kundig', 'pruf']
    """
    return analyse(text) + stems(text, language)


def question_tokens(question: str, languages: Sequence[str]) -> list[str]:
    """The tokens to look for, each once, in a library whose documents are written in these languages and English.

    Function words of the question's own language are left out: where few documents are written in it they would look
    rare, and so important.

    >>> question_tokens("Was ist eine Kündigung?", ["german"])
    ['kundigung', 'kundig']
    >>> question_tokens("Kündigungen", ["german"])
    ['kundigungen', 'kundig']
    >>> question_tokens("Running tests", []), question_tokens("Q3 profit", [])
    (['run', 'test'], ['q3', 'profit', 'quarter', 'third'])
    """
    own = language_of(question, languages) if languages else ENGLISH
    if own != ENGLISH:
        left_out = function_words(own)
        question = _WORD.sub(lambda word: " " if fold(word.group()) in left_out else word.group(), _composed(question))
    tokens = [*analyse(question), *analyse(spell_out_periods(question))]
    for language in languages:
        tokens += stems(question, language)
    return list(dict.fromkeys(tokens))


@lru_cache(maxsize=len(LANGUAGES) + 1)
def function_words(language: str) -> frozenset[str]:
    """The function words of a language, folded as tokens are."""
    if language == ENGLISH:
        return STOP_WORDS
    from stop_words import get_stop_words

    return frozenset(map(fold, get_stop_words(language)))


@lru_cache(maxsize=200_000)
def _stem(word: str, language: str) -> str:
    """The stem of a word; "" of a function word, and where the analysis makes the same of the word."""
    plain = fold(word)
    if plain in STOP_WORDS or plain in function_words(language):
        return ""
    # Stemmers know the letters of their language: what is folded first they take for other words.
    found = fold(stem(word.casefold(), language))
    return "" if found in analyse(word) else found


def _words(text: str) -> Iterator[str]:
    """Line by line: of a long text often only the beginning is asked for."""
    for line in text.splitlines():
        yield from _WORD.findall(_composed(line))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
