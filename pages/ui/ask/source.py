"""Places in documents as data for Ask's components, links from there to Chunks, and words shared with a question."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from core.evidence import Citation, Hit, Passage
from core.text.analysis import TERM
from core.text.languages import ENGLISH, indexed_tokens, language_of, question_tokens
from pages.ui.reader.readings import DRAWN
from pages.ui.shared import address, services
from pages.ui.shared.words import page_word, place_name

_MARKUP = ("markdown", "notebook")  # kinds of documents whose text is Markdown


def shared_words(text: str, question: str) -> list[tuple[int, int]]:
    """The span (start, end) of every word of ``text`` that shares an analysed token with ``question``.

    >>> shared_words("Tokens expire; ask for a new token.", "When does a token expire?")
    [(0, 6), (7, 13), (29, 34)]
    >>> shared_words("Die Verträge enden.", "Wann endet der Vertrag mit der Stadt?")
    [(4, 12), (13, 18)]
    """
    language, tokens = _asked(question)
    return [match.span() for match in TERM.finditer(text) if not tokens.isdisjoint(_tokens(match.group(), language))]


@lru_cache(maxsize=64)
def _asked(question: str) -> tuple[str, frozenset[str]]:
    """The language and the tokens of a question; cached, because every passage and quote is compared with it."""
    language = language_of(question)
    return language, frozenset(question_tokens(question, [language] if language != ENGLISH else []))


@lru_cache(maxsize=50_000)
def _tokens(word: str, language: str) -> tuple[str, ...]:
    return tuple(indexed_tokens(word, language))


def source_of(place: Hit | Passage | Citation) -> dict[str, Any]:
    """The place of a text: document, file, page and span. "markup": the text is Markdown, and is drawn as such."""
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
    """Open the place that a component asks to open; ``None`` does nothing.

    ``cited``: for a PDF or a picture, show the page with the words highlighted.
    """
    if target:
        document, span = str(target["document"]), str(target["span"])
        paged = cited and services.kind_of(document) in DRAWN
        address.go("pages/chunks.py", {"document": document, "span": span, **({"view": "page"} if paged else {})})
