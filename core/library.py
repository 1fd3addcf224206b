"""``Library``: one person's documents, whole. Put them in, look at them, ask, measure; every stage behind one face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.chunking.auditing import Audit
from core.chunking.plan import Writer as Cutter
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
from core.storage.catalogue import chunks, documents, features, generations, judging, sources, trash
from core.storage.catalogue.folders import Folder
from core.storage.catalogue.judging import Judgment, JudgmentRow
from core.storage.catalogue.labels import Collection, Labels, Tag
from core.storage.catalogue.linked import Linked, linked
from core.storage.catalogue.names import ALL_DOCUMENTS, Scope, scope_named
from core.storage.catalogue.question_log import QuestionLog
from core.storage.catalogue.sources import SourceRow
from core.storage.catalogue.statistics import Stats, stats
from core.storage.catalogue.trash import KEPT_DAYS
from core.storage.embedder import embedder
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import carry_if_possible, pending
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
    """A library opened by ``Library.open``; a context manager. Any thread may call it; one process writes it."""

    def __init__(self, store: Store, encoder: Encoder | None) -> None:
        self._store = store
        self.writer: Writer = None
        self.settings, self.notice = rescuing.kept_settings(store)
        self._given = encoder
        self._model = self._load(self.settings)
        self._reader = None if encoder else packaged_reader  # whoever brings an encoder wants no model of Lectern's
        self._cutter: Cutter | None = None
        self._searcher = Searcher(store, self._model, None, self._reader)
        self.passwords = Passwords()
        self.queue = JobQueue(store)
        self.log = QuestionLog(store)
        self.folders = Folders(store, self.queue)

    @classmethod
    def open(cls, home: Path, *, write: bool = True, encoder: Encoder | None = None, repair: bool = False) -> Library:
        """Open the library in ``home``, made when missing; ``write=False`` reads beside a process that writes.

        ``encoder`` ``None``: the one the library's settings name, its weights loaded when the first text needs them.
        ``repair``: also where its catalogue is damaged; ``verify`` with ``repair`` then puts its documents back.
        Raises ``LibraryLockedError`` naming the holder, ``LibraryDamagedError`` for what opens for repair alone,
        ``StorageError``, ``ModelError``.
        """
        store = Store.open(home, write=write, repair=repair)
        try:
            library = cls(store, encoder)
            if write:
                trash.empty_old_trash(store)
                if pending(store):
                    carry_if_possible(store)
        except BaseException:
            store.close()
            raise
        return library

    def close(self) -> None:
        """Write down what no original can give back, let go of the files and the lock. Twice is once."""
        rescuing.write_down_if_possible(self._store)
        self._store.close()

    def back_up(self, *, if_due: bool = True) -> Backup | None:
        """Copy the catalogue; with ``if_due`` once a day at most. Raises ``StorageError`` without room."""
        keepsakes.write_down(self._store)
        return backups.make_if_due(self._store) if if_due else backups.make(self._store)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write_with(self, writer: Writer, cutter: Cutter | None = None) -> None:
        """Have another language model word questions and propose cuts from now on; ``None``: nothing does."""
        self.writer, self._cutter = writer, cutter
        self._searcher = Searcher(self._store, self._searcher.model, writer, self._reader)

    @property
    def home(self) -> Path:
        """The folder the library lies in."""
        return self._store.home

    @property
    def labels(self) -> Labels:
        """Collections, tags and notes."""
        return Labels(self._store)

    @property
    def index(self) -> VectorIndex:
        """Where the index of vectors stands."""
        return VectorIndex(self._store)

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
        self,
        items: Sequence[Incoming],
        watch: Watch | None = None,
        settings: Settings | None = None,
        promptly: bool = False,
        parse: Parse | None = None,
    ) -> IngestReport:
        """Put files and uploads in, a bad one listed. ``settings`` become its own; the others are as of ``Ingest``."""
        if settings is not None:
            self._adopt(settings)
        self._finish_generation(watch, items=len(items))
        self.cutting.learn(watch if items else None)
        return self._run(watch, promptly=promptly, parse=parse).run(items)

    def apply(self, settings: Settings, watch: Watch | None = None) -> IngestReport:
        """Make the settings the library's own: cut anew what they cut differently, encode only what is new."""
        self._adopt(settings)
        return self._finish_generation(watch) or recut(self._run(watch))

    def remove(self, source_id: int) -> None:
        """Forget a source, and its document when no other source holds the same bytes."""
        sources.remove_source(self._store, source_id)
        carry_if_possible(self._store)

    def rebuild(self, watch: Watch | None = None) -> IngestReport:
        """Cut every document by its recipe, ``learned`` taught anew, and rebuild both indexes from the catalogue."""
        self.cutting.learn(watch, anyway=True)
        report = self.apply(self.settings, watch)
        if serving := generations.serving(self._store):
            with self._store.transaction() as connection:
                rebuild_index(connection, serving.number)
            rebuild_projection(self._store)
        return report

    def verify(self, *, repair: bool = False, progress: verify.Progress = verify.quietly) -> list[Problem]:
        """Everything that is wrong; with ``repair`` what still is, once all is put back. ``progress`` may raise."""
        problems = verify.verify(self._store, repair, progress)
        return rescuing.repaired(self._store, problems, self._again, progress) if repair else problems

    def measure_recall(self) -> Recall | None:
        """How much of what is nearest Chroma finds, measured where it is asked and has grown; ``None``: it is not."""
        retrieval = self.settings.retrieval
        return measure_recall(self._store, retrieval.k, POOL, retrieval.exact_below) if self.writable else None

    def stats(self) -> Stats:
        """Counts and bytes."""
        return stats(self._store)

    def sources(self) -> list[SourceRow]:
        """Every live source with its document, in the order they were added."""
        return sources.sources(self._store)

    def trash(self, source_ids: Sequence[int]) -> None:
        """Put sources in the trash: out of every list and index until they are restored, removed or 30 days old."""
        trash.trash_sources(self._store, source_ids)
        carry_if_possible(self._store)

    def trashed(self) -> list[SourceRow]:
        """What is in the trash, last first. Attachments that went with their mail are not listed beside it."""
        return sources.trashed(self._store)

    def restore(self, source_ids: Sequence[int], watch: Watch | None = None) -> IngestReport:
        """Bring sources back from the trash, cut as the library is now; a text whose vector is kept is not encoded."""
        held = trash.in_trash(self._store, source_ids)
        self._finish_generation(watch, items=len(held))
        return self._run(watch).run([Incoming(name, None, version, source) for source, name, version in held])

    def empty_trash(self) -> int:
        """Remove for good what is in the trash and return how many sources that were."""
        count = trash.empty_trash(self._store)
        carry_if_possible(self._store)
        return count

    def erase(self, *, copies: bool = False) -> None:
        """Leave no trace of what was removed for good, as ``core.storage.erasing.erase`` has it."""
        erasing.erase(self._store, copies=copies)

    def scope(self, collections: Sequence[str] = (), tags: Sequence[str] = ()) -> Scope:
        """The scope of collections and tags by their names. Raises ``NotFoundError`` naming those there are."""
        return scope_named(self._store, collections, tags)

    def preference(self, name: str) -> str:
        """What the pages keep with this library, such as whether its tour was taken; "" where nothing was kept."""
        return self._store.meta(f"preference.{name}") or ""

    def set_preference(self, name: str, value: str) -> None:
        """Keep a preference; "" forgets it."""
        self._store.set_meta(f"preference.{name}", value or None)

    def scan(self, path: Path, patterns: Sequence[str] = (), progress: ScanProgress | None = None) -> Changes:
        """What a folder (or file) holds against what the library has of it. ``changes.items()`` are for the queue.

        ``progress(files, folder)`` may raise ``CancelledError``. Raises ``LecternError`` for what is no folder.
        """
        return scan_changes(self._store, path, patterns, progress)

    def cost(self, files: Iterable[tuple[str, int]], chunking: ChunkingSettings | None = None) -> Cost:
        """What reading files, each a kind and its bytes, would cost here, cut by ``chunking``, usually as set."""
        return cost_of(self._store, files, chunking or self.settings.chunking, self._cutter)

    def document(self, version_id: str) -> Document:
        """A document with its text and structure. Raises ``NotFoundError``."""
        return documents.document(self._store, version_id)

    def reading_of(self, version_id: str) -> str:
        """Names how a document was read: another parser, or another text, is another name."""
        return documents.reading_of(self._store, version_id)

    def tree(self, version_id: str) -> ChunkTree:
        """A document's chunks as they are indexed."""
        return chunks.tree(self._store, version_id)

    def audit(self, version_id: str) -> Audit:
        """What of a document its leaves cover."""
        return chunks.audit(self._store, version_id)

    def features(self, version_id: str) -> Mapping[str, Features]:
        """What is known of each chunk of a document beside its text, by chunk id. Raises ``NotFoundError``."""
        return features.features(self._store, version_id)

    def linked(self) -> Linked:
        """Which document a link in another one means."""
        return linked(self._store)

    def original(self, version_id: str) -> bytes:
        """The file's own bytes."""
        return self._store.files.read(version_id)

    def judge(
        self, question: str, version_id: str, start: int, end: int, *, answer: str = "", origin: str = "human"
    ) -> int:
        """Keep that ``[start, end)`` of a document answers a question, and return the judgment's number.

        Blanks at the edges are left out. Raises ``LecternError`` for a blank question or span, ``NotFoundError``.
        """
        return judging.judge(self._store, question, version_id, Span(start, end), answer, origin)

    def judge_unanswerable(self, question: str, *, origin: str = "human") -> int:
        """Keep that the library does not answer a question, and return the judgment's number."""
        return judging.judge_unanswerable(self._store, question, origin)

    def judgments(self, version_id: str | None = None) -> list[JudgmentRow]:
        """All judgments in the order they were made, or those of one document, with where their gold lies now."""
        return judging.judgments(self._store, version_id)

    def add_judgments(self, judgments: Sequence[Judgment]) -> list[int]:
        """Keep judgments, all or none, and return their numbers; one that is there already keeps its number."""
        return judging.add_judgments(self._store, judgments)

    def remove_judgments(self, ids: Sequence[int]) -> None:
        """Forget judgments, all or none. Raises ``NotFoundError``."""
        judging.remove_judgments(self._store, ids)

    def unlock(self, item_id: int, password: str) -> None:
        """Remember the password of a queue item's file in memory and put the item back in the queue."""
        item = self.queue.item(item_id)
        if content_hash := self._store.files.hash_of(item.path) if item.path else item.content_hash:
            self.passwords.remember(content_hash, password)
        self.queue.retry_item(item_id)

    def follow(self) -> None:
        """Where this process only reads: take over what the one that writes has made the library's settings."""
        if not self.writable and (kept := self._store.settings()) is not None and kept != self.settings:
            self._adopt(kept)
            self._ask_with_model()

    @property
    def cutting(self) -> Cutting:
        """The recipes of kinds and documents, and the edits by hand."""
        return Cutting(self._run, lambda watch: self._finish_generation(watch, items=1))

    @property
    def vectors(self) -> VectorCache:
        """What was ever encoded for this library and is still kept."""
        return CatalogueVectors(self._store)

    @property
    def searcher(self) -> Searcher:
        """The stages of a question one by one, for whoever measures them."""
        return self._searcher

    def search(
        self,
        question: str,
        settings: Settings | None = None,
        scope: Scope = ALL_DOCUMENTS,
        ignored: Keys = frozenset(),
    ) -> SearchResult:
        """A question's hits, passages, context and trace in a scope, as ``Searcher.search`` has them."""
        return self._searcher.search(Query(question, scope, ignored), settings or self.settings)

    def _load(self, settings: Settings) -> EmbeddingModel:
        given = self._given
        return EmbeddingModel(given, packaged_counter()) if given else embedder(self._store, settings.embedding)

    def _adopt(self, settings: Settings) -> None:
        """Take the settings over. Those that name another embedder are persisted once its generation serves."""
        same = settings.embedding == self.settings.embedding
        self._model = self._model if same else self._load(settings)
        self.settings = settings
        if same:
            self._persist()

    def _again(self) -> Ingest:
        """A run by the settings as they are kept now, once the documents are encoded by them."""
        kept, notice = rescuing.kept_settings(self._store)
        if notice:  # nothing had them: Lectern's own are the library's from now on
            self._store.save_settings(kept)
        self.notice = ""
        self._adopt(kept)
        self._finish_generation(None)
        return self._run(None)

    def _persist(self) -> None:
        if self.settings != rescuing.kept_settings(self._store)[0] or not self._store.meta("settings"):
            self._store.save_settings(self.settings)
            self.notice = ""

    def _run(self, watch: Watch | None, *, promptly: bool = False, parse: Parse | None = None) -> Ingest:
        run = Ingest(self._store, self._model, self.settings, watch, promptly=promptly, passwords=self.passwords)
        run.writer, run.parse = self._cutter, parse
        return run

    def _finish_generation(self, watch: Watch | None, items: int | None = None) -> IngestReport | None:
        """Where the embedder is another than the serving one's: fill its generation and ask it from now on.

        ``items``: how many the watch knows, where it watches items that wait for this, not the documents.
        """
        rescuing.require_settings(self.notice, self.settings)
        run = self._run(watch)
        try:
            report = fill_generation(run, items)
        except ModelError:
            self._adopt(rescuing.kept_settings(self._store)[0])  # go on with what serves
            raise
        self._ask_with_model()
        self._persist()
        if report is not None:
            drop_others(run)
        return report

    def _ask_with_model(self) -> None:
        """Questions go to the embedder that built the serving generation; until the flip that is the one before."""
        if self._searcher.model is not self._model:
            self._searcher = Searcher(self._store, self._model, self.writer, self._reader)
