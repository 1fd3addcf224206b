"""What stands beside the evidence: how it lies, what suits that, and what the stages had to say."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.assembly.clustering import Clustered
from core.settings import Settings
from pages.ui import dials, words


def show_notes(lying: Clustered | None, notes: Sequence[str], settings: Settings) -> None:
    """Draw what there is to say; a strategy that suits the evidence better than the dial's is one click away."""
    for note in notes:
        st.caption(f":material/info: {words.escaped(note)}")
    if lying is None or not lying.advice:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/hub: {words.escaped(lying.advice)}", width="content")
        fitting = [name for name in lying.expansions if name in words.EXPANSION_WORDS]
        if fitting and settings.expansion.strategy not in fitting:
            st.button(
                f"Grow to “{words.EXPANSION_WORDS[fitting[0]]}”",
                key="ask.grow",
                type="tertiary",
                icon=":material/tune:",
                on_click=dials.turn,
                args=[{"expansion.strategy": fitting[0]}],
            )
