"""Sources: a path or an upload, and the version it points to now."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from core.errors import NotFoundError
from core.storage.documents import version_number
from core.storage.generations import remove_chunks
from core.storage.store import Store, now, storable


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source, its current version and how that is cut in the serving generation.

    ``kind``: "path" or "upload". ``chunks``: leaves; ``parents``: chunks above them. ``covered``: share of non-blank
    characters in leaves, 0..1 (1.0 for an empty text). ``truncated``: leaves the encoder reads only in part.
    ``recipe``: for people, "" when the version is not cut. Times are ISO 8601, UTC.
    """

    id: int
    name: str
    kind: str
    path: Path | None
    version_id: str
    document_kind: str
    title: str
    pages: int
    characters: int
    chunks: int
    parents: int
    covered: float
    truncated: int
    recipe: str
    recipe_fingerprint: str
    added_at: str
    changed_at: str
    size_bytes: int


def put_source(store: Store, *, name: str, version_id: str, path: Path | None = None) -> int:
    """Point a source at a version that ``put_document`` has kept, and return its id.

    A path is one source however it was spelt; an upload (``path=None``) is its name. Either points to its new content
    afterwards, and the version it pointed to before goes when nothing else points there.
    """
    with store.transaction() as connection:
        number = version_number(connection, version_id)
        store.after_commit(lambda: store.files.named(version_id))
        known = find_source(store, name=name, path=path)
        if known is None:
            kind, place = ("upload", None) if path is None else ("path", path_key(path))
            identity = connection.execute(
                "INSERT INTO source(kind, name, path, version, added_at, changed_at) VALUES (?, ?, ?, ?, ?, ?)",
                (kind, storable(name), place, number, now(), now()),
            ).lastrowid
            store.touch()
            return int(identity or 0)
        before = connection.execute("SELECT version, name FROM source WHERE id = ?", (known,)).fetchone()
        if before != (number, storable(name)):
            changed = before[0] != number
            connection.execute(
                "UPDATE source SET version = ?, name = ?, changed_at = iif(?, ?, changed_at) WHERE id = ?",
                (number, storable(name), changed, now(), known),
            )
            _drop_unused(store, connection, before[0])
            store.touch()
        return known


def find_source(store: Store, *, name: str, path: Path | None = None) -> int | None:
    """The id of the source of this path, or of the upload of this name; ``None`` when there is none."""
    with store.reading() as connection:
        if path is None:
            row = connection.execute(
                "SELECT id FROM source WHERE kind = 'upload' AND name = ?", (storable(name),)
            ).fetchone()
        else:
            row = connection.execute("SELECT id FROM source WHERE path = ?", (path_key(path),)).fetchone()
    return None if row is None else int(row[0])


def remove_source(store: Store, source_id: int) -> None:
    """Forget a source. The last one of a version takes the version with it: text, chunks, index rows and original.

    Judgments stay: they are anchored by value. Raises ``NotFoundError``.
    """
    with store.transaction() as connection:
        row = connection.execute("SELECT version FROM source WHERE id = ?", (source_id,)).fetchone()
        if row is None:
            raise NotFoundError(f"There is no source {source_id} in this library.", "It may have been removed already.")
        connection.execute("DELETE FROM source WHERE id = ?", (source_id,))
        _drop_unused(store, connection, row[0])
        store.touch()


def sources(store: Store) -> list[SourceRow]:
    """Every source in the order they were added."""
    with store.reading() as connection:
        serving = int(store.meta("serving") or 0)
        found = connection.execute(_ROWS, {"serving": serving}).fetchall()
    return [
        SourceRow(
            *(
                *row[:3],
                None if row[3] is None else Path(os.fsdecode(row[3])),
                *row[4:11],
                row[11] / row[12] if row[12] else 1.0,
                *row[13:],
            )
        )
        for row in found
    ]


def remove_strays(store: Store) -> list[str]:
    """Remove versions that no source points to; return their ids."""
    with store.transaction() as connection:
        strays = connection.execute(
            "SELECT number, id FROM version WHERE number NOT IN (SELECT version FROM source)"
        ).fetchall()
        for number, _ in strays:
            _drop_unused(store, connection, number)
        if strays:
            store.touch()
    return [version_id for _, version_id in strays]


def path_key(path: Path) -> bytes:
    """The identity of a path source: absolute, without ``.`` and ``..``, as the file system's own bytes."""
    return os.fsencode(os.path.abspath(path))  # noqa: PTH100 - Path.absolute keeps "..", resolve follows links


def _drop_unused(store: Store, connection: sqlite3.Connection, number: int) -> None:
    if connection.execute("SELECT 1 FROM source WHERE version = ? LIMIT 1", (number,)).fetchone():
        return
    content_hash = connection.execute("SELECT id FROM version WHERE number = ?", (number,)).fetchone()[0]
    remove_chunks(connection, number)
    connection.execute("DELETE FROM version WHERE number = ?", (number,))
    store.release_file(content_hash)


_ROWS = """
SELECT source.id, source.name, source.kind, source.path, version.id, version.kind, version.title,
  (SELECT count(*) FROM page WHERE page.version = version.number),
  version.characters,
  (SELECT count(*) FROM chunk WHERE generation = :serving AND level = 0 AND chunk.version = version.number),
  coalesce(above.parents, 0),
  coalesce(recipe.covered, 0), coalesce(recipe.characters, 1), coalesce(recipe.truncated, 0),
  coalesce(recipe.label, ''), coalesce(recipe.fingerprint, ''), source.added_at, source.changed_at, version.size_bytes
FROM source JOIN version ON version.number = source.version
LEFT JOIN recipe ON recipe.version = version.number AND recipe.generation = :serving
-- Counted once for all: no index finds the parents of one version without passing those of the others.
LEFT JOIN (
  SELECT version, count(*) AS parents FROM chunk WHERE generation = :serving AND level > 0 GROUP BY version
) AS above ON above.version = version.number
ORDER BY source.id
"""
