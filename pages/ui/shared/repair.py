"""What a person can do about a library that is damaged: have it repaired, and go back to a backup."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import streamlit as st

from core.errors import LibraryDamagedError
from core.library import Library
from core.storage import backups
from pages.ui.shared import services, words
from pages.ui.shared.guard import attempt_and_rerun

_TOLD = "repair.told"


@contextmanager
def repairable() -> Iterator[None]:
    """Where the library opens for repair alone, offer that in place of the page."""
    try:
        yield
    except LibraryDamagedError as error:
        st.error(words.escaped(error.problem), icon=":material/healing:")
        st.markdown(
            "Nothing was deleted. Its documents are read again from their originals; edits, judgments and settings "
            "come from the newest backup and from what can still be read."
        )
        show_repair()


def show_repair() -> None:
    """A button that checks the library and mends what can be mended, and what came of it."""
    if st.button("Check and repair", key="repair", icon=":material/healing:"):
        with st.spinner("Repairing the library …"):
            attempt_and_rerun(_repair)
    told = st.session_state.pop(_TOLD, None)
    if told == []:
        st.success("The library is sound.")
    for sentence in told or []:
        st.warning(words.escaped(sentence))


def show_backups() -> None:
    """The backups there are, and a button for each that puts it back."""
    place = services.home()
    there = backups.backups(place)
    st.subheader(f"Backups: {words.size(sum(backup.size_bytes for backup in there))}")
    st.caption(
        "The catalogue is copied after work, once a day at most; copies of seven days and four weeks stay. Originals "
        "are not copied: they lie beside it and are never changed."
    )
    for backup in there:
        line, button = st.columns([6, 1], vertical_alignment="center")
        line.markdown(f"{backup.made_at:%d %B %Y, %H:%M} UTC, {words.size(backup.size_bytes)}")
        with button.popover("Restore", width="stretch"):
            st.markdown("The library is then as it was; what was added since is set aside, the present one kept.")
            if st.button("Put it back", key=f"restore.{backup.name}", type="primary"):
                services.let_go()
                attempt_and_rerun(partial(backups.restore, place, backup))


def _repair() -> None:
    place: Path = services.home()
    services.let_go()
    with Library.open(place, repair=True) as library:
        problems = library.verify(repair=True)
    st.session_state[_TOLD] = [f"{problem.where}: {problem.what}" for problem in problems]
