"""Sources: a path, an upload or an attachment, and the version it points to now; put, listed and removed."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.documents import version_number
from core.storage.catalogue.edits import hand_edits_on
from core.storage.catalogue.following_judgments import hand_judgments_on
from core.storage.catalogue.generations import remove_chunks
from core.storage.catalogue.labels import follow_own_tags, labels_of, no_source
from core.storage.catalogue.meaning import found_by_words
from core.storage.catalogue.names import shown_names
from core.storage.catalogue.recipes import hand_recipe_on
from core.storage.catalogue.tiers import left_to_words
from core.storage.catalogue.word_audits import word_audit
from core.storage.store import Store, now
from core.text.normalise import storable
from core.text.places import PagesRead, pages_read
from core.types import Page, WordAudit


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a file was when it was read: its size and when it was last changed, in nanoseconds."""

    size_bytes: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source, its current version and how that is cut in the serving generation.

    ``kind``: "path", "upload" or "attachment". ``chunks``: leaves; ``parents``: chunks above them. ``covered``: share
    of non-blank characters in leaves, 0..1 (1.0 for an empty text). ``truncated``: leaves the encoder reads only in
    part. ``recipe``: for people, "" when the version is not cut. Times are ISO 8601, UTC; ``trashed_at`` is "" for a
    live source. ``also``: the names of other live sources with the same bytes. ``parent``: of an attachment, the
    version of its mail. ``words``: what a second reading of the file said, ``None`` where none was made. ``by_words``:
    it is found by its words alone, its meaning still to be encoded; ``words_alone``: and stays so, as a person wished
    (``core.storage.catalogue.tiers``). ``read``: how its pages were read, ``None`` without pages.
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
    """Point a source at a version that ``put_document`` has kept; one in the trash is live again.

    A path is one source however it was spelt; an upload is its name; an attachment is its name in the mail ``parent``.
    Each points to its new content afterwards. A version that had no live source must be cut in the same transaction.
    ``stamp``: of the file at ``path``. Returns the source's id, and the number of the version it pointed to before:
    ``settle`` that one, if there is one. So what a mail's new content shares with its old one is not gone before it is
    named again.
    """
    with store.transaction():
        number = version_number(store, version_id)
        store.after_commit(lambda: store.files.commit(version_id))
        known = find_source(store, name=name, path=path, parent=parent)
        size, modified = (stamp.size_bytes, stamp.modified_ns) if stamp else (None, None)
        if known is None:
            return _add(store, name, number, path, parent, (size, modified)), None
        before = store.row("SELECT version, name, trashed_at, file_bytes, modified_ns FROM source WHERE id = ?", known)
        if before != (number, storable(name), None, size, modified):
            store.write(
                "UPDATE source SET version = ?, name = ?, changed_at = iif(?, ?, changed_at), trashed_at = NULL,"
                " trashed_along = 0, file_bytes = ?, modified_ns = ? WHERE id = ?",
                *(number, storable(name), before[0] != number, now(), size, modified, known),
            )
            if before[0] != number:
                follow_own_tags(store, known, before[0], number)
        if before[:3] != (number, storable(name), None):
            store.touch()
        return known, None if before[0] == number else int(before[0])


def find_source(store: Store, *, name: str, path: Path | None = None, parent: str | None = None) -> int | None:
    """The id of the source of this path, of this name in the mail ``parent``, or of the upload of this name.

    Also one in the trash; ``None`` when there is none.
    """
    values: tuple[object, ...]
    if path is not None:
        which, values = "path = ?", (path_key(path),)
    elif parent is not None:
        which, values = "parent = (SELECT number FROM version WHERE id = ?) AND name = ?", (parent, storable(name))
    else:
        which, values = "kind = 'upload' AND name = ?", (storable(name),)
    found = store.value(f"SELECT id FROM source WHERE {which}", *values)
    return None if found is None else int(found)


def predecessor(store: Store, *, name: str, path: Path | None = None, parent: str | None = None) -> str | None:
    """The version a source points to, where it alone does: what hands on judgments and edits when its file changes.

    ``None`` where there is no such source, or another live one keeps the version.
    """
    found = store.value(
        "SELECT id FROM version WHERE number = (SELECT version FROM source WHERE id = ?1) AND NOT EXISTS"
        " (SELECT 1 FROM source WHERE version = number AND id <> ?1 AND trashed_at IS NULL)",
        find_source(store, name=name, path=path, parent=parent),
    )
    return None if found is None else str(found)


def is_live(store: Store, version_id: str) -> bool:
    """Whether a live source points to this version."""
    live = "SELECT 1 FROM source WHERE trashed_at IS NULL AND version = (SELECT number FROM version WHERE id = ?)"
    return store.row(live, version_id) is not None


def original_path(store: Store, source_id: int) -> Path | None:
    """Where a source's own file still lies; ``None`` where there is none. Raises ``NotFoundError``."""
    row = store.row("SELECT path FROM source WHERE id = ?", source_id)
    if row is None:
        raise no_source(source_id)
    path = None if row[0] is None else Path(os.fsdecode(row[0]))
    return path if path is not None and os.path.isfile(path) else None  # noqa: PTH113 - answers where is_file raises


def remove_source(store: Store, source_id: int) -> None:
    """Forget a source. The last one of a version takes the version with it: text, chunks, index rows and original.

    With a mail go its attachments. Judgments and edits stay: they are anchored by value. Raises ``NotFoundError``.
    """
    with store.transaction():
        number = store.value("SELECT version FROM source WHERE id = ?", source_id)
        if number is None:
            raise no_source(source_id)
        store.write("DELETE FROM source WHERE id = ?", source_id, contents=True)
        settle(store, number)


