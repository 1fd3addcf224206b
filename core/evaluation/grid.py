"""Grids of settings: every combination of given values, as named presets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from core.errors import SettingsError
from core.settings import PRESETS, Settings, preset

MOST_CELLS = 1000  # a larger grid is more likely a mistake than an experiment
_FORMAT = 'Write {"base": "default", "vary": {"chunking.max_tokens": [64, 110]}}.'


@dataclass(frozen=True, slots=True)
class Grid:
    """``presets``: valid cells by name, the last axis varying fastest. ``skipped``: (name, reason) of the others."""

    presets: Mapping[str, Settings]
    skipped: tuple[tuple[str, str], ...] = ()


def read_grid(text: str) -> Grid:
    """The grid that a JSON object describes.

    ``base``: a preset's name, by default "default". ``vary``: setting -> values. ``presets`` (optional): names of
    presets to measure together with the cells. Raises ``SettingsError`` for malformed text.

    >>> list(read_grid('{"vary": {"retrieval.fusion": ["zscore", "rrf"]}}').presets)
    ['fusion=zscore', 'fusion=rrf']
    """
    try:
        row = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"The grid is not JSON ({error}).", _FORMAT) from error
    if not isinstance(row, dict) or not isinstance(row.get("vary"), dict):
        raise SettingsError("The grid has no object named 'vary'.", _FORMAT)
    unknown = row.keys() - {"base", "vary", "presets"}
    if unknown:
        raise SettingsError(f"The grid has {', '.join(map(repr, sorted(unknown)))}, which means nothing.", _FORMAT)
    names = row.get("presets", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SettingsError("'presets' is no list of names.", f"Choose among: {', '.join(PRESETS)}.")
    cells = grid(preset(str(row.get("base", "default"))), row["vary"])
    return Grid({name: preset(name) for name in names} | dict(cells.presets), cells.skipped)


def load_grid(path: Path) -> Grid:
    """``read_grid`` of a file. Raises ``SettingsError`` with the file's name, and ``OSError``."""
    try:
        return read_grid(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8.", "Save the file as UTF-8.") from error
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object's dictionary. Raises ``ValueError`` for a duplicate key."""
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice!r} stands there twice")
    return dict(pairs)


def grid(base: Settings, vary: Mapping[str, Sequence[Any]]) -> Grid:
    """``base`` with every combination of the values in ``vary``, setting -> values.

    A value of a setting that is a list of names is a list, or a string with commas. Raises ``SettingsError`` for an
    unknown setting, one without values, a repeated value, too many cells, or a grid without a valid cell.

    >>> cells = grid(Settings(), {"chunking.max_tokens": [64, 900]})
    >>> list(cells.presets), cells.skipped[0][0]
    (['max_tokens=64'], 'max_tokens=900')
    """
    for name, values in vary.items():
        if not isinstance(values, Sequence) or isinstance(values, str) or not values:
            raise SettingsError(f"{name} has no list of values.", _FORMAT)
        if len({_shown(value) for value in values}) < len(values):
            raise SettingsError(f"{name} has a value twice.", "Name each value once.")
        base.with_value(name, base.value(name))  # raises for an unknown name
    cells = prod(map(len, vary.values()))
    if cells > MOST_CELLS:
        raise SettingsError(f"The grid has {cells:,} cells.", f"At most {MOST_CELLS:,} can be measured at once.")
    short_names = _short_names(vary)
    presets: dict[str, Settings] = {}
    cell_of: dict[Settings, str] = {}
    skipped: list[tuple[str, str]] = []
    for combination in product(*vary.values()):
        values_by_name = dict(zip(vary, combination, strict=True))
        cell = " ".join(f"{short_names[name]}={_shown(value)}" for name, value in values_by_name.items()) or "base"
        try:
            settings = base.with_values(values_by_name)
        except SettingsError as error:
            skipped.append((cell, str(error)))
            continue
        if settings in cell_of:
            raise SettingsError(f"The cells {cell_of[settings]!r} and {cell!r} are the same.", "Name each value once.")
        presets[cell] = settings
        cell_of[settings] = cell
    if not presets:
        raise SettingsError(f"No cell of the grid can be: {skipped[0][1]}", "Change its values.")
    return Grid(presets, tuple(skipped))


def _short_names(names: Mapping[str, object]) -> dict[str, str]:
    """Setting -> its field's name without the stage, where that is unique."""
    fields = [name.partition(".")[2] for name in names]
    return {name: field if fields.count(field) == 1 else name for name, field in zip(names, fields, strict=True)}


def _shown(value: Any) -> str:
    """A value as it appears in a cell's name.

    >>> _shown(0.5), _shown(["title", "heading"]), _shown([]), _shown("")
    ('0.5', 'title,heading', 'none', 'none')
    """
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text or "none"
