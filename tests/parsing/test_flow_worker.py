from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.parsing import parse
from core.parsing.plain.plain_markup import MARKUPS
from core.parsing.sandbox.flow_worker import TASKS
from core.parsing.sandbox.sandbox import WorkerPool
from core.settings import ParsingSettings
from tests.parsing.flow_files import files
from tests.parsing.laws import assert_laws

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def samples() -> dict[str, bytes]:
    return files()


@pytest.fixture(scope="module")
def shared_pool() -> Iterator[WorkerPool]:
    pool = WorkerPool("core.parsing.sandbox.flow_worker")
    yield pool
    pool.close()


@pytest.fixture
def fresh_pool() -> Iterator[WorkerPool]:
    pool = WorkerPool("core.parsing.sandbox.flow_worker")
    yield pool
    pool.close()


def test_every_kind_is_read_and_audited(samples: dict[str, bytes]) -> None:
    for kind, data in samples.items():
        found = parse(data, f"sample.{kind}", ParsingSettings())
        assert_laws(found)
        assert found.kind == kind
        assert found.words, kind
        assert found.words.missing == 0, (kind, found.words)


def test_nothing_is_loaded_or_opened_once_the_doors_are_shut() -> None:
    """Where a library loads a part of itself late, the file that needs it would seem damaged."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.parsing.flow_files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("kind", sorted(set(TASKS) - {*MARKUPS, "odt", "second"}))
@pytest.mark.parametrize(
    "data", [b"\0\1\2\3" * 64, b"PK\3\4" + b"\xff" * 200, b"{\\rtf1", b"<", b"\xd0\xcf\x11\xe0" * 300]
)
def test_garbage_is_an_answer_and_the_worker_lives(shared_pool: WorkerPool, kind: str, data: bytes) -> None:
    answers = list(shared_pool.ask({"task": kind, "name": "a", "second": True, "memory_bytes": 512 << 20}, data, 60))
    assert answers
    for answer in answers:
        if answer["type"] == "error":
            assert answer["kind"] in ("parse", "password", "damaged")
            assert answer["message"]


def test_a_big_reading_comes_in_many_frames(shared_pool: WorkerPool) -> None:
    request = {"task": "html", "name": "a.html", "memory_bytes": 1 << 30}
    answers = list(shared_pool.ask(request, b"<p>One.</p>" * 50_000, 60))
    sizes = [len(answer["pieces"]) for answer in answers if answer["type"] == "pieces"]
    assert sum(sizes) == 50_000
    assert len(sizes) > 1
    assert [answer["type"] for answer in answers][-1] == "read"


def test_a_worker_has_no_children_and_no_way_out(fresh_pool: WorkerPool, samples: dict[str, bytes]) -> None:
    if not Path("/proc").exists():
        pytest.skip("needs /proc")
    before = descendants()
    request = {"task": "html", "name": "a", "memory_bytes": 1 << 30}
    assert list(fresh_pool.ask(request, samples["html"], 60))
    (worker,) = descendants() - before
    limits = Path(f"/proc/{worker}/limits").read_text()
    files_limit = next(line for line in limits.splitlines() if line.startswith("Max open files")).split()[3]
    assert len(list(Path(f"/proc/{worker}/fd").iterdir())) >= int(files_limit)
    assert not any(children.read_text().strip() for children in Path(f"/proc/{worker}/task").glob("*/children"))


def descendants() -> set[int]:
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        for children in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            try:
                ids = {int(child) for child in children.read_text().split()}
            except OSError:
                continue
            waiting += ids - found
            found |= ids
    return found
