"""What Ask waits for: work that may take over a second, with its progress, and the way out of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from pages.ui import state
from pages.ui.chunks_tasks import Task
from pages.ui.guard import guarded

PATIENCE = 1.0  # seconds before progress is shown
READYING = "Getting ready …"  # while nobody knows yet how many steps it takes
Result = TypeVar("Result")


def begun(what: str, key: Hashable, work: Callable[[Task[Result]], Result]) -> Task[Result]:
    """The task that makes something of this name, begun when it is not known; the one before it is stopped."""
    held: dict[str, Task[Result]] = st.session_state.setdefault(state.ASK_TASKS, {})
    known = held.get(what)
    if known is None or known.key != key:
        if known is not None:
            known.cancel()
        held[what] = Task(key, work)
    return held[what]


def give_up(what: str) -> None:
    """Stop a piece of work and forget it; for a callback."""
    held: dict[str, Task[object]] = st.session_state.setdefault(state.ASK_TASKS, {})
    task = held.pop(what, None)
    if task is not None:
        task.cancel()


def finished(what: str, task: Task[Result], said: str, on_cancel: Callable[[], None]) -> bool:
    """Whether the work is over; else its progress is drawn, with a way out.

    ``said``: what is being done, with ``{done}`` and ``{total}`` where steps are counted. ``on_cancel`` runs after the
    work was stopped.
    """
    if task.wait(PATIENCE):
        return True
    st.fragment(_waiting, run_every=0.5)(what, task, said, on_cancel)
    return False


def _waiting(what: str, task: Task[Result], said: str, on_cancel: Callable[[], None]) -> None:
    def stop() -> None:
        give_up(what)
        on_cancel()

    with guarded():
        if task.over:
            st.rerun()
        done, total = task.told
        with st.container(horizontal=True, wrap=False, vertical_alignment="bottom", gap="small"):
            text = said.format(done=done, total=total) if total or "{total}" not in said else READYING
            st.progress(done / total if total else 0.0, text=text)
            if st.button("Cancel", key=f"ask.cancel.{what}", on_click=stop):
                st.rerun()
