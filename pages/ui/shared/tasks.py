"""Work that a page starts and waits for: it runs in a thread, its progress is drawn, and it can be cancelled."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Hashable
from threading import Event, Thread
from time import perf_counter
from typing import Any, Generic, TypeVar

import streamlit as st

from core.errors import CancelledError
from pages.ui.shared import state
from pages.ui.shared.guard import guarded

PATIENCE = 1.0  # seconds to wait for a result before progress is drawn
Result = TypeVar("Result")


class Task(Generic[Result]):
    """A function that runs in its own thread, from construction on.

    ``key``: identifies the work; two requests with the same key share one task. ``work(task)``: the function; it
    reports with ``task.tell(done, total)``, which raises ``CancelledError`` after ``cancel``. ``progress``: the latest
    (done, total), (0, 0) before the first report. ``message``: what is being done now, "" for work that does not say.
    """

    def __init__(self, key: Hashable, work: Callable[[Task[Result]], Result]) -> None:
        self.key = key
        self.progress = (0, 0)
        self.message = ""
        self._started_at = perf_counter()
        self._work = work
        self.stopping = Event()  # set by ``cancel``, for work that has to stop while it waits for something
        self._end: concurrent.futures.Future[Result] = concurrent.futures.Future()
        Thread(target=self._run, name="lectern-task", daemon=True).start()

    def _run(self) -> None:
        try:
            self._end.set_result(self._work(self))
        except BaseException as error:  # ``result`` raises it
            self._end.set_exception(error)

    def tell(self, done: int, total: int) -> None:
        """Report the progress. Raises ``CancelledError`` after ``cancel``."""
        self.progress = (done, total)
        if self.stopping.is_set():
            raise CancelledError("This was stopped.")

    def cancel(self) -> None:
        """Have the work stop at its next ``tell``."""
        self.stopping.set()

    def wait(self, seconds: float) -> bool:
        """Wait until so many seconds after the start, at most; returns whether the task is over.

        The time counts from the start of the task, not of the call, so a later call does not wait again.
        """
        left = max(0.0, self._started_at + seconds - perf_counter())
        return bool(concurrent.futures.wait([self._end], left).done)

    @property
    def over(self) -> bool:
        return self._end.done()

    def result(self) -> Result:
        """Wait for the end; returns what the work returned, or raises what it raised."""
        return self._end.result()


def _running() -> dict[str, Task[Any]]:
    """The tasks of this window, by purpose."""
    tasks: dict[str, Task[Any]] = st.session_state.setdefault(state.TASKS, {})
    return tasks


def get_or_start(what: str, key: Hashable, work: Callable[[Task[Result]], Result]) -> Task[Result]:
    """This window's task for the purpose ``what`` and this key; a task of another key is stopped and replaced."""
    running = get(what, key)
    if running is not None:
        return running
    stop(what)
    task = Task(key, work)
    _running()[what] = task
    return task


def get(what: str, key: Hashable) -> Task[Any] | None:
    """This window's task for the purpose ``what``; ``None`` without one, or if it has another key."""
    task = _running().get(what)
    return task if task is not None and task.key == key else None


def is_running(what: str) -> bool:
    """Whether this window has a task for the purpose ``what`` that is not over."""
    task = _running().get(what)
    return task is not None and not task.over


def stop(what: str) -> None:
    """Cancel this window's task for the purpose ``what``, if any, and forget it. Can be used as a callback."""
    task = _running().pop(what, None)
    if task is not None:
        task.cancel()


def finished_or_progress(
    what: str,
    task: Task[Result],
    text: str,
    on_cancel: Callable[[], None] | None,
    first: str = "Getting ready …",
    *,
    stacked: bool = False,
) -> bool:
    """Wait ``PATIENCE`` at most; returns whether the task is over.

    If it is not, a progress bar and a cancel button are drawn, and the page runs again when it is.

    ``text``: the text of the bar; may contain ``{done}`` and ``{total}``. ``first``: its text before a total is known.
    ``on_cancel``: called after the task was stopped; ``None`` draws no cancel button. ``stacked``: puts the button
    below the bar.
    """

    def cancel() -> None:
        stop(what)
        if on_cancel:
            on_cancel()

    def progress() -> None:
        with guarded():
            if task.over:
                st.rerun()
            done, total = task.progress
            counted = bool(total) or "{total}" not in text
            label = text.format(done=f"{done:,}", total=f"{total:,}") if counted else first
            with st.container(horizontal=not stacked, wrap=stacked, vertical_alignment="bottom", gap="small"):
                st.progress(done / total if total else 0.0, text=label)
                if on_cancel and st.button("Cancel", key=f"cancel.{what}", on_click=cancel):
                    st.rerun()

    over = task.wait(PATIENCE)
    if not over:
        st.fragment(progress, run_every=0.5)()
    return over
