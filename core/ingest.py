"""Files to indexed documents: read, parse, cut, encode what is new, store each document in one transaction.

Documents are gathered until their texts fill the encoder, then stored one by one; a bad file ends itself alone.
"""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Protocol

from core.chunking import audit as audit_tree
from core.chunking import chunk as cut
from core.chunking import encoder_input, recipe_fingerprint
from core.embedding import EmbeddingModel, Encoded, encode_cached
from core.errors import CancelledError, LecternError, ModelError, ParseError, StorageError
from core.parsing import parse, parser_fingerprint
from core.settings import ChunkingSettings, Settings
from core.storage import chunks, documents, sources
from core.storage.cache import CatalogueVectors
from core.storage.chunks import NewLeaf, Recipe
from core.storage.generations import begin_generation
from core.storage.outbox import carry_if_possible
from core.storage.store import Store
from core.text.analysis import analyse
from core.types import Audit, ChunkTree

_LOG = logging.getLogger(__name__)

# Texts gathered before the encoder runs: enough for full batches, few enough that a crash costs seconds.
GATHER = 1024


class ItemCancelledError(CancelledError):
    """One item was cancelled and the others go on; ``index`` names it."""

    def __init__(self, index: int) -> None:
        super().__init__("This file was cancelled.")
        self.index = index


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something to ingest: a file by ``path``, or an upload whose bytes are staged under ``content_hash``.

    ``name``: as the person gave it; the path of a file, or the upload's name.
    """

    name: str
    path: Path | None = None
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Ingested:
    """A document now in the library. ``reused``: nothing about it had changed."""

    source: str
    document: str
    kind: str
    characters: int
    chunks: int
    audit: Audit
    version_id: str
    reused: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that could not be ingested, and the sentence that says why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """``encoded``: distinct texts the encoder was given; ``reused``: those whose vectors were known already."""

    documents: tuple[Ingested, ...]
    failures: tuple[Failure, ...]
    encoded: int
    reused: int
    seconds: float


class Watch(Protocol):
    """Told of progress. Any method may raise: ``ItemCancelledError`` drops one item, ``CancelledError`` ends all."""

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Item ``index`` is in a stage: "reading", "parsing", "chunking", "encoding" or "storing"."""

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """Item ``index`` is done. Called inside the transaction that stores it."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document cut and ready, its texts still to be encoded."""

    index: int
    item: Incoming
    tree: ChunkTree
    audit: Audit
    recipe: Recipe
    parser: str
    size_bytes: int
    texts: tuple[str, ...]


