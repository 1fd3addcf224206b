"""Chroma as a projection: ``row -> vector`` of the leaves, one collection per generation, rebuilt at will.

Chroma (1.5.9) keeps embeddings in files it overwrites in place, and reading a damaged file can end the process without
an exception. So a directory is marked while it is open; one that was not closed is examined by a process of its own
before it is trusted, and whatever looks wrong is made anew from the catalogue in a new directory.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.types import Vectors

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_LOG = logging.getLogger(__name__)
_SYNC_THRESHOLD = 1000
_EXAMINATION_SECONDS = 600
_MARK = "open"


class ProjectionDamagedError(StorageError):
    """Chroma cannot use its files: rebuild them from the catalogue."""


class ChromaProjection:
    """Collections of one directory, open in this process alone. Calls may come from any thread, one at a time.

    Every method raises ``ProjectionDamagedError`` where Chroma fails.
    """

    def __init__(self, directory: Path, library: str) -> None:
        self.directory = directory
        self._library = library
        self._collections: dict[int, Any] = {}
        directory.mkdir(parents=True, exist_ok=True)
        (directory / _MARK).touch()
        self._client: ClientAPI = _guarded(lambda: _client(directory))
        self.max_batch = int(_guarded(self._client.get_max_batch_size))

    def upsert(self, generation: int, rows: Sequence[int], vectors: Vectors, documents: Sequence[str]) -> None:
        """Put ``(n, d)`` vectors under their rows; doing so again changes nothing."""
        for first in range(0, len(rows), self.max_batch):
            last = first + self.max_batch
            upsert = partial(
                self._collection(generation).upsert,
                ids=_ids(rows[first:last]),
                embeddings=np.ascontiguousarray(vectors[first:last], np.float32),
                metadatas=[{"document": document} for document in documents[first:last]],
            )
            _guarded(upsert)

    def delete(self, generation: int, rows: Sequence[int]) -> None:
        """Take rows out; unknown ones are passed over."""
        for first in range(0, len(rows), self.max_batch):
            _guarded(partial(self._collection(generation).delete, ids=_ids(rows[first : first + self.max_batch])))

    def count(self, generation: int) -> int:
        return int(_guarded(self._collection(generation).count))

    def query(self, generation: int, vector: Vectors, k: int) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, cosine distances float32)`` of the nearest ``k`` at most, nearest first."""
        # More than there are may be asked for; counting them would take as long as the search at 100,000.
        answer = _guarded(
            lambda: self._collection(generation).query(
                query_embeddings=np.asarray(vector, np.float32).reshape(1, -1), n_results=k, include=["distances"]
            )
        )
        return np.array(answer["ids"][0], np.int64), np.array(answer["distances"][0], np.float32)

    def drop(self, generation: int) -> None:
        """Remove a generation's collection, if there is one."""
        self._collections.pop(generation, None)
        names = {collection.name for collection in _guarded(self._client.list_collections)}
        if collection_name(generation) in names:
            _guarded(lambda: self._client.delete_collection(collection_name(generation)))

    def close(self) -> str:
        """Let Chroma finish and release its files, and return their ``digest``. Twice is once."""
        if (self.directory / _MARK).exists():
            self._collections.clear()
            _guarded(self._client.close)
            (self.directory / _MARK).unlink(missing_ok=True)
        return digest(self.directory)

    def _collection(self, generation: int) -> Any:
        if generation not in self._collections:
            collection = _guarded(
                lambda: self._client.get_or_create_collection(
                    collection_name(generation),
                    # The default space is l2, and with no function given Chroma would fetch a model of its own.
                    configuration={"hnsw": {"space": "cosine", "sync_threshold": _SYNC_THRESHOLD}},
                    metadata={"library": self._library},
                    embedding_function=None,
                )
            )
            if (collection.metadata or {}).get("library") != self._library:
                raise ProjectionDamagedError(f"{self.directory} belongs to another library.")
            self._collections[generation] = collection
        return self._collections[generation]


def collection_name(generation: int) -> str:
    """Chroma's name of a generation; it wants three characters or more."""
    return f"generation-{generation}"


def left_open(directory: Path) -> bool:
    """Whether the process that last used the directory ended without closing it."""
    return (directory / _MARK).exists()


