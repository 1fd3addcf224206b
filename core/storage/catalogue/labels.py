"""Collections, tags and notes: what a person says about sources. It stays when a file changes."""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import LecternError, NotFoundError
from core.storage.store import Store
from core.text.normalise import storable
from core.text.wiki import tags_of

LONGEST_NAME = 80
LONGEST_NOTE = 100_000
_TAGGED = "INSERT OR IGNORE INTO tagged(tag, source) SELECT id, ? FROM tag WHERE folded = ?"
_UNTAGGED = "DELETE FROM tagged WHERE source = ? AND tag = (SELECT id FROM tag WHERE folded = ?)"


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of documents. ``documents``: its live sources."""

    id: int
    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A word put on documents. ``documents``: the live sources that carry it."""

    name: str
    documents: int


def tidy_name(name: str, what: str) -> str:
    """A collection's or tag's name with single blanks inside and none around it.

    Raises ``LecternError`` for a name that is empty or longer than 80 characters; ``what`` says what it names.

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
    """A name as it is compared: case, blanks and ways to write the same letters do not tell names apart.

    >>> fold(" STRASSE  1") == fold("Straße 1")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", storable(name)).casefold().split())


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one library."""

    _store: Store

    def collections(self) -> list[Collection]:
        """All collections, by name."""
        found = self._store.rows(
            "SELECT id, name, (SELECT count(*) FROM collected JOIN source ON source.id = collected.source"
            " WHERE collected.collection = collection.id AND trashed_at IS NULL) FROM collection ORDER BY folded"
        )
        return [Collection(*row) for row in found]

    def create_collection(self, name: str) -> int:
        """Make an empty collection and return its id. Raises ``LecternError`` for a name that is taken or unfit."""
        tidy = tidy_name(name, "collection")
        with self._store.transaction():
            taken = self._store.value("SELECT name FROM collection WHERE folded = ?", fold(tidy))
            if taken is not None:
                raise LecternError(f"There is a collection named {taken!r} already.", "Choose another name.")
            made = "INSERT INTO collection(name, folded) VALUES (?, ?)"
            return self._store.insert(made, tidy, fold(tidy), contents=False)

    def delete_collection(self, collection_id: int) -> None:
        """Forget a collection; its documents stay. Raises ``NotFoundError``."""
        if not self._store.write("DELETE FROM collection WHERE id = ?", collection_id, contents=False):
            raise _no_collection(collection_id)

    def collect(self, sources: Sequence[int], collection_id: int) -> None:
        """Put sources, and the attachments of mails among them, into a collection. Raises ``NotFoundError``."""
        self._collected("INSERT OR IGNORE INTO collected(collection, source) VALUES (?, ?)", sources, collection_id)

    def uncollect(self, sources: Sequence[int], collection_id: int) -> None:
        """Take sources, and the attachments of mails among them, out of a collection. Raises ``NotFoundError``."""
        self._collected("DELETE FROM collected WHERE collection = ? AND source = ?", sources, collection_id)

    def _collected(self, change: str, sources: Sequence[int], collection_id: int) -> None:
        with self._store.transaction():
            if self._store.row("SELECT 1 FROM collection WHERE id = ?", collection_id) is None:
                raise _no_collection(collection_id)
            wanted = with_attachments(self._store, sources)
            self._store.write_many(change, ((collection_id, source) for source in wanted))
            self._store.touch(contents=False)

    def tags(self) -> list[Tag]:
        """The tags that live sources carry, by name."""
        found = self._store.rows(
            "SELECT tag.name, count(*) FROM tag JOIN tagged ON tagged.tag = tag.id JOIN source"
            " ON source.id = tagged.source WHERE trashed_at IS NULL GROUP BY tag.id ORDER BY folded"
        )
        return [Tag(*row) for row in found]

    def tag(self, sources: Sequence[int], name: str) -> None:
        """Put a tag on sources, and on the attachments of mails among them. A new name makes a new tag.

        Raises ``LecternError`` for an unfit name, ``NotFoundError`` for an unknown source.
        """
        tidy = tidy_name(name, "tag")
        with self._store.transaction():
            wanted = with_attachments(self._store, sources)
            self._store.write(
                "INSERT INTO tag(name, folded) VALUES (?, ?) ON CONFLICT(folded) DO UPDATE SET name = excluded.name"
                " WHERE id NOT IN (SELECT tag FROM tagged)",  # nobody carries the old spelling any more
                *(tidy, fold(tidy)),
            )
            self._store.write_many(_TAGGED, ((source, fold(tidy)) for source in wanted))
            self._store.touch(contents=False)

    def untag(self, sources: Sequence[int], name: str) -> None:
        """Take a tag off sources, and off the attachments of mails among them; a tag nobody carries is gone."""
        folded = fold(tidy_name(name, "tag"))
        with self._store.transaction():
            self._store.write_many(_UNTAGGED, ((source, folded) for source in with_attachments(self._store, sources)))
            self._store.touch(contents=False)

    def write_note(self, source_id: int, text: str) -> None:
        """Keep a note about a source; blank text removes it. Raises ``NotFoundError``, ``LecternError`` if too long."""
        text = storable(text).strip()
        if len(text) > LONGEST_NOTE:
            raise LecternError(
                f"The note has {len(text):,} characters.", f"Keep it below {LONGEST_NOTE:,}, or add it as a document."
            )
        if not self._store.write("UPDATE source SET note = ? WHERE id = ?", text, source_id, contents=False):
            raise source_not_found(source_id)


def follow_own_tags(store: Store, source: int, before: int | None, now: int) -> None:
    """Tag a source as its new content says it is tagged: version ``now`` instead of ``before``, ``None`` for a new one.

    Only what the content says otherwise than before is put on or taken off: what a person did stays. A source that
    carries none of what it said before was added before tags were read: all of them are put on.
    """
    old, new = _own_tags(store, before), _own_tags(store, now)
    carried = store.rows("SELECT folded FROM tag JOIN tagged ON tag.id = tagged.tag WHERE source = ?", source)
    if not old.keys() & {folded for (folded,) in carried}:
        old = {}
    for folded, name in new.items() - old.items():
        store.write("INSERT OR IGNORE INTO tag(name, folded) VALUES (?, ?)", name, folded)
        store.write(_TAGGED, source, folded)
    for folded in old.keys() - new.keys():
        store.write(_UNTAGGED, source, folded)


def _own_tags(store: Store, version: int | None) -> dict[str, str]:
    """What a Markdown document says it is tagged with: as it is spelt, by how it is compared."""
    metadata = store.value("SELECT metadata FROM version WHERE number = ? AND kind = 'markdown'", version)
    tags = tags_of(json.loads(metadata)) if metadata is not None else ()
    names = [" ".join(unicodedata.normalize("NFC", storable(tag)).split()) for tag in tags]
    return {fold(name): name for name in names if 0 < len(name) <= LONGEST_NAME}


def with_attachments(store: Store, sources: Sequence[int]) -> list[int]:
    """The sources and every attachment below them. Raises ``NotFoundError`` for one that is not there."""
    wanted = list(dict.fromkeys(sources))
    found = dict(store.rows("SELECT id, version FROM source WHERE id IN (SELECT value FROM json_each(?))", wanted))
    for source in wanted:
        if source not in found:
            raise source_not_found(source)
    below = store.rows(
        "WITH RECURSIVE below(id, version) AS (SELECT id, version FROM source WHERE parent IN"
        " (SELECT value FROM json_each(?)) UNION SELECT source.id, source.version FROM source"
        " JOIN below ON source.parent = below.version) SELECT id FROM below",
        list(found.values()),
    )
    return list(dict.fromkeys([*wanted, *(source for (source,) in below)]))


def _no_collection(collection_id: int) -> NotFoundError:
    return NotFoundError(f"There is no collection {collection_id}.", "It may have been deleted.")


def source_not_found(source_id: int) -> NotFoundError:
    """For a source that is not there."""
    return NotFoundError(f"There is no source {source_id} in this library.", "It may have been removed already.")


def labels_of(store: Store, table: str, label: str) -> dict[int, tuple[str, ...]]:
    """By source: the names of its collections or tags, in the order of the alphabet."""
    found: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
    for source, name in store.rows(
        f"SELECT source, name FROM {table} JOIN {label} ON {label}.id = {table}.{label} ORDER BY folded"
    ):
        found[source] += (name,)
    return found
