"""Where words that a person points with stand in a text."""

from __future__ import annotations

import re
from itertools import islice

from core.types import Span


def find_words(text: str, words: str, most: int) -> list[Span]:
    """The first ``most`` places of some words: in this order, in any case, with any blanks between them.

    Parts of words count, unlike in a quoted phrase of a question: whoever marks a passage may begin within a word.

    >>> find_words("An Access\\ntoken. No access  token.", " access tok", 9)
    [Span(start=3, end=13), Span(start=20, end=31)]
    >>> find_words("any", "  ", 9)
    []
    """
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return []
    pattern = re.compile(r"\s+".join(parts), re.IGNORECASE)
    return [Span(*match.span()) for match in islice(pattern.finditer(text), most)]
