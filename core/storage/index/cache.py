"""The vector cache in the catalogue. Keys are derived from the encoder's input and its fingerprint."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from core.storage.store import Store
from core.types import VectorCache, Vectors

_KEYS_PER_QUERY = 10_000


class CatalogueVectors:
    """A ``VectorCache`` over the catalogue's vectors: float32, read-only.

    ``lender``: another cache; ``known`` copies from it what it has and the catalogue lacks.
    """

    def __init__(self, store: Store, lender: VectorCache | None = None) -> None:
        self._store, self._lender = store, lender

    def known(self, keys: Sequence[str]) -> set[str]:
        """The subset of ``keys`` that have a vector, those copied from the lender included."""
        known = {key for (key,) in self._rows("key", keys)}
        if self._lender and (lent := self._lender.get([key for key in keys if key not in known])):
            self.put(lent)
            known |= lent.keys()
        return known

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The cached vectors by key; keys without one are absent."""
        return {key: np.frombuffer(data, "<f4") for key, data in self._rows("key, data", keys)}

    def _rows(self, columns: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        with self._store.reading() as connection:
            for start in range(0, len(keys), _KEYS_PER_QUERY):
                batch = json.dumps(list(keys[start : start + _KEYS_PER_QUERY]))
                yield from connection.execute(
                    f"SELECT {columns} FROM vector WHERE key IN (SELECT value FROM json_each(?))", (batch,)
                )

    def put(self, items: Mapping[str, Vectors]) -> None:
        """Store vectors durably; an existing key keeps its vector."""
        self._store.write_many(
            "INSERT OR IGNORE INTO vector(key, data) VALUES (?, ?)",
            ((key, np.ascontiguousarray(vector, "<f4").tobytes()) for key, vector in items.items()),
        )

    def count(self) -> int:
        """The number of cached vectors."""
        return int(self._store.value("SELECT count(*) FROM vector WHERE key <> ''"))
