"""The ways to add documents: dropped files, a dropped folder, or a folder of this machine that is kept in step."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.errors import LecternError
from core.ingest.cost import sentence
from core.parsing.file_kinds import detect_kind
from core.storage.catalogue.filing.folders import Folder
from core.storage.catalogue.job_rows import NewItem
from core.watching.planning import FolderPlan
from pages.ui.shared import background, samples, services, state, words
from pages.ui.shared.guard import attempt_or_toast
from pages.ui.shared.queue import WIDTHS

LISTED = 200  # rows listed of each kind


@dataclass(frozen=True, slots=True)
class Look:
    """The preview of a folder that is to be kept in step, with the patterns that the person gave to ignore files."""

    path: Path
    patterns: tuple[str, ...]
    plan: FolderPlan


def show_folder_adding() -> None:
    """Draw the form for a folder and patterns to ignore, and below it the preview."""
    st.caption(
        "New files are read, changed ones again, moved ones follow, and what is deleted goes to the trash here. "
        "Your own files are never touched."
    )
    with st.form("library.folder", border=True):
        path, ignore, button = st.columns([5, 3, 1], vertical_alignment="bottom")
        wanted = path.text_input("Folder", placeholder="~/Documents/notes", key="library.folder.path")
        patterns = ignore.text_input(
            "Pass over",
            placeholder="drafts/, *.bak",
            key="library.folder.patterns",
            help="Patterns as in a .gitignore file, parted by commas. What .gitignore and .lecternignore files in the "
            "folder say holds too. Hidden and temporary files, .git, node_modules and the like are always passed "
            "over; links are not followed, and what lies in a cloud alone is not fetched.",
        )
        if button.form_submit_button("Look", icon=":material/search:", width="stretch") and wanted.strip():
            look(Path(wanted.strip()), parted(patterns))
    seen: Look | None = st.session_state.get(state.FOLDER_LOOK)
    if seen:
        show_look(seen)


def parted(patterns: str) -> tuple[str, ...]:
    """The patterns in a comma-separated line.

    >>> parted(" drafts/, *.bak ,")
    ('drafts/', '*.bak')
    """
    return tuple(part.strip() for part in patterns.split(",") if part.strip())


def look(path: Path, patterns: Sequence[str]) -> None:
    """Scan a folder without changing anything, and keep the preview for the page."""
    st.session_state[state.FOLDER_LOOK] = None
    with st.status(f"Looking through {words.escaped(str(path))} …") as status:

        def tell(files: int, place: str) -> None:
            status.update(label=f"{words.count(files, 'file')} so far, in {words.escaped(place or str(path))} …")

        try:
            folders = services.library().folders
            draft: Folder = folders.draft(path, patterns)
            (plan,) = folders.look([draft], tell)
            if plan.problem:
                raise LecternError(plan.problem)
        except LecternError as error:
            status.update(label=words.escaped(str(error)), state="error", expanded=False)
            return
        found = len(plan.changes.scan.files) if plan.changes else 0
        status.update(label=f"{words.count(found, 'file')} found", state="complete", expanded=False)
    st.session_state[state.FOLDER_LOOK] = Look(draft.path, tuple(patterns), plan)


def show_look(seen: Look) -> None:
    """Draw the preview: counts by outcome, the cost of reading, the files, and the button that adds the folder."""
    plan, changes = seen.plan, seen.plan.changes
    assert changes is not None  # noqa: S101 - ``look`` keeps no plan without changes
    unread = {file.path for file in changes.new}
    new = [*plan.new, *(file for file in plan.waiting if file.path in unread)]
    changed = [*plan.changed, *(file for file in plan.waiting if file.path not in unread)]
    with st.container(border=True):
        figures = (
            ("New", len(new), "would be read"),
            ("Changed", len(changed), "would be read again"),
            ("As it was", len(changes.unchanged) + len(plan.moved), "in the library already"),
            ("Not read", len(changes.unsupported), "no reader for this kind of file"),
            ("Passed over", len(changes.scan.ignored) + len(changes.scan.links), "by patterns, or links"),
        )
        for column, (label, number, meaning) in zip(st.columns(len(figures)), figures, strict=True):
            column.metric(label, f"{number:,}", help=meaning)
        if new or changed:
            cost = services.library().cost((file.kind, file.size_bytes) for file in (*new, *changed))
            st.caption(f"To read: {words.escaped(sentence(cost))}")
        add, close, _ = st.columns([2, 1, 4])
        add.button(
            "Keep in step",
            type="primary",
            icon=":material/sync:",
            on_click=_add,
            args=[seen],
            key="library.folder.keep",
            width="stretch",
        )
        close.button("Close", on_click=_close, key="library.folder.close", width="stretch")
        states = (("New", new), ("Changed", changed), ("Not read", changes.unsupported))
        listed = [(label, file) for label, files in states for file in files]
        if listed:
            table = {
                "File": [file.relative for _, file in listed[:LISTED]],
                "State": [label for label, _ in listed[:LISTED]],
                "Kind": [words.kind(file.kind) for _, file in listed[:LISTED]],
                "Size": [words.size(file.size_bytes) for _, file in listed[:LISTED]],
                "Why not": [file.reason for _, file in listed[:LISTED]],
            }
            st.dataframe(
                {name: values for name, values in table.items() if any(values)},
                hide_index=True,
                height=min(320, 38 + 35 * len(listed)),
            )
        if len(listed) > LISTED:
            st.caption(f"and {len(listed) - LISTED:,} more")
        _set_aside(plan)


def _set_aside(plan: FolderPlan) -> None:
    """List the files that were ignored or unreadable, and documents of the library whose files the folder lacks."""
    changes = plan.changes
    assert changes is not None  # noqa: S101 - as in ``show_look``
    scan = changes.scan
    lines = [
        *(f"{name}: {pattern}" for name, pattern in scan.ignored[:LISTED]),
        *(f"{name}: a link, not followed" for name in scan.links[:LISTED]),
        *(f"{name}: {reason}" for name, reason in scan.unreadable[:LISTED]),
        *(f"{file.path.name}: not in the folder, stays in the library" for file in changes.missing[:LISTED]),
    ]
    if lines:
        with st.expander(f"{words.count(len(lines), 'entry').replace('entrys', 'entries')} set aside"):
            st.code("\n".join(lines), language=None, height=min(260, 40 + 22 * len(lines)))


def _add(seen: Look) -> None:
    if attempt_or_toast(lambda: services.library().folders.add(seen.path, seen.patterns)):
        services.check_folders_now()
        _close()


def _close() -> None:
    st.session_state[state.FOLDER_LOOK] = None


WAYS = {
    "Files": ":material/upload_file: Drop files",
    "Folder": ":material/drive_folder_upload: Drop a folder",
    "Watch": ":material/sync: Keep a folder in step",
}
CONFIRM_SECONDS = 60  # reading that takes longer is confirmed before it begins
READABLE = (
    "PDF, scans, pictures, Word, PowerPoint, Excel, OpenDocument, HTML, EPUB, Markdown, RTF, mail, calendars, "
    "contacts, CSV, source code, plain text"
)


def show_adding(empty: bool) -> None:
    """Draw the chosen way to add documents. ``empty``: offers the samples, too."""
    row = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    way = row.segmented_control(
        "Add documents",
        list(WAYS),
        format_func=WAYS.__getitem__,
        default="Files",
        required=True,
        key=state.WAY_IN,
        label_visibility="collapsed",
    )
    if empty and not background.active_jobs():
        row.button(
            "Try it with samples",
            type="primary",
            icon=":material/auto_stories:",
            on_click=lambda: background.queue_files([NewItem(path.name, path=path) for path in samples.documents()]),
            help="Documents of one fictional company, made to be hard in the ways real ones are.",
        )
    if way == "Watch":
        show_folder_adding()
    else:
        drop_zone(folder=way == "Folder")


@dataclass(frozen=True, slots=True)
class Dropped:
    """Uploaded files that wait for confirmation.

    ``home``: the folder of the library they were dropped on. ``items``: the staged files. ``sizes``: (kind, bytes) of
    those whose kind is known. ``refused``: a sentence for each file that could not be staged.
    """

    home: Path
    items: tuple[NewItem, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    refused: tuple[str, ...] = ()


def drop_zone(*, folder: bool) -> None:
    """Draw the uploader, and the question whether to read what was dropped if that takes long.

    Files of a ``folder`` are named by their path in it, so that two README.md stay two.
    """
    key = f"library.upload.{folder}.{state.counter(state.UPLOAD_ROUND)}"
    st.file_uploader(
        "Drop a folder here: every file below it" if folder else f"Drop files here: {READABLE}",
        accept_multiple_files="directory" if folder else True,
        key=key,
        on_change=_take,
        args=[key],
    )
    waiting = _waiting()
    for problem in waiting.refused:
        st.error(words.escaped(problem), icon=":material/error:")
    if waiting.items:
        st.info(words.escaped(f"To read: {sentence(services.library().cost(waiting.sizes))}"))
        with st.container(horizontal=True, gap="small"):
            st.button("Read them", type="primary", key="library.upload.read", on_click=_decide, args=[True])
            st.button("Leave them", key="library.upload.leave", on_click=_decide, args=[False])


def _waiting() -> Dropped:
    """The uploads of this library that wait for confirmation."""
    dropped: Dropped | None = st.session_state.get(state.DROPPED)
    home = services.home()
    return dropped if dropped and dropped.home == home else Dropped(home)


def _take(key: str) -> None:
    """Stage the uploads of the widget ``key``, and queue them unless reading takes long and has to be confirmed.

    Runs as a callback, before anything is drawn, so that leaving the page loses no file. A busy browser may report the
    same files twice, so their ids are remembered.
    """
    waiting, library, items = _waiting(), services.library(), list[NewItem]()
    known: set[str] = st.session_state.setdefault(state.UPLOADED, set())
    new = [file for file in st.session_state.get(key) or () if file.file_id not in known]
    known.update(file.file_id for file in new)
    sizes, refused = list(waiting.sizes), []
    with st.spinner("Taking the files in …"):
        for file in new:
            data = file.getvalue()
            try:
                items.append(NewItem(file.name, content_hash=library.stage(data)))
            except LecternError as error:
                refused.append(f"{file.name}: {error}")
                continue
            with suppress(LecternError):
                sizes.append((detect_kind(data, file.name), len(data)))
    state.bump(state.UPLOAD_ROUND)
    dropped = Dropped(waiting.home, (*waiting.items, *items), tuple(sizes), tuple(refused))
    cost = library.cost(sizes)
    seconds = cost.chunks / library.cutting.texts_a_second() if cost.seconds is None else cost.seconds
    if dropped.items and seconds < CONFIRM_SECONDS:
        background.queue_files(dropped.items)
        dropped = Dropped(waiting.home, refused=dropped.refused)
    st.session_state[state.DROPPED] = dropped


def _decide(read: bool) -> None:
    """Queue the waiting uploads, or forget them. A second click before the page is drawn again finds none."""
    items = _waiting().items
    st.session_state[state.DROPPED] = None
    if read and items:
        background.queue_files(items)


def show_ready() -> None:
    """Draw, where the bar stood, what this window added since the page was opened, once it is read; and go to Ask."""
    own = () if background.active_jobs() else st.session_state.get(state.QUEUED, ())
    jobs = services.library().queue.jobs(-1, states=("done",), kinds=("ingest",)) if own else []
    done = sum(job.items_done for job in jobs if job.id in own)
    if done:
        name, bar, button = st.columns(WIDTHS, vertical_alignment="center")
        name.markdown(f"**{words.count(done, 'document')}**")
        bar.progress(1.0, text="read: ready for questions")
        if button.button("Ask", key="library.ask", width="stretch"):
            st.switch_page("pages/ask.py")
