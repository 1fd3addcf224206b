"""Atomic writes: a reader sees the old file or the complete new one, even if the writing process is killed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to ``path``; on normal exit, rename it to ``path`` atomically.

    Missing parent folders are created. If the block raises, ``path`` is unchanged. The block may also create a folder
    at the temporary path, provided ``path`` does not exist yet.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder, "new", "figures.txt")) as temporary:
    ...         _ = temporary.write_text("42")
    ...     [(file.name, file.read_text()) for file in Path(folder, "new").iterdir()]
    [('figures.txt', '42')]
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    try:
        yield temporary
        if temporary.is_file():  # flush the content first: a rename may reach the disk before unsynced data
            with temporary.open("r+b") as stream:
                os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        if temporary.is_file():
            temporary.unlink()
        raise


def written_privately(path: Path, text: str) -> None:
    """Write a small text file atomically, readable by its owner only (mode 600). Missing parent folders are created.

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
