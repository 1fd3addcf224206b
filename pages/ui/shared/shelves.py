"""Several libraries: which one this window looks at, and the making, naming and forgetting of others."""

from __future__ import annotations

import re
from pathlib import Path

import streamlit as st

from core.storage import shelf
from core.storage.shelf import KnownLibrary
from pages.ui.shared import services, state
from pages.ui.shared.guard import attempt_and_rerun
from pages.ui.shared.words import escaped


def current() -> KnownLibrary:
    """The library this window looks at."""
    place = services.home()
    known = shelf.shelf(shelf.shelf_file())
    return next((held for held in known if held.path == place), KnownLibrary(place.name, place))


def show_switcher() -> None:
    """The library's name, which opens the choice of another."""
    here = current()
    # One that Streamlit keeps track of is another one, and closed, as soon as it has another name.
    with st.popover(
        escaped(here.name), icon=":material/library_books:", width="content", key="shelf.switcher", on_change="rerun"
    ):
        known = shelf.shelf(shelf.shelf_file())
        for held in known:
            st.button(
                escaped(held.name),
                key=f"shelf.open.{held.path}",
                icon=":material/check:" if held == here else ":material/library_books:",
                disabled=held == here,
                on_click=switch,
                args=[held.path],
                width="stretch",
                help=escaped(str(held.path)),
            )
        st.caption("A library is a folder with its own documents, settings and index. A question looks into one.")
        with st.form("shelf.new", border=False, clear_on_submit=True):
            name = st.text_input("New library", placeholder="Work notes", max_chars=80)
            folder = st.text_input("Its folder", placeholder="beside the first one", help="Leave it empty if unsure.")
            if st.form_submit_button("Make it", icon=":material/add:") and name.strip():
                make(name, folder)


def make(name: str, folder: str) -> None:
    """Put a new library on the shelf and go there."""
    place = Path(folder.strip()).expanduser() if folder.strip() else beside(name)
    attempt_and_rerun(lambda: switch(shelf.add(shelf.shelf_file(), name, place).path))


def beside(name: str) -> Path:
    """A free folder beside the first library, named after the new one."""
    stem = re.sub(r"[^\w-]+", "-", name.strip().lower()).strip("-_") or "library"
    first = shelf.first_home()
    candidates = (first.parent / (stem if number == 1 else f"{stem}-{number}") for number in range(1, 10_000))
    return next(place for place in candidates if not place.exists())


def switch(place: Path) -> None:
    """Look at another library: what was chosen and asked in this one does not hold there."""
    shelf.use(shelf.shelf_file(), place)
    for key in list(st.session_state):
        if isinstance(key, str) and key.startswith(("library.", "chunks.", "ask.", "benchmark.")):
            del st.session_state[key]
    st.session_state[state.LIBRARY] = str(place)
