"""An app with nothing but the reader, over a document of as many characters as ``LECTERN_TEST_CHARACTERS`` asks for."""

from __future__ import annotations

import os

import streamlit as st

from core.chunking import audit, chunk
from core.embedding import packaged_counter
from core.parsing import parse, parser_fingerprint
from core.settings import Settings
from pages.ui.reader import Arrival, shelve, show_reader
from pages.ui.reader_data import Reading, read

SENTENCE = "The gauge at the weir was read at noon, and the level was noted. "
TABLE = "| gauge | level | flow |\n|---|---|---|\n| weir | 112 cm | 40 l/s |\n| lock | 98 cm | 31 l/s |\n\n"
LENGTH = 600_000  # characters: a book


def section(number: int) -> str:
    """One section in three has a table, so that heights differ from what a count of characters says."""
    table = TABLE if number % 3 == 0 else ""
    return f"## Section {number}\n\n{table}{SENTENCE * (8 + number % 29)}\n\nThe fjörd of mark {number}.\n\n"


@st.cache_resource
def reading(characters: int) -> Reading:
    """The document, parsed and cut as any other."""
    parts = ["# A long book 🚀\n\n"]
    written = 0
    while written < characters:
        parts.append(section(len(parts)))
        written += len(parts[-1])
    settings = Settings()
    document = parse("".join(parts).encode(), "book.md", settings.parsing)
    tree = chunk(document, settings.chunking, packaged_counter(), parser_fingerprint(document.kind))
    return read(tree, audit(tree), 256, "recipe")


@st.fragment
def draw(book: Reading) -> None:
    """As on the Chunks page: what is chosen runs this alone."""
    st.write(show_reader(book, Arrival(), key="reader"))


if __name__ == "__main__":  # pytest imports this file too, in search of doctests
    st.set_page_config(layout="wide")
    long_book = reading(int(os.environ.get("LECTERN_TEST_CHARACTERS", LENGTH)))
    shelve(long_book, key="shelf")
    draw(long_book)
