"""The commands ``archive``, ``unarchive``, ``erase`` and ``chroma``."""

from __future__ import annotations

from argparse import Namespace

from core.cli import console
from core.cli.options import home, require_library
from core.errors import SettingsError
from core.library import Library
from core.storage import archive as archives
from core.storage.index.server import SENT, agree, server_at
from core.text.values.numerals import counted


def archive(options: Namespace) -> int:
    """Write a library to one file. It may be in use."""
    count = archives.archive(require_library(home(options)), options.file, vectors=not options.without_vectors)
    size = options.file.stat().st_size
    said = f"{counted(count, 'original')} in {options.file}, {size:,} bytes"
    console.answer(options, {"originals": count, "bytes": size}, said)
    return 0


def unarchive(options: Namespace) -> int:
    """Create a library from an archive. ``rebuild`` encodes it if it has no vectors."""
    count = archives.unarchive(options.file, home(options))
    console.answer(options, {"originals": count}, f"{counted(count, 'original')} in {home(options)}")
    return 0


def erase(options: Namespace) -> int:
    """Erase all traces of documents that were removed for good."""
    with Library.open(require_library(home(options))) as library:
        library.queue.recover()  # jobs of a dead process would count as running
        library.erase(copies=options.copies)
    where = "the library's folder" if options.copies else "the library; its copies and backups stay without --copies"
    console.answer(options, {"erased": True}, f"What was removed is erased from {where}.")
    return 0


def chroma(options: Namespace) -> int:
    """Print where the vector index is, or move it. Naming a server's address is consent to send vectors there."""
    folder = require_library(home(options))
    if not (options.address or options.folder):
        with Library.open(folder, write=False) as library:
            server = library.index.server
    else:
        if options.address and options.folder:
            raise SettingsError("A server's address and --folder exclude each other.", "Leave one of them out.")
        if options.address:
            console.complain(SENT.format(host=server_at(options.address).host))
        server = agree(options.address) if options.address else None
        with Library.open(folder) as library:
            library.index.move(server, console.Progress().counting("vector"))
    where = f"on {server.host}" if server else f"in {folder / 'chroma'}"
    console.answer(options, {"server": server.address if server else None}, f"The index of vectors stands {where}.")
    return 0
