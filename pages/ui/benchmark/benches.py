"""Benchmarks as the page sees them: started in the background, read from their folders, kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import streamlit as st

from core.evaluation import history
from core.evaluation.history import RunHead
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import BenchReport
from core.evaluation.statistics import Comparison
from core.library import Library
from core.storage.catalogue.job_rows import Job
from pages.ui.shared import background, services
from pages.ui.shared.guard import attempt_or_toast
from pages.ui.shared.work import Plan

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the list. ``job``: the order it came from, ``None`` when that is no longer known.

    ``writer``: the process that makes it now, in words, "" where none does.
    """

    head: RunHead
    job: Job | None
    writer: str = ""

    @property
    def name(self) -> str:
        """Of the suite, as people call it."""
        return str(self.job.payload["name"]) if self.job else self.head.suite

    @property
    def standing(self) -> str:
        """In a word."""
        return "finished" if self.head.finished else "running" if self.writer else "stopped"

    @property
    def label(self) -> str:
        """Suite, time and presets, in one line."""
        when = datetime.fromisoformat(self.head.made_at).astimezone()
        names = list(self.head.presets)
        shown = ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"
        return f"{self.name} · {when:%d %b %Y, %H:%M} · {shown}"


def workspace() -> Path:
    """Where this library's benches lie."""
    return history.workspace_in(services.library().home)


def start(plan: Plan) -> None:
    """Put it in the queue; the worker goes on where an unfinished run of the same plan stopped."""
    background.start("bench", plan.payload(), plan.name)


def runs() -> list[Run]:
    """All runs, newest first, each with its order."""
    jobs = services.library().queue.jobs(-1, kinds=("bench",))
    place = workspace()
    return [
        Run(head, _order(head, jobs), "" if head.finished else history.writer_of(place, head.folder))
        for head in history.runs(place)
    ]


def _order(head: RunHead, jobs: list[Job]) -> Job | None:
    """The newest order that asked for these presets of this suite."""
    return next(
        (
            job
            for job in jobs
            if job.payload.get("presets") == head.presets
            and Path(job.payload["folder"]).name == head.suite
            and job.payload.get("revision") == head.revision
        ),
        None,
    )


def go_on(run: Run) -> None:
    """Order an unfinished run anew: it continues."""
    if run.job:
        start(Plan.from_payload(run.job.payload))


def remove(run: Run) -> None:
    """Forget a run and the order it came from; or say why not."""
    # Another process may have taken it up, or removed it, since the button was drawn.
    removed = attempt_or_toast(lambda: history.remove_run(workspace(), run.head.folder))
    if removed and run.job and run.job.finished:
        services.library().queue.dismiss(run.job.id)


def report(folder: str) -> BenchReport:
    """A finished run's report."""
    place = workspace()
    return kept(folder, "report", lambda: history.load_report(place, folder))


def compared(folder: str, baseline: str) -> Mapping[str, Mapping[str, Comparison]]:
    """Every preset of a run against one of them."""
    return kept(folder, f"compared.{baseline}", lambda: report(folder).compare_all(baseline))


def measured(folder: str, preset: str) -> Mapping[str, QuestionOutcome]:
    """What a preset did with each question of a finished run."""
    return _measured(str(workspace()), folder, _stamp(folder), preset)


def text(shown: BenchReport, version: str) -> str:
    """A document's text as the library of the run has it."""
    return _text(str(workspace() / shown.library), version)


def kept(folder: str, name: str, make: Callable[[], Thing]) -> Thing:
    """What ``make`` makes of a finished run, once; ``name`` says what it is."""
    found: Thing = _kept(str(workspace()), folder, _stamp(folder), name, make)
    return found


def _stamp(folder: str) -> int:
    """A run that was removed may get a namesake: its files are younger."""
    return (workspace() / "runs" / folder).stat().st_mtime_ns


@st.cache_resource(max_entries=96, show_spinner="Reading the run …")
def _kept(place: str, folder: str, stamp: int, name: str, _make: Callable[[], Thing]) -> Thing:
    return _make()


@st.cache_resource(max_entries=6, show_spinner="Reading what was read …")
def _measured(place: str, folder: str, stamp: int, preset: str) -> dict[str, QuestionOutcome]:
    return history.load_measured(Path(place), folder, preset)


@st.cache_resource(max_entries=32, show_spinner=False)
def _text(library: str, version: str) -> str:
    with Library.open(Path(library), write=False) as opened:
        return opened.document(version).text
