"""How a dial is checked."""

from __future__ import annotations

from core.errors import SettingsError


def within(name: str, value: float, low: float, high: float) -> None:
    """Raises ``SettingsError`` unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise SettingsError(f"{name} is {value}.", f"Choose a value from {low:g} to {high:g}.")


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raises ``SettingsError`` unless the value is among ``allowed``."""
    if value not in allowed:
        raise SettingsError(f"{name} is {value!r}.", f"Choose one of: {', '.join(allowed)}.")
