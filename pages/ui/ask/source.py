"""Where a text stands, as Ask's components are told it, the way from there to Chunks, and the words it shares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from core.text.analysis import analyse
from core.types import Citation, Hit, Passage
from pages.ui.shared.words import page_word, place_name

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


KindOf = Callable[[str], str]  # a version's kind: slides are not pages


def source_of(place: Hit | Passage | Citation, kind_of: KindOf) -> dict[str, Any]:
    """Where a text stands, in words and as a span."""
    return {
        "document": place.document,
        "file": place_name(place.source),
        "page": f"{page_word(kind_of(place.version_id))} {place.page}" if place.page else "",
        "version": place.version_id,
        "start": place.start,
        "end": place.end,
    }


def opened_at(target: Mapping[str, Any] | None) -> dict[str, str] | None:
    """The place a person asked a component to open in Chunks, as query parameters; ``None`` where none was."""
    return {"document": str(target["document"]), "span": str(target["span"])} if target else None
