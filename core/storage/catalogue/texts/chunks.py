"""Storing and loading chunk trees: replaced per document, loaded as trees or by row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.cancellation import cancellable
from core.chunking.auditing import Audit, Gap
from core.errors import NotFoundError, StorageError
from core.storage.catalogue.texts.documents import document, text_hash, version_number
from core.storage.catalogue.texts.generations import generation_number, remove_chunks
from core.storage.catalogue.texts.meaning import add_aliases
from core.storage.faults import row_faults
from core.storage.schema.steps import NO_VECTOR
from core.storage.schema.word_tables import add_rows
from core.storage.store import Store, now
from core.text.normalise import storable
from core.types import Chunk, ChunkTree, PrefixPart, Span


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a version was chunked. ``label``: for display. ``values``: the chunking settings as JSON values."""

    fingerprint: str
    label: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewLeaf:
    """What the indexes need of a leaf: the key of its vector in the cache, and its analysed tokens by field.

    ``vector_key``: ``NO_VECTOR`` for a leaf that is not encoded yet, so that only lexical search finds it.
    ``aliases``: (name, vector key) of additional vectors of the leaf.
    """

    chunk_id: str
    vector_key: str
    title: Sequence[str]
    headings: Sequence[str]
    text: Sequence[str]
    captions: Sequence[str] = ()
    aliases: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A stored chunk without its text, which is ``[start, end)`` of the version's text."""

    row: int
    chunk_id: str
    version_id: str
    level: int
    parent_row: int | None
    start: int
    end: int
    tokens: int
    encoder_tokens: int
    headings: tuple[str, ...]
    prefix: tuple[PrefixPart, ...]
    reasons: tuple[str, ...]


def swap_chunks(
    store: Store,
    tree: ChunkTree,
    *,
    recipe: Recipe,
    audit: Audit,
    leaves: Sequence[NewLeaf],
    truncated: int = 0,
    generation: int | None = None,
) -> None:
    """Replace the version's chunks in one generation by this tree, in one transaction with FTS rows and outbox.

    ``leaves``: the index entries of the tree's leaves. ``truncated``: the number of leaves that the encoder reads only
    in part. ``generation``: ``None`` for the serving one. Raises ``StorageError`` unless the stored text is the tree's
    and the cache has every leaf's vector; ``NotFoundError`` for an unknown version or generation.
    """
    by_id = {leaf.chunk_id: leaf for leaf in leaves}
    if by_id.keys() != {chunk.chunk_id for chunk in tree.leaves} or len(by_id) != len(leaves):
        raise StorageError(f"{tree.document.title}: the leaves to index are not the leaves of its tree.")
    with store.transaction() as connection:
        number = generation_number(store, generation)
        version = version_number(store, tree.document.version_id)
        stored_hash = store.value("SELECT text_hash FROM version WHERE number = ?", version)
        if stored_hash != text_hash(tree.document.text):
            raise StorageError(f"{tree.document.title}: the chunks were cut from another text than the stored one.")
        remove_chunks(store, version, only=number)
        store.write(
            "INSERT INTO recipe VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(number, version, recipe.fingerprint, storable(recipe.label)),
            json.dumps(dict(recipe.values), sort_keys=True),
            *(audit.characters, audit.covered),
            json.dumps([[gap.start, gap.end, gap.reason] for gap in audit.gaps]),
            *(truncated, now()),
        )
        by_key = "SELECT key, number FROM vector WHERE key IN (SELECT value FROM json_each(?))"
        vectors: dict[str, int] = dict(store.rows(by_key, [leaf.vector_key for leaf in leaves]))
        rows = _next_rows(store, tree.chunks)
        try:
            connection.executemany(
                "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        rows[chunk.chunk_id],
                        number,
                        version,
                        chunk.chunk_id,
                        chunk.level,
                        None if chunk.parent_id is None else rows[chunk.parent_id],
                        chunk.start,
                        chunk.end,
                        chunk.tokens,
                        chunk.encoder_tokens,
                        json.dumps(chunk.headings),
                        json.dumps([_plain_part(part) for part in chunk.prefix]),
                        json.dumps(chunk.reasons),
                        vectors[by_id[chunk.chunk_id].vector_key] if chunk.level == 0 else None,
                    )
                    for chunk in cancellable(tree.chunks)
                ),
            )
        except KeyError as error:
            raise StorageError(f"{tree.document.title}: the vector {error} is not in the cache.") from None
        metadata = [(rows[chunk.chunk_id], json.dumps(dict(chunk.metadata))) for chunk in tree.chunks if chunk.metadata]
        if metadata:  # checked because migrations of old libraries come here before the table exists
            store.write_many("INSERT INTO chunk_metadata VALUES (?, ?)", metadata)
        encoded = [leaf for leaf in leaves if leaf.vector_key != NO_VECTOR]
        add_aliases(store, [(rows[leaf.chunk_id], *alias) for leaf in encoded for alias in leaf.aliases])
        add_rows(connection, number, [(rows[leaf.chunk_id], *_fields(leaf)) for leaf in leaves])
        store.write_many(
            "INSERT INTO outbox(generation, op, row) VALUES (?, 'upsert', ?)",
            ((number, rows[leaf.chunk_id]) for leaf in encoded),
        )
        store.touch()


