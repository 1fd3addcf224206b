"""Names that any file system takes, one for each document."""

from __future__ import annotations

from collections.abc import Iterable

from core.evaluation.staging import safe_name


def unique_names(names: Iterable[str]) -> list[str]:
    """A safe file name for each name, its extension kept; what would be the same is numbered.

    Names that differ in their case alone are the same for some file systems.

    >>> unique_names(["in/notes.md", "notes.md", "Notes.MD", "b?.txt"])
    ['notes.md', 'notes (2).md', 'Notes (3).MD', 'b_.txt']
    """
    chosen: list[str] = []
    taken: set[str] = set()
    for name in names:
        safe = found = safe_name(name)
        stem, dot, extension = safe.rpartition(".")
        number = 2
        while found.casefold() in taken:
            found = f"{stem} ({number}).{extension}" if dot else f"{safe} ({number})"
            number += 1
        taken.add(found.casefold())
        chosen.append(found)
    return chosen
