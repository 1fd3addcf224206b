"""What the options of commands mean: which library, which settings."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ModelError, NotFoundError, SettingsError
from core.library import Library
from core.settings import OF_DOCUMENTS, Settings, preset
from core.storage.catalogue.sources import SourceRow, path_key

if TYPE_CHECKING:
    from core.language_model.client import Client
    from core.search.checking.model_judge import ModelJudge

DEFAULT_HOME = Path("data/library")


def home(options: Namespace) -> Path:
    """The library's folder: ``--library``, else ``LECTERN_HOME``, else ``data/library``."""
    return Path(options.library or os.environ.get("LECTERN_HOME", "").strip() or DEFAULT_HOME).expanduser()


def settings_of(name: str | None, values: list[str], base: Settings) -> Settings:
    """``base``, or the named preset, with each ``stage.field=value`` applied. Raises ``SettingsError``."""
    chosen: dict[str, str] = {}
    for item in values:
        key, mark, value = item.partition("=")
        if not mark:
            raise SettingsError(f"--set {item!r} has no '='.", "Write it as stage.field=value.")
        chosen[key.strip()] = value.strip()
    return (preset(name) if name else base).with_values(chosen)


def asked_settings(options: Namespace, base: Settings) -> Settings:
    """The settings of a question. Raises ``SettingsError`` for those that are settled when documents are stored."""
    for item in options.values:
        if item.split(".")[0] in OF_DOCUMENTS:
            raise SettingsError(
                f"--set {item} decides how documents are stored.", f"Give it to ingest, not to {options.command}."
            )
    return settings_of(options.preset, options.values, base)


def sources_named(library: Library, wanted: str) -> list[SourceRow]:
    """The sources with this name, path or number."""
    return [
        row
        for row in library.sources()
        if wanted in {str(row.id), row.name} or (row.path and path_key(row.path) == path_key(Path(wanted)))
    ]


def existing(place: Path) -> Path:
    """A command that only looks or mends must not make a library where none is."""
    if not any(os.path.exists(place / name) for name in ("catalogue.sqlite", "files")):  # noqa: PTH110 - never raises
        raise NotFoundError(f"There is no library in {place}.", "Ingest a document first, or name another folder.")
    return place


def language_model(*, urgent: bool = True) -> Client | None:
    """The language model as the app has it set up; ``None`` where it has none. Not ``urgent``: questions go before."""
    from core.language_model.client import Client
    from core.language_model.keys import key_of
    from core.language_model.settings import load
    from core.storage.shelf import language_file

    now = load(language_file())
    return Client(now, key_of(now.address).value, urgent=urgent) if now.is_usable else None


def needed_model(option: str) -> Client:
    """The language model as the app has it set up, for an option that wants one."""
    found = language_model()
    if found is None:
        raise ModelError("No language model is set up.", f"Choose one on the Settings page, or leave {option} out.")
    return found


def model_judge(writer: Client | None) -> ModelJudge | None:
    """The model as judge of what sentences mean, our own instead where it fails; ``None`` where that was not wished."""
    from core.search.checking.library_check import packaged_judge
    from core.search.checking.model_judge import ModelJudge

    return ModelJudge(writer.complete, packaged_judge) if writer and writer.settings.judges else None


def reading(place: Path) -> Library:
    """The library without the writer's lock, so that it answers beside an app that holds it."""
    return Library.open(existing(place), write=False)
