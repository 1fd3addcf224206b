"""``Library``: the facade of Lectern. It ingests documents, searches them, and manages and repairs the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.chunking.auditing import Audit
from core.chunking.plan import Writer as ChunkingWriter
from core.embedding import EmbeddingModel, packaged_counter
from core.enriching.features import Features
from core.errors import ModelError
from core.ingest import rescuing
from core.ingest.applying import drop_others, fill_generation, recut
from core.ingest.cost import Cost, cost_of
from core.ingest.cutting import Cutting
from core.ingest.gathering import Changes, Scan, ScanProgress, scan_changes
from core.ingest.ingest import Ingest, ItemCancelledError, Watch
from core.ingest.jobs import JobQueue
from core.ingest.passwords import Passwords
from core.ingest.prepared import Incoming
from core.ingest.preparing import Parse
from core.ingest.reports import Failure, Ingested, IngestReport
from core.search.answer.line import packaged_reader
from core.search.question.analysis import Keys
from core.search.question.query import Query
from core.search.question.rewording import Writer
from core.search.ranking.finding import POOL
from core.search.result import SearchResult
from core.search.searcher import Searcher
from core.settings import ChunkingSettings, Settings
from core.storage import backups, erasing, keepsakes, verify
from core.storage.backups import Backup
from core.storage.catalogue import judging
from core.storage.catalogue.filing import sources, trash
from core.storage.catalogue.filing.folders import Folder
from core.storage.catalogue.filing.labels import Collection, Labels, Tag
from core.storage.catalogue.filing.linked import Linked, linked
from core.storage.catalogue.filing.names import ALL_DOCUMENTS, Scope, scope_named
from core.storage.catalogue.filing.sources import SourceRow
from core.storage.catalogue.filing.trash import KEPT_DAYS
from core.storage.catalogue.judging import Judgment, JudgmentRow
from core.storage.catalogue.question_log import QuestionLog
from core.storage.catalogue.statistics import Stats, stats
from core.storage.catalogue.texts import chunks, documents, features, generations
from core.storage.embedder import embedder
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import apply_if_possible, pending
from core.storage.index.projection import VectorIndex, rebuild_projection
from core.storage.index.recall import Recall, measure_recall
from core.storage.schema.word_tables import rebuild_index
from core.storage.store import Store
from core.storage.verify import Problem
from core.types import ChunkTree, Document, Encoder, Span, VectorCache
from core.watching.folder_sync import Folders

__all__ = [
    "KEPT_DAYS", "Changes", "Collection", "Failure", "Folder", "Incoming", "IngestReport", "Ingested",
    "ItemCancelledError", "JudgmentRow", "Library", "Problem", "Scan", "Scope", "SearchResult", "SourceRow", "Stats",
    "Tag", "Watch",
]  # fmt: skip


class Library:
    """An open library; make one with ``Library.open``. A thread-safe context manager, writable by one process."""

    def __init__(self, store: Store, encoder: Encoder | None) -> None:
        self._store, self.home = store, store.home
        self.writer: Writer = None
        self.settings, self.notice = rescuing.stored_settings(store)
        self._encoder = encoder
        self.model = self._load(self.settings)
        self._reader = None if encoder else packaged_reader  # a caller with its own encoder gets no packaged models
        self._chunking_writer: ChunkingWriter | None = None
        self.searcher = Searcher(store, self.model, None, self._reader)  # its stages can be called one by one
        self.passwords = Passwords()
        self.queue = JobQueue(store)
        self.log = QuestionLog(store)
        self.folders = Folders(store, self.queue)

    @classmethod
    def open(cls, home: Path, *, write: bool = True, encoder: Encoder | None = None, repair: bool = False) -> Library:
        """Open the library in the folder ``home``, created if missing.

        ``write``: ``False`` opens it read-only, possible while another process writes. ``encoder``: ``None`` uses the
        one named in the library's settings and loads its weights with the first text. ``repair``: open it even if its
        catalogue is damaged; ``verify(repair=True)`` then restores the documents. Raises ``LibraryLockedError`` naming
        the writing process, ``LibraryDamagedError`` for a damaged catalogue without ``repair``, ``StorageError``,
        ``ModelError``.
        """
        store = Store.open(home, write=write, repair=repair)
        try:
            library = cls(store, encoder)
            if write:
                trash.empty_old_trash(store)
                if pending(store):
                    apply_if_possible(store)
        except BaseException:
            store.close()
            raise
        return library

    def close(self) -> None:
        """Save the keepsakes and release the files and the lock. A second call does nothing."""
        rescuing.save_keepsakes_if_possible(self._store)
        self._store.close()

    def back_up(self, *, if_due: bool = True) -> Backup | None:
        """Back up the catalogue; ``if_due``: at most once a day. Raises ``StorageError`` if the disk is full."""
        keepsakes.save(self._store)
        return backups.make_if_due(self._store) if if_due else backups.make(self._store)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write_with(self, writer: Writer, chunking_writer: ChunkingWriter | None = None) -> None:
        """Use these language models from now on to rephrase questions and to propose chunks; ``None``: none."""
        self.writer, self._chunking_writer = writer, chunking_writer
        self.searcher = Searcher(self._store, self.searcher.model, writer, self._reader)

    @property
    def labels(self) -> Labels:
        """Collections, tags and notes."""
        return Labels(self._store)

    @property
    def index(self) -> VectorIndex:
        """The location and state of the vector index."""
        return VectorIndex(self._store)

    @property
    def writable(self) -> bool:
        """Whether this process holds the write lock."""
        return self._store.writable

    def revision(self) -> int:
        """A number that grows with every change to the library's contents."""
        return self._store.revision()

    def stage(self, data: bytes) -> str:
        """Store the bytes of an upload and return their hash, for ``Incoming.content_hash``."""
        return self._store.files.stage(data)

    def ingest(
        self,
        items: Sequence[Incoming],
        watch: Watch | None = None,
        settings: Settings | None = None,
        promptly: bool = False,
        parse: Parse | None = None,
    ) -> IngestReport:
        """Ingest files and uploads; one that fails is listed in the report and does not stop the others.

        ``settings``: become the library's settings. ``watch``, ``promptly`` and ``parse``: as in ``Ingest``.
        """
        if settings is not None:
            self._adopt(settings)
        self._finish_generation(watch, items=len(items))
        self.cutting.learn(watch if items else None)
        return self._run(watch, promptly=promptly, parse=parse).run(items)

    def apply(self, settings: Settings, watch: Watch | None = None, lender: VectorCache | None = None) -> IngestReport:
        """Make these the library's settings: cut again what they affect, encode what neither it nor ``lender`` has."""
        self._adopt(settings)
        return self._finish_generation(watch) or recut(self._run(watch), lender=lender)

    def remove(self, source_id: int) -> None:
        """Delete a source, and its document unless another source has the same bytes."""
        sources.remove_source(self._store, source_id)
        apply_if_possible(self._store)

    def rebuild(self, watch: Watch | None = None) -> IngestReport:
        """Train the ``learned`` chunker again, chunk every document by its recipe, and rebuild both indexes."""
        self.cutting.learn(watch, anyway=True)
        report = self.apply(self.settings, watch)
        if serving := generations.serving(self._store):
            with self._store.transaction() as connection:
                rebuild_index(connection, serving.number)
            rebuild_projection(self._store)
        return report

    def verify(self, *, repair: bool = False, progress: verify.Progress = verify.quietly) -> list[Problem]:
        """All problems found; ``repair``: fix what can be fixed and return what remains. ``progress`` may raise."""
        problems = verify.verify(self._store, repair, progress)
        return rescuing.repair(self._store, problems, self._stored_settings_run, progress) if repair else problems

    def measure_recall(self) -> Recall | None:
        """The recall of Chroma's search against exact search; ``None``: read-only, or too few leaves to measure it."""
        retrieval = self.settings.retrieval
        return measure_recall(self._store, retrieval.k, POOL, retrieval.exact_below) if self.writable else None

    def stats(self) -> Stats:
        """Counts of sources, documents and chunks, and sizes in bytes."""
        return stats(self._store)

    def sources(self) -> list[SourceRow]:
        """Every source outside the trash with its document, in the order they were added."""
        return sources.sources(self._store)

    def trash(self, source_ids: Sequence[int]) -> None:
        """Move sources to the trash and take them out of all lists and indexes. They are deleted after 30 days."""
        trash.trash_sources(self._store, source_ids)
        apply_if_possible(self._store)

    def trashed(self) -> list[SourceRow]:
        """The sources in the trash, newest first, without attachments that were trashed along with their mail."""
        return sources.trashed(self._store)

    def restore(self, source_ids: Sequence[int], watch: Watch | None = None) -> IngestReport:
        """Restore sources from the trash and chunk them by today's settings; cached vectors are reused."""
        trashed = trash.in_trash(self._store, source_ids)
        self._finish_generation(watch, items=len(trashed))
        return self._run(watch).run([Incoming(name, None, version, source) for source, name, version in trashed])

    def empty_trash(self) -> int:
        """Delete all sources in the trash and return their number."""
        count = trash.empty_trash(self._store)
        apply_if_possible(self._store)
        return count

    def erase(self, *, copies: bool = False) -> None:
        """Purge all traces of deleted documents from the disk; see ``core.storage.erasing.erase``."""
        erasing.erase(self._store, copies=copies)

    def scope(self, collections: Sequence[str] = (), tags: Sequence[str] = ()) -> Scope:
        """The search scope of collections and tags. Raises ``NotFoundError`` listing the existing names."""
        return scope_named(self._store, collections, tags)

    def preference(self, name: str) -> str:
        """A value that the pages store in this library, such as whether the tour was taken; "" if unset."""
        return self._store.meta(f"preference.{name}") or ""

    def set_preference(self, name: str, value: str) -> None:
        """Store a preference; "" deletes it."""
        self._store.set_meta(f"preference.{name}", value or None)

    def scan(self, path: Path, patterns: Sequence[str] = (), progress: ScanProgress | None = None) -> Changes:
        """Compare a folder (or file) with the library; ``changes.items()`` can be put in the queue.

        ``progress(files, folder)`` may raise ``CancelledError``. Raises ``LecternError`` if ``path`` does not exist.
        """
        return scan_changes(self._store, path, patterns, progress)

    def cost(self, files: Iterable[tuple[str, int]], chunking: ChunkingSettings | None = None) -> Cost:
        """Estimate the cost of ingesting ``(kind, bytes)`` files; ``chunking`` ``None``: the library's settings."""
        return cost_of(self._store, files, chunking or self.settings.chunking, self._chunking_writer)

    def document(self, version_id: str) -> Document:
        """A document with its text and structure. Raises ``NotFoundError``."""
        return documents.document(self._store, version_id)

    def parse_fingerprint(self, version_id: str) -> str:
        """Identifies how a document was parsed; changes with its parser or its text."""
        return documents.parse_fingerprint(self._store, version_id)

    def tree(self, version_id: str) -> ChunkTree:
        """A document's chunks in the serving generation."""
        return chunks.tree(self._store, version_id)

    def audit(self, version_id: str) -> Audit:
        """Which parts of a document its leaves cover."""
        return chunks.audit(self._store, version_id)

    def features(self, version_id: str) -> Mapping[str, Features]:
        """The features of each chunk of a document (genre, keywords, ...) by chunk id. Raises ``NotFoundError``."""
        return features.features(self._store, version_id)

    def linked(self) -> Linked:
        """Resolves links between documents of the library."""
        return linked(self._store)

    def original(self, version_id: str) -> bytes:
        """The bytes of the original file."""
        return self._store.files.read(version_id)

    def judge(
        self, question: str, version_id: str, start: int, end: int, *, answer: str = "", origin: str = "human"
    ) -> int:
        """Record that ``[start, end)`` of a document answers a question, and return the judgment's id.

        The span is trimmed of blanks. Raises ``LecternError`` for a blank question or span, ``NotFoundError``.
        """
        return judging.judge(self._store, question, version_id, Span(start, end), answer, origin)

    def judge_unanswerable(self, question: str, *, origin: str = "human") -> int:
        """Record that no document of the library answers a question, and return the judgment's id."""
        return judging.judge_unanswerable(self._store, question, origin)

    def judgments(self, version_id: str | None = None) -> list[JudgmentRow]:
        """All judgments, or those of one document, in the order they were made, with the current gold spans."""
        return judging.judgments(self._store, version_id)

    def add_judgments(self, judgments: Sequence[Judgment]) -> list[int]:
        """Add judgments in one transaction and return their ids; one that exists already keeps its id."""
        return judging.add_judgments(self._store, judgments)

    def remove_judgments(self, ids: Sequence[int]) -> None:
        """Delete judgments in one transaction. Raises ``NotFoundError``."""
        judging.remove_judgments(self._store, ids)

    def unlock(self, item_id: int, password: str) -> None:
        """Hold the password of a queue item's file in memory and queue the item again."""
        item = self.queue.item(item_id)
        if content_hash := self._store.files.hash_of(item.path) if item.path else item.content_hash:
            self.passwords.remember(content_hash, password)
        self.queue.retry_item(item_id)

    def follow(self) -> None:
        """In a read-only process, adopt the settings that the writing process has stored since."""
        if not self.writable and (stored := self._store.settings()) is not None and stored != self.settings:
            self._adopt(stored)
            self._search_with_model()

    @property
    def cutting(self) -> Cutting:
        """The chunking recipes of file kinds and single documents, and manual chunk edits."""
        return Cutting(self._run, lambda watch: self._finish_generation(watch, items=1))

    @property
    def vectors(self) -> VectorCache:
        """The library's cache of encoded texts."""
        return CatalogueVectors(self._store)

    def search(
        self, question: str, settings: Settings | None = None, scope: Scope = ALL_DOCUMENTS, ignored: Keys = frozenset()
    ) -> SearchResult:
        """The hits, passages, context and trace of a question; ``settings`` ``None`` uses the library's."""
        return self.searcher.search(Query(question, scope, ignored), settings or self.settings)

    def _load(self, settings: Settings) -> EmbeddingModel:
        own = self._encoder
        return EmbeddingModel(own, packaged_counter()) if own else embedder(self._store, settings.embedding)

    def _adopt(self, settings: Settings) -> None:
        """Use these settings. With a new embedder they are stored only once its generation serves searches."""
        same_embedder = settings.embedding == self.settings.embedding
        self.model = self.model if same_embedder else self._load(settings)
        self.settings = settings
        if same_embedder:
            self._persist()

    def _stored_settings_run(self) -> Ingest:
        """An ingest run by the stored settings, after all documents are encoded with their embedder."""
        stored, notice = rescuing.stored_settings(self._store)
        if notice:  # the stored settings were unreadable: store the defaults in their place
            self._store.save_settings(stored)
        self.notice = ""
        self._adopt(stored)
        self._finish_generation(None)
        return self._run(None)

    def _persist(self) -> None:
        if self.settings != rescuing.stored_settings(self._store)[0] or not self._store.meta("settings"):
            self._store.save_settings(self.settings)
            self.notice = ""

    def _run(self, watch: Watch | None, *, promptly: bool = False, parse: Parse | None = None) -> Ingest:
        run = Ingest(self._store, self.model, self.settings, watch, promptly=promptly, passwords=self.passwords)
        run.writer, run.parse = self._chunking_writer, parse
        return run

    def _finish_generation(self, watch: Watch | None, items: int | None = None) -> IngestReport | None:
        """Encode all documents with the current embedder if it is not the serving one, then search with it.

        ``items``: the number of queue items that ``watch`` reports on while they wait for this; ``None``: it reports
        on the documents themselves. Returns ``None`` if there was nothing to encode.
        """
        rescuing.require_settings(self.notice, self.settings)
        run = self._run(watch)
        try:
            report = fill_generation(run, items)
        except ModelError:
            self._adopt(rescuing.stored_settings(self._store)[0])  # return to the serving embedder
            raise
        self._search_with_model()
        self._persist()
        if report is not None:
            drop_others(run)
        return report

    def _search_with_model(self) -> None:
        """Search with the current embedder; call it only once the generation it encoded serves searches."""
        if self.searcher.model is not self.model:
            self.searcher = Searcher(self._store, self.model, self.writer, self._reader)
