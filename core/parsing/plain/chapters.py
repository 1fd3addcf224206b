"""Finds headings of plain text by their words ("Chapter 4", "ARTICLE II. Of Ducks"), or by capitals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

# Names of the parts of books and laws, the larger ones first; those on one line have the same rank.
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
_ORDINAL = r"(?:the )?(?:first|second|third|\w+th|last)"
_NUMBER = (
    rf"(?:[ivxlcdm]+|\d{{1,4}}(?:\.\d{{1,3}})*[a-z]?|(?-i:[A-Z])|{_ORDINAL}|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|\w+teen|(?:twenty|thirty|forty)(?:[- ]\w+)?)"
)
_NAMED = re.compile(
    rf"(?P<part>{'|'.join(_RANKS)})\s+{_NUMBER}(?:\s*[.:\])—–-]+)?(?P<of>\s+(?-i:[^a-zß-öø-ÿа-яё\s]).*)?\Z",
    re.IGNORECASE,
)
_ORDERED = re.compile(rf"{_ORDINAL}\s+(?P<part>{'|'.join(_RANKS)})[.:—–-]*(?P<of>)\Z", re.IGNORECASE)  # "THE FIRST ACT"
LEADER = re.compile(r"\.{4}|(?:\. ){4}")  # dots to a page's number: a line of a table of contents
_MAX_HEADING = 100  # characters
_MAX_NAME = 8  # words of a name that ends with a full stop
_MAX_CAPITALS = 0.25  # share of the groups; with more, capitals do not mark headings
_MIN_HEADINGS = 2


def headings_by_words(groups: Sequence[Sequence[str]]) -> dict[int, int]:
    """Levels, from 1, of the groups whose first line is a heading, by index.

    ``groups``: lines between blank ones. At least two headings must name parts; their levels follow the ranks of the
    parts that occur. Without such headings, at least three lines in capitals are headings.

    >>> headings_by_words([["PART I"], ["Chapter 1", "Feed"], ["They eat."], ["PART II"], ["Chapter 2"], ["So."]])
    {0: 1, 1: 2, 3: 1, 4: 2}
    """
    named: dict[int, int] = {}
    capitals: list[int] = []
    for place, lines in enumerate(groups):
        words = lines[0].strip()
        if len(words) > _MAX_HEADING or LEADER.search(words):
            continue
        if (found := _NAMED.match(words) or _ORDERED.match(words)) and words[0].isupper():
            of = (found["of"] or "").split()
            if not of or (len(lines) == 1 and not (len(of) > _MAX_NAME and of[-1][-1] in ".;,")):
                named[place] = _RANKS[found["part"].lower()]
        elif len(lines) == 1 and words.isupper() and words[0].isalnum() and len(words) > 3 and words[-1] not in ",;":
            is_cased = 2 * sum(map(str.isupper, words)) > sum(map(str.isalpha, words))  # some scripts have no capitals
            capitals += [place] * is_cased
    counts = Counter(named.values())
    ranks = sorted(rank for rank, count in counts.items() if count >= _MIN_HEADINGS)
    levels = {place: 1 + ranks.index(rank) for place, rank in named.items() if rank in ranks}
    if levels or not _MIN_HEADINGS < len(capitals) <= _MAX_CAPITALS * len(groups):
        return levels
    return dict.fromkeys(capitals, 1)
