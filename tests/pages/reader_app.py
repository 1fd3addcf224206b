"""An app with nothing but the reader, over a document of 600,000 characters: what ``test_browser`` times."""

from __future__ import annotations

import streamlit as st

from core.chunking import audit, chunk
from core.embedding import packaged_counter
from core.parsing import parse, parser_fingerprint
from core.settings import Settings
from pages.ui.reader import Arrival, reader_data, show_reader

SECTION = "## Section {number}\n\n" + "The gauge at the weir was read at noon, and the level was noted. " * 22 + "\n\n"


@st.cache_resource
def data() -> dict[str, object]:
    """The document, parsed and cut as any other."""
    text = "# A long book 🚀\n\n" + "".join(SECTION.format(number=number) for number in range(420))
    settings = Settings()
    document = parse(text.encode(), "book.md", settings.parsing)
    tree = chunk(document, settings.chunking, packaged_counter(), parser_fingerprint(document.kind))
    return reader_data(tree, audit(tree), 256, "recipe")


if __name__ == "__main__":  # pytest imports this file too, in search of doctests
    st.set_page_config(layout="wide")
    st.write(show_reader(data(), Arrival(), key="reader"))
