"""Which words of a text a question shares, as the lexical search sees it: stems, without function words."""

from __future__ import annotations

import re
from functools import lru_cache

from core.text.analysis import analyse

_WORD = re.compile(r"[^\W_]+(?:(?:_+|::|[.,'’\-/])[^\W_]+)*")


def shared_words(text: str, question: str) -> list[tuple[int, int]]:
    """``[start, end)`` of every word of ``text`` that has a token of ``question``.

    >>> shared_words("Tokens expire; ask for a new token.", "When does a token expire?")
    [(0, 6), (7, 13), (29, 34)]
    """
    wanted = frozenset(analyse(question))
    return [match.span() for match in _WORD.finditer(text) if not wanted.isdisjoint(_tokens(match.group()))]


@lru_cache(maxsize=50_000)
def _tokens(word: str) -> tuple[str, ...]:
    return tuple(analyse(word))
