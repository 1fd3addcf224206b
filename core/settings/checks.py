"""How a dial is declared with what it may be, and checked against that."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field, fields
from typing import Any

from core.errors import SettingsError


def dial(default: Any, low: float | None = None, high: float | None = None, *, among: Collection[str] = ()) -> Any:
    """The field of a dataclass whose value, or each of its values, is ``among`` others, or from ``low`` to ``high``."""
    return field(default=default, metadata={"low": low, "high": high, "among": among})


def check(stage: str, settings: Any) -> None:
    """Raises ``SettingsError`` for a value that is outside what its dial was declared with."""
    for one in fields(settings):
        name, value = f"{stage}.{one.name}", getattr(settings, one.name)
        among, high = one.metadata.get("among", ()), one.metadata.get("high")
        for item in (value if isinstance(value, tuple) else (value,)) if among else ():
            if item not in among:
                raise SettingsError(f"{name} is {item!r}.", f"Choose one of: {', '.join(among)}.")
        if high is not None:
            within(name, value, one.metadata["low"], high)


def within(name: str, value: float, low: float, high: float) -> None:
    """Raises ``SettingsError`` unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise SettingsError(f"{name} is {value}.", f"Choose a value from {low:g} to {high:g}.")
