"""Detects headings by typography (bold, underlined, larger type) in documents that do not mark them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

from core.parsing.flow import Words

_MIN_SIZE_RATIO = 1.15  # to the body's size: from here on a line is a heading even if it is not bold
_MAX_BOLD_SHARE = 0.4  # of the letters; where more are bold, bold does not mark headings
_MAX_HEADING, _MAX_SENTENCE = 120, 60  # characters of a heading, and of one that ends like a sentence
_MAX_RUN = 5  # adjacent headings; more of them are a title page or an address
_MAX_LEVEL = 6
_MIN_OF_LEVEL = 3  # headings with the same look; fewer, as on a title page, do not make a level of their own
_NUMBER = re.compile(r"\d{1,2}((?:\.\d{1,2}){1,4})\.?\s")  # "1.2" and deeper; "1." and "A." are on the top level


class Look(NamedTuple):
    """The typography of text. ``size``: in points, 0 if unknown. ``bold``: bold or underlined."""

    size: float = 0.0
    bold: bool = False
    italic: bool = False


PLAIN_LOOK = Look()


def common_look(first: Look, second: Look) -> Look:
    """The look of a line of two runs: bold or italic only if both are."""
    return Look(first.size, first.bold and second.bold, first.italic and second.italic)


def levels_by_look(lines: Mapping[int, tuple[Words, Look]], blocks: int) -> dict[int, int]:
    """Heading levels, 1 to 6, of the lines that look like headings, by the lines' block indices.

    ``lines``: candidate lines by their index among the document's ``blocks`` blocks. A heading is short, has a block
    below it, and is bold or larger than most of the text. Levels are ordered by size, then bold above regular, capitals
    above lower case, upright above italic, and by the depth of the heading's number.

    >>> bold = Look(bold=True)
    >>> talk = (Words("They swim, and say little else of it."), PLAIN_LOOK)
    >>> levels_by_look({0: (Words("1. Ducks"), bold), 1: talk, 2: (Words("1.1 Feed"), bold), 3: talk}, 4)
    {0: 1, 2: 1}
    """
    letters: Counter[Look] = Counter()
    for words, look in lines.values():
        letters[look] += len(words.text)
    mostly_bold = sum(count for look, count in letters.items() if look.bold) > _MAX_BOLD_SHARE * letters.total()
    body_size = max(letters, key=lambda look: (not look.bold, letters[look]), default=PLAIN_LOOK).size
    indices = [
        index for index, (words, look) in lines.items() if _is_heading(words, look, body_size, mostly_bold=mostly_bold)
    ]
    while indices and indices[-1] == blocks - 1:  # nothing follows it
        blocks = indices.pop()
    for _, run in groupby(enumerate(indices[:]), key=lambda entry: entry[1] - entry[0]):  # runs of adjacent blocks
        adjacent = {index for _, index in run}
        if len(adjacent) > _MAX_RUN:
            indices = [index for index in indices if index not in adjacent]
    ranks = {index: _rank(*lines[index]) for index in indices}
    levels = sorted(rank for rank, count in Counter(ranks.values()).items() if count >= _MIN_OF_LEVEL)
    return {index: min(_MAX_LEVEL, 1 + bisect_left(levels, rank)) for index, rank in ranks.items()}


def _rank(words: Words, look: Look) -> tuple[float, bool, bool, bool, int]:
    """A sort key of headings: the highest comes first."""
    number = _NUMBER.match(words.text)
    return -look.size, not look.bold, not words.text.isupper(), look.italic, number[1].count(".") if number else 0


def _is_heading(words: Words, look: Look, body_size: float, *, mostly_bold: bool) -> bool:
    text = words.text.strip()
    in_brackets = text[0] + text[-1] in ("()", "[]")
    if in_brackets or len(text) > _MAX_HEADING or "\n" in text or text[-1] in ",;" or text[0].islower():
        return False
    letters = sum(map(str.isalpha, text))
    linked = sum(end - start for start, end, _ in words.links)
    if letters < 2 or letters < 0.4 * len(text.replace(" ", "")) or 2 * linked > len(text):
        return False
    is_larger = 0 < body_size * _MIN_SIZE_RATIO < look.size
    ends_like_sentence = text[-1] in ".!?" and len(text) > _MAX_SENTENCE
    return is_larger or (look.bold and not mostly_bold and not ends_like_sentence)
