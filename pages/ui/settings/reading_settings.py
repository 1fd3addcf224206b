"""The tab on reading: which parsers read files and scans, and which engine searches words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.parsing.ocr import tesseract
from core.settings import LEXICAL_ENGINES, READERS, SCANS, WEB_PAGES
from pages.ui.shared import background, services
from pages.ui.shared.words import ENGINE_WORDS

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
ENGINE_HELP = {
    "fts5": "Quick at any size; words that stand in most chunks hardly count.",
    "rank-bm25": "The same postings, where words that stand in most chunks count too: for comparing.",
}


def show_reading() -> None:
    """Draw the form; applying a change reads and cuts what it affects again, in the background."""
    library = services.library()
    settings = library.settings
    with st.form("settings.reading", border=True):
        parsing = settings.parsing
        reader = _choice("Files are read by", READERS, parsing.reader, READER_WORDS, READER_HELP)
        pages = _choice("Of a saved web page, search", WEB_PAGES, parsing.web_pages, PAGE_WORDS, PAGE_HELP)
        scan_help = SCAN_HELP if tesseract.is_installed() else {**SCAN_HELP, "tesseract": NO_TESSERACT}
        scans = _choice("Scanned pages and pictures are read by", SCANS, parsing.scans, SCAN_WORDS, scan_help)
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


def _choice(label: str, names: Sequence[str], now: str, titles: Mapping[str, str], captions: Mapping[str, str]) -> str:
    """Draw a choice of one of the names, each with its title and caption; returns the name chosen."""
    chosen: str = st.radio(
        label,
        names,
        index=names.index(now),
        format_func=titles.__getitem__,
        captions=[captions[name] for name in names],
    )
    return chosen
