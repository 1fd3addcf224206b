"""Files that are there as a whole or not at all, whatever stops the process that writes them."""

from __future__ import annotations

import os
import tempfile
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


def written_privately(path: Path, text: str) -> None:
    """Write a small file that its owner alone reads (mode 600), whole or not at all; folders above it are made.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written_privately(Path(folder, "key"), "42")
    ...     oct(Path(folder, "key").stat().st_mode)[-3:] if os.name != "nt" else "600"
    '600'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as target:
            target.write(text)
            target.flush()
            os.fsync(target.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
