"""The command ``export``."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.atomic_files import written_whole
from core.cli import console
from core.cli.options import home, open_to_read, sources_named
from core.errors import NotFoundError, StorageError
from core.inspecting.as_markdown import MADE, document_as_markdown, markdown_names


def export(options: Namespace) -> int:
    """Write documents, with their notes and judged questions, as Markdown files into a folder.

    Only files that Lectern wrote are overwritten. Raises ``NotFoundError`` for an unknown source, ``StorageError``
    where the folder cannot be written.
    """
    with open_to_read(home(options)) as library:
        named = {name: sources_named(library, name) for name in options.sources}
        for name, rows in named.items():
            if not rows:
                raise NotFoundError(f"There is no source {name}.", "`list` names them all.")
        sources = [row for rows in named.values() for row in rows] if named else library.sources()
        names = markdown_names(sources)
        for name in names:
            require_own(options.to / name)
        for source, name in zip(sources, names, strict=True):
            judgments = library.judgments(source.version_id)
            save(options.to / name, document_as_markdown(library.document(source.version_id), source, judgments))
    console.answer(options, {"folder": str(options.to), "files": names}, f"{len(names)} files in {options.to}")
    return 0


def require_own(path: Path) -> None:
    """Raise ``StorageError`` if there is a file at ``path`` that Lectern did not write."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            is_own = file.read(len(MADE)) == MADE
    except FileNotFoundError:
        return
    except OSError:
        is_own = False
    if not is_own:
        raise StorageError(f"{path} is there and was not written by Lectern.", "Name another place.")


def save(path: Path, text: str) -> None:
    """Write a file atomically; overwrites only files that Lectern wrote. Raises ``StorageError`` where that fails."""
    require_own(path)
    try:
        with written_whole(path) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.", "Name another place.") from error
