"""Parsing and encoding files on a Ray cluster, ahead of an ordinary ingest that stores them.

A Ray Data pipeline sends batches of files to actors. Each actor parses, chunks and encodes its files with the same code
and settings as a local ingest, and returns documents and vectors in the order of the files. The ingest uses these
documents instead of parsing and finds the vectors in its cache; everything else it does as usual. Files that the
cluster does not return, because they fail or a machine is lost, are parsed and encoded locally. So the result does not
depend on the cluster.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Self

from core.embedding import encode_cached, load_model
from core.errors import LecternError, ModelError
from core.ingest.passwords import Passwords
from core.ingest.prepared import Incoming
from core.ingest.preparing import Preparer, Tell
from core.parsing import parse
from core.settings import EmbeddingSettings, ParsingSettings, Settings
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store, settings_from
from core.types import Document, VectorCache, Vectors

_LOG = logging.getLogger(__name__)
BATCH = 16  # files per batch: enough texts for full encoder batches, little work to repeat after a failure


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """The result of a batch. ``documents``: by file name, then by hash of the bytes, including attachments.
    ``vectors``: by key.
    """

    documents: Mapping[str, Mapping[str, Document]]
    vectors: Mapping[str, Vectors]


class Remote(Protocol):
    """The cluster, as used by ``RayReading``."""

    def batches(self, items: Sequence[Incoming], settings: Settings) -> Iterator[ReadBatch]:
        """Process the items and yield the batches in their order, without lost ones."""

    def leave(self) -> None:
        """Disconnect from the cluster and stop what was started for it."""


@dataclass(slots=True)
class RayReading:
    """A ``parse`` for ``Library.ingest`` that uses documents parsed by a cluster; a context manager.

    ``items``: the files, in the order of the ingest. ``vectors``: the library's cache, which receives the vectors.
    Names that are not among the items, or are repeated, are parsed locally.
    """

    cluster: Remote
    items: Sequence[Incoming]
    settings: Settings
    vectors: VectorCache
    _positions: dict[str, int] = field(default_factory=dict)  # of the items, by name
    _batches: Iterator[ReadBatch] | None = None
    _received: dict[str, Mapping[str, Document]] = field(default_factory=dict)  # not used yet
    _current: Mapping[str, Document] = field(default_factory=dict)  # of the file that is being ingested
    _last_position: int = -1  # received so far

    def __enter__(self) -> Self:
        self._positions = {item.name: position for position, item in enumerate(self.items)}
        return self

    def __exit__(self, *_: object) -> None:
        self.cluster.leave()

    def parse(
        self, data: bytes, name: str, settings: ParsingSettings, tell: Tell | None = None, password: str | None = None
    ) -> Document:
        """The document from the cluster, or else the result of ``core.parsing.parse``, which may raise."""
        position = self._positions.get(name, -1)
        if position >= 0:
            self._current = self._documents_of(name, position)
        known = self._current.get(hashlib.sha256(data).hexdigest())
        return known or parse(data, name, settings, tell, password)

    def _documents_of(self, name: str, position: int) -> Mapping[str, Document]:
        """Wait for the batch of a file and return its documents; those of earlier files are discarded."""
        if self._batches is None:
            self._batches = self.cluster.batches(self.items, self.settings)
        while self._last_position < position:
            batch = next(self._batches, None)
            if batch is None:
                self._last_position = len(self.items)
                break
            self.vectors.put(batch.vectors)
            self._received = {
                file: documents for file, documents in self._received.items() if self._positions[file] >= position
            }
            self._received |= batch.documents
            self._last_position = max(map(self._positions.__getitem__, batch.documents), default=self._last_position)
        return self._received.pop(name, {})


class BatchReader:
    """A Ray actor that parses, chunks and encodes batches of files by a library's settings.

    If the embedder is not available on its machine or is behind an endpoint, it does not encode.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings_from(settings)
        self._encodes = True
        try:
            self._model = load_model(self._settings.embedding)
        except ModelError as error:
            _LOG.info("Encoding is left to the ingest: %s", error)
            self._encodes = False
            self._settings = replace(self._settings, embedding=EmbeddingSettings())
            self._model = load_model(self._settings.embedding)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[bytes]]:
        """Process the columns "name" and "path"; the result is a column "read" with one pickled ``ReadBatch``."""
        return {"read": [pickle.dumps(self.read(dict(zip(batch["name"], batch["path"], strict=True))))]}

    def read(self, files: Mapping[str, str]) -> ReadBatch:
        """Process files, given as path by name. A file that fails has no documents."""
        with TemporaryDirectory(prefix="lectern-") as folder:
            store = Store.open(Path(folder) / "library", write=True)
            try:
                return self._read(store, files)
            finally:
                store.close()

    def _read(self, store: Store, files: Mapping[str, str]) -> ReadBatch:
        model, documents, texts = self._model, {}, []
        generation = begin_generation(store, model.encoder.fingerprint, model.encoder.dimension).number
        parsed: dict[str, Document] = {}

        def recording_parse(data: bytes, *arguments: Any) -> Document:
            parsed[hashlib.sha256(data).hexdigest()] = document = parse(data, *arguments)
            return document

        by = Preparer(store, model, self._settings, generation, Passwords(), teaches=False, parse=recording_parse)
        for name, path in files.items():
            parsed.clear()
            try:
                prepared = by.prepare(0, Incoming(name, Path(path)), lambda *_: None, lambda _: None)
            except LecternError as error:  # the ingest will get the same error and report it
                _LOG.info("%s is left to the ingest: %s", name, error)
                parsed.clear()
            else:
                texts += list(prepared.texts) if prepared else []
            documents[name] = dict(parsed)
        if not self._encodes:
            return ReadBatch(documents, {})
        cache = CatalogueVectors(store)
        try:
            encode_cached(model.encoder, cache, texts)
        except ModelError as error:
            _LOG.info("Encoding is left to the ingest: %s", error)
        keys = [key for (key,) in store.rows("SELECT key FROM vector WHERE key <> ''")]
        return ReadBatch(documents, {key: vector.copy() for key, vector in cache.get(keys).items()})


