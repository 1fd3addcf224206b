"""What the background worker does for the pages: ingest files, apply a recipe, run a benchmark."""

from __future__ import annotations

import json
from pathlib import Path

from core.evaluation.bench import run_bench
from core.evaluation.suites import load_suite
from core.jobs import Handler, Job, Reporter
from core.library import Library
from core.settings import preset
from core.work import apply_handler, ingest_handler

WHOLE = 1000  # a job told as one bar counts its progress in thousandths


def handlers(library: Library) -> dict[str, Handler]:
    """The kinds of work this library's worker takes up."""
    return {
        "ingest": ingest_handler(library),
        "apply": apply_handler(library),
        "bench": lambda job, reporter: _bench(library, job, reporter),
    }


def reports_folder(home: Path) -> Path:
    """Where finished benchmarks lie."""
    return home / "benchmarks" / "reports"


def _bench(library: Library, job: Job, reporter: Reporter) -> None:
    names = list(job.payload["presets"])
    suite = load_suite(Path(job.payload["folder"]))
    for item in reporter.items():
        watch = _Presets(reporter, item.id, len(names))
        presets = {name: preset(name) for name in names}
        report = run_bench(suite, presets, library.home / "benchmarks", library.model.encoder, watch)
        folder = reports_folder(library.home)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{job.id}.json"
        (folder / name).write_text(json.dumps(report.to_dict(scores=True)), encoding="utf-8")
        reporter.result({"report": name})
        reporter.finish_item(item.id)


class _Presets:
    """A bench over presets as one bar: half of each preset is building, half asking."""

    def __init__(self, reporter: Reporter, item: int, presets: int) -> None:
        self._reporter, self._item, self._presets = reporter, item, presets
        self._seen: list[str] = []

    def building(self, preset: str, done: int, total: int) -> None:
        self._tell(preset, f"{preset}: document {done} of {total}", 0.5 * done / max(1, total))

    def asking(self, preset: str, done: int, total: int) -> None:
        self._tell(preset, f"{preset}: question {done} of {total}", 0.5 + 0.5 * done / max(1, total))

    def _tell(self, preset: str, words: str, part: float) -> None:
        if preset not in self._seen:
            self._seen.append(preset)
        share = (len(self._seen) - 1 + part) / self._presets
        self._reporter.stage(self._item, words, int(WHOLE * share), WHOLE)
