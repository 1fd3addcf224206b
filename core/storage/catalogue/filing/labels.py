"""Labels of sources: collections, tags and notes. They stay when the file of a source changes."""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import LecternError, NotFoundError
from core.storage.store import Store
from core.text.markup.wiki import tags_of
from core.text.normalise import storable

LONGEST_NAME = 80
LONGEST_NOTE = 100_000
_TAGGED = "INSERT OR IGNORE INTO tagged(tag, source) SELECT id, ? FROM tag WHERE folded = ?"
_UNTAGGED = "DELETE FROM tagged WHERE source = ? AND tag = (SELECT id FROM tag WHERE folded = ?)"


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of sources. ``documents``: the number of its live sources."""

    id: int
    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag. ``documents``: the number of live sources that have it."""

    name: str
    documents: int


def tidy_name(name: str, what: str) -> str:
    """A name in Unicode NFC with normalised blanks.

    ``what``: the kind of thing it names, for messages. Raises ``LecternError`` for an empty name or one of more than 80
    characters.

    >>> tidy_name("  Work   notes ", "collection")
    'Work notes'
    """
    tidy = " ".join(unicodedata.normalize("NFC", storable(name)).split())
    if not tidy:
        raise LecternError(f"A {what} needs a name.", "Give it at least one character.")
    if len(tidy) > LONGEST_NAME:
        raise LecternError(
            f"The {what}'s name {tidy[:20] + '…'!r} has {len(tidy)} characters.", f"Use {LONGEST_NAME} at most."
        )
    return tidy


def fold(name: str) -> str:
    """The key by which names are compared, independent of case, blanks and Unicode form.

    >>> fold(" STRASSE  1") == fold("Straße 1")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", storable(name)).casefold().split())


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one library."""

    _store: Store

    def collections(self) -> list[Collection]:
        """All collections, ordered by name."""
        rows = self._store.rows(
            "SELECT id, name, (SELECT count(*) FROM collected JOIN source ON source.id = collected.source"
            " WHERE collected.collection = collection.id AND trashed_at IS NULL) FROM collection ORDER BY folded"
        )
        return [Collection(*row) for row in rows]

    def create_collection(self, name: str) -> int:
        """Create an empty collection and return its id. Raises ``LecternError`` for an existing or invalid name."""
        tidy = tidy_name(name, "collection")
        with self._store.transaction():
            existing = self._store.value("SELECT name FROM collection WHERE folded = ?", fold(tidy))
            if existing is not None:
                raise LecternError(f"There is a collection named {existing!r} already.", "Choose another name.")
            insert = "INSERT INTO collection(name, folded) VALUES (?, ?)"
            return self._store.insert(insert, tidy, fold(tidy), contents=False)

    def delete_collection(self, collection_id: int) -> None:
        """Delete a collection; its documents stay. Raises ``NotFoundError``."""
        if not self._store.write("DELETE FROM collection WHERE id = ?", collection_id, contents=False):
            raise _no_collection(collection_id)

    def collect(self, sources: Sequence[int], collection_id: int) -> None:
        """Add sources, and the attachments of mails among them, to a collection. Raises ``NotFoundError``."""
        self._update("INSERT OR IGNORE INTO collected(collection, source) VALUES (?, ?)", sources, collection_id)

    def uncollect(self, sources: Sequence[int], collection_id: int) -> None:
        """Remove sources, and the attachments of mails among them, from a collection. Raises ``NotFoundError``."""
        self._update("DELETE FROM collected WHERE collection = ? AND source = ?", sources, collection_id)

    def _update(self, statement: str, sources: Sequence[int], collection_id: int) -> None:
        with self._store.transaction():
            if self._store.row("SELECT 1 FROM collection WHERE id = ?", collection_id) is None:
                raise _no_collection(collection_id)
            all_sources = with_attachments(self._store, sources)
            self._store.write_many(statement, ((collection_id, source) for source in all_sources))
            self._store.touch(contents=False)

    def tags(self) -> list[Tag]:
        """All tags of live sources, ordered by name."""
        rows = self._store.rows(
            "SELECT tag.name, count(*) FROM tag JOIN tagged ON tagged.tag = tag.id JOIN source"
            " ON source.id = tagged.source WHERE trashed_at IS NULL GROUP BY tag.id ORDER BY folded"
        )
        return [Tag(*row) for row in rows]

    def tag(self, sources: Sequence[int], name: str) -> None:
        """Add a tag, new or existing, to sources and to the attachments of mails among them.

        Marks before the name, as in "#work", are no part of it, for tags are shown and written in notes with one.
        Raises ``LecternError`` for an invalid name, ``NotFoundError`` for an unknown source.
        """
        tidy = tidy_name(name.strip().lstrip("#"), "tag")
        with self._store.transaction():
            all_sources = with_attachments(self._store, sources)
            self._store.write(
                "INSERT INTO tag(name, folded) VALUES (?, ?) ON CONFLICT(folded) DO UPDATE SET name = excluded.name"
                " WHERE id NOT IN (SELECT tag FROM tagged)",  # an unused tag takes the new spelling
                *(tidy, fold(tidy)),
            )
            self._store.write_many(_TAGGED, ((source, fold(tidy)) for source in all_sources))
            self._store.touch(contents=False)

    def untag(self, sources: Sequence[int], name: str) -> None:
        """Remove a tag from sources and from the attachments of mails among them."""
        folded = fold(tidy_name(name, "tag"))
        with self._store.transaction():
            self._store.write_many(_UNTAGGED, ((source, folded) for source in with_attachments(self._store, sources)))
            self._store.touch(contents=False)

    def write_note(self, source_id: int, text: str) -> None:
        """Set the note of a source; blank text deletes it. Raises ``NotFoundError``, ``LecternError`` if too long."""
        text = storable(text).strip()
        if len(text) > LONGEST_NOTE:
            raise LecternError(
                f"The note has {len(text):,} characters.", f"Keep it below {LONGEST_NOTE:,}, or add it as a document."
            )
        if not self._store.write("UPDATE source SET note = ? WHERE id = ?", text, source_id, contents=False):
            raise source_not_found(source_id)


