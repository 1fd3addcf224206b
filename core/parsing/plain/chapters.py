"""Headings of plain text that say what they are: "Chapter 4", "ARTICLE II. Of Ducks", and lines all in capitals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

# What parts of books and laws are called, the larger ones first; those of one line stand beside each other.
_PARTS = (
    ("volume", "tome", "band"),
    ("book", "buch", "livre", "libro"),
    ("part", "teil", "partie", "parte", "часть", "частина"),
    ("title", "titel", "titre", "título", "titolo"),
    ("act", "akt", "acte", "aufzug"),
    ("chapter", "kapitel", "chapitre", "capítulo", "capitolo", "глава", "appendix", "annex", "schedule", "anhang"),
    ("subchapter", "division"),
    ("scene", "szene", "scène", "auftritt", "stave", "canto", "letter"),
    ("section", "abschnitt", "sección", "sezione", "раздел", "розділ"),
    ("article", "artikel", "artículo", "articolo", "amendment", "статья", "стаття"),
)
_RANKS = {name: rank for rank, names in enumerate(_PARTS) for name in names}
_NUMBER = (
    r"(?:[ivxlcdm]+|\d{1,4}(?:\.\d{1,3})*[a-z]?|(?-i:[A-Z])|the (?:first|last)|one|two|three|four|five|six|seven|eight|"
    r"nine|ten|eleven|twelve|\w+teen|(?:twenty|thirty|forty)(?:[- ]\w+)?|first|second|third|\w+th)"
)
_NAMED = re.compile(
    rf"({'|'.join(_RANKS)})\s+{_NUMBER}(?:\s*[.:\])—–-]+)?(?P<of>\s+(?-i:[^a-zß-öø-ÿа-яё\s]).*)?\Z", re.IGNORECASE
)
_LONGEST = 100  # characters of a heading
_SENTENCE = 8  # words of what ends with a full stop and may still be a name
_MOST_CAPITALS = 0.25  # of the groups; more are shouted
_FEWEST = 2


def headings_by_words(groups: Sequence[Sequence[str]]) -> dict[int, int]:
    """Level, from 1, of the groups whose first line is a heading, by their places.

    ``groups``: lines between blank ones. Parts must be named at least twice; larger ones stand above smaller ones, of
    those that the text has. Where it has none, lines in capitals are headings, three at least.

    >>> headings_by_words([["PART I"], ["Chapter 1", "Feed"], ["They eat."], ["PART II"], ["Chapter 2"], ["So."]])
    {0: 1, 1: 2, 3: 1, 4: 2}
    """
    named: dict[int, int] = {}
    capitals: list[int] = []
    for place, lines in enumerate(groups):
        words = lines[0].strip()
        if len(words) > _LONGEST:
            continue
        if (found := _NAMED.match(words)) and words[0].isupper():
            of = (found["of"] or "").split()
            if not of or (len(lines) == 1 and not (len(of) > _SENTENCE and of[-1][-1] in ".;,")):
                named[place] = _RANKS[found[1].lower()]
        elif len(lines) == 1 and words.isupper() and words[0].isalnum() and len(words) > 3 and words[-1] not in ",;":
            capitals.append(place)
    counts = Counter(named.values())
    ranks = sorted(rank for rank, count in counts.items() if count >= _FEWEST)
    levels = {place: 1 + ranks.index(rank) for place, rank in named.items() if rank in ranks}
    if levels or not _FEWEST < len(capitals) <= _MOST_CAPITALS * len(groups):
        return levels
    return dict.fromkeys(capitals, 1)
