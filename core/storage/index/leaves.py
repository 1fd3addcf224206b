"""All leaves of the serving generation as arrays: what exact search and expansion work on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.storage.catalogue.names import names_of_versions
from core.storage.faults import row_faults
from core.storage.index.leaf_vectors import LeafVectors, VectorNumbers
from core.storage.index.postings import numbers
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store
from core.types import Span, Vectors


@dataclass(frozen=True, slots=True)
class Aliases:
    """What leaves are found by beside their text. ``owners``: (m,) int64, indices of leaves. ``names``: m, as a trace
    calls them. ``vectors``: (m, dimension) float32.
    """

    owners: NDArray[np.int64]
    names: tuple[str, ...]
    vectors: Vectors

    def taken(self, kept: NDArray[np.bool_]) -> Aliases:
        """Those of the leaves for which ``kept`` is true, by their indices among these."""
        mine = np.flatnonzero(kept[self.owners])
        places = np.cumsum(kept) - 1
        return Aliases(places[self.owners[mine]], tuple(self.names[at] for at in mine), self.vectors[mine])


@dataclass(frozen=True, slots=True)
class LeafTable:
    """One state of the library's leaves, ordered by version and start. ``revision``: its ``Store.contents``.

    ``rows``, ``starts``, ``ends``, ``tokens``, ``parent_rows``: (n,) int64, a missing parent is -1. ``documents``:
    (n,) int32, the place of the leaf's version in ``version_ids``, ``titles`` and ``names`` (its first source's name).
    ``vectors``: of the leaves, read when they are asked for. ``generation`` 0: nothing indexed yet.
    ``unencoded``: (n,) whether a leaf waits for its vector, which is zero till then; ``None``: all have theirs.
    ``aliases``: ``None`` where every leaf is found by its text alone.
    """

    revision: int
    generation: int
    dimension: int
    rows: NDArray[np.int64]
    documents: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    tokens: NDArray[np.int64]
    parent_rows: NDArray[np.int64]
    vectors: LeafVectors
    version_ids: tuple[str, ...]
    titles: tuple[str, ...]
    names: tuple[str, ...]
    unencoded: NDArray[np.bool_] | None = None
    aliases: Aliases | None = None

    def __len__(self) -> int:
        return len(self.rows)


@row_faults("The table of leaves")
def load_leaves(store: Store, previous: LeafTable | None = None) -> LeafTable:
    """The leaves as they are now. What vectors ``previous`` holds is not read again."""
    with store.reading():
        revision = store.contents()
        if previous is not None and previous.revision == revision:
            return previous
        serving = store.row(
            "SELECT number, dimension FROM generation WHERE number = ?", int(store.meta("serving") or 0)
        )
        number, dimension = serving or (0, 0)
        previous = previous if previous is not None and previous.generation == number else None
        documents = _documents(store, number)
        rows, documents_of, starts, ends, tokens, parents = _columns(store, number, documents, previous)
        of_vectors = _vectors_of(store, rows)
        unencoded = of_vectors == int(store.value(f"SELECT number FROM vector WHERE key = '{NO_VECTOR}'") or -1)
        vectors = LeafVectors.stored(store, rows, dimension, VectorNumbers(revision, of_vectors))
        if previous is not None:
            vectors = vectors.following(previous.vectors, _has_vector(previous, rows) & ~unencoded)
        aliases = _aliases(store, number, rows, dimension)
    return LeafTable(
        revision=revision,
        generation=number,
        dimension=dimension,
        rows=rows,
        documents=documents_of.astype(np.int32),
        starts=starts,
        ends=ends,
        tokens=tokens,
        parent_rows=parents,
        vectors=vectors,
        version_ids=tuple(document[1] for document in documents),
        titles=tuple(document[2] for document in documents),
        names=tuple(document[3] for document in documents),
        unencoded=unencoded if unencoded.any() else None,
        aliases=aliases,
    )


def narrow(leaves: LeafTable, versions: Mapping[str, str]) -> LeafTable:
    """The leaves of some versions alone, each version under the name given for it; places in ``version_ids`` stay.

    Scores over the result are scores over what passes, whatever else the library holds.
    """
    passing = np.array([version_id in versions for version_id in leaves.version_ids], bool)
    names = tuple(
        versions.get(version_id, name) for version_id, name in zip(leaves.version_ids, leaves.names, strict=True)
    )
    if passing.all():
        return replace(leaves, names=names)
    return replace(take(leaves, passing[leaves.documents]), names=names)


def take(leaves: LeafTable, kept: NDArray[np.bool_]) -> LeafTable:
    """The leaves for which ``kept``, ``(n,)``, is true; places in ``version_ids`` stay."""
    return replace(
        leaves,
        rows=leaves.rows[kept],
        documents=leaves.documents[kept],
        starts=leaves.starts[kept],
        ends=leaves.ends[kept],
        tokens=leaves.tokens[kept],
        parent_rows=leaves.parent_rows[kept],
        vectors=leaves.vectors.taken(kept),
        unencoded=None if leaves.unencoded is None else leaves.unencoded[kept],
        aliases=None if leaves.aliases is None else leaves.aliases.taken(kept),
    )


def ancestors(store: Store, rows: Sequence[int]) -> dict[int, tuple[Span, ...]]:
    """What each chunk stands in, its parent first, the top of its tree last; () at the top or where it is gone."""
    found: dict[int, tuple[Span, ...]] = {int(row): () for row in rows}
    for row, start, end in store.rows(
        "WITH RECURSIVE above(row, parent, height) AS ("
        " SELECT row, parent_row, 1 FROM chunk WHERE row IN (SELECT value FROM json_each(?))"
        " UNION ALL SELECT above.row, chunk.parent_row, height + 1"
        " FROM above JOIN chunk ON chunk.row = above.parent)"
        ' SELECT above.row, chunk.start, chunk."end" FROM above JOIN chunk ON chunk.row = above.parent'
        " ORDER BY above.row, height",
        list(found),
    ):
        found[row] += (Span(start, end),)
    return found


def _columns(
    store: Store, generation: int, documents: Sequence[tuple[int, str, str, str]], previous: LeafTable | None
) -> list[NDArray[np.int64]]:
    """Rows, places in ``documents``, starts, ends, tokens and parents, by version, start and row.

    A row keeps all of these while it is there, and no other ever has its number: those of ``previous`` are not read.
    """
    ordered = "SELECT row FROM chunk WHERE generation = ? AND level = 0 ORDER BY version, start, row"
    rows = numbers(store.value(f"SELECT group_concat(row) FROM ({ordered})", generation))
    columns, known = np.zeros((6, len(rows)), np.int64), np.zeros(len(rows), bool)
    columns[0] = rows
    if previous is not None and len(previous):
        places = {version_id: place for place, (_, version_id, _, _) in enumerate(documents)}
        place = np.array([places.get(version_id, -1) for version_id in previous.version_ids], np.int64)
        order = np.argsort(previous.rows, kind="stable")
        at = order[np.minimum(np.searchsorted(previous.rows, rows, sorter=order), len(order) - 1)]
        known = previous.rows[at] == rows
        kept = (place[previous.documents], previous.starts, previous.ends, previous.tokens, previous.parent_rows)
        columns[1:] = [column[at] for column in kept]
    columns[:, ~known] = _read_columns(store, rows[~known])
    versions = np.array([number for number, _, _, _ in documents], np.int64)
    columns[1, ~known] = _places(versions, columns[1, ~known], "document")
    if np.any(columns[1] < 0):
        raise ValueError("a leaf is of no document")
    return list(columns)


def _read_columns(store: Store, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(6, n) rows, versions, starts, ends, tokens and parents, in the order of rows by version, start and row."""
    names = ("row", "version", "start", '"end"', "tokens", "coalesce(parent_row, -1)")
    listed = (
        'SELECT row, version, start, "end", tokens, parent_row FROM chunk'
        " WHERE row IN (SELECT value FROM json_each(?)) ORDER BY version, start, row"
    )
    found = store.row(f"SELECT {', '.join(f'group_concat({name})' for name in names)} FROM ({listed})", rows.tolist())
    return np.stack([numbers(column) for column in found])


