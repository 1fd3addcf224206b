"""Durable, cancellable work with progress. Jobs live in the library's catalogue and go on after a crash."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from core.errors import CancelledError, LecternError, NotFoundError, StorageError
from core.ingest.reporting import Reporter
from core.storage.catalogue.job_rows import (
    FIRST,
    UNFINISHED,
    Item,
    Job,
    NewItem,
    remove_items,
    remove_jobs,
    select_items,
    select_jobs,
)
from core.storage.store import Store, now
from core.text.normalise import storable

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 1.0
_BLANK = "stage = '', done = 0, total = 0, problem = '', changed_at = ?"
_OPEN = f"state IN {UNFINISHED}"


Handler = Callable[[Job, Reporter], None]


class JobQueue:
    """The jobs of one library. Reading works for readers too; everything else needs the writer's lock."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wake = threading.Condition()
        self._cancelled_jobs: set[int] = set()
        self._cancelled_items: set[int] = set()
        self._again: set[int] = set()  # jobs that get items back while they run
        self._giving_way: set[int] = set()  # jobs that wait again as soon as they hear of it
        self._live: dict[int, tuple[str, int, int]] = {}
        self._ends: dict[int, float] = {}

    def enqueue(self, kind: str, payload: Mapping[str, Any], items: Sequence[NewItem] = ()) -> int:
        """Add a job and return its id. ``payload`` must be fit for JSON.

        Staged bytes that its items name are kept until it is dismissed.
        """
        store = self._store
        with store.transaction():
            job_id = store.insert(
                "INSERT INTO job(kind, payload, state, created_at) VALUES (?, ?, 'queued', ?)",
                *(kind, json.dumps(dict(payload)), now()),
            )
            store.write_many(
                "INSERT INTO job_item(job, ordinal, name, path, content_hash, state, changed_at)"
                " VALUES (?, ?, ?, ?, ?, 'queued', ?)",
                (
                    (job_id, place, storable(item.name), item.path and os.fsencode(item.path), item.content_hash, now())
                    for place, item in enumerate(items)
                ),
            )
            staged = [item.content_hash for item in items if item.content_hash]
            store.after_commit(lambda: store.files.commit(*staged))
        self.ring()
        return job_id

    def smaller_first(self, items: Sequence[NewItem]) -> list[NewItem]:
        """Files in the order that keeps none waiting for a book where somebody waits; those of one name as they are."""
        sizes: dict[str, int] = {}
        for item in items:
            sizes[item.name] = max(sizes.get(item.name, 0), self.size(item))
        return sorted(items, key=lambda item: sizes[item.name])

    def size(self, item: Item | NewItem) -> int:
        """Bytes of an item's file, 0 where it has none or that cannot be looked at."""
        with suppress(OSError, ValueError, LecternError):
            if item.content_hash:
                return self._store.files.size(item.content_hash)
            return item.path.stat().st_size if item.path else 0
        return 0

    def jobs(self, limit: int = 50, *, states: Sequence[str] = (), kinds: Sequence[str] = ()) -> list[Job]:
        """The newest jobs of these states and kinds (() for any), newest first; ``limit`` -1 for all of them."""
        which, values = _among(state=states, kind=kinds)
        return select_jobs(self._store, f"{which} ORDER BY id DESC LIMIT ?", *values, limit)

    def job(self, job_id: int) -> Job:
        """One job. Raises ``NotFoundError``."""
        for job in select_jobs(self._store, "WHERE id = ?", job_id):
            return job
        raise NotFoundError(f"There is no job {job_id}.", "It may have been dismissed.")

    def items(self, job_id: int, *, states: Sequence[str] = (), limit: int = -1) -> list[Item]:
        """A job's items of these states (() for any) in their order, the first ``limit`` of them (-1 for all).

        Progress of work in this process is as of this moment, ``states`` as the table has them: what runs may still
        be "queued" there, so ask for ``UNFINISHED``. A job's counts say how many there are besides.
        """
        which, values = _among(job=[job_id], state=states)
        found = select_items(self._store, f"{which} ORDER BY ordinal LIMIT ?", *values, limit)
        return [self._as_it_stands(item) for item in found]

    def item(self, item_id: int) -> Item:
        """One item. Raises ``NotFoundError``."""
        for item in select_items(self._store, "WHERE id = ?", item_id):
            return self._as_it_stands(item)
        raise NotFoundError(f"There is no item {item_id}.", "Its job may have been dismissed.")

    def cancel(self, job_id: int) -> None:
        """Stop a job: at once when it waits, at its handler's next report when it runs. What is finished stays."""
        self._cancelled_jobs.add(job_id)  # before the table, whose writer may be busy: the handler sees it at once
        store = self._store
        with store.transaction():
            self.job(job_id)
            store.write(
                "UPDATE job SET cancel_requested = 1, finished_at = iif(state = 'queued', ?, finished_at),"
                f" state = iif(state = 'queued', 'cancelled', state) WHERE id = ? AND {_OPEN}",
                *(now(), job_id),
            )
            store.write(
                f"UPDATE job_item SET {_BLANK}, state = 'cancelled' WHERE job = ?2 AND state = 'queued'"
                " AND (SELECT state FROM job WHERE id = ?2) = 'cancelled'",
                *(now(), job_id),
            )

    def cancel_item(self, item_id: int) -> None:
        """Stop one item: the handler's next report about it raises, and the job goes on with the others."""
        self.item(item_id)
        self._cancelled_items.add(item_id)
        self._store.write(f"UPDATE job_item SET {_BLANK}, state = 'cancelled' WHERE id = ? AND {_OPEN}", now(), item_id)

    def put_first(self, job_id: int, before: Sequence[str] = ()) -> None:
        """Have a waiting job taken up next. One of the kinds ``before`` that runs now stops at its next report, keeps
        what is finished, and goes on after it; another one is waited for.
        """
        with self._store.transaction():
            waiting = self.jobs(-1, states=UNFINISHED)
            highest = max((-job.turn[0] for job in waiting), default=0)
            self._store.write(
                "UPDATE job SET payload = json_set(payload, ?, ?)"
                " WHERE id = ? AND state = 'queued' AND json_valid(payload)",
                *(f"$.{FIRST}", highest + 1, job_id),
            )
        self._giving_way.update(job.id for job in waiting if job.state == "running" and job.kind in before)

    def retry(self, job_id: int, states: Sequence[str] = ("failed", "cancelled")) -> None:
        """Put a job's items of these states, of failed and cancelled ones, back in the queue; what is done stays."""
        self._retry([item.id for item in self.items(job_id, states=states)], self.job(job_id))

    def retry_item(self, item_id: int) -> None:
        """Put one failed or cancelled item back in the queue; where its job still runs, it runs again after that."""
        self._retry([item_id], self.job(self.item(item_id).job_id))

    def dismiss(self, job_id: int) -> None:
        """Forget a finished job; staged bytes that only it named go. Raises ``StorageError`` for an unfinished one."""
        with self._store.transaction():
            job = self.job(job_id)
            if not job.finished:
                raise StorageError(f"Job {job_id} is still {job.state}.", "Cancel it first.")
            remove_jobs(self._store, "id = ?", job_id)

    def dismiss_items(self, job_id: int, state: str) -> None:
        """Forget the "failed" or the "cancelled" items of a job; all of it, where it is finished and has none of the
        other state.
        """
        with self._store.transaction():
            job = self.job(job_id)
            if job.finished and not (job.items_cancelled if state == "failed" else job.items_failed):
                self.dismiss(job_id)
            else:
                remove_items(self._store, "job = ? AND state = ?", job_id, state)

    def recover(self) -> int:
        """After opening for writing: jobs that a dead process was running wait again, those it was asked to cancel are
        cancelled. Returns how many wait.
        """
        store = self._store
        with store.transaction():
            store.write(
                "UPDATE job SET state = 'cancelled', finished_at = ? WHERE state = 'running' AND cancel_requested = 1",
                now(),
            )
            ended = "job IN (SELECT id FROM job WHERE state = 'cancelled')"
            store.write(f"UPDATE job_item SET {_BLANK}, state = 'cancelled' WHERE {_OPEN} AND {ended}", now())
            store.write(f"UPDATE job_item SET {_BLANK}, state = 'queued' WHERE state = 'running'", now())
            count = store.write("UPDATE job SET state = 'queued' WHERE state = 'running'")
        if count:
            self.ring()
        return count

    def run_next(self, handlers: Mapping[str, Handler], stop: threading.Event | None = None) -> bool:
        """Run the waiting job whose turn it is of those that have a handler, here and now; ``False`` when none waits.

        A job of another kind goes on waiting for a program that can do it: a script must not end the app's work.
        Whatever the handler raises ends its job, not the caller: ``CancelledError`` as cancelled (or waiting again,
        when ``stop`` was set), a ``LecternError`` as failed with its sentence, anything else as failed and logged.
        """
        job = self._claim(sorted(handlers))
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
        """About how long a job that runs in this process will take; ``None`` where that is not known (any more)."""
        left = self._ends.get(job_id, 0.0) - time.monotonic()
        return left if left > 0 else None

    def is_cancelled(self, job_id: int) -> bool:
        return job_id in self._cancelled_jobs

    def gives_way(self, job_id: int) -> bool:
        """Whether a running job is to wait again, for one that was put first."""
        return job_id in self._giving_way

    def is_item_cancelled(self, item_id: int) -> bool:
        return item_id in self._cancelled_items

    def _as_it_stands(self, item: Item) -> Item:
        live = self._live.get(item.id)
        if live is None or item.state not in UNFINISHED:
            return item
        stage, done, total = live
        return replace(item, state="running", stage=stage, done=done, total=total)

    def _claim(self, kinds: Sequence[str]) -> Job | None:
        """Take the waiting job of these kinds whose turn it is to run it; ``None`` when none waits."""
        with self._store.transaction():
            waiting = self.jobs(-1, states=("queued",), kinds=kinds) if kinds else []
            if not waiting:
                return None
            job_id = min(waiting, key=lambda job: job.turn).id
            self._store.write(
                "UPDATE job SET state = 'running', started_at = ?, finished_at = NULL, reason = '' WHERE id = ?",
                *(now(), job_id),
            )
            self._cancelled_jobs.discard(job_id)
            self._again.discard(job_id)
            self._giving_way.discard(job_id)
            return self.job(job_id)

    def _conclude(self, job_id: int, state: str, reason: str, stop: threading.Event) -> None:
        """Write a job's end; where the disk refuses, again and again until it takes it or the worker stops."""
        while True:
            try:
                self._write_end(job_id, state, storable(reason))
                return
            except StorageError as error:
                _LOG.warning("Job %d ended as %s, which could not be noted: %s", job_id, state, error)
                if stop.wait(_POLL_SECONDS):
                    return

    def _write_end(self, job_id: int, state: str, reason: str) -> None:
        """How a job ended and what that means for items it did not finish.

        ``state`` "queued": it was stopped and goes on another time. Where items came back to it while it ran, one that
        is "done" waits once more for them.
        """
        again = state == "done" and job_id in self._again
        rest = "queued" if again else "failed" if state == "done" else state
        explained = (reason or "The work ended before it came to this.") if rest == "failed" else ""
        with self._store.transaction():
            left = self._store.write(
                f"UPDATE job_item SET {_BLANK}, state = ?, reason = ? WHERE job = ? AND {_OPEN}",
                *(now(), rest, explained, job_id),
            )
            ending = "queued" if again and left else state
            self._store.write(
                "UPDATE job SET state = ?, reason = ?, finished_at = ? WHERE id = ?",
                *(ending, reason, now() if ending != "queued" else None, job_id),
            )

    def _retry(self, item_ids: Sequence[int], job: Job) -> None:
        """Put failed and cancelled ones of the items back, and their job when it is finished."""
        self._cancelled_items.difference_update(item_ids)
        with self._store.transaction():
            count = self._store.write(
                f"UPDATE job_item SET {_BLANK}, state = 'queued', reason = '' WHERE state IN ('failed', 'cancelled')"
                " AND id IN (SELECT value FROM json_each(?))",
                *(now(), item_ids),
            )
            if job.finished and (count or job.state != "done"):
                self._store.write(
                    "UPDATE job SET state = 'queued', cancel_requested = 0, reason = '', finished_at = NULL"
                    " WHERE id = ?",
                    job.id,
                )
        if count and not job.finished:
            self._again.add(job.id)
        self.ring()


def _among(**wanted: Sequence[Any]) -> tuple[str, list[Sequence[Any]]]:
    """A WHERE clause for columns that are to have one of their values; an empty sequence lets everything through.

    >>> _among(job=[7], state=())
    ('WHERE job IN (SELECT value FROM json_each(?))', [[7]])
    """
    named = {column: values for column, values in wanted.items() if values}
    clause = " AND ".join(f"{column} IN (SELECT value FROM json_each(?))" for column in named)
    return (f"WHERE {clause}" if clause else ""), list(named.values())


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

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                busy = self._queue.run_next(self._handlers, self._stop)
            except StorageError as error:
                _LOG.warning("The worker could not take up a job: %s", error)
                busy = False
            if not busy and not self._stop.is_set():
                self._queue.wait(_POLL_SECONDS)
