"""The frame of all pages, and how each page is entered: always through ``app.py``, also from a deep link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.server import login
from pages.ui.shared import address, assets, services, state

if TYPE_CHECKING:
    from streamlit.navigation.page import Page


_theme = st.components.v2.component(
    "lectern.theme", js=assets.text(__file__, "address.js", "revival.js", "working.js", "mounting.js", "theme.js")
)


def follow_theme() -> None:
    """Run the page again when the theme turns dark or light, because plots get their colours from Python."""
    _theme(key="theme", data={"dark": st.context.theme.type == "dark"}, on_theme_change=lambda: None)


def frame() -> Page:
    """Draw what surrounds every page; returns the page to run. Stops at the login where one is needed."""
    # A file of our own as favicon: a material icon would be fetched from the network.
    st.set_page_config(
        page_title="Lectern",
        page_icon=str(assets.path(__file__, "favicon.svg")),
        layout="wide",
        initial_sidebar_state="collapsed",  # it holds the dials of Ask, which most questions do without
    )
    st.logo(assets.path(__file__, "logo.svg"), size="large")
    st.html(assets.path(__file__, "page.css"))
    follow_theme()
    if st.context.theme.type == "dark":  # Streamlit does not set it for what lies over the page, menus and dialogs
        st.html("<style>body { color-scheme: dark; }</style>")
    page = st.navigation(
        [
            st.Page(
                "pages/library.py", title="Library", icon=":material/library_books:", default=True, url_path="start"
            ),
            st.Page("pages/chunks.py", title="Chunks", icon=":material/data_array:"),
            st.Page("pages/ask.py", title="Ask", icon=":material/search:"),
            st.Page("pages/benchmark.py", title="Benchmark", icon=":material/bar_chart:"),
            st.Page("pages/settings.py", title="Settings", icon=":material/settings:"),
            # The default page is served at the root only: "/library" leads there, too.
            st.Page(_to_library, title="Library", url_path="library", visibility="hidden"),
        ],
        position="top" if login.is_in() else "hidden",
    )
    login.ask()
    return page


def _to_library() -> None:
    st.switch_page("pages/library.py", query_params=st.query_params.to_dict())


def enter(page: str) -> None:
    """Start a page: make sure that ``app.py`` ran first, follow the address, and draw the notices of every page.

    Until ``st.navigation`` is called once in a process, Streamlit treats a folder named ``pages`` as pages of its older
    kind, and runs the file of a deep link without ``app.py``. Calling it ends that, and the run starts over.
    """
    if not st.session_state.get(state.ENTERED):
        frame()
        st.rerun()
    address.follow(page)
    services.banner()
