"""``Ingest``: parses, chunks, encodes and stores files.

Chunked documents are collected until there are enough texts for full encoder batches. Each item is then stored in one
transaction, a mail together with its attachments; an item that fails does not affect the others. In a prompt run, a
new document is first stored without vectors, so that lexical search finds it at once, and encoded some documents later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from time import perf_counter
from typing import Protocol

from core.cancellation import cancellation_check
from core.chunking.plan import Writer
from core.embedding import EmbeddingModel, Encoded, encode_cached
from core.errors import CancelledError, LecternError, ModelError, StorageError
from core.ingest.passwords import Passwords
from core.ingest.prepared import Incoming, Member, Prepared, leaves_with_keys, new_leaves, problem_of
from core.ingest.preparing import Parse, Preparer, with_timeout
from core.ingest.reports import Failure, Ingested, IngestReport
from core.settings import Settings
from core.storage.catalogue.filing import sources, trash
from core.storage.catalogue.statistics import add_language
from core.storage.catalogue.texts import chunks, documents, features, meaning
from core.storage.catalogue.texts.chunks import NewLeaf
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import apply_if_possible
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store
from core.text.languages import ENGLISH, language_of
from core.text.places import pages_read
from core.types import VectorCache

# Texts collected before the encoder runs: enough for full batches, few enough that a crash costs only seconds of work.
BATCH_TEXTS = 1024
# In a prompt run, a batch also ends at either of these: about a second of work on a small machine. They are counts, not
# times, so that the same files give the same vectors (to the last digit) under any load.
SMALL_BATCH_TEXTS, SMALL_BATCH_DOCUMENTS = 64, 8

MEANING_FOLLOWS = "preference.meaning_follows"  # meta key: documents await encoding by a server that did not answer
TEXTS_A_SECOND = "texts_a_second"  # meta key: the measured speed of the encoder
_MIN_TIMED_TEXTS = 32  # for a measurement


class ItemCancelledError(CancelledError):
    """The item at ``index`` was cancelled; the others go on."""

    def __init__(self, index: int) -> None:
        super().__init__("This file was cancelled.")
        self.index = index


class Watch(Protocol):
    """Receives progress. Methods may raise ``ItemCancelledError`` to skip one item, ``CancelledError`` to stop."""

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Item ``index`` has finished ``done`` of ``total`` steps of a stage.

        Stages: "reading", "parsing", "chunking", "encoding", "storing"; "renewing" while the item waits until all
        documents are encoded by a new embedder.
        """

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """Item ``index`` is done. Called inside the transaction that stores it, but not for its attachments."""


