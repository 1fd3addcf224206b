"""Who reads files and who searches words: the second choices beside Lectern's own."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.settings import LEXICAL_ENGINES, READERS
from pages.ui import background, services

READER_WORDS = {"own": "Lectern's own readers", "unstructured": "unstructured"}
READER_HELP = {
    "own": "Made to lose nothing: numbers, merged cells, notes, comments, text boxes and charts come along.",
    "unstructured": "The usual library, to see what a common pipeline would have read. Documents are read again.",
}
ENGINE_WORDS = {"fts5": "SQLite FTS5", "rank-bm25": "rank-bm25"}
ENGINE_HELP = {
    "fts5": "On disk, quick at any size, changed with every document.",
    "rank-bm25": "In memory and exact, built anew after every change: for comparing, and for small libraries.",
}


def show_reading() -> None:
    """Both choices, taken at once when nothing has to be read again, else by a button."""
    library = services.library()
    settings = library.settings
    with st.form("settings.reading", border=True):
        reader = st.radio(
            "Files are read by",
            READERS,
            index=READERS.index(settings.parsing.reader),
            format_func=READER_WORDS.__getitem__,
            captions=[READER_HELP[name] for name in READERS],
        )
        engine = st.radio(
            "Words are searched by",
            LEXICAL_ENGINES,
            index=LEXICAL_ENGINES.index(settings.retrieval.lexical_engine),
            format_func=ENGINE_WORDS.__getitem__,
            captions=[ENGINE_HELP[name] for name in LEXICAL_ENGINES],
        )
        left, right, _ = st.columns([1, 1, 2])
        seconds = left.number_input(
            "Give up on a file after, seconds", 1, 36_000, settings.parsing.timeout_seconds, key="settings.timeout"
        )
        memory = right.number_input(
            "Memory for reading a file, MB", 256, 65_536, settings.parsing.memory_megabytes, key="settings.memory"
        )
        if st.form_submit_button("Apply", type="primary", disabled=not library.writable):
            wanted = replace(
                settings,
                parsing=replace(
                    settings.parsing, reader=reader, timeout_seconds=int(seconds), memory_megabytes=int(memory)
                ),
                retrieval=replace(settings.retrieval, lexical_engine=engine),
            )
            if wanted != settings:
                background.start_apply(wanted)
                st.switch_page("pages/library.py")
