"""The thread: it hears of changes or looks by itself, and ends when asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.ingest.jobs import Worker
from core.ingest.work import ingest_handler
from core.library import Library
from core.watching import folder_sync
from core.watching import watcher as watching
from core.watching.watcher import Watcher
from tests.watching.keeper import held, hurry, there, told, write

PATIENCE = 60.0


def until(condition: Callable[[], bool]) -> None:
    last = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < last, "waited too long"
        time.sleep(0.05)


@pytest.fixture
def folder(tmp_path: Path, library: Library) -> Path:
    place = tmp_path / "notes"
    write(place / "a.md", "The otter lives by the river.\n")
    write(place / "deep" / "b.md", "The heron lives by the river.\n")
    library.folders.add(place)
    return place


@pytest.fixture
def watcher(library: Library, folder: Path) -> Iterator[Watcher]:
    worker, opened = Worker(library.queue, {"ingest": ingest_handler(library)}), Watcher(library.folders)
    worker.start()
    opened.start()
    yield opened
    assert opened.stop()
    assert worker.stop()


@pytest.fixture
def by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that tells of no change, looked at five times a second."""
    hurry(monkeypatch)
    monkeypatch.setattr(watching, "_EVENT_TYPES", frozenset())
    monkeypatch.setattr(watching, "_LATER_SECONDS", 0.2)


def in_step(library: Library, folder: Path) -> bool:
    return held(library, folder) == there(folder)


def change(library: Library, folder: Path) -> None:
    until(lambda: in_step(library, folder))
    write(folder / "c.md", "The badger lives by the river.\n")
    until(lambda: in_step(library, folder))
    (folder / "deep").rename(folder / "deeper")
    (folder / "a.md").unlink()
    until(lambda: in_step(library, folder))
    until(lambda: {("moved", 1, "deeper/b.md"), ("removed", 1, "a.md")} <= set(told(library)))


def test_what_happens_is_heard(library: Library, folder: Path, watcher: Watcher, monkeypatch) -> None:
    monkeypatch.setattr(watching, "_LATER_SECONDS", 1000.0)
    change(library, folder)


def test_what_nobody_tells_is_seen(by_the_clock: None, library: Library, folder: Path, watcher: Watcher) -> None:
    change(library, folder)


def test_a_slow_index_does_not_keep_the_next_change_waiting(
    library: Library, folder: Path, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_LATER_SECONDS", 1000.0)
    until(lambda: in_step(library, folder))
    told_slowly: list[float] = []

    def slow(store: object) -> None:  # as on a busy machine that has to load Chroma first
        time.sleep(3)
        told_slowly.append(time.monotonic())

    monkeypatch.setattr(folder_sync, "apply_if_possible", slow)
    monkeypatch.setattr(watching, "_EVENT_RATIO", 100)
    (folder / "a.md").unlink()
    until(lambda: bool(told_slowly))
    write(folder / "c.md", "The badger lives by the river.\n")
    until(lambda: in_step(library, folder))  # in less than a hundred times the seconds of the index


def test_a_folder_that_comes_back_is_watched_on(library: Library, folder: Path, watcher: Watcher, monkeypatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setattr(watching, "_LATER_SECONDS", 0.2)
    until(lambda: in_step(library, folder))
    away = folder.rename(folder.with_name("unmounted"))
    until(lambda: ("missing", 0, "") in told(library))
    assert len(library.sources()) == 2
    away.rename(folder)
    write(folder / "c.md", "The badger lives by the river.\n")
    until(lambda: in_step(library, folder))
