"""Edits by hand of a library: made on the cut a person looks at, dropped, and listed where they do not fit.

An edit is kept at once; chunks and vectors change when the document is cut anew
(``core.ingest.applying.recut_versions``).
``core.storage.catalogue.edits`` lists, undoes and redoes them, and lets them follow a changed file where it is stored.
"""

from __future__ import annotations

from dataclasses import replace

from core.chunking import Edit, Replayed
from core.chunking.edits.edits import Conflict
from core.chunking.edits.replay import misfit
from core.errors import LecternError, NotFoundError
from core.ingest.preparing import Preparer
from core.storage.catalogue import chunks, documents
from core.storage.catalogue import edits as stored
from core.storage.store import Store
from core.types import ChunkTree


def edit(store: Store, draft: Edit, tree: ChunkTree | None = None) -> int:
    """Keep an edit and return its number. ``tree``: the cut it was made on, ``None`` for the one that is indexed.

    Raises ``LecternError`` with a sentence for one that this cut has no place for, ``NotFoundError``.
    """
    with store.transaction():
        version = documents.version(store, draft.version_id)
        if version is None:
            raise NotFoundError(f"No document has the version {draft.version_id[:12]!r}.", "It may have been removed.")
        seen = tree or chunks.tree(store, draft.version_id)
        if documents.text_hash(seen.document.text) != version.text_hash:
            raise LecternError("The document was read anew meanwhile.", "Look at it again.")
        if said := misfit(seen, draft):
            raise LecternError(said, "Choose another place.")
        return stored.add_edit(store, replace(draft, text_hash=version.text_hash))


def drop(store: Store, edit_id: int) -> None:
    """Forget one edit for good, such as one that no longer fits. Raises ``NotFoundError``."""
    if not stored.remove_edit(store, edit_id):
        raise NotFoundError(f"There is no edit {edit_id}.", "It may have been removed already.")


def as_cut_now(by: Preparer, version_id: str) -> Replayed:
    """A document as its recipe and edits would cut it now. Raises ``NotFoundError``."""
    document = documents.document(by.store, version_id)
    known = documents.version(by.store, version_id)
    assert known is not None  # noqa: S101 - its document was just read
    return by.cut(document, known.parser, by.way(version_id, known.kind))[0]


def conflicts(by: Preparer, version_id: str) -> list[Conflict]:
    """A document's edits that are not, or not wholly, in force under its recipe, each with why. ``NotFoundError``."""
    if not stored.edits(by.store, version_id):
        return []
    return list(as_cut_now(by, version_id).conflicts)
