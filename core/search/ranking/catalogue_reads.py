"""Catalogue reads of expansion and assembly: texts, facts of leaves, pages, ancestors, references; each read once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from core.chunking.prefixes import key_path
from core.chunking.signals.terms import TermFinder, find_terms
from core.enriching.features import Features, Reference
from core.errors import NotFoundError
from core.evidence import Hit
from core.lru_cache import LruCache
from core.search.ranking.stage_scores import Ranking
from core.storage.catalogue.filing.linked import Linked, linked
from core.storage.catalogue.filing.source_metadata import stored_genre
from core.storage.catalogue.texts import documents
from core.storage.catalogue.texts.chunks import ChunkRow, chunk_ids, chunk_rows
from core.storage.catalogue.texts.features import stored_features
from core.storage.catalogue.texts.symbols import SymbolTable, calls_of, symbol_table
from core.storage.index.leaves import LeafTable, ancestors
from core.storage.store import Store
from core.text.sentences import sentence_spans
from core.types import Span


class CatalogueReads:
    """Reads for one state of the leaves, each fact once. Documents are given by ordinal, leaves by index.

    The expansion strategy "flat" reads nothing, "parent" genres at most, "needed" file kinds and texts as well,
    "window" and "anchored" texts, "auto-merge" ancestors, "neighbours" references; the last two in one query each.

    ``count``: number of catalogue queries, without cached reads. ``by_stage``: those since ``start``, by stage.
    """

    def __init__(self, store: Store, leaves: LeafTable, texts: LruCache[str], symbols: LruCache[SymbolTable]) -> None:
        self._texts = texts
        self._symbols = symbols
        self._store = store
        self._leaves = leaves
        self._text_of: dict[int, str] = {}
        self._facts: dict[int, ChunkRow] = {}
        self._pages: dict[tuple[int, int], int | None] = {}
        self._terms: dict[int, TermFinder] = {}
        self._kinds: dict[int, str] = {}
        self._genres: dict[int, str] = {}
        self._ancestors: dict[int, tuple[Span, ...]] = {}
        self._features: dict[int, Features] = {}
        self._linked: Linked | None = None
        self._calls: dict[int, tuple[str, ...]] = {}
        self._files: dict[str, str] = {}
        self.count = 0
        self.by_stage: dict[str, int] = {}
        self._counted = 0

    def start(self) -> None:
        """Start counting for the stages of a context."""
        self.by_stage, self._counted = {}, self.count

    def end_stage(self, stage: str) -> None:
        """Assign the queries since the previous stage ended to this stage."""
        self.by_stage[stage] = self.count - self._counted
        self._counted = self.count

    def text(self, document: int) -> str:
        """The document's canonical text."""
        text = self._text_of.get(document)
        if text is None:
            key = (self._leaves.revision, self._leaves.version_ids[document])
            text = self._text_of[document] = self._texts.get_or_create(key, partial(self._read, document))
        return text

    def _read(self, document: int) -> str:
        self.count += 1
        try:
            return documents.text(self._store, self._leaves.version_ids[document])
        except NotFoundError:
            raise _library_changed() from None

    def sentences(self, document: int, start: int, end: int) -> Sequence[Span]:
        """The sentences of a document's text ``[start, end)``, trimmed, in order."""
        return sentence_spans(self.text(document), start, end)

    def terms(self, document: int) -> TermFinder:
        """The terms that the document defines."""
        if document not in self._terms:
            self._terms[document] = TermFinder(find_terms(self.text(document)))
        return self._terms[document]

    def kind(self, document: int) -> str:
        """The document's kind of file, "" if unknown."""
        if document not in self._kinds:
            self.count += 1
            version = documents.version(self._store, self._leaves.version_ids[document])
            self._kinds[document] = version.kind if version is not None else ""
        return self._kinds[document]

    def genre(self, document: int) -> str:
        """The document's genre, of ``core.settings.GENRES``; "other" if unknown."""
        if document not in self._genres:
            self.count += 1
            version = self._leaves.version_ids[document]
            self._genres[document] = stored_genre(self._store, version, self._leaves.generation)
        return self._genres[document]

    def ancestors(self, leaves: Sequence[int]) -> Mapping[int, Sequence[Span]]:
        """The spans of each leaf's ancestors, parent first, root last; () without a parent."""
        rows = {int(self._leaves.rows[leaf]): leaf for leaf in leaves if leaf not in self._ancestors}
        if rows:
            self.count += 1
            self._ancestors |= {rows[row]: spans for row, spans in ancestors(self._store, list(rows)).items()}
        return {leaf: self._ancestors[leaf] for leaf in leaves}

    def references(self, leaves: Sequence[int]) -> Mapping[int, Sequence[Reference]]:
        """The references in each leaf to other places, in text order."""
        self._read_features(leaves)
        return {leaf: self._features[leaf].references for leaf in leaves}

    def section_types(self, leaves: Sequence[int]) -> Mapping[int, str]:
        """The section type of each leaf, of ``core.settings.SECTION_TYPES``; "prose" if none is stored."""
        self._read_features(leaves)
        return {leaf: self._features[leaf].section_type for leaf in leaves}

    def _read_features(self, leaves: Sequence[int]) -> None:
        by_document: dict[int, dict[str, int]] = {}
        for leaf, facts in self.facts([leaf for leaf in leaves if leaf not in self._features]).items():
            by_document.setdefault(int(self._leaves.documents[leaf]), {})[facts.chunk_id] = leaf
        for document, leaf_of in by_document.items():
            self.count += 1
            version_id = self._leaves.version_ids[document]
            features = stored_features(self._store, version_id, leaf_of, self._leaves.generation)
            self._features |= {leaf: features.get(chunk_id, Features()) for chunk_id, leaf in leaf_of.items()}

    def linked(self, document: int, target: str) -> tuple[int, int] | None:
        """The other document that a link points to, and the offset in it; ``None`` if it is not among these leaves."""
        if self._linked is None:
            self.count += 1
            self._linked = linked(self._store)
        version_ids = self._leaves.version_ids
        link = self._linked.find(target, version_ids[document])
        if link is None or link[0] not in version_ids:
            return None
        other, heading = version_ids.index(link[0]), link[1].rpartition("#")[2].strip()
        if other == document or not (self._leaves.documents == other).any():
            return None
        title = re.search(rf"^#+[ \t]+{re.escape(heading)}[ \t#]*$", self.text(other), re.MULTILINE | re.IGNORECASE)
        return other, title.start() if heading and title else 0

    def called(self, leaf: int) -> Sequence[tuple[str, int, Span]]:
        """The calls in a leaf of code, in order: the name, and the document and span of its most likely definition."""
        row, versions = int(self._leaves.rows[leaf]), self._leaves.version_ids
        if leaf not in self._calls:
            self.count += 1
            self._calls[leaf] = calls_of(self._store, [row]).get(row, ())
        if not self._calls[leaf]:
            return ()
        generation = self._leaves.generation
        table = self._symbols.get_or_create(
            (self._leaves.revision, generation), lambda: symbol_table(self._store, generation)
        )
        self._files = self._files or dict(zip(versions, self._leaves.names, strict=True))
        home = versions[int(self._leaves.documents[leaf])]
        calls = ((name, table.find(name, home, self._files)) for name in self._calls[leaf])
        return [(name, versions.index(one.version_id), one.span) for name, one in calls if one is not None]

    def facts(self, leaves: Sequence[int]) -> Mapping[int, ChunkRow]:
        """The stored chunks by leaf index."""
        missing = [leaf for leaf in leaves if leaf not in self._facts]
        self.count += bool(missing)
        rows = {int(self._leaves.rows[leaf]): leaf for leaf in missing}
        chunks = chunk_rows(self._store, list(rows))
        if len(chunks) < len(rows):
            raise _library_changed()
        self._facts |= {rows[row]: chunk for row, chunk in chunks.items()}
        return {leaf: self._facts[leaf] for leaf in leaves}

    def chunk_ids(self, leaves: Sequence[int]) -> Mapping[int, str]:
        """Public ids by leaf index."""
        rows = self._leaves.rows[leaves].tolist() if leaves else []
        ids = chunk_ids(self._store, rows)
        if len(ids) < len(rows):
            raise _library_changed()
        return {leaf: ids[row] for leaf, row in zip(leaves, rows, strict=True)}

    def page(self, document: int, offset: int) -> int | None:
        """The page of an offset; ``None`` if the document has no pages."""
        self.prefetch_pages([(document, offset)])
        return self._pages[document, offset]

    def prefetch_pages(self, positions: Iterable[tuple[int, int]]) -> None:
        """Read the pages of (document, offset) positions in one query."""
        new = [position for position in dict.fromkeys(positions) if position not in self._pages]
        if new:
            self.count += 1
            stored = [(self._leaves.version_ids[document], offset) for document, offset in new]
            self._pages.update(zip(new, documents.pages_at(self._store, stored), strict=True))


