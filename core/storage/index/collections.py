"""What Lectern has Chroma hold, wherever Chroma runs: ``row -> vector`` of the leaves, one collection a generation."""

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
_REQUEST_BYTES = 16_000_000  # a Chroma server takes 40 MB at once
_BYTES_A_NUMBER = 24  # of a vector in a request at most, where it is written as text


class ProjectionDamagedError(StorageError):
    """What Chroma holds is not what the catalogue says, or cannot be read: make it anew from the catalogue."""


class Projection(ABC):
    """The collections of one library. Calls may come from any thread, one at a time.

    Every method raises ``ProjectionDamagedError`` where Chroma fails, a server's also what ``guarded`` adds.
    """

    max_batch: int
    name: str  # by which the catalogue finds it again

    def __init__(self, client: ClientAPI, library: str, prefix: str) -> None:
        self._client, self._library, self._prefix = client, library, prefix
        self._collections: dict[int, Any] = {}

    @abstractmethod
    def guarded(self, action: Callable[[], Any]) -> Any:
        """Run something of Chroma's and return its result; all its ways to fail become Lectern's."""

    @abstractmethod
    def close(self) -> str:
        """Let Chroma go, and return what tells at the next opening whether it is as it was left. Twice is once."""

    @abstractmethod
    def discard(self) -> None:
        """Take everything of it away."""

    @abstractmethod
    def confirm(self, state: str) -> None:
        """Raise ``ProjectionDamagedError`` where ``mark`` did not last name this state."""

    @abstractmethod
    def mark(self, *states: str) -> None:
        """Say by which name a catalogue knows how it stands; by the old and the new one while it is being told."""

    def upsert(self, generation: int, rows: Sequence[int], vectors: Vectors, documents: Sequence[str]) -> None:
        """Put ``(n, d)`` vectors under their rows; doing so again changes nothing."""
        step = min(self.max_batch, max(1, _REQUEST_BYTES // (_BYTES_A_NUMBER * vectors.shape[1])))
        for first in range(0, len(rows), step):
            upsert = partial(
                self._collection(generation).upsert,
                ids=_ids(rows[first : first + step]),
                embeddings=np.ascontiguousarray(vectors[first : first + step], np.float32),
                metadatas=[{"document": document} for document in documents[first : first + step]],
            )
            self.guarded(upsert)

    def delete(self, generation: int, rows: Sequence[int]) -> None:
        """Take rows out; unknown ones are passed over."""
        for first in range(0, len(rows), self.max_batch):
            gone = _ids(rows[first : first + self.max_batch])
            self.guarded(partial(self._collection(generation).delete, ids=gone))

    def count(self, generation: int) -> int:
        return int(self.guarded(self._collection(generation).count))

    def query(
        self, generation: int, vector: Vectors, k: int, state: str | None = None
    ) -> tuple[NDArray[np.int64], Vectors]:
        """``(rows int64, cosine distances float32)`` of the nearest ``k`` at most, nearest first.

        ``state``: to ``confirm`` before; ``None``: nobody else can have told it anything.
        """
        if state is not None:
            self.confirm(state)
        # More than there are may be asked for; counting them would take as long as the search at 100,000.
        answer = self.guarded(
            lambda: self._collection(generation).query(
                query_embeddings=np.asarray(vector, np.float32).reshape(1, -1), n_results=k, include=["distances"]
            )
        )
        return np.array(answer["ids"][0], np.int64), np.array(answer["distances"][0], np.float32)

    def drop(self, generation: int) -> None:
        """Remove a generation's collection, if there is one."""
        self._collections.pop(generation, None)
        self._delete_collections(lambda name: name == collection_name(generation, self._prefix))

    def _delete_collections(self, wanted: Callable[[str], bool]) -> None:
        for name in [collection.name for collection in self.guarded(self._client.list_collections)]:
            if wanted(name):
                self.guarded(partial(self._client.delete_collection, name))

    def _collection(self, generation: int) -> Any:
        if generation not in self._collections:
            self._collections[generation] = self._own(collection_name(generation, self._prefix))
        return self._collections[generation]

    def _own(self, name: str) -> Any:
        """A collection of this name, made where there is none."""
        collection = self.guarded(
            lambda: self._client.get_or_create_collection(
                name,
                # The default space is l2, and with no function given Chroma would fetch a model of its own.
                configuration={"hnsw": {"space": "cosine", "sync_threshold": _SYNC_THRESHOLD}},
                metadata={"library": self._library},
                embedding_function=None,
            )
        )
        if (collection.metadata or {}).get("library") != self._library:
            raise ProjectionDamagedError(f"{name} in Chroma belongs to another library.")
        return collection


def collection_name(generation: int, prefix: str = "") -> str:
    """Chroma's name of a generation; it wants three characters or more."""
    return f"{prefix}generation-{generation}"


def look(client: ClientAPI, name: str, rows: Sequence[int]) -> tuple[set[int], dict[int, Vectors], set[int]]:
    """All rows of a collection, the vectors of those of ``rows`` it has, and the rows among them that a query by their
    own vector finds. Raises what Chroma raises.
    """
    if name not in {collection.name for collection in client.list_collections()}:
        return set(), {}, set()  # a generation without leaves may never have been put in: it holds no rows
    collection: Any = client.get_collection(name, embedding_function=None)
    ids = {int(row) for row in collection.get(include=[])["ids"]}
    wanted = sorted(set(rows) & ids)
    vectors: dict[int, Vectors] = {}
    reached = set()
    for first in range(0, len(wanted), 100):
        some = collection.get(ids=_ids(wanted[first : first + 100]), include=["embeddings"])
        pairs = zip(some["ids"], some["embeddings"], strict=True)
        vectors |= {int(row): np.asarray(vector, np.float32) for row, vector in pairs}
    for row, vector in vectors.items():
        nearest = collection.query(query_embeddings=[vector], n_results=min(10, len(ids)), include=["distances"])
        # Equal vectors stand for each other: what must be near is a distance of nothing, not a name.
        if str(row) in nearest["ids"][0] or nearest["distances"][0][0] <= 1e-4:
            reached.add(row)
    return ids, vectors, reached


def _ids(rows: Sequence[int]) -> list[str]:
    return [str(row) for row in rows]
