"""What a running job tells of itself and of its items, and how it hears that it is to end."""

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

_WRITE_EVERY_SECONDS = 0.2  # progress goes to the table at most this often
_LOOK_EVERY_SECONDS = 0.2  # and a cancellation written by another process is seen within this time


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
        """The worker is being stopped, or the job gives way to another; it will go on later."""
        return self.stop.is_set() or self._queue.is_preempted(self._job_id)

    def cancelled(self) -> bool:
        """Whether the job was cancelled, here or by another process."""
        if self._queue.is_cancelled(self._job_id):
            return True
        if time.monotonic() - self._last_look >= _LOOK_EVERY_SECONDS:
            row = self._store.row("SELECT cancel_requested FROM job WHERE id = ?", self._job_id)
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
            self._store.write_many(
                "UPDATE job_item SET state = 'running', stage = ?, done = ?, total = ?, changed_at = ?"
                f" WHERE id = ? AND state IN {UNFINISHED}",
                ((*progress, now(), item) for item, progress in self._unwritten.items()),
            )
            self._unwritten.clear()
            self._last_write = time.monotonic()

    def finish_item(self, item_id: int, version_id: str | None = None, reason: str = "", problem: str = "") -> None:
        """An item is done (``version_id``: what it became), or failed when there is a ``reason`` (and a ``problem``).

        Called inside the transaction that stores the document, both happen or neither.
        """
        self.check()
        self._unwritten.pop(item_id, None)
        self._store.write(
            "UPDATE job_item SET state = ?, stage = '', version_id = ?, reason = ?, problem = ?, changed_at = ?"
            " WHERE id = ?",
            *("failed" if reason else "done", version_id, storable(reason), problem, now(), item_id),
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
        self._store.write("UPDATE job SET result = ? WHERE id = ?", json.dumps(dict(values)), self._job_id)
