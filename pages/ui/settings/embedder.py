"""The choice of the embedder, with what each reads best and what it would cost."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.settings import Settings
from pages.ui.settings.embedder_address import endpoint_model
from pages.ui.shared import background, services, words

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
    MULTILINGUAL: "Reads some fifty languages, and a question in one finds an answer in another. Downloaded once, "
    "about 470 MB, from the Hugging Face hub; after that it works offline as well.",
    OTHER: "Any sentence-transformers model: a folder on this machine, or a name on the hub, which is downloaded once.",
    ADDRESS: "Any server that answers /v1/embeddings as OpenAI's does, on this machine or another.",
}


def show_embedder() -> None:
    """Which model turns text into vectors, and the button that changes it."""
    library = services.library()
    chosen = library.settings.embedding
    encoder = library.model.encoder
    st.caption(
        "The embedder turns every chunk and every question into a vector; near vectors mean alike. Changing it encodes "
        "every chunk anew, in the background; until that is done, questions go on as before."
    )
    st.warning(
        "The embedder that comes with Lectern reads English best. For other languages take the multilingual one.",
        icon=":material/translate:",
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
                placeholder="~/models/my-model",
                key="settings.embedder.name",
            ).strip()
        if which == ADDRESS:
            model = endpoint_model(chosen.endpoint_model)
        wanted = replace(library.settings, embedding=replace(chosen, model=model or PACKAGED))
        _change(wanted, model)
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
