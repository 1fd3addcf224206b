"""Stores bench runs as folders: the plan, the outcome of every question and, at the end, the report.

``workspace/runs/<plan key>-<number>/`` holds ``head.json``, ``cells/0000.jsonl`` (a journal for each preset, compressed
when the run is finished), ``notes.json`` and finally ``report.json``. A run without a report is in progress while its
writer's lock is held; otherwise it was stopped, and the next bench with the same plan resumes it.
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
    """Hex SHA-256 of this package's source, so that one run never mixes figures of different code."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


CODE = code_fingerprint()  # at import: files edited later are not what this process runs


@dataclass(frozen=True, slots=True)
class RunHead:
    """A run without its outcomes. ``folder``: its name under ``workspace/runs``, which identifies it.

    ``presets``: name -> settings as JSON values. ``made_at``: when it began, ISO 8601, UTC. ``finished``: whether it
    has a report. ``revision``: for a suite of a library's judgments, that library's revision; else ``None``.
    """

    folder: str
    suite: str
    fingerprint: str
    presets: Mapping[str, Mapping[str, Any]]
    made_at: str
    revision: int | None
    finished: bool


def workspace_in(home: Path) -> Path:
    """The folder for bench libraries and runs of the library in ``home``, for the commands and the pages alike."""
    return home / "benchmarks"


def runs(workspace: Path) -> list[RunHead]:
    """All runs, newest first. Folders without a readable run are skipped."""
    heads = []
    for folder in _runs_folder(workspace).glob("*/"):
        with suppress(NotFoundError, ValueError, KeyError, TypeError):  # copied, damaged, or of another version
            heads.append(_head(folder))
    return sorted(heads, key=lambda head: (head.made_at, head.folder), reverse=True)


def load_report(workspace: Path, folder: str) -> BenchReport:
    """A finished run's report, scores included. Raises ``NotFoundError`` where it is missing or unreadable."""
    path = _runs_folder(workspace) / folder / _REPORT
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
    """A preset's outcomes by question id. Raises ``NotFoundError`` for an unknown run or preset."""
    head = _head(_runs_folder(workspace) / folder)
    if preset not in head.presets:
        raise NotFoundError(f"The run {folder} has no preset {preset!r}.", f"It has: {', '.join(head.presets)}.")
    journal = _journal(_runs_folder(workspace) / folder, list(head.presets).index(preset))
    return {outcome.id: outcome for outcome in journal.read()}


def writer_of(workspace: Path, folder: str) -> str:
    """A description of the process that is writing a run now; "" for none."""
    return writer(_runs_folder(workspace) / folder)


def remove_run(workspace: Path, folder: str) -> None:
    """Delete a run but not the library it was measured on.

    Raises ``NotFoundError``, and ``LibraryLockedError`` while the run is in progress.
    """
    place = _runs_folder(workspace) / folder
    if Path(folder).name != folder or not (place / _HEAD).is_file():
        raise NotFoundError(f"There is no run {folder}.", "It may have been removed already.")
    # Raises while a writer holds the lock; released before the removal, since Windows cannot remove open files.
    WriterLock(place, "run").release()
    shutil.rmtree(place)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Everything that decides a run's figures.

    ``suite``, ``fingerprint``: the suite's name and content hash. ``presets``: in the order of the journals.
    ``options``: JSON values. ``revision``: as of ``RunHead``.
    """

    suite: str
    fingerprint: str
    presets: Mapping[str, Settings]
    options: Mapping[str, Any]
    revision: int | None = None

    @property
    def key(self) -> str:
        """Twelve hex digits, equal for equal plans and equal code."""
        # A list, because the order of the presets numbers the journals.
        settings = [[name, item.to_dict()] for name, item in self.presets.items()]
        value = [self.suite, self.fingerprint, settings, dict(self.options), self.revision, CODE]
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def finished_run(workspace: Path, plan: RunPlan) -> RunHead | None:
    """The newest finished run with the same key, ``None`` for none."""
    folders = reversed(_plan_folders(workspace, plan.key).values())
    return next((_head(folder) for folder in folders if (folder / _REPORT).is_file()), None)


class Recording:
    """A run in progress: its journals and notes and, at the end, its report."""

    def __init__(self, place: Path, head: RunHead) -> None:
        self._place, self.head = place, head
        self.journals = {name: _journal(place, number) for number, name in enumerate(head.presets)}

    @classmethod
    def begin(cls, workspace: Path, plan: RunPlan) -> Recording:
        """Resume the unfinished run with the plan's key, or begin a new one."""
        stopped = cls.stopped(workspace, plan)
        if stopped is not None:
            for journal in stopped.journals.values():
                journal.mend()
            return stopped
        key = plan.key
        folder = _runs_folder(workspace) / f"{key}-{max(_plan_folders(workspace, key), default=0) + 1}"
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
        """The unfinished run with the plan's key, ``None`` for none."""
        for folder in _plan_folders(workspace, plan.key).values():
            if not (folder / _REPORT).is_file():
                with suppress(NotFoundError, ValueError, KeyError, TypeError):
                    return cls(folder, _head(folder))
        return None

    @contextmanager
    def writing(self) -> Iterator[Recording]:
        """Hold the run's writer lock, which other processes can see. Raises ``LibraryLockedError`` where it is held."""
        lock = WriterLock(self._place, "run")
        try:
            yield self
        finally:
            lock.release()

    def noted(self, name: str) -> dict[str, Any]:
        """The values that ``note`` last stored under ``name``; {} for none."""
        return dict(self._notes().get(name, {}))

    def note(self, name: str, values: Mapping[str, Any]) -> None:
        """Store JSON values under ``name`` for a process that resumes this run."""
        write_json(self._place / _NOTES, {**self._notes(), name: dict(values)})

    def _notes(self) -> dict[str, dict[str, Any]]:
        path = self._place / _NOTES
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return found

    def finish(self, report: BenchReport) -> None:
        """Store the report and compress the journals. The run is read-only from now on."""
        for journal in self.journals.values():
            journal.pack()
        write_json(self._place / _REPORT, report.to_dict(scores=True))


def _runs_folder(workspace: Path) -> Path:
    return workspace / "runs"


def _journal(place: Path, number: int) -> Journal:
    return Journal(place / _CELLS / f"{number:04d}.jsonl")


def _plan_folders(workspace: Path, key: str) -> dict[int, Path]:
    """The folders of the runs with a plan's key, by number, ascending."""
    folders = (
        (re.fullmatch(rf"{key}-(\d+)", folder.name), folder) for folder in _runs_folder(workspace).glob(f"{key}-*/")
    )
    return dict(sorted((int(match[1]), folder) for match, folder in folders if match))


def _head(folder: Path) -> RunHead:
    if not (folder / _HEAD).is_file():
        raise NotFoundError(f"There is no run {folder.name}.", "It may have been removed.")
    row = json.loads((folder / _HEAD).read_text(encoding="utf-8"))
    stored = {item.name: row[item.name] for item in fields(RunHead) if item.name not in ("folder", "finished")}
    return RunHead(folder=folder.name, finished=(folder / _REPORT).is_file(), **stored)


def write_json(path: Path, value: object) -> None:
    """Write ``value`` atomically: other processes, and a later one after a crash, see the old file or the new one."""
    with written_whole(path) as unfinished, unfinished.open("w", encoding="ascii") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
