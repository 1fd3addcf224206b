"""Where a text stands, as Ask's components are told it, the way from there to Chunks, and the words it shares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from core.evidence import Citation, Hit, Passage
from core.text.analysis import analyse
from pages.ui.reader.readings import DRAWN
from pages.ui.shared import address, services
from pages.ui.shared.words import page_word, place_name

_WORD = re.compile(r"[^\W_]+(?:(?:_+|::|[.,'’\-/])[^\W_]+)*")


_MARKUP = ("markdown", "notebook")  # kinds of documents whose text is Markdown


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


def source_of(place: Hit | Passage | Citation) -> dict[str, Any]:
    """Where a text stands, in words and as a span. ``markup``: its signs are drawn as what they mean."""
    kind = services.kind_of(place.version_id)
    return {
        "markup": kind in _MARKUP,
        "document": place.document,
        "file": place_name(place.source),
        "page": f"{page_word(kind)} {place.page}" if place.page else "",
        "version": place.version_id,
        "start": place.start,
        "end": place.end,
    }


def open_in_chunks(target: Mapping[str, Any] | None, *, cited: bool = False) -> None:
    """Go to the place that a person asked a component to open, where one was.

    ``cited``: of a PDF or a picture on its page, where the words are lit.
    """
    if target:
        document, span = str(target["document"]), str(target["span"])
        paged = cited and services.kind_of(document) in DRAWN
        address.go("pages/chunks.py", {"document": document, "span": span, **({"view": "page"} if paged else {})})