@dataclass(slots=True)
class Ingest:
    """One run over a library. ``generation`` ``None``: that of the model.

    ``keep_sources``: re-cut versions that are in the library, leaving their sources alone.
    """

    store: Store
    model: EmbeddingModel
    settings: Settings
    watch: Watch | None = None
    generation: int | None = None
    keep_sources: bool = False
    documents: list[Ingested] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    encoded: int = 0
    reused: int = 0
    _waiting: list[_Prepared] = field(default_factory=list)
    _started: float = field(default_factory=perf_counter)

    def run(self, items: Sequence[Incoming]) -> IngestReport:
        """Ingest all items. A failing one is listed; what was stored before a cancellation stays."""
        if self.generation is None:
            encoder = self.model.encoder
            self.generation = begin_generation(self.store, encoder.fingerprint, encoder.dimension).number
        for index, item in enumerate(items):
            try:
                self._add(index, item)
            except ItemCancelledError:
                continue
            except CancelledError:
                raise
            except LecternError as error:
                self._fail(index, item, str(error))
            if sum(len(prepared.texts) for prepared in self._waiting) >= GATHER:
                self._flush()
        self._flush()
        seconds = perf_counter() - self._started
        return IngestReport(tuple(self.documents), tuple(self.failures), self.encoded, self.reused, seconds)

    def _add(self, index: int, item: Incoming) -> None:
        self._tell(index, "reading", 0, 1)
        version_id = self._stage(item)
        if any(waiting.tree.document.version_id == version_id for waiting in self._waiting):
            self._flush()  # the same bytes under another name: one version, read and titled by its first
        known = documents.version(self.store, version_id)
        if known is None and self.keep_sources:
            return  # its last source was removed meanwhile
        current = known is not None and known.parser == parser_fingerprint(known.kind)
        if known is not None and current:
            recipe = self._recipe(known.parser)
            stored = chunks.recipe(self.store, version_id, self.generation)
            if stored is not None and stored.fingerprint == recipe.fingerprint:
                self._reuse(index, item, version_id)
                return
            document = documents.document(self.store, version_id)
            size = known.size_bytes
        else:
            data = self.store.files.read(version_id)
            size = len(data)
            with _defects_told(item.name):
                document = parse(data, item.name, self.settings.parsing, lambda *progress: self._tell(index, *progress))
        parser = parser_fingerprint(document.kind)
        self._tell(index, "chunking", 0, 1)
        with _defects_told(item.name):
            tree = cut(document, self.settings.chunking, self.model.counter, parser)
            audit = audit_tree(tree)
        texts = tuple(encoder_input(leaf, self.settings.chunking.prefix) for leaf in tree.leaves)
        self._waiting.append(_Prepared(index, item, tree, audit, self._recipe(parser), parser, size, texts))

    def _stage(self, item: Incoming) -> str:
        if item.content_hash is not None:
            return item.content_hash
        if item.path is None:
            raise LecternError(f"{item.name} names neither a file nor staged bytes.")
        require_file(item.path)
        return self.store.files.stage_path(item.path)

    def _recipe(self, parser: str) -> Recipe:
        chunking = self.settings.chunking
        fingerprint = recipe_fingerprint(parser, chunking, self.model.counter.fingerprint)
        values = {"parser": parser, "chunking": self.settings.to_dict()["chunking"]}
        return Recipe(fingerprint, describe(chunking), values)

    def _reuse(self, index: int, item: Incoming, version_id: str) -> None:
        """Nothing to do but to name the source: the same bytes, cut the same way, are here."""
        with self.store.transaction():
            self._name_source(item, version_id)
            known = documents.version(self.store, version_id)
            audit = chunks.audit(self.store, version_id, self.generation)
            if known is None:
                raise LecternError(f"{item.name} left the library meanwhile.", "Add it again.")
            leaves = chunks.count_leaves(self.store, version_id, self.generation)
            outcome = Ingested(
                item.name, known.title, known.kind, known.characters, leaves, audit, version_id, reused=True
            )
            self._done(index, outcome)
        self.reused += leaves

    def _flush(self) -> None:
        """Encode what waits and store it, document by document."""
        try:
            encoded = self._encode_waiting()
        except (StorageError, ModelError) as error:  # no room for vectors, or no encoder: what waits has failed
            for prepared in self._waiting:
                self._fail(prepared.index, prepared.item, str(error))
            self._waiting = []
            return
        keys = iter(encoded.keys)
        waiting, self._waiting = self._waiting, []
        for prepared in waiting:
            own = [next(keys) for _ in prepared.texts]
            try:
                self._tell(prepared.index, "storing", 0, 1)
                self._store(prepared, own)
            except ItemCancelledError:
                continue
            except CancelledError:
                raise
            except LecternError as error:
                self._fail(prepared.index, prepared.item, str(error))
        if waiting:
            carry_if_possible(self.store)  # the documents are in; what cannot be carried now is carried later

    def _encode_waiting(self) -> Encoded:
        """Encode the texts of all that waits; an item cancelled meanwhile leaves, the rest goes on."""
        cache = CatalogueVectors(self.store)
        while True:
            texts = [text for prepared in self._waiting for text in prepared.texts]

            def tell(done: int, total: int) -> None:
                for prepared in self._waiting:
                    self._tell(prepared.index, "encoding", done, total)

            try:
                encoded = encode_cached(self.model.encoder, cache, texts, tell)
            except ItemCancelledError as error:
                self._waiting = [prepared for prepared in self._waiting if prepared.index != error.index]
                continue
            self.encoded += encoded.encoded
            self.reused += encoded.reused
            return encoded

    def _store(self, prepared: _Prepared, keys: Sequence[str]) -> None:
        document = prepared.tree.document
        title = analyse(document.title)
        headings: dict[tuple[str, ...], list[str]] = {}
        leaves = []
        for leaf, key in zip(prepared.tree.leaves, keys, strict=True):
            if leaf.headings not in headings:
                headings[leaf.headings] = analyse("\n".join(leaf.headings))
            repeated = "\n".join(part.text for part in leaf.prefix if part.kind == "table_header")
            words = analyse(f"{repeated}\n{leaf.text}" if repeated else leaf.text)
            leaves.append(NewLeaf(leaf.chunk_id, key, title, headings[leaf.headings], words))
        limit = self.model.encoder.max_tokens
        truncated = sum(leaf.encoder_tokens > limit for leaf in prepared.tree.leaves)
        with self.store.transaction():
            if self.keep_sources and documents.version(self.store, document.version_id) is None:
                return  # its last source was removed meanwhile: storing it would bring it back
            documents.put_document(self.store, document, size_bytes=prepared.size_bytes, parser=prepared.parser)
            chunks.swap_chunks(
                self.store,
                prepared.tree,
                recipe=prepared.recipe,
                audit=prepared.audit,
                leaves=leaves,
                truncated=truncated,
                generation=self.generation,
            )
            self._name_source(prepared.item, document.version_id)
            outcome = Ingested(
                prepared.item.name,
                document.title,
                document.kind,
                len(document.text),
                len(leaves),
                prepared.audit,
                document.version_id,
                reused=False,
            )
            self._done(prepared.index, outcome)

    def _name_source(self, item: Incoming, version_id: str) -> None:
        if not self.keep_sources:
            sources.put_source(self.store, name=item.name, version_id=version_id, path=item.path)

    def _done(self, index: int, outcome: Ingested) -> None:
        if self.watch:
            self.watch.finished(index, outcome)
        self.store.after_commit(lambda: self.documents.append(outcome))

    def _fail(self, index: int, item: Incoming, reason: str) -> None:
        failure = Failure(item.name, reason)
        self.failures.append(failure)
        # A cancelled item needs no note, and on a full disk none can be taken: the report still names it.
        with suppress(ItemCancelledError, StorageError):
            if self.watch:
                self.watch.finished(index, failure)

    def _tell(self, index: int, stage: str, done: int, total: int) -> None:
        if self.watch:
            self.watch.stage(index, stage, done, total)


