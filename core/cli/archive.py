"""``archive``, ``unarchive``, ``erase`` and ``chroma``: a library as one file, and where what is made of it lies."""

from __future__ import annotations

from argparse import Namespace

from core.cli import console
from core.cli.options import existing, home
from core.errors import SettingsError
from core.library import Library
from core.storage import archive as archives
from core.storage.index.server import SENT, agree, server_at
from core.text.numerals import counted


def archive(options: Namespace) -> int:
    """Write a library to one file, beside whatever uses it."""
    count = archives.archive(existing(home(options)), options.file, vectors=not options.without_vectors)
    size = options.file.stat().st_size
    said = f"{counted(count, 'original')} in {options.file}, {size:,} bytes"
    console.answer(options, {"originals": count, "bytes": size}, said)
    return 0


def unarchive(options: Namespace) -> int:
    """Make a library of an archive; what came without vectors is encoded by ``rebuild``."""
    count = archives.unarchive(options.file, home(options))
    console.answer(options, {"originals": count}, f"{counted(count, 'original')} in {home(options)}")
    return 0


def erase(options: Namespace) -> int:
    """Leave no trace of what was removed for good."""
    with Library.open(existing(home(options))) as library:
        library.queue.recover()  # what a dead process was reading is not being read
        library.erase(copies=options.copies)
    where = "the library's folder" if options.copies else "the library; its copies and backups stay without --copies"
    console.answer(options, {"erased": True}, f"What was removed is erased from {where}.")
    return 0


def chroma(options: Namespace) -> int:
    """Say where the index of vectors stands, or move it; who names an address agrees that vectors go there."""
    place = existing(home(options))
    if not (options.address or options.folder):
        with Library.open(place, write=False) as library:
            server = library.index.server
    else:
        if options.address and options.folder:
            raise SettingsError("A server's address and --folder exclude each other.", "Leave one of them out.")
        if options.address:
            console.complain(SENT.format(host=server_at(options.address).host))
        server = agree(options.address) if options.address else None
        with Library.open(place) as library:
            library.index.move(server, console.Progress().carrying)
    said = f"on {server.host}" if server else f"in {place / 'chroma'}"
    console.answer(options, {"server": server.address if server else None}, f"The index of vectors stands {said}.")
    return 0
