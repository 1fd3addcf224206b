"""Ask's dials in the sidebar, acting at once."""

from __future__ import annotations

import streamlit as st

from core.errors import SettingsError
from core.settings import EXPANSIONS, FUSIONS, ORDERS, Settings
from pages.ui import state, words


def ask_dials(settings: Settings) -> Settings:
    """Draw Ask's dials; returns the settings as turned, or the untouched ones where dials contradict each other."""
    state.fill_dials(state.DIALS, settings)
    with st.sidebar, st.container(gap="xsmall"):
        st.subheader("Find")
        st.slider(
            "Weight of meaning", 0.0, 1.0, step=0.05, key="ask.dense_weight", persist_state="session", help=_DENSE
        )
        st.slider(
            "Weight of words", 0.0, 1.0, step=0.05, key="ask.lexical_weight", persist_state="session", help=_LEXICAL
        )
        st.slider(
            "Share of neighbours", 0.0, 1.0, step=0.05, key="ask.neighbour_share", persist_state="session", help=_NEAR
        )
        st.slider("Chunks kept (k)", 1, 200, key="ask.k", persist_state="session", help=_KEPT)
        st.slider(
            "Least similarity", -1.0, 1.0, step=0.05, key="ask.min_similarity", persist_state="session", help=_LEAST
        )
        st.selectbox(
            "Scores are joined by",
            FUSIONS,
            format_func=words.FUSION_WORDS.__getitem__,
            key="ask.fusion",
            persist_state="session",
            help=_FUSION,
        )
        st.subheader("Read")
        st.selectbox(
            "A chunk grows to",
            EXPANSIONS,
            format_func=words.EXPANSION_WORDS.__getitem__,
            key="ask.strategy",
            persist_state="session",
        )
        st.slider(
            "Largest share of the budget",
            0.01,
            1.0,
            step=0.01,
            key="ask.max_share",
            persist_state="session",
            help=_SHARE,
        )
        st.slider("Budget, tokens", 100, 8000, step=100, key="ask.budget_tokens", persist_state="session")
        st.selectbox(
            "Order for the reader",
            ORDERS,
            format_func=words.ORDER_WORDS.__getitem__,
            key="ask.order",
            persist_state="session",
        )
        st.button("Reset to the library's settings", key="ask.reset", on_click=_reset, args=[settings], width="stretch")
        try:
            return state.turned(state.DIALS, settings)
        except SettingsError as error:
            st.warning(words.escaped(str(error)))
            return settings


def _reset(settings: Settings) -> None:
    state.fill_dials(state.DIALS, settings, overwrite=True)


_DENSE = "How much the encoder's similarity counts. 0 switches this search off."
_LEXICAL = "How much shared words count (BM25). 0 switches this search off."
_KEPT = "How many of the best chunks go on to grow and fill the budget."
_FUSION = "Standard scores weigh how far a chunk stands out in each search; reciprocal ranks weigh its place alone."
_NEAR = "The part of its neighbours' scores a chunk gains. 0 is off."
_LEAST = "Cosine below which a chunk is dropped. −1 is off."
_SHARE = "A passage may fill at most this part of the budget; a larger parent is cut to whole chunks around the match."