class RayCluster:
    """A connection to Ray: a local instance, or the cluster at ``address`` ("auto", "host:port", "ray://host:port").

    All machines need the files under the same paths and Lectern's requirements installed; its code is sent to them.
    Raises ``LecternError`` if Ray is not installed or not reachable. ``session``: the folder of a local instance, which
    ``leave`` deletes; ``None`` for a cluster.
    """

    session: Path | None = None

    def __init__(self, address: str = "") -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry
        try:
            import ray
        except ImportError as error:
            raise LecternError("Ray is not installed.", "pip install -r requirements-ray.txt") from error
        try:
            context = ray.init(
                address or "local",
                **({} if address else {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}),
                log_to_driver=False,
                logging_level=logging.ERROR,
                runtime_env={"py_modules": [str(Path(__file__).parents[1])]},
            )
        except Exception as error:  # Ray also raises plain exceptions, such as for a slow start
            raise LecternError(f"No Ray cluster answers at {address or 'this machine'}: {error}") from error
        if not address:
            self.session = Path(context.address_info["session_dir"])

    def batches(self, items: Sequence[Incoming], settings: Settings) -> Iterator[ReadBatch]:
        """Process the items and yield the batches in their order, without those that failed."""
        import ray.data

        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.execution_options.preserve_order = True
        context.max_errored_blocks = -1
        files = [{"name": item.name, "path": str(item.path)} for item in items]
        try:
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))  # a head node may have no CPUs
            read = ray.data.from_items(files, override_num_blocks=max(1, len(files) // BATCH)).map_batches(
                BatchReader,
                fn_constructor_args=[settings.to_dict()],
                batch_size=BATCH,
                num_cpus=1,
                compute=ray.data.ActorPoolStrategy(min_size=1, max_size=workers),
            )
            for row in read.iter_rows():
                yield pickle.loads(row["read"])  # noqa: S301 - written by our own actors
        except Exception as error:  # of Ray, of the network, or from unpickling what another version wrote
            _LOG.warning("The cluster was lost; the rest is read here: %s", str(error)[:200])

    def leave(self) -> None:
        """Shut down the connection, and a local instance with its files."""
        import ray

        ray.shutdown()
        if self.session:
            rmtree(self.session, ignore_errors=True)
