"""Storage of jobs and their items."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.storage.store import Store

UNFINISHED = ("queued", "running")
FIRST = "first"  # key in a job's payload: its priority, higher first; 0 if missing


@dataclass(frozen=True, slots=True)
class NewItem:
    """One item of a new job: a file at ``path``, or bytes staged in the library's files under ``content_hash``."""

    name: str
    path: Path | None = None
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a job. ``state``: "queued", "running", "done", "failed" or "cancelled".

    ``done`` and ``total``: pages or texts of the current ``stage``. ``reason``: why it failed, as a sentence.
    ``problem``: "password" if the file needs a password, else "".
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
    """A job with the counts of its items. ``state``: as of items; a job is "done" even if some of its items failed.

    ``reason``: why the whole job failed. ``result``: what its handler returned, for display.
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

    @property
    def turn(self) -> tuple[int, int]:
        """Sort key of the queue: by descending priority, then oldest first."""
        return -int(self.payload.get(FIRST, 0)), self.id


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


def select_jobs(store: Store, clauses: str = "", *values: Any) -> list[Job]:
    """Jobs by the SQL ``clauses`` after FROM. A job whose row is unreadable is returned as failed."""
    return [_job(row) for row in store.rows(f"{_JOBS} {clauses}", *values)]


def select_items(store: Store, clauses: str = "", *values: Any) -> list[Item]:
    """Job items by the SQL ``clauses`` after FROM."""
    return [
        Item(*(*row[:4], None if row[4] is None else Path(os.fsdecode(row[4])), *row[5:]))
        for row in store.rows(f"{_ITEMS} {clauses}", *values)
    ]


def remove_jobs(store: Store, condition: str, *values: Any) -> None:
    """Delete the jobs of an SQL condition, and staged originals that nothing else refers to."""
    with store.transaction():
        remove_items(store, f"job IN (SELECT id FROM job WHERE {condition})", *values)
        store.write(f"DELETE FROM job WHERE {condition}", *values)


def remove_items(store: Store, condition: str, *values: Any) -> None:
    """Delete the job items of an SQL condition, and staged originals that nothing else refers to."""
    with store.transaction():
        for (content_hash,) in store.rows(f"DELETE FROM job_item WHERE {condition} RETURNING content_hash", *values):
            if content_hash:
                store.release_file(content_hash)


def _job(row: Sequence[Any]) -> Job:
    try:
        payload, result = dict(json.loads(row[2])), dict(json.loads(row[4]))
    except (ValueError, TypeError):
        return Job(*(*row[:2], {}, "failed", {}, "What this job was to do cannot be read any more.", *row[6:]))
    return Job(*(*row[:2], payload, row[3], result, *row[5:]))
