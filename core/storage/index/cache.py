"""The vector cache: what was encoded once, by the content of the encoder's input and its fingerprint."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from core.storage.store import Store
from core.types import Vectors

_KEYS_AT_ONCE = 10_000


class CatalogueVectors:
    """The ``VectorCache`` over the catalogue's vectors. Vectors are float32, read-only, as they were put."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a vector, without reading it."""
        return {key for (key,) in self._rows("key", keys)}

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors known, by key; unknown keys are absent."""
        return {key: np.frombuffer(data, "<f4") for key, data in self._rows("key, data", keys)}

    def _rows(self, columns: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        with self._store.reading() as connection:
            for first in range(0, len(keys), _KEYS_AT_ONCE):
                some = json.dumps(list(keys[first : first + _KEYS_AT_ONCE]))
                yield from connection.execute(
                    f"SELECT {columns} FROM vector WHERE key IN (SELECT value FROM json_each(?))", (some,)
                )

    def put(self, items: Mapping[str, Vectors]) -> None:
        """Keep these vectors durably; a key that is known keeps the vector it has."""
        self._store.write_many(
            "INSERT OR IGNORE INTO vector(key, data) VALUES (?, ?)",
            ((key, np.ascontiguousarray(vector, "<f4").tobytes()) for key, vector in items.items()),
        )

    def count(self) -> int:
        return int(self._store.value("SELECT count(*) FROM vector WHERE key <> ''"))
