"""The API key of an endpoint: read from the environment, the app's secrets or the keyring, and kept in memory.

Lectern writes a key only at the user's request, and only to the operating system's keyring (package ``keyring``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import Any

from core.errors import SettingsError

NAMES = ("LECTERN_API_KEY", "OPENAI_API_KEY")
_SERVICE = "lectern"  # service name in the keyring; the user name is the address


@dataclass(frozen=True, slots=True)
class Key:
    """An API key. ``value``: "" for none; not in the ``repr``. ``place``: where it was found, in words."""

    value: str = field(default="", repr=False)
    place: str = ""


_secrets: list[Callable[[], Mapping[str, object]]] = []


def look_also_in(secrets: Callable[[], Mapping[str, object]]) -> None:
    """Make ``key_of`` also look in the app's secrets, after the environment and before the keyring."""
    _secrets[:] = [secrets]


def key_of(address: str, names: Sequence[str] = NAMES) -> Key:
    """The key for an address, from the environment, else the app's secrets, else the keyring; an empty one for none.

    ``names``: of the variable or secret.

    >>> look_also_in(lambda: {"OPENAI_API_KEY": "k"})
    >>> key_of("").place if not any(map(os.environ.get, NAMES)) else "the app's secrets"
    "the app's secrets"
    >>> look_also_in(dict)
    """
    for name in names:
        if value := os.environ.get(name, "").strip():
            return Key(value, f"the environment, {name}")
    for name, secrets in product(names, _secrets):
        if value := str(secrets().get(name) or "").strip():
            return Key(value, "the app's secrets")
    ring = _keyring()
    if ring is not None and address:
        try:
            value = ring.get_password(_SERVICE, address) or ""
        except Exception:  # locked or without a backend; each backend raises other errors
            value = ""
        if value:
            return Key(value, "the keyring")
    return Key()


def has_keyring() -> bool:
    """Whether the package ``keyring`` is installed."""
    return _keyring() is not None


def keep(address: str, value: str) -> None:
    """Store a key in the keyring, or delete it with "". Raises ``SettingsError`` where that fails."""
    ring = _keyring()
    try:
        if ring is None:
            raise RuntimeError("there is none")
        if value:
            ring.set_password(_SERVICE, address, value)
        elif ring.get_password(_SERVICE, address):
            ring.delete_password(_SERVICE, address)
    except Exception as error:
        raise SettingsError(
            "The keyring of this machine did not take the key.", f"Set {NAMES[0]} before Lectern is started."
        ) from error


def _keyring() -> Any:
    return import_module("keyring") if find_spec("keyring") else None
