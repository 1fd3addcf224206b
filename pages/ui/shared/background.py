"""Background work: started, shown as one row a file or a piece of work, and stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import LecternError
from core.ingest.ingest import MEANING_FOLLOWS
from core.ingest.jobs import Item, Job, JobQueue, NewItem
from core.parsing import detect_kind
from core.settings import Settings
from pages.ui.shared import state, words
from pages.ui.shared.guard import attempt_or_toast
from pages.ui.shared.services import library

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

UNFINISHED = ("queued", "running")
STOPPING = "stopping"  # cancelled, and its handler has not come to hear of it
NAMES = {
    "apply": "Cutting the library anew",
    "bench": "Benchmark",
    "tune": "Teaching the re-ranker",
    "needles": "Needles",
    "remedies": "What would have helped",
}

_AGAIN_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Work:
    """A file that is being read, or a whole piece of work, as one row.

    ``item``: the item to cancel or retry alone; ``None``: the whole job is meant. ``problem``: "password" asks for one.
    """

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
        unfinished = [work_of(job, item) for item in queue.items(job.id, states=UNFINISHED, limit=limit)]
        unfinished = unfinished if job.items else [Work(job.id, None, _name(job, None), job.state)]
        stopping = queue.is_cancelled(job.id)
        found += [replace(work, state=STOPPING) for work in unfinished] if stopping else unfinished
    return sorted(found, key=lambda work: work.state == "queued")


def failed(queue: JobQueue, kinds: tuple[str, ...]) -> list[Work]:
    """What failed and was not dismissed, newest first."""
    found: list[Work] = []
    for job in queue.jobs(-1, kinds=kinds):
        if not (job.items_failed or job.state == "failed"):
            continue
        items = [work_of(job, item) for item in queue.items(job.id, states=("failed",))]
        found += items or [Work(job.id, None, _name(job, None), job.state, reason=job.reason)]
    return found


def work_of(job: Job, item: Item) -> Work:
    """An item of a job as a row."""
    alone = item.id if job.kind == "ingest" else None
    where = (item.stage, item.done, item.total)
    return Work(job.id, alone, _name(job, item), item.state, *where, item.reason, item.problem)


def _name(job: Job, item: Item | None) -> str:
    if job.kind == "ingest":
        return words.file_name(item.name) if item else "Files"
    if job.kind == "apply" and item and "settings" not in job.payload:
        return f"Cutting anew {item.name}"
    return f"{NAMES.get(job.kind, job.kind)}{': ' + item.name if job.kind == 'bench' and item else ''}"


def take_uploads(files: Sequence[UploadedFile]) -> list[str]:
    """Stage dropped files and queue them; returns a sentence for each that could not be kept."""
    items, refused = [], []
    for file in files:
        try:
            items.append(NewItem(file.name, content_hash=library().stage(file.getvalue())))
        except LecternError as error:
            refused.append(f"{file.name}: {error}")
    if items:
        take(items)
    return refused


def kinds_and_sizes(files: Sequence[UploadedFile]) -> Iterator[tuple[str, int]]:
    """Kind and bytes of dropped files that can be read."""
    for file in files:
        with suppress(LecternError):
            yield detect_kind(file.getvalue(), file.name), file.size


def take(items: Sequence[NewItem]) -> None:
    """Queue files to be read."""
    library().queue.enqueue("ingest", {}, items)


def take_paths(paths: Sequence[Path]) -> None:
    """Queue files of this machine to be read."""
    take([NewItem(path.name, path=path) for path in paths])


def trash(sources: Sequence[int]) -> None:
    """Put these sources in the trash, and offer to undo it."""
    library().trash(sources)
    st.session_state[state.THROWN] = list(sources)


def restore(sources: Sequence[int]) -> None:
    """Bring these sources back from the trash."""
    report = library().restore(sources)
    for failure in report.failures:
        st.toast(words.escaped(failure.reason))
    st.session_state[state.THROWN] = []


def encode_rest(versions: Sequence[str]) -> None:
    """Give documents that are found by their words alone their meaning, in the background."""
    library().queue.enqueue("apply", {"versions": list(versions)}, [NewItem(words.count(len(versions), "document"))])


def encode_when_back() -> None:
    """Give what an embedder's server was gone for its meaning, in the background: it seems to answer again.

    Tried once in five minutes of a session until nothing is left; what is remembered is answered without the server.
    """
    name = MEANING_FOLLOWS.removeprefix("preference.")
    waited = monotonic() - st.session_state.get(state.MEANING_TRIED, -inf)
    if waited < _AGAIN_SECONDS or not library().writable or not library().preference(name):
        return
    if active_jobs("ingest", "apply"):
        return
    st.session_state[state.MEANING_TRIED] = monotonic()
    if left := list(dict.fromkeys(source.version_id for source in library().sources() if source.by_words)):
        encode_rest(left)
    else:
        library().set_preference(name, "")


def start_apply(settings: Settings) -> None:
    """Make settings the library's own, in the background."""
    library().queue.enqueue("apply", {"settings": settings.to_dict()}, [NewItem("All documents")])


def apply_and_watch(settings: Settings) -> None:
    """Make settings the library's own, in the background, and go to the page that shows how far that is."""
    start_apply(settings)
    st.switch_page("pages/library.py")


def active_jobs(*kinds: str) -> list[Work]:
    """Waiting and running work of these kinds; of all kinds when none is named."""
    return active(library().queue, kinds)


def failures(*kinds: str) -> list[Work]:
    """What failed and was not dismissed."""
    return failed(library().queue, kinds)


def cancel(what: Work) -> None:
    """Stop one file, or a whole piece of work."""
    if what.item is None:
        library().queue.cancel(what.job)
    else:
        library().queue.cancel_item(what.item)


def cancel_all() -> None:
    """Stop everything the Library page waits for."""
    for job in {item.job for item in active_jobs("ingest", "apply")}:
        library().queue.cancel(job)


def retry(what: Work) -> None:
    """Put what failed back in the queue."""
    if what.item is None:
        library().queue.retry(what.job)
    else:
        library().queue.retry_item(what.item)


def unlock(what: Work, password: str) -> None:
    """Read an encrypted file again with its password."""
    if what.item is not None:
        library().unlock(what.item, password)


def dismiss(job: int) -> None:
    """Forget what failed of a job, which may still be at work on its other files."""
    attempt_or_toast(lambda: library().queue.dismiss_failures(job))
