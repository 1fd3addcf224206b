"""A model of the hub that is not on this machine: what it is, how large, and fetching it, each after its own click."""

from __future__ import annotations

import streamlit as st

from core.embedding import hub
from core.embedding.hub import Offer
from core.errors import LecternError
from pages.ui.shared import tasks, words

ASK, FETCH = "Ask the hub", "Fetch it"
_OFFER = "settings.hub.offer"


def is_here(model: str) -> bool:
    """Whether a model can be loaded without the network, as far as its name tells."""
    return not hub.is_hub_name(model) or hub.is_fetched(model)


def on_this_machine(model: str, what: str) -> bool:
    """``is_here``; where it is not, the way to fetch it is drawn.

    ``what`` it is, as its tab says: two may be asked about on one page.
    """
    if is_here(model):
        return True
    fetching = tasks.known(what, model)
    if fetching is None:
        _ask(model, what)
        offer: Offer | None = st.session_state.get(f"{_OFFER}.{what}")
        if offer is not None and offer.name == model:
            _offer(offer, what)
        return False
    said = f"Fetching the {what}, {words.size(fetching.told[1])} …" if fetching.told[1] else "Reaching the hub …"
    if not tasks.finished(what, fetching, said, lambda: None):
        return False
    tasks.stop(what)  # it is over: what follows is drawn as if it had never been
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
        tasks.begun(what, offer.name, lambda task: hub.fetch(offer, task.tell))

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
