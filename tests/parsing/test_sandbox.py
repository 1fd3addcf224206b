from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import CancelledError, WorkerError
from core.parsing.sandbox.sandbox import WorkerPool

MODULE = "tests.parsing.misbehaving_worker"
MEMORY = 300 << 20


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    workers = WorkerPool(MODULE)
    yield workers
    workers.close()


def ask(
    pool: WorkerPool, task: str, timeout: float = 30, data: bytes = b"x", **request: int
) -> list[dict[str, object]]:
    return list(pool.ask({"task": task, "memory_bytes": MEMORY, **request}, data, timeout))


def process_of(pool: WorkerPool) -> int:
    return int(str(ask(pool, "echo")[0]["process"]))


def is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_until_gone(process: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(process)


def test_a_worker_stays_warm(pool: WorkerPool) -> None:
    assert process_of(pool) == process_of(pool)


def test_time_out_kills_even_native_code(pool: WorkerPool) -> None:
    before = process_of(pool)
    with pytest.raises(WorkerError, match="within 1 seconds"):
        ask(pool, "hang", timeout=1)
    assert not is_running(before)
    assert process_of(pool) != before


@pytest.mark.parametrize(("task", "how"), [("crash", "signal 11"), ("nonsense", "signal 9")])
def test_a_dead_worker_is_an_error_and_is_replaced(pool: WorkerPool, task: str, how: str) -> None:
    with pytest.raises(WorkerError, match=how):
        ask(pool, task)
    assert ask(pool, "echo")[0]["size"] == 1


def test_an_error_leaves_nothing_for_the_next_file(pool: WorkerPool) -> None:
    before = process_of(pool)
    assert [answer["type"] for answer in ask(pool, "fail")] == ["row", "error"]
    assert ask(pool, "echo", data=bytes(3)) == [{"type": "echo", "size": 3, "process": before}]


def test_memory_has_a_limit(pool: WorkerPool) -> None:
    assert ask(pool, "eat", count=2)[0]["count"] == 2
    greedy = process_of(pool)
    assert ask(pool, "eat", count=20)[-1]["kind"] == "memory"
    assert process_of(pool) != greedy


def test_files_sockets_and_processes_are_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TEST_SECRET", "x")
    fresh = WorkerPool(MODULE)
    (answer,) = ask(fresh, "reach")
    fresh.close()
    assert answer["worked"] == []
    assert "LECTERN_TEST_SECRET" not in str(answer["environment"])


def test_cancelling_ends_the_worker(pool: WorkerPool) -> None:
    process, started = process_of(pool), time.monotonic()

    def tick() -> None:
        if time.monotonic() - started > 0.5:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        list(pool.ask({"task": "hang", "memory_bytes": MEMORY}, b"x", 60, tick))
    assert not is_running(process)


def test_an_abandoned_answer_kills_its_worker(pool: WorkerPool) -> None:
    process = process_of(pool)
    answers = pool.ask({"task": "flood", "memory_bytes": MEMORY, "count": 10**9}, b"x", 60)
    assert next(answers)["number"] == 0
    answers.close()
    assert not is_running(process)


def test_many_answers_and_a_large_file_pass_whole(pool: WorkerPool) -> None:
    assert [answer["number"] for answer in ask(pool, "flood", count=3000)] == list(range(3000))
    assert ask(pool, "echo", data=bytes(40_000_000))[0]["size"] == 40_000_000


def test_workers_are_recycled() -> None:
    by_files = WorkerPool(MODULE, max_files=2)
    first = process_of(by_files)
    assert process_of(by_files) == first
    assert process_of(by_files) != first
    by_files.close()
    by_bytes = WorkerPool(MODULE, max_bytes=10)
    first = int(str(ask(by_bytes, "echo", data=bytes(20))[0]["process"]))
    assert process_of(by_bytes) != first
    by_bytes.close()


def test_callers_in_many_threads_do_not_disturb_each_other(pool: WorkerPool) -> None:
    found: dict[int, object] = {}

    def call(size: int) -> None:
        found[size] = ask(pool, "echo", data=bytes(size))[0]["size"]

    threads = [threading.Thread(target=call, args=(size,)) for size in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {size: size for size in range(1, 4)}


def test_open_files_of_the_parent_are_not_inherited(tmp_path: Path) -> None:
    if not Path("/proc").exists():
        pytest.skip("needs /proc")
    with (tmp_path / "library.lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        workers = WorkerPool(MODULE)
        process = process_of(workers)
        targets = {str(entry.readlink()) for entry in Path(f"/proc/{process}/fd").iterdir()}
        workers.close()
    assert str(tmp_path / "library.lock") not in targets


PARENT = """
from core.parsing.sandbox.sandbox import WorkerPool
pool = WorkerPool("tests.parsing.misbehaving_worker")
print(list(pool.ask({"task": "echo", "memory_bytes": 300 << 20}, b"", 30))[0]["process"], flush=True)
for answer in pool.ask({"task": "hang", "memory_bytes": 300 << 20}, b"", 600):
    print("busy", flush=True)
"""


def test_a_worker_dies_with_its_parent_even_inside_native_code() -> None:
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen([sys.executable, "-c", PARENT], cwd=root, stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    worker = int(parent.stdout.readline())
    assert parent.stdout.readline() == "busy\n"
    assert is_running(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert wait_until_gone(worker, 3)
