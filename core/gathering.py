"""The files that paths on the command line mean: themselves, or everything below a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from core.ingest import Failure
from core.jobs import NewItem


def find_files(paths: list[str], library: Path) -> tuple[list[NewItem], list[Failure]]:
    """Every file at or below the paths, in a stable order, and what could not be looked into.

    Names keep the path as given. Below a folder, hidden entries and the library itself are passed over and links are
    not followed.
    """
    items: list[NewItem] = []
    failures: list[Failure] = []
    for path in paths:
        try:
            folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - the path as given, "./" kept
        except FileNotFoundError:
            failures.append(Failure(path, "There is no such file or folder."))
        except OSError as error:
            failures.append(Failure(path, f"It cannot be reached: {error.strerror}."))
        else:
            found = list(_below(path, library, failures)) if folder else [path]
            items.extend(NewItem(name, Path(name).absolute()) for name in found)
    return items, failures


def _below(folder: str, library: Path, failures: list[Failure]) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        failures.append(Failure(str(error.filename), f"The folder cannot be read: {error.strerror}."))

    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if Path(place).resolve() == library.resolve():
            folders.clear()
            continue
        for name in sorted(name for name in names if not name.startswith(".")):
            found = os.path.join(place, name)  # noqa: PTH118 - the path as given, "./" kept
            try:
                mode = os.lstat(found).st_mode
            except OSError as error:
                failures.append(Failure(found, f"It cannot be reached: {error.strerror}."))
                continue
            if stat.S_ISREG(mode):
                yield found
            elif not stat.S_ISLNK(mode):
                failures.append(Failure(found, "It is a pipe, a socket or a device, not a file."))
