"""A document's text and structure as data for the reader component: everything that no cut changes, sent once.

JSON of numbers and strings: rows of numbers are joined into one list, each distinct string is stored once, offsets are
code points. ``reader_model.js`` unpacks it. The key is a hash of the content: the same document has the same key and
the same bytes in every process, so nothing is sent or drawn twice.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from core.types import Block, Document, Link, WordAudit
from pages.ui.shared import words


@dataclass(frozen=True, slots=True)
class Runs:
    """The page boxes of a text as three parallel tuples in text order, to look up pages of spans quickly."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    pages: tuple[int, ...] = ()

    @staticmethod
    def of(document: Document) -> Runs:
        """The runs of a document's boxes; empty without pages."""
        rows = [(box.start, box.end, box.page) for box in document.boxes]
        return Runs(*zip(*rows, strict=True)) if rows else Runs()

    def pages_of(self, start: int, end: int) -> tuple[int, int]:
        """The first and last page (1-based) that has text of a span; (0, 0) if none has.

        >>> runs = Runs((0, 3), (2, 5), (1, 2))
        >>> runs.pages_of(1, 4), runs.pages_of(2, 3), Runs().pages_of(0, 9)
        ((1, 2), (0, 0), (0, 0))
        """
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        pages = self.pages[first:last]
        return (min(pages), max(pages)) if pages else (0, 0)


@dataclass(frozen=True, slots=True)
class TextReading:
    """A packed document. ``key``: a hash of its content. ``payload``: bytes for the shelf component.

    ``runs``: its page boxes. ``links``: in the order in which the reader numbers them.
    """

    key: str
    payload: bytes
    runs: Runs
    links: tuple[Link, ...]


class Strings:
    """Stores each distinct string, and each distinct list of strings, once; rows refer to them by index."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.lists: dict[tuple[str, ...], int] = {}

    def of(self, text: str) -> int:
        """The index of a string."""
        return self.places.setdefault(text, len(self.places))

    def listed(self, texts: tuple[str, ...]) -> int:
        """The index of a list of strings."""
        return self.lists.setdefault(texts, len(self.lists))

    def packed(self) -> dict[str, Any]:
        """``strings``, and ``lists`` of indices into them. Call it last: lists get their strings' indices here."""
        lists = [[self.of(text) for text in texts] for texts in self.lists]
        return {"lists": lists, "strings": list(self.places)}


def read_text(document: Document) -> TextReading:
    """Pack a document's text and structure for the shelf component."""
    strings, links = Strings(), _disjoint_links(document)
    data = {
        "version": document.version_id,
        "kind": document.kind,
        "pageWord": words.page_word(document.kind),
        "text": document.text,
        "blocks": [value for block in document.blocks for value in _block(block, strings)],
        "links": [value for link in links for value in (link.start, link.end, strings.of(link.target))],
        "words": _second_reading(document.words),
        "notes": list(document.notes),
        "metadata": [[name, value] for name, value in document.metadata.items()],
        **strings.packed(),
    }
    body = as_json(data)
    key = f"{document.version_id}.{digest(body)}"
    return TextReading(key, f"{key}\n{body}".encode(), Runs.of(document), tuple(links))


def as_json(data: dict[str, Any]) -> str:
    """JSON without blanks between values."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def digest(text: str) -> str:
    """A hash of a text, as 16 hexadecimal digits."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _block(block: Block, strings: Strings) -> tuple[int, ...]:
    return block.start, block.end, strings.of(str(block.kind)), block.level, block.header.end if block.header else 0


def _disjoint_links(document: Document) -> list[Link]:
    """The document's links in text order, without empty ones and without those that overlap the previous link."""
    links: list[Link] = []
    for link in sorted(document.links, key=lambda link: (link.start, link.end)):
        if link.end > link.start and (not links or link.start >= links[-1].end):
            links.append(link)
    return links


def _second_reading(audit: WordAudit | None) -> dict[str, Any] | None:
    if audit is None:
        return None
    return {
        "reader": audit.reader,
        "words": audit.words,
        "inText": audit.in_text,
        "inMetadata": audit.in_metadata,
        "dropped": [list(item) for item in audit.dropped],
        "missing": audit.missing,
        "examples": list(audit.examples),
    }
