"""A folder of this machine looked through: first what is there, and only then, when a person says so, taken in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.errors import LecternError
from core.library import Changes, Folder
from pages.ui.shared import background, services, state, words

LISTED = 200
STATES = {
    "new": ("New", "would be read"),
    "changed": ("Changed", "would be read again"),
    "unchanged": ("As it was", "nothing to do"),
    "unsupported": ("Not read", "no reader for this kind of file"),
}


def show_scan() -> None:
    """A path, what to pass over, and the folders scanned before."""
    with st.form("library.scan", border=True):
        path, ignore, button = st.columns([5, 3, 1], vertical_alignment="bottom")
        wanted = path.text_input("Folder", placeholder="~/Documents/notes", key="library.scan.path")
        patterns = ignore.text_input(
            "Pass over",
            placeholder="drafts/, *.bak",
            key="library.scan.patterns",
            help="Patterns as in a .gitignore file, parted by commas. Hidden files, .git, node_modules and the like "
            "are always passed over; links are not followed.",
        )
        if button.form_submit_button("Scan", icon=":material/search:", width="stretch") and wanted.strip():
            look(Path(wanted.strip()).expanduser(), parted(patterns))
    for folder in services.library().folders():
        remembered(folder)
    changes: Changes | None = st.session_state.get(state.SCANNED)
    if changes:
        show_changes(changes)


def parted(patterns: str) -> list[str]:
    """The patterns in a line of them.

    >>> parted(" drafts/, *.bak ,")
    ['drafts/', '*.bak']
    """
    return [part.strip() for part in patterns.split(",") if part.strip()]


def look(folder: Path, patterns: Sequence[str]) -> None:
    """Scan, change nothing, and keep what was seen for the page to show."""
    with st.status(f"Looking through {words.escaped(str(folder))} …") as status:

        def tell(files: int, place: str) -> None:
            status.update(label=f"{words.count(files, 'file')} so far, in {words.escaped(place or str(folder))} …")

        try:
            changes = services.library().scan(folder, patterns, tell)
        except LecternError as error:
            st.session_state[state.SCANNED] = None
            status.update(label=words.escaped(str(error)), state="error", expanded=False)
            return
        status.update(label=f"{words.count(len(changes.scan.files), 'file')} found", state="complete", expanded=False)
    st.session_state[state.SCANNED] = changes
    services.library().add_folder(folder, patterns)


def remembered(folder: Folder) -> None:
    """A folder that was scanned before, to look through again or to forget."""
    name, again, forget = st.columns([6, 1, 1], vertical_alignment="center")
    passed = f" without {', '.join(folder.patterns)}" if folder.patterns else ""
    name.markdown(f":material/folder: {words.escaped(str(folder.path))}{words.escaped(passed)}")
    if again.button("Scan again", key=f"library.again.{folder.id}", width="stretch"):
        look(folder.path, folder.patterns)
    forget.button(
        "Forget",
        key=f"library.forget.{folder.id}",
        on_click=services.library().forget_folder,
        args=[folder.id],
        width="stretch",
        help="The documents that came from it stay.",
    )


def show_changes(changes: Changes) -> None:
    """The dry run, and the button that acts on it."""
    states = changes.by_state()
    with st.container(border=True):
        columns = st.columns(len(states) + 1)
        for column, (name, files) in zip(columns, states.items(), strict=False):
            column.metric(STATES[name][0], f"{len(files):,}", help=STATES[name][1])
        columns[-1].metric("Passed over", f"{len(changes.scan.ignored) + len(changes.scan.links):,}")
        count = len(changes.new) + len(changes.changed)
        take, leave, _ = st.columns([2, 1, 4])
        take.button(
            f"Read {words.count(count, 'file')}" if count else "Nothing new to read",
            type="primary",
            disabled=not count,
            on_click=_take,
            args=[changes],
            key="library.scan.take",
            width="stretch",
        )
        leave.button("Close", on_click=_close, key="library.scan.close", width="stretch")
        rows = [(STATES[name][0], file) for name, files in states.items() for file in files if name != "unchanged"]
        if rows:
            table = {
                "File": [file.relative for _, file in rows[:LISTED]],
                "State": [said for said, _ in rows[:LISTED]],
                "Kind": [words.KIND_WORDS.get(file.kind, file.kind) for _, file in rows[:LISTED]],
                "Size": [words.size(file.size_bytes) for _, file in rows[:LISTED]],
                "Why not": [file.reason for _, file in rows[:LISTED]],
            }
            st.dataframe(
                {name: values for name, values in table.items() if any(values)},
                hide_index=True,
                height=min(320, 38 + 35 * len(rows)),
            )
        if len(rows) > LISTED:
            st.caption(f"and {len(rows) - LISTED:,} more")
        _set_aside(changes)


def _set_aside(changes: Changes) -> None:
    """What the scan did not look at, and why; what the library holds and the folder no longer does."""
    scan = changes.scan
    lines = [
        *(f"{name}: {pattern}" for name, pattern in scan.ignored[:LISTED]),
        *(f"{name}: a link, not followed" for name in scan.links[:LISTED]),
        *(f"{name}: {reason}" for name, reason in scan.unreadable[:LISTED]),
        *(f"{held.path.name}: gone from the folder, still in the library" for held in changes.missing[:LISTED]),
    ]
    if lines:
        with st.expander(f"{words.count(len(lines), 'entry').replace('entrys', 'entries')} set aside"):
            st.code("\n".join(lines), language=None, height=min(260, 40 + 22 * len(lines)))


def _take(changes: Changes) -> None:
    background.take(changes.items())
    _close()


def _close() -> None:
    st.session_state[state.SCANNED] = None
