"""Work that a page starts and may have to wait for: in a thread, with progress, and stopped when nobody wants it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Event, Thread
from time import perf_counter
from typing import Generic, TypeVar

from core.errors import CancelledError

Result = TypeVar("Result")


class Task(Generic[Result]):
    """One piece of work. ``key`` names it: what is asked for again under the same name is the same work.

    ``work(task)`` runs at once in a thread of its own, tells with ``task.tell(done, total)``, and is stopped by that
    call raising ``CancelledError``. ``told``: the latest, (0, 0) before any.
    """

    def __init__(self, key: Hashable, work: Callable[[Task[Result]], Result]) -> None:
        self.key = key
        self.told = (0, 0)
        self._begun = perf_counter()
        self._work = work
        self._stopped = Event()
        self._over = Event()
        self._result: Result | None = None
        self._error: BaseException | None = None
        Thread(target=self._run, name="lectern-bench", daemon=True).start()

    def _run(self) -> None:
        try:
            self._result = self._work(self)
        except BaseException as error:  # handed to whoever asks for the result
            self._error = error
        finally:
            self._over.set()

    def tell(self, done: int, total: int) -> None:
        """Say how far it is. Raises ``CancelledError`` when the work is to stop."""
        self.told = (done, total)
        if self._stopped.is_set():
            raise CancelledError("This was stopped.")

    def cancel(self) -> None:
        """Stop at the next ``tell``."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Whether it is over so many seconds after it began: who asks again later waits no longer."""
        return self._over.wait(max(0.0, self._begun + seconds - perf_counter()))

    @property
    def over(self) -> bool:
        return self._over.is_set()

    def result(self) -> Result:
        """What came of it, waited for. Raises what the work raised."""
        self._over.wait()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value] # no error, so the work returned it
