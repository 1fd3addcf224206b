"""The cuts of documents that are at hand: those made last, and what they are made of."""

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
    """One cut of one document, and what the page shows of it, each made when it is first shown."""

    def __init__(
        self, library: Library, settings: ChunkingSettings, made: Replayed, audited: Audit, *, stored: bool = False
    ) -> None:
        """``stored``: it is the cut that the library holds, and so is what was found out about its chunks."""
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
        """The edits that this cut has no place for."""
        return self.made.conflicts

    @cached_property
    def reading(self) -> Reading:
        """As the reader draws it."""
        model, kinds = self.library.model, self.settings.read_prefix
        limit = model.encoder.max_tokens
        tails = unread(self.tree, model.counter, limit, kinds)
        text, units = readings.text(self.version), readings.units(self.version)
        return read_cut(text, self.tree, self.audit, limit, tails, kinds, units)

    @cached_property
    def health(self) -> Health:
        model = self.library.model
        limit = model.encoder.max_tokens
        return diagnose(
            self.tree, limit, self.settings, model.counter, self.sentences, self.audit, self.near_duplicates
        )

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Of the leaves' vectors, in order."""
        model = self.library.model
        inputs = encoder_inputs(self.tree, self.settings, model.counter, model.encoder.max_tokens)
        return tuple(vector_key(model.encoder.fingerprint, text) for text in inputs)

    @cached_property
    def near_duplicates(self) -> tuple[NearDuplicate, ...]:
        """Leaves that nearly repeat an earlier one."""
        return closest(near_duplicates(leaf.text for leaf in self.tree.leaves))

    @cached_property
    def features(self) -> Task[Mapping[str, Features]]:
        """What is found out about every chunk, by its id: in a thread, for a long text takes seconds."""
        return Task("features", lambda _: self._features())

    def _features(self) -> Mapping[str, Features]:
        return self.library.features(self.version) if self.stored else enrich(self.tree)

    def unknown(self) -> int:
        """Distinct texts whose vectors this library does not have."""
        keys = list(dict.fromkeys(self.keys))
        return len(keys) - len(self.library.vectors.known(keys))


CUTTERS = 4  # documents whose tokens and sentence vectors stay in memory
KEPT = 24  # cuts, so that a dial turned back shows at once what was there


class DocumentCutter:
    """Cuts one document, again and again: its tokens and sentence vectors are kept. One thread at a time cuts."""

    def __init__(self, library: Library, document: Document) -> None:
        self.library = library
        own, cache = library.model.encoder, library.vectors
        self.encoder = CachedEncoder(own, cache, writable=library.writable, progress=self._tell)
        self.work = PreparedDocument(document, library.model.counter, ChunkerResources(encoder=self.encoder))
        self._known: dict[str, tuple[int, ChunkerResources]] = {}
        self._task: Task[Any] | None = None  # the one that cuts now, which is told how far the encoder is
        self.lock = RLock()

    def _tell(self, done: int, total: int) -> None:
        if self._task:
            self._task.tell(done, total)

    def cut(self, settings: ChunkingSettings, edits: Sequence[Edit], task: Task[Cut] | None = None) -> Cut:
        with self.lock:
            self._task = task
            self.work.resources = self._chunker_resources(settings.chunker, task.tell if task else None)
            made = cut_edited(self.work, settings, edits, reads=self.library.model.encoder.max_tokens)
            cut = Cut(self.library, settings, made, audit(made.tree, made.switched_off))
            cut.sentences = self.work.series.spans
            return cut

    def _chunker_resources(self, chunker: str, tell: Tell | None) -> ChunkerResources:
        """What the chunker is handed; asked of the library once for each, and anew when the library has changed.

        What is to be learned for it may take minutes: ``tell`` may raise to stop that.
        """
        revision = self.library.revision()
        known = self._known.get(chunker)
        if known is None or known[0] != revision:
            version = self.work.document.version_id
            known = (revision, self.library.cutting.chunker_resources(chunker, self.encoder, tell, version))
            self._known[chunker] = known
        return known[1]

    def vectors(self, task: Task[Vectors] | None = None) -> Vectors:
        """Of the document's sentences, in order."""
        with self.lock:
            self._task = task
            found = self.work.series.vectors()
            assert found is not None  # noqa: S101 - it has an encoder
            return found


@dataclass(frozen=True, slots=True)
class _Caches:
    """What was made last of the documents of one library."""

    cutters: LruCache[DocumentCutter]
    cuts: LruCache[Cut]


@st.cache_resource(max_entries=4, show_spinner=False)
def _caches_of(place: str, encoder: str) -> _Caches:
    return _Caches(LruCache(CUTTERS), LruCache(KEPT))


def _caches() -> _Caches:
    library = services.library()
    return _caches_of(str(services.home()), library.model.encoder.fingerprint)


def cutter_of(version: str) -> DocumentCutter:
    """What cuts a document, at hand for the documents that were looked at last."""
    document, library = readings.document(version), services.library()
    return _caches().cutters.get_or_create(version, lambda: DocumentCutter(library, document))


def cut_key(version: str, settings: ChunkingSettings, edits: Sequence[Edit]) -> str:
    """Names a cut. What ``learned`` makes also depends on the library, whose headings teach it."""
    taught = f" {services.library().revision()}" if settings.chunker == "learned" else ""
    return f"{version} {stage_fingerprint(settings)} {edits_fingerprint(edits)}{taught}"


def known_cut(key: str) -> Cut | None:
    """A cut that was made before, if it is still there."""
    return _caches().cuts.get(key)


def cutting(version: str, settings: ChunkingSettings, edits: Sequence[Edit]) -> Callable[[Task[Cut]], Cut]:
    """The work of making a cut, for a task; what comes of it is kept."""
    caches, cutter = _caches(), cutter_of(version)
    readings.text(version)  # made here, where Streamlit's caches know the window
    key = cut_key(version, settings, edits)

    def work(task: Task[Cut]) -> Cut:
        return caches.cuts.put(key, cutter.cut(settings, edits, task))

    return work


def applied_cut(version: str, settings: ChunkingSettings, recipe: str) -> Cut:
    """A document as it is indexed. ``settings``: its own; ``recipe``: the fingerprint of how it is cut."""
    return _applied(str(services.home()), version, recipe, settings)


def applied_reading(version: str) -> Reading:
    """As the reader draws a document that is cut as the library holds it."""
    library = services.library()
    recipe = next((row.recipe_fingerprint for row in services.sources() if row.version_id == version), "")
    return applied_cut(version, library.cutting.effective_chunking(version)[0], recipe).reading


@st.cache_resource(max_entries=8, show_spinner=False)
def _applied(place: str, version: str, recipe: str, settings: ChunkingSettings) -> Cut:
    library = services.library()
    return Cut(library, settings, Replayed(library.tree(version)), library.audit(version), stored=True)
