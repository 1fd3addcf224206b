"""What the stages behind the ranking read from the catalogue: texts, facts of leaves, pages, ancestors, references."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from core.chunking.signals.terms import TermFinder, find_terms
from core.enriching.features import Features, Reference
from core.errors import NotFoundError
from core.evidence import Hit
from core.lru_cache import LruCache
from core.search.ranking.stage_scores import Ranking
from core.storage.catalogue import documents
from core.storage.catalogue.chunks import ChunkRow, chunk_ids, chunk_rows
from core.storage.catalogue.features import kept_of
from core.storage.catalogue.linked import Linked, linked
from core.storage.catalogue.source_metadata import kept_genre
from core.storage.catalogue.symbols import SymbolTable, calls_of, symbol_table
from core.storage.index.leaves import LeafTable, ancestors
from core.storage.store import Store
from core.text.sentences import sentence_spans
from core.types import Span


class CatalogueReads:
    """What expansion and assembly read of one state of the leaves, each fact once.

    Documents are ordinals, leaves are indices of the leaf table. Of the strategies "flat" asks nothing, "parent" at
    most for genres, "needed" for kinds and texts too, "window" and "anchored" for texts alone, "auto-merge" for
    ancestors and "neighbours" for references, and these two only of the leaves they need them of, all at once.

    ``count``: how often the catalogue was asked; what is still in memory does not count. ``by_stage``: how much of it
    each stage asked that was told of, since ``began``.
    """

    def __init__(self, store: Store, leaves: LeafTable, texts: LruCache[str], symbols: LruCache[SymbolTable]) -> None:
        self._texts = texts
        self._symbols = symbols
        self._store = store
        self._leaves = leaves
        self._held: dict[int, str] = {}
        self._facts: dict[int, ChunkRow] = {}
        self._pages: dict[tuple[int, int], int | None] = {}
        self._terms: dict[int, TermFinder] = {}
        self._kinds: dict[int, str] = {}
        self._genres: dict[int, str] = {}
        self._ancestors: dict[int, tuple[Span, ...]] = {}
        self._enriched: dict[int, Features] = {}
        self._linked: Linked | None = None
        self._calls: dict[int, tuple[str, ...]] = {}
        self._files: dict[str, str] = {}
        self.count = 0
        self.by_stage: dict[str, int] = {}
        self._told = 0

    def began(self) -> None:
        """A context begins: what was asked before is no stage's."""
        self.by_stage, self._told = {}, self.count

    def ended(self, stage: str) -> None:
        """What was asked since the stage before it ended was this one's."""
        self.by_stage[stage] = self.count - self._told
        self._told = self.count

    def text(self, document: int) -> str:
        """The document's canonical text."""
        held = self._held.get(document)
        if held is None:
            key = (self._leaves.revision, self._leaves.version_ids[document])
            held = self._held[document] = self._texts.made(key, partial(self._read, document))
        return held

    def _read(self, document: int) -> str:
        self.count += 1
        try:
            return documents.text(self._store, self._leaves.version_ids[document])
        except NotFoundError:
            raise _changed() from None

    def sentences(self, document: int, start: int, end: int) -> Sequence[Span]:
        """The sentences of ``[start, end)`` of its text, trimmed, in order."""
        return sentence_spans(self.text(document), start, end)

    def terms(self, document: int) -> TermFinder:
        """The terms that its text defines."""
        if document not in self._terms:
            self._terms[document] = TermFinder(find_terms(self.text(document)))
        return self._terms[document]

    def kind(self, document: int) -> str:
        """What kind of file the document is, "" where it is not known."""
        if document not in self._kinds:
            self.count += 1
            version = documents.version(self._store, self._leaves.version_ids[document])
            self._kinds[document] = version.kind if version is not None else ""
        return self._kinds[document]

    def genre(self, document: int) -> str:
        """The document's genre, of ``core.settings.GENRES``; "other" where none is known."""
        if document not in self._genres:
            self.count += 1
            version = self._leaves.version_ids[document]
            self._genres[document] = kept_genre(self._store, version, self._leaves.generation)
        return self._genres[document]

    def ancestors(self, leaves: Sequence[int]) -> Mapping[int, Sequence[Span]]:
        """What each leaf stands in, its direct parent first, the top of its tree last; () without a parent."""
        rows = {int(self._leaves.rows[leaf]): leaf for leaf in leaves if leaf not in self._ancestors}
        if rows:
            self.count += 1
            self._ancestors |= {rows[row]: above for row, above in ancestors(self._store, list(rows)).items()}
        return {leaf: self._ancestors[leaf] for leaf in leaves}

    def references(self, leaves: Sequence[int]) -> Mapping[int, Sequence[Reference]]:
        """The words in each leaf that point elsewhere, in text order; () where none are kept."""
        self._enrich(leaves)
        return {leaf: self._enriched[leaf].references for leaf in leaves}

    def section_types(self, leaves: Sequence[int]) -> Mapping[int, str]:
        """What each leaf does, of ``core.settings.SECTION_TYPES``; "prose" where nothing is kept of it."""
        self._enrich(leaves)
        return {leaf: self._enriched[leaf].section_type for leaf in leaves}

    def _enrich(self, leaves: Sequence[int]) -> None:
        wanted: dict[int, dict[str, int]] = {}
        for leaf, facts in self.facts([leaf for leaf in leaves if leaf not in self._enriched]).items():
            wanted.setdefault(int(self._leaves.documents[leaf]), {})[facts.chunk_id] = leaf
        for document, ids in wanted.items():
            self.count += 1
            kept = kept_of(self._store, self._leaves.version_ids[document], ids, self._leaves.generation)
            self._enriched |= {leaf: kept.get(chunk_id, Features()) for chunk_id, leaf in ids.items()}

    def linked(self, document: int, target: str) -> tuple[int, int] | None:
        """The other document that a link's target means, and the offset in it; ``None`` where it is none of these."""
        if self._linked is None:
            self.count += 1
            self._linked = linked(self._store)
        version_ids = self._leaves.version_ids
        found = self._linked.find(target, version_ids[document])
        if found is None or found[0] not in version_ids:  # of a part of the library the others are not asked
            return None
        other, heading = version_ids.index(found[0]), found[1].rpartition("#")[2].strip()
        if other == document or not (self._leaves.documents == other).any():
            return None
        title = re.search(rf"^#+[ \t]+{re.escape(heading)}[ \t#]*$", self.text(other), re.MULTILINE | re.IGNORECASE)
        return other, title.start() if heading and title else 0

    def called(self, leaf: int) -> Sequence[tuple[str, int, Span]]:
        """What a leaf of code calls, in order: the name, and the document and place of its one likely definition."""
        row, versions = int(self._leaves.rows[leaf]), self._leaves.version_ids
        if leaf not in self._calls:
            self.count += 1
            self._calls[leaf] = calls_of(self._store, [row]).get(row, ())
        if not self._calls[leaf]:
            return ()
        generation = self._leaves.generation
        table = self._symbols.made((self._leaves.revision, generation), lambda: symbol_table(self._store, generation))
        self._files = self._files or dict(zip(versions, self._leaves.names, strict=True))
        home = versions[int(self._leaves.documents[leaf])]
        found = ((name, table.find(name, home, self._files)) for name in self._calls[leaf])
        return [(name, versions.index(one.version_id), one.span) for name, one in found if one is not None]

    def facts(self, leaves: Sequence[int]) -> Mapping[int, ChunkRow]:
        """The stored chunks by leaf index."""
        wanted = [leaf for leaf in leaves if leaf not in self._facts]
        self.count += bool(wanted)
        rows = {int(self._leaves.rows[leaf]): leaf for leaf in wanted}
        found = chunk_rows(self._store, list(rows))
        if len(found) < len(rows):
            raise _changed()
        self._facts |= {rows[row]: chunk for row, chunk in found.items()}
        return {leaf: self._facts[leaf] for leaf in leaves}

    def chunk_ids(self, leaves: Sequence[int]) -> Mapping[int, str]:
        """Public ids by leaf index."""
        rows = self._leaves.rows[leaves].tolist() if leaves else []
        found = chunk_ids(self._store, rows)
        if len(found) < len(rows):
            raise _changed()
        return {leaf: found[row] for leaf, row in zip(leaves, rows, strict=True)}

    def page(self, document: int, offset: int) -> int | None:
        """The page an offset stands on, if the document has pages."""
        self.prefetch_pages([(document, offset)])
        return self._pages[document, offset]

    def prefetch_pages(self, places: Iterable[tuple[int, int]]) -> None:
        """Read the pages of places, each a document and an offset, in one go."""
        new = [place for place in dict.fromkeys(places) if place not in self._pages]
        if new:
            self.count += 1
            wanted = [(self._leaves.version_ids[document], offset) for document, offset in new]
            self._pages.update(zip(new, documents.pages_at(self._store, wanted), strict=True))


def _changed() -> NotFoundError:
    return NotFoundError("The library changed while this question was answered.", "Ask it again.")


def hits_of(ranking: Ranking, reads: CatalogueReads) -> tuple[Hit, ...]:
    """The leaves that go on, best first, with what a reader needs to recognise them."""
    leaves = ranking.leaves
    indices = ranking.pool[ranking.kept].tolist()
    facts = reads.facts(indices)
    # Plain numbers: reading arrays one number at a time costs more than all the rest.
    columns = (leaves.rows, leaves.documents, leaves.starts, leaves.ends)
    about = list(zip(*(column[indices].tolist() for column in columns), strict=True))
    reads.prefetch_pages((document, start) for _, document, start, _ in about)
    final = ranking.final[ranking.kept].tolist()
    scored = zip(*(values[ranking.kept].tolist() for values in ranking.scores.values()), strict=True)
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
            headings=facts[index].headings,
            document=leaves.titles[document],
            source=leaves.names[document],
            page=reads.page(document, start),
        )
        for rank, (index, (row, document, start, end), score, values) in enumerate(
            zip(indices, about, final, scored, strict=True), start=1
        )
    )
