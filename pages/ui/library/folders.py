"""The folders that are kept in step: the state, switch and menu of each, its questions, and the log of events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.watching.folder_sync import Standing
from core.watching.words import happened
from pages.ui.library.adding import parted
from pages.ui.shared import background, services, words
from pages.ui.shared.guard import attempt_or_toast, guarded

LINES = 30  # of the log
_REDRAWN_SECONDS = 3.0


def show_folders(drawn_at: int) -> None:
    """Draw a row for each folder, and the log. ``drawn_at``: the library's revision before the page read anything."""
    if services.library().folders.all():
        st.fragment(_folders, run_every=_REDRAWN_SECONDS)(drawn_at, bool(background.active_jobs()))


def _folders(drawn_at: int, was_busy: bool) -> None:
    with guarded():
        library = services.library()
        # Work that the watcher started is shown by other parts of the page, so the whole page has to run.
        if not was_busy and (library.revision() != drawn_at or background.active_jobs()):
            st.rerun()
        standing = library.folders.standing()
        with st.container(border=True, gap="small"):
            for each in standing:
                _row(each, library.writable)
            _log({each.folder.id: each.folder.path for each in standing})


def state_of(each: Standing) -> tuple[str, str]:
    """A folder's state as an icon and a phrase.

    >>> from core.storage.catalogue.filing.folders import Folder
    >>> here = Path("/")
    >>> state_of(Standing(Folder(1, here, (), "", "2026"), 3, 0, 1, 0))
    (':material/check_circle:', 'in step · 3 documents · 1 could not be read')
    >>> state_of(Standing(Folder(1, here, (), "", "2026", False, 12), 3, 0, 0, 0))[1]
    '12 files are gone at once'
    >>> state_of(Standing(Folder(1, here / "not there", (), "", "", False), 0, 0, 0, 0))[1]
    'not there: is its disk connected? Nothing is removed'
    """
    parts = [words.count(each.held, "document")]
    if each.failed:
        parts.append(f"{each.failed:,} could not be read")
    if each.left:
        parts.append(f"{each.left:,} left out")
    if each.missing:
        return ":material/error:", "not there: is its disk connected? Nothing is removed"
    if each.folder.asked:
        return ":material/help:", f"{each.folder.asked:,} files are gone at once"
    if each.reading:
        return ":material/sync:", " · ".join((f"{each.reading:,} to read", *parts))
    if not each.folder.scanned_at:
        return ":material/sync:", "about to be looked at"
    return ":material/check_circle:", " · ".join(("in step", *parts))


def _row(each: Standing, writable: bool) -> None:
    folder = each.folder
    icon, phrase = (":material/pause_circle:", "paused") if folder.paused and not each.missing else state_of(each)
    name, standing, switch, more = st.columns([3.6, 3.7, 1.7, 1], vertical_alignment="center")
    name.markdown(f":material/folder: **{words.escaped(folder.path.name or str(folder.path))}**", help=str(folder.path))
    standing.markdown(f"{icon} {words.escaped(phrase)}")
    if not writable:
        return
    switch.toggle(
        "Watch",
        value=not folder.paused,
        key=f"library.folder.watch.{folder.id}.{folder.paused}",
        on_change=_pause,
        args=[folder.id, not folder.paused],
        help="Off: the folder is left alone until it is on again.",
    )
    with more.popover("", icon=":material/more_horiz:", help=f"More about {folder.path.name}"):
        _more(each)
    if folder.asked and not folder.paused and not each.missing:
        _ask(each)


def _more(each: Standing) -> None:
    """The menu of a folder: its new place if it is missing, its patterns, and the way to forget it."""
    folder = each.folder
    st.caption(words.escaped(str(folder.path)))
    if each.missing:
        with st.form(f"library.folder.elsewhere.{folder.id}", border=False):
            path = st.text_input("It lies somewhere else now", placeholder=str(folder.path))
            if st.form_submit_button("Follow it there") and path.strip():
                _change(lambda: services.library().folders.relocate(folder.id, Path(path.strip())))
                st.rerun()
    else:
        with st.form(f"library.folder.change.{folder.id}", border=False):
            patterns = st.text_input("Pass over", value=", ".join(folder.patterns), placeholder="drafts/, *.bak")
            if st.form_submit_button("Change", help="What was read already stays."):
                _change(lambda: services.library().folders.add(folder.path, parted(patterns), paused=folder.paused))
                st.rerun()
        st.button(
            "Look now",
            on_click=services.check_folders_now,
            key=f"library.folder.now.{folder.id}",
            disabled=folder.paused,
        )
    st.button(
        "Forget",
        on_click=lambda: _change(lambda: services.library().folders.forget(folder.id)),
        key=f"library.folder.forget.{folder.id}",
        help="The folder is no longer kept in step. The documents that came from it stay.",
    )


def _ask(each: Standing) -> None:
    """The question what to do about many files that are missing at once."""
    folder = each.folder
    gone = words.count(folder.asked, "file")
    st.warning(
        f"{gone} of {words.escaped(folder.path.name)} are gone at once, as when a disk is not connected. "
        "Nothing was removed. If they were deleted on purpose, let their documents go; the trash keeps them 30 days.",
        icon=":material/help:",
    )
    go, keep, _ = st.columns([3, 3, 3])
    go.button(
        "Put their documents in the trash",
        key=f"library.folder.go.{folder.id}",
        on_click=lambda: _change(lambda: services.library().folders.sweep([folder.id], lambda _: None, sure=True)),
        width="stretch",
    )
    keep.button(
        "Keep their documents",
        key=f"library.folder.stay.{folder.id}",
        on_click=lambda: _change(lambda: services.library().folders.keep_gone(folder.id)),
        width="stretch",
    )


def _log(paths: dict[int, Path]) -> None:
    events = services.library().folders.events(limit=LINES)
    if not events:
        return
    last = happened(replace(events[0], detail=""))
    with st.expander(f"What happened lately: {words.escaped(last)}", icon=":material/history:"):
        st.dataframe(
            {
                "When": [event.at for event in events],
                "Folder": [paths[event.folder].name for event in events],
                "What happened": [happened(event) for event in events],
            },
            hide_index=True,
            height=min(320, 38 + 35 * len(events)),
            column_config={"When": st.column_config.DatetimeColumn(format="distance")},
            alt="What happened lately in the folders",
        )


def _pause(folder_id: int, paused: bool) -> None:
    _change(lambda: services.library().folders.pause(folder_id, paused))


def _change(action: Callable[[], object]) -> None:
    if attempt_or_toast(action):
        services.check_folders_now()