def settle(store: Store, number: int, successor: str | None = None) -> None:
    """Draw the consequences of a version having lost a source, for its attachments too.

    With a live source left there are none. With sources in the trash alone the version leaves the indexes, its text
    and vectors stay. Without any source it goes altogether. ``successor``: the version the source points to instead;
    judgments, edits by hand and the document's own recipe follow there.
    """
    live, trashed = store.row(
        "SELECT count(*) FILTER (WHERE trashed_at IS NULL), count(trashed_at) FROM source WHERE version = ?", number
    )
    version_id = store.value("SELECT id FROM version WHERE number = ?", number)
    if live or version_id is None:
        return
    remove_chunks(store, number)
    if successor is not None:
        for hand_on in (hand_judgments_on, hand_edits_on, hand_recipe_on):
            hand_on(store, version_id, successor)
    if trashed:
        attached = store.rows(
            "UPDATE source SET trashed_at = ?, trashed_along = 1 WHERE parent = ? AND trashed_at IS NULL"
            " RETURNING version, name",
            *(now(), number),
        )
    else:
        attached = store.rows("DELETE FROM source WHERE parent = ? RETURNING version, name", number)
    for version, name in attached:
        settle(store, version, None if successor is None else _attached(store, successor, name))
    if not trashed:
        store.write("DELETE FROM version WHERE number = ?", number)
        store.write("DELETE FROM written WHERE version_id = ?", version_id)
        store.release_file(version_id)


def sources(store: Store) -> list[SourceRow]:
    """Every live source in the order they were added."""
    return _rows(store, "source.trashed_at IS NULL", "source.id")


def trashed(store: Store) -> list[SourceRow]:
    """What was put in the trash, last first; attachments that went with their mail are not listed beside it."""
    return _rows(
        store, "source.trashed_at IS NOT NULL AND NOT source.trashed_along", "source.trashed_at DESC, source.id DESC"
    )


def remove_strays(store: Store) -> None:
    """Take versions of the trash out of the indexes, and those of mails that are gone.

    A version that no source points to stays: nothing but damage makes one, and repair names it anew.
    """
    with store.transaction():
        strays = store.rows(
            "SELECT number FROM version WHERE number IN (SELECT version FROM source)"
            " AND (number NOT IN (SELECT version FROM source WHERE trashed_at IS NULL)"
            "  AND number IN (SELECT version FROM recipe UNION SELECT parent FROM source WHERE trashed_at IS NULL))"
        )
        for (number,) in strays:
            settle(store, number)
        if strays:
            store.touch()


def path_key(path: Path) -> bytes:
    """The identity of a path source: absolute, without ``.`` and ``..``, as the file system's own bytes."""
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
        identity = store.insert(
            "INSERT INTO source(kind, name, path, parent, version, added_at, changed_at, file_bytes, modified_ns)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(kind, storable(name), None if path is None else path_key(path), mail, version, now(), now(), *stamp),
            contents=True,
        )
        for table, label in (("collected", "collection"), ("tagged", "tag")):
            # An attachment is filed where its mail is filed.
            store.write(
                f"INSERT OR IGNORE INTO {table}({label}, source) SELECT {label}, ? FROM {table}"
                " WHERE source IN (SELECT id FROM source WHERE version = ?)",
                *(identity, mail),
            )
        follow_own_tags(store, identity, None, version)
    return identity


def _attached(store: Store, mail: str, name: str) -> str | None:
    """The version of what is attached to a mail under this name."""
    found = store.value(
        "SELECT attached.id FROM source JOIN version AS mail ON mail.number = source.parent"
        " JOIN version AS attached ON attached.number = source.version WHERE mail.id = ? AND name = ?",
        *(mail, name),
    )
    return None if found is None else str(found)


def _rows(store: Store, which: str, order: str) -> list[SourceRow]:
    with store.reading():
        serving = int(store.meta("serving") or 0)
        found = store.rows(f"{_ROWS} WHERE {which} ORDER BY {order}", serving)
        if not found:
            return []
        names, left = shown_names(store), left_to_words(store)
        unencoded = found_by_words(store) - left
        collections, tags = labels_of(store, "collected", "collection"), labels_of(store, "tagged", "tag")
        pages: defaultdict[str, list[Page]] = defaultdict(list)
        for version_id, *page in store.rows(
            "SELECT version.id, page.number, width, height, reading, confidence"
            " FROM page JOIN version ON version.number = page.version ORDER BY page.version, ordinal"
        ):
            pages[version_id].append(Page(*page))
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for version_id, source in store.rows(
            "SELECT version.id, source.id FROM source JOIN version ON version.number = source.version"
            " WHERE trashed_at IS NULL ORDER BY source.id"
        ):
            holders[version_id].append(source)
    rows = []
    for row in found:
        source, kind, path, version_id = row[:4]
        also = tuple(names[other] for other in holders[version_id] if other != source)
        place = None if path is None else Path(os.fsdecode(path))
        covered = row[10] / row[11] if row[11] else 1.0
        labels = (
            collections.get(source, ()),
            tags.get(source, ()),
            row[19],
            also,
            word_audit(row[20]),
            row[21] or "",
            version_id in unencoded,
            pages_read(pages[version_id]),
            version_id in left,
        )
        rows.append(
            SourceRow(*(source, names[source], kind, place, version_id, *row[4:10], covered, *row[12:19], *labels))
        )
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
-- Counted once for all: no index finds the parents of one version without passing those of the others.
LEFT JOIN (
  SELECT version, count(*) AS parents FROM chunk WHERE generation = ?1 AND level > 0 GROUP BY version
) AS above ON above.version = version.number
"""
