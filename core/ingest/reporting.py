"""``Reporter``: how a job handler reports progress and learns that its job was cancelled."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.errors import CancelledError
from core.storage.catalogue.job_rows import UNFINISHED, Item
from core.storage.store import Store, now
from core.text.normalise import storable

if TYPE_CHECKING:
    from core.ingest.jobs import JobQueue

_WRITE_SECONDS = 0.2  # the shortest time between two writes of progress to the table
_POLL_SECONDS = 0.2  # between two checks for a cancellation by another process


class Reporter:
    """The connection of a handler to its job. Once the job is stopped, all methods but ``cancelled`` raise
    ``CancelledError``.

    To go on after the cancellation of one item, catch the error and call ``check()``, which raises it again only if the
    whole job is stopped.
    """

    def __init__(self, store: Store, queue: JobQueue, job_id: int, stop: threading.Event) -> None:
        self.stop = stop
        self._store = store
        self._queue = queue
        self._job_id = job_id
        self._unwritten: dict[int, tuple[str, int, int]] = {}
        self._shown: set[int] = set()
        self._last_write = 0.0
        self._last_poll = 0.0
        self._cancel_requested = False

    @property
    def stopping(self) -> bool:
        """Whether the worker is being stopped or the job preempted, so that the job is to be continued later."""
        return self.stop.is_set() or self._queue.is_preempted(self._job_id)

    def cancelled(self) -> bool:
        """Whether the job was cancelled, here or by another process."""
        if self._queue.is_cancelled(self._job_id):
            return True
        if time.monotonic() - self._last_poll >= _POLL_SECONDS:
            row = self._store.row("SELECT cancel_requested FROM job WHERE id = ?", self._job_id)
            self._cancel_requested = row is None or bool(row[0])
            self._last_poll = time.monotonic()
        return self._cancel_requested

    def check(self, item_id: int | None = None) -> None:
        """Raise ``CancelledError`` if the job, or this item, was stopped."""
        if self.stopping or self.cancelled():
            raise CancelledError("The work was stopped.")
        if item_id is not None and self._queue.is_item_cancelled(item_id):
            raise CancelledError("This item was cancelled.")

    def items(self) -> list[Item]:
        """The job's unfinished items, in order; after a crash or a retry, finished ones are left out."""
        self.check()
        return self._queue.items(self._job_id, states=UNFINISHED)

    def stage(self, item_id: int, stage: str, done: int = 0, total: int = 0) -> None:
        """Report the progress of an item. It may be called at any rate.

        This process sees the progress at once; others see it in the table, which is written a few times per second.
        """
        self.check(item_id)
        self._queue.show(item_id, (stage, done, total))
        self._shown.add(item_id)
        self._unwritten[item_id] = (stage, done, total)
        if time.monotonic() - self._last_write >= _WRITE_SECONDS:
            self._store.write_many(
                "UPDATE job_item SET state = 'running', stage = ?, done = ?, total = ?, changed_at = ?"
                f" WHERE id = ? AND state IN {UNFINISHED}",
                ((*progress, now(), item) for item, progress in self._unwritten.items()),
            )
            self._unwritten.clear()
            self._last_write = time.monotonic()

    def finish_item(self, item_id: int, version_id: str | None = None, reason: str = "", problem: str = "") -> None:
        """Mark an item as done, with its ``version_id``, or as failed, with a ``reason`` and a ``problem``.

        Call it inside the transaction that stores the document, so that both are committed together.
        """
        self.check()
        self._unwritten.pop(item_id, None)
        self._store.write(
            "UPDATE job_item SET state = ?, stage = '', version_id = ?, reason = ?, problem = ?, changed_at = ?"
            " WHERE id = ?",
            *("failed" if reason else "done", version_id, storable(reason), problem, now(), item_id),
        )

    def foretell(self, seconds: float | None) -> None:
        """Set the estimated remaining time of the job; ``None``: unknown."""
        self._queue.foretell(self._job_id, seconds)

    def close(self) -> None:
        """Remove the in-memory progress of the job, after its handler has ended."""
        for item_id in self._shown:
            self._queue.show(item_id, None)
        self.foretell(None)

    def result(self, values: Mapping[str, Any]) -> None:
        """Store the job's result for display, as JSON values; it replaces an earlier one."""
        self.check()
        self._store.write("UPDATE job SET result = ? WHERE id = ?", json.dumps(dict(values)), self._job_id)
