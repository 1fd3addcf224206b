"""What the pages ask of core, cached: one library and one worker a process, shared by every window."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any

import streamlit as st

from core.errors import LibraryLockedError
from core.jobs import Worker
from core.library import Library, SearchResult, SourceRow, Stats
from core.settings import Settings
from core.types import Answer, Document, Span
from pages.ui import words, work

PAGE_SCALE = 1.8  # pixels a point: sharp in the reader's column, a few hundred kilobytes


@dataclass(frozen=True, slots=True)
class Desk:
    """One open library. ``locked``: why it is only read, "" when this process writes it."""

    library: Library
    worker: Worker | None
    locked: str


def home() -> Path:
    """The library's folder: ``LECTERN_HOME``, else ``data/library`` beside the app."""
    named = os.environ.get("LECTERN_HOME", "").strip()
    return Path(named).expanduser() if named else Path(__file__).parents[2] / "data" / "library"


@st.cache_resource(show_spinner="Opening the library …", on_release=lambda desk: _close(desk))
def _desk(place: str) -> Desk:
    try:
        opened = Library.open(Path(place))
    except LibraryLockedError as error:
        return Desk(Library.open(Path(place), write=False), None, str(error))
    for job in opened.queue.jobs():
        if job.kind != "bench" and job.finished and not job.items_failed and job.state != "failed":
            opened.queue.dismiss(job.id)
    worker = Worker(opened.queue, work.handlers(opened))
    worker.start()
    if opened.sources():  # the encoder takes seconds to load: have it ready before the first question
        Thread(target=opened.warm, args=[["ready"]], name="lectern-warm", daemon=True).start()
    return Desk(opened, worker, "")


def _close(desk: Desk) -> None:
    if desk.worker:
        desk.worker.stop()
    desk.library.close()


def library() -> Library:
    """The open library of this process."""
    return _desk(str(home())).library


def banner() -> None:
    """Say so where another program writes the library and this one only reads."""
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


@st.cache_resource(max_entries=16, show_spinner=False)
def document(version: str) -> Document:
    """A document with its structure. A version's parse may change with its parser only, hence no revision."""
    return library().document(version)


@st.cache_resource(max_entries=8, show_spinner=False)
def reader_payload(version: str, revision: int) -> dict[str, Any]:
    """What the reader draws; shared, so never changed."""
    from pages.ui.reader import reader_data

    held = library()
    recipe = next((source.recipe_fingerprint for source in held.sources() if source.version_id == version), "")
    return reader_data(held.tree(version), held.audit(version), held.model.encoder.max_tokens, recipe)


def gap_reasons(source: SourceRow) -> tuple[str, ...]:
    """Why parts of a document are in no chunk, each reason once; () where all is covered."""
    return () if source.covered >= 1 else _gap_reasons(str(home()), source.version_id, source.recipe_fingerprint)


@st.cache_resource(max_entries=4096, show_spinner=False)
def _gap_reasons(place: str, version: str, recipe: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(gap.reason for gap in library().audit(version).gaps))


def chunk_at(version: str, span: Span) -> str | None:
    """The leaf that shares most with a span; ``None`` when none does."""
    rows = reader_payload(version, library().revision())["leaves"]
    best = max(rows, key=lambda row: span.overlap(Span(row[0], row[1])), default=None)
    return best[5] if best and span.overlap(Span(best[0], best[1])) else None


def page_of_chunk(version: str, chunk: str | None) -> int:
    """The page a chunk begins on; 0 when unknown."""
    data = reader_payload(version, library().revision())
    return next((page for row, page in zip(data["leaves"], data["leafPages"], strict=True) if row[5] == chunk), 0)


@st.cache_resource(max_entries=12, show_spinner="Drawing the page …")
def page_sheet(version: str, number: int, revision: int) -> dict[str, Any]:
    """A page's picture and every chunk's boxes on it, in percent of the page."""
    from core.parsing.pdf_images import render_page
    from core.text.places import boxes_of

    held = library()
    paper = document(version).pages
    page = paper[max(1, min(number, len(paper))) - 1]
    picture = render_page(held.original(version), page.number, PAGE_SCALE, held.settings.parsing)
    across, down = 100 / page.width, 100 / page.height
    boxes = [
        [index, box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down]
        for index, leaf in enumerate(reader_payload(version, revision)["leaves"])
        for box in boxes_of(document(version), Span(leaf[0], leaf[1]))
        if box.page == page.number
    ]
    return {
        "number": page.number,
        "count": len(paper),
        "width": page.width,
        "height": page.height,
        "image": f"data:image/png;base64,{base64.b64encode(picture).decode()}",
        "boxes": boxes,
    }


def search_key(question: str, settings: Settings) -> str:
    """Names a result: same question, same settings, same library."""
    return f"{library().revision()}|{settings.fingerprint()}|{question}"


def search(question: str, settings: Settings) -> SearchResult:
    """What was found, and what the reader gets of it."""
    return _search(str(home()), search_key(question, settings), question, settings)


@st.cache_resource(max_entries=48, show_spinner=False)
def _search(place: str, key: str, _question: str, _settings: Settings) -> SearchResult:
    return library().search(_question, _settings)


def quotes(question: str, settings: Settings) -> tuple[Answer, float]:
    """The supporting sentences of ``search``, and the milliseconds they took: sentences not met before are encoded."""
    return _quotes(str(home()), search_key(question, settings), search(question, settings))


@st.cache_resource(max_entries=48, show_spinner=False)
def _quotes(place: str, key: str, _result: SearchResult) -> tuple[Answer, float]:
    started = perf_counter()
    answer = library().quotes(_result)
    return answer, (perf_counter() - started) * 1000
