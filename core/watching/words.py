"""Texts on watched folders, for the pages and the command line."""

from __future__ import annotations

from core.storage.catalogue.filing.folders import FolderEvent
from core.watching.planning import FolderPlan

_FILE_EVENTS = {
    "read": "read",
    "moved": "moved, nothing read again",
    "removed": "gone from the folder, now in the trash",
    "failed": "could not be read",
    "left": "left out: its document was taken out of the library",
    "kept": "gone from the folder, kept in the library",
}
_FOLDER_EVENTS = {
    "asked": "{files} files are gone at once. Nothing was removed: say whether their documents are to go",
    "missing": "the folder is not there; nothing was removed",
    "back": "the folder is back",
}


def happened(event: FolderEvent) -> str:
    """A log entry in words.

    >>> happened(FolderEvent(1, "moved", 1, "b.md", "from /notes/a.md")), happened(FolderEvent(1, "read", 2000))
    ('b.md: moved, nothing read again (from /notes/a.md)', '2,000 files: read')
    >>> happened(FolderEvent(1, "back", 0))
    'the folder is back'
    """
    if event.what in _FOLDER_EVENTS:
        return _FOLDER_EVENTS[event.what].format(files=f"{event.files:,}")
    detail = f" ({event.detail})" if event.detail else ""
    return f"{event.name or f'{event.files:,} files'}: {_FILE_EVENTS.get(event.what, event.what)}{detail}"


def would_happen(plan: FolderPlan) -> str:
    """A plan in words, in one line.

    >>> from pathlib import Path
    >>> from core.storage.catalogue.filing.folders import Folder
    >>> would_happen(FolderPlan(Folder(1, Path("/n"), (), "", "")))
    'in step'
    >>> would_happen(FolderPlan(Folder(1, Path("/n"), (), "", ""), "It is not there.")), would_happen(
    ...     FolderPlan(Folder(1, Path("/n"), (), "", ""), at_work=3)
    ... )
    ('It is not there.', '3 being read')
    """
    if plan.problem:
        return plan.problem
    counts = (
        (len(plan.new), "new"),
        (len(plan.changed), "changed"),
        (len(plan.moved), "moved"),
        (len(plan.gone), "gone, and a person is asked first" if plan.asks else "gone, for the trash"),
        (plan.at_work, "being read"),
        (len(plan.waiting), "still being written"),
    )
    return ", ".join(f"{count:,} {description}" for count, description in counts if count) or "in step"
