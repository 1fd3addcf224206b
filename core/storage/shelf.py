"""The shelf: the user's libraries, kept by name and folder in one JSON file next to the app."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from core.atomic_files import written_privately
from core.errors import LecternError, NotFoundError, StorageError
from core.language_model.settings import FILE
from core.storage.catalogue.filing.labels import fold, tidy_name
from core.storage.faults import disk_faults

_ROOT = Path(__file__).parents[2]
DEFAULT_NAME = "My library"


@dataclass(frozen=True, slots=True)
class KnownLibrary:
    """A library on the shelf. ``path``: its absolute folder, which is created when the library is first opened."""

    name: str
    path: Path


def shelf_file() -> Path:
    """The file of the shelf: ``LECTERN_SHELF``, or ``data/libraries.json`` next to the app."""
    configured = os.environ.get("LECTERN_SHELF", "").strip()
    return Path(configured).expanduser() if configured else _ROOT / "data" / "libraries.json"


def language_file() -> Path:
    """The file with the settings of endpoints and servers, next to the shelf."""
    return shelf_file().with_name(FILE)


def first_home() -> Path:
    """The folder of the default library: ``LECTERN_HOME``, or ``data/library`` next to the app."""
    configured = os.environ.get("LECTERN_HOME", "").strip()
    return _absolute(Path(configured)) if configured else _ROOT / "data" / "library"


def shelf(file: Path) -> list[KnownLibrary]:
    """All libraries: the default one, then the others in the order they were added.

    Raises ``StorageError`` for an invalid file.
    """
    libraries = _read(file)[0]
    first = first_home()
    default = next((library for library in libraries if library.path == first), None)
    others = [library for library in libraries if library.path != first]
    return [default or KnownLibrary(_name_of(first), first), *others]


def add(file: Path, name: str, path: Path) -> KnownLibrary:
    """Add a library to the shelf; its folder is created when it is opened.

    Raises ``LecternError`` for an invalid name, or a name or folder that is already on the shelf.
    """
    added = KnownLibrary(tidy_name(name, "library"), _absolute(path))
    libraries, last = _read(file)
    for library in shelf(file):
        if library.path == added.path:
            raise LecternError(
                f"The library in {path} is on the shelf already, as {library.name!r}.", "Choose it there."
            )
        _refuse_taken(library, added.name)
    _write(file, [*libraries, added], last)
    return added


def rename(file: Path, path: Path, name: str) -> None:
    """Rename a library on the shelf; its folder stays. Raises ``NotFoundError``, and ``LecternError`` as ``add``."""
    tidy, home = tidy_name(name, "library"), _absolute(path)
    libraries, last = _read(file)
    shelved = shelf(file)
    if home not in {library.path for library in shelved}:
        raise NotFoundError(f"No library in {path} is on the shelf.", "Add it first.")
    for library in shelved:
        if library.path != home:
            _refuse_taken(library, tidy)
    if home not in {library.path for library in libraries}:  # the default library, which need not be in the file
        libraries = [*libraries, KnownLibrary(tidy, home)]
    _write(file, [replace(library, name=tidy) if library.path == home else library for library in libraries], last)


def forget(file: Path, path: Path) -> None:
    """Remove a library from the shelf without touching its folder. Raises ``LecternError`` for the default library."""
    libraries, last = _read(file)
    home = _absolute(path)
    if home == first_home():
        raise LecternError(f"The library in {path} is the one Lectern starts with.", "It stays on the shelf.")
    _write(file, [library for library in libraries if library.path != home], None if last == home else last)


def use(file: Path, path: Path) -> None:
    """Record the library that was opened last."""
    _write(file, _read(file)[0], _absolute(path))


def last_used(file: Path) -> Path:
    """The folder of the library to open: ``LECTERN_HOME`` if set, else the last used one, else the default one.

    A last used library that is no longer on the shelf is ignored.
    """
    last = _read(file)[1]
    if os.environ.get("LECTERN_HOME", "").strip() or last not in {library.path for library in shelf(file)}:
        return first_home()
    return last or first_home()


def _read(file: Path) -> tuple[list[KnownLibrary], Path | None]:
    with disk_faults(file):
        try:
            text = file.read_text("utf-8")
        except FileNotFoundError:
            return [], None
        except UnicodeDecodeError:
            text = ""
    try:
        stored = json.loads(text)
        libraries = [KnownLibrary(str(row["name"]), Path(row["path"])) for row in stored["libraries"]]
        return libraries, Path(stored["last"]) if stored.get("last") else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(f"{file} is not a list of libraries.", "Mend it, or move it away.") from error


def _write(file: Path, libraries: Sequence[KnownLibrary], last: Path | None) -> None:
    rows = [{key: str(value) for key, value in asdict(library).items()} for library in libraries]
    with disk_faults(file):
        stored = {"libraries": rows, "last": str(last) if last else None}
        written_privately(file, json.dumps(stored, indent=1) + "\n")


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - Path.absolute keeps ".."


def _name_of(path: Path) -> str:
    return DEFAULT_NAME if path == _ROOT / "data" / "library" else path.name or DEFAULT_NAME


def _refuse_taken(library: KnownLibrary, name: str) -> None:
    if fold(library.name) == fold(name):
        raise LecternError(f"There is a library named {library.name!r} already.", "Choose another name.")
