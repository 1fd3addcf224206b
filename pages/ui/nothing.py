"""Pages before there is anything to show: what they are for, and where to begin."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st


def show_nothing(title: str, sentence: str, points: Sequence[tuple[str, str, str]]) -> None:
    """``points``: what the page will show, each an icon, a word and a sentence."""
    st.title(title)
    st.markdown(sentence)
    with st.container(width=860):
        for column, (icon, word, meaning) in zip(st.columns(len(points), border=True), points, strict=True):
            column.markdown(f":material/{icon}: **{word}**")
            column.caption(meaning)
    st.page_link("pages/library.py", label="Put documents in the library", icon=":material/library_books:")
