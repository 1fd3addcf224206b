"""How the pages look: light, dark, or as the system does. The browser keeps the choice."""

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
    """Draw the switch. The page is loaded anew when another is chosen, and stands where it stood."""
    st.subheader("Light or dark")
    _switch(key="settings.appearance", data={"pages": ["", "chunks", "ask", "benchmark", "settings", "library"]})
    st.caption("Kept by this browser, for every page. “As the system” turns with it, by day and by night.")
