"""The meaning of common options: the library, its settings, sources, the language model."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ModelError, NotFoundError, SettingsError
from core.library import Library
from core.settings import OF_DOCUMENTS, Settings, preset
from core.storage.catalogue.filing.sources import SourceRow, path_key

if TYPE_CHECKING:
    from core.language_model.client import Client
    from core.search.checking.model_judge import ModelJudge

DEFAULT_HOME = Path("data/library")


def home(options: Namespace) -> Path:
    """The library's folder: ``--library``, else ``LECTERN_HOME``, else ``data/library``."""
    return Path(options.library or os.environ.get("LECTERN_HOME", "").strip() or DEFAULT_HOME).expanduser()


def settings_of(name: str | None, values: list[str], base: Settings) -> Settings:
    """The named preset, or ``base``, with each "stage.field=value" of ``values`` applied. Raises ``SettingsError``."""
    changes: dict[str, str] = {}
    for item in values:
        key, separator, value = item.partition("=")
        if not separator:
            raise SettingsError(f"--set {item!r} has no '='.", "Write it as stage.field=value.")
        changes[key.strip()] = value.strip()
    return (preset(name) if name else base).with_values(changes)


def asked_settings(options: Namespace, base: Settings) -> Settings:
    """``settings_of`` for a question. Raises ``SettingsError`` for settings that apply to documents."""
    for item in options.values:
        if item.split(".")[0] in OF_DOCUMENTS:
            raise SettingsError(
                f"--set {item} decides how documents are stored.", f"Give it to ingest, not to {options.command}."
            )
    return settings_of(options.preset, options.values, base)


def sources_named(library: Library, name: str) -> list[SourceRow]:
    """The sources with this name, path or number; else the only one whose file is called so, in whatever folder."""
    rows = library.sources()
    named = [
        row
        for row in rows
        if name in {str(row.id), row.name} or (row.path and path_key(row.path) == path_key(Path(name)))
    ]
    called_so = [] if named else [row for row in rows if Path(row.name).name == name]
    return named or (called_so if len(called_so) == 1 else [])


def require_library(folder: Path) -> Path:
    """The folder, if it has a library. Raises ``NotFoundError`` where opening it would create one."""
    if not any(os.path.exists(folder / name) for name in ("catalogue.sqlite", "files")):  # noqa: PTH110 - never raises
        raise NotFoundError(f"There is no library in {folder}.", "Ingest a document first, or name another folder.")
    return folder


def language_model(*, urgent: bool = True) -> Client | None:
    """The language model that is set up in the app, ``None`` for none. Not ``urgent``: questions take precedence."""
    from core.language_model.client import Client
    from core.language_model.keys import key_of
    from core.language_model.settings import load
    from core.storage.shelf import language_file

    settings = load(language_file())
    return Client(settings, key_of(settings.address).value, urgent=urgent) if settings.is_usable else None


def needed_model(option: str) -> Client:
    """The language model for an option that needs one. Raises ``ModelError`` where none is set up."""
    model = language_model()
    if model is None:
        raise ModelError("No language model is set up.", f"Choose one on the Settings page, or leave {option} out.")
    return model


def model_judge(writer: Client | None) -> ModelJudge | None:
    """The model as the judge of claims, with the packaged judge as fallback; ``None`` where that is not set up."""
    from core.search.checking.library_check import packaged_judge
    from core.search.checking.model_judge import ModelJudge

    return ModelJudge(writer.complete, packaged_judge) if writer and writer.settings.judges else None


def open_to_read(folder: Path) -> Library:
    """The library, read-only: without the writer's lock, which the app may hold."""
    return Library.open(require_library(folder), write=False)