def _places(held: NDArray[np.int64], wanted: NDArray[np.int64], what: str) -> NDArray[np.int64]:
    """Where each wanted number stands among those held, which ascend. Raises ``ValueError`` for one that does not."""
    found = np.searchsorted(held, wanted)
    if len(wanted) and (not len(held) or np.any(held[np.minimum(found, len(held) - 1)] != wanted)):
        raise ValueError(f"a leaf has no {what}")
    return found


def _vectors_of(store: Store, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the vectors of leaves, read from their index alone."""
    pairs = "SELECT row, vector FROM chunk WHERE vector IS NOT NULL"
    leaves, vectors = map(numbers, store.row(f"SELECT group_concat(row), group_concat(vector) FROM ({pairs})") or "")
    if len(leaves) != len(vectors):
        raise ValueError("a leaf's vector has no number")
    order = np.argsort(leaves)
    return vectors[order[_places(leaves[order], rows, "vector")]]


def _documents(store: Store, generation: int) -> list[tuple[int, str, str, str]]:
    names = names_of_versions(store)
    cut = "SELECT number, id, title FROM version WHERE number IN (SELECT version FROM recipe WHERE generation = ?)"
    found = store.rows(f"{cut} ORDER BY number", generation)
    return [(number, version_id, title, names.get(number, title)) for number, version_id, title in found]


def _aliases(store: Store, generation: int, rows: NDArray[np.int64], dimension: int) -> Aliases | None:
    found = store.rows(
        "SELECT row, name, data FROM alias CROSS JOIN chunk ON row = chunk JOIN vector ON vector.number = alias.vector"
        " WHERE generation = ? ORDER BY row, name",
        generation,
    )
    if not found:
        return None
    if any(len(data) != 4 * dimension for _, _, data in found):
        raise StorageError(f"{store.home}: some vectors have the wrong length.", "Run verify on it.")
    order = np.argsort(rows)
    owners = order[np.searchsorted(rows, [row for row, _, _ in found], sorter=order)]
    vectors = np.frombuffer(b"".join(data for _, _, data in found), "<f4").reshape(len(found), dimension)
    return Aliases(owners, tuple(name for _, name, _ in found), vectors)


def _has_vector(leaves: LeafTable, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(m,) which rows are among the leaves, with a vector."""
    encoded = leaves.rows if leaves.unencoded is None else leaves.rows[~leaves.unencoded]
    return np.isin(rows, encoded)
