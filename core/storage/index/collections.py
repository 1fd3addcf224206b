"""``Projection``: the Chroma collections of a library, one per generation, with leaf rows as ids and their vectors.

Its subclasses are Chroma in a local directory (``vectors``) and Chroma on a server (``server``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.types import Vectors

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_SYNC_THRESHOLD = 1000
_MAX_REQUEST_BYTES = 16_000_000  # a Chroma server accepts up to 40 MB
_BYTES_PER_NUMBER = 24  # upper bound for one component of a vector in a JSON request


class ProjectionDamagedError(StorageError):
    """Chroma's content is unreadable or differs from the catalogue; it must be rebuilt."""


class Projection(ABC):
    """The collections of one library. Any thread may call it, but only one at a time.

    Every method raises ``ProjectionDamagedError`` if Chroma fails; subclasses may raise more errors in ``guarded``.
    """

    max_batch: int
    name: str  # stored in the catalogue to find these collections again

    def __init__(self, client: ClientAPI, library: str, prefix: str) -> None:
        self._client, self._library, self._prefix = client, library, prefix
        self._collections: dict[int, Any] = {}

    @abstractmethod
    def guarded(self, action: Callable[[], Any]) -> Any:
        """Call ``action`` and return its result; errors of Chroma are converted to ours."""

    @abstractmethod
    def close(self) -> str:
        """Close Chroma and return its state, to be compared at the next opening. A second call changes nothing."""

    @abstractmethod
    def discard(self) -> None:
        """Delete all collections."""

    @abstractmethod
    def confirm(self, state: str) -> None:
        """Raise ``ProjectionDamagedError`` unless ``state`` is among the states last passed to ``mark``."""

    @abstractmethod
    def mark(self, *states: str) -> None:
        """Record the catalogue state that the collections reflect; during an update, both the old and the new one."""

    def upsert(self, generation: int, rows: Sequence[int], vectors: Vectors, documents: Sequence[str]) -> None:
        """Insert or replace the ``(n, d)`` vectors of rows, each with the id of its document. Idempotent."""
        batch = min(self.max_batch, max(1, _MAX_REQUEST_BYTES // (_BYTES_PER_NUMBER * vectors.shape[1])))
        for start in range(0, len(rows), batch):
            upsert = partial(
                self._collection(generation).upsert,
                ids=_ids(rows[start : start + batch]),
                embeddings=np.ascontiguousarray(vectors[start : start + batch], np.float32),
                metadatas=[{"document": document} for document in documents[start : start + batch]],
            )
            self.guarded(upsert)

    def delete(self, generation: int, rows: Sequence[int]) -> None:
        """Delete rows; unknown ones are ignored."""
        for start in range(0, len(rows), self.max_batch):
            ids = _ids(rows[start : start + self.max_batch])
            self.guarded(partial(self._collection(generation).delete, ids=ids))

    def count(self, generation: int) -> int:
        """The number of vectors of a generation."""
        return int(self.guarded(self._collection(generation).count))

    def query(
        self, generation: int, vector: Vectors, k: int, state: str | None = None
    ) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, cosine distances float32)`` of the ``k`` nearest vectors, or fewer; nearest first.

        ``state``: to ``confirm`` before the query; ``None``: no other process can have changed the collections.
        """
        if state is not None:
            self.confirm(state)
        # ``k`` may exceed the size of the collection, which is not worth a count: that takes as long as the search.
        answer = self.guarded(
            lambda: self._collection(generation).query(
                query_embeddings=np.asarray(vector, np.float32).reshape(1, -1), n_results=k, include=["distances"]
            )
        )
        return np.array(answer["ids"][0], np.int64), np.array(answer["distances"][0], np.float32)

    def drop(self, generation: int) -> None:
        """Delete a generation's collection, if there is one."""
        self._collections.pop(generation, None)
        self._delete_collections(lambda name: name == collection_name(generation, self._prefix))

    def _delete_collections(self, selects: Callable[[str], bool]) -> None:
        for name in [collection.name for collection in self.guarded(self._client.list_collections)]:
            if selects(name):
                self.guarded(partial(self._client.delete_collection, name))

    def _collection(self, generation: int) -> Any:
        if generation not in self._collections:
            self._collections[generation] = self._get_or_create(collection_name(generation, self._prefix))
        return self._collections[generation]

    def _get_or_create(self, name: str) -> Any:
        collection = self.guarded(
            lambda: self._client.get_or_create_collection(
                name,
                # Chroma's defaults are the l2 space and an embedding function of its own, which downloads a model.
                configuration={"hnsw": {"space": "cosine", "sync_threshold": _SYNC_THRESHOLD}},
                metadata={"library": self._library},
                embedding_function=None,
            )
        )
        if (collection.metadata or {}).get("library") != self._library:
            raise ProjectionDamagedError(f"{name} in Chroma belongs to another library.")
        return collection


def collection_name(generation: int, prefix: str = "") -> str:
    """The name of a generation's collection."""
    return f"{prefix}generation-{generation}"


def inspect_collection(
    client: ClientAPI, name: str, rows: Sequence[int]
) -> tuple[set[int], dict[int, Vectors], set[int]]:
    """Read a collection to compare it with the catalogue. ``rows``: a sample. Raises what Chroma raises.

    Returns all its rows, the vectors of the sampled rows, and those sampled rows that a query by their own vector
    finds. All are empty for a missing collection, since one is only created with the first vector.
    """
    if name not in {collection.name for collection in client.list_collections()}:
        return set(), {}, set()
    collection: Any = client.get_collection(name, embedding_function=None)
    all_rows = {int(row) for row in collection.get(include=[])["ids"]}
    sample = sorted(set(rows) & all_rows)
    vectors: dict[int, Vectors] = {}
    reached = set()
    for start in range(0, len(sample), 100):
        batch = collection.get(ids=_ids(sample[start : start + 100]), include=["embeddings"])
        pairs = zip(batch["ids"], batch["embeddings"], strict=True)
        vectors |= {int(row): np.asarray(vector, np.float32) for row, vector in pairs}
    for row, vector in vectors.items():
        nearest = collection.query(query_embeddings=[vector], n_results=min(10, len(all_rows)), include=["distances"])
        # Of several equal vectors the query may return any, so a distance of zero counts as well.
        if str(row) in nearest["ids"][0] or nearest["distances"][0][0] <= 1e-4:
            reached.add(row)
    return all_rows, vectors, reached


def _ids(rows: Sequence[int]) -> list[str]:
    return [str(row) for row in rows]
