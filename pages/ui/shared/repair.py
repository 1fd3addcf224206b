"""What a person can do about a library that is damaged: have it repaired, and go back to a backup."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from core.errors import CancelledError, LecternError, LibraryDamagedError, StorageError
from core.ingest.rescuing import ENCODED_AGAIN, READ_AGAIN
from core.library import Library
from core.storage import backups
from core.storage.faults import REPAIR
from pages.ui.shared import services, state, words
from pages.ui.shared.guard import attempt_and_rerun, guarded
from pages.ui.shared.tasks import Task

_TOLD = "repair.told"
_SAID = {
    READ_AGAIN: "Reading documents again",
    ENCODED_AGAIN: "Encoding their chunks",
    "waiting": "Checking what waits to be indexed",
    "rows": "Checking chunks",
    "chroma": "Checking the index of meaning",
}
_begun: dict[str, Task[list[str]]] = {}  # by the library's folder: every window sees the work


def run_or_repair(run: Callable[[], object]) -> None:
    """Run a page; where its library is being repaired say how far that is, and offer it where it opens for nothing
    else.
    """
    place = str(services.home())
    task = _begun.get(place)
    if task is not None and not _ended(place, task):
        return
    for sentence in st.session_state.pop(_TOLD, ()):
        st.info(words.escaped(sentence), icon=":material/healing:")
    try:
        run()
    except StorageError as error:
        if not isinstance(error, LibraryDamagedError) and error.remedy != REPAIR:
            raise
        st.error(words.escaped(error.problem), icon=":material/healing:")
        st.markdown(
            "Nothing was deleted. Its documents are read again from their originals; edits, judgments and settings "
            "come from the newest backup and from what can still be read."
        )
        show_repair()


def show_repair() -> None:
    """A button that checks the library and mends what can be mended, in the background of all its pages."""
    if st.button("Check and repair", key="repair", icon=":material/healing:"):
        place = services.home()
        services.let_go()
        _begun[str(place)] = Task(str(place), partial(_repaired, place))
        st.rerun()


def _repaired(place: Path, task: Task[list[str]]) -> list[str]:
    def watch(what: str, done: int, total: int) -> None:
        said = _SAID.get(what) or f"Checking {what}"
        task.said = f"{said}: {done:,}{f' of {total:,}' if total else ''}" if done or total else f"{said} …"
        task.tell(done, total)

    with Library.open(place, repair=True) as library:
        return [f"{problem.where}: {problem.what}" for problem in library.verify(repair=True, progress=watch)]


def _progress(task: Task[list[str]]) -> None:
    with guarded():
        if task.over:
            st.rerun()
        bar, button = st.columns([6, 1], vertical_alignment="center")
        done, total = task.told
        stopping = task.stopping.is_set()
        bar.progress(
            done / total if total else 0.0,
            text="stopping at its next step" if stopping else words.escaped(task.said or "Opening the catalogue …"),
        )
        kept = "What is mended stays; repairing again goes on from there."
        button.button(
            "Cancel", key="repair.cancel", on_click=task.cancel, disabled=stopping, help=kept, width="stretch"
        )


def _ended(place: str, task: Task[list[str]]) -> bool:
    """Whether a repair came to its end, which is told then; drawn is how far it is, or that it was stopped."""
    if not task.over:
        st.markdown("### Repairing the library")
        st.caption("Nothing is deleted. Its pages are back when this is done; what is read again takes longest.")
        st.fragment(_progress, run_every=0.5)(task)
        return False
    services.let_go()  # who asked meanwhile was let read alone
    try:
        st.session_state[_TOLD] = task.result() or ["The library is sound."]
    except CancelledError:
        st.warning("Repairing was stopped before all was put back. Nothing is lost: it goes on from there.")
        with st.container(horizontal=True):
            show_repair()
            if st.button("Leave it so for now", key="repair.leave", type="tertiary"):
                del _begun[place]
                st.rerun()
        return False
    except LecternError as error:
        st.session_state[_TOLD] = [str(error)]
    del _begun[place]
    st.session_state[state.ADDRESS] = None  # the page opens as its address says
    return True


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
                with st.spinner("Putting the backup back …"):
                    attempt_and_rerun(partial(backups.restore, place, backup))
