"""The ways in: files, a whole folder dropped, or a folder of this machine that is kept in step."""

from __future__ import annotations

import streamlit as st

from core.ingest.cost import sentence
from pages.ui.library.folder_adding import show_folder_adding
from pages.ui.shared import background, samples, services, state, words

WAYS = {"Files": ":material/upload_file:", "Folder": ":material/drive_folder_upload:", "Watch": ":material/sync:"}
TOLD_SECONDS = 60  # what takes longer is told before it begins
READABLE = (
    "PDF, scans, pictures, Word, PowerPoint, Excel, OpenDocument, HTML, EPUB, Markdown, RTF, mail, CSV, source code, "
    "plain text"
)


def show_adding(empty: bool) -> None:
    """One way in at a time; an empty library offers the samples beside it."""
    way = st.segmented_control(
        "Add documents",
        list(WAYS),
        format_func=lambda name: f"{WAYS[name]} {SAID[name]}",
        default="Files",
        required=True,
        key=state.WAY_IN,
        label_visibility="collapsed",
    )
    field, button = st.columns([5, 1], vertical_alignment="bottom") if empty else (st.container(), None)
    with field:
        if way == "Watch":
            show_folder_adding()
        else:
            drop_zone(folder=way == "Folder")
    if button and not background.active_jobs():
        button.button(
            "Try it with samples",
            type="primary",
            icon=":material/auto_stories:",
            on_click=lambda: background.take_paths(samples.documents()),
            help="Documents of one fictional company, made to be hard in the ways real ones are.",
        )


SAID = {"Files": "Drop files", "Folder": "Drop a folder", "Watch": "Keep a folder in step"}


def drop_zone(*, folder: bool) -> None:
    """Where files come in; of a folder, each by its way below it, so that two README.md stay two."""
    uploaded = st.file_uploader(
        "Drop a folder here: every file below it" if folder else f"Drop files here: {READABLE}",
        accept_multiple_files="directory" if folder else True,
        key=f"library.upload.{folder}.{state.counter(state.UPLOAD_ROUND)}",
    )
    if not uploaded:
        return
    cost = services.library().cost(background.kinds_and_sizes(uploaded))
    if (cost.seconds or 0) >= TOLD_SECONDS:
        st.info(words.escaped(f"To read: {sentence(cost)}"))
        if not st.button("Read them", type="primary", key="library.upload.read"):
            return
    with st.spinner("Taking the files in …"):
        refused = background.take_uploads(uploaded)
    state.bump(state.UPLOAD_ROUND)
    for problem in refused:
        st.error(words.escaped(problem), icon=":material/error:")
    if not refused:
        st.rerun()
