"""The first steps, three of them, one at a time; over when the third is done or somebody knows the way."""

from __future__ import annotations

import streamlit as st

from pages.ui.shared import services

TAKEN = "tour"
STEPS = (
    (
        "Put documents in",
        "Drop files or a folder, or take the samples. Watch each being read; what cannot be read says why.",
        None,
        "",
    ),
    (
        "See how they were cut",
        "The whole text with every cut drawn on it. Click a chunk to see why it ends where it does.",
        "pages/chunks.py",
        "Open Chunks",
    ),
    (
        "Ask, and check the answer",
        "What was found stands beside what the reader gets; every quote leads back to its place.",
        "pages/ask.py",
        "Open Ask",
    ),
)


def show_tour(page: str) -> None:
    """The step that comes next, on the page where it begins: "library", "chunks" or "ask"."""
    library = services.library()
    if library.preference(TAKEN) or not library.writable:
        return
    filled = bool(library.sources())
    step = {"library": 1 if filled else 0, "chunks": 2, "ask": 3}[page] if filled else 0
    if page != "library" and not filled:
        return
    if step == len(STEPS):
        library.set_preference(TAKEN, "taken")
        return
    title, text, target, button = STEPS[step]
    with st.container(border=True):
        words, leads, leave = st.columns([7, 1.6, 1.2], vertical_alignment="center")
        words.markdown(f"**{step + 1} of {len(STEPS)} · {title}**  \n{text}")
        if target:
            leads.page_link(target, label=button, icon=":material/arrow_forward:")
        if leave.button("Skip the tour", key=f"tour.skip.{page}", type="tertiary"):
            library.set_preference(TAKEN, "skipped")
            st.rerun()
