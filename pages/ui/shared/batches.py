"""A batch of files as one bar: documents done of all, what is being read, and about how long the rest will take."""

from __future__ import annotations

from dataclasses import dataclass

from core.ingest.jobs import JobQueue
from pages.ui.shared.background import STOPPING, UNFINISHED, Work, work_of
from pages.ui.shared.words import about, count

_LOOKED_AT = 64  # items of a job: those at work are the first that are not done


@dataclass(frozen=True, slots=True)
class Batch:
    """A job of several files. ``ended``: files done, failed or cancelled; ``at_work``: those begun.

    ``state`` as of ``Work``. ``before``: whether it waits for other work. ``seconds_left``: ``None`` where not known.
    """

    job: int
    files: int
    ended: int
    state: str
    at_work: tuple[Work, ...] = ()
    before: bool = False
    seconds_left: float | None = None

    @property
    def name(self) -> str:
        return count(self.files, "document")

    @property
    def words(self) -> str:
        """Where it stands, in words.

        >>> read = Work(1, 1, "a.pdf", "running", "parsing", 3, 12)
        >>> Batch(1, 100, 37, "running", (read,), seconds_left=250).words
        '37 of 100 done, reading a.pdf · about 4 min left'
        >>> Batch(1, 9, 2, "running", (Work(1, 1, "a.md", "running", "encoding", 3, 12),)).words
        '2 of 9 done, encoding 1 document: 3 of 12 chunks'
        >>> Batch(1, 100, 0, "queued", before=True).words, Batch(1, 9, 2, "stopping").words
        ('waits for the work above', 'stopping at its next step; 2 of 9 done')
        """
        done = f"{self.ended:,} of {self.files:,} done"
        if self.state == STOPPING:
            return f"stopping at its next step; {done}"
        if self.state == "queued":
            return "waits for the work above" if self.before else "waiting"
        left = "" if self.seconds_left is None else f" · {about(self.seconds_left)} left"
        return f"{done}{self._now}{left}"

    @property
    def read(self) -> Work | None:
        """The file that is being read or cut now, which has a bar of its own; ``None`` while its like are encoded."""
        return next((work for work in reversed(self.at_work) if work.stage != "encoding"), None)

    @property
    def _now(self) -> str:
        if not self.at_work:
            return ""
        if self.read is not None:
            return f", reading {self.read.name}"
        done, total = (sum(getattr(work, of) for work in self.at_work) for of in ("done", "total"))
        chunks = (
            f"{done:,} of {count(total, 'chunk')}"
            if done
            else f"{count(total, 'chunk')}; the first time loads the encoder"
        )
        return f", encoding {count(len(self.at_work), 'document')}: {chunks}"

    @property
    def share(self) -> float:
        """Of the bar, 0..1: documents, and the parts of those at work."""
        return min(1.0, (self.ended + sum(work.share for work in self.at_work)) / max(1, self.files))


def batches(queue: JobQueue) -> list[Batch]:
    """The waiting and running jobs of several files, oldest first."""
    unfinished = queue.jobs(-1, states=UNFINISHED)
    found = []
    for job in reversed(unfinished):
        ended = job.items_done + job.items_failed + job.items_cancelled
        if job.kind != "ingest" or job.items < 2 or ended == job.items:
            continue
        begun = [item for item in queue.items(job.id, states=UNFINISHED, limit=_LOOKED_AT) if item.stage]
        stopping = queue.is_cancelled(job.id)
        state = STOPPING if stopping else "running" if begun else job.state
        at_work = tuple(work_of(job, item) for item in begun)
        before = any(other.id < job.id for other in unfinished)
        found.append(Batch(job.id, job.items, ended, state, at_work, before, queue.seconds_left(job.id)))
    return found
