"""``LeafTable``: all leaves of the serving generation as arrays, for exact search and for expansion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.storage.catalogue.filing.names import names_of_versions
from core.storage.faults import row_faults
from core.storage.index.leaf_vectors import LeafVectors, VectorNumbers
from core.storage.index.postings import numbers
from core.storage.schema.steps import NO_VECTOR
from core.storage.store import Store
from core.types import Span, Vectors


@dataclass(frozen=True, slots=True)
class Aliases:
    """Additional vectors of leaves, besides those of their texts.

    ``owners``: (m,) int64, leaf indexes. ``names``: m names, as shown in a trace. ``vectors``: (m, dimension) float32.
    """

    owners: NDArray[np.int64]
    names: tuple[str, ...]
    vectors: Vectors

    def subset(self, mask: NDArray[np.bool_]) -> Aliases:
        """The aliases of the leaves selected by an (n,) mask, with indexes into the selected leaves."""
        selected = np.flatnonzero(mask[self.owners])
        new_indexes = np.cumsum(mask) - 1
        return Aliases(
            new_indexes[self.owners[selected]], tuple(self.names[at] for at in selected), self.vectors[selected]
        )


@dataclass(frozen=True, slots=True)
class LeafTable:
    """The leaves of one state of the library, ordered by version and start.

    ``revision``: the ``Store.contents()`` of that state. ``generation``: 0 if nothing is indexed yet. ``rows``,
    ``starts``, ``ends``, ``tokens``, ``parent_rows``: (n,) int64; -1 for no parent. ``documents``: (n,) int32 index of
    the leaf's version in ``version_ids``, ``titles`` and ``names`` (the display name of its first source).
    ``vectors``: read on demand. ``unencoded``: (n,) mask of leaves without a vector, whose rows are zero; ``None``: all
    are encoded. ``aliases``: ``None`` if no leaf has additional vectors.
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
    """The current leaves. ``previous``: an earlier table, whose columns and loaded vectors are reused."""
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
        vector_numbers = _vector_numbers(store, rows)
        unencoded = vector_numbers == int(store.value(f"SELECT number FROM vector WHERE key = '{NO_VECTOR}'") or -1)
        vectors = LeafVectors.stored(store, rows, dimension, VectorNumbers(revision, vector_numbers))
        if previous is not None:
            vectors = vectors.reusing(previous.vectors, _has_vector(previous, rows) & ~unencoded)
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
    """Only the leaves of ``versions``, a mapping from version id to the name to use. Document indexes stay valid.

    Scores computed from the result do not depend on the other documents of the library.
    """
    in_scope = np.array([version_id in versions for version_id in leaves.version_ids], bool)
    names = tuple(
        versions.get(version_id, name) for version_id, name in zip(leaves.version_ids, leaves.names, strict=True)
    )
    if in_scope.all():
        return replace(leaves, names=names)
    return replace(select(leaves, in_scope[leaves.documents]), names=names)


def select(leaves: LeafTable, mask: NDArray[np.bool_]) -> LeafTable:
    """The leaves selected by an (n,) mask. Document indexes stay valid."""
    return replace(
        leaves,
        rows=leaves.rows[mask],
        documents=leaves.documents[mask],
        starts=leaves.starts[mask],
        ends=leaves.ends[mask],
        tokens=leaves.tokens[mask],
        parent_rows=leaves.parent_rows[mask],
        vectors=leaves.vectors.subset(mask),
        unencoded=None if leaves.unencoded is None else leaves.unencoded[mask],
        aliases=None if leaves.aliases is None else leaves.aliases.subset(mask),
    )


def ancestors(store: Store, rows: Sequence[int]) -> dict[int, tuple[Span, ...]]:
    """The spans of each chunk's ancestors, by row, parent first; () for a root and for an unknown row."""
    spans: dict[int, tuple[Span, ...]] = {int(row): () for row in rows}
    for row, start, end in store.rows(
        "WITH RECURSIVE above(row, parent, height) AS ("
        " SELECT row, parent_row, 1 FROM chunk WHERE row IN (SELECT value FROM json_each(?))"
        " UNION ALL SELECT above.row, chunk.parent_row, height + 1"
        " FROM above JOIN chunk ON chunk.row = above.parent)"
        ' SELECT above.row, chunk.start, chunk."end" FROM above JOIN chunk ON chunk.row = above.parent'
        " ORDER BY above.row, height",
        list(spans),
    ):
        spans[row] += (Span(start, end),)
    return spans


