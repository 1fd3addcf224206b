"""A damaged library: the button that repairs it, the progress of the repair, and backups to restore."""

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

_MESSAGES = "repair.told"
_STEP_TEXTS = {
    READ_AGAIN: "Reading documents again",
    ENCODED_AGAIN: "Encoding their chunks",
    "waiting": "Checking what waits to be indexed",
    "rows": "Checking chunks",
    "chroma": "Checking the index of meaning",
}
_repairs: dict[str, Task[list[str]]] = {}  # by the library's folder: every window sees the same repair


def run_or_repair(run: Callable[[], object]) -> None:
    """Run a page. While its library is being repaired, show the progress instead; if it is too damaged to be opened,
    offer the repair.
    """
    place = str(services.home())
    task = _repairs.get(place)
    if task is not None and not _repair_ended(place, task):
        return
    for sentence in st.session_state.pop(_MESSAGES, ()):
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
    """A button that checks the library and repairs it, in the background; its pages show the progress meanwhile."""
    if st.button("Check and repair", key="repair", icon=":material/healing:"):
        place = services.home()
        services.close_library()
        _repairs[str(place)] = Task(str(place), partial(_repaired, place))
        st.rerun()


def _repaired(place: Path, task: Task[list[str]]) -> list[str]:
    def watch(what: str, done: int, total: int) -> None:
        text = _STEP_TEXTS.get(what) or f"Checking {what}"
        task.message = f"{text}: {done:,}{f' of {total:,}' if total else ''}" if done or total else f"{text} …"
        task.tell(done, total)

    with Library.open(place, repair=True) as library:
        return [f"{problem.where}: {problem.what}" for problem in library.verify(repair=True, progress=watch)]


def _progress(task: Task[list[str]]) -> None:
    with guarded():
        if task.over:
            st.rerun()
        bar, button = st.columns([6, 1], vertical_alignment="center")
        done, total = task.progress
        stopping = task.stopping.is_set()
        bar.progress(
            done / total if total else 0.0,
            text="stopping at its next step" if stopping else words.escaped(task.message or "Opening the catalogue …"),
        )
        kept = "What is mended stays; repairing again goes on from there."
        button.button(
            "Cancel", key="repair.cancel", on_click=task.cancel, disabled=stopping, help=kept, width="stretch"
        )


def _repair_ended(place: str, task: Task[list[str]]) -> bool:
    """Whether a repair has ended by itself, so that the page can run; its messages are then kept for the next run.

    Draws the progress while it runs, and a way to go on with it after it was cancelled.
    """
    if not task.over:
        st.markdown("### Repairing the library")
        st.caption("Nothing is deleted. Its pages are back when this is done; what is read again takes longest.")
        st.fragment(_progress, run_every=0.5)(task)
        return False
    services.close_library()  # windows that asked during the repair opened it for reading only
    try:
        st.session_state[_MESSAGES] = task.result() or ["The library is sound."]
    except CancelledError:
        st.warning("Repairing was stopped before all was put back. Nothing is lost: it goes on from there.")
        with st.container(horizontal=True):
            show_repair()
            if st.button("Leave it so for now", key="repair.leave", type="tertiary"):
                del _repairs[place]
                st.rerun()
        return False
    except LecternError as error:
        st.session_state[_MESSAGES] = [str(error)]
    del _repairs[place]
    st.session_state[state.ADDRESS] = None  # so that the page follows its address
    return True


def show_backups() -> None:
    """The library's backups, each with a button that restores it."""
    place = services.home()
    available = backups.backups(place)
    st.subheader(f"Backups: {words.size(sum(backup.size_bytes for backup in available))}")
    st.caption(
        "The catalogue is copied after work, once a day at most; the three newest copies stay, and those of seven "
        "days and four weeks. Originals are not copied: they lie beside it and are never changed."
    )
    for backup in available:
        line, button = st.columns([6, 1], vertical_alignment="center")
        line.markdown(f"{backup.made_at:%d %B %Y, %H:%M} UTC, {words.size(backup.size_bytes)}")
        with button.popover("Restore", width="stretch"):
            st.markdown("The library is then as it was; what was added since is set aside, the present one kept.")
            if st.button("Put it back", key=f"restore.{backup.name}", type="primary"):
                services.close_library()
                with st.spinner("Putting the backup back …"):
                    attempt_and_rerun(partial(backups.restore, place, backup))
