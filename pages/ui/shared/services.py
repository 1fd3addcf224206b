"""What the pages ask of core, cached: one library and one worker a process, shared by every window."""

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
from core.watching.watcher import Watcher
from pages.ui.shared import language, state, words, work


@dataclass(frozen=True, slots=True)
class Desk:
    """One open library, its worker, and what keeps its folders in step. ``locked``: why it is only read, "" when this
    process writes it.
    """

    library: Library
    worker: Worker | None
    watcher: Watcher | None
    locked: str


def home() -> Path:
    """The folder of the library this window looks at: the one chosen in it, else the one used last."""
    chosen = st.session_state.get(state.LIBRARY)
    return Path(chosen) if chosen else shelf.last_used(shelf.shelf_file())


@st.cache_resource(show_spinner="Opening the library …", on_release=lambda desk: _close(desk))
def _desk(place: str) -> Desk:
    try:
        opened = Library.open(Path(place))
    except LibraryLockedError as error:
        return Desk(Library.open(Path(place), write=False), None, None, str(error))
    for job in opened.queue.jobs():
        told = (
            job.kind == "bench"
            or (job.kind in (KIND, work.NEEDLES, work.REMEDIES) and job.state == "done")
            or (job.kind == "ingest" and job.items_cancelled)
        )  # what came of it, or was not read, is still to be shown
        if not told and job.finished and not job.items_failed and job.state != "failed":
            opened.queue.dismiss(job.id)
    worker = Worker(opened.queue, work.handlers(opened))
    watcher = Watcher(opened.folders)
    worker.start()
    watcher.start()
    if opened.sources():  # both take seconds to load: have them ready before the first question
        Thread(target=_warm, args=[opened], name="lectern-warm", daemon=True).start()
    return Desk(opened, worker, watcher, "")


def _warm(library: Library) -> None:
    library.searcher.encode(["ready"])
    parsed([])  # its turn: whoever asks meanwhile waits for this one and loads no second


def _close(desk: Desk) -> None:
    if desk.watcher:
        desk.watcher.stop()
    if desk.worker:
        desk.worker.stop()
    desk.library.close()


def library() -> Library:
    """The open library of this process."""
    opened = _desk(str(home())).library
    language.lend(opened)
    return opened


def let_go() -> None:
    """Close the library this window looks at; what asks for it next opens it again."""
    _desk.clear(str(home()))


def look_now() -> None:
    """Have the folders of the library looked at, now that one was added, taken up again or asked about."""
    watcher = _desk(str(home())).watcher
    if watcher:
        watcher.poke()


def banner() -> None:
    """Say so where the library was mended, where another program writes it, and what leaves this machine."""
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
    """Counts and bytes of the library as it is now."""
    return _stats(str(home()), library().revision())


@st.cache_resource(max_entries=2, show_spinner=False)
def _stats(place: str, revision: int) -> Stats:
    return library().stats()


def sources() -> list[SourceRow]:
    """As ``Library.sources``, read once for each state of the library: not to be changed by who gets it."""
    return _sources(str(home()), library().revision())


@st.cache_resource(max_entries=2, show_spinner=False)
def _sources(place: str, revision: int) -> list[SourceRow]:
    return library().sources()


def kind_of(version: str) -> str:
    """Of which kind a document is; "" for one that is not here (any more)."""
    return _kinds(str(home()), library().revision()).get(version, "")


@st.cache_resource(max_entries=2, show_spinner=False)
def _kinds(place: str, revision: int) -> dict[str, str]:
    return {source.version_id: source.document_kind for source in sources()}


def gap_reasons(source: SourceRow) -> tuple[str, ...]:
    """Why parts of a document are in no chunk, each reason once; () where all is covered."""
    return () if source.covered >= 1 else _gap_reasons(str(home()), source.version_id, source.recipe_fingerprint)


@st.cache_resource(max_entries=4096, show_spinner=False)
def _gap_reasons(place: str, version: str, recipe: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(gap.reason for gap in library().audit(version).gaps))
