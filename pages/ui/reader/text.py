"""A document's text as the reader's component takes it: what no cut changes, for the shelf, once.

JSON of plain numbers and strings: rows of numbers laid end to end, each distinct string once, offsets in code points.
``reader_model.js`` reads it back. Its key names what is in it: the same document has the same key and the same bytes,
whoever packed it, so nothing is sent or drawn twice.
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
    """The page boxes of a text as three lists in text order; empty without pages. Looked up for every leaf of a cut."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    pages: tuple[int, ...] = ()

    @staticmethod
    def of(document: Document) -> Runs:
        """The runs of a document's boxes."""
        rows = [(box.start, box.end, box.page) for box in document.boxes]
        return Runs(*zip(*rows, strict=True)) if rows else Runs()

    def pages_of(self, start: int, end: int) -> tuple[int, int]:
        """The first and last 1-based page a span stands on; (0, 0) where it stands on none.

        >>> runs = Runs((0, 3), (2, 5), (1, 2))
        >>> runs.pages_of(1, 4), runs.pages_of(2, 3), Runs().pages_of(0, 9)
        ((1, 2), (0, 0), (0, 0))
        """
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        found = self.pages[first:last]
        return (min(found), max(found)) if found else (0, 0)


@dataclass(frozen=True, slots=True)
class TextReading:
    """What no cut changes of a document. ``key``: its name. ``payload``: bytes for the shelf. ``runs``: its pages.

    ``links``: in the order in which the reader numbers them.
    """

    key: str
    payload: bytes
    runs: Runs
    links: tuple[Link, ...]


class Strings:
    """Strings, and lists of them, each once: titles, headings and reasons repeat in every chunk."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.lists: dict[tuple[str, ...], int] = {}

    def of(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))

    def listed(self, texts: tuple[str, ...]) -> int:
        """The place of a list of strings; its strings are numbered once, in ``packed``."""
        return self.lists.setdefault(texts, len(self.lists))

    def packed(self) -> dict[str, Any]:
        lists = [[self.of(text) for text in texts] for texts in self.lists]
        return {"lists": lists, "strings": list(self.places)}


def read_text(document: Document) -> TextReading:
    """A document's text and structure for the shelf."""
    strings, links = Strings(), _apart(document)
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
    """Without a blank between values."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def digest(text: str) -> str:
    """Names what a part holds."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _block(block: Block, strings: Strings) -> tuple[int, ...]:
    return block.start, block.end, strings.of(str(block.kind)), block.level, block.header.end if block.header else 0


def _apart(document: Document) -> list[Link]:
    """The links in order, those left out that begin inside the one before."""
    kept: list[Link] = []
    for link in sorted(document.links, key=lambda link: (link.start, link.end)):
        if link.end > link.start and (not kept or link.start >= kept[-1].end):
            kept.append(link)
    return kept


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
