"""The language model of this process: how it is set up, and lent to the library that is open."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from weakref import WeakKeyDictionary

import streamlit as st

from core.errors import LecternError
from core.language import settings as kept
from core.language.client import Client, warm
from core.language.keys import Key, key_of
from core.language.settings import LanguageSettings
from core.library import Library
from core.storage import shelf

_lent: WeakKeyDictionary[Library, LanguageSettings] = WeakKeyDictionary()
_read: dict[Path, LanguageSettings] = {}  # what a process keeps of its file; only ``keep`` writes there


def file() -> Path:
    """Where it is kept: beside the list of libraries."""
    return shelf.shelf_file().with_name(kept.FILE)


def settings() -> LanguageSettings:
    """As it is set up now."""
    place = file()
    if place not in _read:
        _read[place] = kept.load(place)
    return _read[place]


def keep(chosen: LanguageSettings) -> None:
    """Set it up otherwise, for all windows. Raises ``SettingsError`` where it cannot be written."""
    kept.save(file(), chosen)
    _read[file()] = chosen


def key(address: str) -> Key:
    """The key for an address, of the environment, Streamlit's secrets or the keyring."""
    secrets = dict(st.secrets) if st.secrets.load_if_toml_exists() else {}
    return key_of(address, secrets)


def client(*, urgent: bool = True) -> Client | None:
    """Who asks the model; ``None`` where none is set up, or its address was not agreed to."""
    now = settings()
    return Client(now, key(now.address).value, urgent=urgent) if now.is_usable else None


def lend(library: Library) -> None:
    """Have the library's questions worded, and cuts proposed, by the model as it is set up now."""
    now = settings()
    if _lent.get(library) == now or (library not in _lent and not now.is_usable):
        return
    if now.is_usable:
        Thread(target=warm, name="lectern-warm-language", daemon=True).start()
    try:
        library.write_with(client(), client(urgent=False))
    except LecternError:
        library.write_with(None)
    _lent[library] = now


def place(chosen: LanguageSettings) -> str:
    """Where what is sent goes, for people.

    >>> place(LanguageSettings("http://localhost:1/v1")), place(LanguageSettings("https://a.example.org/v1"))
    ('this machine (localhost:1)', 'a.example.org')
    """
    return f"this machine ({chosen.host})" if chosen.is_own else chosen.host
