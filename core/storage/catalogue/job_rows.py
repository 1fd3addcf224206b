"""Jobs and their items as the catalogue keeps them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.storage.store import Store

UNFINISHED = ("queued", "running")
FIRST = "first"  # in a job's payload: the higher the sooner, 0 where it is not there


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

    @property
    def turn(self) -> tuple[int, int]:
        """Jobs are taken up in this order: what was put first last, then the oldest."""
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


def found_jobs(store: Store, which: str = "", *values: Any) -> list[Job]:
    """Jobs, by what follows the FROM of the query. One whose row cannot be read has failed, and hides no other one."""
    return [_job(row) for row in store.rows(f"{_JOBS} {which}", *values)]


def found_items(store: Store, which: str = "", *values: Any) -> list[Item]:
    """Items of jobs, by what follows the FROM of the query."""
    return [
        Item(*(*row[:4], None if row[4] is None else Path(os.fsdecode(row[4])), *row[5:]))
        for row in store.rows(f"{_ITEMS} {which}", *values)
    ]


def remove_jobs(store: Store, which: str, *values: Any) -> None:
    """Forget the jobs of a condition, and the staged bytes that only they named."""
    with store.transaction():
        remove_items(store, f"job IN (SELECT id FROM job WHERE {which})", *values)
        store.write(f"DELETE FROM job WHERE {which}", *values)


def remove_items(store: Store, which: str, *values: Any) -> None:
    """Forget the items of a condition, and the staged bytes that only they named."""
    with store.transaction():
        for (content_hash,) in store.rows(f"DELETE FROM job_item WHERE {which} RETURNING content_hash", *values):
            if content_hash:
                store.release_file(content_hash)


def _job(row: Sequence[Any]) -> Job:
    try:
        payload, result = dict(json.loads(row[2])), dict(json.loads(row[4]))
    except (ValueError, TypeError):
        return Job(*(*row[:2], {}, "failed", {}, "What this job was to do cannot be read any more.", *row[6:]))
    return Job(*(*row[:2], payload, row[3], result, *row[5:]))
