"""Downloads a model of the Hugging Face hub: one click asks the hub for its size, another fetches it."""

from __future__ import annotations

import streamlit as st

from core.embedding import hub
from core.embedding.hub import Offer
from core.errors import LecternError
from pages.ui.shared import tasks, words

ASK, FETCH = "Ask the hub", "Fetch it"
_OFFER = "settings.hub.offer"


def is_here(model: str) -> bool:
    """Whether a model needs no download: a packaged one, a folder, or a hub model that was fetched before."""
    return not hub.is_hub_name(model) or hub.is_fetched(model)


def on_this_machine(model: str, what: str) -> bool:
    """``is_here``; if it is not, draws the way to fetch it.

    ``what``: "embedder" or "re-ranker", which tells the two downloads of the page apart.
    """
    if is_here(model):
        return True
    fetching = tasks.get(what, model)
    if fetching is None:
        _ask(model, what)
        offer: Offer | None = st.session_state.get(f"{_OFFER}.{what}")
        if offer is not None and offer.name == model:
            _offer(offer, what)
        return False
    total = fetching.progress[1]
    text = f"Fetching the {what}, {words.size(total)} …" if total else "Reaching the hub …"
    if not tasks.finished_or_progress(what, fetching, text, lambda: None):
        return False
    tasks.stop(what)  # forget the ended task, so that a failed download is offered again
    try:
        fetching.result()
    except LecternError as error:
        st.error(words.escaped(str(error)), icon=":material/cloud_off:")
    return hub.is_fetched(model)


def _ask(model: str, what: str) -> None:
    st.markdown(
        f":material/cloud_download: **{words.escaped(model)} is not on this machine.** Lectern fetches nothing by "
        "itself. To see how large it is, the hub is asked for the list of its files; nothing but its name is sent."
    )
    if st.button(ASK, key=f"settings.hub.ask.{what}"):
        st.session_state[f"{_OFFER}.{what}"] = None
        with st.spinner("Asking the hub …"):
            try:
                st.session_state[f"{_OFFER}.{what}"] = hub.offered(model)
            except LecternError as error:
                st.error(words.escaped(str(error)), icon=":material/cloud_off:")


def _offer(offer: Offer, what: str) -> None:
    def begin() -> None:
        tasks.get_or_start(what, offer.name, lambda task: hub.fetch(offer, task.tell))

    size = words.size(offer.size_bytes)
    st.markdown(
        words.escaped(
            f"{words.count(len(offer.files), 'file')}, {size}, from {offer.place}/{offer.name} to {offer.folder}. "
            "After that it works offline."
        )
    )
    st.button(
        f"{FETCH}, {size}",
        key=f"settings.hub.fetch.{what}",
        type="primary",
        icon=":material/download:",
        on_click=begin,
    )
