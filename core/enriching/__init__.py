"""What is found out about chunks without a model: their place, their kind, their words, what they point to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.breathing import breathe
from core.enriching import dates as calendar
from core.enriching.entities import names, things
from core.enriching.features import Features, Reference
from core.enriching.genre import GENRES, Genre, genre
from core.enriching.keywords import Keywords
from core.enriching.references import References, pictured
from core.enriching.section_types import SECTION_TYPES, Classified, section_type
from core.enriching.sections import Sections, SpanIndex
from core.settings.preparing import EnrichingSettings
from core.types import BlockKind, Chunk, ChunkTree, Document

ENRICHING_VERSION = 4  # grows when the same chunk may get other features
MOST = 24  # values of one kind that a chunk keeps: a page of an index names hundreds

__all__ = [
    "ENRICHING_VERSION",
    "GENRES",
    "SECTION_TYPES",
    "Features",
    "Genre",
    "Reference",
    "enrich",
    "enriching_fingerprint",
    "genre",
]


def enriching_fingerprint(settings: EnrichingSettings) -> str:
    """Names everything that decides a chunk's features but the chunk; near-duplicates and the index do not enter.

    >>> enriching_fingerprint(EnrichingSettings(keywords=3)) == enriching_fingerprint(EnrichingSettings())
    False
    """
    told = (str(ENRICHING_VERSION), *sorted(settings.features), str(settings.keywords))
    return hashlib.sha256("|".join(told).encode()).hexdigest()[:16]


_SILENT = (BlockKind.HEADING, BlockKind.CODE, BlockKind.FURNITURE)


def enrich(tree: ChunkTree, settings: EnrichingSettings | None = None) -> dict[str, Features]:
    """The features of every chunk of a tree, leaves and parents, by chunk id; pure, in time linear in the text.

    Everything is looked for once in the whole document, and each chunk gets what lies wholly inside its span.

    >>> from core.types import Chunk, ChunkTree, Document
    >>> text = "Ask getUserName first."
    >>> tree = ChunkTree(Document("v", "text", "Note", text), (Chunk("c", 0, None, 0, len(text), text, 5),))
    >>> enrich(tree)["c"].symbols
    ('getUserName',)
    """
    chosen = EnrichingSettings() if settings is None else settings
    if not tree.chunks:
        return {}
    found = _Found(tree, chosen)
    features: dict[str, Features] = {}
    for chunks in _levels(tree.chunks):
        places = [found.sections.of(chunk.start, chunk.end) for chunk in chunks]
        counted = _counted(places)
        for at, (chunk, in_section) in enumerate(zip(chunks, counted, strict=True), start=1):
            breathe()
            features[chunk.chunk_id] = found.of(chunk, (at, len(chunks)), in_section)
    return {chunk.chunk_id: features[chunk.chunk_id] for chunk in tree.chunks}


def _levels(chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """The chunks of each level in the order of the text."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.level, chunk.start, chunk.end))
    for _, same in groupby(ordered, key=lambda chunk: chunk.level):
        yield list(same)


def _counted(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """For each chunk its number and how many there are in its section."""
    for _, run in groupby(places):
        total = len(list(run))
        yield from ((number, total) for number in range(1, total + 1))


class _Found:
    """Everything found in one document, asked for by chunk."""

    def __init__(self, tree: ChunkTree, settings: EnrichingSettings) -> None:
        document = tree.document
        self.document = document
        self.settings = settings
        self.sections = Sections(document)
        on = set(settings.features)
        text = document.text
        self.genre = genre(document).name if "genre" in on else "other"
        self.keywords = Keywords(text, tree.leaves) if "keywords" in on and settings.keywords else None
        silent = [block.span for block in document.blocks if block.kind in _SILENT]
        nothing: SpanIndex[str] = SpanIndex([])
        begins = {span.start for block in document.blocks for span in (block.span, *block.parts)}
        self.names, self.organisations = names(text, silent, begins) if "entities" in on else (nothing, nothing)
        self.things = things(text) if "entities" in on else {}
        self.dates = SpanIndex(calendar.dates(text)) if "dates" in on else nothing
        self.versions = SpanIndex(calendar.versions(text)) if "dates" in on else nothing
        self.references, self.pictured = _references(document, self.sections, "references" in on)

    def of(self, chunk: Chunk, among: tuple[int, int], in_section: tuple[int, int]) -> Features:
        start, end = chunk.start, chunk.end
        blocks = self.sections.blocks(start, end)
        kinds = {block.kind for block in blocks}
        what = Classified("prose", "")
        if "section_type" in self.settings.features:
            what = section_type(self.document, chunk, blocks)
        pictures = dict.fromkeys(self.pictured.within(start, end))
        index, total = among
        return Features(
            title=self.document.title,
            kind=self.document.kind,
            genre=self.genre,
            section=chunk.headings[-1] if chunk.headings else "",
            index=index,
            total=total,
            section_index=in_section[0],
            section_total=in_section[1],
            section_type=what.name,
            section_reason=what.reason,
            has_code=BlockKind.CODE in kinds,
            has_table=BlockKind.TABLE in kinds,
            has_list=BlockKind.LIST in kinds,
            keywords=self.keywords.of(chunk, self.settings.keywords) if self.keywords else (),
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


def _references(
    document: Document, sections: Sections, wanted: bool
) -> tuple[SpanIndex[Reference], SpanIndex[tuple[str, str]]]:
    """The references, and the figures and tables that are declared or pointed to."""
    if not wanted:
        return SpanIndex([]), SpanIndex([])
    by = References(document, sections)
    found = by.found()
    pointed = ((one.start, one.end, (one.kind, pictured(one))) for one in found if pictured(one))
    return SpanIndex((one.start, one.end, one) for one in found), SpanIndex([*by.captions(), *pointed])
