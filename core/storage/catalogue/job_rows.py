"""Jobs and their items as the catalogue keeps them."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import NotFoundError, StorageError
from core.storage.store import Store, now, storable

UNFINISHED = ("queued", "running")


@dataclass(frozen=True, slots=True)
class NewItem:
    """One thing to do. ``path``: of a file; ``content_hash``: of bytes already staged in the library's files."""

    name: str
    path: Path | None = None
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to do, as it stands. ``state``: "queued", "running", "done", "failed" or "cancelled".

    ``done`` of ``total`` counts pages or texts of the ``stage``. ``reason``: why it failed, as a sentence; ``problem``:
    what a page may do about it: "password" to ask for one, "" for nothing in particular.
    """

    id: int
    job_id: int
    ordinal: int
    name: str
    path: Path | None
    content_hash: str | None
    state: str
    stage: str
    done: int
    total: int
    version_id: str | None
    reason: str
    changed_at: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work with its items' counts. ``state`` as of items; a job is "done" also when some items failed.

    ``reason``: why the job as a whole failed. ``result``: what its handler left for the pages.
    """

    id: int
    kind: str
    payload: Mapping[str, Any]
    state: str
    result: Mapping[str, Any]
    reason: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    items: int
    items_done: int
    items_failed: int
    items_cancelled: int

    @property
    def finished(self) -> bool:
        return self.state not in UNFINISHED


def add_job(store: Store, kind: str, payload: Mapping[str, Any], items: Sequence[NewItem]) -> int:
    """Add a waiting job and return its id. Staged bytes its items name are kept until the job is dismissed."""
    with store.transaction() as connection:
        job = connection.execute(
            "INSERT INTO job(kind, payload, state, created_at) VALUES (?, ?, 'queued', ?)",
            (kind, json.dumps(dict(payload)), now()),
        ).lastrowid
        connection.executemany(
            "INSERT INTO job_item(job, ordinal, name, path, content_hash, state, changed_at)"
            " VALUES (?, ?, ?, ?, ?, 'queued', ?)",
            (
                (job, place, storable(item.name), item.path and os.fsencode(item.path), item.content_hash, now())
                for place, item in enumerate(items)
            ),
        )
        staged = [item.content_hash for item in items if item.content_hash]
        store.after_commit(lambda: store.files.named(*staged))
    return int(job or 0)


def find_jobs(store: Store, limit: int, states: Sequence[str] = (), kinds: Sequence[str] = ()) -> list[Job]:
    """The newest jobs of these states and kinds (() for any), newest first."""
    which, values = _among(state=states, kind=kinds)
    with store.reading() as connection:
        return [_job(row) for row in connection.execute(f"{_JOBS}{which} ORDER BY id DESC LIMIT ?", (*values, limit))]


