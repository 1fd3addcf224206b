"""The key of an endpoint: looked up where a machine keeps such things, held in memory, written down nowhere by Lectern.

The one exception is asked for by hand: the operating system's own keyring, where the package ``keyring`` is installed.
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
_SERVICE = "lectern"  # under which the keyring knows the keys, each by its address


@dataclass(frozen=True, slots=True)
class Key:
    """``value``: "" where there is none; it is in no ``repr``. ``place``: where it was found, for people."""

    value: str = field(default="", repr=False)
    place: str = ""


_secrets: list[Callable[[], Mapping[str, object]]] = []


def look_also_in(secrets: Callable[[], Mapping[str, object]]) -> None:
    """Have ``key_of`` look up the secrets of the app that runs, after the environment and before the keyring."""
    _secrets[:] = [secrets]


def key_of(address: str, names: Sequence[str] = NAMES) -> Key:
    """The key for an address: of the environment, else the app's secrets, else the keyring; an empty one for none.

    ``names``: under which environment and secrets have it.

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
        except Exception:  # a keyring that is locked or has no backend is none: each backend has errors of its own
            value = ""
        if value:
            return Key(value, "the keyring")
    return Key()


def has_keyring() -> bool:
    """Whether a key can be given to the operating system's keyring."""
    return _keyring() is not None


def keep(address: str, value: str) -> None:
    """Give a key to the keyring, "" to have it forgotten. Raises ``SettingsError`` where that is not possible."""
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
