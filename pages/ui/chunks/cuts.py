"""Cuts of documents for the Chunks page, and caches of the latest cuts and of the work behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any

import streamlit as st

from core.chunking import cut_edited
from core.chunking.auditing import Audit, audit
from core.chunking.edits.edits import Conflict, Edit, edits_fingerprint
from core.chunking.edits.replay import Replayed
from core.chunking.plan import ChunkerResources
from core.chunking.prefixes import encoder_inputs
from core.chunking.prepared_document import PreparedDocument
from core.embedding import CachedEncoder, vector_key
from core.enriching import enrich
from core.enriching.features import Features
from core.enriching.near_duplicates import NearDuplicate, closest, near_duplicates
from core.ingest.applying import Tell
from core.inspecting.findings import Health, unread
from core.inspecting.health import diagnose
from core.library import Library
from core.lru_cache import LruCache
from core.settings import ChunkingSettings, stage_fingerprint
from core.types import ChunkTree, Document, Span, Vectors
from pages.ui.reader import readings
from pages.ui.reader.data import Reading, read_cut
from pages.ui.shared import services
from pages.ui.shared.tasks import Task


class Cut:
    """One cut of one document, with the data that the page shows of it, computed on first use."""

    def __init__(
        self, library: Library, settings: ChunkingSettings, made: Replayed, audited: Audit, *, stored: bool = False
    ) -> None:
        """``stored``: it is the cut in the index, whose features the library has stored."""
        self.library, self.settings, self.made, self.audit = library, settings, made, audited
        self.stored = stored
        self.sentences: Sequence[Span] | None = None

    @property
    def tree(self) -> ChunkTree:
        return self.made.tree

    @property
    def version(self) -> str:
        return self.tree.document.version_id

    @property
    def conflicts(self) -> Sequence[Conflict]:
        """The edits that cannot be carried out in this cut, each with the reason."""
        return self.made.conflicts

    @cached_property
    def reading(self) -> Reading:
        """The cut as data for the reader."""
        model, kinds = self.library.model, self.settings.read_prefix
        limit = model.encoder.max_tokens
        tails = unread(self.tree, model.counter, limit, kinds)
        text, units = readings.text(self.version), readings.units(self.version)
        return read_cut(text, self.tree, self.audit, limit, tails, kinds, units)

    @cached_property
    def health(self) -> Health:
        """The findings about the cut."""
        model = self.library.model
        limit = model.encoder.max_tokens
        return diagnose(
            self.tree, limit, self.settings, model.counter, self.sentences, self.audit, self.near_duplicates
        )

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of the leaves' vectors in the vector cache, in the leaves' order."""
        model = self.library.model
        inputs = encoder_inputs(self.tree, self.settings, model.counter, model.encoder.max_tokens)
        return tuple(vector_key(model.encoder.fingerprint, text) for text in inputs)

    @cached_property
    def near_duplicates(self) -> tuple[NearDuplicate, ...]:
        """Each leaf that nearly repeats an earlier one, paired with the most similar earlier leaf."""
        return closest(near_duplicates(leaf.text for leaf in self.tree.leaves))

    @cached_property
    def features(self) -> Task[Mapping[str, Features]]:
        """The task that computes the features of every chunk, by chunk id; seconds for a long text."""
        return Task("features", lambda _: self._features())

    def _features(self) -> Mapping[str, Features]:
        return self.library.features(self.version) if self.stored else enrich(self.tree)

    def unknown(self) -> int:
        """The number of distinct leaf texts that have no vector in the library yet."""
        keys = list(dict.fromkeys(self.keys))
        return len(keys) - len(self.library.vectors.known(keys))


CUTTERS = 4  # cached cutters: documents whose tokens and sentence vectors stay in memory
KEPT = 24  # cached cuts: a dial that is set back shows its former cut at once


