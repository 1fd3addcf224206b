"""Files read, cut and encoded by the machines of a Ray cluster, and stored here by an ordinary ingest.

A Ray Data pipeline hands files to actors, a batch at a time. Each reads and cuts its files with the same code and
settings as an ingest here and encodes what it cut; documents and vectors come back in the order of the files. The
ingest then finds each document read and each vector known, and does all else itself: identity, recipes, one
transaction a document, the outbox. What the cluster did not bring, because a file is bad or a machine was lost, the
ingest reads and encodes here. So nothing depends on the cluster but time.
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
from core.storage.catalogue.generations import begin_generation
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store, settings_from
from core.types import Document, VectorCache, Vectors

_LOG = logging.getLogger(__name__)
BATCH = 16  # files an actor is handed at once: enough texts for full batches of the encoder, little to do twice


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """What an actor made of a batch. ``documents``: by the file's name, each by the hash of its bytes, attachments
    beside their mail; ``vectors``: by key, of all that it encoded.
    """

    documents: Mapping[str, Mapping[str, Document]]
    vectors: Mapping[str, Vectors]


class Remote(Protocol):
    """A cluster that was started or joined, as ``RayReading`` needs it."""

    def batches(self, items: Sequence[Incoming], settings: Settings) -> Iterator[ReadBatch]:
        """Batches in the order of the items; one that was lost is left out."""

    def leave(self) -> None:
        """Let go of it, and end what was started for it."""


@dataclass(slots=True)
class RayReading:
    """A ``parse`` for ``Library.ingest`` over files that a cluster reads ahead; a context manager.

    ``items``: the files, in the order of the ingest. ``vectors``: where what was encoded is kept, the library's own.
    A name that is not among the items, or comes a second time, is read here.
    """

    cluster: Remote
    items: Sequence[Incoming]
    settings: Settings
    vectors: VectorCache
    _places: dict[str, int] = field(default_factory=dict)
    _waiting: Iterator[ReadBatch] | None = None
    _held: dict[str, Mapping[str, Document]] = field(default_factory=dict)
    _beside: Mapping[str, Document] = field(default_factory=dict)
    _reached: int = -1

    def __enter__(self) -> Self:
        self._places = {item.name: place for place, item in enumerate(self.items)}
        return self

    def __exit__(self, *_: object) -> None:
        self.cluster.leave()

    def parse(
        self, data: bytes, name: str, settings: ParsingSettings, tell: Tell | None = None, password: str | None = None
    ) -> Document:
        """The document as the cluster read it, else as ``core.parsing.parse`` does, which raises the same."""
        place = self._places.get(name, -1)
        if place >= 0:
            self._beside = self._taken(name, place)
        known = self._beside.get(hashlib.sha256(data).hexdigest())
        return known or parse(data, name, settings, tell, password)

    def _taken(self, name: str, place: int) -> Mapping[str, Document]:
        """The documents of a file, once its batch is here; what came before it is asked for no more."""
        if self._waiting is None:
            self._waiting = self.cluster.batches(self.items, self.settings)
        while self._reached < place:
            batch = next(self._waiting, None)
            if batch is None:
                self._reached = len(self.items)
                break
            self.vectors.put(batch.vectors)
            self._held = {one: found for one, found in self._held.items() if self._places[one] >= place}
            self._held |= batch.documents
            self._reached = max(map(self._places.__getitem__, batch.documents), default=self._reached)
        return self._held.pop(name, {})


class BatchReader:
    """An actor: reads, cuts and encodes batches of files as a library of these settings would.

    Where their embedder is not on its machine, or is at an address, which is this library's to ask, it only reads.
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
        """A column "read" with one ``ReadBatch``, pickled, of the columns "name" and "path"."""
        return {"read": [pickle.dumps(self.read(dict(zip(batch["name"], batch["path"], strict=True))))]}

    def read(self, files: Mapping[str, str]) -> ReadBatch:
        """What becomes of files, each a name and its path; one that fails has no documents."""
        with TemporaryDirectory(prefix="lectern-") as folder:
            store = Store.open(Path(folder) / "library", write=True)
            try:
                return self._read(store, files)
            finally:
                store.close()

    def _read(self, store: Store, files: Mapping[str, str]) -> ReadBatch:
        model, documents, texts = self._model, {}, []
        generation = begin_generation(store, model.encoder.fingerprint, model.encoder.dimension).number
        found: dict[str, Document] = {}

        def noted(data: bytes, *told: Any) -> Document:
            found[hashlib.sha256(data).hexdigest()] = document = parse(data, *told)
            return document

        by = Preparer(store, model, self._settings, generation, Passwords(), teaches=False, parse=noted)
        for name, path in files.items():
            found.clear()
            try:
                prepared = by.prepare(0, Incoming(name, Path(path)), lambda *_: None, lambda _: None)
            except LecternError as error:  # the ingest meets the same, and says so where it is heard
                _LOG.info("%s is left to the ingest: %s", name, error)
                found.clear()
            else:
                texts += list(prepared.texts) if prepared else []
            documents[name] = dict(found)
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
    """Ray on this machine, or the cluster at an address (``auto``, ``host:port`` or ``ray://host:port``).

    Every machine has to see the files under the same paths and to have Lectern's requirements installed; its code is
    sent. Raises ``LecternError`` where Ray is not installed or cannot be reached. ``session``: the folder of what was
    started here, gone with it; ``None``: a cluster was joined.
    """

    session: Path | None = None

    def __init__(self, address: str = "") -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
        try:
            import ray
        except ImportError as error:
            raise LecternError("Ray is not installed.", "pip install -r requirements-ray.txt") from error
        try:
            begun = ray.init(
                address or "local",
                **({} if address else {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}),
                log_to_driver=False,
                logging_level=logging.ERROR,
                runtime_env={"py_modules": [str(Path(__file__).parents[1])]},
            )
        except Exception as error:  # of its own kinds, and bare ones: a node that took too long to start
            raise LecternError(f"No Ray cluster answers at {address or 'this machine'}: {error}") from error
        if not address:
            self.session = Path(begun.address_info["session_dir"])

    def batches(self, items: Sequence[Incoming], settings: Settings) -> Iterator[ReadBatch]:
        """Batches in the order of the items; one that failed for good is left out."""
        import ray.data

        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.execution_options.preserve_order = True
        context.max_errored_blocks = -1
        files = [{"name": item.name, "path": str(item.path)} for item in items]
        try:
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))  # a head without processors may come first
            read = ray.data.from_items(files, override_num_blocks=max(1, len(files) // BATCH)).map_batches(
                BatchReader,
                fn_constructor_args=[settings.to_dict()],
                batch_size=BATCH,
                num_cpus=1,
                compute=ray.data.ActorPoolStrategy(min_size=1, max_size=workers),
            )
            for row in read.iter_rows():
                yield pickle.loads(row["read"])  # noqa: S301 - written by our own actors
        except Exception as error:  # of Ray's own kinds, of the network's, or of a batch that other code wrote
            _LOG.warning("The cluster was lost; the rest is read here: %s", str(error)[:200])

    def leave(self) -> None:
        """End what was started for this reading."""
        import ray

        ray.shutdown()
        if self.session:
            rmtree(self.session, ignore_errors=True)
