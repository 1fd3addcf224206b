"""What was found out about chunks, kept beside them: made at every cut, made again where it is missing or stale.

Features follow from the tree and the settings alone, so nothing is lost where they are gone: a library of an older
Lectern has none, and gets them when they are asked for.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.enriching import Features, enrich, enriching_fingerprint
from core.enriching.features import Reference
from core.enriching.twins import Signature, Twin, signatures, twins_among
from core.errors import NotFoundError, StorageError
from core.settings import EnrichingSettings
from core.storage.catalogue.chunks import spans_of, tree
from core.storage.catalogue.documents import texts, version_number
from core.storage.catalogue.generations import serving
from core.storage.store import Store
from core.types import ChunkTree, Span

Tell = Callable[[int, int], None]
Signed = tuple[str, Signature]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found out about the chunks of a tree, by chunk id: features of all, signatures of the leaves.

    ``fingerprint``: of the settings that decided it.
    """

    features: Mapping[str, Features]
    signatures: Mapping[str, bytes]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class PlacedTwins:
    """Near-duplicate passages of a library, in pairs, and where each stands: its version and span, by chunk id."""

    pairs: Sequence[Twin]
    places: Mapping[str, tuple[str, Span]]


def find(cut: ChunkTree, settings: EnrichingSettings) -> Found:
    """Everything that is kept of a tree beside the tree; pure."""
    names = [leaf.chunk_id for leaf in cut.leaves]
    signed = (signature.to_bytes() for signature in signatures([leaf.text for leaf in cut.leaves]))
    return Found(enrich(cut, settings), dict(zip(names, signed, strict=True)), enriching_fingerprint(settings))


def put_features(store: Store, cut: ChunkTree, found: Found, generation: int | None = None) -> None:
    """Keep what was found out about a version's stored chunks, in place of what was kept before.

    ``cut``: the tree as it is stored in this generation (``None``: the serving one). Call it in the transaction that
    stores the tree, or later. Raises ``NotFoundError`` for a version that is not cut there.
    """
    with store.transaction() as connection:
        number = _generation(store, generation)
        version = version_number(connection, cut.document.version_id)
        names = _names(connection, number, version)
        if not names or set(names) != {chunk.chunk_id for chunk in cut.chunks} or set(names) != found.features.keys():
            raise NotFoundError(
                f"{cut.document.title}: the features are not those of its stored chunks.", "Apply the settings again."
            )
        packed = json.dumps([found.features[name].to_dict() for name in names], separators=(",", ":"))
        signed = [found.signatures[name] for name in names if name in found.signatures]
        connection.execute(
            "INSERT OR REPLACE INTO enriched VALUES (?, ?, ?, ?, ?)",
            (number, version, found.fingerprint, zlib.compress(packed.encode("utf-8", "surrogatepass")), _laid(signed)),
        )


def _names(connection: sqlite3.Connection, generation: int, version: int, leaves: bool = False) -> list[str]:
    """The ids of a version's chunks, or of its leaves alone, in the order of their rows."""
    which = "AND level = 0" if leaves else ""
    return [
        name
        for (name,) in connection.execute(
            f"SELECT chunk_id FROM chunk WHERE generation = ? AND version = ? {which} ORDER BY row",
            (generation, version),
        )
    ]


def _laid(parts: Sequence[bytes]) -> bytes:
    """Parts end to end, each behind its length in two bytes.

    >>> list(_parted(_laid([b"ab", b"", b"c"])))
    [b'ab', b'', b'c']
    """
    return b"".join(len(part).to_bytes(2, "little") + part for part in parts)


