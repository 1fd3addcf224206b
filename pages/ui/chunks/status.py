"""The status above the dials: indexed cut or trial, the cost of a trial, and the form that applies it."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial

import streamlit as st

from core.ingest.prepared import describe
from core.library import SourceRow
from core.settings import ChunkingSettings
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.state import Shown
from pages.ui.settings.recipe_words import choice_in_words, in_short
from pages.ui.shared import background, services, state, tasks, words
from pages.ui.shared.guard import guarded

SCOPE_FROM = {"library": "the library's", "kind": "its kind's", "document": "its own"}
APPLYING = "chunks.applying"  # whether the form that applies a trial is open
TAUGHT_ANEW = "The index holds the cut from before the library's headings taught this chunker anew."


def show_status(source: SourceRow, shown: Shown) -> None:
    """Draw the status of side A: progress while it is cut; else its kind, and the buttons that fit it."""
    if shown.waiting:
        progress, back = "Reading sentences: {done} of {total}", partial(chunks_state.turn_back, "a")
        if tasks.finished_or_progress("cut a", shown.waiting, progress, back, "Cutting …", stacked=True):
            st.rerun()
        return
    _, scope = chunks_state.own_settings(source.version_id)
    jobs = background.active_jobs("apply")
    leaves = words.count(len(shown.cut.tree.leaves), "chunk")
    if shown.indexed:
        st.markdown(f":material/check_circle: **As indexed** · {leaves}")
        st.caption(f"{words.escaped(in_short(shown.settings))} · {SCOPE_FROM[scope]}")
        if choice := choice_in_words(shown.cut.tree):
            st.caption(f":material/alt_route: {words.escaped(choice)}")
    elif shown.trial:
        st.markdown(f":material/science: **Trial**, not applied · {leaves}")
        st.caption(change(source.chunks, shown))
    else:
        st.markdown(f":material/pending: **Not indexed yet** · {leaves}")
        st.caption(_why_not(source, shown))
    for sentence in shown.said:
        st.caption(f":material/info: {sentence}")
    if jobs:
        st.fragment(_working, run_every=1.0)()
    elif services.library().writable and not shown.indexed:
        _buttons(source, shown)
    elif scope == "document" and shown.indexed and services.library().writable:
        explanation = "Forget this way of cutting; the document is cut as its kind or the library says."
        if st.button("As the library's", key="chunks.forget", help=explanation, icon=":material/undo:"):
            start_recipe("document", source, None)
            st.rerun()


def change(now: int, shown: Shown) -> str:
    """What a trial would change in this document, in words.

    The number of chunks in the index (``now``) and in the trial, the texts to encode, and about how long that takes.
    """
    trial, texts = len(shown.cut.tree.leaves), shown.cut.unknown()
    seconds = texts / services.library().cutting.texts_a_second()
    return words.escaped(f"{now:,} → {trial:,} chunks · {words.count(texts, 'text')} to encode, {words.about(seconds)}")


def _buttons(source: SourceRow, shown: Shown) -> None:
    """Draw the buttons that apply or reset a trial, or that bring the index up to date."""
    with st.container(horizontal=True, gap="xsmall"):
        if shown.trial:
            opened = st.popover("Apply …", type="primary", key=APPLYING, on_change="rerun")
            if opened.open:  # the cost needs a cut of every document, so it is computed only on request
                with opened:
                    _apply(source, shown.settings)
            st.button("Back", key="chunks.back", help="Back to how it is cut now.", on_click=_back)
        elif st.button("Encode it" if source.by_words else "Bring the index up to date", key="chunks.recut"):
            start_recut(source, alike=_taught_anew(source, shown))
            st.rerun()


def _why_not(source: SourceRow, shown: Shown) -> str:
    """Why the index does not have the cut of the document's own recipe, as a sentence."""
    if source.by_words:
        return "This document is found by its words so far; its meaning is still to be encoded."
    return TAUGHT_ANEW if _taught_anew(source, shown) else "The index still holds another cut."


def _taught_anew(source: SourceRow, shown: Shown) -> bool:
    """Whether the index has the cut that ``learned`` made of these settings and edits before it was trained again."""
    edits = len(shown.cut.made.applied) + len(shown.cut.conflicts)
    return shown.settings.chunker == "learned" and source.recipe == describe(shown.settings, edits)


def _back() -> None:
    chunks_state.turn("a", None)


def _apply(source: SourceRow, settings: ChunkingSettings) -> None:
    """Draw where to apply a trial, what that costs, and the button."""
    kind = words.kind(source.document_kind)
    labels = {"document": "This document", "kind": f"All of its kind: {kind}", "library": "The library"}
    scope = st.radio(
        "Apply to", list(labels), format_func=labels.__getitem__, key=state.CHUNKS_SCOPE, persist_state="session"
    )
    key = {"document": source.version_id, "kind": source.document_kind, "library": ""}[scope]
    library = services.library()
    name = f"{library.revision()} {scope} {key} {settings}"

    task = tasks.get_or_start("cost", name, lambda task: library.cutting.plan(scope, key, settings, task.tell))
    if tasks.finished_or_progress(
        "cost", task, "Reckoning: document {done} of {total}", None, "Reckoning …", stacked=True
    ):
        st.markdown(words.escaped(task.result().sentence))
    if scope != "document" and any(row.scope != "library" for row in library.cutting.recipes()):
        st.caption("Documents that are cut in a way of their own keep it.")
    if st.button("Apply", key="chunks.apply", type="primary", width="stretch"):
        start_recipe(scope, source, settings)
        st.rerun()
    st.caption("It goes on in the background; what is encoded already is not encoded again.")


def start_recipe(scope: str, source: SourceRow, settings: ChunkingSettings | None) -> None:
    """Set the recipe of the library, of a kind or of a document (``None`` removes its own), in the background."""
    library = services.library()
    if scope == "library" and settings is not None:
        background.start_apply(replace(library.settings, chunking=settings))
        return
    key, name = (source.version_id, source.title) if scope == "document" else (source.document_kind, "")
    values = None if settings is None else asdict(settings)
    payload = {"scope": scope, "key": key, "chunking": values}
    background.start("apply", payload, name or f"{words.kind(key)} documents")


def start_recut(source: SourceRow, *, alike: bool = False) -> None:
    """Re-index a document with its recipe and edits, in the background; an equal job in the queue is not doubled.

    ``alike``: all documents of the same recipe too.
    """
    library, versions = services.library(), [source.version_id]
    if alike:
        _, scope = chunks_state.own_settings(source.version_id)
        key = {"document": source.version_id, "kind": source.document_kind, "library": ""}[scope]
        versions = [row.version_id for row in library.cutting.reached(scope, key)]
    payload, name = {"versions": versions}, source.title if len(versions) == 1 else f"{len(versions):,} documents"
    if not any(job.payload == payload for job in library.queue.jobs(states=("queued",), kinds=("apply",))):
        background.start("apply", payload, name)


def _working() -> None:
    """Draw the progress of updating the index."""
    with guarded():
        jobs = background.active_jobs("apply")
        if not jobs:
            st.rerun()
        work = jobs[0]
        with st.container(horizontal=True, wrap=False, gap="xsmall", vertical_alignment="bottom"):
            st.progress(work.share, text=words.escaped(f"{work.name}: {work.words}"))
            if st.button("Cancel", key="chunks.cancel_apply", on_click=background.cancel, args=(work,)):
                st.rerun()
