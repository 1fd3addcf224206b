"""Draws the worker's queue: batches, single files, failures. Redrawn every second while something runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

import streamlit as st

from core.storage.catalogue.job_rows import UNFINISHED
from pages.ui.shared import background, services, words
from pages.ui.shared.background import STOPPING, Unread, Work, work_of
from pages.ui.shared.guard import attempt_or_toast, guarded
from pages.ui.shared.words import about, count

_MOST_ITEMS = 64  # unfinished items read of a job; those that have begun come first


@dataclass(frozen=True, slots=True)
class Batch:
    """A job of several files.

    ``ended``: number of files done, failed or cancelled. ``state``: as ``Work.state``. ``active``: files that have
    begun and not ended. ``behind``: whether another job is before it in the queue. ``seconds_left``: ``None`` if
    unknown.
    """

    job: int
    files: int
    ended: int
    state: str
    active: tuple[Work, ...] = ()
    behind: bool = False
    seconds_left: float | None = None

    @property
    def words(self) -> str:
        """The progress as a sentence.

        >>> read = Work(1, 1, "a.pdf", "running", "parsing", 3, 12)
        >>> Batch(1, 100, 37, "running", (read,), seconds_left=250).words
        '37 of 100 done, reading a.pdf · about 4 min left'
        >>> Batch(1, 9, 2, "running", (Work(1, 1, "a.md", "running", "encoding", 3, 12),)).words
        '2 of 9 done, encoding 1 document: 3 of 12 chunks'
        >>> begins = Work(1, 1, "a.md", "running", "encoding", 0, 12)
        >>> Batch(1, 9, 0, "running", (begins,)).words
        '0 of 9 done, encoding 1 document: 12 chunks; the first time loads the encoder'
        >>> Batch(1, 9, 2, "running", (begins,)).words
        '2 of 9 done, encoding 1 document: 12 chunks'
        >>> Batch(1, 100, 0, "queued", behind=True).words, Batch(1, 9, 2, "stopping").words
        ('waits for the work above', 'stopping at its next step; 2 of 9 done')
        """
        done = f"{self.ended:,} of {self.files:,} done"
        if self.state == STOPPING:
            return f"stopping at its next step; {done}"
        if self.state == "queued":
            return "waits for the work above" if self.behind else "waiting"
        return f"{done}{self._now}{_left(self.seconds_left)}"

    @property
    def read(self) -> Work | None:
        """The file that is being read or cut now, which gets its own bar; ``None`` while files are only encoded."""
        return next((work for work in reversed(self.active) if work.stage != "encoding"), None)

    @property
    def _now(self) -> str:
        if not self.active:
            return ""
        if self.read is not None:
            return f", reading {self.read.name}"
        done = sum(work.done for work in self.active)
        total = sum(work.total for work in self.active)
        first = "" if self.ended else "; the first time loads the encoder"
        chunks = f"{done:,} of {count(total, 'chunk')}" if done else f"{count(total, 'chunk')}{first}"
        return f", encoding {count(len(self.active), 'document')}: {chunks}"

    @property
    def share(self) -> float:
        """The filled part of the bar, 0 to 1: ended files, plus the shares of the active ones."""
        return min(1.0, (self.ended + sum(work.share for work in self.active)) / max(1, self.files))


def _left(seconds: float | None) -> str:
    return "" if seconds is None else f" · {about(seconds)} left"


def _job_left(work: Work) -> str:
    return _left(services.library().queue.seconds_left(work.job)) if work.state == "running" else ""


def batches() -> list[Batch]:
    """The waiting and running jobs of several files, in the order of the queue."""
    queue = services.library().queue
    unfinished = background.in_turn()
    batches = []
    for job in unfinished:
        ended = job.items_done + job.items_failed + job.items_cancelled
        if job.kind != "ingest" or job.items < 2 or ended == job.items:
            continue
        begun = [item for item in queue.items(job.id, states=UNFINISHED, limit=_MOST_ITEMS) if item.stage]
        stopping = queue.is_cancelled(job.id)
        state = STOPPING if stopping else "running" if begun else job.state
        active = tuple(work_of(job, item) for item in begun)
        batches.append(
            Batch(job.id, job.items, ended, state, active, job is not unfinished[0], queue.seconds_left(job.id))
        )
    return batches


SHOWN = 6  # single files with a bar of their own
_MOST_NAMES = 8  # names listed of the files of a cancelled batch
WIDTHS = (3.0, 5.0, 1.0)  # of a row's name, bar and button
REDRAWN_SECONDS = 5.0  # least time between two redraws of the whole page, each of which reads all documents anew


def show_queue(drawn_at: int) -> None:
    """Draw the queue of the Library page. ``drawn_at``: the library's revision before the page read its documents."""
    busy = bool(background.active_jobs())
    st.fragment(_queue, run_every=1.0 if busy else None)(drawn_at, busy, monotonic())


