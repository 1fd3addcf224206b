"""Purging deleted documents from every file of a library: related rows, free pages, logs, caches, Chroma, copies."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from core.errors import StorageError
from core.storage import keepsakes, rescue
from core.storage.catalogue.filing.folders import delete_folder_files
from core.storage.catalogue.job_rows import UNFINISHED, remove_jobs
from core.storage.catalogue.statistics import BACKUPS, CACHE
from core.storage.catalogue.texts.generations import generations
from core.storage.faults import disk_faults
from core.storage.files import SET_ASIDE
from core.storage.index.projection import rebuild_projection
from core.storage.schema.steps import NO_VECTOR, USED_VECTORS
from core.storage.schema.word_tables import rebuild_index
from core.storage.store import Store

_COPIES = (*BACKUPS, SET_ASIDE, "benchmarks")
_OF_DELETED = "version_id NOT IN (SELECT id FROM version)"
_TRACES = (
    f"DELETE FROM judgment WHERE {_OF_DELETED}",
    f"DELETE FROM edit WHERE {_OF_DELETED}",
    f"DELETE FROM written WHERE {_OF_DELETED}",
    "DELETE FROM own_recipe WHERE scope = 'document' AND key NOT IN (SELECT id FROM version)",
    "DELETE FROM tag WHERE id NOT IN (SELECT tag FROM tagged)",
    "DELETE FROM folder_file WHERE state = 'failed'",
    "DELETE FROM folder_event",
    "DELETE FROM logged_question",
    f"DELETE FROM vector WHERE key <> '{NO_VECTOR}' AND number NOT IN ({USED_VECTORS})",
)


def erase(store: Store, *, copies: bool = False) -> None:
    """Purge all traces of deleted documents; a plain deletion in SQLite or Chroma only marks their space as free.

    Also deletes their judgments and edits, the log of questions, finished jobs with their errors, page images, and
    unused vectors. ``copies``: also backups, files set aside, and benchmark reports, which quote documents. Kept are
    the trash, and the paths of files that the user removed from the library but left in a watched folder: without that
    record they would be ingested again. Takes as long as rewriting the library. Raises ``StorageError`` during an
    ingest, while another program reads the catalogue, and, with ``copies``, before a damaged library is repaired.

    Known gap: Chroma pads its graph file with uninitialised memory, so a process that has read a document may write
    words of it there, until another process rebuilds Chroma's files.
    """
    if copies and rescue.set_aside_folders(store.home):
        raise StorageError("What was set aside is not put back yet.", "Repair the library first, or keep the copies.")
    with store.transaction() as connection:
        if store.row("SELECT 1 FROM job WHERE state = 'running'"):  # it may hold vectors that are not stored yet
            raise StorageError("Files are being read.", "Wait for them or cancel the job, and erase again.")
        remove_jobs(store, f"state NOT IN {UNFINISHED}")
        left_files = store.rows(
            "SELECT folder_file.path, folder.path FROM folder_file JOIN folder ON id = folder WHERE state = 'left'"
        )
        gone = [path for path, root in left_files if _is_gone(path, keepsakes.decoded_path(root))]
        delete_folder_files(store, gone)
        for statement in _TRACES:
            store.write(statement)
        for generation in generations(store):
            rebuild_index(connection, generation.number)
        store.touch()
    store.compact()
    keepsakes.save(store)
    for name in (CACHE, *(_COPIES if copies else ())):
        if (store.home / name).exists():
            with disk_faults(store.home):
                shutil.rmtree(store.home / name)
    if store.meta("projection") is not None:
        rebuild_projection(store)  # last, since its server may be unreachable


def _is_gone(path: bytes, folder: Path) -> bool:
    """Whether a file no longer exists, while its watched folder does (and not just its disk is missing)."""
    return folder.is_dir() and not os.path.lexists(path)
