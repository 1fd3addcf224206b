"""The Library page: add documents, see the progress of reading them, and organise them."""

from __future__ import annotations

import streamlit as st

from core.chunking.auditing import UNEXPLAINED
from core.library import SourceRow
from pages.ui.library import documents
from pages.ui.library.adding import show_adding, show_ready
from pages.ui.library.folders import show_folders
from pages.ui.library.trash import show_trash, show_undo
from pages.ui.shared import services, words
from pages.ui.shared.empty_states import show_lessons
from pages.ui.shared.entry import enter
from pages.ui.shared.queue import show_queue
from pages.ui.shared.shelves import show_switcher


def main() -> None:
    """Draw totals, the ways to add documents, the queue, folders, documents and the trash."""
    library = services.library()
    drawn_at = library.revision()  # before anything is read, so that a later change counts as not drawn
    sources = services.sources()
    documents.arrive()
    show_switcher()
    if sources:
        totals(sources)
    else:
        welcome()
    if library.writable:
        show_undo()
        show_adding(empty=not sources)
        show_queue(drawn_at)
        show_ready()
    show_folders(drawn_at)
    if sources:
        documents.show_documents(sources)
    else:
        show_lessons(LESSONS)
    documents.say()
    if library.writable:
        show_trash()


def welcome() -> None:
    """Draw the title and the sentence of an empty library."""
    st.title("A library you can see into")
    st.markdown(
        "Put your documents in, see how each is cut, ask, and read every answer at its source. All on this machine."
    )


def totals(sources: list[SourceRow]) -> None:
    """Draw the figures at the top."""
    stats = services.stats()
    columns = st.container(key="library_totals").columns(5)
    columns[0].metric("Documents", f"{stats.sources:,}")
    columns[1].metric("Chunks", f"{stats.chunks:,}")
    losing = sum(UNEXPLAINED in services.gap_reasons(source) for source in sources)
    columns[2].metric(
        "Text kept",
        words.share(stats.coverage),
        _loss_words(losing, sum(source.read is not None and not source.read.whole for source in sources)),
        delta_color="inverse" if losing else "off",
        delta_arrow="off",
        help="Coverage: the share of the non-blank characters that some chunk holds. Front matter and running page "
        "headers are set aside and listed in Chunks; anything else would be a loss.",
    )
    columns[3].metric(
        "Too long",
        words.count(stats.truncated, "chunk"),
        help="Truncated: chunks longer than the embedder reads. Their ends are found by words alone.",
    )
    columns[4].metric("On disk", words.size(stats.total_bytes), help=f"In {services.home()}")


def _loss_words(losing: int, in_part: int) -> str:
    """How many documents lost text; if none did, how many were read in part."""
    if losing:
        return f"lost in {words.count(losing, 'document')}"
    return f"{words.count(in_part, 'document')} read in part" if in_part else "nothing lost"


LESSONS = (
    (
        "data_array",
        "Chunks",
        "The pieces that a document is cut into, drawn on its text: where each begins, why it ends, what is in none.",
    ),
    (
        "search",
        "Ask",
        "Answers quoted word for word, each with its place, and all that was found for them, step by step.",
    ),
    (
        "bar_chart",
        "Benchmark",
        "Which way of cutting and searching finds more, measured on questions whose answers are known.",
    ),
)

enter("library")
main()
