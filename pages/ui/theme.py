"""The theme that the system asks for: when it turns dark or light, whatever page is shown is drawn anew."""

from __future__ import annotations

import streamlit as st

from pages.ui.assets import joined

_watch = st.components.v2.component("lectern.theme", js=joined("theme.js"))


def follow_theme() -> None:
    """Run the page again where it was drawn for another theme than is shown: plots have their colours from Python."""
    _watch(key="theme", data={"dark": st.context.theme.type == "dark"}, on_theme_change=lambda: None)
