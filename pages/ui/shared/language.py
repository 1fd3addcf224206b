"""The language model of this process: its settings, its client, and its use by the open libraries."""

from __future__ import annotations

from threading import Event, Thread
from weakref import WeakKeyDictionary

import streamlit as st

from core.errors import LecternError
from core.language_model import keys
from core.language_model import settings as settings_file
from core.language_model.client import Client, warm
from core.language_model.settings import LanguageSettings
from core.library import Library
from core.search.checking.checking import Judge
from core.search.checking.library_check import packaged_judge
from core.search.checking.model_judge import ModelJudge
from core.storage.index.server import Server
from core.storage.shelf import language_file
from pages.ui.shared.words import escaped

_applied: WeakKeyDictionary[Library, LanguageSettings] = WeakKeyDictionary()  # what each library was given last

keys.look_also_in(lambda: dict(st.secrets) if st.secrets.load_if_toml_exists() else {})


def settings() -> LanguageSettings:
    """The settings of the language model, the same for all windows."""
    return settings_file.load(language_file())


def save(chosen: LanguageSettings) -> None:
    """Change the settings for all windows. Raises ``SettingsError`` if the file cannot be written."""
    settings_file.save(language_file(), chosen)


def client(*, urgent: bool = True) -> Client | None:
    """A client of the model; ``None`` if none is set up, or its address was not agreed to."""
    now = settings()
    return Client(now, keys.key_of(now.address).value, urgent=urgent) if now.is_usable else None


def judge(stop: Event) -> Judge:
    """The judge of checked sentences: the language model if the settings say so, else the packaged re-ranker.

    ``stop``: ends the model's reply when it is set.
    """
    writer = client() if settings().judges else None
    if writer is None:
        return packaged_judge
    return ModelJudge(lambda prompt: "".join(writer.stream(prompt, stop)), packaged_judge)


def show_judge_fault(used: Judge) -> None:
    """Draw a line that says so if the model failed and the re-ranker judged instead."""
    if isinstance(used, ModelJudge) and used.fault:
        st.caption(f":material/error: The re-ranker judged in the model's place. {escaped(used.fault)}")


def apply_to(library: Library) -> None:
    """Let a library use the model as it is set up now, to reword questions and to propose cuts. Cheap if unchanged."""
    now = settings()
    if _applied.get(library) == now or (library not in _applied and not now.is_usable):
        return
    if now.is_usable:
        Thread(target=warm, name="lectern-warm-language", daemon=True).start()
    try:
        library.write_with(client(), client(urgent=False))
    except LecternError:
        library.write_with(None)
    _applied[library] = now


def place(chosen: LanguageSettings) -> str:
    """Where the model runs, as shown to people.

    >>> place(LanguageSettings("http://localhost:1/v1")), place(LanguageSettings("https://a.example.org/v1"))
    ('this machine (localhost:1)', 'a.example.org')
    """
    return f"this machine ({chosen.host})" if chosen.is_own else chosen.host


def show_leaving(chosen: LanguageSettings | Server) -> None:
    """Draw a warning if an address is not on this machine."""
    if not chosen.is_own:
        plain = " It is not encrypted on the way." if chosen.address.startswith("http://") else ""
        st.warning(
            f"{escaped(chosen.host)} is not this machine: what is sent there leaves it.{plain}",
            icon=":material/cloud_upload:",
        )


def leaving(library: Library) -> dict[str, str]:
    """What the present settings send to other machines: a phrase for each kind of data, with the host it goes to."""
    now = settings()
    texts = now.embedding(library.settings.embedding.endpoint_model)
    index = library.index.server
    receivers: dict[str, LanguageSettings | Server | None] = {
        "Texts and questions are": texts if texts.is_usable else None,
        ASKED: now if now.is_usable else None,
        "Vectors are": index if index and index.agreed else None,
    }
    return {what: receiver.host for what, receiver in receivers.items() if receiver and not receiver.is_own}


ASKED = "What a language model is asked is"
_ASKED_HELP = "On Ask the question, those before it and the passages; all of it stands in Settings, Language model."


def mark_leaving(library: Library) -> None:
    """Draw a badge for each host that data is sent to, on every page."""
    for what, host in leaving(library).items():
        help_text = _ASKED_HELP if what == ASKED else None
        st.badge(f"{what} sent to {host}", icon=":material/cloud_upload:", color="orange", help=help_text)
