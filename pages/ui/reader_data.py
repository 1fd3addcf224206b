"""A document as the reader's component takes it: plain numbers and strings, packed once for each cut of a version."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.chunking.auditing import UNEXPLAINED
from core.text.places import boxes_of
from core.types import Audit, Block, ChunkTree, Document, Link, Span, WordAudit
from pages.ui import words


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as the reader draws it. ``key``: names version and recipe. ``payload``: the bytes for the shelf.

    ``leaves``: the ids of the leaves in order. ``spans``: theirs. ``pages``: the first and last page of each, 1-based,
    (0, 0) without pages.
    """

    key: str
    payload: bytes
    leaves: tuple[str, ...]
    spans: tuple[Span, ...]
    pages: tuple[tuple[int, int], ...]

    def leaf_at(self, span: Span) -> str | None:
        """The leaf that shares most with a span; ``None`` when none does."""
        shared = [span.overlap(leaf) for leaf in self.spans]
        best = max(range(len(shared)), key=shared.__getitem__, default=-1)
        return self.leaves[best] if best >= 0 and shared[best] else None

    def page_of(self, leaf: str | None) -> int:
        """The page a leaf begins on; 0 when unknown."""
        return self.pages[self.leaves.index(leaf)][0] if leaf in self.leaves else 0


class _Interned:
    """Each distinct value once, and its place: titles and headings repeat in every chunk."""

    def __init__(self) -> None:
        self.places: dict[Any, int] = {}

    def of(self, value: Any) -> int:
        return self.places.setdefault(value, len(self.places))


def read(tree: ChunkTree, audit: Audit, encoder_limit: int, recipe: str, second: WordAudit | None = None) -> Reading:
    """A document as the component takes it.

    ``encoder_limit``: tokens the encoder reads, its special ones included. ``recipe``: told apart from another cut.
    ``second``: what a second reading of the file says.
    """
    pages = tuple(pages_of(tree.document, leaf.span) for leaf in tree.leaves)
    key = f"{tree.document.version_id}.{recipe}"
    data = {"key": key, **reader_data(tree, audit, encoder_limit, pages, second or tree.document.words)}
    payload = f"{key}\n{json.dumps(data, ensure_ascii=False, separators=(',', ':'))}".encode()
    leaves = tree.leaves
    return Reading(key, payload, tuple(leaf.chunk_id for leaf in leaves), tuple(leaf.span for leaf in leaves), pages)


def reader_data(
    tree: ChunkTree,
    audit: Audit,
    encoder_limit: int,
    pages: Iterable[tuple[int, int]],
    second: WordAudit | None = None,
) -> dict[str, Any]:
    """Plain values: rows of numbers laid end to end, offsets in code points; ``reader_model.js`` reads them back."""
    document, strings, lists = tree.document, _Interned(), _Interned()
    parents = [chunk for chunk in tree.chunks if chunk.level > 0]
    place = {chunk.chunk_id: index for index, chunk in enumerate(parents)}

    def listed(texts: Iterable[str]) -> int:
        return lists.of(tuple(strings.of(text) for text in texts))

    leaves: list[int] = []
    for leaf, (first, last) in zip(tree.leaves, pages, strict=True):
        prefix = listed(text for part in leaf.prefix for text in (part.kind, part.text))
        leaves += [leaf.start, leaf.end, place.get(leaf.parent_id or "", -1), leaf.tokens, leaf.encoder_tokens]
        leaves += [listed(leaf.headings), prefix, listed(leaf.reasons), first, last]
    above: list[int] = []
    for chunk in parents:
        above += [chunk.start, chunk.end, place.get(chunk.parent_id or "", -1), chunk.level, chunk.tokens]
        above.append(listed(chunk.headings))
    gaps: list[int] = []
    for gap in audit.gaps:
        lost = int(gap.reason == UNEXPLAINED)
        gaps += [gap.start, gap.end, strings.of(gap.reason), lost, pages_of(document, Span(gap.start, gap.end))[0]]
    return {
        "version": document.version_id,
        "kind": document.kind,
        "pageWord": words.page_word(document.kind),
        "text": document.text,
        "leaves": leaves,
        "parents": above,
        "blocks": [value for block in document.blocks for value in _block(block, strings)],
        "gaps": gaps,
        "links": [value for link in _apart(document) for value in (link.start, link.end, strings.of(link.target))],
        "covered": audit.covered,
        "characters": audit.characters,
        "limit": encoder_limit,
        "words": _second_reading(second),
        "notes": list(document.notes),
        "metadata": [[name, value] for name, value in document.metadata.items()],
        "lists": [list(items) for items in lists.places],
        "strings": list(strings.places),
    }


def _block(block: Block, strings: _Interned) -> tuple[int, ...]:
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


def pages_of(document: Document, span: Span) -> tuple[int, int]:
    """The first and last 1-based page a span stands on; (0, 0) for formats without pages."""
    found = [box.page for box in boxes_of(document, span)]
    return (min(found), max(found)) if found else (0, 0)
