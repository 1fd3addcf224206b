"""Generations of the index. Each belongs to one embedder and index schema; one generation serves all searches.

To change the embedder, a new generation is built next to the serving one, which it then replaces in one step.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from core.errors import NotFoundError, StorageError
from core.storage.schema.word_tables import create_index, drop_index, remove_rows
from core.storage.store import Store, now

# Increment it when the lexical tables or their contents change in a way that no migration converts: then a new
# generation is built and all documents are chunked again.
INDEX_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Generation:
    """A generation. ``embedder``: the encoder's fingerprint. ``dimension``: of its vectors. ``serving``: in use."""

    number: int
    embedder: str
    dimension: int
    index_schema: int
    created_at: str
    serving: bool


def begin_generation(store: Store, embedder: str, dimension: int) -> Generation:
    """The generation of this embedder and the current index schema, created empty if there is none.

    The first one of a library serves at once. Any other is filled document by document; ``unfinished_versions`` lists
    those left, also after a crash. ``serve`` then makes it the serving one.
    """
    with store.transaction() as connection:
        for existing in generations(store):
            if (existing.embedder, existing.dimension, existing.index_schema) == (embedder, dimension, INDEX_SCHEMA):
                return existing
        number = store.insert(
            "INSERT INTO generation(embedder, dimension, index_schema, created_at) VALUES (?, ?, ?, ?)",
            *(embedder, dimension, INDEX_SCHEMA, now()),
        )
        create_index(connection, number)
        if store.meta("serving") is None:
            serve(store, number)
        return generation(store, number)


def generations(store: Store) -> list[Generation]:
    """All generations, oldest first."""
    with store.reading():
        serving = int(store.meta("serving") or 0)
        query = "SELECT number, embedder, dimension, index_schema, created_at FROM generation ORDER BY number"
        return [Generation(*(*row, row[0] == serving)) for row in store.rows(query)]


def generation(store: Store, number: int) -> Generation:
    """One generation. Raises ``NotFoundError``."""
    for existing in generations(store):
        if existing.number == number:
            return existing
    raise NotFoundError(f"The library has no generation {number}.")


def serving(store: Store) -> Generation | None:
    """The generation that is searched; ``None`` before the first ``begin_generation``."""
    return next((existing for existing in generations(store) if existing.serving), None)


def generation_number(store: Store, number: int | None) -> int:
    """``number`` if that generation exists; for ``None`` the serving one. Raises ``NotFoundError``."""
    if number is not None:
        return generation(store, number).number
    current = serving(store)
    if current is None:
        raise NotFoundError("The library has no index yet.", "Ingest a document first.")
    return current.number


def serve(store: Store, number: int, *, without: Collection[str] = ()) -> None:
    """Make a generation the serving one. The switch is atomic: a search uses either the old one or the new one.

    ``without``: versions that may be missing from it because they could not be chunked. Raises ``StorageError`` if
    others are missing.
    """
    with store.transaction():
        generation(store, number)
        missing = len(set(unfinished_versions(store, number)) - set(without))
        if missing:
            raise StorageError(f"Generation {number} still lacks {missing} documents.", "Finish building it first.")
        store.set_meta("serving", str(number))
        store.touch()


def unfinished_versions(store: Store, number: int) -> list[str]:
    """Versions with a live source that are not yet chunked in the generation, oldest first."""
    query = (
        "SELECT id FROM version WHERE number IN (SELECT version FROM source WHERE trashed_at IS NULL)"
        " AND number NOT IN (SELECT version FROM recipe WHERE generation = ?) ORDER BY number"
    )
    return [version_id for (version_id,) in store.rows(query, number)]


def drop_generation(store: Store, number: int) -> None:
    """Delete a generation with its chunks, index and collection; vectors stay cached.

    Raises ``StorageError`` for the serving generation.
    """
    with store.transaction() as connection:
        if generation(store, number).serving:
            raise StorageError(f"Generation {number} is the serving one.", "Flip to another one first.")
        store.write("DELETE FROM chunk WHERE generation = ?", number)
        store.write("DELETE FROM generation WHERE number = ?", number)
        drop_index(connection, number)
        store.write("DELETE FROM outbox WHERE generation = ?", number)
        store.write("INSERT INTO outbox(generation, op, row) VALUES (?, 'drop', 0)", number)


def remove_chunks(store: Store, version: int, only: int | None = None) -> None:
    """Delete a version's chunks, index rows and recipe in all generations, or ``only`` in one; Chroma by the outbox."""
    with store.transaction() as connection:
        chunked_in = "SELECT generation FROM recipe WHERE version = ?"
        for (number,) in store.rows(chunked_in, version) if only is None else [(only,)]:
            from_chunks = "FROM chunk WHERE generation = ? AND version = ?"
            leaves = [row for (row,) in store.rows(f"SELECT row {from_chunks} AND level = 0", number, version)]
            remove_rows(connection, number, leaves)
            store.write_many(
                "INSERT INTO outbox(generation, op, row) VALUES (?, 'delete', ?)", ((number, row) for row in leaves)
            )
            store.write(f"DELETE {from_chunks}", number, version)
            store.write("DELETE FROM recipe WHERE generation = ? AND version = ?", number, version)