@dataclass(slots=True)
class Ingest:
    """One ingest run.

    ``generation``: to store chunks in; ``None``: that of the model. ``keep_sources``: the items are versions in the
    library to be chunked again; their sources do not change. ``promptly``: store new documents without vectors before
    they are encoded. ``writer``: a language model that proposes chunks, or ``None``. ``parse``: the parser; ``None``
    for ``core.parsing.parse``. ``lender``: a cache whose vectors are copied instead of encoding anew.
    """

    store: Store
    model: EmbeddingModel
    settings: Settings
    watch: Watch | None = None
    generation: int | None = None
    keep_sources: bool = False
    promptly: bool = False
    passwords: Passwords = field(default_factory=Passwords)
    writer: Writer | None = None
    parse: Parse | None = None
    lender: VectorCache | None = None
    documents: list[Ingested] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    encoded: int = 0
    reused: int = 0
    _waiting: list[Prepared] = field(default_factory=list)
    _waiting_texts: int = 0
    _waiting_versions: set[str] = field(default_factory=set)
    _unapplied: int = 0
    _started: float = field(default_factory=perf_counter)

    def run(self, items: Sequence[Incoming]) -> IngestReport:
        """Ingest all items. Failed ones are listed in the report. After a cancellation, stored items stay."""
        if self.generation is None:
            encoder = self.model.encoder
            self.generation = begin_generation(self.store, encoder.fingerprint, encoder.dimension).number
        by = Preparer(
            self.store,
            self.model,
            self.settings,
            self.generation,
            self.passwords,
            self.keep_sources,
            writer=self.writer,
            parse=self.parse,
            lender=self.lender,
        )
        for index, item in enumerate(items):
            try:
                self._add(by, index, item)
            except ItemCancelledError:
                continue
            except CancelledError:
                raise
            except LecternError as error:
                self._fail(index, item, error)
            small_batch_full = self.promptly and (
                self._waiting_texts >= SMALL_BATCH_TEXTS or len(self._waiting) >= SMALL_BATCH_DOCUMENTS
            )
            if small_batch_full or self._waiting_texts >= BATCH_TEXTS:
                self._flush()
        self._flush()
        self._apply_outbox(len(items) - 1)
        seconds = perf_counter() - self._started
        return IngestReport(tuple(self.documents), tuple(self.failures), self.encoded, self.reused, seconds)

    def _add(self, by: Preparer, index: int, item: Incoming) -> None:
        prepared = by.prepare(index, item, lambda *progress: self._report(index, *progress), self._flush_version)
        if prepared is None:
            return
        # Unchanged items can be stored now, except sources from the trash: an attachment's mail must come before it.
        if item.source is None and not any(member.cut for member in prepared.members):
            self._store(prepared, iter(()))
            return
        if self.promptly and self._is_new(prepared):
            self._store(prepared, repeat(NO_VECTOR), without_vectors=True)
            prepared = replace(prepared, by_words=True)
        self._waiting.append(prepared)
        for member in prepared.members:
            self._waiting_versions.add(member.version_id)
            self._waiting_texts += len(member.cut.texts) if member.cut else 0

    def _is_new(self, prepared: Prepared) -> bool:
        """Whether it replaces no document: storing it without vectors then makes nothing harder to find."""
        head, item = prepared.members[0], prepared.item
        if self.keep_sources or item.source is not None:
            return False
        return sources.find_source(self.store, name=head.name, path=item.path) is None and not any(
            member.cut is None or documents.version(self.store, member.version_id) for member in prepared.members
        )

    def _flush_version(self, version_id: str) -> None:
        """Store this version now if it is in the current batch."""
        if version_id in self._waiting_versions:
            self._flush()

    def _flush(self) -> None:
        """Encode the current batch and store it, item by item."""
        try:
            encoded = self._encode_waiting()
        except (StorageError, ModelError) as error:  # disk full, or no encoder
            on_endpoint = isinstance(error, ModelError) and bool(self.settings.embedding.endpoint_model)
            for prepared in self._pop_waiting():
                with self._isolated(prepared):
                    if not (on_endpoint and self._finish_without_vectors(prepared, str(error))):
                        self._fail(prepared.index, prepared.item, error)
            return
        keys = iter(encoded.keys)
        waiting = self._pop_waiting()
        for prepared in waiting:
            own = iter([next(keys) for _ in prepared.texts])
            with self._isolated(prepared):
                self._report(prepared.index, "storing", 0, 1)
                if prepared.by_words:
                    self._assign_vectors(prepared, own)
                else:
                    self._store(prepared, own)
        self._unapplied += len(encoded.keys)
        if self._unapplied >= BATCH_TEXTS:
            self._unapplied = 0
            self._apply_outbox(waiting[-1].index)

    def _apply_outbox(self, index: int) -> None:
        """Update Chroma, which takes long for a large document. Cancelling ``index`` only defers the rest of it: the
        documents are stored already.
        """
        with suppress(CancelledError):
            apply_if_possible(self.store, lambda done, total: self._report(index, "storing", done, total))

    @contextmanager
    def _isolated(self, prepared: Prepared) -> Iterator[None]:
        """Within this block, a failure or cancellation of one item does not end the run."""
        try:
            yield
        except ItemCancelledError:
            pass
        except CancelledError:
            raise
        except LecternError as error:
            self._fail(prepared.index, prepared.item, error)

    def _pop_waiting(self) -> list[Prepared]:
        waiting, self._waiting = self._waiting, []
        self._waiting_texts = 0
        self._waiting_versions.clear()
        return waiting

    def _encode_waiting(self) -> Encoded:
        """Encode the texts of the current batch. An item cancelled meanwhile is dropped and the rest goes on."""
        cache = CatalogueVectors(self.store, self.lender)
        while True:
            texts = [text for prepared in self._waiting for text in prepared.texts]
            begun: list[tuple[int, float]] = []  # (texts, end time) of the first batch, not timed: it loads the model

            def progress(done: int, total: int, first: list[tuple[int, float]] = begun, of: int = len(texts)) -> None:
                if done and not first:
                    first.append((done, perf_counter()))
                for prepared in self._waiting:  # in proportion, since the encoder sorts texts by length
                    own = sum(1 for _ in prepared.texts)
                    self._report(prepared.index, "encoding", own * done // of, -(-own * total // of))

            try:
                encoded = encode_cached(self.model.encoder, cache, texts, progress)
            except ItemCancelledError as error:
                self._waiting = [prepared for prepared in self._waiting if prepared.index != error.index]
                continue
            if begun and (timed := encoded.encoded - begun[0][0]) >= _MIN_TIMED_TEXTS:
                self._record_speed(timed / max(1e-6, perf_counter() - begun[0][1]))
            self.encoded += encoded.encoded
            self.reused += encoded.reused
            return encoded

    def _record_speed(self, texts_per_second: float) -> None:
        """Store the encoder's speed for cost estimates. A full disk is ignored."""
        with suppress(StorageError):
            self.store.set_meta(TEXTS_A_SECOND, f"{texts_per_second:.4g}")

    def _store(self, prepared: Prepared, keys: Iterator[str], *, without_vectors: bool = False) -> None:
        """Store an item's documents, chunks and sources in one transaction, and mark the item as done.

        ``keys``: the vector keys of its texts, in order. ``without_vectors``: it is not done yet; ``_assign_vectors``
        follows.
        """
        chunked = [(member.version_id, member.cut) for member in prepared.members if member.cut]
        tell = with_timeout(self.settings.parsing.timeout_seconds, partial(self._report, prepared.index), "Storing")
        # Done before the transaction, to keep the write lock short.
        with cancellation_check(partial(tell, "chunking", 0, 1)):
            languages = {version: language_of(cut.tree.document.text) for version, cut in chunked}
            leaves = {version: new_leaves(cut, languages[version], keys) for version, cut in chunked}
        stage = "chunking" if without_vectors else "storing"  # as shown to the user
        with self.store.transaction(), cancellation_check(partial(tell, stage, 0, 1)):
            if self.keep_sources and not sources.is_live(self.store, prepared.members[0].version_id):
                return  # its last source was removed meanwhile
            for language in {*languages.values()} - {ENGLISH}:
                add_language(self.store, language)
            replaced: list[tuple[int, str]] = []
            for member in prepared.members:
                if member.cut:
                    self._store_cut(member, leaves[member.version_id])
                number = self._point_source(member)
                if number is not None:
                    replaced.append((number, member.version_id))
            for number, successor in replaced:
                sources.release_version(self.store, number, successor)
            for member in prepared.members:
                if member.cut and member.cut.attached is not None:
                    trash.keep_attachments(self.store, member.version_id, member.cut.attached)
                trash.detach_trashed_attachments(self.store, member.version_id)
            if not without_vectors:
                self._finish(prepared)

    def _assign_vectors(self, prepared: Prepared, keys: Iterator[str]) -> None:
        """Assign vectors to an item that was stored without them, and mark it as done, in one transaction."""
        with self.store.transaction(), cancellation_check(partial(self._report, prepared.index, "storing", 0, 1)):
            for member in prepared.members:
                self._require_stored(member)
                assert member.cut is not None  # noqa: S101 - it was new
                if member.cut.left:
                    continue
                leaves = list(leaves_with_keys(member.cut, keys))
                own = {leaf.chunk_id: key for leaf, key, _ in leaves}
                aliases = {leaf.chunk_id: others for leaf, _, others in leaves}
                meaning.assign_vectors(self.store, member.version_id, own, self.generation or 0, aliases)
            self._finish(prepared)

    def _finish_without_vectors(self, prepared: Prepared, reason: str) -> bool:
        """Store a new item without vectors and mark it as done; ``False`` if it replaces an existing document.

        For an embedder on an endpoint that does not answer; the documents are encoded when it answers again.
        """
        if not (prepared.by_words or self._is_new(prepared)):
            return False
        if not prepared.by_words:
            self._store(prepared, repeat(NO_VECTOR), without_vectors=True)
        with self.store.transaction():
            self.store.set_meta(MEANING_FOLLOWS, "yes")
            self._finish(prepared, reason)
        return True

    def _finish(self, prepared: Prepared, by_words: str = "") -> None:
        """Mark the item as done, within the transaction that stores it. ``by_words``: as in ``Ingested``."""
        outcomes = [replace(self._outcome(member), by_words=by_words) for member in prepared.members]
        if self.watch:
            self.watch.finished(prepared.index, outcomes[0])
        self.store.after_commit(lambda: self._count(prepared, outcomes))

    def _store_cut(self, member: Member, leaves: Sequence[NewLeaf]) -> None:
        cut = member.cut
        assert cut is not None  # noqa: S101 - for the type checker
        limit = self.model.encoder.max_tokens
        documents.put_document(self.store, cut.tree.document, size_bytes=cut.size_bytes, parser=cut.parser)
        chunks.swap_chunks(
            self.store,
            cut.tree,
            recipe=cut.recipe,
            audit=cut.audit,
            leaves=leaves,
            truncated=sum(leaf.encoder_tokens > limit for leaf in cut.tree.leaves),
            generation=self.generation,
        )
        features.put_features(self.store, cut.tree, cut.found, self.generation)

    def _point_source(self, member: Member) -> int | None:
        """Point the member's source at its document; return the number of the version to release, or ``None``.

        Raises ``LecternError`` if the document was removed from the library meanwhile.
        """
        self._require_stored(member)
        if member.source is not None:
            trash.revive_source(self.store, member.source)
        elif member.parent is not None or not self.keep_sources:
            return sources.point_source(
                self.store,
                name=member.name,
                version_id=member.version_id,
                path=member.path,
                parent=member.parent,
                stamp=member.stamp,
            )[1]
        return None

    def _require_stored(self, member: Member) -> None:
        if chunks.recipe(self.store, member.version_id, self.generation) is None:
            raise _left_library(member)

    def _outcome(self, member: Member) -> Ingested:
        version = documents.version(self.store, member.version_id)
        if version is None:
            raise _left_library(member)
        return Ingested(
            source=member.shown,
            document=version.title,
            kind=version.kind,
            characters=version.characters,
            chunks=chunks.count_leaves(self.store, member.version_id, self.generation),
            audit=chunks.audit(self.store, member.version_id, self.generation),
            version_id=member.version_id,
            reused=member.cut is None,
            parent=member.parent,
            words=documents.words(self.store, member.version_id),
            read=pages_read(documents.pages(self.store, member.version_id)),
        )

    def _count(self, prepared: Prepared, outcomes: Sequence[Ingested]) -> None:
        self.documents.extend(outcomes)
        self.failures.extend(_failure(name, error) for name, error in prepared.failed)
        self.encoded += sum(member.cut.sentences for member in prepared.members if member.cut)
        self.reused += sum(outcome.chunks for outcome in outcomes if outcome.reused)

    def _fail(self, index: int, item: Incoming, error: LecternError) -> None:
        failure = _failure(item.name, error)
        self.failures.append(failure)
        # The item may be cancelled meanwhile, or the disk be full: the report lists the failure anyway.
        with suppress(ItemCancelledError, StorageError):
            if self.watch:
                self.watch.finished(index, failure)

    def _report(self, index: int, stage: str, done: int, total: int) -> None:
        if self.watch:
            self.watch.stage(index, stage, done, total)


def _failure(name: str, error: LecternError) -> Failure:
    return Failure(name, str(error), problem_of(error))


def _left_library(member: Member) -> LecternError:
    return LecternError(f"{member.shown} left the library meanwhile.", "Add it again.")
