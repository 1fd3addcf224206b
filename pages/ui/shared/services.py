"""The open libraries, each with its worker and folder watcher, shared by all windows; and cached reads of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import streamlit as st

from core.errors import LibraryLockedError
from core.evaluation.making.prose import parsed
from core.ingest.jobs import Worker
from core.library import Library, SourceRow, Stats
from core.refitting.taught_rerankers import KIND
from core.storage import shelf
from core.storage.catalogue.job_rows import Job
from core.watching.watcher import Watcher
from pages.ui.shared import language, state, words, work


@dataclass(frozen=True, slots=True)
class Desk:
    """One open library, its worker and its folder watcher.

    ``locked``: why the library is open for reading only, "" if this process writes it. Worker and watcher are ``None``
    in a library that is only read.
    """

    library: Library
    worker: Worker | None
    watcher: Watcher | None
    locked: str


def home() -> Path:
    """The folder of this window's library: the one chosen in this window, else the one used last."""
    chosen = st.session_state.get(state.LIBRARY)
    return Path(chosen) if chosen else shelf.last_used(shelf.shelf_file())


@st.cache_resource(show_spinner="Opening the library …", on_release=lambda desk: _close(desk))
def _desk(place: str) -> Desk:
    try:
        opened = Library.open(Path(place))
    except LibraryLockedError as error:
        return Desk(Library.open(Path(place), write=False), None, None, str(error))
    for job in opened.queue.jobs():
        if job.finished and not job.items_failed and job.state != "failed" and not _is_shown(job):
            opened.queue.dismiss(job.id)
    worker = Worker(opened.queue, work.handlers(opened))
    watcher = Watcher(opened.folders)
    worker.start()
    watcher.start()
    if opened.sources():
        Thread(target=_warm, args=[opened], name="lectern-warm", daemon=True).start()
    return Desk(opened, worker, watcher, "")


def _is_shown(job: Job) -> bool:
    """Whether pages still show something of a finished job: its result, or files that were cancelled."""
    if job.kind == "ingest":
        return bool(job.items_cancelled)
    return job.kind == "bench" or (job.kind in (KIND, work.NEEDLES, work.REMEDIES) and job.state == "done")


def _warm(library: Library) -> None:
    """Load the encoder and spaCy's model, which take seconds each, before the first question needs them."""
    library.searcher.encode(["ready"])
    parsed([])


def _close(desk: Desk) -> None:
    if desk.watcher:
        desk.watcher.stop()
    if desk.worker:
        desk.worker.stop()
    desk.library.close()


def library() -> Library:
    """The library of this window, opened at the first call, with the language model as it is set up now."""
    opened = _desk(str(home())).library
    language.apply_to(opened)
    return opened


def close_library() -> None:
    """Close this window's library; the next call of ``library`` opens it again."""
    _desk.clear(str(home()))


def check_folders_now() -> None:
    """Have the watcher check the library's folders now; without effect where the library is only read."""
    watcher = _desk(str(home())).watcher
    if watcher:
        watcher.poke()


def banner() -> None:
    """Draw the notices of every page: texts that leave this machine, a repaired library, one that is only read."""
    language.mark_leaving(library())
    if notice := library().notice:
        st.warning(words.escaped(notice), icon=":material/healing:")
    locked = _desk(str(home())).locked
    if not locked:
        return
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.warning(f"Reading only. {words.escaped(locked)}", icon=":material/lock:")
    if button.button("Try again", width="stretch"):
        _desk.clear(str(home()))
        st.rerun()


def stats() -> Stats:
    """Counts and bytes of the library, cached for each revision."""
    return _stats(str(home()), library().revision())


@st.cache_resource(max_entries=2, show_spinner=False)
def _stats(place: str, revision: int) -> Stats:
    return library().stats()


def sources() -> list[SourceRow]:
    """As ``Library.sources``, cached for each revision: callers must not change the list."""
    return _sources(str(home()), library().revision())


@st.cache_resource(max_entries=2, show_spinner=False)
def _sources(place: str, revision: int) -> list[SourceRow]:
    return library().sources()


def outdated() -> list[str]:
    """As ``Cutting.outdated``, cached for each revision: callers must not change the list."""
    return _outdated(str(home()), library().revision())


@st.cache_resource(max_entries=2, show_spinner=False)
def _outdated(place: str, revision: int) -> list[str]:
    return library().cutting.outdated()


def kind_of(version: str) -> str:
    """The kind of a document, such as "pdf"; "" for a document that is not in the library."""
    return _kinds(str(home()), library().revision()).get(version, "")


@st.cache_resource(max_entries=2, show_spinner=False)
def _kinds(place: str, revision: int) -> dict[str, str]:
    return {source.version_id: source.document_kind for source in sources()}


def gap_reasons(source: SourceRow) -> tuple[str, ...]:
    """The distinct reasons why parts of a document are in no chunk; () if all of it is covered."""
    return () if source.covered >= 1 else _gap_reasons(str(home()), source.version_id, source.recipe_fingerprint)


@st.cache_resource(max_entries=4096, show_spinner=False)
def _gap_reasons(place: str, version: str, recipe: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(gap.reason for gap in library().audit(version).gaps))
