"""Background jobs as the pages see them: started, listed as rows of one file or one job each, and cancelled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from threading import Thread
from time import monotonic
from typing import Any

import streamlit as st

from core.errors import LecternError
from core.ingest.ingest import MEANING_FOLLOWS
from core.ingest.pace import share
from core.settings import Settings
from core.storage.catalogue.job_rows import UNFINISHED, Item, Job, NewItem
from core.storage.store import settings_from
from pages.ui.shared import state, words
from pages.ui.shared.services import library, sources

STOPPING = "stopping"  # cancelled, but its handler has not stopped yet
NAMES = {
    "apply": "Cutting the library anew",
    "bench": "Benchmark",
    "tune": "Teaching the re-ranker",
    "needles": "Needles",
    "remedies": "What would have helped",
}

_PREVIOUS_SETTINGS = "settings.before"
_RETRY_SECONDS = 300
_CANCEL_WAIT_SECONDS = 0.3  # how long a page waits until a cancellation is written
_MOST_ITEMS = 50  # unfinished items read of a job


@dataclass(frozen=True, slots=True)
class Work:
    """One row of the queue: a file of an ingest job, or a whole job of another kind.

    ``item``: the item to cancel or retry; ``None`` for the whole job. ``state``: of the item or job, or ``STOPPING``.
    ``stage``, ``done``, ``total``: the progress last reported. ``problem``: "password" if the file needs one.
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
        """The progress as a phrase.

        >>> Work(1, 1, "a.pdf", "running", "parsing", 3, 12).words, Work(1, 1, "a.md", "queued").words
        ('page 3 of 12', 'waiting')
        >>> Work(1, None, "Suite", "stopping", "encoding", 3, 12).words
        'stopping at its next step'
        >>> Work(1, 1, "a.pdf", "running", "parsing", 0, 12).words
        'reading'
        >>> Work(1, 1, "a.pdf", "running", "encoding", 0, 1).words
        'encoding 1 chunk; the first time loads the encoder'
        >>> Work(1, None, "Cutting", "running", "encoding 3 of 12", 4, 90).words
        'document 5 of 90: encoding 3 of 12 chunks'
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
            return f"encoding {self.done:,} of {words.count(self.total, 'chunk')}"
        if self.stage == "renewing":
            return f"first cutting the library for another embedder: document {self.done:,} of {self.total:,}"
        verbs = {"reading": "reading", "parsing": "reading", "chunking": "cutting", "storing": "storing"}
        stage, _, texts = self.stage.partition(" ")
        phrase = f"encoding {texts} chunks" if stage == "encoding" else verbs.get(self.stage, self.stage)
        if self.item is None and self.total > 1 and stage in (*verbs, "encoding"):
            return f"document {min(self.done + 1, self.total):,} of {self.total:,}: {phrase}"
        return phrase

    @property
    def share(self) -> float:
        """The filled part of the bar, 0 to 1."""
        stage = self.stage if self.item is not None or self.total == 1 or self.stage == "encoding" else ""
        return 0.0 if self.state == "queued" else share(stage, self.done, self.total)


def in_turn(kinds: Sequence[str] = ()) -> list[Job]:
    """The waiting and running jobs of these kinds, in the order of the queue; () for all kinds."""
    return sorted(library().queue.jobs(-1, states=UNFINISHED, kinds=kinds), key=lambda job: job.turn)


def put_first(job: int) -> None:
    """Make a waiting job the next to run. A running ingest or cutting job is interrupted, and continues after it."""
    library().queue.put_first(job, ("ingest", "apply"))


def active_jobs(*kinds: str) -> list[Work]:
    """Rows of the waiting and running jobs of these kinds (of all without one): running rows first, then by turn."""
    rows: list[Work] = []
    queue = library().queue
    for job in in_turn(kinds):
        # A job whose items are all done may still be closing: it has no row, as there is nothing to wait for.
        unfinished = [work_of(job, item) for item in queue.items(job.id, states=UNFINISHED, limit=_MOST_ITEMS)]
        unfinished = unfinished if job.items else [Work(job.id, None, _name(job, None), job.state)]
        stopping = queue.is_cancelled(job.id)
        rows += [replace(work, state=STOPPING) for work in unfinished] if stopping else unfinished
    return sorted(rows, key=lambda work: work.state == "queued")


def pending_documents() -> int:
    """How many documents are still to be read or, when none is, encoded for the first time by a job."""
    jobs = library().queue.jobs(-1, states=UNFINISHED, kinds=("ingest", "apply"))
    ended = (job.items_done + job.items_failed + job.items_cancelled for job in jobs)
    arriving = sum(job.items - over for job, over in zip(jobs, ended, strict=True) if job.kind == "ingest")
    if arriving or not jobs:
        return arriving
    return len({source.version_id for source in sources() if source.by_words})


def failures(*kinds: str) -> list[Work]:
    """Rows of failed work of these kinds that was not dismissed, newest first."""
    rows: list[Work] = []
    queue = library().queue
    for job in queue.jobs(-1, kinds=kinds):
        if not (job.items_failed or job.state == "failed"):
            continue
        items = [work_of(job, item) for item in queue.items(job.id, states=("failed",))]
        rows += items or [Work(job.id, None, _name(job, None), job.state, reason=job.reason)]
    return rows


@dataclass(frozen=True, slots=True)
class Unread:
    """Files of a cancelled ingest job that were not read: their names, and the job, which still holds the files."""

    job: int
    names: tuple[str, ...]


def unread() -> list[Unread]:
    """Files cancelled before they were read, by job, newest first; files that words already find are left out."""
    queue = library().queue
    jobs = [job for job in queue.jobs(-1, kinds=("ingest",)) if job.finished and job.items_cancelled]
    if not jobs:
        return []
    found_by_words = {name for source in sources() if source.by_words for name in (source.name, source.version_id)}
    unread_jobs = []
    for job in jobs:
        items = queue.items(job.id, states=("cancelled",))
        missing = [item for item in items if found_by_words.isdisjoint({item.name, item.content_hash})]
        if missing:
            unread_jobs.append(Unread(job.id, tuple(words.file_name(item.name) for item in missing)))
    return unread_jobs


def work_of(job: Job, item: Item) -> Work:
    """The row of one item of a job."""
    own_item = item.id if job.kind == "ingest" else None
    progress = (item.stage, item.done, item.total)
    return Work(job.id, own_item, _name(job, item), item.state, *progress, item.reason, item.problem)


def _name(job: Job, item: Item | None) -> str:
    if job.kind == "ingest":
        return words.file_name(item.name) if item else "Files"
    if job.kind == "apply" and item and "settings" not in job.payload:
        return f"Cutting anew {item.name}"
    return f"{NAMES.get(job.kind, job.kind)}{': ' + item.name if job.kind == 'bench' and item else ''}"


def queue_files(items: Sequence[NewItem]) -> None:
    """Queue files to be read, smaller ones first."""
    queue = library().queue
    job = queue.enqueue("ingest", {}, queue.smaller_first(items))
    st.session_state[state.QUEUED] = (*st.session_state.get(state.QUEUED, ()), job)


def start(kind: str, payload: Mapping[str, Any], name: str) -> None:
    """Queue a job of this kind with one item of this name."""
    library().queue.enqueue(kind, payload, [NewItem(name)])


def last_result(kind: str, of: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
    """The result of the newest done job of a kind whose payload includes the items of ``of``; ``None`` without one."""
    done = library().queue.jobs(-1, states=("done",), kinds=(kind,))
    return next((job.result for job in done if job.result and (of or {}).items() <= job.payload.items()), None)


def recut(versions: Sequence[str]) -> None:
    """Parse, chunk and encode documents again, in the background; what is up to date costs nothing."""
    start("apply", {"versions": list(versions)}, words.count(len(versions), "document"))


def encode_when_back() -> None:
    """Encode, in the background, the documents that were left out while the embedder's server was unreachable.

    Called when the server seems to answer again. Tried at most every five minutes in a session until nothing is left:
    a question whose vector is cached is answered without the server, so an answer alone proves nothing.
    """
    name = MEANING_FOLLOWS.removeprefix("preference.")
    since_last_try = monotonic() - st.session_state.get(state.MEANING_TRIED, -inf)
    if since_last_try < _RETRY_SECONDS or not library().writable or not library().preference(name):
        return
    if active_jobs("ingest", "apply"):
        return
    st.session_state[state.MEANING_TRIED] = monotonic()
    if versions := list(dict.fromkeys(source.version_id for source in sources() if source.by_words)):
        recut(versions)
    else:
        library().set_preference(name, "")


def settings_before() -> Settings | None:
    """The settings that the last ``start_apply`` replaced; ``None`` before the first."""
    stored = library().preference(_PREVIOUS_SETTINGS)
    return settings_from(json.loads(stored)) if stored else None


def start_apply(settings: Settings, lender: str = "") -> None:
    """Apply settings to the library, in the background; the present ones are stored for ``settings_before``.

    ``lender``: the folder of a library whose vectors are copied instead of encoding anew.
    """
    library().set_preference(_PREVIOUS_SETTINGS, json.dumps(library().settings.to_dict()))
    start("apply", {"settings": settings.to_dict(), "lender": lender}, "All documents")


def undo_apply(lender: str = "") -> None:
    """Apply ``settings_before``, which is then forgotten: what was undone is not undone again."""
    before = settings_before()
    if before is not None:
        start_apply(before, lender)
        library().set_preference(_PREVIOUS_SETTINGS, "")


def apply_and_watch(settings: Settings) -> None:
    """As ``start_apply``, then open the Library page, which shows the progress."""
    start_apply(settings)
    st.switch_page("pages/library.py")


def cancel(what: Work) -> None:
    """Cancel one file or a whole job. The page waits 0.3 s at most for the write, which a busy disk may delay."""
    queue = library().queue
    stop = partial(queue.cancel, what.job) if what.item is None else partial(queue.cancel_item, what.item)

    def write() -> None:
        with suppress(LecternError):  # the job has ended meanwhile
            stop()

    writing = Thread(target=write, name="lectern-cancel")
    writing.start()
    writing.join(_CANCEL_WAIT_SECONDS)