class DocumentCutter:
    """Cuts one document repeatedly, keeping its tokens and sentence vectors; a lock lets one thread cut at a time."""

    def __init__(self, library: Library, document: Document) -> None:
        self.library = library
        own, cache = library.model.encoder, library.vectors
        self.encoder = CachedEncoder(own, cache, writable=library.writable, progress=self._tell)
        self.work = PreparedDocument(document, library.model.counter, ChunkerResources(encoder=self.encoder))
        self._known: dict[str, tuple[int, ChunkerResources]] = {}
        self._task: Task[Any] | None = None  # the present task, for the encoder's progress
        self.lock = RLock()

    def _tell(self, done: int, total: int) -> None:
        if self._task:
            self._task.tell(done, total)

    def cut(self, settings: ChunkingSettings, edits: Sequence[Edit], task: Task[Cut] | None = None) -> Cut:
        """Cut the document and carry out the edits. ``task``: receives the progress and may stop the work."""
        with self.lock:
            self._task = task
            self.work.resources = self._chunker_resources(settings.chunker, task.tell if task else None)
            made = cut_edited(self.work, settings, edits, reads=self.library.model.encoder.max_tokens)
            cut = Cut(self.library, settings, made, audit(made.tree, made.switched_off))
            cut.sentences = self.work.series.spans
            return cut

    def _chunker_resources(self, chunker: str, tell: Tell | None) -> ChunkerResources:
        """The resources that a chunker needs, cached until the library changes.

        A chunker that is trained may take minutes here: ``tell`` may raise to stop it.
        """
        revision = self.library.revision()
        known = self._known.get(chunker)
        if known is None or known[0] != revision:
            version = self.work.document.version_id
            known = (revision, self.library.cutting.chunker_resources(chunker, self.encoder, tell, version))
            self._known[chunker] = known
        return known[1]

    def vectors(self, task: Task[Vectors] | None = None) -> Vectors:
        """The vectors of the document's sentences, in text order."""
        with self.lock:
            self._task = task
            found = self.work.series.vectors()
            assert found is not None  # noqa: S101 - it has an encoder
            return found


@dataclass(frozen=True, slots=True)
class _Caches:
    """The cutters and cuts of one library that were used last."""

    cutters: LruCache[DocumentCutter]
    cuts: LruCache[Cut]


@st.cache_resource(max_entries=4, show_spinner=False)
def _caches_of(place: str, encoder: str) -> _Caches:
    """The caches of the library in a folder, for one encoder."""
    return _Caches(LruCache(CUTTERS), LruCache(KEPT))


def _caches() -> _Caches:
    library = services.library()
    return _caches_of(str(services.home()), library.model.encoder.fingerprint)


def cutter_of(version: str) -> DocumentCutter:
    """The cutter of a document, cached for the ``CUTTERS`` documents used last."""
    document, library = readings.document(version), services.library()
    return _caches().cutters.get_or_create(
        f"{version} {library.parse_fingerprint(version)}", lambda: DocumentCutter(library, document)
    )


def cut_key(version: str, settings: ChunkingSettings, edits: Sequence[Edit]) -> str:
    """The cache key of a cut. For ``learned`` it includes the library's revision, since its headings train it."""
    taught = f" {services.library().revision()}" if settings.chunker == "learned" else ""
    read = services.library().parse_fingerprint(version)
    return f"{version} {read} {stage_fingerprint(settings)} {edits_fingerprint(edits)}{taught}"


def known_cut(key: str) -> Cut | None:
    """The cut in the cache under a key; ``None`` without one."""
    return _caches().cuts.get(key)


def cutting(version: str, settings: ChunkingSettings, edits: Sequence[Edit]) -> Callable[[Task[Cut]], Cut]:
    """The function that makes a cut and puts it into the cache, to be run as a task."""
    caches, cutter = _caches(), cutter_of(version)
    readings.text(version)  # fills the cache here: the task's thread has no Streamlit session
    key = cut_key(version, settings, edits)

    def work(task: Task[Cut]) -> Cut:
        return caches.cuts.put(key, cutter.cut(settings, edits, task))

    return work


def applied_cut(version: str, settings: ChunkingSettings, recipe: str) -> Cut:
    """The cut of a document in the index. ``settings``: the document's own. ``recipe``: its recipe's fingerprint."""
    return _applied(str(services.home()), version, services.library().parse_fingerprint(version), recipe, settings)


def applied_reading(version: str) -> Reading:
    """The cut of a document in the index, as data for the reader."""
    library = services.library()
    recipe = next((row.recipe_fingerprint for row in services.sources() if row.version_id == version), "")
    return applied_cut(version, library.cutting.effective_chunking(version)[0], recipe).reading


@st.cache_resource(max_entries=8, show_spinner=False)
def _applied(place: str, version: str, read: str, recipe: str, settings: ChunkingSettings) -> Cut:
    library = services.library()
    return Cut(library, settings, Replayed(library.tree(version)), library.audit(version), stored=True)
