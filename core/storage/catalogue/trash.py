"""The trash: sources that are out of every list and index, with text and vectors kept, so that they can come back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.errors import StorageError
from core.storage.catalogue.labels import source_not_found
from core.storage.catalogue.names import shown_names
from core.storage.catalogue.sources import release_version, remove_source
from core.storage.store import Store, now

KEPT_DAYS = 30  # what lies in the trash longer is removed when the library is opened for writing


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment of a mail as the catalogue knows it. ``along``: it is in the trash because its mail is."""

    source: int
    name: str
    version_id: str
    trashed: bool
    along: bool


def trash_sources(store: Store, sources: Sequence[int]) -> int:
    """Put sources in the trash, mails with their attachments, and return how many were not there before.

    Their documents leave the indexes unless another live source holds the same bytes. Raises ``NotFoundError``.
    """
    count = 0
    with store.transaction():
        for source in dict.fromkeys(sources):
            version, trashed_at = _row(store, source)
            if trashed_at is None:
                count += store.write("UPDATE source SET trashed_at = ? WHERE id = ?", now(), source, contents=True)
                release_version(store, version)
    return count


def revive_source(store: Store, source: int) -> None:
    """Make a source in the trash live again; a version that had no live source must be cut in the same transaction.

    Raises ``NotFoundError``, and ``StorageError`` for an attachment whose mail is in the trash.
    """
    with store.transaction():
        _row(store, source)
        if not _mail_is_live(store, source):
            raise StorageError(
                f"{shown_names(store)[source]} is attached to a mail that is in the trash.", "Restore the mail."
            )
        store.write("UPDATE source SET trashed_at = NULL, trashed_along = 0 WHERE id = ?", source, contents=True)


def attachments(store: Store, version_id: str) -> list[Attachment]:
    """The attachments of a mail, in the trash or not, in its order; [] for what is no mail."""
    found = store.rows(
        "SELECT source.id, source.name, version.id, trashed_at, trashed_along FROM source JOIN version"
        " ON version.number = source.version WHERE parent = (SELECT number FROM version WHERE id = ?)"
        " ORDER BY source.id",
        version_id,
    )
    return [
        Attachment(source, name, version, trashed_at is not None, bool(along))
        for source, name, version, trashed_at, along in found
    ]


def keep_attachments(store: Store, version_id: str, names: Sequence[str]) -> None:
    """Forget the attachments of a mail that are not among ``names``: another parser finds other ones."""
    for attached in attachments(store, version_id):
        if attached.name not in names:
            remove_source(store, attached.source)


def detach_trashed_attachments(store: Store, version_id: str) -> None:
    """A mail is live again: what did not come back with it lies in the trash by itself from now on."""
    store.write(
        "UPDATE source SET trashed_along = 0 WHERE trashed_along"
        " AND parent = (SELECT number FROM version WHERE id = ?)",
        version_id,
    )


def empty_old_trash(store: Store) -> None:
    """Remove for good what had been in the trash for ``KEPT_DAYS`` at an opening at least a day ago, and is still.

    A clock that runs ahead for less than a day removes nothing by that, however often the library is opened.
    """
    limit = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    said, until, before = (store.meta("trashed_until") or "", *map(_moment, (limit, limit - timedelta(days=1))))
    if before < said <= until:
        return
    empty_trash(store, min(until, said))
    with suppress(StorageError):  # a full disk: the next opening notes it
        store.set_meta("trashed_until", until)


def _moment(when: datetime) -> str:
    return when.isoformat("T", "seconds")


def empty_trash(store: Store, until: str | None = None) -> int:
    """Remove for good what went to the trash up to a moment (``None``: all of it); return how many sources that were.

    Attachments that went along with their mail go with it and are not counted.
    """
    with store.transaction():
        due = store.rows(
            "SELECT id FROM source WHERE trashed_at <= coalesce(?, trashed_at) AND NOT trashed_along", until
        )
        for (source,) in due:
            # An attachment that was trashed by itself may just have gone with its mail.
            if store.row("SELECT 1 FROM source WHERE id = ?", source):
                remove_source(store, source)
    return len(due)


def in_trash(store: Store, sources: Sequence[int]) -> list[tuple[int, str, str]]:
    """``(id, shown name, version)`` of those of the sources that are in the trash, mails before what is in them.

    Raises ``NotFoundError`` for an unknown source.
    """
    with store.reading():
        for source in sources:
            _row(store, source)
        found = store.rows(
            "SELECT source.id, version.id FROM source JOIN version ON version.number = source.version"
            " WHERE trashed_at IS NOT NULL AND source.id IN (SELECT value FROM json_each(?))"
            " ORDER BY source.kind = 'attachment', source.id",
            sources,
        )
        names = shown_names(store)
    return [(source, names[source], version_id) for source, version_id in found]


def _row(store: Store, source: int) -> tuple[int, str | None]:
    row: tuple[int, str | None] | None = store.row("SELECT version, trashed_at FROM source WHERE id = ?", source)
    if row is None:
        raise source_not_found(source)
    return row


def _mail_is_live(store: Store, source: int) -> bool:
    """Whether the mail an attachment came in has a live source; a file that is no attachment needs none."""
    return bool(
        store.value(
            "SELECT parent IS NULL OR EXISTS (SELECT 1 FROM source AS mail WHERE mail.version = source.parent"
            " AND mail.trashed_at IS NULL) FROM source WHERE id = ?",
            source,
        )
    )
