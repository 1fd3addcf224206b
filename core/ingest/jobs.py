"""``JobQueue`` and ``Worker``: durable, cancellable background jobs with progress, stored in the catalogue."""

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
_RESET = "stage = '', done = 0, total = 0, problem = '', changed_at = ?"
_UNFINISHED = f"state IN {UNFINISHED}"


Handler = Callable[[Job, Reporter], None]


class JobQueue:
    """The jobs of one library. Reading works in a read-only library too; everything else needs the write lock."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wake = threading.Condition()
        self._cancelled_jobs: set[int] = set()
        self._cancelled_items: set[int] = set()
        self._requeued: set[int] = set()  # running jobs with items that were put back in the queue meanwhile
        self._preempted: set[int] = set()  # running jobs to be put back in the queue
        self._progress: dict[int, tuple[str, int, int]] = {}  # by item: (stage, done, total), newer than in the table
        self._expected_ends: dict[int, float] = {}  # by job: monotonic time

    def enqueue(self, kind: str, payload: Mapping[str, Any], items: Sequence[NewItem] = ()) -> int:
        """Add a job and return its id. ``payload``: JSON values.

        Staged originals that its items refer to are kept until the job is dismissed.
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
        self.notify()
        return job_id

    def smaller_first(self, items: Sequence[NewItem]) -> list[NewItem]:
        """The items ordered by file size, so that small files need not wait for large ones.

        Items of the same name stay together in their order.
        """
        sizes: dict[str, int] = {}
        for item in items:
            sizes[item.name] = max(sizes.get(item.name, 0), self.size(item))
        return sorted(items, key=lambda item: sizes[item.name])

    def size(self, item: Item | NewItem) -> int:
        """The size of an item's file in bytes; 0 without a file or if it cannot be read."""
        with suppress(OSError, ValueError, LecternError):
            if item.content_hash:
                return self._store.files.size(item.content_hash)
            return item.path.stat().st_size if item.path else 0
        return 0

    def jobs(self, limit: int = 50, *, states: Sequence[str] = (), kinds: Sequence[str] = ()) -> list[Job]:
        """Jobs of these states and kinds (() for any), newest first. ``limit``: -1 for all."""
        where, values = _where(state=states, kind=kinds)
        return select_jobs(self._store, f"{where} ORDER BY id DESC LIMIT ?", *values, limit)

    def job(self, job_id: int) -> Job:
        """One job. Raises ``NotFoundError``."""
        for job in select_jobs(self._store, "WHERE id = ?", job_id):
            return job
        raise NotFoundError(f"There is no job {job_id}.", "It may have been dismissed.")

    def items(self, job_id: int, *, states: Sequence[str] = (), limit: int = -1) -> list[Item]:
        """A job's items of these states (() for any) in order. ``limit``: -1 for all.

        The items include the current progress of work in this process. ``states`` is matched against the table, in
        which a running item may still be "queued": use ``UNFINISHED`` to include it.
        """
        where, values = _where(job=[job_id], state=states)
        items = select_items(self._store, f"{where} ORDER BY ordinal LIMIT ?", *values, limit)
        return [self._with_progress(item) for item in items]

    def item(self, item_id: int) -> Item:
        """One item. Raises ``NotFoundError``."""
        for item in select_items(self._store, "WHERE id = ?", item_id):
            return self._with_progress(item)
        raise NotFoundError(f"There is no item {item_id}.", "Its job may have been dismissed.")

    def cancel(self, job_id: int) -> None:
        """Cancel a queued job at once, a running one at its next progress report. Finished items stay."""
        self._cancelled_jobs.add(job_id)  # first, since writing to the table may have to wait for the write lock
        store = self._store
        with store.transaction():
            self.job(job_id)
            store.write(
                "UPDATE job SET cancel_requested = 1, finished_at = iif(state = 'queued', ?, finished_at),"
                f" state = iif(state = 'queued', 'cancelled', state) WHERE id = ? AND {_UNFINISHED}",
                *(now(), job_id),
            )
            store.write(
                f"UPDATE job_item SET {_RESET}, state = 'cancelled' WHERE job = ?2 AND state = 'queued'"
                " AND (SELECT state FROM job WHERE id = ?2) = 'cancelled'",
                *(now(), job_id),
            )

    def cancel_item(self, item_id: int) -> None:
        """Cancel one item: the handler's next report on it raises, and the job goes on with the others."""
        self.item(item_id)
        self._cancelled_items.add(item_id)
        self._store.write(
            f"UPDATE job_item SET {_RESET}, state = 'cancelled' WHERE id = ? AND {_UNFINISHED}", now(), item_id
        )

    def put_first(self, job_id: int, before: Sequence[str] = ()) -> None:
        """Move a queued job to the front of the queue. A running job of one of the kinds ``before`` is preempted.

        The preempted job stops at its next progress report, keeps its finished items and is queued again.
        """
        with self._store.transaction():
            unfinished = self.jobs(-1, states=UNFINISHED)
            highest = max((-job.turn[0] for job in unfinished), default=0)
            self._store.write(
                "UPDATE job SET payload = json_set(payload, ?, ?)"
                " WHERE id = ? AND state = 'queued' AND json_valid(payload)",
                *(f"$.{FIRST}", highest + 1, job_id),
            )
        self._preempted.update(job.id for job in unfinished if job.state == "running" and job.kind in before)

    def retry(self, job_id: int, states: Sequence[str] = ("failed", "cancelled")) -> None:
        """Queue a job's failed and cancelled items again, or only those of one of these states."""
        self._retry([item.id for item in self.items(job_id, states=states)], self.job(job_id))

    def retry_item(self, item_id: int) -> None:
        """Queue one failed or cancelled item again; a running job runs once more after its end."""
        self._retry([item_id], self.job(self.item(item_id).job_id))

    def dismiss(self, job_id: int) -> None:
        """Delete a finished job and staged originals that nothing else needs. Raises ``StorageError`` if unfinished."""
        with self._store.transaction():
            job = self.job(job_id)
            if not job.finished:
                raise StorageError(f"Job {job_id} is still {job.state}.", "Cancel it first.")
            remove_jobs(self._store, "id = ?", job_id)

    def dismiss_items(self, job_id: int, state: str) -> None:
        """Delete the "failed" or the "cancelled" items of a job; the whole job if it is finished and has none of the
        other state.
        """
        with self._store.transaction():
            job = self.job(job_id)
            if job.finished and not (job.items_cancelled if state == "failed" else job.items_failed):
                self.dismiss(job_id)
            else:
                remove_items(self._store, "job = ? AND state = ?", job_id, state)

    def recover(self) -> int:
        """Queue the jobs again that a dead process was running, or cancel them if that was requested.

        Call it once after opening the library for writing. Returns the number of queued jobs.
        """
        store = self._store
        with store.transaction():
            store.write(
                "UPDATE job SET state = 'cancelled', finished_at = ? WHERE state = 'running' AND cancel_requested = 1",
                now(),
            )
            ended = "job IN (SELECT id FROM job WHERE state = 'cancelled')"
            store.write(f"UPDATE job_item SET {_RESET}, state = 'cancelled' WHERE {_UNFINISHED} AND {ended}", now())
            store.write(f"UPDATE job_item SET {_RESET}, state = 'queued' WHERE state = 'running'", now())
            count = store.write("UPDATE job SET state = 'queued' WHERE state = 'running'")
        if count:
            self.notify()
        return count

    def run_next(self, handlers: Mapping[str, Handler], stop: threading.Event | None = None) -> bool:
        """Run the next queued job that has a handler, in this thread. Returns ``False`` if there is none.

        Jobs of other kinds stay queued for a process that can run them. No exception of the handler is passed on:
        ``CancelledError`` cancels the job, or queues it again if ``stop`` was set or it was preempted; any other one
        makes it fail.
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
        except Exception as error:  # a bug in one handler must not end the worker
            _LOG.exception("Job %d (%s) failed.", job.id, job.kind)
            state, reason = "failed", f"An unexpected {type(error).__name__} stopped the work: {error}"
        reporter.close()
        self._conclude(job.id, state, reason, reporter.stop)
        return True

    def wait(self, seconds: float) -> None:
        """Wait until a job is added, ``seconds`` at most."""
        with self._wake:
            self._wake.wait(seconds)

    def notify(self) -> None:
        """Wake up all callers of ``wait``."""
        with self._wake:
            self._wake.notify_all()

    def show(self, item_id: int, progress: tuple[str, int, int] | None) -> None:
        """Set an item's progress, ``(stage, done, total)``, in memory; ``None``: the table has it."""
        if progress is None:
            self._progress.pop(item_id, None)
        else:
            self._progress[item_id] = progress

    def foretell(self, job_id: int, seconds: float | None) -> None:
        """Set the estimated remaining time of a running job; ``None``: unknown."""
        if seconds is None:
            self._expected_ends.pop(job_id, None)
        else:
            self._expected_ends[job_id] = time.monotonic() + seconds

    def seconds_left(self, job_id: int) -> float | None:
        """The estimated remaining time of a job that runs in this process; ``None`` if unknown or exceeded."""
        left = self._expected_ends.get(job_id, 0.0) - time.monotonic()
        return left if left > 0 else None

    def is_cancelled(self, job_id: int) -> bool:
        """Whether this process has cancelled the job."""
        return job_id in self._cancelled_jobs

    def is_preempted(self, job_id: int) -> bool:
        """Whether a running job must stop and be queued again."""
        return job_id in self._preempted

    def is_item_cancelled(self, item_id: int) -> bool:
        """Whether this process has cancelled the item."""
        return item_id in self._cancelled_items

    def _with_progress(self, item: Item) -> Item:
        progress = self._progress.get(item.id)
        if progress is None or item.state not in UNFINISHED:
            return item
        stage, done, total = progress
        return replace(item, state="running", stage=stage, done=done, total=total)

    def _claim(self, kinds: Sequence[str]) -> Job | None:
        """Mark the next queued job of these kinds as running and return it; ``None`` if there is none."""
        with self._store.transaction():
            queued = self.jobs(-1, states=("queued",), kinds=kinds) if kinds else []
            if not queued:
                return None
            job_id = min(queued, key=lambda job: job.turn).id
            self._store.write(
                "UPDATE job SET state = 'running', started_at = ?, finished_at = NULL, reason = '' WHERE id = ?",
                *(now(), job_id),
            )
            self._cancelled_jobs.discard(job_id)
            self._requeued.discard(job_id)
            self._preempted.discard(job_id)
            return self.job(job_id)

    def _conclude(self, job_id: int, state: str, reason: str, stop: threading.Event) -> None:
        """Store how a job ended; after an error, retry until it succeeds or the worker stops."""
        while True:
            try:
                self._write_end(job_id, state, storable(reason))
                return
            except StorageError as error:
                _LOG.warning("Job %d ended as %s, which could not be noted: %s", job_id, state, error)
                if stop.wait(_POLL_SECONDS):
                    return

    def _write_end(self, job_id: int, state: str, reason: str) -> None:
        """Store the final state of a job and of its unfinished items.

        ``state``: "queued" if the job was stopped and will go on later. A "done" job is queued again if some of its
        items were put back in the queue while it ran.
        """
        requeue = state == "done" and job_id in self._requeued
        item_state = "queued" if requeue else "failed" if state == "done" else state
        item_reason = (reason or "The work ended before it came to this.") if item_state == "failed" else ""
        with self._store.transaction():
            unfinished = self._store.write(
                f"UPDATE job_item SET {_RESET}, state = ?, reason = ? WHERE job = ? AND {_UNFINISHED}",
                *(now(), item_state, item_reason, job_id),
            )
            final_state = "queued" if requeue and unfinished else state
            self._store.write(
                "UPDATE job SET state = ?, reason = ?, finished_at = ? WHERE id = ?",
                *(final_state, reason, now() if final_state != "queued" else None, job_id),
            )

    def _retry(self, item_ids: Sequence[int], job: Job) -> None:
        """Queue failed and cancelled ones of the items again, and their job if it is finished."""
        self._cancelled_items.difference_update(item_ids)
        with self._store.transaction():
            count = self._store.write(
                f"UPDATE job_item SET {_RESET}, state = 'queued', reason = '' WHERE state IN ('failed', 'cancelled')"
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
            self._requeued.add(job.id)
        self.notify()


def _where(**allowed: Sequence[Any]) -> tuple[str, list[Sequence[Any]]]:
    """A WHERE clause with its parameters: each column has one of its values; an empty sequence allows all.

    >>> _where(job=[7], state=())
    ('WHERE job IN (SELECT value FROM json_each(?))', [[7]])
    """
    restricted = {column: values for column, values in allowed.items() if values}
    clause = " AND ".join(f"{column} IN (SELECT value FROM json_each(?))" for column in restricted)
    return (f"WHERE {clause}" if clause else ""), list(restricted.values())


class Worker:
    """A thread that runs queued jobs one after another until ``stop``."""

    def __init__(self, queue: JobQueue, handlers: Mapping[str, Handler]) -> None:
        self._queue = queue
        self._handlers = handlers
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lectern-worker", daemon=True)

    def start(self) -> None:
        """Recover jobs of a dead process, then start the thread."""
        self._queue.recover()
        self._thread.start()

    def stop(self, timeout_seconds: float = 10.0) -> bool:
        """Stop the thread; a running job is queued again. Returns whether it ended within the timeout."""
        self._stop.set()
        self._queue.notify()
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
