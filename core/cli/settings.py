"""The command ``settings``: what a library is cut and searched with, out to other programs and in again."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import fields
from pathlib import Path
from typing import Any

from core.cli import console, contract
from core.cli.options import home, language_model, open_to_read, require_library, settings_of
from core.errors import SettingsError
from core.ingest.reports import IngestReport
from core.library import Library
from core.settings import Settings


def settings(options: Namespace) -> int:
    """Print a library's settings. ``--preset``, ``--set`` and ``--from`` give it others first, which it then has.

    What they cut or encode otherwise is cut and encoded anew; nothing is done where they change nothing.
    """
    report: IngestReport | None = None
    with open_to_read(home(options)) as library:
        now = library.settings
    base = now if options.source is None else now.with_values(_values(options.source))
    wanted = settings_of(options.preset, options.values, base)
    if wanted != now:
        with Library.open(require_library(home(options))) as library:
            library.write_with(None, language_model(urgent=False))
            report = library.apply(wanted)
    default = Settings().to_dict()
    changed = {name: value for name, value in _flat(wanted.to_dict()).items() if value != _flat(default)[name]}
    console.answer(
        options,
        {
            "settings": wanted.to_dict(),
            "changed": changed,
            "applied": None if report is None else contract.ingestion(report),
        },
        "\n".join(f"{name}={_written(value)}" for name, value in changed.items()) or "all as in the preset default",
    )
    return 0 if report is None else console.exit_code(report.failures, 1)


def _values(path: Path) -> dict[str, Any]:
    """The settings in a JSON file, as this command prints them or by "stage.field"; a value by its whole name.

    Raises ``SettingsError`` where the file holds none.
    """
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SettingsError(f"{path} is not JSON ({error}).", "`settings --json` prints such a file.") from error
    row = row.get("settings", row) if isinstance(row, dict) else row
    if not isinstance(row, dict) or not row:
        raise SettingsError(f"{path} holds no settings.", "`settings --json` prints such a file.")
    return _flat(row)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Settings by stage as "stage.field".

    >>> _flat({"retrieval": {"k": 20}, "chunking.max_tokens": 64})
    {'retrieval.k': 20, 'chunking.max_tokens': 64}
    """
    stages = {item.name for item in fields(Settings())}
    return {
        name: value
        for stage, held in row.items()
        for name, value in (
            ((f"{stage}.{key}", value) for key, value in held.items())
            if stage in stages and isinstance(held, dict)
            else ((stage, held),)
        )
    }


def _written(value: Any) -> str:
    """A value as ``--set`` reads it."""
    return ",".join(value) if isinstance(value, list | tuple) else str(value)
