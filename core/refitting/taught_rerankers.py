"""Re-rankers that judgments have taught: where they lie, which one is used, what each has seen, and what may go.

They lie in the library's folder and are named from there, so that a library that was moved or renamed still has them.
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
from core.refitting.splitting import NOTHING, Seen, Split, drawn
from core.settings import CAREFUL_MODEL, FORMER_RERANKERS, PACKAGED_RERANKER

KIND = "tune"  # of the jobs that teach
FOLDER = "rerankers"  # in the library's folder
LEARNING = ".learning"  # behind the name of a model that is not finished: what it is gone on from
FILE = "lectern-taught.json"
BEFORE = f"{CAREFUL_MODEL}.before"  # a library's preference: what Careful read with before a taught one

_HERE = "library:"  # what names a folder of the library begins so
_MADE = re.compile(r"[0-9a-f]{16}(\.learning|\.part)?")


def kept_as(home: Path, model: str) -> str:
    """How a model is named by what is kept with a library: a folder within the library's by its way from there.

    >>> kept_as(Path("/library"), "cross-encoder/another")
    'cross-encoder/another'
    """
    folder, whole = Path(model).expanduser(), home.resolve()
    inside = bool(model) and folder.is_dir() and folder.resolve().is_relative_to(whole)
    return f"{_HERE}{folder.resolve().relative_to(whole).as_posix()}" if inside else model


def model_of(home: Path, kept: str) -> str:
    """The model that is kept under a name, as ``reranking.model`` has it; "" for none.

    A whole path that leads nowhere is looked for in the library: it was kept before the library was moved. A former
    name (``core.settings.FORMER_RERANKERS``) is what it means now.

    >>> model_of(Path("here"), "library:rerankers/one") == str(Path("here", "rerankers", "one"))
    True
    """
    if kept.startswith(_HERE):
        return str(home / kept.removeprefix(_HERE))
    kept = FORMER_RERANKERS.get(kept, kept)
    folder = Path(kept).expanduser()
    moved = home / FOLDER / folder.name
    return str(moved) if folder.parent.name == FOLDER and not folder.is_dir() and moved.is_dir() else kept


def careful_model(library: Library) -> str:
    """What Careful reads with, as ``reranking.model`` has it."""
    return model_of(library.home, library.preference(CAREFUL_MODEL)) or PACKAGED_RERANKER


def choose(library: Library, model: str) -> None:
    """Have Careful read with a model from now on."""
    library.set_preference(CAREFUL_MODEL, "" if model == PACKAGED_RERANKER else kept_as(library.home, model))


def take(library: Library, model: str) -> None:
    """``choose``, so that ``give_back`` goes back to what was chosen before."""
    before = careful_model(library)
    if before != model:
        library.set_preference(BEFORE, kept_as(library.home, before))
        choose(library, model)


def give_back(library: Library) -> None:
    """Have Careful read again with what it read with before ``take``."""
    choose(library, model_of(library.home, library.preference(BEFORE)) or PACKAGED_RERANKER)
    library.set_preference(BEFORE, "")


def used(library: Library, *others: str) -> frozenset[Path]:
    """The folders of models that may be asked yet: the library's, Careful's, what it may go back to, and ``others``."""
    before = model_of(library.home, library.preference(BEFORE))
    models = (library.settings.reranking.model, careful_model(library), before, *others)
    return frozenset(folder_of(model) for model in models if model)


def folder_of(model: str) -> Path:
    """Where a model lies, if it lies in a folder: the same for every way to write it."""
    return Path(model).expanduser().resolve()


def results(library: Library) -> list[str]:
    """The models that came of jobs which are not dismissed."""
    done = library.queue.jobs(-1, states=("done",), kinds=(KIND,))
    return [model_of(library.home, job.result["folder"]) for job in done if job.result and job.result.get("folder")]


def drop(library: Library, models: Iterable[str]) -> None:
    """Remove the folders of models, but for those that are used."""
    kept = used(library)
    for model in models:
        if folder_of(model) not in kept:
            shutil.rmtree(model, ignore_errors=True)


def sweep(library: Library, place: Path, present: str) -> None:
    """Remove what other teachings left: what they began, and models that neither are used nor came of a job.

    ``place``: of the model that is taught now; what it can be gone on from stays. ``present``: the one it is to better.
    """
    kept = {*used(library, present, *results(library)), place.resolve(), learning(place).resolve()}
    for found in place.parent.glob("*"):
        if _MADE.fullmatch(found.name) and found.resolve() not in kept:
            shutil.rmtree(found, ignore_errors=True)


def learning(place: Path) -> Path:
    """Where a model that is not finished learns."""
    return place.with_name(f"{place.name}{LEARNING}")


def note(halves: Split, folder: Path) -> None:
    """Keep beside the weights in ``folder`` what they were taught by and tried on."""
    sides = {"taught": halves.training, "kept_out": halves.held_out}
    with written_whole(folder / FILE) as unfinished:
        told = {name: sorted(map(drawn, side)) for name, side in sides.items()}
        unfinished.write_text(json.dumps(told) + "\n", encoding="utf-8")


def seen_by(model: str) -> Seen:
    """What a model was taught by and tried on; nothing where no one noted it. ``ModelError`` where that is damaged."""
    path = Path(model).expanduser() / FILE
    if not model or not path.is_file():
        return NOTHING
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return Seen(frozenset(map(str, told["taught"])), frozenset(map(str, told["kept_out"])))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"What the re-ranker was taught by cannot be read: {error}: {path}.",
            "Choose another re-ranker for Careful, on Settings, and teach again.",
        ) from error