def _columns(
    store: Store, generation: int, documents: Sequence[tuple[int, str, str, str]], previous: LeafTable | None
) -> list[NDArray[np.int64]]:
    """The columns row, document index, start, end, tokens and parent row of all leaves, by version, start and row.

    Leaves in ``previous`` are not read again: a row never changes, and its number is never reused.
    """
    ordered = "SELECT row FROM chunk WHERE generation = ? AND level = 0 ORDER BY version, start, row"
    rows = numbers(store.value(f"SELECT group_concat(row) FROM ({ordered})", generation))
    columns, known = np.zeros((6, len(rows)), np.int64), np.zeros(len(rows), bool)
    columns[0] = rows
    if previous is not None and len(previous):
        indexes = {version_id: index for index, (_, version_id, _, _) in enumerate(documents)}
        new_index = np.array([indexes.get(version_id, -1) for version_id in previous.version_ids], np.int64)
        order = np.argsort(previous.rows, kind="stable")
        at = order[np.minimum(np.searchsorted(previous.rows, rows, sorter=order), len(order) - 1)]
        known = previous.rows[at] == rows
        reused = (new_index[previous.documents], previous.starts, previous.ends, previous.tokens, previous.parent_rows)
        columns[1:] = [column[at] for column in reused]
    columns[:, ~known] = _read_columns(store, rows[~known])
    versions = np.array([number for number, _, _, _ in documents], np.int64)
    columns[1, ~known] = _positions(versions, columns[1, ~known], "document")
    if np.any(columns[1] < 0):
        raise ValueError("a leaf is of no document")
    return list(columns)


def _read_columns(store: Store, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(6, n): row, version, start, end, tokens and parent row, ordered by version, start and row."""
    names = ("row", "version", "start", '"end"', "tokens", "coalesce(parent_row, -1)")
    listed = (
        'SELECT row, version, start, "end", tokens, parent_row FROM chunk'
        " WHERE row IN (SELECT value FROM json_each(?)) ORDER BY version, start, row"
    )
    packed = store.row(f"SELECT {', '.join(f'group_concat({name})' for name in names)} FROM ({listed})", rows.tolist())
    return np.stack([numbers(column) for column in packed])


def _positions(ascending: NDArray[np.int64], values: NDArray[np.int64], what: str) -> NDArray[np.int64]:
    """The position of each value in an ascending array. Raises ``ValueError`` for a missing one."""
    positions = np.searchsorted(ascending, values)
    last = len(ascending) - 1
    if len(values) and (last < 0 or np.any(ascending[np.minimum(positions, last)] != values)):
        raise ValueError(f"a leaf has no {what}")
    return positions


def _vector_numbers(store: Store, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row numbers of the leaves' vectors, by a query that only needs the index on them."""
    pairs = "SELECT row, vector FROM chunk WHERE vector IS NOT NULL"
    leaves, vectors = map(numbers, store.row(f"SELECT group_concat(row), group_concat(vector) FROM ({pairs})") or "")
    if len(leaves) != len(vectors):
        raise ValueError("a leaf's vector has no number")
    order = np.argsort(leaves)
    return vectors[order[_positions(leaves[order], rows, "vector")]]


def _documents(store: Store, generation: int) -> list[tuple[int, str, str, str]]:
    """``(version number, version id, title, display name)`` of the chunked documents, by version number."""
    names = names_of_versions(store)
    query = "SELECT number, id, title FROM version WHERE number IN (SELECT version FROM recipe WHERE generation = ?)"
    rows = store.rows(f"{query} ORDER BY number", generation)
    return [(number, version_id, title, names.get(number, title)) for number, version_id, title in rows]


def _aliases(store: Store, generation: int, rows: NDArray[np.int64], dimension: int) -> Aliases | None:
    stored = store.rows(
        "SELECT row, name, data FROM alias CROSS JOIN chunk ON row = chunk JOIN vector ON vector.number = alias.vector"
        " WHERE generation = ? ORDER BY row, name",
        generation,
    )
    if not stored:
        return None
    if any(len(data) != 4 * dimension for _, _, data in stored):
        raise StorageError(f"{store.home}: some vectors have the wrong length.", "Run verify on it.")
    order = np.argsort(rows)
    owners = order[np.searchsorted(rows, [row for row, _, _ in stored], sorter=order)]
    vectors = np.frombuffer(b"".join(data for _, _, data in stored), "<f4").reshape(len(stored), dimension)
    return Aliases(owners, tuple(name for _, name, _ in stored), vectors)


def _has_vector(leaves: LeafTable, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(m,) mask of the rows that are encoded leaves of the table."""
    encoded = leaves.rows if leaves.unencoded is None else leaves.rows[~leaves.unencoded]
    return np.isin(rows, encoded)