def _queue(drawn_at: int, was_busy: bool, drawn: float) -> None:
    with guarded():
        several = batches()
        batch_jobs = {batch.job for batch in several}
        first = next((job.id for job in background.in_turn()), None)
        active = [work for work in background.active_jobs("ingest", "apply") if work.job not in batch_jobs]
        busy = bool(background.active_jobs())
        changed = services.library().revision() != drawn_at
        # Only a run of the whole page can start or end the fragment's timer, for example when a retry makes an idle
        # queue busy.
        if was_busy != busy or (changed and (not busy or monotonic() - drawn > REDRAWN_SECONDS)):
            st.rerun()
        for batch in several:
            _batch(batch)
        for work in active[:SHOWN]:
            _row(work, work.share, work.words + _job_left(work), behind=work.job != first)
        if len(active) > SHOWN:
            more, button = st.columns([6, 1], vertical_alignment="center")
            more.caption(f"and {len(active) - SHOWN:,} more")
            button.button("Cancel all", on_click=_cancel_all, key="library.cancel_all", width="stretch")
        for cancelled in background.unread():
            _unread(cancelled)
        _failures("ingest", "apply", again=True)


def _batch(batch: Batch) -> None:
    """The bar of the batch, and below it the bar of the file that is being read."""
    whole = Work(batch.job, None, count(batch.files, "document"), batch.state)
    cancel_help = "What is done stays, and so does what is found by its words."
    _row(whole, batch.share, batch.words, cancel_help, behind=batch.behind)
    if batch.state == "running" and batch.read is not None:
        _row(batch.read, batch.read.share, batch.read.words)


def _row(work: Work, share: float, text: str, cancel_help: str | None = None, *, behind: bool = False) -> None:
    """A name, a bar with its text, and a cancel button with its help.

    ``behind``: another job is before this one in the queue, so a button that puts it first is drawn while it waits.
    """
    widths = [3.0, 3.7, 1.3, 1.0] if behind and work.state == "queued" else WIDTHS
    name, bar, *first, button = st.columns(widths, vertical_alignment="center")
    if first:
        first[0].button(
            "Put first",
            key=f"library.first.{work.key}",
            on_click=background.put_first,
            args=[work.job],
            width="stretch",
            help="Read and encoded before the rest. What is at work now keeps what is done, and goes on after it.",
        )
    name.markdown(f"**{words.escaped(work.name)}**")
    bar.progress(share, text=words.escaped(text))
    button.button(
        "Cancel",
        key=f"library.cancel.{work.key}",
        on_click=background.cancel,
        args=[work],
        width="stretch",
        disabled=work.state == STOPPING,
        help=cancel_help,
    )


