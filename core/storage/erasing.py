"""What was removed, gone from every file of a library: its rows' traces, free pages, logs, caches, Chroma, copies."""

from __future__ import annotations

import shutil

from core.storage import keepsakes
from core.storage.catalogue.generations import generations
from core.storage.catalogue.statistics import BACKUPS, CACHE
from core.storage.faults import disk_faults
from core.storage.files import SET_ASIDE
from core.storage.index.outbox import rebuild_projection
from core.storage.schema.steps import NO_VECTOR
from core.storage.schema.word_tables import rebuild_index
from core.storage.store import Store

_COPIES = (*BACKUPS, SET_ASIDE, "benchmarks")
_GONE = "version_id NOT IN (SELECT id FROM version)"
_TRACES = (
    f"DELETE FROM judgment WHERE {_GONE}",
    f"DELETE FROM edit WHERE {_GONE}",
    "DELETE FROM own_recipe WHERE scope = 'document' AND key NOT IN (SELECT id FROM version)",
    "DELETE FROM job WHERE state NOT IN ('queued', 'running')",
    "DELETE FROM folder_event",
    "DELETE FROM query_log",
    f"DELETE FROM vector WHERE key <> '{NO_VECTOR}' AND number NOT IN (SELECT vector FROM chunk WHERE vector NOTNULL)",
)


def erase(store: Store, *, copies: bool = False) -> None:
    """Leave no trace of documents that were removed for good: SQLite and Chroma only mark what they delete as free.

    With them go their judgments and edits, the questions' log, the finished jobs, pictures of pages, and vectors that
    no chunk uses. ``copies``: also backups, what was set aside, and the reports of benchmarks, which quote documents.
    What lies in the trash stays. Takes as long as writing the library anew. Raises ``StorageError``.
    """
    with store.transaction() as connection:
        for statement in _TRACES:
            connection.execute(statement)
        for known in generations(store):
            rebuild_index(connection, known.number)
        store.touch()
    store.compact()
    if store.meta("projection") is not None:
        rebuild_projection(store)
    keepsakes.write_down(store)
    for name in (CACHE, *(_COPIES if copies else ())):
        if (store.home / name).exists():
            with disk_faults(store.home):
                shutil.rmtree(store.home / name)
