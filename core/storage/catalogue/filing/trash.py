"""The trash: sources that are out of all lists and indexes, but can be restored since text and vectors are kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.errors import StorageError
from core.storage.catalogue.filing.labels import source_not_found
from core.storage.catalogue.filing.names import shown_names
from core.storage.catalogue.filing.sources import release_version, remove_source
from core.storage.store import Store, now

KEPT_DAYS = 30  # older sources in the trash are deleted when the library is opened for writing


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment of a mail. ``trashed``: it is in the trash; ``along``: because its mail is."""

    source: int
    name: str
    version_id: str
    trashed: bool
    along: bool


def trash_sources(store: Store, sources: Sequence[int]) -> int:
    """Move sources, and the attachments of mails, to the trash; return how many were not there before.

    Their documents leave the indexes unless another live source has the same bytes. Raises ``NotFoundError``.
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
    """Restore a source from the trash. A version without a live source must be chunked in the same transaction.

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
    """The attachments of a mail, in the trash or not, in the order of the mail; [] for other documents."""
    rows = store.rows(
        "SELECT source.id, source.name, version.id, trashed_at, trashed_along FROM source JOIN version"
        " ON version.number = source.version WHERE parent = (SELECT number FROM version WHERE id = ?)"
        " ORDER BY source.id",
        version_id,
    )
    return [
        Attachment(source, name, version, trashed_at is not None, bool(along))
        for source, name, version, trashed_at, along in rows
    ]


def keep_attachments(store: Store, version_id: str, names: Sequence[str]) -> None:
    """Delete the attachments of a mail that are not among ``names``, as when a new parser finds others."""
    for attachment in attachments(store, version_id):
        if attachment.name not in names:
            remove_source(store, attachment.source)


def detach_trashed_attachments(store: Store, version_id: str) -> None:
    """After a mail was restored, mark its attachments that are still in the trash as trashed by themselves."""
    store.write(
        "UPDATE source SET trashed_along = 0 WHERE trashed_along"
        " AND parent = (SELECT number FROM version WHERE id = ?)",
        version_id,
    )


def empty_old_trash(store: Store) -> None:
    """Delete sources that have been in the trash for ``KEPT_DAYS``, with a day's delay against wrong clocks.

    At most once a day, an opening records the limit ``KEPT_DAYS`` ago; the next such opening deletes what was trashed
    before the recorded limit. So a clock that is ahead for less than a day causes no deletion.
    """
    limit = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    day_before = (limit - timedelta(days=1)).isoformat("T", "seconds")
    new_limit = limit.isoformat("T", "seconds")
    recorded_limit = store.meta("trashed_until") or ""
    if day_before < recorded_limit <= new_limit:
        return
    empty_trash(store, min(new_limit, recorded_limit))
    with suppress(StorageError):  # disk full: the next opening records it
        store.set_meta("trashed_until", new_limit)


def empty_trash(store: Store, until: str | None = None) -> int:
    """Delete sources trashed until a time (``None``: all) and return their number.

    Attachments trashed along with their mail are deleted with it and not counted.
    """
    with store.transaction():
        selected = store.rows(
            "SELECT id FROM source WHERE trashed_at <= coalesce(?, trashed_at) AND NOT trashed_along", until
        )
        for (source,) in selected:
            # An attachment that was trashed by itself may just have been deleted with its mail.
            if store.row("SELECT 1 FROM source WHERE id = ?", source):
                remove_source(store, source)
    return len(selected)


def in_trash(store: Store, sources: Sequence[int]) -> list[tuple[int, str, str]]:
    """``(id, display name, version id)`` of the given sources that are in the trash, attachments last.

    Raises ``NotFoundError`` for an unknown source.
    """
    with store.reading():
        for source in sources:
            _row(store, source)
        rows = store.rows(
            "SELECT source.id, version.id FROM source JOIN version ON version.number = source.version"
            " WHERE trashed_at IS NOT NULL AND source.id IN (SELECT value FROM json_each(?))"
            " ORDER BY source.kind = 'attachment', source.id",
            sources,
        )
        names = shown_names(store)
    return [(source, names[source], version_id) for source, version_id in rows]


def _row(store: Store, source: int) -> tuple[int, str | None]:
    row: tuple[int, str | None] | None = store.row("SELECT version, trashed_at FROM source WHERE id = ?", source)
    if row is None:
        raise source_not_found(source)
    return row


def _mail_is_live(store: Store, source: int) -> bool:
    """Whether the mail of an attachment has a live source; ``True`` for a source that is not an attachment."""
    return bool(
        store.value(
            "SELECT parent IS NULL OR EXISTS (SELECT 1 FROM source AS mail WHERE mail.version = source.parent"
            " AND mail.trashed_at IS NULL) FROM source WHERE id = ?",
            source,
        )
    )
