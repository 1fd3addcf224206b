"""Benchmark runs as the page sees them: queued as jobs, read from their folders, and cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

Value = TypeVar("Value")
LISTED = 24  # characters of the presets in a run's label, which the choice of a run has room for


@dataclass(frozen=True, slots=True)
class Run:
    """A benchmark run. ``job``: the job that started it, ``None`` if it is no longer known.

    ``writer``: a phrase for the process that measures it now, "" if none does.
    """

    head: RunHead
    job: Job | None
    writer: str = ""

    @property
    def name(self) -> str:
        """The display name of the suite."""
        return str(self.job.payload["name"]) if self.job else self.head.suite

    @property
    def standing(self) -> str:
        """ "finished", "running" or "stopped"."""
        return "finished" if self.head.finished else "running" if self.writer else "stopped"

    @property
    def label(self) -> str:
        """Suite, time and presets on one line."""
        when = datetime.fromisoformat(self.head.made_at).astimezone()
        return f"{self.name} · {when:%d %b %Y, %H:%M} · {short_list(list(self.head.presets))}"


def short_list(names: Sequence[str]) -> str:
    """Names in at most ``LISTED`` characters, if the first one fits.

    >>> short_list(["default", "flat"]), short_list(["by structure", "by paragraphs", "so many sentences"])
    ('default, flat', 'by structure and 2 more')
    """
    whole = ", ".join(names)
    return whole if len(whole) <= LISTED else f"{names[0]} and {len(names) - 1} more" if names[1:] else whole


def workspace() -> Path:
    """The folder of this library's benchmark runs."""
    return history.workspace_in(services.library().home)


def start(plan: Plan) -> None:
    """Queue a run. If an unfinished run has the same plan, the worker continues it."""
    background.start("bench", plan.payload(), plan.name)


def runs() -> list[Run]:
    """All runs, newest first."""
    jobs = services.library().queue.jobs(-1, kinds=("bench",))
    folder = workspace()
    return [
        Run(head, _job_of(head, jobs), "" if head.finished else history.writer_of(folder, head.folder))
        for head in history.runs(folder)
    ]


def _job_of(head: RunHead, jobs: list[Job]) -> Job | None:
    """The newest job with the presets, suite and revision of a run."""
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
    """Queue the job of an unfinished run again, which continues the run."""
    if run.job:
        start(Plan.from_payload(run.job.payload))


def remove(run: Run) -> None:
    """Remove a run and dismiss its job; an error is shown as a toast.

    Another process may have continued or removed the run since the button was drawn.
    """
    removed = attempt_or_toast(lambda: history.remove_run(workspace(), run.head.folder))
    if removed and run.job and run.job.finished:
        services.library().queue.dismiss(run.job.id)


def report(folder: str) -> BenchReport:
    """The report of a finished run, cached."""
    runs_folder = workspace()
    return kept(folder, "report", lambda: history.load_report(runs_folder, folder))


def compared(folder: str, baseline: str) -> Mapping[str, Mapping[str, Comparison]]:
    """The comparisons of all presets of a run with ``baseline``, by preset and metric; cached."""
    return kept(folder, f"compared.{baseline}", lambda: report(folder).compare_all(baseline))


def measured(folder: str, preset: str) -> Mapping[str, QuestionOutcome]:
    """A preset's outcomes of a finished run, by question id; cached."""
    return _measured(str(workspace()), folder, _stamp(folder), preset)


def text(shown: BenchReport, version: str) -> str:
    """A document's text in the library that the run measured; cached."""
    return _text(str(workspace() / shown.library), version)


def kept(folder: str, name: str, make: Callable[[], Value]) -> Value:
    """The result of ``make()``, cached for a finished run under ``name``."""
    value: Value = _kept(str(workspace()), folder, _stamp(folder), name, make)
    return value


def _stamp(folder: str) -> int:
    """The time of a run's folder, part of the cache's key: a later run may reuse the name of a removed one."""
    return (workspace() / "runs" / folder).stat().st_mtime_ns


@st.cache_resource(max_entries=96, show_spinner="Reading the run …")
def _kept(place: str, folder: str, stamp: int, name: str, _make: Callable[[], Value]) -> Value:
    return _make()


@st.cache_resource(max_entries=6, show_spinner="Reading what was read …")
def _measured(place: str, folder: str, stamp: int, preset: str) -> dict[str, QuestionOutcome]:
    return history.load_measured(Path(place), folder, preset)


@st.cache_resource(max_entries=32, show_spinner=False)
def _text(library: str, version: str) -> str:
    with Library.open(Path(library), write=False) as opened:
        return opened.document(version).text
