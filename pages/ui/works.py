"""Jobs as the pages show them: one row a file, or one for a whole piece of work."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.jobs import Item, Job, JobQueue
from pages.ui import words

UNFINISHED = ("queued", "running")
STOPPING = "stopping"  # cancelled, and its handler has not come to hear of it
NAMES = {"apply": "Cutting the library anew", "bench": "Benchmark", "tune": "Teaching the re-ranker"}


@dataclass(frozen=True, slots=True)
class Work:
    """``item``: the item to cancel or retry alone; ``None``: the whole job is meant. ``problem``: "password" asks."""

    job: int
    item: int | None
    name: str
    state: str
    stage: str = ""
    done: int = 0
    total: int = 0
    reason: str = ""
    problem: str = ""

    @property
    def key(self) -> str:
        return f"{self.job}.{self.item}"

    @property
    def words(self) -> str:
        """Where it stands, in words.

        >>> Work(1, 1, "a.pdf", "running", "parsing", 3, 12).words, Work(1, 1, "a.md", "queued").words
        ('page 3 of 12', 'waiting')
        >>> Work(1, None, "Suite", "stopping", "encoding", 3, 12).words
        'stopping at its next step'
        >>> Work(1, 1, "a.pdf", "running", "parsing", 0, 12).words
        'reading'
        >>> Work(1, 1, "a.pdf", "running", "encoding", 0, 1).words
        'encoding 1 chunk; the first time loads the encoder'
        """
        if self.state == STOPPING:
            return "stopping at its next step"
        if self.state == "queued" or not self.stage:
            return "waiting" if self.state == "queued" else "starting"
        if self.stage == "parsing" and self.done:
            return f"page {self.done:,} of {self.total:,}"
        if self.stage == "encoding":
            if not self.done:
                return f"encoding {words.count(self.total, 'chunk')}; the first time loads the encoder"
            return f"encoding {self.done:,} of {self.total:,}"
        if self.stage == "renewing":
            return f"first cutting the library for another embedder: document {self.done:,} of {self.total:,}"
        known = {"reading": "reading", "parsing": "reading", "chunking": "cutting", "storing": "storing"}
        return known.get(self.stage, self.stage)

    @property
    def share(self) -> float:
        """Of the bar, 0..1. A file is half parsing, half encoding, roughly."""
        part = self.done / self.total if self.total else 0.0
        low, high = {
            "reading": (0.0, 0.02),
            "parsing": (0.02, 0.45),
            "chunking": (0.45, 0.5),
            "encoding": (0.5, 0.95),
            "storing": (0.95, 1.0),
        }.get(self.stage, (0.0, 1.0))
        return 0.0 if self.state == "queued" else min(1.0, low + part * (high - low))


def active(queue: JobQueue, kinds: tuple[str, ...], limit: int = 50) -> list[Work]:
    """Waiting and running work, oldest first; running files before waiting ones; of each job the first ``limit``."""
    found: list[Work] = []
    for job in reversed(queue.jobs(-1, states=UNFINISHED, kinds=kinds)):
        # All items done and the job not quite: nothing left that a person waits for.
        unfinished = [_work(job, item) for item in queue.items(job.id, states=UNFINISHED, limit=limit)]
        unfinished = unfinished if job.items else [Work(job.id, None, _name(job, None), job.state)]
        stopping = queue.is_cancelled(job.id)
        found += [replace(work, state=STOPPING) for work in unfinished] if stopping else unfinished
    return sorted(found, key=lambda work: work.state == "queued")


def count_active(queue: JobQueue, kinds: tuple[str, ...]) -> int:
    """How many files and pieces of work wait or run, without reading them."""
    jobs = queue.jobs(-1, states=UNFINISHED, kinds=kinds)
    ended = sum(job.items_done + job.items_failed + job.items_cancelled for job in jobs)
    return sum(max(1, job.items) for job in jobs) - ended


def failed(queue: JobQueue, kinds: tuple[str, ...]) -> list[Work]:
    """What failed and was not dismissed, newest first."""
    found: list[Work] = []
    for job in queue.jobs(-1, kinds=kinds):
        if not (job.items_failed or job.state == "failed"):
            continue
        items = [_work(job, item) for item in queue.items(job.id, states=("failed",))]
        found += items or [Work(job.id, None, _name(job, None), job.state, reason=job.reason)]
    return found


def _work(job: Job, item: Item) -> Work:
    alone = item.id if job.kind == "ingest" else None
    where = (item.stage, item.done, item.total)
    return Work(job.id, alone, _name(job, item), item.state, *where, item.reason, item.problem)


def _name(job: Job, item: Item | None) -> str:
    if job.kind == "ingest":
        return words.file_name(item.name) if item else "Files"
    if job.kind == "apply" and item and "settings" not in job.payload:
        return f"Cutting anew {item.name}"
    return f"{NAMES.get(job.kind, job.kind)}{': ' + item.name if job.kind == 'bench' and item else ''}"
