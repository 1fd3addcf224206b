"""What people put on their documents: collections, tags and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.storage import labels
from core.storage.labels import Collection, Tag
from core.storage.store import Store

__all__ = ["Collection", "Labels", "Tag"]


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one library."""

    _store: Store

    def collections(self) -> list[Collection]:
        """All collections, by name."""
        return labels.collections(self._store)

    def create_collection(self, name: str) -> int:
        """Make an empty collection and return its id. Raises ``LecternError`` for a name that is taken or unfit."""
        return labels.create_collection(self._store, name)

    def rename_collection(self, collection_id: int, name: str) -> None:
        """Give a collection another name. Raises ``NotFoundError``, ``LecternError`` as ``create_collection``."""
        labels.rename_collection(self._store, collection_id, name)

    def delete_collection(self, collection_id: int) -> None:
        """Forget a collection; its documents stay. Raises ``NotFoundError``."""
        labels.delete_collection(self._store, collection_id)

    def collect(self, source_ids: Sequence[int], collection_id: int) -> None:
        """Put sources, mails with their attachments, into a collection. Raises ``NotFoundError``."""
        labels.collect(self._store, source_ids, collection_id)

    def uncollect(self, source_ids: Sequence[int], collection_id: int) -> None:
        """Take sources, mails with their attachments, out of a collection. Raises ``NotFoundError``."""
        labels.uncollect(self._store, source_ids, collection_id)

    def tags(self) -> list[Tag]:
        """The tags that documents carry, by name."""
        return labels.tags(self._store)

    def tag(self, source_ids: Sequence[int], name: str) -> None:
        """Put a tag on sources, mails with their attachments. Raises ``LecternError`` for an unfit name."""
        labels.tag(self._store, source_ids, name)

    def untag(self, source_ids: Sequence[int], name: str) -> None:
        """Take a tag off sources, mails with their attachments; a tag nobody carries is gone."""
        labels.untag(self._store, source_ids, name)

    def note(self, source_id: int) -> str:
        """What a person noted about a source, "" for nothing. Raises ``NotFoundError``."""
        return labels.note(self._store, source_id)

    def write_note(self, source_id: int, text: str) -> None:
        """Keep a note about a source; blank text removes it. Raises ``LecternError`` for one that is too long."""
        labels.write_note(self._store, source_id, text)
