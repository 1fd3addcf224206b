"""Export and import of a whole library as one ZIP file: originals, catalogue and, optionally, vectors.

A manifest lists every file with its size and SHA-256. On import all files are checked against it before anything is
written, and only file names that a library can have are accepted, so that nothing is written outside its folder.
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
from core.storage.backups import REBUILD_PROJECTION, checked_copy
from core.storage.connections import CATALOGUE, open_reader
from core.storage.faults import catalogue_faults, disk_faults
from core.storage.files import FileStore
from core.storage.schema.migrations import applied, migrate
from core.storage.schema.steps import MIGRATIONS, NO_VECTOR
from core.storage.store import WANTED

_MANIFEST = "manifest.json"
_FORMAT = 1
_NAME = re.compile(rf"{re.escape(CATALOGUE)}|files/[0-9a-f]{{2}}/[0-9a-f]{{62}}")
_MAX_MANIFEST_BYTES = 256 << 20
_BAD_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, KeyError, TypeError, AttributeError)
_REMEDY = "Nothing was written. Make the archive anew, or choose another one."
# Leaves without a vector are found by lexical search only, until settings are next applied and they are encoded.
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
    "DELETE FROM meta WHERE key IN ('chroma_server', 'projection_half')",  # the importing user has not agreed to it
)


def archive(home: Path, target: Path, *, vectors: bool = True) -> int:
    """Export the library in ``home``, which may be in use, to the ZIP file ``target``; return the number of originals.

    ``vectors``: include them. Jobs, backups, caches and benchmark reports are left out. Needs temporary space of twice
    the catalogue's size next to ``target``. Raises ``StorageError`` for a damaged original, an existing ``target`` or
    a failing disk.
    """
    if target.exists():
        raise StorageError(f"{target} is there already.", "Choose another name.")
    files = FileStore(home / "files", writable=False)
    with (
        disk_faults(target),
        written_whole(target) as temporary,
        TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder,
    ):
        copy, compacted = Path(folder, "copy"), Path(folder, CATALOGUE)
        with catalogue_faults(home), closing(open_reader(home / CATALOGUE)) as source:
            checked_copy(source, copy, home)
        with catalogue_faults(target.parent), closing(sqlite3.connect(copy, isolation_level=None)) as catalogue:
            migrate(catalogue, home)
            for statement in (*_LEFT_OUT, *(() if vectors else _WITHOUT_VECTORS), *REBUILD_PROJECTION):
                catalogue.execute(statement)
            steps = applied(catalogue)
            originals = sorted(content_hash for (content_hash,) in catalogue.execute(WANTED))
            catalogue.execute("VACUUM INTO ?", (str(compacted),))  # a plain VACUUM needs the system's temporary folder
        for content_hash in originals:
            if fault := files.fault(content_hash):
                raise StorageError(f"{fault} ({content_hash[:12]})", "Run verify on the library first.")
        # ``fault`` has just checked that every original has the hash it is named by.
        entries = [(f"files/{one[:2]}/{one[2:]}", files.path(one), one) for one in originals]
        entries.insert(0, (CATALOGUE, compacted, files.hash_of(compacted)))
        listed = {name: [path.stat().st_size, sha256] for name, path, sha256 in entries}
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr(_MANIFEST, json.dumps({"format": _FORMAT, "schema": steps, "files": listed}, indent=0))
            for name, path, _ in entries:
                out.write(path, name)
    return len(originals)


def unarchive(source: Path, home: Path) -> int:
    """Import the archive ``source`` as a library in ``home``, a new or empty folder; return the number of originals.

    Raises ``StorageError``, and writes nothing, if ``source`` is no archive, damaged or from a newer Lectern, if the
    disk is full, or if ``home`` is not empty.
    """
    home = home.expanduser().absolute()
    with disk_faults(home):
        if home.exists() and (not home.is_dir() or any(home.iterdir())):
            raise StorageError(f"{home} is not empty.", "Choose a new folder.")
    with _opened(source) as packed:
        names = _verified(source, packed, home)
        with disk_faults(home):
            home.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=home.parent, prefix=f".{home.name}.") as folder:
                unpacked = Path(folder, "library")
                for name in names:
                    path = unpacked / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with packed.open(name) as stream, path.open("wb") as out:
                        shutil.copyfileobj(stream, out, 1 << 20)
                with catalogue_faults(home), closing(open_reader(unpacked / CATALOGUE)) as reader:
                    sound = reader.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
                    if not sound or reader.execute("PRAGMA foreign_key_check").fetchone():
                        raise StorageError(f"The catalogue in {source} is damaged.", _REMEDY)
                if home.exists():
                    home.rmdir()
                unpacked.replace(home)
    return len(names) - 1


def _verified(source: Path, packed: zipfile.ZipFile, home: Path) -> list[str]:
    """The names of the archived files, all checked against the manifest. Raises ``StorageError`` for a mismatch."""
    with packed.open(_MANIFEST) as stream:
        manifest = json.loads(stream.read(_MAX_MANIFEST_BYTES))
    if not isinstance(manifest.get("format"), int) or manifest["format"] > _FORMAT:
        raise StorageError(f"{source} was written by a newer Lectern.", "Update Lectern.")
    known = [name for name, _ in MIGRATIONS]
    if manifest["schema"] != known[: len(manifest["schema"])]:
        raise StorageError(f"The catalogue in {source} is a newer Lectern's.", "Update Lectern.")
    listed: dict[str, list[object]] = manifest["files"]
    if sorted(packed.namelist()) != sorted([_MANIFEST, *listed]) or CATALOGUE not in listed:
        raise StorageError(f"{source} holds other files than it tells of.", _REMEDY)
    compressions = {info.compress_type for info in packed.infolist()}
    if compressions - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise StorageError(f"{source} is packed in a way that Lectern does not unpack.", _REMEDY)
    if foreign := next((name for name in listed if not _NAME.fullmatch(name)), None):
        raise StorageError(f"{source} holds {foreign!r}, which no library has.", _REMEDY)
    existing_parent = next(parent for parent in home.parents if parent.exists())
    if sum(info.file_size for info in packed.infolist()) > shutil.disk_usage(existing_parent).free:
        raise StorageError(f"There is no room for {source} beside {home}.", "Free some space on its disk.")
    for name, (size, sha256) in listed.items():
        with packed.open(name) as stream:
            digest = hashlib.sha256()
            while piece := stream.read(1 << 20):
                digest.update(piece)
        hash_in_name = name.removeprefix("files/").replace("/", "") if name != CATALOGUE else sha256
        if packed.getinfo(name).file_size != size or not digest.hexdigest() == sha256 == hash_in_name:
            raise StorageError(f"{name} in {source} is not as it was packed.", _REMEDY)
    return list(listed)


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with disk_faults(source), zipfile.ZipFile(source) as packed:
            yield packed
    except _BAD_ARCHIVE as error:
        raise StorageError(f"{source} is no archive of a library: {error}.", _REMEDY) from error
