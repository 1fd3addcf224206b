"""The Settings page: models, reading, appearance, privacy, places and disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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

TABS: Mapping[str, tuple[Callable[[], None], ...]] = {
    "Embedder": (show_embedder,),
    "Re-ranker": (show_reranker,),
    "Language model": (show_language_model,),
    "Reading and words": (show_reading,),
    "Appearance": (show_theme,),
    "Privacy": (show_privacy,),
    "Places and disk": (show_places, show_disk, show_chroma_server, show_backups, show_archive, show_repair),
}
FIRST, LANGUAGE_MODEL = next(iter(TABS)), "Language model"


def main() -> None:
    """Draw one tab for each subject, the one that the address names open."""
    st.title("Settings")
    query = address.take()
    if query is not None:
        named = address.last(query, "tab")
        st.session_state[state.SETTINGS_TAB] = named if named in TABS else FIRST
    tabs = dict(zip(TABS, st.tabs(list(TABS), key=state.SETTINGS_TAB, on_change="rerun"), strict=True))
    opened = next((name for name, tab in tabs.items() if tab.open), FIRST)
    address.say({"tab": "" if opened == FIRST else opened})
    for name, tab in tabs.items():
        with tab:
            for show in TABS[name] if name != LANGUAGE_MODEL or tab.open else ():
                show()


enter("settings")
main()