def follow_own_tags(store: Store, source: int, before: int | None, now: int) -> None:
    """Update a source's tags to those stated in its new content, version ``now``.

    ``before``: the version it had so far, ``None`` for a new source. Only the differences between the two are applied,
    so that changes by the user stay. A source with none of its former stated tags was added before Lectern read them:
    all new ones are added.
    """
    old, new = _own_tags(store, before), _own_tags(store, now)
    current = store.rows("SELECT folded FROM tag JOIN tagged ON tag.id = tagged.tag WHERE source = ?", source)
    if not old.keys() & {folded for (folded,) in current}:
        old = {}
    for folded, name in new.items() - old.items():
        store.write("INSERT OR IGNORE INTO tag(name, folded) VALUES (?, ?)", name, folded)
        store.write(_TAGGED, source, folded)
    for folded in old.keys() - new.keys():
        store.write(_UNTAGGED, source, folded)


def _own_tags(store: Store, version: int | None) -> dict[str, str]:
    """The tags stated in a Markdown document: their spelling by ``fold``ed name."""
    metadata = store.value("SELECT metadata FROM version WHERE number = ? AND kind = 'markdown'", version)
    tags = tags_of(json.loads(metadata)) if metadata is not None else ()
    names = [" ".join(unicodedata.normalize("NFC", storable(tag)).split()) for tag in tags]
    return {fold(name): name for name in names if 0 < len(name) <= LONGEST_NAME}


def with_attachments(store: Store, sources: Sequence[int]) -> list[int]:
    """The sources and all their attachments, recursively. Raises ``NotFoundError`` for an unknown source."""
    given = list(dict.fromkeys(sources))
    versions = dict(store.rows("SELECT id, version FROM source WHERE id IN (SELECT value FROM json_each(?))", given))
    for source in given:
        if source not in versions:
            raise source_not_found(source)
    attachments = store.rows(
        "WITH RECURSIVE below(id, version) AS (SELECT id, version FROM source WHERE parent IN"
        " (SELECT value FROM json_each(?)) UNION SELECT source.id, source.version FROM source"
        " JOIN below ON source.parent = below.version) SELECT id FROM below",
        list(versions.values()),
    )
    return list(dict.fromkeys([*given, *(source for (source,) in attachments)]))


def _no_collection(collection_id: int) -> NotFoundError:
    return NotFoundError(f"There is no collection {collection_id}.", "It may have been deleted.")


def source_not_found(source_id: int) -> NotFoundError:
    """The error for an unknown source."""
    return NotFoundError(f"There is no source {source_id} in this library.", "It may have been removed already.")


def labels_of(store: Store, table: str, label: str) -> dict[int, tuple[str, ...]]:
    """The names of each source's collections or tags, alphabetically. ``table``, ``label``: as in the schema."""
    names: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
    for source, name in store.rows(
        f"SELECT source, name FROM {table} JOIN {label} ON {label}.id = {table}.{label} ORDER BY folded"
    ):
        names[source] += (name,)
    return names
