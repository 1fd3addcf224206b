"""Edits by hand as they are kept: anchored by value, so they outlive the version they were made on, and can be undone.

A row names the version its edit is for, and the hash of the text its anchors lay in last. Where that is not the hash of
the version's text, the edit is lost for now: it keeps its last place, is listed as a conflict, and is tried again
whenever the version's text, or the version of its source, changes. ``undone`` orders what was undone, the last highest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from core.chunking.edits.edits import Anchor, Edit
from core.chunking.edits.following import follow_edits
from core.errors import LecternError
from core.storage.catalogue.following_judgments import VersionText, text_of
from core.storage.faults import row_faults
from core.storage.store import Store, now

MOST = 1000  # edits in force of one document: each is carried out whenever a dial is turned
MOST_UNDONE = 100  # of them that can be done again

_COLUMNS = "id, version_id, text_hash, kind, anchors"


def edits(store: Store, version_id: str) -> list[Edit]:
    """The edits of a version that are in force, in the order they were made."""
    return _edits(store, version_id, "undone IS NULL ORDER BY id")


def undone_edits(store: Store, version_id: str) -> list[Edit]:
    """The edits of a version that can be done again, the next one first."""
    return _edits(store, version_id, "undone IS NOT NULL ORDER BY undone DESC")


def all_edits(store: Store) -> list[Edit]:
    """The edits of every version, in force or not. Raises ``StorageError`` for one that cannot be read."""
    return [_edit(*row) for row in store.rows(f"SELECT {_COLUMNS} FROM edit")]


def edits_ahead(store: Store, version_id: str, new: VersionText | None, before: str | None) -> list[Edit]:
    """The edits a version will have once it is stored with a text, in their order, where they will lie in it.

    ``new``: the text, ``None`` for the one that is stored. ``before``: the version that will hand its own on to it
    (``sources.predecessor``), ``None`` where none will.
    """
    found: list[Edit] = []
    with store.reading():
        for one in dict.fromkeys((version_id, before or version_id)):
            own = edits(store, one)
            after = new or (text_of(store, version_id) if own else None)
            if own and after:
                found += _followed(own, text_of(store, one), after)
    return sorted((replace(edit, version_id=version_id) for edit in found), key=lambda edit: edit.id)


def add_edit(store: Store, edit: Edit) -> int:
    """Keep an edit and return its number; what was undone before cannot be done again after it.

    Raises ``LecternError`` for a document that has very many already.
    """
    with store.transaction():
        if store.value("SELECT count(*) FROM edit WHERE version_id = ? AND undone IS NULL", edit.version_id) >= MOST:
            raise LecternError(f"The document has {MOST:,} edits by hand.", "Change the dials instead, or undo some.")
        store.write("DELETE FROM edit WHERE version_id = ? AND undone IS NOT NULL", edit.version_id)
        return store.insert(
            "INSERT INTO edit(version_id, text_hash, kind, anchors, made_at) VALUES (?, ?, ?, ?, ?)",
            *(edit.version_id, edit.text_hash, edit.kind, _packed(edit), now()),
            contents=False,
        )


def undo_edit(store: Store, version_id: str) -> Edit | None:
    """Take the last edit of a version back and return it; ``None`` where there is none."""
    with store.transaction():
        last = next(reversed(edits(store, version_id)), None)
        if last is None:
            return None
        once_more = "(SELECT coalesce(max(undone), 0) + 1 FROM edit)"
        store.write(f"UPDATE edit SET undone = {once_more} WHERE id = ?", last.id, contents=False)
        store.write(
            "DELETE FROM edit WHERE id IN (SELECT id FROM edit WHERE version_id = ? AND undone IS NOT NULL"
            " ORDER BY undone DESC LIMIT -1 OFFSET ?)",
            *(version_id, MOST_UNDONE),
        )
    return last


def redo_edit(store: Store, version_id: str) -> Edit | None:
    """Put the edit that was undone last in force again and return it; ``None`` where there is none."""
    with store.transaction():
        last = next(iter(undone_edits(store, version_id)), None)
        if last is not None:
            store.write("UPDATE edit SET undone = NULL WHERE id = ?", last.id, contents=False)
    return last


def remove_edit(store: Store, edit_id: int) -> bool:
    """Forget one edit for good, in force or undone; whether there was such one."""
    return store.write("DELETE FROM edit WHERE id = ?", edit_id, contents=False) > 0


def take_edits_along(store: Store, version_id: str, successor: str, old: VersionText | None, new: VersionText) -> None:
    """Take a version's edits, undone ones too, to the version that succeeds it, or to its own new text.

    ``old`` ``None``: it is gone. What is not found keeps its last place, under the new version.
    """
    moved = _followed(_edits(store, version_id, "TRUE ORDER BY id"), old, new)
    store.write_many(
        "UPDATE edit SET version_id = ?, text_hash = ?, anchors = ? WHERE id = ?",
        ((successor, edit.text_hash, _packed(edit), edit.id) for edit in moved),
    )


def hand_edits_on(store: Store, version_id: str, successor: str) -> None:
    """``take_edits_along`` from one version in the catalogue to another."""
    new = text_of(store, successor)
    if new is not None and store.row("SELECT 1 FROM edit WHERE version_id = ? LIMIT 1", version_id):
        take_edits_along(store, version_id, successor, text_of(store, version_id), new)


def _followed(known: Sequence[Edit], old: VersionText | None, new: VersionText) -> list[Edit]:
    return follow_edits(known, old.text if old else None, old.text_hash if old else "", new.text, new.text_hash)


def _edits(store: Store, version_id: str, which: str) -> list[Edit]:
    found = store.rows(f"SELECT {_COLUMNS} FROM edit WHERE version_id = ? AND {which}", version_id)
    return [_edit(*row) for row in found]


@row_faults("An edit by hand")
def _edit(number: int, version_id: str, text_hash: str, kind: str, packed: str) -> Edit:
    anchors = [Anchor(**anchor) for anchor in json.loads(packed)]
    return Edit(kind, version_id, anchors[0], anchors[1] if len(anchors) > 1 else None, text_hash, number)


def _packed(edit: Edit) -> str:
    anchors: Sequence[Anchor] = (edit.at, edit.to) if edit.to else (edit.at,)
    return json.dumps([asdict(anchor) for anchor in anchors])
