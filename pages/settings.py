"""The Settings page: models, reading, appearance, privacy, places and disk."""

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
    """Draw one tab for each subject, the one that the address names open."""
    st.title("Settings")
    query = address.take()
    if query is not None:
        tab = address.last(query, "tab")
        st.session_state[state.SETTINGS_TAB] = tab if tab in TABS else TABS[0]
    tabs = st.tabs(TABS, key=state.SETTINGS_TAB, on_change="rerun")
    embedder, reranker, language_model, reading, appearance, privacy, places = tabs
    opened = next((name for name, tab in zip(TABS, tabs, strict=True) if tab.open), TABS[0])
    address.say({"tab": "" if opened == TABS[0] else opened})
    with embedder:
        show_embedder()
    with reranker:
        show_reranker()
    with language_model:
        if language_model.open:
            show_language_model()
    with reading:
        show_reading()
    with appearance:
        show_theme()
    with privacy:
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
