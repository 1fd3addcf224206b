"""``Library``: one person's documents, whole. Put them in, look at them, ask, measure; every stage behind one face."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from types import TracebackType

from core.embedding import EmbeddingModel, load_model, packaged_counter
from core.errors import StorageError
from core.ingest import Failure, Incoming, Ingest, Ingested, IngestReport, ItemCancelledError, Watch
from core.jobs import JobQueue
from core.retrieval import Ranking
from core.searching import Searcher, SearchResult
from core.settings import Settings
from core.storage import chunks, documents, generations, sources, verify
from core.storage.lexical import rebuild_index
from core.storage.outbox import apply_outbox, carry_if_possible, pending, rebuild_projection
from core.storage.sources import SourceRow
from core.storage.statistics import Stats, stats
from core.storage.store import Store
from core.storage.verify import Problem
from core.types import Answer, Audit, ChunkTree, Context, Document, Encoder

_LOG = logging.getLogger(__name__)

__all__ = [
    "Failure",
    "Incoming",
    "IngestReport",
    "Ingested",
    "ItemCancelledError",
    "Library",
    "Problem",
    "SearchResult",
    "SourceRow",
    "Stats",
    "Watch",
]


class Library:
    """A library opened by ``Library.open``; a context manager. Any thread may call it; one process writes it."""

    def __init__(self, store: Store, encoder: Encoder | None) -> None:
        self._store = store
        self.settings = store.settings() or Settings()
        self._given = encoder
        self._model = self._load(self.settings)
        self._searcher = Searcher(store, self._model)
        self.queue = JobQueue(store)

    @classmethod
    def open(cls, home: Path, *, write: bool = True, encoder: Encoder | None = None) -> Library:
        """Open the library in ``home``, made when missing; ``write=False`` reads beside a process that writes.

        ``encoder`` ``None``: the one the library's settings name, its weights loaded when the first text needs them.
        Raises ``LibraryLockedError`` naming the holder, ``StorageError``, ``ModelError``.
        """
        store = Store.open(home, write=write)
        try:
            library = cls(store, encoder)
            if write and pending(store):
                carry_if_possible(store)
        except BaseException:
            store.close()
            raise
        return library

    def close(self) -> None:
        """Let go of the files and the lock. Twice is once."""
        self._store.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def home(self) -> Path:
        """The folder the library lies in."""
        return self._store.home

    @property
    def writable(self) -> bool:
        """Whether this process holds the writer's lock."""
        return self._store.writable

    @property
    def model(self) -> EmbeddingModel:
        """The embedder that reads documents and questions."""
        return self._model

    def revision(self) -> int:
        """Grows with every change of what the library holds."""
        return self._store.revision()

    def stage(self, data: bytes) -> str:
        """Keep an upload's bytes and return the hash an ``Incoming`` names them by."""
        return self._store.files.stage(data)

    def ingest(
        self, items: Sequence[Incoming], watch: Watch | None = None, settings: Settings | None = None
    ) -> IngestReport:
        """Put files and uploads in. ``settings`` become the library's own. A bad file is listed, the rest goes on."""
        if settings is not None:
            self._adopt(settings)
        self._finish_generation(watch=None)
        return Ingest(self._store, self._model, self.settings, watch).run(items)

    def apply(self, settings: Settings, watch: Watch | None = None) -> IngestReport:
        """Make the settings the library's own: cut anew what they cut differently, encode only what is new."""
        self._adopt(settings)
        return self._finish_generation(watch) or self._recut(watch, generation=None)

    def remove(self, source_id: int) -> None:
        """Forget a source, and its document when no other source holds the same bytes."""
        sources.remove_source(self._store, source_id)
        carry_if_possible(self._store)

    def rebuild(self, watch: Watch | None = None) -> IngestReport:
        """Cut every document by the library's settings and rebuild both indexes from the catalogue."""
        report = self.apply(self.settings, watch)
        serving = generations.serving(self._store)
        if serving is not None:
            with self._store.transaction() as connection:
                rebuild_index(connection, serving.number)
            rebuild_projection(self._store)
        return report

    def verify(self, *, repair: bool = False) -> list[Problem]:
        """Everything that is wrong with the library; empty when it is sound."""
        return verify.verify(self._store, repair=repair)

    def stats(self) -> Stats:
        """Counts and bytes."""
        return stats(self._store)

    def sources(self) -> list[SourceRow]:
        """Every source with its document, in the order they were added."""
        return sources.sources(self._store)

    def document(self, version_id: str) -> Document:
        """A document with its text and structure. Raises ``NotFoundError``."""
        return documents.document(self._store, version_id)

    def tree(self, version_id: str) -> ChunkTree:
        """A document's chunks as they are indexed."""
        return chunks.tree(self._store, version_id)

    def audit(self, version_id: str) -> Audit:
        """What of a document its leaves cover."""
        return chunks.audit(self._store, version_id)

    def original(self, version_id: str) -> bytes:
        """The file's own bytes."""
        return self._store.files.read(version_id)

    def rank(self, question: str, settings: Settings | None = None) -> Ranking:
        """A question's ranking, every stage's scores kept."""
        return self._searcher.rank(question, settings or self.settings)

    def assemble(
        self, ranking: Ranking, settings: Settings | None = None, budget_characters: int | None = None
    ) -> Context:
        """A ranking's context for a reader with so much room (``None``: the settings' tokens)."""
        return self._searcher.assemble(ranking, settings or self.settings, budget_characters)

    def search(
        self, question: str, settings: Settings | None = None, budget_characters: int | None = None
    ) -> SearchResult:
        """A question's hits, passages, context and trace; logged by the process that writes."""
        chosen = settings or self.settings
        started = perf_counter()
        result = self._searcher.search(question, chosen, budget_characters)
        try:
            self._store.log_query(question, chosen.fingerprint(), (perf_counter() - started) * 1000)
        except StorageError as error:  # a full disk costs the note, not the answer
            _LOG.warning("The question could not be noted: %s", error)
        return result

    def quotes(self, result: SearchResult) -> Answer:
        """The best supporting sentences of a result, with citations."""
        return self._searcher.quotes(result)

    def warm(self, questions: Sequence[str]) -> None:
        """Encode many questions at once, so that each ``search`` finds its vector in memory."""
        self._searcher.encode(questions)

    def _load(self, settings: Settings) -> EmbeddingModel:
        if self._given is not None:
            return EmbeddingModel(self._given, packaged_counter())
        return load_model(settings.embedding)

    def _adopt(self, settings: Settings) -> None:
        """Take the settings over. Those that name another embedder are persisted once its generation serves."""
        if settings.embedding != self.settings.embedding:
            self._model = self._load(settings)
            self.settings = settings
        else:
            self.settings = settings
            self._persist()

    def _persist(self) -> None:
        if self.settings != self._store.settings():
            self._store.save_settings(self.settings)

    def _finish_generation(self, watch: Watch | None) -> IngestReport | None:
        """Where the embedder is another than the serving one's: fill its generation, flip, drop the old one.

        Returns what that cost; ``None`` where nothing had to be done.
        """
        encoder = self._model.encoder
        wanted = generations.begin_generation(self._store, encoder.fingerprint, encoder.dimension)
        if wanted.serving:
            self._ask_with_model()
            self._persist()
            return None
        report = self._recut(watch, generation=wanted.number)
        # What failed is listed and stays out: one document must not keep the others from their new vectors.
        failed = generations.unfinished_versions(self._store, wanted.number) if report.failures else []
        generations.serve(self._store, wanted.number, without=failed)
        self._ask_with_model()
        self._persist()
        for other in generations.generations(self._store):
            if not other.serving:
                generations.drop_generation(self._store, other.number)
        apply_outbox(self._store)
        return report

    def _ask_with_model(self) -> None:
        """Questions go to the embedder that built the serving generation; until the flip that is the one before."""
        if self._searcher.model is not self._model:
            self._searcher = Searcher(self._store, self._model)

    def _recut(self, watch: Watch | None, generation: int | None) -> IngestReport:
        """Run every version in the library through the recipe again; unchanged ones cost nothing."""
        versions: dict[str, str] = {}
        for source in self.sources():
            versions.setdefault(source.version_id, source.name)  # a version is read under its first name
        items = [Incoming(name, content_hash=version_id) for version_id, name in versions.items()]
        run = Ingest(self._store, self._model, self.settings, watch, generation, keep_sources=True)
        return run.run(items)
