"""How a dial is checked, and how settings are named by a hash."""

from __future__ import annotations

import hashlib
import json

from core.errors import SettingsError


def fingerprint_of(value: object) -> str:
    """Sixteen hex digits of the SHA-256 of the value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def within(name: str, value: float, low: float, high: float) -> None:
    """Raises ``SettingsError`` unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise SettingsError(f"{name} is {value}.", f"Choose a value from {low:g} to {high:g}.")


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raises ``SettingsError`` unless the value is among ``allowed``."""
    if value not in allowed:
        raise SettingsError(f"{name} is {value!r}.", f"Choose one of: {', '.join(allowed)}.")
