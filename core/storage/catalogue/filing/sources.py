"""Sources: files, uploads and attachments, each pointing to its current document version."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.filing.labels import follow_own_tags, labels_of, source_not_found
from core.storage.catalogue.filing.names import shown_names
from core.storage.catalogue.filing.tiers import lexical_only_versions
from core.storage.catalogue.texts.documents import version_number, word_audit
from core.storage.catalogue.texts.edits import transfer_edits
from core.storage.catalogue.texts.following_judgments import transfer_judgments
from core.storage.catalogue.texts.generations import remove_chunks
from core.storage.catalogue.texts.meaning import unencoded_versions
from core.storage.catalogue.texts.recipes import transfer_recipe
from core.storage.store import Store, now
from core.text.normalise import storable
from core.text.places import PagesRead, pages_read
from core.types import Page, WordAudit


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A file's size, and its modification time in nanoseconds, when it was read."""

    size_bytes: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source with its current version and the chunks of that version in the serving generation.

    ``kind``: "path", "upload" or "attachment". ``chunks``: number of leaves; ``parents``: of chunks above them.
    ``covered``: share of non-blank characters in leaves, 0 to 1 (1.0 for an empty text). ``truncated``: number of
    leaves that the encoder reads only in part. ``recipe``: its label, "" for a version that is not chunked. Times are
    ISO 8601 in UTC; ``trashed_at`` is "" for a live source. ``also``: names of other live sources with the same bytes.
    ``parent``: version id of an attachment's mail. ``words``: the check for lost text, ``None`` where none was made.
    ``by_words``: not encoded yet, so that only lexical search finds it. ``words_alone``: never to be encoded, as the
    user chose (``core.storage.catalogue.filing.tiers``). ``read``: how its pages were read, ``None`` without pages.
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
    parent: str | None = None
    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    note: str = ""
    also: tuple[str, ...] = ()
    words: WordAudit | None = None
    trashed_at: str = ""
    by_words: bool = False
    read: PagesRead | None = None
    words_alone: bool = False


def point_source(
    store: Store,
    *,
    name: str,
    version_id: str,
    path: Path | None = None,
    parent: str | None = None,
    stamp: FileStamp | None = None,
) -> tuple[int, int | None]:
    """Point a source, new or existing, at a stored version. A source in the trash becomes live again.

    A source is identified by its ``path``, by its ``name`` within the mail ``parent``, or, as an upload, by its
    ``name``. A version without a live source must be chunked in the same transaction. ``stamp``: of the file at
    ``path``. Returns the source's id and the number of the version that it pointed to before, or ``None``. The caller
    must pass that number to ``release_version``, after it has pointed the attachments of a mail at their new versions,
    so that those they share with the old mail are not deleted in between.
    """
    with store.transaction():
        number = version_number(store, version_id)
        store.after_commit(lambda: store.files.commit(version_id))
        existing = find_source(store, name=name, path=path, parent=parent)
        size, modified = (stamp.size_bytes, stamp.modified_ns) if stamp else (None, None)
        if existing is None:
            return _add(store, name, number, path, parent, (size, modified)), None
        before = store.row(
            "SELECT version, name, trashed_at, file_bytes, modified_ns FROM source WHERE id = ?", existing
        )
        if before != (number, storable(name), None, size, modified):
            store.write(
                "UPDATE source SET version = ?, name = ?, changed_at = iif(?, ?, changed_at), trashed_at = NULL,"
                " trashed_along = 0, file_bytes = ?, modified_ns = ? WHERE id = ?",
                *(number, storable(name), before[0] != number, now(), size, modified, existing),
            )
            if before[0] != number:
                follow_own_tags(store, existing, before[0], number)
        if before[:3] != (number, storable(name), None):
            store.touch()
        return existing, None if before[0] == number else int(before[0])


def find_source(store: Store, *, name: str, path: Path | None = None, parent: str | None = None) -> int | None:
    """The id of a source, identified as in ``point_source``, live or in the trash; ``None`` if there is none."""
    values: tuple[object, ...]
    if path is not None:
        condition, values = "path = ?", (path_key(path),)
    elif parent is not None:
        condition, values = "parent = (SELECT number FROM version WHERE id = ?) AND name = ?", (parent, storable(name))
    else:
        condition, values = "kind = 'upload' AND name = ?", (storable(name),)
    source_id = store.value(f"SELECT id FROM source WHERE {condition}", *values)
    return None if source_id is None else int(source_id)