def tree(store: Store, version_id: str, generation: int | None = None) -> ChunkTree:
    """The version's chunk tree in a generation (``None``: the serving one). Raises ``NotFoundError`` without one."""
    with store.reading():
        number = generation_number(store, generation)
        _recipe_row(store, version_id, number)
        parsed = document(store, version_id)
        rows = store.rows(
            'SELECT row, chunk_id, level, parent_row, start, "end", tokens, encoder_tokens, headings, prefix, reasons,'
            " metadata FROM chunk LEFT JOIN chunk_metadata ON chunk_metadata.chunk = row"
            " WHERE generation = ? AND version = ? ORDER BY row",
            *(number, version_number(store, version_id)),
        )
    ids = {row[0]: row[1] for row in rows}
    return ChunkTree(parsed, tuple(_chunk(row, ids, parsed.text) for row in rows))


@row_faults("A chunk")
def _chunk(row: tuple[Any, ...], ids: Mapping[int, str], text: str) -> Chunk:
    _, chunk_id, level, parent, start, end, tokens, encoder_tokens, headings, prefix, reasons, metadata = row
    return Chunk(
        chunk_id=chunk_id,
        level=level,
        parent_id=None if parent is None else ids[parent],
        start=start,
        end=end,
        text=text[start:end],
        tokens=tokens,
        encoder_tokens=encoder_tokens,
        headings=_strings(headings),
        prefix=_parts(prefix),
        reasons=_strings(reasons),
        metadata={name: tuple(values) for name, values in json.loads(metadata or "{}").items()},
    )


@row_faults("The audit of the document")
def audit(store: Store, version_id: str, generation: int | None = None) -> Audit:
    """The stored audit of which text the version's leaves cover. Raises ``NotFoundError``."""
    row = _recipe_row(store, version_id, generation)
    return Audit(row[3], row[4], tuple(Gap(*gap) for gap in json.loads(row[5])))


def count_leaves(store: Store, version_id: str, generation: int | None = None) -> int:
    """The number of leaves of a version in a generation; 0 if it is not chunked there."""
    leaves = (
        "SELECT count(*) FROM chunk WHERE generation = ? AND level = 0"
        " AND version = (SELECT number FROM version WHERE id = ?)"
    )
    return int(store.value(leaves, generation_number(store, generation), version_id))


@row_faults("The recipe of the document")
def recipe(store: Store, version_id: str, generation: int | None = None) -> Recipe | None:
    """The recipe of a version in a generation; ``None`` if it is not chunked there."""
    try:
        row = _recipe_row(store, version_id, generation)
    except NotFoundError:
        return None
    return Recipe(row[0], row[1], json.loads(row[2]))


@row_faults("A chunk")
def chunk_rows(store: Store, rows: Sequence[int]) -> dict[int, ChunkRow]:
    """Stored chunks by row; unknown rows are absent."""
    stored = store.rows(
        'SELECT row, chunk_id, id, level, parent_row, start, "end", tokens, encoder_tokens, headings, prefix,'
        " reasons FROM chunk JOIN version ON version.number = chunk.version"
        " WHERE row IN (SELECT value FROM json_each(?))",
        [int(row) for row in rows],
    )
    return {item[0]: ChunkRow(*(*item[:9], _strings(item[9]), _parts(item[10]), _strings(item[11]))) for item in stored}


def chunk_ids(store: Store, rows: Sequence[int]) -> dict[int, str]:
    """Chunk ids by row; unknown rows are absent."""
    query = "SELECT row, chunk_id FROM chunk WHERE row IN (SELECT value FROM json_each(?))"
    return dict(store.rows(query, [int(row) for row in rows]))


def _recipe_row(store: Store, version_id: str, generation: int | None) -> tuple[Any, ...]:
    with store.reading():
        row: tuple[Any, ...] | None = store.row(
            'SELECT fingerprint, label, "values", characters, covered, gaps FROM recipe'
            " WHERE generation = ? AND version = ?",
            *(generation_number(store, generation), version_number(store, version_id)),
        )
    if row is None:
        raise NotFoundError(f"The document {version_id[:12]!r} has not been cut yet.", "Apply the settings again.")
    return row


def _next_rows(store: Store, chunks: Sequence[Chunk]) -> dict[str, int]:
    # AUTOINCREMENT's counter survives deletions, so a row number is never used twice.
    first = (store.value("SELECT seq FROM sqlite_sequence WHERE name = 'chunk'") or 0) + 1
    return {chunk.chunk_id: first + index for index, chunk in enumerate(chunks)}


def _fields(leaf: NewLeaf) -> tuple[str, str, str, str]:
    """The leaf's tokens in the order of the FTS columns, each field joined by blanks."""
    lists = (leaf.title, leaf.headings, leaf.captions, leaf.text)
    title, headings, captions, text = (storable(" ".join(tokens)) for tokens in lists)
    return title, headings, captions, text


def _plain_part(part: PrefixPart) -> list[Any]:
    return [part.kind, part.text, *((part.source.start, part.source.end) if part.source else (None, None))]


@lru_cache(maxsize=1024)  # leaves of one section share their headings, and many chunks their reasons
def _strings(stored: str) -> tuple[str, ...]:
    return tuple(json.loads(stored))


@lru_cache(maxsize=1024)
def _parts(stored: str) -> tuple[PrefixPart, ...]:
    return tuple(
        PrefixPart(kind, text, None if start is None else Span(start, end))
        for kind, text, start, end in json.loads(stored)
    )
