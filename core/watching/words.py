"""Folders in words, the same for the page and the command line."""

from __future__ import annotations

from core.storage.catalogue.folders import FolderEvent
from core.watching.planning import FolderPlan

_WHAT = {
    "read": "read",
    "moved": "moved, nothing read again",
    "removed": "gone from the folder, now in the trash",
    "failed": "could not be read",
    "left": "left out: its document was taken out of the library",
    "kept": "gone from the folder, kept in the library",
}
_WHOLE = {
    "asked": "{files} files are gone at once. Nothing was removed: say whether their documents are to go",
    "missing": "the folder is not there; nothing was removed",
    "back": "the folder is back",
}


def happened(event: FolderEvent) -> str:
    """An event as a line of the log.

    >>> happened(FolderEvent(1, "moved", 1, "b.md", "from /notes/a.md")), happened(FolderEvent(1, "read", 2000))
    ('b.md: moved, nothing read again (from /notes/a.md)', '2,000 files: read')
    >>> happened(FolderEvent(1, "back", 0))
    'the folder is back'
    """
    if event.what in _WHOLE:
        return _WHOLE[event.what].format(files=f"{event.files:,}")
    detail = f" ({event.detail})" if event.detail else ""
    return f"{event.name or f'{event.files:,} files'}: {_WHAT.get(event.what, event.what)}{detail}"


def would_happen(plan: FolderPlan) -> str:
    """A plan in a line: what would be done, and what is left alone.

    >>> from pathlib import Path
    >>> from core.storage.catalogue.folders import Folder
    >>> would_happen(FolderPlan(Folder(1, Path("/n"), (), "", "")))
    'in step'
    >>> would_happen(FolderPlan(Folder(1, Path("/n"), (), "", ""), "It is not there.")), would_happen(
    ...     FolderPlan(Folder(1, Path("/n"), (), "", ""), at_work=3)
    ... )
    ('It is not there.', '3 being read')
    """
    if plan.problem:
        return plan.problem
    counted = (
        (len(plan.new), "new"),
        (len(plan.changed), "changed"),
        (len(plan.moved), "moved"),
        (len(plan.gone), "gone, and a person is asked first" if plan.asks else "gone, for the trash"),
        (plan.at_work, "being read"),
        (len(plan.waiting), "still being written"),
    )
    return ", ".join(f"{count:,} {said}" for count, said in counted if count) or "in step"