def _library_changed() -> NotFoundError:
    return NotFoundError("The library changed while this question was answered.", "Ask it again.")


def hits_of(ranking: Ranking, reads: CatalogueReads) -> tuple[Hit, ...]:
    """The kept leaves of a ranking as hits, best first."""
    leaves = ranking.leaves
    indices = ranking.pool[ranking.kept].tolist()
    facts = reads.facts(indices)
    # Converted to plain numbers column by column: reading arrays one number at a time is much slower.
    columns = (leaves.rows, leaves.documents, leaves.starts, leaves.ends)
    leaf_rows = list(zip(*(column[indices].tolist() for column in columns), strict=True))
    reads.prefetch_pages((document, start) for _, document, start, _ in leaf_rows)
    final = ranking.final[ranking.kept].tolist()
    score_rows = zip(*(values[ranking.kept].tolist() for values in ranking.scores.values()), strict=True)
    return tuple(
        Hit(
            row=row,
            chunk_id=facts[index].chunk_id,
            version_id=leaves.version_ids[document],
            start=start,
            end=end,
            text=reads.text(document)[start:end],
            rank=rank,
            score=score,
            scores={stage: value for stage, value in zip(ranking.scores, values, strict=True) if not math.isnan(value)},
            headings=facts[index].headings or key_path(facts[index].prefix),
            document=leaves.titles[document],
            source=leaves.names[document],
            page=reads.page(document, start),
        )
        for rank, (index, (row, document, start, end), score, values) in enumerate(
            zip(indices, leaf_rows, final, score_rows, strict=True), start=1
        )
    )
