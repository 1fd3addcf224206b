"""The choice of the embedder, with what each is good at and how many chunks a change would encode."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import LecternError
from core.language_model.client import Client
from core.language_model.keys import key_of
from core.language_model.settings import tidy_address
from core.settings import ENDPOINT, Settings
from pages.ui.settings.fetching import on_this_machine
from pages.ui.shared import background, language, services, words

AGREE, LIST = "Agree to this address", "List the models there"
SENT = (
    "To {place} go: the text of every chunk of every document in this library, as soon as you use it, and that of "
    "documents that come later; each question; and sentences that answers and cuts are found by. {key} Nothing at all "
    "goes there before you agree to this very address."
)
_LISTED = "settings.embedder.listed"


def endpoint_model(model: str) -> str:
    """Draw the choice of a model at an address; returns it as settings name it, "" until an agreed address has one.

    ``model``: the model in use, "" for none.
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
    endpoint = replace(now, embedding_address=address).embedding(model)
    api_key = key_of(address)
    key = f"With it goes the key of {api_key.place}." if api_key.value else "No key goes with it."
    st.markdown(words.escaped(SENT.format(place=language.place(endpoint), key=key)))
    language.show_leaving(endpoint)
    if not endpoint.is_agreed or address != now.embedding_address:
        if st.button(AGREE, key="settings.embedder.agree"):
            language.save(replace(now, embedding_address=address, agreed=tuple(dict.fromkeys([*now.agreed, address]))))
            st.rerun()
        return ""
    choice, button = st.columns([4, 1.4], vertical_alignment="bottom")
    if button.button(LIST, key="settings.embedder.list", width="stretch"):
        try:
            st.session_state[_LISTED] = [listed.name for listed in Client(endpoint, api_key.value).models()]
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


PACKAGED = "packaged"
MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
OTHER = "other"
ADDRESS = "address"
CHOICES = {
    PACKAGED: "all-MiniLM-L6-v2, which came with Lectern",
    MULTILINGUAL: "paraphrase-multilingual-MiniLM-L12-v2, for fifty languages",
    OTHER: "Another one, by name or folder",
    ADDRESS: "One at an address, as a language model is",
}
HELP = {
    PACKAGED: "Reads English best; other languages only by words that look alike. Nothing is downloaded.",
    MULTILINGUAL: "Reads some fifty languages, and a question in one finds an answer in another. Fetched once from the "
    "Hugging Face hub, about 470 MB, when you say so; after that it works offline.",
    OTHER: "Any sentence-transformers model: a folder on this machine, or a name on the Hugging Face hub.",
    ADDRESS: "Any server that answers /v1/embeddings as OpenAI's does, on this machine or another.",
}


def show_embedder() -> None:
    """Draw the choice of the embedder, and the button that applies it."""
    library = services.library()
    chosen = library.settings.embedding
    encoder = library.model.encoder
    st.caption(
        "The embedder turns every chunk and every question into a vector; near vectors mean alike. Changing it encodes "
        "every chunk anew, in the background; until that is done, questions go on as before."
    )
    known = chosen.model if chosen.model in CHOICES else ADDRESS if chosen.endpoint_model else OTHER
    with st.container(border=True):
        which = st.radio(
            "Embedder",
            list(CHOICES),
            index=list(CHOICES).index(known),
            format_func=CHOICES.__getitem__,
            captions=list(HELP.values()),
            key="settings.embedder",
        )
        model = str(which)
        if which == OTHER:
            model = st.text_input(
                "Name or folder",
                value=chosen.model if known == OTHER else "",
                placeholder="~/models/my-model, or owner/name",
                key="settings.embedder.name",
            ).strip()
        if which == ADDRESS:
            model = endpoint_model(chosen.endpoint_model)
        wanted = replace(library.settings, embedding=replace(chosen, model=model or PACKAGED))
        _change(wanted, model if on_this_machine(model, "embedder") else "")
    name = CHOICES.get(chosen.model, chosen.endpoint_model or chosen.model)
    st.caption(
        f"In use: {words.escaped(name)} · {encoder.dimension} dimensions · reads "
        f"{encoder.max_tokens} tokens of a chunk and no more. A longer chunk would be cut silently: Lectern cuts so "
        "that there are none."
    )


def _change(wanted: Settings, model: str) -> None:
    library = services.library()
    same = wanted.embedding == library.settings.embedding
    busy = bool(background.active_jobs("apply"))
    count = services.stats().chunks
    if busy:
        st.caption("The library is being encoded anew; the Library page shows how far it is.")
    if st.button(
        "In use" if same else f"Use it, encode {words.count(count, 'chunk')}",
        key="settings.embedder.use",
        type="primary",
        disabled=same or busy or not model or not library.writable,
    ):
        background.apply_and_watch(wanted)
