"""The choice of the re-ranker that Careful uses, on the Settings page."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.errors import ModelError
from core.refitting import taught_rerankers
from core.search.ranking.rerankers import load_reranker
from core.settings import CAREFUL_MODEL, PACKAGED_RERANKER, RerankingSettings
from pages.ui.settings.fetching import is_here, on_this_machine
from pages.ui.shared import services, words

CHOSEN = CAREFUL_MODEL
USUAL = "cross-encoder/ms-marco-MiniLM-L6-v2"
OTHER = "other"
_WHICH, _NAME = "settings.reranker", "settings.reranker.name"
_SHOWN = "settings.reranker.shown"  # the library's choice when this window was drawn last
NAMES = {
    PACKAGED_RERANKER: "Lectern's own",
    USUAL: f"{USUAL}, to be fetched",
}
CHOICES = {**NAMES, OTHER: "Another one, by name or folder"}
HELP = {
    PACKAGED_RERANKER: "A small cross-encoder that comes with Lectern and reads question and chunk together, English "
    "best. Nothing is downloaded. What it gains and loses stands in data/reranker/MODEL_CARD.md.",
    USUAL: "The usual one of this size. Fetched once from the Hugging Face hub, about 90 MB, when you say so; after "
    "that it works offline.",
    OTHER: "Any sentence-transformers CrossEncoder: a folder on this machine, or a name on the Hugging Face hub.",
}


def chosen() -> str:
    """Careful's re-ranker, as a value of the setting ``reranking.model``."""
    return taught_rerankers.careful_model(services.library())


@st.cache_data(ttl=10, show_spinner="Loading the model, to see whether it can be used …")
def missing(model: str) -> str:
    """Why a re-ranker cannot be used on this machine, as a sentence; "" if it can."""
    if model == PACKAGED_RERANKER:
        return ""
    try:
        load_reranker(RerankingSettings(model=model))
    except ModelError as error:
        return str(error)
    return ""


def show_reranker() -> None:
    """Draw the choice. It is saved with the library at once, unless the model cannot be used.

    If another window or the Benchmark page has changed the choice since the last drawing, that choice is shown.
    """
    library = services.library()
    st.caption(
        "Quick ranks by meaning and words alone. Careful has the best chunks read once more, each together with the "
        "question, by a re-ranker, which takes longer, and takes single sentences of prose. Nothing in the library "
        "changes with this choice."
    )
    now = chosen()
    if st.session_state.get(_SHOWN) != now or _WHICH not in st.session_state:
        st.session_state[_WHICH] = now if now in NAMES else OTHER
        st.session_state[_NAME] = "" if now in NAMES else now
    st.session_state[_SHOWN] = now
    with st.container(border=True):
        which = st.radio(
            "Careful reads the best chunks again with",
            list(CHOICES),
            format_func=CHOICES.__getitem__,
            captions=list(HELP.values()),
            key=_WHICH,
            on_change=_choose,
            disabled=not library.writable,
        )
        if which == OTHER:
            st.text_input(
                "Name or folder",
                placeholder="~/models/my-cross-encoder, or owner/name",
                key=_NAME,
                on_change=_choose,
                disabled=not library.writable,
            )
        model = _model()
        if model and model != now and library.writable and on_this_machine(model, "re-ranker"):
            problem = missing(model)
            if problem:
                st.error(words.escaped(problem), icon=":material/error:")
            else:  # the model was fetched after it was chosen
                st.button("Use it", on_click=_choose, key="settings.reranker.use")
    st.caption(f"In use: {words.escaped(NAMES.get(now, now))} · what else Careful does, Ask's dials show.")


def _model() -> str:
    """This window's choice as a value of ``reranking.model``; "" while no name is typed."""
    which = str(st.session_state[_WHICH])
    return str(st.session_state.get(_NAME, "")).strip() if which == OTHER else which


def _choose() -> None:
    model = _model()
    if model and is_here(model) and services.library().writable and not missing(model):
        taught_rerankers.choose(services.library(), model)


def reread(timings_ms: Mapping[str, float], candidates: int) -> tuple[str, ...]:
    """A sentence on the time that re-ranking took; () if nothing was re-ranked.

    >>> reread({"dense": 3.0, "reranked": 412.0}, 20), reread({"dense": 3.0}, 20)
    (('The best chunks, at most 20, were read again in 412 ms.',), ())
    """
    if "reranked" not in timings_ms:
        return ()
    return (f"The best chunks, at most {candidates:,}, were read again in {words.duration(timings_ms['reranked'])}.",)
