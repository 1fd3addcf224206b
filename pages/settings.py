"""Settings: who reads meaning, whose word counts, what stays private, where things lie, and a report."""

from __future__ import annotations

import streamlit as st

from pages.ui.authority import show_authority
from pages.ui.embedder import show_embedder
from pages.ui.enriching_settings import show_enriching
from pages.ui.entry import enter
from pages.ui.keeping import show_disk, show_places, show_privacy, show_report
from pages.ui.reading_settings import show_reading
from pages.ui.rerankers import show_reranker


def main() -> None:
    """One tab a subject; a tab computes only what it shows."""
    st.title("Settings")
    meaning, careful, reading, counting, private, places, help_me = st.tabs(
        ["Embedder", "Re-ranker", "Reading and words", "Whose word counts", "Privacy", "Places and disk", "Report"]
    )
    with meaning:
        show_embedder()
    with careful:
        show_reranker()
    with reading:
        show_reading()
        show_enriching()
    with counting:
        show_authority()
    with private:
        show_privacy()
    with places:
        show_places()
        show_disk()
    with help_me:
        show_report()


enter()
main()
