"""Background work: started, shown as one row a file or a piece of work, and stopped."""

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
from core.storage.catalogue.job_rows import Item, Job, NewItem
from core.storage.store import settings_from
from pages.ui.shared import state, words
from pages.ui.shared.services import library, sources

UNFINISHED = ("queued", "running")
STOPPING = "stopping"  # cancelled, and its handler has not come to hear of it
NAMES = {
    "apply": "Cutting the library anew",
    "bench": "Benchmark",
    "tune": "Teaching the re-ranker",
    "needles": "Needles",
    "remedies": "What would have helped",
}

_BEFORE = "settings.before"
_AGAIN_SECONDS = 300
_NOTED_SECONDS = 0.3  # that a page waits for the note of a cancellation
_LOOKED_AT = 50  # unfinished items of a job


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
        known = {"reading": "reading", "parsing": "reading", "chunking": "cutting", "storing": "storing"}
        stage, _, texts = self.stage.partition(" ")
        said = f"encoding {texts} chunks" if stage == "encoding" else known.get(self.stage, self.stage)
        if self.item is None and self.total > 1 and stage in (*known, "encoding"):
            return f"document {min(self.done + 1, self.total):,} of {self.total:,}: {said}"
        return said

    @property
    def share(self) -> float:
        """Of the bar, 0..1."""
        of = self.stage if self.item is not None or self.total == 1 or self.stage == "encoding" else ""
        return 0.0 if self.state == "queued" else share(of, self.done, self.total)


def in_turn(kinds: Sequence[str] = ()) -> list[Job]:
    """The waiting and running jobs of these kinds, of all when none is named, as they are taken up."""
    return sorted(library().queue.jobs(-1, states=UNFINISHED, kinds=kinds), key=lambda job: job.turn)


def put_first(job: int) -> None:
    """Have a waiting job taken up next; documents that come in or are cut meanwhile go on after it."""
    library().queue.put_first(job, ("ingest", "apply"))


def active_jobs(*kinds: str) -> list[Work]:
    """Waiting and running work of these kinds, of all when none is named: in turn, running files before others."""
    found: list[Work] = []
    queue = library().queue
    for job in in_turn(kinds):
        # All items done and the job not quite: nothing left that a person waits for.
        unfinished = [work_of(job, item) for item in queue.items(job.id, states=UNFINISHED, limit=_LOOKED_AT)]
        unfinished = unfinished if job.items else [Work(job.id, None, _name(job, None), job.state)]
        stopping = queue.is_cancelled(job.id)
        found += [replace(work, state=STOPPING) for work in unfinished] if stopping else unfinished
    return sorted(found, key=lambda work: work.state == "queued")


def coming() -> int:
    """Documents that are still being read, or encoded for the first time."""
    jobs = library().queue.jobs(-1, states=UNFINISHED, kinds=("ingest", "apply"))
    ended = (job.items_done + job.items_failed + job.items_cancelled for job in jobs)
    arriving = sum(job.items - over for job, over in zip(jobs, ended, strict=True) if job.kind == "ingest")
    if arriving or not jobs:
        return arriving
    return len({source.version_id for source in sources() if source.by_words})


def failures(*kinds: str) -> list[Work]:
    """What failed and was not dismissed, newest first."""
    found: list[Work] = []
    queue = library().queue
    for job in queue.jobs(-1, kinds=kinds):
        if not (job.items_failed or job.state == "failed"):
            continue
        items = [work_of(job, item) for item in queue.items(job.id, states=("failed",))]
        found += items or [Work(job.id, None, _name(job, None), job.state, reason=job.reason)]
    return found


@dataclass(frozen=True, slots=True)
class Unread:
    """Files of a cancelled batch that nothing finds: their names, and the job that has kept what was dropped."""

    job: int
    names: tuple[str, ...]


def unread() -> list[Unread]:
    """What was cancelled before it was read, newest first; what its words find already is said elsewhere."""
    queue = library().queue
    jobs = [job for job in queue.jobs(-1, kinds=("ingest",)) if job.finished and job.items_cancelled]
    if not jobs:
        return []
    held = {name for source in sources() if source.by_words for name in (source.name, source.version_id)}
    found = []
    for job in jobs:
        items = queue.items(job.id, states=("cancelled",))
        left = tuple(words.file_name(item.name) for item in items if held.isdisjoint({item.name, item.content_hash}))
        found += [Unread(job.id, left)] if left else []
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


def take(items: Sequence[NewItem]) -> None:
    """Queue files to be read, the smaller first."""
    queue = library().queue
    queue.enqueue("ingest", {}, queue.smaller_first(items))


def start(kind: str, payload: Mapping[str, Any], name: str) -> None:
    """Queue a piece of work of one item, so called."""
    library().queue.enqueue(kind, payload, [NewItem(name)])


def outcome(kind: str, of: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
    """What the newest job of a kind left that was done and whose payload has what ``of`` has; ``None``: nothing."""
    done = library().queue.jobs(-1, states=("done",), kinds=(kind,))
    return next((job.result for job in done if job.result and (of or {}).items() <= job.payload.items()), None)


def encode_rest(versions: Sequence[str]) -> None:
    """Give documents that are found by their words alone their meaning, in the background."""
    start("apply", {"versions": list(versions)}, words.count(len(versions), "document"))


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
    if left := list(dict.fromkeys(source.version_id for source in sources() if source.by_words)):
        encode_rest(left)
    else:
        library().set_preference(name, "")


def settings_before() -> Settings | None:
    """What was applied over last, ``None`` before anything was."""
    kept = library().preference(_BEFORE)
    return settings_from(json.loads(kept)) if kept else None


def start_apply(settings: Settings) -> None:
    """Make settings the library's own, in the background; those before are kept for the way back."""
    library().set_preference(_BEFORE, json.dumps(library().settings.to_dict()))
    start("apply", {"settings": settings.to_dict()}, "All documents")


def apply_and_watch(settings: Settings) -> None:
    """Make settings the library's own, in the background, and go to the page that shows how far that is."""
    start_apply(settings)
    st.switch_page("pages/library.py")


def cancel(what: Work) -> None:
    """Stop one file, or a whole piece of work: it hears of it at once, also where the disk notes it later."""
    queue = library().queue
    stop = partial(queue.cancel, what.job) if what.item is None else partial(queue.cancel_item, what.item)

    def noted() -> None:
        with suppress(LecternError):  # it is over already
            stop()

    noting = Thread(target=noted, name="lectern-cancel")
    noting.start()
    noting.join(_NOTED_SECONDS)