def find_job(store: Store, job_id: int) -> Job:
    """One job. Raises ``NotFoundError``."""
    with store.reading() as connection:
        row = connection.execute(f"{_JOBS} WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise NotFoundError(f"There is no job {job_id}.", "It may have been dismissed.")
    return _job(row)


def find_items(store: Store, job_id: int, states: Sequence[str] = (), limit: int = -1) -> list[Item]:
    """A job's items of these states (() for any) in their order, the first ``limit`` of them (-1 for all)."""
    which, values = _among(job=[job_id], state=states)
    with store.reading() as connection:
        return [_item(row) for row in connection.execute(f"{_ITEMS}{which} ORDER BY ordinal LIMIT ?", (*values, limit))]


def find_item(store: Store, item_id: int) -> Item:
    """One item. Raises ``NotFoundError``."""
    with store.reading() as connection:
        row = connection.execute(f"{_ITEMS} WHERE id = ?", (item_id,)).fetchone()
    if row is None:
        raise NotFoundError(f"There is no item {item_id}.", "Its job may have been dismissed.")
    return _item(row)


def claim_job(store: Store, kinds: Collection[str]) -> Job | None:
    """Take the oldest waiting job of these kinds to run it; ``None`` when none waits."""
    with store.transaction() as connection:
        row = connection.execute(
            "SELECT id FROM job WHERE state = 'queued' AND kind IN (SELECT value FROM json_each(?))"
            " ORDER BY id LIMIT 1",
            (json.dumps(sorted(kinds)),),
        ).fetchone()
        if row is None:
            return None
        connection.execute(
            "UPDATE job SET state = 'running', started_at = ?, finished_at = NULL, reason = '' WHERE id = ?",
            (now(), row[0]),
        )
        return find_job(store, row[0])


def conclude_job(store: Store, job_id: int, state: str, reason: str, *, again: bool) -> None:
    """Write how a job ended and what that means for items it did not finish.

    ``state`` "queued": it was stopped and goes on another time. ``again``: items came back to it while it ran, so
    that where it is "done" it waits once more for them.
    """
    rest = {"done": "queued" if again else "failed"}.get(state, state)
    ending = "queued" if state == "done" and again else state
    explained = (storable(reason) or "The work ended before it came to this.") if rest == "failed" else ""
    with store.transaction() as connection:
        left = connection.execute(
            f"UPDATE job_item SET {_BLANK}, state = ?, reason = ? WHERE job = ? AND state IN ('queued', 'running')",
            (now(), rest, explained, job_id),
        ).rowcount
        if not left and ending == "queued" and state == "done":
            ending = "done"
        connection.execute(
            "UPDATE job SET state = ?, reason = ?, finished_at = ? WHERE id = ?",
            (ending, storable(reason), now() if ending != "queued" else None, job_id),
        )


def request_cancel(store: Store, job_id: int) -> None:
    """End a waiting job; ask a running one to end. Raises ``NotFoundError``."""
    with store.transaction() as connection:
        find_job(store, job_id)
        connection.execute(
            "UPDATE job SET cancel_requested = 1, finished_at = iif(state = 'queued', ?, finished_at),"
            " state = iif(state = 'queued', 'cancelled', state) WHERE id = ? AND state IN ('queued', 'running')",
            (now(), job_id),
        )
        connection.execute(
            f"UPDATE job_item SET {_BLANK}, state = 'cancelled' WHERE job = ? AND state = 'queued'"
            " AND (SELECT state FROM job WHERE id = ?) = 'cancelled'",
            (now(), job_id, job_id),
        )


def cancel_item_row(store: Store, item_id: int) -> None:
    """Mark an item that is not finished as cancelled."""
    with store.transaction() as connection:
        connection.execute(
            f"UPDATE job_item SET {_BLANK}, state = 'cancelled' WHERE id = ? AND state IN ('queued', 'running')",
            (now(), item_id),
        )


def requeue_items(store: Store, job: Job, item_ids: Sequence[int]) -> int:
    """Put failed and cancelled ones of the items back, and their job when it is finished. Returns how many items."""
    with store.transaction() as connection:
        count = connection.execute(
            f"UPDATE job_item SET {_BLANK}, state = 'queued', reason = '' WHERE state IN ('failed', 'cancelled')"
            " AND id IN (SELECT value FROM json_each(?))",
            (now(), json.dumps(list(item_ids))),
        ).rowcount
        if job.finished and (count or job.state != "done"):
            connection.execute(
                "UPDATE job SET state = 'queued', cancel_requested = 0, reason = '', finished_at = NULL WHERE id = ?",
                (job.id,),
            )
    return count


def requeue_running(store: Store) -> int:
    """Put jobs that a dead process was running back; those it was asked to cancel are cancelled. Returns how many."""
    with store.transaction() as connection:
        connection.execute(
            "UPDATE job SET state = 'cancelled', finished_at = ? WHERE state = 'running' AND cancel_requested = 1",
            (now(),),
        )
        connection.execute(
            f"UPDATE job_item SET {_BLANK}, state = 'cancelled' WHERE state IN ('queued', 'running')"
            " AND job IN (SELECT id FROM job WHERE state = 'cancelled')",
            (now(),),
        )
        connection.execute(f"UPDATE job_item SET {_BLANK}, state = 'queued' WHERE state = 'running'", (now(),))
        return connection.execute("UPDATE job SET state = 'queued' WHERE state = 'running'").rowcount


def remove_job(store: Store, job_id: int) -> None:
    """Forget a finished job and the staged bytes only it named. Raises ``StorageError`` for an unfinished one."""
    with store.transaction() as connection:
        job = find_job(store, job_id)
        if not job.finished:
            raise StorageError(f"Job {job_id} is still {job.state}.", "Cancel it first.")
        for item in find_items(store, job_id):
            if item.content_hash:
                store.release_file(item.content_hash)
        connection.execute("DELETE FROM job WHERE id = ?", (job_id,))


def remove_failures(store: Store, job_id: int) -> None:
    """Forget what failed: the whole job when it is finished, its failed items while it goes on with others."""
    with store.transaction() as connection:
        if find_job(store, job_id).finished:
            remove_job(store, job_id)
            return
        for item in find_items(store, job_id):
            if item.state == "failed":
                if item.content_hash:
                    store.release_file(item.content_hash)
                connection.execute("DELETE FROM job_item WHERE id = ?", (item.id,))


_BLANK = "stage = '', done = 0, total = 0, problem = '', changed_at = ?"
_COUNT = "(SELECT count(*) FROM job_item WHERE job = job.id AND job_item.state = '{}')"
_JOBS = (
    "SELECT id, kind, payload, state, result, reason, created_at, started_at, finished_at,"
    " (SELECT count(*) FROM job_item WHERE job = job.id),"
    f" {_COUNT.format('done')}, {_COUNT.format('failed')}, {_COUNT.format('cancelled')} FROM job"
)
_ITEMS = (
    "SELECT id, job, ordinal, name, path, content_hash, state, stage, done, total, version_id, reason, changed_at,"
    " problem FROM job_item"
)


def _among(**wanted: Sequence[Any]) -> tuple[str, list[str]]:
    """A WHERE clause for columns that are to have one of their values; an empty sequence lets everything through.

    >>> _among(job=[7], state=())
    (' WHERE job IN (SELECT value FROM json_each(?))', ['[7]'])
    """
    named = {column: values for column, values in wanted.items() if values}
    clause = " AND ".join(f"{column} IN (SELECT value FROM json_each(?))" for column in named)
    return (f" WHERE {clause}" if clause else ""), [json.dumps(list(values)) for values in named.values()]


def _job(row: Sequence[Any]) -> Job:
    """A job whose row cannot be read has failed, and hides no other one."""
    try:
        payload, result = dict(json.loads(row[2])), dict(json.loads(row[4]))
    except (ValueError, TypeError):
        return Job(*(*row[:2], {}, "failed", {}, "What this job was to do cannot be read any more.", *row[6:]))
    return Job(*(*row[:2], payload, row[3], result, *row[5:]))


def _item(row: Sequence[Any]) -> Item:
    return Item(*(*row[:4], None if row[4] is None else Path(os.fsdecode(row[4])), *row[5:]))
