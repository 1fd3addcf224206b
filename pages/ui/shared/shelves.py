"""Several libraries: which one this window shows, and the menu that switches to another or makes one."""

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
    """The library of this window."""
    folder = services.home()
    known = shelf.shelf(shelf.shelf_file())
    return next((library for library in known if library.path == folder), KnownLibrary(folder.name, folder))


def show_switcher() -> None:
    """Draw the library's name as a menu with the other libraries and a form for a new one."""
    here = current()
    # Streamlit identifies a tracked popover (``on_change="rerun"``) by its label: switching the library closes it.
    with st.popover(
        escaped(here.name), icon=":material/library_books:", width="content", key="shelf.switcher", on_change="rerun"
    ):
        known = shelf.shelf(shelf.shelf_file())
        for library in known:
            st.button(
                escaped(library.name),
                key=f"shelf.open.{library.path}",
                icon=":material/check:" if library == here else ":material/library_books:",
                disabled=library == here,
                on_click=switch,
                args=[library.path],
                width="stretch",
                help=escaped(str(library.path)),
            )
        st.caption("A library is a folder with its own documents, settings and index. A question looks into one.")
        with st.form("shelf.new", border=False, clear_on_submit=True):
            name = st.text_input("New library", placeholder="Work notes", max_chars=80)
            folder = st.text_input("Its folder", placeholder="beside the first one", help="Leave it empty if unsure.")
            if st.form_submit_button("Make it", icon=":material/add:") and name.strip():
                make(name, folder)


def make(name: str, folder: str) -> None:
    """Make a new library and switch to it. ``folder``: "" for one beside the first library."""
    place = Path(folder.strip()).expanduser() if folder.strip() else beside(name)
    attempt_and_rerun(lambda: switch(shelf.add(shelf.shelf_file(), name, place).path))


def beside(name: str) -> Path:
    """A free folder beside the first library, named after the new one."""
    stem = re.sub(r"[^\w-]+", "-", name.strip().lower()).strip("-_") or "library"
    first = shelf.first_home()
    candidates = (first.parent / (stem if number == 1 else f"{stem}-{number}") for number in range(1, 10_000))
    return next(place for place in candidates if not place.exists())


def switch(place: Path) -> None:
    """Show another library in this window, and forget what was chosen and asked in the present one."""
    shelf.use(shelf.shelf_file(), place)
    for key in list(st.session_state):
        if isinstance(key, str) and key.startswith(("library.", "chunks.", "ask.", "benchmark.")):
            del st.session_state[key]
    st.session_state[state.LIBRARY] = str(place)
