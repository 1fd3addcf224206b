"""An embedder at an address: where it is, what is sent there, agreement, and its model."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import LecternError
from core.language.client import Client
from core.language.settings import tidy_address
from core.settings import ENDPOINT
from pages.ui.shared import language, words

AGREE, LIST = "Agree to this address", "List the models there"
SENT = (
    "To {place} go: the text of every chunk of every document in this library, as soon as you use it, and that of "
    "documents that come later; each question; and sentences that answers and cuts are found by. {key} Nothing at all "
    "goes there before you agree to this very address."
)
_LISTED = "settings.embedder.listed"


def endpoint_model(model: str) -> str:
    """The model to use, as settings name it; "" as long as there is none at an address that was agreed to.

    ``model``: the one in use, "" for none.
    """
    now = language.settings()
    field = st.text_input(
        "Address",
        value=now.embedding_address or now.address,
        placeholder="http://localhost:11434/v1",
        key="settings.embedder.address",
    )
    try:
        address = tidy_address(field)
    except LecternError as error:
        st.error(words.escaped(str(error)), icon=":material/error:")
        return ""
    if not address:
        return ""
    here = replace(now, embedding_address=address).embedding(model)
    held = language.key(address)
    key = f"With it goes the key of {held.place}." if held.value else "No key goes with it."
    st.markdown(words.escaped(SENT.format(place=language.place(here), key=key)))
    language.show_leaving(here)
    if not here.is_agreed or address != now.embedding_address:
        if st.button(AGREE, key="settings.embedder.agree"):
            language.keep(replace(now, embedding_address=address, agreed=tuple(dict.fromkeys([*now.agreed, address]))))
            st.rerun()
        return ""
    choice, button = st.columns([4, 1.4], vertical_alignment="bottom")
    if button.button(LIST, key="settings.embedder.list", width="stretch"):
        try:
            st.session_state[_LISTED] = [one.name for one in Client(here, held.value).models()]
        except LecternError as error:
            st.error(words.escaped(str(error)), icon=":material/error:")
    names = list(dict.fromkeys([*st.session_state.get(_LISTED, ()), *([model] if model else [])]))
    chosen = choice.selectbox(
        "Model",
        names,
        index=names.index(model) if model else None,
        placeholder="Choose one that embeds, or type its name",
        accept_new_options=True,
        key="settings.embedder.model",
    )
    return f"{ENDPOINT}{chosen.strip()}" if chosen else ""
