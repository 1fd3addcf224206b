"""Computes the features of chunks by rules, without a model: genre, section type, keywords, names, references."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.cancellation import check_cancelled
from core.enriching import dates as calendar
from core.enriching.entities import identifiers, names
from core.enriching.features import Features, Reference
from core.enriching.genre import genre
from core.enriching.keywords import Keywords
from core.enriching.references import References, exhibit_name
from core.enriching.section_types import section_type
from core.enriching.span_index import SpanIndex
from core.text.outline import Outline
from core.text.spans import touching
from core.types import BlockKind, Chunk, ChunkTree, Document

ENRICHING_VERSION = 7  # incremented when the same chunk may get other features
KEYWORDS = 6  # most keywords of a chunk
MAX_VALUES = 24  # most values of one kind of a chunk; a page of an index has hundreds

# Everything that decides the features. Stored features with another fingerprint are computed again.
_INPUTS = f"{ENRICHING_VERSION}|dates|entities|genre|keywords|references|section_type|{KEYWORDS}"
FINGERPRINT = hashlib.sha256(_INPUTS.encode()).hexdigest()[:16]
_CAPITALISED_BLOCKS = (BlockKind.HEADING, BlockKind.CODE, BlockKind.FURNITURE)  # capitals are no sign of names here


def enrich(tree: ChunkTree) -> dict[str, Features]:
    """The features of every chunk of a tree, leaves and parents, by chunk id; in time linear in the text.

    The document is searched once, and each chunk gets what lies entirely inside its span.

    >>> from core.types import Chunk, ChunkTree, Document
    >>> text = "Ask getUserName first."
    >>> tree = ChunkTree(Document("v", "text", "Note", text), (Chunk("c", 0, None, 0, len(text), text, 5),))
    >>> enrich(tree)["c"].symbols
    ('getUserName',)
    """
    if not tree.chunks:
        return {}
    document_features = _DocumentFeatures(tree)
    features: dict[str, Features] = {}
    for chunks in _levels(tree.chunks):
        for index, chunk in enumerate(chunks, start=1):
            check_cancelled()
            features[chunk.chunk_id] = document_features.of(chunk, index, len(chunks))
    return {chunk.chunk_id: features[chunk.chunk_id] for chunk in tree.chunks}


def _levels(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """The chunks of each level in text order."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.level, chunk.start, chunk.end))
    for _, same in groupby(ordered, key=lambda chunk: chunk.level):
        yield list(same)


class _DocumentFeatures:
    """Everything found in one document, for look-up by chunk."""

    def __init__(self, tree: ChunkTree) -> None:
        document = tree.document
        self.document = document
        text = document.text
        self.genre = genre(document)
        self.keywords = Keywords(text, tree.leaves)
        excluded = [block.span for block in document.blocks if block.kind in _CAPITALISED_BLOCKS]
        begins = {span.start for block in document.blocks for span in (block.span, *block.parts)}
        self.names, self.organisations = names(text, excluded, begins)
        self.identifiers = identifiers(text)
        self.dates = SpanIndex(calendar.dates(text))
        self.versions = SpanIndex(calendar.versions(text))
        self.references, self.exhibits = _references(document)

    def of(self, chunk: Chunk, index: int, total: int) -> Features:
        """The features of a chunk, the ``index``-th of ``total`` on its level."""
        start, end = chunk.start, chunk.end
        blocks = self.document.blocks[touching(self.document.blocks, start, end)]
        exhibits = dict.fromkeys(self.exhibits.within(start, end))
        return Features(
            genre=self.genre,
            index=index,
            total=total,
            section_type=section_type(self.document, chunk, blocks),
            keywords=self.keywords.of(chunk, KEYWORDS),
            names=self.names.distinct(start, end, MAX_VALUES),
            organisations=self.organisations.distinct(start, end, MAX_VALUES),
            symbols=self._exact("symbol", chunk),
            paths=self._exact("path", chunk),
            urls=self._exact("url", chunk),
            emails=self._exact("email", chunk),
            dates=self.dates.distinct(start, end, MAX_VALUES),
            versions=self.versions.distinct(start, end, MAX_VALUES),
            figures=tuple(name for kind, name in exhibits if kind == "figure")[:MAX_VALUES],
            tables=tuple(name for kind, name in exhibits if kind == "table")[:MAX_VALUES],
            references=tuple(self.references.within(start, end)),
            metadata=chunk.metadata,
        )

    def _exact(self, kind: str, chunk: Chunk) -> tuple[str, ...]:
        return self.identifiers[kind].distinct(chunk.start, chunk.end, MAX_VALUES)


def _references(document: Document) -> tuple[SpanIndex[Reference], SpanIndex[tuple[str, str]]]:
    """The references, and the figures and tables as (kind, name), where they are captioned or referred to."""
    finder = References(Outline(document))
    references = finder.found()
    referred = ((one.start, one.end, (one.kind, exhibit_name(one))) for one in references if exhibit_name(one))
    return SpanIndex((one.start, one.end, one) for one in references), SpanIndex([*finder.captions(), *referred])
