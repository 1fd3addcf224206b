"""The parent's side of the worker processes that read untrusted files.

A caller hands in a request and bytes and iterates over the answers. Time limits, cancellation and crashes are handled
here. Idle workers are kept in a small pool, so that a short request never waits for a long one.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from core.errors import ParseError, PasswordNeededError, WorkerError
from core.parsing.sandbox.worker import frame, read_frame

Message = dict[str, Any]
_ROOT = Path(__file__).resolve().parents[3]
_KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "VIRTUAL_ENV")
_TICK_SECONDS = 0.2
_START_SECONDS = 60.0
_QUEUED_MESSAGES = 32
_MAX_IDLE = 2
REPAIR = "Open it in the program that made it, save it again and add it once more."
_SMALLER = "Split the file, or raise the limit in the settings (parsing.{dial})."


class Worker:
    """One child process. Not thread-safe: the pool gives it to one caller at a time.

    ``module``: run with ``python -m``. ``files`` and ``bytes``: how much it has read so far.
    """

    def __init__(self, module: str) -> None:
        self.files = 0
        self.bytes = 0
        child_end, self._lifeline = os.pipe()
        is_posix = os.name == "posix"
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *([str(child_end)] if is_posix else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, "PYTHONPATH": str(_ROOT), "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"},
            pass_fds=(child_end,) if is_posix else (),
            start_new_session=is_posix,
        )
        os.close(child_end)
        self._closed = threading.Event()
        self._messages: queue.Queue[Message | None] = queue.Queue(_QUEUED_MESSAGES)
        threading.Thread(target=self._read, name="parsing-reader", daemon=True).start()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Message, data: bytes, timeout_seconds: float, tick: Callable[[], None]) -> Iterator[Message]:
        """The answers to one request: the task's messages, then an "error" if it failed. "done" is not included.

        ``tick`` is called at least five times a second.
        Raises ``WorkerError`` on a time-out or a crash, and whatever ``tick`` raises; the worker must then be closed.
        """
        self.files += 1
        self.bytes += len(data)
        deadline = time.monotonic() + timeout_seconds
        parts = (frame({**request, "size": len(data), "request": self.files}), data)
        threading.Thread(target=self._write, args=parts, name="parsing-writer", daemon=True).start()
        while True:
            answer = self._next(deadline, timeout_seconds, tick)
            if answer["type"] == "done":
                if answer.get("request") != self.files:  # this must never be the answer to another file
                    raise WorkerError("the process that read it answered out of turn.", "Add the file again.")
                return
            if answer["type"] == "error" and answer.get("kind") == "memory":
                self.bytes += 1 << 62  # the library may not have freed all memory: the pool must not reuse the worker
            yield answer

    def wait_until_ready(self, tick: Callable[[], None]) -> None:
        """Block until the process has loaded its libraries. Raises ``WorkerError`` if it does not start."""
        self._next(time.monotonic() + _START_SECONDS, _START_SECONDS, tick)

    def close(self) -> None:
        """Kill the process, if it is alive, and free its resources. May be called twice."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        self._closed.set()
        self._process.kill()
        self._process.wait()

    def _next(self, deadline: float, timeout_seconds: float, tick: Callable[[], None]) -> Message:
        while True:
            tick()
            try:
                message = self._messages.get(timeout=_TICK_SECONDS)
            except queue.Empty:
                if time.monotonic() < deadline:
                    continue
                raise out_of_time(timeout_seconds) from None
            if message is None:
                self._process.kill()
                raise WorkerError(_death(self._process.wait()), "Repair or convert the file and add it again.")
            if time.monotonic() >= deadline:
                raise out_of_time(timeout_seconds)
            return message

    def _write(self, head: bytes, data: bytes) -> None:
        stream: IO[bytes] | None = self._process.stdin
        try:
            if stream:
                stream.write(head)
                stream.write(data)
                stream.flush()
        except (OSError, ValueError):
            return  # the process died or was killed: the reading side reports it

    def _read(self) -> None:
        stream: IO[bytes] | None = self._process.stdout
        message: Message | None = {}
        while message is not None and not self._closed.is_set():
            message = _next_message(stream)
            while not self._closed.is_set():  # a full queue blocks the child, so that memory stays bounded
                try:
                    self._messages.put(message, timeout=_TICK_SECONDS)
                    break
                except queue.Full:
                    continue


