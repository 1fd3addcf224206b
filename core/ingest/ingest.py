"""Files to indexed documents: read, parse, cut, encode what is new, store each item in one transaction.

Documents are gathered until their texts fill the encoder, then stored item by item, a mail together with what is
attached to it; a bad file ends itself alone. Where somebody waits, what is new is stored as soon as it is cut, to be
found by its words, and gets its meaning a few documents later.
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
from core.ingest.prepared import Incoming, Member, Prepared, keyed, new_leaves, problem_of
from core.ingest.preparing import Parse, Preparer, given_up_after
from core.ingest.reports import Failure, Ingested, IngestReport
from core.settings import Settings
from core.storage.catalogue import chunks, documents, features, meaning, sources, trash
from core.storage.catalogue.chunks import NewLeaf
from core.storage.catalogue.generations import begin_generation
from core.storage.catalogue.statistics import add_language
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import apply_if_possible
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store
from core.text.languages import ENGLISH, language_of
from core.text.places import pages_read

# Texts gathered before the encoder runs: enough for full batches, few enough that a crash costs seconds.
GATHER = 1024
# And where somebody waits: about a second of a small machine's work, or few documents. Counted, not timed, so that the
# same files make the same vectors whatever else the machine does.
TURN, TURN_DOCUMENTS = 64, 8

MEANING_FOLLOWS = "preference.meaning_follows"  # the library's note that an embedder's server was gone
TEXTS_A_SECOND = "texts_a_second"  # the library's own value of how fast its encoder was seen to be
_TELLING = 32  # texts that tell it


class ItemCancelledError(CancelledError):
    """One item was cancelled and the others go on; ``index`` names it."""

    def __init__(self, index: int) -> None:
        super().__init__("This file was cancelled.")
        self.index = index


class Watch(Protocol):
    """Told of progress. Any method may raise: ``ItemCancelledError`` drops one item, ``CancelledError`` ends all."""

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Item ``index`` is in a stage: "reading", "parsing", "chunking", "encoding" or "storing".

        "renewing", on an item that waits: documents are cut for another embedder before.
        """

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """Item ``index`` is done. Called inside the transaction that stores it; not for its attachments."""


