"""Work that a page starts and may have to wait for: in a thread, with its progress drawn and a way out."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Event, Thread
from time import perf_counter
from typing import Any, Generic, TypeVar

import streamlit as st

from core.errors import CancelledError
from pages.ui.shared import state
from pages.ui.shared.guard import guarded

PATIENCE = 1.0  # seconds that work may take before its progress is drawn
Result = TypeVar("Result")


class Task(Generic[Result]):
    """One piece of work, running in a thread of its own from the moment it is made.

    ``key`` names it: the same key asked for again is the same work. ``work(task)`` reports with
    ``task.tell(done, total)``; to stop it, that call raises ``CancelledError``. ``told``: the latest report, (0, 0)
    before the first. ``said``: what is done now, for work that says so.
    """

    def __init__(self, key: Hashable, work: Callable[[Task[Result]], Result]) -> None:
        self.key = key
        self.told = (0, 0)
        self.said = ""
        self._begun = perf_counter()
        self._work = work
        self._stopped = Event()
        self._over = Event()
        self._result: Result | None = None
        self._error: BaseException | None = None
        Thread(target=self._run, name="lectern-task", daemon=True).start()

    def _run(self) -> None:
        try:
            self._result = self._work(self)
        except BaseException as error:  # handed to whoever asks for the result
            self._error = error
        finally:
            self._over.set()

    def tell(self, done: int, total: int) -> None:
        """Report how far the work is. Raises ``CancelledError`` when it is to stop."""
        self.told = (done, total)
        if self._stopped.is_set():
            raise CancelledError("This was stopped.")

    def cancel(self) -> None:
        """Stop at the next ``tell``."""
        self._stopped.set()

    @property
    def stopping(self) -> Event:
        """Set once it is to stop, for work that waits for something else than its own steps."""
        return self._stopped

    def wait(self, seconds: float) -> bool:
        """Whether it is over so many seconds after it began: who asks again later waits no longer."""
        return self._over.wait(max(0.0, self._begun + seconds - perf_counter()))

    @property
    def over(self) -> bool:
        return self._over.is_set()

    def result(self) -> Result:
        """What the work returned, waited for. Raises what it raised."""
        self._over.wait()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value] # no error, so the work returned it


def _running() -> dict[str, Task[Any]]:
    """The tasks of this window, by what they make."""
    held: dict[str, Task[Any]] = st.session_state.setdefault(state.TASKS, {})
    return held


def begun(what: str, key: Hashable, work: Callable[[Task[Result]], Result]) -> Task[Result]:
    """This window's task that makes ``what``: that of this key, or a new one after the other is stopped."""
    known = _running().get(what)
    if known is not None and known.key == key:
        return known
    stop(what)
    task = Task(key, work)
    _running()[what] = task
    return task


def known(what: str, key: Hashable) -> Task[Any] | None:
    """This window's task that makes ``what``, if it is that of this key."""
    task = _running().get(what)
    return task if task is not None and task.key == key else None


def stop(what: str) -> None:
    """Stop the task that makes ``what`` and forget it; fit for a callback."""
    task = _running().pop(what, None)
    if task is not None:
        task.cancel()


def finished(
    what: str,
    task: Task[Result],
    said: str,
    on_cancel: Callable[[], None] | None,
    first: str = "Getting ready …",
    *,
    stacked: bool = False,
) -> bool:
    """Whether the task is over; while it is not, its progress is drawn as ``show_progress`` does."""
    over = task.wait(PATIENCE)
    if not over:
        show_progress(what, task, said, on_cancel, first, stacked=stacked)
    return over


def show_progress(
    what: str,
    task: Task[Result],
    said: str,
    on_cancel: Callable[[], None] | None,
    first: str,
    *,
    stacked: bool = False,
) -> None:
    """Draw a bar and a button that stops the task; the page runs again when the task is over.

    ``said``: what is being done, with ``{done}`` and ``{total}`` where steps are counted; ``first``: what is said
    before they are. ``on_cancel`` runs after the task was stopped; ``None``: it cannot be. ``stacked``: the button
    stands below the bar.
    """

    def cancel() -> None:
        stop(what)
        if on_cancel:
            on_cancel()

    def progress() -> None:
        with guarded():
            if task.over:
                st.rerun()
            done, total = task.told
            text = said.format(done=f"{done:,}", total=f"{total:,}") if total or "{total}" not in said else first
            with st.container(horizontal=not stacked, wrap=stacked, vertical_alignment="bottom", gap="small"):
                st.progress(done / total if total else 0.0, text=text)
                if on_cancel and st.button("Cancel", key=f"cancel.{what}", on_click=cancel):
                    st.rerun()

    st.fragment(progress, run_every=0.5)()
