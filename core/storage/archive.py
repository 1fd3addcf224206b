"""A whole library as one ZIP file, out and in: originals, catalogue and, by choice, vectors, each with its hash.

The manifest names every file with its size and SHA-256. What comes in is held against it before a byte is written, and
no name is taken but those a library has, so that nothing lands beside it.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from core.atomic_files import written_whole
from core.errors import StorageError
from core.storage.backups import PROJECTED_ANEW, sound_copy
from core.storage.connections import CATALOGUE, open_reader
from core.storage.faults import catalogue_faults, disk_faults
from core.storage.files import FileStore
from core.storage.schema.migrations import applied, migrate
from core.storage.schema.steps import MIGRATIONS, NO_VECTOR
from core.storage.store import WANTED

_MANIFEST = "manifest.json"
_FORMAT = 1
_NAME = re.compile(rf"{re.escape(CATALOGUE)}|files/[0-9a-f]{{2}}/[0-9a-f]{{62}}")
_MOST_MANIFEST = 256 << 20
_NO_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, KeyError, TypeError, AttributeError)
_REMEDY = "Nothing was written. Make the archive anew, or choose another one."
# A leaf without its vector is found by its words, and encoded with the next applied settings.
_WITHOUT_VECTORS = (
    "DELETE FROM alias",
    f"UPDATE chunk SET vector = (SELECT number FROM vector WHERE key = '{NO_VECTOR}') WHERE vector IS NOT NULL",
    f"DELETE FROM vector WHERE key <> '{NO_VECTOR}'",
)
_LEFT_OUT = (
    "DELETE FROM job_item",
    "DELETE FROM job",
    "DELETE FROM logged_question",
    "DELETE FROM outbox",
    "DELETE FROM meta WHERE key IN ('chroma_server', 'projection_half')",  # who takes it in may not ask that server
)


def archive(home: Path, target: Path, *, vectors: bool = True) -> int:
    """Write the library in ``home``, which may be in use, to ``target`` and return how many originals are in it.

    Jobs, backups, caches and reports of benchmarks stay out. While it works it takes twice the catalogue's room beside
    ``target``. Raises ``StorageError`` for an original that is not as it was stored, for a target that is there
    already, and where the disk fails.
    """
    if target.exists():
        raise StorageError(f"{target} is there already.", "Choose another name.")
    files = FileStore(home / "files", writable=False)
    with (
        disk_faults(target),
        written_whole(target) as unfinished,
        TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder,
    ):
        copy, packed = Path(folder, "copy"), Path(folder, CATALOGUE)
        with catalogue_faults(home), closing(open_reader(home / CATALOGUE)) as source:
            sound_copy(source, copy, home)
        with catalogue_faults(target.parent), closing(sqlite3.connect(copy, isolation_level=None)) as catalogue:
            migrate(catalogue, home)
            for statement in (*_LEFT_OUT, *(() if vectors else _WITHOUT_VECTORS), *PROJECTED_ANEW):
                catalogue.execute(statement)
            steps = applied(catalogue)
            wanted = sorted(name for (name,) in catalogue.execute(WANTED))
            catalogue.execute("VACUUM INTO ?", (str(packed),))  # in place it would need the system's temporary folder
        held = {CATALOGUE: packed, **{f"files/{one[:2]}/{one[2:]}": files.path(one) for one in wanted}}
        for one in wanted:
            if fault := files.fault(one):
                raise StorageError(f"{fault} ({one[:12]})", "Run verify on the library first.")
        # An original's hash was just seen to be its name.
        hashes = {CATALOGUE: files.hash_of(packed), **{f"files/{one[:2]}/{one[2:]}": one for one in wanted}}
        told = {name: [path.stat().st_size, hashes[name]] for name, path in held.items()}
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr(_MANIFEST, json.dumps({"format": _FORMAT, "schema": steps, "files": told}, indent=0))
            for name, path in held.items():
                out.write(path, name)
    return len(wanted)


def unarchive(source: Path, home: Path) -> int:
    """Make a library of an archive in ``home``, a new or empty folder, and return how many originals it has.

    Raises ``StorageError``, and writes nothing, for what is no archive, is damaged, is of a newer Lectern or finds no
    room; and where ``home`` holds something.
    """
    home = home.expanduser().absolute()
    with disk_faults(home):
        if home.exists() and (not home.is_dir() or any(home.iterdir())):
            raise StorageError(f"{home} is not empty.", "Choose a new folder.")
    with _opened(source) as packed:
        told = _verified(source, packed, home)
        with disk_faults(home):
            home.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=home.parent, prefix=f".{home.name}.") as folder:
                unfinished = Path(folder, "library")
                for name in told:
                    place = unfinished / name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with packed.open(name) as stream, place.open("wb") as out:
                        shutil.copyfileobj(stream, out, 1 << 20)
                with catalogue_faults(home), closing(open_reader(unfinished / CATALOGUE)) as reader:
                    sound = reader.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
                    if not sound or reader.execute("PRAGMA foreign_key_check").fetchone():
                        raise StorageError(f"The catalogue in {source} is damaged.", _REMEDY)
                if home.exists():
                    home.rmdir()
                unfinished.replace(home)
    return len(told) - 1


def _verified(source: Path, packed: zipfile.ZipFile, home: Path) -> dict[str, list[object]]:
    """What the manifest tells of the files, all of it seen to be so."""
    with packed.open(_MANIFEST) as stream:
        manifest = json.loads(stream.read(_MOST_MANIFEST))
    if not isinstance(manifest.get("format"), int) or manifest["format"] > _FORMAT:
        raise StorageError(f"{source} was written by a newer Lectern.", "Update Lectern.")
    known = [name for name, _ in MIGRATIONS]
    if manifest["schema"] != known[: len(manifest["schema"])]:
        raise StorageError(f"The catalogue in {source} is a newer Lectern's.", "Update Lectern.")
    told: dict[str, list[object]] = manifest["files"]
    if sorted(packed.namelist()) != sorted([_MANIFEST, *told]) or CATALOGUE not in told:
        raise StorageError(f"{source} holds other files than it tells of.", _REMEDY)
    packings = {info.compress_type for info in packed.infolist()}
    if packings - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise StorageError(f"{source} is packed in a way that Lectern does not unpack.", _REMEDY)
    if strange := next((name for name in told if not _NAME.fullmatch(name)), None):
        raise StorageError(f"{source} holds {strange!r}, which no library has.", _REMEDY)
    beside = next(above for above in home.parents if above.exists())
    if sum(info.file_size for info in packed.infolist()) > shutil.disk_usage(beside).free:
        raise StorageError(f"There is no room for {source} beside {home}.", "Free some space on its disk.")
    for name, (size, sha256) in told.items():
        with packed.open(name) as stream:
            digest = hashlib.sha256()
            while piece := stream.read(1 << 20):
                digest.update(piece)
        named = name.removeprefix("files/").replace("/", "") if name != CATALOGUE else sha256
        if packed.getinfo(name).file_size != size or not digest.hexdigest() == sha256 == named:
            raise StorageError(f"{name} in {source} is not as it was packed.", _REMEDY)
    return told


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with disk_faults(source), zipfile.ZipFile(source) as packed:
            yield packed
    except _NO_ARCHIVE as error:
        raise StorageError(f"{source} is no archive of a library: {error}.", _REMEDY) from error
