"""Storage of chunk features (genre, keywords, ...), computed whenever a document is chunked.

They depend on the chunk tree only. Where they are missing or outdated, as in a library of an older version, they are
computed on demand.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from core.enriching import FINGERPRINT, enrich
from core.enriching.features import Features
from core.errors import NotFoundError, StorageError
from core.storage.catalogue.texts.chunks import tree
from core.storage.catalogue.texts.documents import version_number
from core.storage.catalogue.texts.generations import generation_number
from core.storage.faults import UNPACKING, row_faults
from core.storage.store import Store
from core.types import ChunkTree


def put_features(
    store: Store, stored_tree: ChunkTree, by_chunk: Mapping[str, Features], generation: int | None = None
) -> None:
    """Store the features of a version's chunks by chunk id, replacing earlier ones.

    ``stored_tree``: the tree that is stored in this generation (``None``: the serving one), or is being stored in the
    same transaction. Raises ``NotFoundError`` if the features are not those of the stored chunks.
    """
    with store.transaction():
        number = generation_number(store, generation)
        version = version_number(store, stored_tree.document.version_id)
        chunk_ids = _chunk_ids(store, number, version)
        in_tree = {chunk.chunk_id for chunk in stored_tree.chunks}
        if set(chunk_ids) != in_tree or in_tree != by_chunk.keys():
            raise NotFoundError(
                f"{stored_tree.document.title}: the features are not those of its stored chunks.",
                "Apply the settings again.",
            )
        packed = json.dumps([by_chunk[chunk_id].to_dict() for chunk_id in chunk_ids], separators=(",", ":"))
        store.write(
            "INSERT OR REPLACE INTO enriched VALUES (?, ?, ?, ?, x'')",  # the last column is no longer used
            *(number, version, FINGERPRINT, zlib.compress(packed.encode("utf-8", "surrogatepass"))),
        )


def _chunk_ids(store: Store, generation: int, version: int) -> list[str]:
    """The ids of a version's chunks, ordered by row."""
    query = "SELECT chunk_id FROM chunk WHERE generation = ? AND version = ? ORDER BY row"
    return [chunk_id for (chunk_id,) in store.rows(query, generation, version)]


def features(store: Store, version_id: str, generation: int | None = None) -> dict[str, Features]:
    """The features of a version's chunks by chunk id, computed now if missing, outdated or unreadable.

    In a writable library, computed features are stored. Raises ``NotFoundError`` for a version that is not chunked.
    """
    with store.reading():
        number, row, chunk_ids = _stored_row(store, version_id, generation)
        if row is not None and row[0] == FINGERPRINT:
            with suppress(StorageError):  # unreadable: compute them
                return _unpacked(row[1], chunk_ids)
        stored_tree = tree(store, version_id, number)
    computed = enrich(stored_tree)
    if store.writable:
        with suppress(NotFoundError, StorageError):  # chunked again meanwhile, or disk full: still right for this tree
            put_features(store, stored_tree, computed, number)
    return computed


def stored_features(
    store: Store, version_id: str, chunk_ids: Collection[str], generation: int | None = None
) -> dict[str, Features]:
    """The stored features of some chunks of a version, by chunk id, even if outdated; chunks without any are absent.

    Unreadable features are computed again. Raises ``NotFoundError`` for an unknown version.
    """
    _, row, all_ids = _stored_row(store, version_id, generation)
    if row is None:
        return {}
    try:
        by_chunk = zip(all_ids, _values(row[1]), strict=True)
        return {chunk_id: Features.from_dict(values) for chunk_id, values in by_chunk if chunk_id in chunk_ids}
    except (StorageError, *UNPACKING):
        return {chunk_id: one for chunk_id, one in features(store, version_id).items() if chunk_id in chunk_ids}


def require_readable(store: Store, version_id: str, generation: int) -> None:
    """Raise ``StorageError`` if the version has stored features that cannot be read."""
    _, row, chunk_ids = _stored_row(store, version_id, generation)
    if row is not None:
        _unpacked(row[1], chunk_ids)


@row_faults("What was found out about the chunks of the document")
def _unpacked(packed: bytes, chunk_ids: Sequence[str]) -> dict[str, Features]:
    by_chunk = zip(chunk_ids, _values(packed), strict=True)
    return {chunk_id: Features.from_dict(values) for chunk_id, values in by_chunk}


@row_faults("What was found out about the chunks of the document")
def _values(packed: bytes) -> list[dict[str, Any]]:
    return list(json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass")))


def _stored_row(store: Store, version_id: str, generation: int | None) -> tuple[int, Any, list[str]]:
    """The generation's number, the row (fingerprint, packed features) or ``None``, and all chunk ids of the version."""
    with store.reading():
        # The number is not checked: a generation dropped during a search just has no features.
        number = generation_number(store, None) if generation is None else generation
        version = version_number(store, version_id)
        row = store.row(
            "SELECT fingerprint, features FROM enriched WHERE generation = ? AND version = ?", number, version
        )
        return number, row, _chunk_ids(store, number, version)
