"""Storage of manual chunk edits, with undo and redo. Edits are anchored by quotation and survive a change of the text.

Each row has the version of its edit and the hash of the text that its anchors were last found in. If that is not the
hash of the version's current text, the anchors were not found there: the edit keeps its last position, is shown as a
conflict, and is tried again whenever the text or the version of the source changes. The column ``undone`` is NULL for
an edit in force; otherwise it grows with each undo, so that the highest value is redone first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from core.chunking.edits.edits import Anchor, Edit
from core.chunking.edits.following import follow_edits
from core.errors import LecternError
from core.storage.catalogue.texts.following_judgments import VersionText, version_text
from core.storage.faults import row_faults
from core.storage.store import Store, now

MAX_EDITS = 1000  # in force per document; all of them are replayed whenever it is chunked
MAX_UNDONE = 100  # undone edits kept per document

_COLUMNS = "id, version_id, text_hash, kind, anchors"


def edits(store: Store, version_id: str) -> list[Edit]:
    """The edits in force of a version, in the order they were made."""
    return _edits(store, version_id, "undone IS NULL ORDER BY id")


def undone_edits(store: Store, version_id: str) -> list[Edit]:
    """The undone edits of a version, in the order in which they would be redone."""
    return _edits(store, version_id, "undone IS NOT NULL ORDER BY undone DESC")


def all_edits(store: Store) -> list[Edit]:
    """The edits of all versions, in force or undone. Raises ``StorageError`` for an unreadable one."""
    return [_edit(*row) for row in store.rows(f"SELECT {_COLUMNS} FROM edit")]


def prospective_edits(store: Store, version_id: str, new: VersionText | None, before: str | None) -> list[Edit]:
    """The edits that a version will have once it is stored, in order, with their positions in its text.

    ``new``: the text it will be stored with; ``None``: its stored text. ``before``: the version whose edits it will
    take over (``sources.predecessor``), or ``None``.
    """
    moved: list[Edit] = []
    with store.reading():
        for origin in dict.fromkeys((version_id, before or version_id)):
            own = edits(store, origin)
            after = new or (version_text(store, version_id) if own else None)
            if own and after:
                moved += _moved(own, version_text(store, origin), after)
    return sorted((replace(edit, version_id=version_id) for edit in moved), key=lambda edit: edit.id)


def add_edit(store: Store, edit: Edit) -> int:
    """Store an edit and return its id. Undone edits of the version are deleted.

    Raises ``LecternError`` if the document has ``MAX_EDITS`` edits already.
    """
    with store.transaction():
        if (
            store.value("SELECT count(*) FROM edit WHERE version_id = ? AND undone IS NULL", edit.version_id)
            >= MAX_EDITS
        ):
            raise LecternError(
                f"The document has {MAX_EDITS:,} edits by hand.", "Change the dials instead, or undo some."
            )
        store.write("DELETE FROM edit WHERE version_id = ? AND undone IS NOT NULL", edit.version_id)
        return store.insert(
            "INSERT INTO edit(version_id, text_hash, kind, anchors, made_at) VALUES (?, ?, ?, ?, ?)",
            *(edit.version_id, edit.text_hash, edit.kind, _packed(edit), now()),
            contents=False,
        )


def undo_edit(store: Store, version_id: str) -> Edit | None:
    """Undo the last edit of a version and return it; ``None`` if there is none."""
    with store.transaction():
        last = next(reversed(edits(store, version_id)), None)
        if last is None:
            return None
        next_undone = "(SELECT coalesce(max(undone), 0) + 1 FROM edit)"
        store.write(f"UPDATE edit SET undone = {next_undone} WHERE id = ?", last.id, contents=False)
        store.write(
            "DELETE FROM edit WHERE id IN (SELECT id FROM edit WHERE version_id = ? AND undone IS NOT NULL"
            " ORDER BY undone DESC LIMIT -1 OFFSET ?)",
            *(version_id, MAX_UNDONE),
        )
    return last


def redo_edit(store: Store, version_id: str) -> Edit | None:
    """Redo the edit of a version that was undone last and return it; ``None`` if there is none."""
    with store.transaction():
        last = next(iter(undone_edits(store, version_id)), None)
        if last is not None:
            store.write("UPDATE edit SET undone = NULL WHERE id = ?", last.id, contents=False)
    return last


def remove_edit(store: Store, edit_id: int) -> bool:
    """Delete one edit, in force or undone. Returns whether it existed."""
    return store.write("DELETE FROM edit WHERE id = ?", edit_id, contents=False) > 0


def move_edits(store: Store, version_id: str, successor: str, old: VersionText | None, new: VersionText) -> None:
    """Move a version's edits, undone ones too, to the text of its successor, which may be the version itself.

    ``old``: the version's text so far, ``None`` if it is no longer known. An edit whose anchors are not found in the
    new text keeps its last position.
    """
    moved = _moved(_edits(store, version_id, "TRUE ORDER BY id"), old, new)
    store.write_many(
        "UPDATE edit SET version_id = ?, text_hash = ?, anchors = ? WHERE id = ?",
        ((successor, edit.text_hash, _packed(edit), edit.id) for edit in moved),
    )


def transfer_edits(store: Store, version_id: str, successor: str) -> None:
    """``move_edits`` between two stored versions."""
    new = version_text(store, successor)
    if new is not None and store.row("SELECT 1 FROM edit WHERE version_id = ? LIMIT 1", version_id):
        move_edits(store, version_id, successor, version_text(store, version_id), new)


def _moved(existing: Sequence[Edit], old: VersionText | None, new: VersionText) -> list[Edit]:
    return follow_edits(existing, old.text if old else None, old.text_hash if old else "", new.text, new.text_hash)


def _edits(store: Store, version_id: str, condition: str) -> list[Edit]:
    rows = store.rows(f"SELECT {_COLUMNS} FROM edit WHERE version_id = ? AND {condition}", version_id)
    return [_edit(*row) for row in rows]


@row_faults("An edit by hand")
def _edit(number: int, version_id: str, text_hash: str, kind: str, packed: str) -> Edit:
    anchors = [Anchor(**anchor) for anchor in json.loads(packed)]
    return Edit(kind, version_id, anchors[0], anchors[1] if len(anchors) > 1 else None, text_hash, number)


def _packed(edit: Edit) -> str:
    anchors: Sequence[Anchor] = (edit.at, edit.to) if edit.to else (edit.at,)
    return json.dumps([asdict(anchor) for anchor in anchors])