def _parted(laid: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(laid):
        size = int.from_bytes(laid[at : at + 2], "little")
        yield laid[at + 2 : at + 2 + size]
        at += 2 + size


def features(
    store: Store, version_id: str, settings: EnrichingSettings | None = None, generation: int | None = None
) -> dict[str, Features]:
    """The features of a version's chunks, by chunk id; made now where none of these settings are kept.

    What is made is kept where this process writes the library. Raises ``NotFoundError`` where the version is not cut.
    """
    chosen = settings or EnrichingSettings()
    with store.reading() as connection:
        number = _generation(store, generation)
        version = version_number(connection, version_id)
        kept = connection.execute(
            "SELECT fingerprint, features FROM enriched WHERE generation = ? AND version = ?", (number, version)
        ).fetchone()
        if kept is not None and kept[0] == enriching_fingerprint(chosen):
            packed = json.loads(zlib.decompress(kept[1]).decode("utf-8", "surrogatepass"))
            names = _names(connection, number, version)
            return {name: Features.from_dict(one) for name, one in zip(names, packed, strict=True)}
        cut = tree(store, version_id, number)
    made = find(cut, chosen)
    if store.writable:
        with suppress(NotFoundError, StorageError):  # cut anew meanwhile, or no room: they are right for this tree
            put_features(store, cut, made, number)
    return dict(made.features)


def kept_references(
    store: Store, version_id: str, chunk_ids: Collection[str], generation: int | None = None
) -> dict[str, tuple[Reference, ...]]:
    """Where some chunks of a version point to, by chunk id, as it is kept: nothing is made, whatever the settings were.

    Chunks that nothing is kept of are absent. Raises ``NotFoundError`` for an unknown version.
    """
    with store.reading() as connection:
        number = _generation(store, generation)
        version = version_number(connection, version_id)
        kept = connection.execute(
            "SELECT features FROM enriched WHERE generation = ? AND version = ?", (number, version)
        ).fetchone()
        names = _names(connection, number, version) if kept is not None else []
    if kept is None:
        return {}
    packed = json.loads(zlib.decompress(kept[0]).decode("utf-8", "surrogatepass"))
    return {
        name: tuple(Reference.from_dict(reference) for reference in one.get("references", ()))
        for name, one in zip(names, packed, strict=True)
        if name in chunk_ids
    }


def signed_leaves(store: Store, generation: int | None = None) -> Iterator[tuple[str, Signature]]:
    """The signatures of the library's leaves by chunk id, version by version; those that are kept.

    A chunk id is of one version alone, so equal files do not come up twice.
    """
    with store.reading() as connection:
        number = _generation(store, generation)
        for version, laid in connection.execute(
            "SELECT version, signatures FROM enriched WHERE generation = ? ORDER BY version", (number,)
        ):
            for name, data in zip(_names(connection, number, version, leaves=True), _parted(laid), strict=True):
                yield name, Signature.from_bytes(data)


def placed_twins(store: Store, settings: EnrichingSettings, tell: Tell | None = None) -> PlacedTwins:
    """The near-duplicates of the serving generation with their places; nothing where none serves.

    ``tell(done, total)`` counts passages, and may raise to stop.
    """
    with store.reading():
        current = serving(store)
        if current is None:
            return PlacedTwins((), {})
        pairs = twins_of_library(store, settings, current.number, tell)
        names = dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second))
        return PlacedTwins(pairs, spans_of(store, tuple(names), current.number))


def twins_of_library(
    store: Store, settings: EnrichingSettings, generation: int | None = None, tell: Tell | None = None
) -> list[Twin]:
    """Near-duplicate leaves across all documents, each pair compared by its texts; names are chunk ids.

    ``tell(done, total)`` counts passages, and may raise to stop.
    """
    with store.reading() as connection:
        number = _generation(store, generation)
        known: dict[str, str] = {}
        versions: dict[str, str] = {}

        def text_of(name: str) -> str:
            version_id, start, end = connection.execute(
                'SELECT id, start, "end" FROM chunk JOIN version ON number = version'
                " WHERE generation = ? AND chunk_id = ?",
                (number, name),
            ).fetchone()
            if version_id not in versions:
                if len(versions) >= _TEXTS:
                    versions.pop(next(iter(versions)))
                versions.update(texts(store, [version_id]))
            known[name] = versions[version_id][start:end]
            return known[name]

        signed = signed_leaves(store, number)
        if tell is not None:
            (leaves,) = connection.execute(
                "SELECT count(*) FROM chunk WHERE generation = ? AND level = 0", (number,)
            ).fetchone()
            signed = _counted(signed, leaves, tell)
        return twins_among(signed, lambda name: known.get(name) or text_of(name), settings.twin_similarity)


def _counted(signed: Iterator[Signed], total: int, tell: Tell) -> Iterator[Signed]:
    for done, one in enumerate(signed):
        if not done % _STEP:
            tell(done, total)
        yield one


_TEXTS = 64  # documents held in memory while their passages are compared
_STEP = 64  # passages between two looks at whether to stop


def _generation(store: Store, number: int | None) -> int:
    if number is not None:
        return number
    current = serving(store)
    if current is None:
        raise NotFoundError("The library has no index yet.", "Ingest a document first.")
    return current.number
