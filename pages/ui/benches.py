"""Benchmarks as the page sees them: started in the background, read from their reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import streamlit as st

from core.evaluation.report import BenchReport
from core.evaluation.suites import load_suite
from core.jobs import NewItem
from pages.ui import services, work


@dataclass(frozen=True, slots=True)
class BenchRun:
    """A finished run. ``label``: suite, time and presets."""

    job: int
    label: str
    report: BenchReport


def start(folder: Path, name: str, presets: Sequence[str]) -> None:
    """Check the suite here, so that a mistake is said at once, then run it in the background."""
    load_suite(folder)
    payload = {"folder": str(folder.resolve()), "presets": list(presets), "name": name}
    services.library().queue.enqueue("bench", payload, [NewItem(name)])


def finished() -> list[BenchRun]:
    """Runs whose report is at hand, newest first."""
    library = services.library()
    found = []
    for job in library.queue.jobs():
        path = work.reports_folder(library.home) / str(job.result.get("report", ""))
        if job.kind == "bench" and job.state == "done" and path.is_file():
            at = datetime.fromisoformat(job.finished_at or job.created_at).astimezone()
            label = f"{job.payload['name']} · {at:%d %b %Y, %H:%M} · {', '.join(job.payload['presets'])}"
            found.append(BenchRun(job.id, label, _report(str(path), path.stat().st_mtime)))
    return found


@st.cache_resource(max_entries=32, show_spinner=False)
def _report(path: str, modified: float) -> BenchReport:
    return BenchReport.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
