"""Settings: who reads meaning, what stays private, and where things lie."""

from __future__ import annotations

import streamlit as st

from pages.ui.settings.appearance import show_theme
from pages.ui.settings.chroma_server import show_chroma_server
from pages.ui.settings.embedder import show_embedder
from pages.ui.settings.language_model import show_language_model
from pages.ui.settings.privacy_and_places import show_archive, show_disk, show_places, show_privacy
from pages.ui.settings.reading_settings import show_reading
from pages.ui.settings.rerankers import show_reranker
from pages.ui.shared import address, state
from pages.ui.shared.entry import enter
from pages.ui.shared.repair import show_backups, show_repair

TABS = (
    "Embedder",
    "Re-ranker",
    "Language model",
    "Reading and words",
    "Appearance",
    "Privacy",
    "Places and disk",
)


def main() -> None:
    """One tab a subject; a tab computes only what it shows."""
    st.title("Settings")
    led = address.take()
    if led is not None:
        tab = address.last(led, "tab")
        st.session_state[state.SETTINGS_TAB] = tab if tab in TABS else TABS[0]
    tabs = st.tabs(TABS, key=state.SETTINGS_TAB, on_change="rerun")
    meaning, careful, writing, reading, looks, private, places = tabs
    opened = next((name for name, tab in zip(TABS, tabs, strict=True) if tab.open), TABS[0])
    address.say({"tab": "" if opened == TABS[0] else opened})
    with meaning:
        show_embedder()
    with careful:
        show_reranker()
    with writing:
        if writing.open:
            show_language_model()
    with reading:
        show_reading()
    with looks:
        show_theme()
    with private:
        show_privacy()
    with places:
        show_places()
        show_disk()
        show_chroma_server()
        show_backups()
        show_archive()
        show_repair()


enter("settings")
main()