@dataclass(slots=True)
class Ingest:
    """One run over a library. ``generation`` ``None``: that of the model.

    ``keep_sources``: re-cut versions that are in the library, leaving their sources alone. ``promptly``: each new
    document is found by its words once it is cut, and by its meaning as soon as it is encoded. ``writer``: proposes
    cuts, ``None``: nothing does. ``parse``: reads files, ``None``: as ever.
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
    documents: list[Ingested] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    encoded: int = 0
    reused: int = 0
    _waiting: list[Prepared] = field(default_factory=list)
    _waiting_texts: int = 0
    _waiting_versions: set[str] = field(default_factory=set)
    _uncarried: int = 0
    _started: float = field(default_factory=perf_counter)

    def run(self, items: Sequence[Incoming]) -> IngestReport:
        """Ingest all items. A failing one is listed; what was stored before a cancellation stays."""
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
            in_turn = self.promptly and (self._waiting_texts >= TURN or len(self._waiting) >= TURN_DOCUMENTS)
            if in_turn or self._waiting_texts >= GATHER:
                self._flush()
        self._flush()
        self._carry(len(items) - 1)
        seconds = perf_counter() - self._started
        return IngestReport(tuple(self.documents), tuple(self.failures), self.encoded, self.reused, seconds)

    def _add(self, by: Preparer, index: int, item: Incoming) -> None:
        prepared = by.prepare(index, item, lambda *told: self._tell(index, *told), self._flush_first)
        if prepared is None:
            return
        # What comes back from the trash waits its turn: an attachment may need its mail to be back.
        if item.source is None and not any(member.cut for member in prepared.members):
            self._store(prepared, iter(()))
            return
        if self.promptly and self._is_new(prepared):
            self._store(prepared, repeat(NO_VECTOR), by_words=True)
            prepared = replace(prepared, by_words=True)
        self._waiting.append(prepared)
        for member in prepared.members:
            self._waiting_versions.add(member.version_id)
            self._waiting_texts += len(member.cut.texts) if member.cut else 0

    def _is_new(self, prepared: Prepared) -> bool:
        """Whether nothing in the library would make room for it: then its words cannot take a meaning away."""
        head, item = prepared.members[0], prepared.item
        if self.keep_sources or item.source is not None:
            return False
        return sources.find_source(self.store, name=head.name, path=item.path) is None and not any(
            member.cut is None or documents.version(self.store, member.version_id) for member in prepared.members
        )

    def _flush_first(self, version_id: str) -> None:
        if version_id in self._waiting_versions:
            self._flush()

    def _flush(self) -> None:
        """Encode what waits and store it, item by item."""
        try:
            encoded = self._encode_waiting()
        except (StorageError, ModelError) as error:  # no room for vectors, or no encoder
            gone = str(error) if isinstance(error, ModelError) and self.settings.embedding.endpoint_model else ""
            for prepared in self._take_waiting():
                with self._failing_alone(prepared):
                    if not self._leave_by_words(prepared, gone):
                        self._fail(prepared.index, prepared.item, error)
            return
        keys = iter(encoded.keys)
        waiting = self._take_waiting()
        for prepared in waiting:
            own = iter([next(keys) for _ in prepared.texts])
            with self._failing_alone(prepared):
                self._tell(prepared.index, "storing", 0, 1)
                if prepared.by_words:
                    self._give_meaning(prepared, own)
                else:
                    self._store(prepared, own)
        self._uncarried += len(encoded.keys)
        if self._uncarried >= GATHER:
            self._uncarried = 0
            self._carry(waiting[-1].index)

    def _carry(self, index: int) -> None:
        """Tell Chroma what came in, which takes long for a large document. Whoever stops it ends that alone: the
        documents are in, and what is left is carried later.
        """
        with suppress(CancelledError):
            apply_if_possible(self.store, lambda done, total: self._tell(index, "storing", done, total))

    @contextmanager
    def _failing_alone(self, prepared: Prepared) -> Iterator[None]:
        """An item that cannot be stored, or is cancelled meanwhile, costs no other one its turn."""
        try:
            yield
        except ItemCancelledError:
            pass
        except CancelledError:
            raise
        except LecternError as error:
            self._fail(prepared.index, prepared.item, error)

    def _take_waiting(self) -> list[Prepared]:
        waiting, self._waiting = self._waiting, []
        self._waiting_texts = 0
        self._waiting_versions.clear()
        return waiting

    def _encode_waiting(self) -> Encoded:
        """Encode the texts of all that waits; an item cancelled meanwhile leaves, the rest goes on."""
        cache = CatalogueVectors(self.store)
        while True:
            texts = [text for prepared in self._waiting for text in prepared.texts]
            begun: list[tuple[int, float]] = []  # where the first batch ended, which may have loaded the model

            def tell(done: int, total: int, begun: list[tuple[int, float]] = begun) -> None:
                if done and not begun:
                    begun.append((done, perf_counter()))
                for prepared in self._waiting:  # each by its own texts: similar lengths go together, not documents
                    own = sum(1 for _ in prepared.texts)
                    self._tell(prepared.index, "encoding", own * done // max(1, total), own)

            try:
                encoded = encode_cached(self.model.encoder, cache, texts, tell)
            except ItemCancelledError as error:
                self._waiting = [prepared for prepared in self._waiting if prepared.index != error.index]
                continue
            if begun and (told := encoded.encoded - begun[0][0]) >= _TELLING:
                self._note_speed(told / max(1e-6, perf_counter() - begun[0][1]))
            self.encoded += encoded.encoded
            self.reused += encoded.reused
            return encoded

    def _note_speed(self, texts_a_second: float) -> None:
        """What the next estimate of a cost is made with; a disk without room costs the estimate, not the documents."""
        with suppress(StorageError):
            self.store.set_meta(TEXTS_A_SECOND, f"{texts_a_second:.4g}")

    def _store(self, prepared: Prepared, keys: Iterator[str], *, by_words: bool = False) -> None:
        """Everything of an item in one transaction: its documents, their chunks, their sources, and that it is done.

        ``keys``: of the vectors, in the order of its texts. ``by_words``: it is not done by that.
        """
        cut = [(member.version_id, member.cut) for member in prepared.members if member.cut]
        tell = given_up_after(self.settings.parsing.timeout_seconds, partial(self._tell, prepared.index), "Storing")
        # Made before the transaction, which others wait for.
        with cancellation_check(partial(tell, "chunking", 0, 1)):
            written_in = {version: language_of(made.tree.document.text) for version, made in cut}
            leaves = {version: new_leaves(made, written_in[version], keys) for version, made in cut}
        # Told as what it is to who waits: a document found by its words is not stored whole yet.
        stage = "chunking" if by_words else "storing"
        with self.store.transaction(), cancellation_check(partial(tell, stage, 0, 1)):
            if self.keep_sources and not sources.is_live(self.store, prepared.members[0].version_id):
                return  # its last source left meanwhile: storing it would bring it back
            for language in {*written_in.values()} - {ENGLISH}:
                add_language(self.store, language)
            left: list[tuple[int, str]] = []
            for member in prepared.members:
                if member.cut:
                    self._store_cut(member, leaves[member.version_id])
                number = self._name(member)
                if number is not None:
                    left.append((number, member.version_id))
            for number, successor in left:
                sources.release_version(self.store, number, successor)
            for member in prepared.members:
                if member.cut and member.cut.attached is not None:
                    trash.keep_attachments(self.store, member.version_id, member.cut.attached)
                trash.detach_trashed_attachments(self.store, member.version_id)
            if not by_words:
                self._finish(prepared)

    def _give_meaning(self, prepared: Prepared, keys: Iterator[str]) -> None:
        """What storing an item by its words left out, and that the item is done, in one transaction."""
        with self.store.transaction(), cancellation_check(partial(self._tell, prepared.index, "storing", 0, 1)):
            for member in prepared.members:
                self._require_there(member)
                assert member.cut is not None  # noqa: S101 - it was new
                if member.cut.left:
                    continue
                found = [(leaf.chunk_id, key, aliases) for leaf, key, aliases in keyed(member.cut, keys)]
                own, aliases = {leaf: key for leaf, key, _ in found}, {leaf: others for leaf, _, others in found}
                meaning.assign_vectors(self.store, member.version_id, own, self.generation or 0, aliases)
            self._finish(prepared)

    def _leave_by_words(self, prepared: Prepared, why: str) -> bool:
        """Whether an item is done with once its words find it: its embedder's server is gone, and may come back."""
        if not why or not (prepared.by_words or self._is_new(prepared)):
            return False
        if not prepared.by_words:
            self._store(prepared, repeat(NO_VECTOR), by_words=True)
        with self.store.transaction():
            self.store.set_meta(MEANING_FOLLOWS, "yes")
            self._finish(prepared, why)
        return True

    def _finish(self, prepared: Prepared, by_words: str = "") -> None:
        """Within the transaction that stores it: the item is done."""
        outcomes = [replace(self._outcome(member), by_words=by_words) for member in prepared.members]
        if self.watch:
            self.watch.finished(prepared.index, outcomes[0])
        # Counted once it is committed: a rolled back document is none.
        self.store.after_commit(lambda: self._count(prepared, outcomes))

    def _store_cut(self, member: Member, leaves: Sequence[NewLeaf]) -> None:
        made = member.cut
        assert made is not None  # noqa: S101 - for the type checker
        limit = self.model.encoder.max_tokens
        documents.put_document(self.store, made.tree.document, size_bytes=made.size_bytes, parser=made.parser)
        chunks.swap_chunks(
            self.store,
            made.tree,
            recipe=made.recipe,
            audit=made.audit,
            leaves=leaves,
            truncated=sum(leaf.encoder_tokens > limit for leaf in made.tree.leaves),
            generation=self.generation,
        )
        features.put_features(self.store, made.tree, made.found, self.generation)

    def _name(self, member: Member) -> int | None:
        """Point the member's source at it and return the number of the version it leaves, if any, to be settled.

        Raises ``LecternError`` where the document left the library meanwhile.
        """
        self._require_there(member)
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

    def _require_there(self, member: Member) -> None:
        if chunks.recipe(self.store, member.version_id, self.generation) is None:
            raise _gone(member)

    def _outcome(self, member: Member) -> Ingested:
        known = documents.version(self.store, member.version_id)
        if known is None:
            raise _gone(member)
        return Ingested(
            source=member.shown,
            document=known.title,
            kind=known.kind,
            characters=known.characters,
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
        # A cancelled item needs no note, and on a full disk none can be taken: the report still names it.
        with suppress(ItemCancelledError, StorageError):
            if self.watch:
                self.watch.finished(index, failure)

    def _tell(self, index: int, stage: str, done: int, total: int) -> None:
        if self.watch:
            self.watch.stage(index, stage, done, total)


def _failure(name: str, error: LecternError) -> Failure:
    return Failure(name, str(error), problem_of(error))


def _gone(member: Member) -> LecternError:
    return LecternError(f"{member.shown} left the library meanwhile.", "Add it again.")
