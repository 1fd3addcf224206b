"""Generations: the embedder and the index schema. A new one grows beside the serving one and is flipped to at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from core.errors import NotFoundError, StorageError
from core.storage.schema.word_tables import create_index, drop_index, remove_rows
from core.storage.store import Store, now

# Grows when the tables made by core.storage.index.lexical, or what is indexed in them, change and no migration
# brings what there is along: then all is cut anew.
INDEX_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Generation:
    """``embedder``: the encoder's fingerprint; ``dimension``: of its vectors; ``serving``: it answers questions."""

    number: int
    embedder: str
    dimension: int
    index_schema: int
    created_at: str
    serving: bool


def begin_generation(store: Store, embedder: str, dimension: int) -> Generation:
    """The generation of this embedder and of this Lectern's index schema, made empty when there is none.

    The first one of a library serves at once. A later one is filled version by version (``unfinished_versions`` says
    what is left, also after a crash) until ``serve`` flips to it.
    """
    with store.transaction() as connection:
        for known in generations(store):
            if (known.embedder, known.dimension, known.index_schema) == (embedder, dimension, INDEX_SCHEMA):
                return known
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
        known = "SELECT number, embedder, dimension, index_schema, created_at FROM generation ORDER BY number"
        return [Generation(*(*row, row[0] == serving)) for row in store.rows(known)]


def generation(store: Store, number: int) -> Generation:
    """One generation. Raises ``NotFoundError``."""
    for known in generations(store):
        if known.number == number:
            return known
    raise NotFoundError(f"The library has no generation {number}.")


def serving(store: Store) -> Generation | None:
    """The generation that answers questions; ``None`` before the first ``begin_generation``."""
    return next((known for known in generations(store) if known.serving), None)


def generation_number(store: Store, number: int | None) -> int:
    """This generation, which there must be, or for ``None`` the serving one. Raises ``NotFoundError``."""
    if number is not None:
        return generation(store, number).number
    current = serving(store)
    if current is None:
        raise NotFoundError("The library has no index yet.", "Ingest a document first.")
    return current.number


def serve(store: Store, number: int, *, without: Collection[str] = ()) -> None:
    """Flip to a generation: one pointer, so a question sees the old one whole or the new one whole.

    ``without``: versions that could not be cut for it and stay out until they can. Raises ``StorageError`` while
    others are still missing from it.
    """
    with store.transaction():
        generation(store, number)
        missing = len(set(unfinished_versions(store, number)) - set(without))
        if missing:
            raise StorageError(f"Generation {number} still lacks {missing} documents.", "Finish building it first.")
        store.set_meta("serving", str(number))
        store.touch()


def unfinished_versions(store: Store, number: int) -> list[str]:
    """Versions with a live source that the generation has not cut yet, oldest first: where building it goes on."""
    uncut = (
        "SELECT id FROM version WHERE number IN (SELECT version FROM source WHERE trashed_at IS NULL)"
        " AND number NOT IN (SELECT version FROM recipe WHERE generation = ?) ORDER BY number"
    )
    return [version_id for (version_id,) in store.rows(uncut, number)]


def drop_generation(store: Store, number: int) -> None:
    """Forget a generation that does not serve: its chunks, index and collection. Vectors stay in the cache."""
    with store.transaction() as connection:
        if generation(store, number).serving:
            raise StorageError(f"Generation {number} is the serving one.", "Flip to another one first.")
        store.write("DELETE FROM chunk WHERE generation = ?", number)
        store.write("DELETE FROM generation WHERE number = ?", number)
        drop_index(connection, number)
        store.write("DELETE FROM outbox WHERE generation = ?", number)
        store.write("INSERT INTO outbox(generation, op, row) VALUES (?, 'drop', 0)", number)


def remove_chunks(store: Store, version: int, only: int | None = None) -> None:
    """Take a version's chunks out of every generation (or ``only`` one): rows, index, recipe; Chroma via the outbox."""
    with store.transaction() as connection:
        cut = "SELECT generation FROM recipe WHERE version = ?"
        for (number,) in store.rows(cut, version) if only is None else [(only,)]:
            of_it = "FROM chunk WHERE generation = ? AND version = ?"
            leaves = [row for (row,) in store.rows(f"SELECT row {of_it} AND level = 0", number, version)]
            remove_rows(connection, number, leaves)
            queued = "INSERT INTO outbox(generation, op, row) VALUES (?, 'delete', ?)"
            store.write_many(queued, ((number, row) for row in leaves))
            store.write(f"DELETE {of_it}", number, version)
            store.write("DELETE FROM recipe WHERE generation = ? AND version = ?", number, version)
