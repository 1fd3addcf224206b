"""Documents that are indexed for lexical search but whose leaves are not encoded yet.

Such a leaf refers to a placeholder vector without data. All leaves of a document get their vectors in one transaction,
so that no search sees a half-encoded document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.cancellation import cancellable
from core.errors import StorageError
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store

# SQL conditions: whether the leaf in a row of "chunk" is encoded.
ENCODED = f"chunk.vector <> (SELECT number FROM vector WHERE key = '{NO_VECTOR}')"
UNENCODED = ENCODED.replace("<>", "=")


def unencoded_versions(store: Store) -> set[str]:
    """The ids of versions with leaves that are not encoded in the serving generation."""
    with store.reading():
        serving = int(store.meta("serving") or 0)
        query = f"SELECT version FROM chunk WHERE generation = ? AND level = 0 AND {UNENCODED}"
        return {version for (version,) in store.rows(f"SELECT id FROM version WHERE number IN ({query})", serving)}


def has_unencoded_leaves(store: Store, version_id: str, generation: int) -> bool:
    """Whether some leaf of the version is not encoded."""
    row = store.row(
        "SELECT 1 FROM chunk WHERE generation = ? AND level = 0"
        f" AND version = (SELECT number FROM version WHERE id = ?) AND {UNENCODED} LIMIT 1",
        *(generation, version_id),
    )
    return row is not None


def add_aliases(store: Store, aliases: Sequence[tuple[int, str, str]]) -> None:
    """Add further vectors to leaves. Each alias is (leaf row, name, vector key).

    Raises ``StorageError`` for a vector that is not in the cache.
    """
    if not aliases:
        return
    added = store.write_many(
        "INSERT INTO alias(chunk, name, vector) SELECT ?, ?, number FROM vector WHERE key = ?", aliases
    )
    if added != len(aliases):
        raise StorageError(f"{len(aliases) - added} vectors of what leaves are found by are not in the cache.")


def assign_vectors(
    store: Store,
    version_id: str,
    keys: Mapping[str, str],
    generation: int,
    aliases: Mapping[str, Sequence[tuple[str, str]]],
) -> None:
    """Assign cached vectors to the leaves of a version that are not encoded yet; other leaves keep theirs.

    ``keys``: the vector's key by chunk id. ``aliases``: (name, vector key) of further vectors, by chunk id. Raises
    ``StorageError`` if a leaf has no key or a vector is not in the cache.
    """
    with store.transaction():
        unencoded = store.rows(
            "SELECT row, chunk_id FROM chunk WHERE generation = ? AND level = 0"
            f" AND version = (SELECT number FROM version WHERE id = ?) AND {UNENCODED}",
            *(generation, version_id),
        )
        try:
            assignments = [(keys[chunk_id], row) for row, chunk_id in unencoded]
        except KeyError as error:
            raise StorageError(f"No vector was made for the leaf {error} of {version_id[:12]}.") from None
        assigned = store.write_many(
            "UPDATE chunk SET vector = known.number FROM (SELECT number FROM vector WHERE key = ?) AS known"
            " WHERE row = ?",
            cancellable(assignments),
        )
        if assigned != len(assignments):
            raise StorageError(f"{len(assignments) - assigned} vectors of {version_id[:12]} are not in the cache.")
        add_aliases(store, [(row, *alias) for row, leaf in unencoded for alias in aliases.get(leaf, ())])
        store.write_many(
            "INSERT INTO outbox(generation, op, row) VALUES (?, 'upsert', ?)",
            ((generation, row) for row, _ in unencoded),
        )
        if unencoded:
            store.touch()
