"""Declares the fields of settings with their allowed values, and checks them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field, fields
from typing import Any

from core.errors import SettingsError


def dial(default: Any, low: float | None = None, high: float | None = None, *, among: Collection[str] = ()) -> Any:
    """A dataclass field with its allowed values.

    ``among``: the value, or each item of a tuple, must be one of these. ``low``, ``high``: inclusive bounds.
    """
    return field(default=default, metadata={"low": low, "high": high, "among": among})


def check(stage: str, settings: Any) -> None:
    """Raise ``SettingsError`` for the first field whose value is not allowed. ``stage``: its name, for the message."""
    for declared in fields(settings):
        name, value = f"{stage}.{declared.name}", getattr(settings, declared.name)
        among, high = declared.metadata.get("among", ()), declared.metadata.get("high")
        for item in (value if isinstance(value, tuple) else (value,)) if among else ():
            if item not in among:
                raise SettingsError(f"{name} is {item!r}.", f"Choose one of: {', '.join(among)}.")
        if high is not None:
            within(name, value, declared.metadata["low"], high)


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise ``SettingsError`` unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise SettingsError(f"{name} is {value}.", f"Choose a value from {low:g} to {high:g}.")
