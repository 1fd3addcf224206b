"""Durable, cancellable work with progress. Jobs live in the library's catalogue and go on after a crash."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.errors import CancelledError, LecternError, StorageError
from core.storage.catalogue.job_rows import (
    UNFINISHED,
    Item,
    Job,
    NewItem,
    add_job,
    cancel_item_row,
    claim_job,
    conclude_job,
    find_item,
    find_items,
    find_job,
    find_jobs,
    remove_failures,
    remove_job,
    request_cancel,
    requeue_items,
    requeue_running,
)
from core.storage.store import Store, now, storable

_LOG = logging.getLogger(__name__)
_WRITE_EVERY_SECONDS = 0.2  # progress goes to the table at most this often
_LOOK_EVERY_SECONDS = 0.2  # and a cancellation written by another process is seen within this time
_POLL_SECONDS = 1.0

__all__ = ["UNFINISHED", "Handler", "Item", "Job", "JobQueue", "NewItem", "Reporter", "Worker"]


Handler = Callable[[Job, "Reporter"], None]


class JobQueue:
    """The jobs of one library. Reading works for readers too; everything else needs the writer's lock."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wake = threading.Condition()
        self._cancelled_jobs: set[int] = set()
        self._cancelled_items: set[int] = set()
        self._again: set[int] = set()  # jobs that get items back while they run
        self._live: dict[int, tuple[str, int, int]] = {}
        self._ends: dict[int, float] = {}

    def enqueue(self, kind: str, payload: Mapping[str, Any], items: Sequence[NewItem] = ()) -> int:
        """Add a job and return its id. ``payload`` must be fit for JSON."""
        job_id = add_job(self._store, kind, payload, items)
        self.ring()
        return job_id

    def jobs(self, limit: int = 50, *, states: Sequence[str] = (), kinds: Sequence[str] = ()) -> list[Job]:
        """The newest jobs of these states and kinds (() for any), newest first; ``limit`` -1 for all of them."""
        return find_jobs(self._store, limit, states, kinds)

    def job(self, job_id: int) -> Job:
        """One job. Raises ``NotFoundError``."""
        return find_job(self._store, job_id)

    def items(self, job_id: int, *, states: Sequence[str] = (), limit: int = -1) -> list[Item]:
        """A job's items of these states (() for any) in their order, the first ``limit`` of them (-1 for all).

        Progress of work in this process is as of this moment, ``states`` as the table has them: what runs may still
        be "queued" there, so ask for ``UNFINISHED``. A job's counts say how many there are besides.
        """
        return [self._as_it_stands(item) for item in find_items(self._store, job_id, states, limit)]

    def item(self, item_id: int) -> Item:
        """One item. Raises ``NotFoundError``."""
        return self._as_it_stands(find_item(self._store, item_id))

    def cancel(self, job_id: int) -> None:
        """Stop a job: at once when it waits, at its handler's next report when it runs. What is finished stays."""
        self._cancelled_jobs.add(job_id)  # before the table, whose writer may be busy: the handler sees it at once
        request_cancel(self._store, job_id)

    def cancel_item(self, item_id: int) -> None:
        """Stop one item: the handler's next report about it raises, and the job goes on with the others."""
        find_item(self._store, item_id)
        self._cancelled_items.add(item_id)
        cancel_item_row(self._store, item_id)

    def retry(self, job_id: int) -> None:
        """Put a job's failed and cancelled items back in the queue; what is done stays done."""
        self._retry([item.id for item in find_items(self._store, job_id)], find_job(self._store, job_id))

    def retry_item(self, item_id: int) -> None:
        """Put one failed or cancelled item back in the queue; where its job still runs, it runs again after that."""
        self._retry([item_id], find_job(self._store, find_item(self._store, item_id).job_id))

    def dismiss(self, job_id: int) -> None:
        """Forget a finished job; staged bytes that only it named go. Raises ``StorageError`` for an unfinished one."""
        remove_job(self._store, job_id)

    def dismiss_failures(self, job_id: int) -> None:
        """Forget what failed of a job: all of it when it is finished, its failed items alone while it still runs."""
        remove_failures(self._store, job_id)

    def recover(self) -> int:
        """After opening for writing: jobs that a dead process was running wait again. Returns how many."""
        count = requeue_running(self._store)
        if count:
            self.ring()
        return count

    def run_next(self, handlers: Mapping[str, Handler], stop: threading.Event | None = None) -> bool:
        """Run the oldest waiting job that has a handler here and now; ``False`` when none waits.

        A job of another kind goes on waiting for a program that can do it: a script must not end the app's work.
        Whatever the handler raises ends its job, not the caller: ``CancelledError`` as cancelled (or waiting again,
        when ``stop`` was set), a ``LecternError`` as failed with its sentence, anything else as failed and logged.
        """
        job = self._claim(handlers)
        if job is None:
            return False
        reporter = Reporter(self._store, self, job.id, stop or threading.Event())
        state, reason = "done", ""
        try:
            handlers[job.kind](job, reporter)
        except CancelledError:
            state = "queued" if reporter.stopping and not reporter.cancelled() else "cancelled"
        except LecternError as error:
            state, reason = "failed", str(error)
        except Exception as error:  # the job's last line of defence: a defect in one handler must not end the worker
            _LOG.exception("Job %d (%s) failed.", job.id, job.kind)
            state, reason = "failed", f"An unexpected {type(error).__name__} stopped the work: {error}"
        reporter.close()
        self._conclude(job.id, state, reason, reporter.stop)
        return True

    def wait(self, seconds: float) -> None:
        """Return when a job is added, or after ``seconds``."""
        with self._wake:
            self._wake.wait(seconds)

    def ring(self) -> None:
        """Wake whoever waits."""
        with self._wake:
            self._wake.notify_all()

    def show(self, item_id: int, progress: tuple[str, int, int] | None) -> None:
        """Where an item stands, ``(stage, done, total)``, without writing it; ``None``: as the table says."""
        if progress is None:
            self._live.pop(item_id, None)
        else:
            self._live[item_id] = progress

    def foretell(self, job_id: int, seconds: float | None) -> None:
        """A running job will take about so long from now; ``None``: nobody knows."""
        if seconds is None:
            self._ends.pop(job_id, None)
        else:
            self._ends[job_id] = time.monotonic() + seconds

    def seconds_left(self, job_id: int) -> float | None:
        """About how long a job that runs in this process will take; ``None`` where that is not known."""
        ends = self._ends.get(job_id)
        return None if ends is None else max(0.0, ends - time.monotonic())

    def is_cancelled(self, job_id: int) -> bool:
        return job_id in self._cancelled_jobs

    def is_item_cancelled(self, item_id: int) -> bool:
        return item_id in self._cancelled_items

    def _as_it_stands(self, item: Item) -> Item:
        live = self._live.get(item.id)
        if live is None or item.state not in UNFINISHED:
            return item
        stage, done, total = live
        return replace(item, state="running", stage=stage, done=done, total=total)

    def _claim(self, kinds: Collection[str]) -> Job | None:
        with self._store.transaction():
            job = claim_job(self._store, kinds)
            if job is not None:
                self._cancelled_jobs.discard(job.id)
                self._again.discard(job.id)
            return job

    def _conclude(self, job_id: int, state: str, reason: str, stop: threading.Event) -> None:
        """Write a job's end; where the disk refuses, again and again until it takes it or the worker stops."""
        while True:
            try:
                conclude_job(self._store, job_id, state, reason, again=job_id in self._again)
                return
            except StorageError as error:
                _LOG.warning("Job %d ended as %s, which could not be noted: %s", job_id, state, error)
                if stop.wait(_POLL_SECONDS):
                    return

    def _retry(self, item_ids: Sequence[int], job: Job) -> None:
        self._cancelled_items.difference_update(item_ids)
        if requeue_items(self._store, job, item_ids) and not job.finished:
            self._again.add(job.id)
        self.ring()


