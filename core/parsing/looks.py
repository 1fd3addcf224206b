"""Headings of documents that state none, by how their lines are set: bold, underlined, larger than the rest."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

from core.parsing.flow import Words

_LARGER = 1.15  # times the body's size: what is set so is a heading without being bold
_MOSTLY = 0.4  # of the letters; where so many are bold, bold heads nothing
_LONGEST, _SENTENCE = 120, 60  # characters of a heading, and of one that ends as a sentence does
_LONGEST_RUN = 5  # headings one after the other; more are a title page or an address
_MAX_LEVEL = 6
_USUAL = 3  # headings that look alike; fewer, as on a title page, are no level of their own
_NUMBER = re.compile(r"\d{1,2}((?:\.\d{1,2}){1,4})\.?\s")  # of a part of a part; "1." and "A." stand on one level


class Look(NamedTuple):
    """How letters are set. ``size``: in points, 0 where the document does not say. ``bold``: or underlined."""

    size: float = 0.0
    bold: bool = False
    italic: bool = False


PLAIN_LOOK = Look()


def common_look(first: Look, second: Look) -> Look:
    """The look of two runs of one line."""
    return Look(first.size, first.bold and second.bold, first.italic and second.italic)


def levels_by_look(lines: Mapping[int, tuple[Words, Look]], blocks: int) -> dict[int, int]:
    """Level, 1-6, of the lines that look like headings, by their places.

    ``lines``: of the document, by their places among its ``blocks``, of which something follows a heading. It is short
    and bold, or larger than most letters; larger ones stand above smaller ones, capitals above small letters, upright
    above slanted ones, and parts above what their numbers say to be parts of them.

    >>> bold = Look(bold=True)
    >>> talk = (Words("They swim, and say little else of it."), PLAIN_LOOK)
    >>> levels_by_look({0: (Words("1. Ducks"), bold), 1: talk, 2: (Words("1.1 Feed"), bold), 3: talk}, 4)
    {0: 1, 2: 1}
    """
    letters: Counter[Look] = Counter()
    for words, look in lines.values():
        letters[look] += len(words.text)
    bold = sum(count for look, count in letters.items() if look.bold) > _MOSTLY * letters.total()
    body = max(letters, key=lambda look: (not look.bold, letters[look]), default=PLAIN_LOOK).size
    found = [place for place, (words, look) in lines.items() if _heads(words, look, body, mostly_bold=bold)]
    while found and found[-1] == blocks - 1:
        blocks = found.pop()
    for _, run in groupby(enumerate(found[:]), key=lambda entry: entry[1] - entry[0]):  # those that follow each other
        places = [place for _, place in run]
        if len(places) > _LONGEST_RUN:
            found = [place for place in found if place not in places]
    ranks = {place: _rank(*lines[place]) for place in found}
    counts = Counter(ranks.values())
    usual = sorted(rank for rank, count in counts.items() if count >= _USUAL)
    return {place: min(_MAX_LEVEL, 1 + bisect_left(usual, rank)) for place, rank in ranks.items()}


def _rank(words: Words, look: Look) -> tuple[float, bool, bool, bool, int]:
    number = _NUMBER.match(words.text)
    return -look.size, not look.bold, not words.text.isupper(), look.italic, number[1].count(".") if number else 0


def _heads(words: Words, look: Look, body: float, *, mostly_bold: bool) -> bool:
    text = words.text.strip()
    aside = text[0] + text[-1] in ("()", "[]")
    if aside or len(text) > _LONGEST or "\n" in text or text[-1] in ",;" or text[0].islower():
        return False
    letters = sum(map(str.isalpha, text))
    linked = sum(end - start for start, end, _ in words.links)
    if letters < 2 or letters < 0.4 * len(text.replace(" ", "")) or 2 * linked > len(text):
        return False
    larger = 0 < body * _LARGER < look.size
    return larger or (look.bold and not mostly_bold and not (text[-1] in ".!?" and len(text) > _SENTENCE))
