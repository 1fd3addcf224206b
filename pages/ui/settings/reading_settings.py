"""The tab on reading: who reads files and searches words, and what is found out about chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.parsing.ocr import tesseract
from core.settings import (
    FEATURE_GROUPS,
    INDEXED_FEATURES,
    LEXICAL_ENGINES,
    READERS,
    SCANS,
    WEB_PAGES,
    EnrichingSettings,
)
from core.settings.preparing import group_of
from pages.ui.shared import background, services, words

READER_WORDS = {"own": "Lectern's own readers", "unstructured": "unstructured"}
READER_HELP = {
    "own": "Made to lose nothing: numbers, merged cells, notes, comments, text boxes and charts come along.",
    "unstructured": "The usual library, to see what a common pipeline would have read. Documents are read again.",
}
PAGE_WORDS = {"article": "The article alone", "whole": "The whole page"}
PAGE_HELP = {
    "article": "Menus, notices, related links and advertisements stay in the text, dimmed, and in no chunk. Indexes, "
    "forms and pages with code are kept whole.",
    "whole": "All that a page shows is cut into chunks. Pages are read again.",
}
SCAN_WORDS = {"packaged": "The OCR that comes with Lectern", "tesseract": "Tesseract", "off": "Nobody"}
SCAN_HELP = {
    "packaged": "English, other languages in Latin letters, Chinese and Japanese; some seconds a page.",
    "tesseract": "For the languages it has data for. Scans are read again.",
    "off": "Scanned pages stay unread, and the Library says of which documents.",
}
NO_TESSERACT = "It is not on this machine's path: install it first. Until then the OCR that comes with Lectern reads."
ENGINE_WORDS = {"fts5": "SQLite FTS5", "rank-bm25": "rank-bm25"}
ENGINE_HELP = {
    "fts5": "On disk, quick at any size, changed with every document.",
    "rank-bm25": "In memory and exact, built anew after every change: for comparing, and for small libraries.",
}

INDEXED_WORDS = {
    "keywords": "Keywords",
    "names": "Names of people and places",
    "organisations": "Organisations",
    "symbols": "Symbols of code",
    "versions": "Versions",
    "dates": "Dates, as 2026-03-14",
    "genre": "Genre of the document",
    "section_type": "What it reads as",
}
COST = (
    "Changing what is indexed, or the number of keywords while they are indexed, indexes every document anew in the "
    "background; no text is encoded again, and questions go on meanwhile. The rest is found out anew when it is shown."
)


def show_reading() -> None:
    """Both choices, taken at once when nothing has to be read again, else by a button."""
    library = services.library()
    settings = library.settings
    with st.form("settings.reading", border=True):
        parsing = settings.parsing
        reader = _choice("Files are read by", READERS, parsing.reader, READER_WORDS, READER_HELP)
        pages = _choice("Of a saved web page, search", WEB_PAGES, parsing.web_pages, PAGE_WORDS, PAGE_HELP)
        told = SCAN_HELP if tesseract.is_there() else {**SCAN_HELP, "tesseract": NO_TESSERACT}
        scans = _choice("Scanned pages and pictures are read by", SCANS, parsing.scans, SCAN_WORDS, told)
        languages = st.text_input(
            "Languages for Tesseract",
            settings.parsing.scan_languages,
            key="settings.scan_languages",
            help="As it names them, with a plus between: eng+deu.",
        )
        engine = _choice(
            "Words are searched by", LEXICAL_ENGINES, settings.retrieval.lexical_engine, ENGINE_WORDS, ENGINE_HELP
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
                    settings.parsing,
                    reader=reader,
                    web_pages=pages,
                    scans=scans,
                    scan_languages=languages.strip() or "eng",
                    timeout_seconds=int(seconds),
                    memory_megabytes=int(memory),
                ),
                retrieval=replace(settings.retrieval, lexical_engine=engine),
            )
            if wanted != settings:
                background.apply_and_watch(wanted)


def _choice(label: str, names: Sequence[str], now: str, said: Mapping[str, str], told: Mapping[str, str]) -> str:
    """One of the names, each with its words and, below them, what it means."""
    chosen: str = st.radio(
        label, names, index=names.index(now), format_func=said.__getitem__, captions=[told[name] for name in names]
    )
    return chosen


def show_enriching() -> None:
    """The dials in one form, with what they cost; a button makes them the library's own."""
    library = services.library()
    now = library.settings.enriching
    busy = bool(background.active_jobs("apply"))
    with st.form("settings.enriching", border=True):
        indexed = st.multiselect(
            "Indexed as words beside a chunk's own text",
            INDEXED_FEATURES,
            default=[name for name in INDEXED_FEATURES if name in now.indexed],
            format_func=INDEXED_WORDS.__getitem__,
            placeholder="Nothing else",
            key="settings.indexed",
            help="The search by words finds a chunk by these too. What is not chosen is found out all the same: it "
            "is shown beside the chunk, and left to ranking.",
        )
        left, right, _ = st.columns([1, 2, 1])
        keywords = left.number_input(
            "Keywords of a chunk, at most", 0, 50, now.keywords, key="settings.keywords", help="0 looks for none."
        )
        alike = right.slider(
            "Two passages are nearly the same from",
            50,
            100,
            round(100 * now.twin_similarity),
            format="%d %%",
            key="settings.twins",
            help="Of their runs of words, so many are common to both.",
        )
        st.caption(f"{COST} This library: {words.count(services.stats().documents, 'document')}.")
        if st.form_submit_button("Apply", type="primary", disabled=busy or not library.writable):
            wanted = chosen(now, indexed, int(keywords), int(alike))
            if wanted != now:
                background.apply_and_watch(replace(library.settings, enriching=wanted))


def chosen(now: EnrichingSettings, indexed: Sequence[str], keywords: int, alike: int) -> EnrichingSettings:
    """The settings the dials say; a group that was off is found out where its words are indexed.

    ``alike``: in percent. A share between two percents stays as it is where the dial was not turned.

    >>> chosen(EnrichingSettings(features=("genre",)), ["names"], 3, 80).features
    ('genre', 'entities')
    """
    groups = {*now.features, *map(group_of, indexed)}
    return EnrichingSettings(
        features=now.features if groups == {*now.features} else tuple(one for one in FEATURE_GROUPS if one in groups),
        keywords=keywords,
        indexed=now.indexed
        if {*indexed} == {*now.indexed}
        else tuple(one for one in INDEXED_FEATURES if one in indexed),
        twin_similarity=now.twin_similarity if alike == round(100 * now.twin_similarity) else alike / 100,
    )