class Reporter:
    """What a handler tells about its job. Every method but ``cancelled`` raises ``CancelledError`` once it was stopped.

    To go on with the other items after one was cancelled, catch the error around that item and call ``check()``, which
    raises again only where the whole job is to end.
    """

    def __init__(self, store: Store, queue: JobQueue, job_id: int, stop: threading.Event) -> None:
        self.stop = stop
        self._store = store
        self._queue = queue
        self._job_id = job_id
        self._unwritten: dict[int, tuple[str, int, int]] = {}
        self._shown: set[int] = set()
        self._last_write = 0.0
        self._last_look = 0.0
        self._cancel_seen = False

    @property
    def stopping(self) -> bool:
        """The worker is being stopped; the job will go on later."""
        return self.stop.is_set()

    def cancelled(self) -> bool:
        """Whether the job was cancelled, here or by another process."""
        if self._queue.is_cancelled(self._job_id):
            return True
        if time.monotonic() - self._last_look >= _LOOK_EVERY_SECONDS:
            with self._store.reading() as connection:
                row = connection.execute("SELECT cancel_requested FROM job WHERE id = ?", (self._job_id,)).fetchone()
            self._cancel_seen = row is None or bool(row[0])
            self._last_look = time.monotonic()
        return self._cancel_seen

    def check(self, item_id: int | None = None) -> None:
        """Raise ``CancelledError`` where the job, or this item, is to end."""
        if self.stopping or self.cancelled():
            raise CancelledError("The work was stopped.")
        if item_id is not None and self._queue.is_item_cancelled(item_id):
            raise CancelledError("This item was cancelled.")

    def items(self) -> list[Item]:
        """The job's items still to be done, in order: after a crash or a retry, without those that are done."""
        self.check()
        return self._queue.items(self._job_id, states=UNFINISHED)

    def stage(self, item_id: int, stage: str, done: int = 0, total: int = 0) -> None:
        """Where an item stands. Call it as often as you like, for as many items as you like.

        This process sees it at once, others through the table, which is written a few times a second at most.
        """
        self.check(item_id)
        self._queue.show(item_id, (stage, done, total))
        self._shown.add(item_id)
        self._unwritten[item_id] = (stage, done, total)
        if time.monotonic() - self._last_write >= _WRITE_EVERY_SECONDS:
            with self._store.transaction() as connection:
                connection.executemany(
                    "UPDATE job_item SET state = 'running', stage = ?, done = ?, total = ?, changed_at = ?"
                    " WHERE id = ? AND state IN ('queued', 'running')",
                    [(*progress, now(), item) for item, progress in self._unwritten.items()],
                )
            self._unwritten.clear()
            self._last_write = time.monotonic()

    def finish_item(self, item_id: int, version_id: str | None = None, reason: str = "", problem: str = "") -> None:
        """An item is done (``version_id``: what it became), or failed when there is a ``reason`` (and a ``problem``).

        Called inside the transaction that stores the document, both happen or neither.
        """
        self.check()
        self._unwritten.pop(item_id, None)
        with self._store.transaction() as connection:
            connection.execute(
                "UPDATE job_item SET state = ?, stage = '', version_id = ?, reason = ?, problem = ?, changed_at = ?"
                " WHERE id = ?",
                ("failed" if reason else "done", version_id, storable(reason), problem, now(), item_id),
            )

    def foretell(self, seconds: float | None) -> None:
        """The job will take about so long from now; ``None``: nobody knows."""
        self._queue.foretell(self._job_id, seconds)

    def close(self) -> None:
        """The handler has ended: what it showed of its items is over."""
        for item_id in self._shown:
            self._queue.show(item_id, None)
        self.foretell(None)

    def result(self, values: Mapping[str, Any]) -> None:
        """Leave something for the pages: it replaces what was left before. Fit for JSON."""
        self.check()
        with self._store.transaction() as connection:
            connection.execute("UPDATE job SET result = ? WHERE id = ?", (json.dumps(dict(values)), self._job_id))


class Worker:
    """A thread that runs waiting jobs one after another until ``stop``."""

    def __init__(self, queue: JobQueue, handlers: Mapping[str, Handler]) -> None:
        self._queue = queue
        self._handlers = handlers
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lectern-worker", daemon=True)

    def start(self) -> None:
        """Take up what a dead process left, then work."""
        self._queue.recover()
        self._thread.start()

    def stop(self, timeout_seconds: float = 10.0) -> bool:
        """Ask the running job to stop (it waits again and goes on another time); whether the thread has ended."""
        self._stop.set()
        self._queue.ring()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                busy = self._queue.run_next(self._handlers, self._stop)
            except StorageError as error:
                _LOG.warning("The worker could not take up a job: %s", error)
                busy = False
            if not busy and not self._stop.is_set():
                self._queue.wait(_POLL_SECONDS)
