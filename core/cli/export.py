"""The command ``export``."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.atomic_files import written_whole
from core.chunking.prefixes import encoder_input
from core.cli import console, contract
from core.cli.options import home, open_to_read, sources_named
from core.errors import NotFoundError, StorageError
from core.inspecting.as_markdown import MADE, document_as_markdown, markdown_names
from core.library import Library, SourceRow
from core.text.places import page_of


def export(options: Namespace) -> int:
    """Write documents, with their notes and judged questions, as Markdown files into a folder; or their chunks.

    Only Markdown files that Lectern wrote are overwritten. Raises ``NotFoundError`` for an unknown source, and
    ``StorageError`` where nothing can be written.
    """
    with open_to_read(home(options)) as library:
        named = {name: sources_named(library, name) for name in options.sources}
        for name, rows in named.items():
            if not rows:
                raise NotFoundError(f"There is no source {name}.", "`list` names them all.")
        sources = [row for rows in named.values() for row in rows] if named else library.sources()
        if options.chunks:
            return _export_chunks(options, library, sources)
        names = markdown_names(sources)
        for name in names:
            require_own(options.to / name)
        for source, name in zip(sources, names, strict=True):
            judgments = library.judgments(source.version_id)
            save(options.to / name, document_as_markdown(library.document(source.version_id), source, judgments))
    console.answer(options, {"folder": str(options.to), "files": names}, f"{len(names)} files in {options.to}")
    return 0


def _export_chunks(options: Namespace, library: Library, sources: Sequence[SourceRow]) -> int:
    """Write the chunks of these sources as JSON Lines."""
    count = 0
    try:
        with written_whole(options.chunks) as unfinished, unfinished.open("w", encoding="utf-8") as file:
            for count, line in enumerate(_chunk_lines(library, sources), 1):  # noqa: B007 - the last one is told
                file.write(f"{line}\n")
    except OSError as error:
        raise StorageError(f"{options.chunks} cannot be written: {error.strerror}.", "Name another place.") from error
    console.answer(options, {"file": str(options.chunks), "chunks": count}, f"{count:,} chunks in {options.chunks}")
    return 0


def _chunk_lines(library: Library, sources: Sequence[SourceRow]) -> Iterator[str]:
    """Each chunk as it is indexed, with its place; ``embedded``: the text that was encoded, null for a parent."""
    for source in sources:
        tree = library.tree(source.version_id)
        chunking, _ = library.cutting.effective_chunking(source.version_id)
        for chunk in tree.chunks:
            embedded = encoder_input(chunk, chunking.read_prefix) if chunk.level == 0 else None
            place = {"source": source.name, "document": source.title, "version_id": source.version_id}
            page = page_of(tree.document, chunk.start)
            yield json.dumps({**place, "page": page, **contract.chunk(chunk), "embedded": embedded}, ensure_ascii=False)


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
