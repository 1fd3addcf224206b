"""The reader of HTML: everything that a browser shows, as pieces in reading order."""

from __future__ import annotations

from collections.abc import Mapping

from core.parsing.flow import ParsedFile
from core.parsing.html.encoding import page_text
from core.parsing.html.looks import with_title
from core.parsing.html.official_journal import mark_headings
from core.parsing.html.source import parse_source
from core.parsing.html.tree import Source
from core.parsing.html.walk import pieces_of
from core.parsing.inline import hidden_note

_METADATA: Mapping[str, tuple[str, ...]] = {
    "author": ("author", "dc.creator", "dcterms.creator", "article:author", "citation_author", "byl"),
    "description": ("description", "og:description", "dc.description", "dcterms.description", "twitter:description"),
    "keywords": ("keywords", "dc.subject", "dcterms.subject", "news_keywords"),
    "created": ("dcterms.created", "dcterms.date", "dc.date", "date", "article:published_time", "citation_date"),
    "modified": ("dcterms.modified", "article:modified_time", "last-modified"),
    "publisher": ("dc.publisher", "dcterms.publisher", "og:site_name"),
}


def read(data: bytes, name: str) -> ParsedFile:
    """The pieces and metadata of a page, of the page in a web archive, or of a fragment. Nothing is fetched or run.

    Raises ``ParseError`` for empty and for binary input.

    >>> [piece.words.text for piece in read(b"<title>T</title><h1>Ducks</h1>They <b>swim</b>.", "a.html").pieces]
    ['Ducks', 'They swim.']
    """
    return parsed_page(parse_source(page_text(data, name)))


def parsed_page(source: Source) -> ParsedFile:
    """The pieces of a parsed page, with the metadata of its head."""
    mark_headings(source.body)
    title = source.title or source.metadata.get("og:title", "")
    return ParsedFile(
        pieces=with_title(pieces_of(source), title),
        title=title,
        metadata=_metadata(source),
        notes=hidden_note(source.hidden_words),
    )


def _metadata(source: Source) -> dict[str, str]:
    metadata = {
        ours: next((source.metadata[name] for name in theirs if name in source.metadata), "")
        for ours, theirs in _METADATA.items()
    }
    metadata["language"] = source.language
    return {name: value for name, value in metadata.items() if value}
