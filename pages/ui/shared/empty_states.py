"""Pages of an empty library: what they will show, and where to begin."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.shared import address

Point = tuple[str, str, str]  # an icon, a title and a sentence


def show_nothing(title: str, sentence: str, points: Sequence[Point]) -> None:
    """Draw a page of an empty library: its title, its purpose, ``points``, and a link to the Library page."""
    address.say({})
    st.title(title)
    st.markdown(sentence)
    with st.container(width=860):
        show_lessons(points)
    st.page_link("pages/library.py", label="Put documents in the library", icon=":material/library_books:")


def show_lessons(points: Sequence[Point]) -> None:
    """Draw the points side by side, without boxes, which would look as if they could be clicked."""
    for column, (icon, title, text) in zip(st.columns(len(points)), points, strict=True):
        with column.container():
            st.markdown(f"**:material/{icon}: {title}**")
            st.caption(text)