@contextmanager
def _defects_told(name: str) -> Iterator[None]:
    """A file on which a parser or chunker proves defective fails alone: a batch never stops at one bad file."""
    try:
        yield
    except LecternError:
        raise
    except Exception as error:  # whatever hostile bytes bring about; logged whole, and the other files go on
        _LOG.exception("%s could not be read.", name)
        raise ParseError(
            f"{name} could not be read: Lectern made a mistake ({type(error).__name__}: {str(error)[:200]}).",
            "Please report it; the other files are not touched.",
        ) from error


def require_file(path: Path) -> None:
    """Raises ``ParseError`` for a pipe or a device, which would be read for ever. Other faults show when it is read."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    except ValueError as error:
        raise ParseError(f"{str(path)!r} is no path of this system: {error}.", "Check its spelling.") from error
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ParseError(f"{path} is a pipe, a socket or a device, not a file.", "Save its content to a file.")


def describe(settings: ChunkingSettings) -> str:
    """A recipe in words.

    >>> describe(ChunkingSettings(chunker="fixed", max_tokens=100, parent_max_tokens=700, overlap_tokens=20))
    'fixed · child 100 · parent 700 · overlap 20'
    """
    overlap = f" · overlap {settings.overlap_tokens}" if settings.overlap_tokens else ""
    return f"{settings.chunker} · child {settings.max_tokens} · parent {settings.parent_max_tokens}{overlap}"