def digest(directory: Path) -> str:
    """Hex SHA-256 over the names and bytes of all files of a directory that no process has open; "" where it cannot be
    read. Nothing of Chroma reads a file whose bytes are not those that Chroma left.
    """
    whole = hashlib.sha256()
    try:
        for path in sorted(path for path in directory.rglob("*") if path.is_file()):
            whole.update(str(path.relative_to(directory)).encode() + b"\0")
            with path.open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError:
        return ""
    return whole.hexdigest()


def new_directory(root: Path) -> Path:
    """A place no client has open: Chroma keeps one system per path and process, also after its files are gone."""
    return root / uuid.uuid4().hex[:12]


def discard(directory: Path) -> None:
    """Delete a projection's files. What cannot be deleted (open on Windows) is left for the next opening."""
    shutil.rmtree(directory, ignore_errors=True)
    if directory.exists():
        _LOG.info("%s could not be removed yet.", directory)


def examine(directory: Path, generation: int, rows: Sequence[int]) -> tuple[set[int], dict[int, Vectors], set[int]]:
    """Look into a directory that no process has open, from a process that may die of it.

    Returns all rows of the generation's collection, the vectors of those of ``rows`` it has, and the rows among them
    that a query by their own vector finds. Raises ``ProjectionDamagedError``.
    """
    request = json.dumps({"directory": str(directory), "generation": generation, "rows": [int(row) for row in rows]})
    try:
        answer = subprocess.run(
            [sys.executable, "-m", "core.storage.index.vectors"],
            cwd=Path(__file__).parents[3],
            input=request.encode(),
            capture_output=True,
            timeout=_EXAMINATION_SECONDS,
            check=True,
        )
        found = json.loads(answer.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip().splitlines()
        why = said[-1][:200] if said else type(error).__name__
        raise ProjectionDamagedError(f"Chroma's files in {directory} are damaged ({why}).") from error
    vectors = {int(row): np.array(vector, np.float32) for row, vector in found["vectors"].items()}
    return set(found["ids"]), vectors, set(found["reached"])


def _ids(rows: Sequence[int]) -> list[str]:
    return [str(row) for row in rows]


def _client(directory: Path) -> ClientAPI:
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(path=str(directory), settings=Settings(anonymized_telemetry=False))


def _guarded(action: Callable[[], Any]) -> Any:
    """Run something of Chroma's; all its ways to fail become one."""
    from chromadb.errors import ChromaError

    try:
        return action()
    except BaseException as error:
        known = (ChromaError, OSError, RuntimeError, ValueError, KeyError, AttributeError, TypeError)
        if not isinstance(error, known) and type(error).__name__ != "PanicException":  # Rust's own, which has no module
            raise
        raise ProjectionDamagedError(
            f"Chroma failed: {type(error).__name__}: {str(error)[:200]}", "It is rebuilt from the catalogue."
        ) from error


def look_into(directory: Path, generation: int, rows: Sequence[int]) -> dict[str, Any]:
    """What ``examine`` asks, answered by this process, which damaged files may end without an exception."""
    client = _client(directory)
    name = collection_name(generation)
    if name not in {collection.name for collection in client.list_collections()}:
        client.close()  # a generation without leaves may never have been put in: it holds no rows
        return {"ids": [], "vectors": {}, "reached": []}
    collection = client.get_collection(name, embedding_function=None)
    ids = [int(row) for row in collection.get(include=[])["ids"]]
    wanted = sorted(set(rows) & set(ids))
    vectors: dict[int, Any] = {}
    reached = []
    for first in range(0, len(wanted), 100):
        some = collection.get(ids=[str(row) for row in wanted[first : first + 100]], include=["embeddings"])
        vectors |= {int(row): vector for row, vector in zip(some["ids"], some["embeddings"], strict=True)}
    for row, vector in vectors.items():
        nearest = collection.query(query_embeddings=[vector], n_results=min(10, len(ids)), include=["distances"])
        # Equal vectors stand for each other: what must be near is a distance of nothing, not a name.
        if str(row) in nearest["ids"][0] or nearest["distances"][0][0] <= 1e-4:
            reached.append(row)
    if vectors and left_open(directory):  # files that can be read may still end who writes: a vector in its own place
        collection.upsert(ids=[str(row)], embeddings=[vector])
    client.close()
    return {"ids": ids, "vectors": {row: vector.tolist() for row, vector in vectors.items()}, "reached": reached}


if __name__ == "__main__":
    asked = json.loads(sys.stdin.buffer.read())
    json.dump(look_into(Path(asked["directory"]), asked["generation"], asked["rows"]), sys.stdout)
