"""The tabs on privacy and on places: promises, the library's folder, disk use, archives and erasing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from core.storage import archive, shelf
from pages.ui.server.login import offer_logout
from pages.ui.shared import language, services, state, words
from pages.ui.shared.guard import attempt_and_rerun, guarded
from pages.ui.shared.shelves import beside, current, switch

STAYS = "Nothing leaves this machine"
PROMISES = (
    (
        "No account needed",
        "The embedder came with the installation. Another one is fetched by your click alone.",
    ),
    (
        "Your files stay as they are",
        "Lectern keeps a copy of what it read, in the library's folder, and never writes to your own files.",
    ),
    (
        "Documents cannot act",
        "Files are opened by their own process without network or files, old ones by LibreOffice. Text stays text.",
    ),
    ("Passwords are not written down", "A password you give for a file is kept in memory until Lectern ends."),
    (
        "What is written down",
        "Your questions and what was read for them stay in the library's log; Benchmark's “Over time” turns it off.",
    ),
)
PARTS = {
    "text_bytes": "Text, structure and chunks",
    "vectors_bytes": "Vectors",
    "lexical_bytes": "Index of words",
    "chroma_bytes": "Index of vectors (Chroma)",
    "files_bytes": "Originals",
    "cache_bytes": "Pictures of pages",
    "backups_bytes": "Backups",
    "other_bytes": "Benchmark reports",
}


def show_privacy() -> None:
    """Draw the promises, the first of them as the present settings have it, one line each."""
    hosts = " and ".join(sorted({*language.leaving(services.library()).values()}))
    stays = "Only what you agreed to leaves this machine" if hosts else STAYS
    asked = (
        f"It asks {words.escaped(hosts)}, as you agreed."
        if hosts
        else "A language model is asked only where you agreed."
    )
    first = stays, f"The app listens on 127.0.0.1 and answers you alone. {asked}"
    for title, text in (first, *PROMISES):
        st.markdown(f":material/check: **{title}.** {text}")
    offer_logout()


def show_places() -> None:
    """Draw the library's folder and name, and the other known libraries."""
    here = current()
    st.subheader("This library")
    st.code(str(here.path), language=None, wrap_lines=True)
    name, button, _ = st.columns([3, 1, 3], vertical_alignment="bottom")
    wanted = name.text_input("Its name", here.name, max_chars=80, key=f"settings.name.{here.path}")
    if button.button("Rename", disabled=not wanted.strip() or wanted == here.name, width="stretch"):
        attempt_and_rerun(lambda: shelf.rename(shelf.shelf_file(), here.path, wanted))
    for other in shelf.shelf(shelf.shelf_file()):
        if other.path in (here.path, shelf.first_home()):
            continue
        line, forget = st.columns([6, 1], vertical_alignment="center")
        line.markdown(f":material/library_books: **{words.escaped(other.name)}** {words.escaped(str(other.path))}")
        if forget.button(
            "Forget", key=f"settings.forget.{other.path}", width="stretch", help="Its folder stays on disk."
        ):
            attempt_and_rerun(partial(shelf.forget, shelf.shelf_file(), other.path))
    st.caption(
        "Other libraries are made and chosen at the top of the Library page. LECTERN_HOME names the folder of the "
        "first one before Lectern is started."
    )


def show_disk() -> None:
    """Draw the disk use of the library by part."""
    stats = services.stats()
    st.subheader(f"On disk: {words.size(stats.total_bytes)}")
    sizes = {label: getattr(stats, name) for name, label in PARTS.items()}
    st.dataframe(
        {
            "Part": list(sizes),
            "Size": [words.size(value) for value in sizes.values()],
            "Share": [100 * value / max(1, stats.total_bytes) for value in sizes.values()],
        },
        hide_index=True,
        width=640,
        column_config={"Share": st.column_config.ProgressColumn(format="%.0f %%", min_value=0, max_value=100)},
        alt="Disk use by part",
    )
    if stats.trash:
        thrown = words.count(stats.trash, "document")
        st.caption(f"Of the originals, {words.size(stats.trash_bytes)} lie in the trash ({thrown}).")
    if stats.recall is not None:
        st.caption(
            f"Chroma names {words.share(stats.recall)} of the chunks nearest to a question, as it was last measured "
            "against comparing every vector."
        )


def show_archive() -> None:
    """Draw the forms that write a library to an archive, make one of an archive, and erase what was removed."""
    here = current()
    st.subheader("Out and in")
    place, vectors, button = st.columns([4, 2, 2], vertical_alignment="bottom")
    target = place.text_input("Write all of it to one file", f"{here.path}.zip", key=f"settings.archive.{here.path}")
    whole = vectors.checkbox("With vectors", value=True, help="Without them the file is smaller, and is encoded anew.")
    if button.button("Make an archive", key="settings.archive", icon=":material/archive:", width="stretch"):
        with st.spinner("Packing …"), guarded():
            count = archive.archive(here.path, Path(target.strip()).expanduser(), vectors=whole)
            made = "it" if count == 1 else "them"
            st.success(f"{words.count(count, 'original')} and everything made of {made} are in it.")
    place, name, button = st.columns([4, 2, 2], vertical_alignment="bottom")
    source = place.text_input("Make a library of an archive", placeholder="/path/of/the/archive.zip")
    called = name.text_input("Its name", max_chars=80, key="settings.unarchive.name")
    ready = bool(source.strip() and called.strip())
    if button.button("Take it in", disabled=not ready, icon=":material/unarchive:", width="stretch"):
        with st.spinner("Checking and unpacking …"):
            attempt_and_rerun(partial(_take_in, Path(source.strip()).expanduser(), called))
    # A new key makes a new popover, which is closed.
    key = f"settings.erasing.{state.counter(state.ERASED)}"
    with st.popover("Erase what was removed", icon=":material/delete_forever:", key=key, on_change="rerun"):
        st.markdown("This cannot be undone.")
        copies = st.checkbox("Backups, what was set aside and reports of benchmarks too", key="settings.erase.copies")
        if st.button("Erase for good", key="settings.erase", type="primary"):
            with st.spinner("Erasing …"):
                attempt_and_rerun(partial(_erase, copies=copies))
    st.caption(
        "Removed documents leave traces in free space, logs and copies. Erasing takes their judgments along, "
        "and the whole log of your questions."
    )


def _erase(*, copies: bool) -> None:
    services.library().erase(copies=copies)
    state.bump(state.ERASED)


def _take_in(source: Path, name: str) -> None:
    place = beside(name)
    archive.unarchive(source, place)
    switch(shelf.add(shelf.shelf_file(), name, place).path)
