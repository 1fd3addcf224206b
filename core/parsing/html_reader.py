"""HTML to pieces: what a browser shows, word for word, in reading order."""

from __future__ import annotations

from collections.abc import Mapping

from core.parsing.flow import Reading
from core.parsing.html_encoding import decoded
from core.parsing.html_source import parse_source
from core.parsing.html_tree import Source
from core.parsing.html_walk import pieces_of
from core.parsing.inline import hidden_note

_METADATA: Mapping[str, tuple[str, ...]] = {
    "author": ("author", "dc.creator", "dcterms.creator", "article:author", "citation_author", "byl"),
    "description": ("description", "og:description", "dc.description", "dcterms.description", "twitter:description"),
    "keywords": ("keywords", "dc.subject", "dcterms.subject", "news_keywords"),
    "created": ("dcterms.created", "dcterms.date", "dc.date", "date", "article:published_time", "citation_date"),
    "modified": ("dcterms.modified", "article:modified_time", "last-modified"),
    "publisher": ("dc.publisher", "dcterms.publisher", "og:site_name"),
}


def read(data: bytes, name: str) -> Reading:
    """A page, or a fragment of one, as pieces. Nothing it names is fetched, nothing in it runs.

    Raises ``ParseError`` for empty and for binary input.

    >>> [piece.words.text for piece in read(b"<title>T</title><h1>Ducks</h1>They <b>swim</b>.", "a.html").pieces]
    ['Ducks', 'They swim.']
    """
    source = parse_source(decoded(data, name))
    return Reading(
        pieces=pieces_of(source),
        title=source.title or source.metadata.get("og:title", ""),
        metadata=_metadata(source),
        notes=hidden_note(source.hidden_words),
    )


def _metadata(source: Source) -> dict[str, str]:
    found = {
        ours: next((source.metadata[name] for name in theirs if name in source.metadata), "")
        for ours, theirs in _METADATA.items()
    }
    found["language"] = source.language
    return {name: value for name, value in found.items() if value}
