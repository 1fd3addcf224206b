"""The language model of this process: how it is set up, and lent to the library that is open."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from weakref import WeakKeyDictionary

import streamlit as st

from core.errors import LecternError
from core.language_model import keys
from core.language_model import settings as kept
from core.language_model.client import Client, warm
from core.language_model.settings import LanguageSettings
from core.library import Library
from core.search.checking.checking import Judge
from core.search.checking.library_check import packaged_judge
from core.search.checking.model_judge import ModelJudge
from core.storage.index.server import Server
from core.storage.shelf import language_file
from pages.ui.shared.words import escaped

_lent: WeakKeyDictionary[Library, LanguageSettings] = WeakKeyDictionary()
_read: dict[Path, LanguageSettings] = {}  # what a process keeps of its file; only ``keep`` writes there


keys.look_also_in(lambda: dict(st.secrets) if st.secrets.load_if_toml_exists() else {})


def settings() -> LanguageSettings:
    """As it is set up now."""
    place = language_file()
    if place not in _read:
        _read[place] = kept.load(place)
    return _read[place]


def keep(chosen: LanguageSettings) -> None:
    """Set it up otherwise, for all windows. Raises ``SettingsError`` where it cannot be written."""
    kept.save(language_file(), chosen)
    _read[language_file()] = chosen


def client(*, urgent: bool = True) -> Client | None:
    """Who asks the model; ``None`` where none is set up, or its address was not agreed to."""
    now = settings()
    return Client(now, keys.key_of(now.address).value, urgent=urgent) if now.is_usable else None


def judge(stop: Event) -> Judge:
    """Who tells what sentences mean when they are checked, until ``stop`` is set: the model where that was wished."""
    writer = client() if settings().judges else None
    if writer is None:
        return packaged_judge
    return ModelJudge(lambda prompt: "".join(writer.stream(prompt, stop)), packaged_judge)


def show_judge_fault(used: Judge) -> None:
    """Say so where the model could not judge."""
    if isinstance(used, ModelJudge) and used.fault:
        st.caption(f":material/error: The re-ranker judged in the model's place. {escaped(used.fault)}")


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


def show_leaving(chosen: LanguageSettings | Server) -> None:
    """Say so where an address is not this machine's."""
    if not chosen.is_own:
        plain = " It is not encrypted on the way." if chosen.address.startswith("http://") else ""
        st.warning(
            f"{escaped(chosen.host)} is not this machine: what is sent there leaves it.{plain}",
            icon=":material/cloud_upload:",
        )


def leaving(library: Library) -> dict[str, str]:
    """What leaves this machine by what is set up, each with where it goes."""
    now = settings()
    texts = now.embedding(library.settings.embedding.endpoint_model)
    index = library.index.server
    found: dict[str, LanguageSettings | Server | None] = {
        "Texts and questions are": texts if texts.model else None,
        ASKED: now if now.is_usable else None,
        "Vectors are": index if index and index.agreed else None,
    }
    return {what: chosen.host for what, chosen in found.items() if chosen and not chosen.is_own}


ASKED = "What a language model is asked is"
_WHAT = "On Ask the question, those before it and the passages; all of it stands in Settings, Language model."


def mark_leaving(library: Library) -> None:
    """On every page: where to something goes, if that is not this machine."""
    for what, host in leaving(library).items():
        about = _WHAT if what == ASKED else None
        st.badge(f"{what} sent to {host}", icon=":material/cloud_upload:", color="orange", help=about)