def predecessor(store: Store, *, name: str, path: Path | None = None, parent: str | None = None) -> str | None:
    """The version whose judgments and edits move on when the file of this source changes.

    That is the source's current version; ``None`` without such a source, or if another live source has it too.
    """
    version_id = store.value(
        "SELECT id FROM version WHERE number = (SELECT version FROM source WHERE id = ?1) AND NOT EXISTS"
        " (SELECT 1 FROM source WHERE version = number AND id <> ?1 AND trashed_at IS NULL)",
        find_source(store, name=name, path=path, parent=parent),
    )
    return None if version_id is None else str(version_id)


def is_live(store: Store, version_id: str) -> bool:
    """Whether a live source points to this version."""
    live = "SELECT 1 FROM source WHERE trashed_at IS NULL AND version = (SELECT number FROM version WHERE id = ?)"
    return store.row(live, version_id) is not None


def original_path(store: Store, source_id: int) -> Path | None:
    """The path of a source's file if it still exists, else ``None``. Raises ``NotFoundError``."""
    row = store.row("SELECT path FROM source WHERE id = ?", source_id)
    if row is None:
        raise source_not_found(source_id)
    path = None if row[0] is None else Path(os.fsdecode(row[0]))
    return path if path is not None and os.path.isfile(path) else None  # noqa: PTH113 - Path.is_file may raise


def remove_source(store: Store, source_id: int) -> None:
    """Delete a source, and with the last source of a version its text, chunks, index rows and original.

    The attachments of a mail are deleted with it. Judgments and edits stay, since they are anchored by quotation.
    Raises ``NotFoundError``.
    """
    with store.transaction():
        number = store.value("SELECT version FROM source WHERE id = ?", source_id)
        if number is None:
            raise source_not_found(source_id)
        store.write("DELETE FROM source WHERE id = ?", source_id, contents=True)
        release_version(store, number)


def release_version(store: Store, number: int, successor: str | None = None) -> None:
    """Clean up a version and its attachments after a source has stopped pointing to it.

    If it still has a live source, nothing happens. If all its sources are in the trash, it leaves the indexes but keeps
    its text and vectors. Without any source it is deleted. ``successor``: the version that the source points to now,
    which takes over judgments, manual edits and the document's own recipe.
    """
    live, trashed = store.row(
        "SELECT count(*) FILTER (WHERE trashed_at IS NULL), count(trashed_at) FROM source WHERE version = ?", number
    )
    version_id = store.value("SELECT id FROM version WHERE number = ?", number)
    if live or version_id is None:
        return
    remove_chunks(store, number)
    if successor is not None:
        for transfer in (transfer_judgments, transfer_edits, transfer_recipe):
            transfer(store, version_id, successor)
    if trashed:
        attachments = store.rows(
            "UPDATE source SET trashed_at = ?, trashed_along = 1 WHERE parent = ? AND trashed_at IS NULL"
            " RETURNING version, name",
            *(now(), number),
        )
    else:
        attachments = store.rows("DELETE FROM source WHERE parent = ? RETURNING version, name", number)
    for version, name in attachments:
        release_version(store, version, None if successor is None else _attachment(store, successor, name))
    if not trashed:
        store.write("DELETE FROM version WHERE number = ?", number)
        store.write("DELETE FROM written WHERE version_id = ?", version_id)
        store.release_file(version_id)


def sources(store: Store) -> list[SourceRow]:
    """Every live source in the order they were added."""
    return _rows(store, "source.trashed_at IS NULL", "source.id")


def trashed(store: Store) -> list[SourceRow]:
    """The sources in the trash, newest first, without attachments that were trashed along with their mail."""
    return _rows(
        store, "source.trashed_at IS NOT NULL AND NOT source.trashed_along", "source.trashed_at DESC, source.id DESC"
    )


def remove_strays(store: Store) -> None:
    """Release versions whose sources are all in the trash but that are still indexed or have live attachments.

    A version without any source is left alone: it can only result from damage, and repair gives it a new source.
    """
    with store.transaction():
        strays = store.rows(
            "SELECT number FROM version WHERE number IN (SELECT version FROM source)"
            " AND (number NOT IN (SELECT version FROM source WHERE trashed_at IS NULL)"
            "  AND number IN (SELECT version FROM recipe UNION SELECT parent FROM source WHERE trashed_at IS NULL))"
        )
        for (number,) in strays:
            release_version(store, number)
        if strays:
            store.touch()


