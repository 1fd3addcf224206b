"""Files that are there as a whole or not at all, whatever stops the process that writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A place beside ``path`` to write to; what was written there then takes the place of ``path`` in one step.

    Folders above ``path`` are made. What fails leaves ``path`` as it was. A folder is written in the same way, to a
    ``path`` that does not exist.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder, "made", "figures.txt")) as unfinished:
    ...         _ = unfinished.write_text("42")
    ...     [(found.name, found.read_text()) for found in Path(folder, "made").iterdir()]
    [('figures.txt', '42')]
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    try:
        yield unfinished
        if unfinished.is_file():  # what was replaced must be on the disk when its name is
            with unfinished.open("r+b") as written:
                os.fsync(written.fileno())
        unfinished.replace(path)
    except BaseException:
        if unfinished.is_file():
            unfinished.unlink()
        raise
