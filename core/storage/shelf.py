"""The libraries a person has: names and folders in one small JSON file beside the app."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from core.atomic_files import written_privately
from core.errors import LecternError, NotFoundError, StorageError
from core.language_model.settings import FILE
from core.storage.catalogue.labels import fold, tidy_name
from core.storage.faults import disk_faults

_ROOT = Path(__file__).parents[2]
DEFAULT_NAME = "My library"


@dataclass(frozen=True, slots=True)
class KnownLibrary:
    """A library by name. ``path``: its folder, absolute; there may be none yet: it is made when it is opened."""

    name: str
    path: Path


def shelf_file() -> Path:
    """Where the shelf is kept: ``LECTERN_SHELF``, else ``data/libraries.json`` beside the app."""
    named = os.environ.get("LECTERN_SHELF", "").strip()
    return Path(named).expanduser() if named else _ROOT / "data" / "libraries.json"


def language_file() -> Path:
    """Where it is kept which endpoints and servers are asked: beside the list of libraries."""
    return shelf_file().with_name(FILE)


def first_home() -> Path:
    """The library that is always there: ``LECTERN_HOME``, else ``data/library`` beside the app."""
    named = os.environ.get("LECTERN_HOME", "").strip()
    return _absolute(Path(named)) if named else _ROOT / "data" / "library"


def shelf(file: Path) -> list[KnownLibrary]:
    """The libraries, ``first_home`` before the others in the order they were added.

    Raises ``StorageError`` for a file that is no shelf.
    """
    libraries = _read(file)[0]
    first = first_home()
    own = next((known for known in libraries if known.path == first), None)
    return [own or KnownLibrary(_name_of(first), first), *(known for known in libraries if known.path != first)]


def add(file: Path, name: str, path: Path) -> KnownLibrary:
    """Put a library on the shelf; its folder is made when it is opened.

    Raises ``LecternError`` for a name or a folder that is on it already, and for an unfit name.
    """
    added = KnownLibrary(tidy_name(name, "library"), _absolute(path))
    libraries, last = _read(file)
    for known in shelf(file):
        if known.path == added.path:
            raise LecternError(f"The library in {path} is on the shelf already, as {known.name!r}.", "Choose it there.")
        _refuse_taken(known, added.name)
    _write(file, [*libraries, added], last)
    return added


def rename(file: Path, path: Path, name: str) -> None:
    """Give a library of the shelf another name; its folder stays. Raises as ``add``, ``NotFoundError``."""
    tidy, place = tidy_name(name, "library"), _absolute(path)
    libraries, last = _read(file)
    there = shelf(file)
    if place not in {known.path for known in there}:
        raise NotFoundError(f"No library in {path} is on the shelf.", "Add it first.")
    for known in there:
        if known.path != place:
            _refuse_taken(known, tidy)
    if place not in {known.path for known in libraries}:  # the first one, which stands there without being written
        libraries = [*libraries, KnownLibrary(tidy, place)]
    _write(file, [replace(known, name=tidy) if known.path == place else known for known in libraries], last)


def forget(file: Path, path: Path) -> None:
    """Take a library off the shelf; nothing in its folder is touched. The first one cannot be forgotten."""
    libraries, last = _read(file)
    place = _absolute(path)
    if place == first_home():
        raise LecternError(f"The library in {path} is the one Lectern starts with.", "It stays on the shelf.")
    _write(file, [known for known in libraries if known.path != place], None if last == place else last)


def use(file: Path, path: Path) -> None:
    """Note which library was opened last."""
    _write(file, _read(file)[0], _absolute(path))


def last_used(file: Path) -> Path:
    """The folder of the library to open: the last used one where it is still on the shelf, else ``first_home``.

    ``LECTERN_HOME``, where it is set, is always the one.
    """
    last = _read(file)[1]
    if os.environ.get("LECTERN_HOME", "").strip() or last not in {known.path for known in shelf(file)}:
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
        libraries = [KnownLibrary(str(known["name"]), Path(known["path"])) for known in stored["libraries"]]
        return libraries, Path(stored["last"]) if stored.get("last") else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(f"{file} is not a list of libraries.", "Mend it, or move it away.") from error


def _write(file: Path, libraries: Sequence[KnownLibrary], last: Path | None) -> None:
    """The whole file or nothing: a crash leaves the old one."""
    plain = [{key: str(value) for key, value in asdict(known).items()} for known in libraries]
    with disk_faults(file):
        stored = {"libraries": plain, "last": str(last) if last else None}
        written_privately(file, json.dumps(stored, indent=1) + "\n")


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - Path.absolute keeps ".."


def _name_of(path: Path) -> str:
    return DEFAULT_NAME if path == _ROOT / "data" / "library" else path.name or DEFAULT_NAME


def _refuse_taken(known: KnownLibrary, name: str) -> None:
    if fold(known.name) == fold(name):
        raise LecternError(f"There is a library named {known.name!r} already.", "Choose another name.")
