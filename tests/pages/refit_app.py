"""The sections "Make questions" and "Fit to my judgments" alone, for a browser, over a library without a model."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.library import Library
from core.search import ordering
from core.types import Encoder
from pages.ui.benchmark.making import show_making
from pages.ui.benchmark.refit import show_refit
from pages.ui.shared import assets, entry
from tests.fast_encoder import FastEncoder
from tests.refitting.worlds import Contrarian


@st.cache_resource
def without_model() -> None:
    """From now on every library opens so, and is read again by no model either, once in this process."""
    opened = Library.open

    def quickly(home: Path, *, write: bool = True, encoder: Encoder | None = None) -> Library:
        return opened(home, write=write, encoder=encoder or FastEncoder())

    Library.open = quickly  # type: ignore[method-assign]
    ordering.load_reranker = lambda settings: Contrarian()


if __name__ == "__main__":  # whoever only imports this, as pytest does to look for examples, keeps its libraries
    st.set_page_config(page_title="Lectern", layout="wide")
    st.html(assets.path(entry.__file__, "page.css"))  # as around every page
    entry.follow_theme()
    without_model()
    st.title("Benchmark")
    show_making()
    show_refit()
