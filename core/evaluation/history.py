"""Runs of the bench as folders: what was planned, what every question came to, and the report at the end.

``workspace/runs/<plan>-<number>/``: ``head.json``, ``cells/0000.jsonl`` (one a preset; packed when finished),
``notes.json`` and, once the run is over, ``report.json``. A run without a report is being made, as long as its writer's
lock is held, or was stopped: the same plan goes on in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.atomic_files import written_whole
from core.errors import NotFoundError
from core.evaluation.records import Journal, QuestionOutcome
from core.evaluation.reporting.report import BenchReport
from core.settings import Settings
from core.storage.lock import WriterLock, writer

_HEAD, _NOTES, _REPORT, _CELLS = "head.json", "notes.json", "report.json", "cells"


def code_fingerprint() -> str:
    """Hex SHA-256 of this package's own source: figures of different code never stand in one run."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


CODE = code_fingerprint()  # as it was when this process began: a file edited meanwhile does not run in it


@dataclass(frozen=True, slots=True)
class RunHead:
    """A run as a list of runs shows it. ``folder``: its name under ``workspace/runs``, which names it.

    ``presets``: name -> settings, as JSON has them. ``made_at``: when it began, ISO 8601, UTC. ``finished``: its
    report is there. ``revision``: of the library whose judgments were asked, ``None`` for another suite.
    """

    folder: str
    suite: str
    fingerprint: str
    presets: Mapping[str, Mapping[str, Any]]
    made_at: str
    revision: int | None
    finished: bool


def workspace_in(home: Path) -> Path:
    """Where the benches of the library in ``home`` keep their libraries and their runs: of commands and of pages."""
    return home / "benchmarks"


def runs(workspace: Path) -> list[RunHead]:
    """All runs, newest first; folders that hold none are passed over."""
    heads = []
    for folder in _place(workspace).glob("*/"):
        with suppress(NotFoundError, ValueError, KeyError, TypeError):  # copied, damaged, or of another version
            heads.append(_head(folder))
    return sorted(heads, key=lambda head: (head.made_at, head.folder), reverse=True)


def load_report(workspace: Path, folder: str) -> BenchReport:
    """A finished run's report, scores included. Raises ``NotFoundError`` where there is none that can be read."""
    path = _place(workspace) / folder / _REPORT
    if not path.is_file():
        raise NotFoundError(f"The run {folder} has no report.", "It was stopped: run it again to finish it.")
    try:
        return BenchReport.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        raise NotFoundError(
            f"The report of the run {folder} cannot be read: it is damaged, or another version wrote it.",
            "Remove the run and measure again; what was encoded is kept.",
        ) from error


def load_measured(workspace: Path, folder: str, preset: str) -> dict[str, QuestionOutcome]:
    """What a preset did with each question, by the question's id. Raises ``NotFoundError`` for an unknown preset."""
    head = _head(_place(workspace) / folder)
    if preset not in head.presets:
        raise NotFoundError(f"The run {folder} has no preset {preset!r}.", f"It has: {', '.join(head.presets)}.")
    journal = _journal(_place(workspace) / folder, list(head.presets).index(preset))
    return {measured.id: measured for measured in journal.read()}


def writer_of(workspace: Path, folder: str) -> str:
    """The process that makes a run now, in words; "" where none does."""
    return writer(_place(workspace) / folder)


