"""A stored run as files for others: the report as a page, and what a preset read for Ragas.

Both quote the documents, which are read from the library that the run measured.
"""

from __future__ import annotations

from pathlib import Path

from core.evaluation.exchange.ragas import ragas_jsonl
from core.evaluation.history import load_measured
from core.evaluation.measuring import TIMED_BUDGET
from core.evaluation.reporting.html_report import html_report
from core.evaluation.reporting.report import BenchReport
from core.library import Library


def html_of(report: BenchReport, workspace: Path, run: str, baseline: str | None) -> str:
    """The report of the run in the folder ``run`` as one HTML document, compared with ``baseline`` where it is one."""
    measured = {item.preset: load_measured(workspace, run, item.preset) for item in report.presets}
    with Library.open(workspace / report.library, write=False) as library:
        return html_report(report, baseline, measured, lambda version: library.document(version).text)


def ragas_of(report: BenchReport, workspace: Path, run: str) -> str:
    """What the first preset of the run in the folder ``run`` read, as JSON Lines."""
    measured = load_measured(workspace, run, report.presets[0].preset)
    with Library.open(workspace / report.library, write=False) as library:
        return ragas_jsonl(report, measured, TIMED_BUDGET, lambda version: library.document(version).text)
