"""The choice of a light theme, a dark one, or the system's. The browser stores it."""

from __future__ import annotations

import streamlit as st

from pages.ui.shared import assets

_switch = st.components.v2.component(
    "lectern.appearance",
    html='<div class="lectern appearance" role="radiogroup" aria-label="Appearance"></div>',
    css=assets.text(__file__, "palette.css", "appearance.css"),
    js=assets.text(__file__, "offsets.js", "appearance.js"),
)


def show_theme() -> None:
    """Draw the switch. Choosing another theme reloads the page, which returns to what it showed."""
    st.subheader("Light or dark")
    _switch(key="settings.appearance", data={"pages": ["", "chunks", "ask", "benchmark", "settings", "library"]})
    st.caption("Kept by this browser, for every page. “As the system” turns with it, by day and by night.")