def _next_message(stream: IO[bytes] | None) -> Message | None:
    """The next answer; ``None`` at the end of the pipe and for a malformed frame."""
    try:
        body = read_frame(stream) if stream else None
        message = json.loads(body) if body is not None else None
    except (OSError, ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and "type" in message else None


def _death(code: int) -> str:
    how = f"it was ended by signal {-code}" if code < 0 else f"it ended with code {code}"
    return f"the process that read it died ({how})."


def out_of_time(seconds: float) -> WorkerError:
    """The error for a file that took longer than ``seconds``. The message does not name the file."""
    return WorkerError(f"it was not read within {seconds:g} seconds.", _SMALLER.format(dial="timeout_seconds"))


def out_of_memory(shown: str, megabytes: int) -> WorkerError:
    """The error for a file that the worker could not read within its memory limit. ``shown``: the file's name.

    >>> str(out_of_memory("a.pdf", 512))[:56]
    'a.pdf needs more than 512 MB of memory to be read. Split'
    """
    problem = f"{shown} needs more than {megabytes} MB of memory to be read."
    return WorkerError(problem, _SMALLER.format(dial="memory_megabytes"))


def failure(problem: Mapping[str, Any], shown: str, megabytes: int) -> ParseError:
    """The exception for a worker's "error" message. ``shown``: the file's name. ``megabytes``: the memory limit."""
    kind, message, remedy = problem.get("kind"), str(problem.get("message", "")), str(problem.get("remedy", ""))
    if kind == "password":
        return PasswordNeededError(message, remedy)
    if kind == "parse":
        return ParseError(message, remedy)
    if kind == "memory":
        return out_of_memory(shown, megabytes)
    return ParseError(f"{shown} is damaged or cut short: it cannot be read.", REPAIR)


class WorkerPool:
    """A pool of idle workers. A worker serves one caller at a time and is replaced after ``max_files`` files or
    ``max_bytes`` bytes.

    Thread-safe. A worker that failed, or whose caller stopped before the end, is killed.
    """

    def __init__(self, module: str, max_files: int = 200, max_bytes: int = 1 << 30) -> None:
        self._module = module
        self._max_files = max_files
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._owner = os.getpid()
        atexit.register(self.close)

    def ask(
        self, request: Message, data: bytes, timeout_seconds: float, tick: Callable[[], None] | None = None
    ) -> Generator[Message]:
        """The answers of a worker to one request; see ``Worker.ask``. Leaving the loop early kills the worker."""
        tick = tick or _no_tick
        worker = self._take(tick)
        finished = False
        try:
            yield from worker.ask(request, data, timeout_seconds, tick)
            finished = True
        finally:
            if finished and worker.files < self._max_files and worker.bytes < self._max_bytes:
                self._give_back(worker)
            else:
                worker.close()

    def close(self) -> None:
        """Kill every idle worker."""
        with self._lock:
            idle, self._idle = self._idle, []
        if self._owner == os.getpid():
            for worker in idle:
                worker.close()

    def _take(self, tick: Callable[[], None]) -> Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive:
                    return worker
                worker.close()
        worker = Worker(self._module)
        ready = False
        try:
            worker.wait_until_ready(tick)
            ready = True
        finally:
            if not ready:
                worker.close()
        return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            if len(self._idle) < _MAX_IDLE:
                self._idle.append(worker)
                return
        worker.close()


def _no_tick() -> None:
    return