def _unread(cancelled: Unread) -> None:
    """The files of a cancelled batch that were not read, with buttons to read them after all or to dismiss them."""
    with st.container(border=True):
        text, read, forget = st.columns([7, 1, 1], vertical_alignment="center")
        names = ", ".join(cancelled.names[:_MOST_NAMES])
        more = f" and {len(cancelled.names) - _MOST_NAMES:,} more" if len(cancelled.names) > _MOST_NAMES else ""
        heading = f":material/cancel: **Cancelled, {count(len(cancelled.names), 'file')} not read:** "
        text.markdown(heading + words.escaped(names + more))
        queue = services.library().queue
        for place, label, act in (
            (read, "Read", partial(queue.retry, cancelled.job, ("cancelled",))),
            (forget, "Dismiss", partial(queue.dismiss_items, cancelled.job, "cancelled")),
        ):
            key = f"library.{label.lower()}.{cancelled.job}"
            place.button(label, key=key, on_click=_attempt, args=[act], width="stretch")


def _attempt(act: Callable[[], object]) -> None:
    attempt_or_toast(act)


def _failures(*kinds: str, again: bool = False) -> None:
    """Failed work of these kinds, with reasons. ``again``: each row gets a retry button."""
    failed = background.failures(*kinds)
    if not failed:
        return
    with st.container(border=True, gap="xsmall"):
        for work in failed[:20]:
            if work.problem == "password":
                _locked(work)
                continue
            text, retry = st.columns([8, 1], vertical_alignment="center")
            text.markdown(_reason(work))
            if again:
                key = f"library.retry.{work.key}"
                retry.button("Retry", key=key, on_click=_retry, args=[work], width="stretch")
        if len(failed) > 20:
            st.caption(f"and {len(failed) - 20:,} more")
        label = "Dismiss" if len(failed) == 1 else f"Dismiss all {len(failed):,} failures"
        st.button(
            label,
            key="library.dismiss" if again else f"dismiss.{kinds[0]}",
            on_click=_dismiss,
            args=[{work.job for work in failed}],
            icon=":material/close:",
        )


def _locked(work: Work) -> None:
    """A failed file that needs a password, with the field for it."""
    with st.form(f"library.password.{work.key}", border=False, clear_on_submit=True):
        text, field, unlock = st.columns([5, 3, 1], vertical_alignment="center")
        text.markdown(_reason(work).replace(":red[:material/error:", ":orange[:material/lock:"))
        password = field.text_input(
            f"Password of {work.name}",
            type="password",
            placeholder="Its password; kept in memory only",
            label_visibility="collapsed",
            autocomplete="off",
        )
        if unlock.form_submit_button("Unlock", width="stretch") and password and work.item is not None:
            services.library().unlock(work.item, password)
            st.rerun()


def _cancel_all() -> None:
    for job in {work.job for work in background.active_jobs("ingest", "apply")}:
        background.cancel(Work(job, None, "", ""))


def _retry(work: Work) -> None:
    queue = services.library().queue
    if work.item is None:
        queue.retry(work.job)
    else:
        queue.retry_item(work.item)


def _dismiss(jobs: Collection[int]) -> None:
    """Dismiss the failed items of jobs; the jobs may still be running on their other files."""
    for job in jobs:
        attempt_or_toast(partial(services.library().queue.dismiss_items, job, "failed"))


def _reason(work: Work) -> str:
    reason = work.reason.removeprefix(f"{work.name} ")  # the row already shows the file's name
    return f":red[:material/error: **{words.escaped(work.name)}**] &nbsp;{words.escaped(reason)}"


def show_jobs(*kinds: str) -> None:
    """Draw the unfinished and failed work of these kinds. The page runs again when all of it is over."""
    busy = bool(background.active_jobs(*kinds))
    st.fragment(_jobs, run_every=1.0 if busy else None)(kinds, busy)


def _jobs(kinds: Sequence[str], was_busy: bool) -> None:
    with guarded():
        active = background.active_jobs(*kinds)
        if was_busy and not active:
            st.rerun()
        reading = bool(background.active_jobs("ingest", "apply"))
        for work in active:
            waits = work.state == "queued" and reading
            text = "waits until the documents are read and cut" if waits else f"{work.words}{_job_left(work)}"
            _row(work, work.share, text)
        _failures(*kinds)
