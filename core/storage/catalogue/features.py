"""What was found out about chunks, kept beside them: made at every cut, made again where it is missing or stale.

Features follow from the tree alone, so nothing is lost where they are gone: a library of an older
Lectern has none, and gets them when they are asked for.
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
from core.storage.catalogue.chunks import tree
from core.storage.catalogue.documents import version_number
from core.storage.catalogue.generations import generation_number
from core.storage.faults import UNPACKING, row_faults
from core.storage.store import Store
from core.types import ChunkTree


def put_features(store: Store, cut: ChunkTree, found: Mapping[str, Features], generation: int | None = None) -> None:
    """Keep what was found out about a version's stored chunks, in place of what was kept before.

    ``cut``: the tree as it is stored in this generation (``None``: the serving one). Call it in the transaction that
    stores the tree, or later. Raises ``NotFoundError`` for a version that is not cut there.
    """
    with store.transaction():
        number = generation_number(store, generation)
        version = version_number(store, cut.document.version_id)
        names = _names(store, number, version)
        if not names or set(names) != {chunk.chunk_id for chunk in cut.chunks} or set(names) != found.keys():
            raise NotFoundError(
                f"{cut.document.title}: the features are not those of its stored chunks.", "Apply the settings again."
            )
        packed = json.dumps([found[name].to_dict() for name in names], separators=(",", ":"))
        store.write(
            "INSERT OR REPLACE INTO enriched VALUES (?, ?, ?, ?, x'')",  # its last column is no longer used
            *(number, version, FINGERPRINT, zlib.compress(packed.encode("utf-8", "surrogatepass"))),
        )


def _names(store: Store, generation: int, version: int) -> list[str]:
    """The ids of a version's chunks in the order of their rows."""
    ids = "SELECT chunk_id FROM chunk WHERE generation = ? AND version = ? ORDER BY row"
    return [name for (name,) in store.rows(ids, generation, version)]


def features(store: Store, version_id: str, generation: int | None = None) -> dict[str, Features]:
    """The features of a version's chunks, by chunk id; made now where none of this version of Lectern are kept.

    What is made is kept where this process writes the library. Raises ``NotFoundError`` where the version is not cut.
    """
    with store.reading():
        number, kept, names = _kept(store, version_id, generation)
        if kept is not None and kept[0] == FINGERPRINT:
            with suppress(StorageError):  # what cannot be read is made anew
                return _unpacked(kept[1], names)
        cut = tree(store, version_id, number)
    made = enrich(cut)
    if store.writable:
        with suppress(NotFoundError, StorageError):  # cut anew meanwhile, or no room: they are right for this tree
            put_features(store, cut, made, number)
    return made


def kept_of(
    store: Store, version_id: str, chunk_ids: Collection[str], generation: int | None = None
) -> dict[str, Features]:
    """What was found out about some chunks of a version, by chunk id, as it is kept: nothing is made.

    Chunks that nothing is kept of are absent. Raises ``NotFoundError`` for an unknown version.
    """
    _, kept, names = _kept(store, version_id, generation)
    if kept is None:
        return {}
    try:
        packed = _parts(kept[1])
        return {name: Features.from_dict(one) for name, one in zip(names, packed, strict=True) if name in chunk_ids}
    except (StorageError, *UNPACKING):  # made anew, so that no answer differs by it
        return {name: one for name, one in features(store, version_id).items() if name in chunk_ids}


def require_readable(store: Store, version_id: str, generation: int) -> None:
    """Raises ``StorageError`` where what is kept of a version's chunks cannot be read; nothing where nothing is."""
    _, kept, names = _kept(store, version_id, generation)
    if kept is not None:
        _unpacked(kept[1], names)


@row_faults("What was found out about the chunks of the document")
def _unpacked(packed: bytes, names: Sequence[str]) -> dict[str, Features]:
    return {name: Features.from_dict(one) for name, one in zip(names, _parts(packed), strict=True)}


@row_faults("What was found out about the chunks of the document")
def _parts(packed: bytes) -> list[dict[str, Any]]:
    return list(json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass")))


def _kept(store: Store, version_id: str, generation: int | None) -> tuple[int, Any, list[str]]:
    """The generation's number, the fingerprint and the features that are kept, if any are, and the chunks' ids."""
    with store.reading():
        # One that was dropped while a question is answered has nothing kept, and is no fault.
        number = generation_number(store, None) if generation is None else generation
        version = version_number(store, version_id)
        kept = store.row(
            "SELECT fingerprint, features FROM enriched WHERE generation = ? AND version = ?", number, version
        )
        return number, kept, _names(store, number, version)
