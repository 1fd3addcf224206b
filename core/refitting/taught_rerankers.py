"""Fine-tuned re-rankers on disk: which one is used, what each was trained on, and which may be removed.

They are stored in the library's folder and named relative to it, so that a library that is moved keeps them.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from core.atomic_files import written_whole
from core.errors import ModelError
from core.library import Library
from core.refitting.splitting import NOTHING, Seen, Split, question_hash
from core.settings import CAREFUL_MODEL, FORMER_RERANKERS, PACKAGED_RERANKER

KIND = "tune"  # kind of the jobs that fine-tune
FOLDER = "rerankers"  # in the library's folder
LEARNING = ".learning"  # suffix of the folder of an unfinished model, which training resumes from
FILE = "lectern-taught.json"
BEFORE = f"{CAREFUL_MODEL}.before"  # a library's preference: Careful's model before a fine-tuned one replaced it

_LIBRARY_PREFIX = "library:"  # prefix of stored names that are relative to the library's folder
_MODEL_FOLDER = re.compile(r"[0-9a-f]{16}(\.learning|\.part)?")


def stored_name(home: Path, model: str) -> str:
    """The name under which a library stores a model: relative to ``home`` for a folder inside it, else unchanged.

    >>> stored_name(Path("/library"), "cross-encoder/another")
    'cross-encoder/another'
    """
    folder, root = Path(model).expanduser(), home.resolve()
    is_inside = bool(model) and folder.is_dir() and folder.resolve().is_relative_to(root)
    return f"{_LIBRARY_PREFIX}{folder.resolve().relative_to(root).as_posix()}" if is_inside else model


def model_of(home: Path, stored: str) -> str:
    """The value of ``reranking.model`` for a stored name; "" for none.

    An absolute path that does not exist is looked for in the library, which may have been moved since. Former names
    (``core.settings.FORMER_RERANKERS``) are replaced by the present ones.

    >>> model_of(Path("here"), "library:rerankers/one") == str(Path("here", "rerankers", "one"))
    True
    """
    if stored.startswith(_LIBRARY_PREFIX):
        return str(home / stored.removeprefix(_LIBRARY_PREFIX))
    stored = FORMER_RERANKERS.get(stored, stored)
    folder = Path(stored).expanduser()
    moved = home / FOLDER / folder.name
    return str(moved) if folder.parent.name == FOLDER and not folder.is_dir() and moved.is_dir() else stored


def careful_model(library: Library) -> str:
    """The re-ranker of the preset Careful, as a value of ``reranking.model``."""
    return model_of(library.home, library.preference(CAREFUL_MODEL)) or PACKAGED_RERANKER


def choose(library: Library, model: str) -> None:
    """Make ``model`` the re-ranker of Careful."""
    library.set_preference(CAREFUL_MODEL, "" if model == PACKAGED_RERANKER else stored_name(library.home, model))


def take(library: Library, model: str) -> None:
    """``choose`` a model and remember the one before, for ``give_back``."""
    before = careful_model(library)
    if before != model:
        library.set_preference(BEFORE, stored_name(library.home, before))
        choose(library, model)


def give_back(library: Library) -> None:
    """Make the re-ranker before ``take`` that of Careful again."""
    choose(library, model_of(library.home, library.preference(BEFORE)) or PACKAGED_RERANKER)
    library.set_preference(BEFORE, "")


def folders_in_use(library: Library, *others: str) -> frozenset[Path]:
    """The folders of the models that must not be removed.

    They are the library's, Careful's, the one that ``give_back`` would restore, and ``others``.
    """
    before = model_of(library.home, library.preference(BEFORE))
    models = (library.settings.reranking.model, careful_model(library), before, *others)
    return frozenset(folder_of(model) for model in models if model)


def folder_of(model: str) -> Path:
    """The resolved path of a model, which identifies it if it is a folder."""
    return Path(model).expanduser().resolve()


def results(library: Library) -> list[str]:
    """The models made by jobs that are still listed."""
    done = library.queue.jobs(-1, states=("done",), kinds=(KIND,))
    return [model_of(library.home, job.result["folder"]) for job in done if job.result and job.result.get("folder")]


def drop(library: Library, models: Iterable[str]) -> None:
    """Remove the folders of models that are not in use."""
    in_use = folders_in_use(library)
    for model in models:
        if folder_of(model) not in in_use:
            shutil.rmtree(model, ignore_errors=True)


def sweep(library: Library, place: Path, present: str) -> None:
    """Remove the models of earlier trainings, finished or not, that are neither in use nor the result of a job.

    ``place``: the folder of the model to be trained now; its unfinished state is kept. ``present``: the model in use.
    """
    in_use = {*folders_in_use(library, present, *results(library)), place.resolve(), work_folder(place).resolve()}
    for folder in place.parent.glob("*"):
        if _MODEL_FOLDER.fullmatch(folder.name) and folder.resolve() not in in_use:
            shutil.rmtree(folder, ignore_errors=True)


def work_folder(place: Path) -> Path:
    """The folder for the unfinished state of the model at ``place``."""
    return place.with_name(f"{place.name}{LEARNING}")


def write_seen(halves: Split, folder: Path) -> None:
    """Store in the model's ``folder`` which questions it was trained on and validated on."""
    sides = {"taught": halves.training, "kept_out": halves.held_out}
    with written_whole(folder / FILE) as unfinished:
        hashes = {name: sorted(map(question_hash, side)) for name, side in sides.items()}
        unfinished.write_text(json.dumps(hashes) + "\n", encoding="utf-8")


def seen_by(model: str) -> Seen:
    """The questions a model was trained on and validated on; ``NOTHING`` for a model without such a file.

    Raises ``ModelError`` where the file is damaged.
    """
    path = Path(model).expanduser() / FILE
    if not model or not path.is_file():
        return NOTHING
    try:
        hashes = json.loads(path.read_text(encoding="utf-8"))
        return Seen(frozenset(map(str, hashes["taught"])), frozenset(map(str, hashes["kept_out"])))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"What the re-ranker was taught by cannot be read: {error}: {path}.",
            "Choose another re-ranker for Careful, on Settings, and teach again.",
        ) from error
