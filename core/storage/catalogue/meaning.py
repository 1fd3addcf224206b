"""Documents that are found by their words already and not yet by their meaning.

Their leaves point to a vector without data, so that one committed row of a leaf says which it is. A document gets its
meaning whole, in one transaction: nobody sees a half of it encoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.cancellation import cancellable
from core.errors import StorageError
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store

# SQL: whether the leaf that a row of "chunk" is has its vector.
ENCODED = f"chunk.vector <> (SELECT number FROM vector WHERE key = '{NO_VECTOR}')"
UNENCODED = ENCODED.replace("<>", "=")


def found_by_words(store: Store) -> set[str]:
    """The versions whose leaves wait for their vectors in the serving generation."""
    with store.reading():
        number = int(store.meta("serving") or 0)
        waiting = f"SELECT version FROM chunk WHERE generation = ? AND level = 0 AND {UNENCODED}"
        return {one for (one,) in store.rows(f"SELECT id FROM version WHERE number IN ({waiting})", number)}


def lacks_meaning(store: Store, version_id: str, generation: int) -> bool:
    """Whether some leaf of the version waits for its vector."""
    found = store.row(
        "SELECT 1 FROM chunk WHERE generation = ? AND level = 0"
        f" AND version = (SELECT number FROM version WHERE id = ?) AND {UNENCODED} LIMIT 1",
        *(generation, version_id),
    )
    return found is not None


def add_aliases(store: Store, aliases: Sequence[tuple[int, str, str]]) -> None:
    """Let leaves be found by more than their text: a leaf's row, the alias's name, the key of its vector.

    Raises ``StorageError`` for a vector that is not in the cache.
    """
    if not aliases:
        return
    added = store.write_many(
        "INSERT INTO alias(chunk, name, vector) SELECT ?, ?, number FROM vector WHERE key = ?", aliases
    )
    if added != len(aliases):
        raise StorageError(f"{len(aliases) - added} vectors of what leaves are found by are not in the cache.")


def give_meaning(
    store: Store,
    version_id: str,
    keys: Mapping[str, str],
    generation: int,
    aliases: Mapping[str, Sequence[tuple[str, str]]],
) -> None:
    """Let the leaves of a version that wait for their vectors have them, and those of their aliases, each a name and a
    key. ``keys``: of the vectors, by chunk id, as ``aliases``.

    Leaves that have one keep it. Raises ``StorageError`` for a leaf or a vector that is not there.
    """
    with store.transaction():
        waiting = store.rows(
            "SELECT row, chunk_id FROM chunk WHERE generation = ? AND level = 0"
            f" AND version = (SELECT number FROM version WHERE id = ?) AND {UNENCODED}",
            *(generation, version_id),
        )
        try:
            wanted = [(keys[chunk_id], row) for row, chunk_id in waiting]
        except KeyError as error:
            raise StorageError(f"No vector was made for the leaf {error} of {version_id[:12]}.") from None
        given = store.write_many(
            "UPDATE chunk SET vector = known.number FROM (SELECT number FROM vector WHERE key = ?) AS known"
            " WHERE row = ?",
            cancellable(wanted),
        )
        if given != len(wanted):
            raise StorageError(f"{len(wanted) - given} vectors of {version_id[:12]} are not in the cache.")
        add_aliases(store, [(row, *alias) for row, leaf in waiting for alias in aliases.get(leaf, ())])
        store.write_many(
            "INSERT INTO outbox(generation, op, row) VALUES (?, 'upsert', ?)", ((generation, row) for row, _ in waiting)
        )
        if waiting:
            store.touch()