def remove_run(workspace: Path, folder: str) -> None:
    """Forget a run; the library it asked stays. Raises ``NotFoundError``, ``LibraryLockedError`` while it is made."""
    place = _place(workspace) / folder
    if Path(folder).name != folder or not (place / _HEAD).is_file():
        raise NotFoundError(f"There is no run {folder}.", "It may have been removed already.")
    WriterLock(place, "run").release()  # where files are open, some systems remove none
    shutil.rmtree(place)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What decides a run's figures: the suite and its fingerprint, the presets in their order, and the rest.

    ``options``: fit for JSON. ``revision``: of the library whose judgments are asked, ``None`` for another suite.
    """

    suite: str
    fingerprint: str
    presets: Mapping[str, Settings]
    options: Mapping[str, Any]
    revision: int | None = None

    @property
    def key(self) -> str:
        """Twelve hex digits: the same for the same plan and the same code."""
        # Presets in their order: the journals are numbered by it.
        settings = [[name, item.to_dict()] for name, item in self.presets.items()]
        value = [self.suite, self.fingerprint, settings, dict(self.options), self.revision, CODE]
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def finished_run(workspace: Path, plan: RunPlan) -> RunHead | None:
    """The newest finished run of this very plan by this very code, ``None`` where there is none."""
    folders = reversed(_of_plan(workspace, plan.key).values())
    return next((_head(folder) for folder in folders if (folder / _REPORT).is_file()), None)


class Recording:
    """A run being made: its journals and, at the end, its report."""

    def __init__(self, place: Path, head: RunHead) -> None:
        self._place, self.head = place, head
        self.journals = {name: _journal(place, number) for number, name in enumerate(head.presets)}

    @classmethod
    def begin(cls, workspace: Path, plan: RunPlan) -> Recording:
        """Go on with the unfinished run of this very plan, made by this very code; else begin one."""
        stopped = cls.stopped(workspace, plan)
        if stopped is not None:
            for journal in stopped.journals.values():
                journal.mend()
            return stopped
        key = plan.key
        folder = _place(workspace) / f"{key}-{max(_of_plan(workspace, key), default=0) + 1}"
        (folder / _CELLS).mkdir(parents=True)
        row = {
            "suite": plan.suite,
            "fingerprint": plan.fingerprint,
            "presets": {name: item.to_dict() for name, item in plan.presets.items()},
            "made_at": datetime.now(UTC).isoformat(timespec="microseconds"),  # two may begin within a second
            "revision": plan.revision,
        }
        write_json(folder / _HEAD, row)
        return cls(folder, _head(folder))

    @classmethod
    def stopped(cls, workspace: Path, plan: RunPlan) -> Recording | None:
        """The unfinished run of this plan, ``None`` where there is none."""
        for folder in _of_plan(workspace, plan.key).values():
            if not (folder / _REPORT).is_file():
                with suppress(NotFoundError, ValueError, KeyError, TypeError):
                    return cls(folder, _head(folder))
        return None

    @contextmanager
    def writing(self) -> Iterator[Recording]:
        """Inside, every process can see that this run is being made. Raises ``LibraryLockedError`` where one does."""
        lock = WriterLock(self._place, "run")
        try:
            yield self
        finally:
            lock.release()

    def noted(self, name: str) -> dict[str, Any]:
        """What ``note`` kept last under a name, {} for nothing."""
        return dict(self._notes().get(name, {}))

    def note(self, name: str, values: Mapping[str, Any]) -> None:
        """Keep what a later process that goes on with this run has to know besides the records; fit for JSON."""
        write_json(self._place / _NOTES, {**self._notes(), name: dict(values)})

    def _notes(self) -> dict[str, dict[str, Any]]:
        path = self._place / _NOTES
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return found

    def finish(self, report: BenchReport) -> None:
        """Keep the report and pack the journals: from now on the run only is read."""
        for journal in self.journals.values():
            journal.pack()
        write_json(self._place / _REPORT, report.to_dict(scores=True))


def _place(workspace: Path) -> Path:
    return workspace / "runs"


def _journal(place: Path, number: int) -> Journal:
    return Journal(place / _CELLS / f"{number:04d}.jsonl")


def _of_plan(workspace: Path, key: str) -> dict[int, Path]:
    """The folders of a plan's runs by number, ascending."""
    folders = ((re.fullmatch(rf"{key}-(\d+)", folder.name), folder) for folder in _place(workspace).glob(f"{key}-*/"))
    return dict(sorted((int(named[1]), folder) for named, folder in folders if named))


def _head(folder: Path) -> RunHead:
    if not (folder / _HEAD).is_file():
        raise NotFoundError(f"There is no run {folder.name}.", "It may have been removed.")
    row = json.loads((folder / _HEAD).read_text(encoding="utf-8"))
    kept = {item.name: row[item.name] for item in fields(RunHead) if item.name not in ("folder", "finished")}
    return RunHead(folder=folder.name, finished=(folder / _REPORT).is_file(), **kept)


def write_json(path: Path, value: object) -> None:
    """Write ``value`` as a whole: a reader, or a process that goes on, sees the old file or the new one."""
    with written_whole(path) as unfinished, unfinished.open("w", encoding="ascii") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
