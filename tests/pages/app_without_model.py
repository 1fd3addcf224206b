"""Streamlit's command with libraries that have no model: hashed words for the embedder, as quick to load as to ask.

Usage: python -m tests.pages.app_without_model run app.py
"""

from __future__ import annotations

from pathlib import Path

from core.library import Library
from core.search import ordering
from core.types import Encoder
from tests.fast_encoder import FastEncoder
from tests.refitting.worlds import Contrarian

opened = Library.open


def quickly(home: Path, *, write: bool = True, encoder: Encoder | None = None, repair: bool = False) -> Library:
    return opened(home, write=write, encoder=encoder or FastEncoder(), repair=repair)


if __name__ == "__main__":
    from streamlit.web.cli import main

    Library.open = quickly  # type: ignore[method-assign]
    ordering.load_reranker = lambda settings: Contrarian()
    main(prog_name="streamlit")
