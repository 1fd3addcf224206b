"""The terms that a question names, and whether a text contains them.

Vectors confuse FM with AM and one year with the next, so the terms a question names are looked for literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import regex

from core.evidence import Passage
from core.text.analysis import analyse, fold
from core.text.languages import ENGLISH, indexed_tokens
from core.text.values.calendar_names import spell_out_periods
from core.text.values.numerals import in_words

_QUOTED = re.compile(r"`([^`\n]+)`|“([^”\n]+)”|\"([^\"\n]+)\"")
_IDENTIFIER = re.compile(r"(?<![\w.-])(?:--?[A-Za-z][\w-]*|\w+(?:_\w+)+|[A-Za-z_]\w*(?:\.\w+)+|\w*[a-z]\w*[A-Z]\w*)")
_CODE = regex.compile(r"(?<![\w.])\p{Lu}[\p{Lu}\d]*(?:[-/.][\p{Lu}\d]+)*\b|(?<![\w.])\d+(?:[.,]\d+)*(?:[a-z]{1,2})?\b")
_NAME = regex.compile(r"(?<=[\p{Ll},;:)’'] )\p{Lu}[\w’'-]+(?: \p{Lu}[\w’'-]+)*")
_PLAIN_CAPITALS = frozenset("I A OK".split())
_FISCAL_YEAR = frozenset(analyse("fiscal year"))  # a report names the year alone


def named_terms(question: str) -> tuple[str, ...]:
    """The terms that a question names literally: quoted text, identifiers, proper names, acronyms and numbers.

    As written and in order, each once. A capital counts neither in the first word nor in a question without lower case.
    In German, which writes all nouns with one, these are terms too.

    >>> named_terms("Who invented AM radio?"), named_terms("What was net revenue of Acme Corp in 2019?")
    (('AM',), ('Acme Corp', '2019'))
    >>> named_terms("Когда родился Лев Толстой?"), named_terms("Wie alt ist Österreich?")
    (('Лев Толстой',), ('Österreich',))
    >>> named_terms("What is the default of `max_lines` in textwrap.wrap?"), named_terms("How long is it?")
    (('max_lines', 'textwrap.wrap'), ())
    """
    all_capitals = not any(character.islower() for character in question)
    terms: dict[str, None] = {}
    rest = question
    for pattern in (_QUOTED, _IDENTIFIER, _NAME, _CODE):
        for match in pattern.finditer(rest):
            term = next((group for group in match.groups() if group), match[0]).strip(" .?!,;:")
            if term and term not in _PLAIN_CAPITALS and not (all_capitals and not any(map(str.isdigit, term))):
                terms.setdefault(term)
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)  # a match of one pattern is none of the next
    return tuple(sorted(terms, key=question.find))


def missing_terms(named: Iterable[str], texts: Iterable[str], language: str = ENGLISH) -> tuple[str, ...]:
    """Those of ``named`` that none of the texts contains (see ``says``), in their order.

    >>> missing_terms(("AM", "Edwin Armstrong", "1933"), ["I am told that Armstrong, Edwin's brother, had FM in 1933."])
    ('AM',)
    """
    texts = list(texts)
    return tuple(name for name in named if not any(says(text, name, language) for text in texts))


def passage_text(passage: Passage) -> str:
    """What a passage says with its title, file name and headings."""
    return " ".join([passage.document, passage.source, *passage.headings, passage.text])


def says(text: str, name: str, language: str = ENGLISH) -> bool:
    """Whether a text contains a named term as whole words; the words of a longer one may be in any order.

    Case matters only for acronyms of two letters and those that are stop words in lower case, so that "am" is not "AM"
    and "who" not "WHO". A number may be spelt out, a year abbreviated, an identifier reduced to its last part. In
    another ``language`` than English a word may be inflected.

    >>> says("fatalities_00_14", "2014"), says("fatalities_00_14", "2000"), says("in 2013-14", "2014")
    (True, True, True)
    >>> says("on 2026-09-14", "2014"), says("Page rank (PR)", "PageRank"), says("by ssh or tty", "SSH")
    (False, True, True)
    >>> says("in 2022", "FY2022"), says("the second quarter", "Q2"), says("Q2 of 2021", "FY22")
    (True, True, False)
    >>> says("die Verträge enden", "Vertrag", "german"), says("die Verträge enden", "Vertrag")
    (True, False)
    """
    if (in_full := spell_out_periods(name)) != name:
        return set(analyse(in_full)) - _FISCAL_YEAR <= set(analyse(spell_out_periods(text)))
    if name.isupper() and name.isalpha() and (len(name) < 3 or not analyse(name)):
        return re.search(rf"(?<![A-Za-z]){re.escape(name)}s?(?![A-Za-z])", text) is not None
    if name[0].isdigit():
        plain = name.replace(",", "")
        match = re.search(rf"(?<![\d.]){re.escape(plain)}(?!\d|\.\d)", text.replace(",", ""))
        if not match and re.fullmatch("(19|20)[0-9]{2}", plain):  # "2013-14", "'14", and columns such as total_00_14
            match = re.search(rf"(?:\d{{4}}[-–/]|['’_]){plain[2:]}(?![\w-]|\.\d)|_{plain[2:]}_", text)
        if match or not plain.isdigit():
            return match is not None
        return re.search(rf"\b{in_words(int(plain))}\b", text, re.IGNORECASE) is not None
    if re.search(r"[_.]|\A-", name):
        return name.rsplit(".", 1)[-1].strip("()") in text
    words = _folded_words(text)
    parts = _folded_words(re.sub("[-_]", " ", text))  # "06-1995-Eng-Law-CSD.pdf" contains "CSD"
    known = {*words, *parts, *(one + other for one, other in pairwise(words))}  # "Page rank" contains "PageRank"
    missing = [word for word in _folded_words(name) if word not in known]
    if not missing or language == ENGLISH:
        return not missing
    inflected = frozenset(indexed_tokens(text, language))
    return all(inflected.intersection(indexed_tokens(word, language)) for word in missing)


def _folded_words(text: str) -> list[str]:
    return [fold(word) for word in regex.findall(r"[\w’'-]+", re.sub(r"[’']s\b", "", text))]