def path_key(path: Path) -> bytes:
    """The stored form of a path: absolute, without ``.`` and ``..``, encoded as by the file system."""
    return os.fsencode(os.path.abspath(path))  # noqa: PTH100 - Path.absolute keeps "..", resolve follows links


def _add(
    store: Store,
    name: str,
    version: int,
    path: Path | None,
    parent: str | None,
    stamp: tuple[int | None, int | None],
) -> int:
    kind = "path" if path is not None else "upload" if parent is None else "attachment"
    with store.transaction():
        mail = None if parent is None else version_number(store, parent)
        source_id = store.insert(
            "INSERT INTO source(kind, name, path, parent, version, added_at, changed_at, file_bytes, modified_ns)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(kind, storable(name), None if path is None else path_key(path), mail, version, now(), now(), *stamp),
            contents=True,
        )
        for table, label in (("collected", "collection"), ("tagged", "tag")):
            # An attachment starts with the collections and tags of its mail.
            store.write(
                f"INSERT OR IGNORE INTO {table}({label}, source) SELECT {label}, ? FROM {table}"
                " WHERE source IN (SELECT id FROM source WHERE version = ?)",
                *(source_id, mail),
            )
        follow_own_tags(store, source_id, None, version)
    return source_id


def _attachment(store: Store, mail: str, name: str) -> str | None:
    """The version of the mail's attachment of this name, or ``None``."""
    version_id = store.value(
        "SELECT attached.id FROM source JOIN version AS mail ON mail.number = source.parent"
        " JOIN version AS attached ON attached.number = source.version WHERE mail.id = ? AND name = ?",
        *(mail, name),
    )
    return None if version_id is None else str(version_id)


def _rows(store: Store, condition: str, order: str) -> list[SourceRow]:
    with store.reading():
        serving = int(store.meta("serving") or 0)
        selected = store.rows(f"{_ROWS} WHERE {condition} ORDER BY {order}", serving)
        if not selected:
            return []
        names, never_encoded = shown_names(store), lexical_only_versions(store)
        unencoded = unencoded_versions(store) - never_encoded
        collections, tags = labels_of(store, "collected", "collection"), labels_of(store, "tagged", "tag")
        pages: defaultdict[str, list[Page]] = defaultdict(list)
        for version_id, *page in store.rows(
            "SELECT version.id, page.number, width, height, reading, confidence"
            " FROM page JOIN version ON version.number = page.version ORDER BY page.version, ordinal"
        ):
            pages[version_id].append(Page(*page))
        live_sources: defaultdict[str, list[int]] = defaultdict(list)
        for version_id, source in store.rows(
            "SELECT version.id, source.id FROM source JOIN version ON version.number = source.version"
            " WHERE trashed_at IS NULL ORDER BY source.id"
        ):
            live_sources[version_id].append(source)
    rows = []
    for row in selected:
        source, kind, path, version_id = row[:4]
        also = tuple(names[other] for other in live_sources[version_id] if other != source)
        decoded_path = None if path is None else Path(os.fsdecode(path))
        covered = row[10] / row[11] if row[11] else 1.0
        details = (
            collections.get(source, ()),
            tags.get(source, ()),
            row[19],
            also,
            word_audit(row[20]),
            row[21] or "",
            version_id in unencoded,
            pages_read(pages[version_id]),
            version_id in never_encoded,
        )
        own = (source, names[source], kind, decoded_path, version_id)
        rows.append(SourceRow(*(*own, *row[4:10], covered, *row[12:19], *details)))
    return rows


_ROWS = """
SELECT source.id, source.kind, source.path, version.id, version.kind, version.title,
  (SELECT count(*) FROM page WHERE page.version = version.number),
  version.characters,
  (SELECT count(*) FROM chunk WHERE generation = ?1 AND level = 0 AND chunk.version = version.number),
  coalesce(above.parents, 0),
  coalesce(recipe.covered, 0), coalesce(recipe.characters, 1), coalesce(recipe.truncated, 0),
  coalesce(recipe.label, ''), coalesce(recipe.fingerprint, ''), source.added_at, source.changed_at, version.size_bytes,
  mail.id, source.note, version.words, source.trashed_at
FROM source JOIN version ON version.number = source.version
LEFT JOIN version AS mail ON mail.number = source.parent
LEFT JOIN recipe ON recipe.version = version.number AND recipe.generation = ?1
-- One scan for all versions: no index finds the parents of a single one.
LEFT JOIN (
  SELECT version, count(*) AS parents FROM chunk WHERE generation = ?1 AND level > 0 GROUP BY version
) AS above ON above.version = version.number
"""
