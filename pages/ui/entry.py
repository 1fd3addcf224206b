"""The pages, and the way into each of them: always through ``app.py``, also by a deep link into a fresh process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui import state
from pages.ui.assets import ASSETS
from pages.ui.theme import follow_theme

if TYPE_CHECKING:
    from streamlit.navigation.page import Page


def frame() -> Page:
    """Draw what surrounds every page and return the page to run."""
    # A material icon would be fetched from the network as favicon; a file of our own is not.
    st.set_page_config(page_title="Lectern", page_icon=str(ASSETS / "favicon.svg"), layout="wide")
    st.logo(ASSETS / "logo.svg", size="large")
    st.html(ASSETS / "page.css")
    follow_theme()
    if st.context.theme.type == "dark":  # what lies over the page, menus and dialogs, is not told by Streamlit itself
        st.html("<style>body { color-scheme: dark; }</style>")
    return st.navigation(
        [
            st.Page("pages/library.py", title="Library", icon=":material/library_books:", default=True),
            st.Page("pages/chunks.py", title="Chunks", icon=":material/data_array:"),
            st.Page("pages/ask.py", title="Ask", icon=":material/search:"),
            st.Page("pages/benchmark.py", title="Benchmark", icon=":material/bar_chart:"),
            st.Page("pages/settings.py", title="Settings", icon=":material/settings:"),
        ],
        position="top",
    )


def enter() -> None:
    """Go on only if ``app.py`` led here.

    Until ``st.navigation`` was called once in a process, Streamlit takes a folder named ``pages`` for pages of the
    older kind and runs the file of a deep link by itself. Calling it ends that; then the run starts over, rightly.
    """
    if not st.session_state.get(state.ENTERED):
        frame()
        st.rerun()
