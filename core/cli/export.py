"""The command that writes a library out as Markdown."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.atomic_files import written_whole
from core.cli import console
from core.cli.options import home, reading, sources_named
from core.errors import NotFoundError, StorageError
from core.inspecting.as_markdown import MADE, document_as_markdown, markdown_names


def export(options: Namespace) -> int:
    """Write documents, with their notes and judged questions, as Markdown files into a folder.

    Files that were written so before are replaced, others never. Raises ``NotFoundError`` for a source that is not
    there, ``StorageError`` where the folder cannot be written.
    """
    with reading(home(options)) as library:
        found = {wanted: sources_named(library, wanted) for wanted in options.sources}
        for wanted, rows in found.items():
            if not rows:
                raise NotFoundError(f"There is no source {wanted}.", "`list` names them all.")
        sources = [row for rows in found.values() for row in rows] if found else library.sources()
        names = markdown_names(sources)
        for name in names:
            require_own(options.to / name)
        for source, name in zip(sources, names, strict=True):
            judged = library.judgments(source.version_id)
            save(options.to / name, document_as_markdown(library.document(source.version_id), source, judged))
    console.answer(options, {"folder": str(options.to), "files": names}, f"{len(names)} files in {options.to}")
    return 0


def require_own(path: Path) -> None:
    """Raise ``StorageError`` where a file lies that Lectern did not write."""
    try:
        with path.open(encoding="utf-8", errors="replace") as there:
            own = there.read(len(MADE)) == MADE
    except FileNotFoundError:
        return
    except OSError:
        own = False
    if not own:
        raise StorageError(f"{path} is there and was not written by Lectern.", "Name another place.")


def save(path: Path, text: str) -> None:
    """Write a file whole, over an earlier one of Lectern's at most. Raises ``StorageError`` where that cannot be."""
    require_own(path)
    try:
        with written_whole(path) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.", "Name another place.") from error
