"""Background work as the pages start, watch and stop it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import LecternError
from core.jobs import NewItem
from core.settings import Settings
from pages.ui import state, words, works
from pages.ui.services import library
from pages.ui.works import Work

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def take_uploads(files: Sequence[UploadedFile]) -> list[str]:
    """Stage dropped files and queue them; returns a sentence for each that could not be kept."""
    items, refused = [], []
    for file in files:
        try:
            items.append(NewItem(file.name, content_hash=library().stage(file.getvalue())))
        except LecternError as error:
            refused.append(f"{file.name}: {error}")
    if items:
        library().queue.enqueue("ingest", {}, items)
    return refused


def take_paths(paths: Sequence[Path]) -> None:
    """Put files of this machine in the queue."""
    library().queue.enqueue("ingest", {}, [NewItem(path.name, path=path) for path in paths])


def take_items(items: Sequence[NewItem]) -> None:
    """Put what a scan found in the queue."""
    library().queue.enqueue("ingest", {}, items)


def trash(sources: Sequence[int]) -> None:
    """Put these sources in the trash, and offer to undo it."""
    library().trash(sources)
    st.session_state[state.THROWN] = list(sources)


def restore(sources: Sequence[int]) -> None:
    """Bring these sources back from the trash."""
    report = library().restore(sources)
    for failure in report.failures:
        st.toast(words.escaped(failure.reason))
    st.session_state[state.THROWN] = []


def start_apply(settings: Settings) -> None:
    """Make settings the library's own, in the background."""
    library().queue.enqueue("apply", {"settings": settings.to_dict()}, [NewItem("All documents")])


def active_jobs(*kinds: str) -> list[Work]:
    """Waiting and running work of these kinds; of all kinds when none is named."""
    return works.active(library().queue, kinds)


def count_active(*kinds: str) -> int:
    """How much of it there is."""
    return works.count_active(library().queue, kinds)


def failures(*kinds: str) -> list[Work]:
    """What failed and was not dismissed."""
    return works.failed(library().queue, kinds)


def cancel(what: Work) -> None:
    """Stop one file, or a whole piece of work."""
    if what.item is None:
        library().queue.cancel(what.job)
    else:
        library().queue.cancel_item(what.item)


def cancel_all() -> None:
    """Stop everything the Library page waits for."""
    for job in {item.job for item in active_jobs("ingest", "apply")}:
        library().queue.cancel(job)


def retry(what: Work) -> None:
    """Put what failed back in the queue."""
    if what.item is None:
        library().queue.retry(what.job)
    else:
        library().queue.retry_item(what.item)


def unlock(what: Work, password: str) -> None:
    """Read an encrypted file again with its password."""
    if what.item is not None:
        library().unlock(what.item, password)


def dismiss(job: int) -> None:
    """Forget what failed of a job, which may still be at work on its other files."""
    try:
        library().queue.dismiss_failures(job)
    except LecternError as error:
        st.toast(words.escaped(str(error)))
