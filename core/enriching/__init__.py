"""What is found out about chunks without a model: their place, their kind, their words, what they point to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.cancellation import check_cancelled
from core.enriching import dates as calendar
from core.enriching.entities import names, things
from core.enriching.features import Features, Reference
from core.enriching.genre import genre
from core.enriching.keywords import Keywords
from core.enriching.references import References, pictured
from core.enriching.section_types import section_type
from core.enriching.span_index import SpanIndex
from core.text.outline import Outline
from core.text.spans import touching
from core.types import BlockKind, Chunk, ChunkTree, Document

ENRICHING_VERSION = 7  # grows when the same chunk may get other features
KEYWORDS = 6  # of a chunk, at most
MOST = 24  # values of one kind that a chunk keeps: a page of an index names hundreds


# What decides the features that are kept beside chunks: others are made anew.
_DECIDES = f"{ENRICHING_VERSION}|dates|entities|genre|keywords|references|section_type|{KEYWORDS}"
FINGERPRINT = hashlib.sha256(_DECIDES.encode()).hexdigest()[:16]
_SILENT = (BlockKind.HEADING, BlockKind.CODE, BlockKind.FURNITURE)


def enrich(tree: ChunkTree) -> dict[str, Features]:
    """The features of every chunk of a tree, leaves and parents, by chunk id; pure, in time linear in the text.

    Everything is looked for once in the whole document, and each chunk gets what lies wholly inside its span.

    >>> from core.types import Chunk, ChunkTree, Document
    >>> text = "Ask getUserName first."
    >>> tree = ChunkTree(Document("v", "text", "Note", text), (Chunk("c", 0, None, 0, len(text), text, 5),))
    >>> enrich(tree)["c"].symbols
    ('getUserName',)
    """
    if not tree.chunks:
        return {}
    found = _Found(tree)
    features: dict[str, Features] = {}
    for chunks in _levels(tree.chunks):
        for at, chunk in enumerate(chunks, start=1):
            check_cancelled()
            features[chunk.chunk_id] = found.of(chunk, at, len(chunks))
    return {chunk.chunk_id: features[chunk.chunk_id] for chunk in tree.chunks}


def _levels(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """The chunks of each level in the order of the text."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.level, chunk.start, chunk.end))
    for _, same in groupby(ordered, key=lambda chunk: chunk.level):
        yield list(same)


class _Found:
    """Everything found in one document, asked for by chunk."""

    def __init__(self, tree: ChunkTree) -> None:
        document = tree.document
        self.document = document
        text = document.text
        self.genre = genre(document)
        self.keywords = Keywords(text, tree.leaves)
        silent = [block.span for block in document.blocks if block.kind in _SILENT]
        begins = {span.start for block in document.blocks for span in (block.span, *block.parts)}
        self.names, self.organisations = names(text, silent, begins)
        self.things = things(text)
        self.dates = SpanIndex(calendar.dates(text))
        self.versions = SpanIndex(calendar.versions(text))
        self.references, self.pictured = _references(document)

    def of(self, chunk: Chunk, index: int, total: int) -> Features:
        start, end = chunk.start, chunk.end
        blocks = self.document.blocks[touching(self.document.blocks, start, end)]
        pictures = dict.fromkeys(self.pictured.within(start, end))
        return Features(
            genre=self.genre,
            index=index,
            total=total,
            section_type=section_type(self.document, chunk, blocks),
            keywords=self.keywords.of(chunk, KEYWORDS),
            names=self.names.distinct(start, end, MOST),
            organisations=self.organisations.distinct(start, end, MOST),
            symbols=self._things("symbol", chunk),
            paths=self._things("path", chunk),
            urls=self._things("url", chunk),
            emails=self._things("email", chunk),
            dates=self.dates.distinct(start, end, MOST),
            versions=self.versions.distinct(start, end, MOST),
            figures=tuple(name for kind, name in pictures if kind == "figure")[:MOST],
            tables=tuple(name for kind, name in pictures if kind == "table")[:MOST],
            references=tuple(self.references.within(start, end)),
            metadata=chunk.metadata,
        )

    def _things(self, kind: str, chunk: Chunk) -> tuple[str, ...]:
        found = self.things.get(kind)
        return found.distinct(chunk.start, chunk.end, MOST) if found else ()


def _references(document: Document) -> tuple[SpanIndex[Reference], SpanIndex[tuple[str, str]]]:
    """The references, and the figures and tables that are declared or pointed to."""
    by = References(Outline(document))
    found = by.found()
    pointed = ((one.start, one.end, (one.kind, pictured(one))) for one in found if pictured(one))
    return SpanIndex((one.start, one.end, one) for one in found), SpanIndex([*by.captions(), *pointed])
