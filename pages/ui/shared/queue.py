"""Work in progress: the worker's files and batches, what waits, what failed. Redrawn every second while it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

import streamlit as st

from pages.ui.shared import background, services, words
from pages.ui.shared.background import STOPPING, UNFINISHED, Unread, Work, work_of
from pages.ui.shared.guard import attempt_or_toast, guarded
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
    def words(self) -> str:
        """Where it stands, in words.

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
        >>> Batch(1, 100, 0, "queued", before=True).words, Batch(1, 9, 2, "stopping").words
        ('waits for the work above', 'stopping at its next step; 2 of 9 done')
        """
        done = f"{self.ended:,} of {self.files:,} done"
        if self.state == STOPPING:
            return f"stopping at its next step; {done}"
        if self.state == "queued":
            return "waits for the work above" if self.before else "waiting"
        return f"{done}{self._now}{_left(self.seconds_left)}"

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
        first = "" if self.ended else "; the first time loads the encoder"
        chunks = f"{done:,} of {count(total, 'chunk')}" if done else f"{count(total, 'chunk')}{first}"
        return f", encoding {count(len(self.at_work), 'document')}: {chunks}"

    @property
    def share(self) -> float:
        """Of the bar, 0..1: documents, and the parts of those at work."""
        return min(1.0, (self.ended + sum(work.share for work in self.at_work)) / max(1, self.files))


def _left(seconds: float | None) -> str:
    return "" if seconds is None else f" · {about(seconds)} left"


def _ends(work: Work) -> str:
    return _left(services.library().queue.seconds_left(work.job)) if work.state == "running" else ""


def batches() -> list[Batch]:
    """The waiting and running jobs of several files, in turn."""
    queue = services.library().queue
    unfinished = background.in_turn()
    found = []
    for job in unfinished:
        ended = job.items_done + job.items_failed + job.items_cancelled
        if job.kind != "ingest" or job.items < 2 or ended == job.items:
            continue
        begun = [item for item in queue.items(job.id, states=UNFINISHED, limit=_LOOKED_AT) if item.stage]
        stopping = queue.is_cancelled(job.id)
        state = STOPPING if stopping else "running" if begun else job.state
        at_work = tuple(work_of(job, item) for item in begun)
        found.append(
            Batch(job.id, job.items, ended, state, at_work, job is not unfinished[0], queue.seconds_left(job.id))
        )
    return found


SHOWN = 6
_NAMED = 8  # files by name, of those that were not read
REDRAWN_SECONDS = 5.0  # the whole page while documents come in: each time it reads all of them anew


def show_queue(drawn_at: int) -> None:
    """The Library page's queue of files. ``drawn_at``: the library's revision before the page read what it shows."""
    busy = bool(background.active_jobs())
    st.fragment(_queue, run_every=1.0 if busy else None)(drawn_at, busy, monotonic())


def _queue(drawn_at: int, was_busy: bool, drawn: float) -> None:
    with guarded():
        several = batches()
        told = {batch.job for batch in several}
        first = next((job.id for job in background.in_turn()), None)
        active = [work for work in background.active_jobs("ingest", "apply") if work.job not in told]
        busy = bool(background.active_jobs())
        changed = services.library().revision() != drawn_at
        # A retry makes an idle queue busy: only the whole page can set the fragment ticking, or end it.
        if was_busy != busy or (changed and (not busy or monotonic() - drawn > REDRAWN_SECONDS)):
            st.rerun()
        for batch in several:
            _batch(batch)
        for work in active[:SHOWN]:
            _row(work, work.share, work.words + _ends(work), behind=work.job != first)
        if len(active) > SHOWN:
            more, button = st.columns([6, 1], vertical_alignment="center")
            more.caption(f"and {len(active) - SHOWN:,} more")
            button.button("Cancel all", on_click=_cancel_all, key="library.cancel_all", width="stretch")
        for left in background.unread():
            _unread(left)
        _failures("ingest", "apply", again=True)


def _batch(batch: Batch) -> None:
    """The batch's own bar, and below it that of the file that is being read."""
    whole = Work(batch.job, None, count(batch.files, "document"), batch.state)
    kept = "What is done stays, and so does what is found by its words."
    _row(whole, batch.share, batch.words, kept, behind=batch.before)
    if batch.state == "running" and batch.read is not None:
        _row(batch.read, batch.read.share, batch.read.words)


def _row(work: Work, share: float, said: str, kept: str | None = None, *, behind: bool = False) -> None:
    """A bar, and the button that stops it. ``kept``: what stays of it then. ``behind``: while it waits, another job is
    before it, and can be asked to come after it.
    """
    widths = [3.0, 3.7, 1.3, 1.0] if behind and work.state == "queued" else [3.0, 5.0, 1.0]
    name, bar, *way, button = st.columns(widths, vertical_alignment="center")
    if way:
        way[0].button(
            "Put first",
            key=f"library.first.{work.key}",
            on_click=background.put_first,
            args=[work.job],
            width="stretch",
            help="Read and encoded before the rest. What is at work now keeps what is done, and goes on after it.",
        )
    name.markdown(f"**{words.escaped(work.name)}**")
    bar.progress(share, text=words.escaped(said))
    button.button(
        "Cancel",
        key=f"library.cancel.{work.key}",
        on_click=background.cancel,
        args=[work],
        width="stretch",
        disabled=work.state == STOPPING,
        help=kept,
    )


def _unread(left: Unread) -> None:
    """What a cancelled batch left unread, the way to read it after all, and the way to forget it."""
    with st.container(border=True):
        text, read, forget = st.columns([7, 1, 1], vertical_alignment="center")
        named = ", ".join(left.names[:_NAMED])
        more = f" and {len(left.names) - _NAMED:,} more" if len(left.names) > _NAMED else ""
        said = f":material/cancel: **Cancelled, {count(len(left.names), 'file')} not read:** "
        text.markdown(said + words.escaped(named + more))
        queue = services.library().queue
        for place, label, act in (
            (read, "Read", partial(queue.retry, left.job, ("cancelled",))),
            (forget, "Dismiss", partial(queue.dismiss_items, left.job, "cancelled")),
        ):
            key = f"library.{label.lower()}.{left.job}"
            place.button(label, key=key, on_click=_toasting, args=[act], width="stretch")


def _toasting(act: Callable[[], object]) -> None:
    attempt_or_toast(act)


def _failures(*kinds: str, again: bool = False) -> None:
    """What failed, with its reasons. ``again``: each can be tried once more."""
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
        said = "Dismiss" if len(failed) == 1 else f"Dismiss all {len(failed):,} failures"
        st.button(
            said,
            key="library.dismiss" if again else f"dismiss.{kinds[0]}",
            on_click=_dismiss,
            args=[{work.job for work in failed}],
            icon=":material/close:",
        )


def _locked(work: Work) -> None:
    """An encrypted file, with the field for its password beside it."""
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
    """Forget what failed of jobs, which may still be at work on their other files."""
    for job in jobs:
        attempt_or_toast(partial(services.library().queue.dismiss_items, job, "failed"))


def _reason(work: Work) -> str:
    said = work.reason.removeprefix(f"{work.name} ")  # most sentences begin with the file's name: once is enough
    return f":red[:material/error: **{words.escaped(work.name)}**] &nbsp;{words.escaped(said)}"


def show_jobs(*kinds: str) -> None:
    """Work of these kinds in progress, and what of it failed; the page runs again when the work is over."""
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
            said = "waits until the documents are read and cut" if waits else f"{work.words}{_ends(work)}"
            _row(work, work.share, said)
        _failures(*kinds)
