"""What was removed, gone from every file of a library: its rows' traces, free pages, logs, caches, Chroma, copies."""

from __future__ import annotations

import os
import shutil

from core.errors import StorageError
from core.storage import keepsakes, rescue
from core.storage.catalogue.folders import forget_handed
from core.storage.catalogue.generations import generations
from core.storage.catalogue.job_rows import UNFINISHED, remove_jobs
from core.storage.catalogue.statistics import BACKUPS, CACHE
from core.storage.faults import disk_faults
from core.storage.files import SET_ASIDE
from core.storage.index.projection import rebuild_projection
from core.storage.schema.steps import NO_VECTOR, USED_VECTORS
from core.storage.schema.word_tables import rebuild_index
from core.storage.store import Store

_COPIES = (*BACKUPS, SET_ASIDE, "benchmarks")
_GONE = "version_id NOT IN (SELECT id FROM version)"
_TRACES = (
    f"DELETE FROM judgment WHERE {_GONE}",
    f"DELETE FROM edit WHERE {_GONE}",
    f"DELETE FROM written WHERE {_GONE}",
    "DELETE FROM own_recipe WHERE scope = 'document' AND key NOT IN (SELECT id FROM version)",
    "DELETE FROM tag WHERE id NOT IN (SELECT tag FROM tagged)",
    "DELETE FROM folder_file WHERE state = 'failed'",
    "DELETE FROM folder_event",
    "DELETE FROM logged_question",
    f"DELETE FROM vector WHERE key <> '{NO_VECTOR}' AND number NOT IN ({USED_VECTORS})",
)


def erase(store: Store, *, copies: bool = False) -> None:
    """Leave no trace of documents that were removed for good: SQLite and Chroma only mark what they delete as free.

    With them go their judgments and edits, the questions' log, the finished jobs and what they could not read, pictures
    of pages, and vectors that no chunk uses. ``copies``: also backups, what was set aside, and the reports of
    benchmarks, which quote documents. What lies in the trash stays, and the ways of files that were taken out of the
    library and still lie in a watched folder: forgotten, they would come back. Takes as long as writing the library
    anew. Raises ``StorageError`` while files are read, while another program reads the catalogue, and, of ``copies``,
    while a catalogue that was set aside is not put back.

    One trace is not in its hands: Chroma fills its graph file up with uninitialised memory, so a process that has read
    a document may write words of it there until Chroma's files are made anew by another process.
    """
    if copies and rescue.waiting(store.home):
        raise StorageError("What was set aside is not put back yet.", "Repair the library first, or keep the copies.")
    with store.transaction() as connection:
        if store.row("SELECT 1 FROM job WHERE state = 'running'"):  # it holds vectors that it has not stored yet
            raise StorageError("Files are being read.", "Wait for them or cancel the job, and erase again.")
        remove_jobs(store, f"state NOT IN {UNFINISHED}")
        left = store.rows(
            "SELECT folder_file.path, folder.path FROM folder_file JOIN folder ON id = folder WHERE state = 'left'"
        )
        forget_handed(
            store, [path for path, root in left if keepsakes.place_of(root).is_dir() and not os.path.lexists(path)]
        )
        for statement in _TRACES:
            store.write(statement)
        for known in generations(store):
            rebuild_index(connection, known.number)
        store.touch()
    store.compact()
    keepsakes.write_down(store)
    for name in (CACHE, *(_COPIES if copies else ())):
        if (store.home / name).exists():
            with disk_faults(store.home):
                shutil.rmtree(store.home / name)
    if store.meta("projection") is not None:
        rebuild_projection(store)  # last: its server may be out of reach
