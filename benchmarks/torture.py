"""Crash and corruption tests of a library: random work that is killed or made to fail, and damage to all its files.

``python -m benchmarks.torture [--seconds 120] [--seed N] [--damages N] [--mutants N]``. After each kill, fault and
damage the library is opened, verified, repaired if it asks for that, and its documents are compared with those whose
writing was acknowledged. Failures are printed with a number, and the exit code is 1. A shim, built with the machine's C
compiler, injects I/O errors below Python (ENOSPC with short writes, EIO, EMFILE) and makes the wall clock jump; without
a compiler there are only kills and damage. ``--mutants`` does something else instead: it ingests this many mutants of a
file of each format, and some hostile files (``torture_files``).
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import torture_files, torture_table
from benchmarks.torture_files import Encoder
from core.errors import LecternError
from core.library import Incoming, Library
from core.storage.index import outbox, vectors
from core.text.values import quantities

_SHIM = "LECTERN_TORTURE_SHIM"
_LIMIT = 120.0  # seconds after which a check of a library counts as hanging
_ERRORS = (errno.ENOSPC, errno.EIO, errno.EMFILE)
_JUMPS = (0, 0, -3600, 3600, -400 * 86_400, 400 * 86_400)  # jumps of the wall clock in seconds
Texts = dict[str, str]


def work(home: Path, seed: int, tell: Callable[..., None]) -> None:
    """Do random work without end, also after expected errors. ``tell`` reports each begun and acknowledged write."""
    chance = random.Random(seed)
    while True:
        try:
            with Library.open(home, encoder=Encoder()) as library:
                for _ in range(chance.randrange(2, 12)):
                    _one(library, chance, tell)
        except LecternError as error:
            tell("refused", str(error)[:200])
            time.sleep(0.02)


def _one(library: Library, chance: random.Random, tell: Callable[..., None]) -> None:
    """One random change of the library: ingest, removal, judgment, tag, backup or rebuild."""
    name = f"document {chance.randrange(8)}.md"
    held = {row.name: row for row in library.sources()}
    choice = chance.random()
    if choice < 0.55 or name not in held:
        text = f"# Part {chance.randrange(10**9)}\n\n" + f"{name} says {chance.random()}. " * chance.randrange(1, 60)
        tell("begin", name, text)
        report = library.ingest([Incoming(name, content_hash=library.stage(text.encode()))])
        tell("failed" if report.failures else "done", name, text)
    elif choice < 0.7:
        tell("begin", name, None)
        library.remove(held[name].id)
        tell("done", name, None)
    elif choice < 0.8:
        library.judge(f"What says {name}?", held[name].version_id, 0, 5)
    elif choice < 0.9:
        library.labels.tag([held[name].id], f"tag {chance.randrange(5)}")
    elif choice < 0.95:
        library.back_up(if_due=chance.random() < 0.5)
    else:
        library.rebuild()


def _examined(directory: Path, generation: int, rows: Any) -> Any:
    """Examine Chroma's files in this process, which may crash: one process for each check would take too long."""
    found = vectors._guarded(lambda: vectors.look_into(directory, generation, [int(row) for row in rows]))
    held = {row: np.array(vector, np.float32) for row, vector in found["vectors"].items()}
    return set(found["ids"]), held, set(found["reached"])


def look(home: Path, tell: Callable[..., None]) -> None:
    """Open, verify and search a library, with repair if that fails or finds problems; ``tell`` what it contains."""
    try:
        with Library.open(home, encoder=Encoder()) as library:
            problems = library.verify()
            if not problems:
                _held(library, [], tell)
                return
            with suppress(LecternError):
                library.search("What says the document?")
    except LecternError as error:
        tell("said", str(error)[:300])
    with Library.open(home, encoder=Encoder(), repair=True) as library:
        _held(library, [[problem.where, problem.what] for problem in library.verify(repair=True)], tell)


def _held(library: Library, left: list[list[str]], tell: Callable[..., None]) -> None:
    """Report the texts, the remaining problems and the number of judgments of a library, after a search."""
    library.search("What says the document?")
    texts = {row.name: library.document(row.version_id).text for row in library.sources()}
    tell("held", texts, left, len(library.judgments()))


def child(task: Callable[[Callable[..., None]], None], arm: Callable[[], None] | None = None) -> tuple[int, Any]:
    """Run a task in a forked process. Returns its id and the pipe with its reports, a JSON list on each line."""
    reading, writing = os.pipe()
    number = os.fork()
    if number:
        os.close(writing)
        return number, os.fdopen(reading, "r", encoding="utf-8")
    os.close(reading)
    said = os.fdopen(writing, "w", encoding="utf-8")
    os.setsid()

    def tell(*words: object) -> None:
        said.write(json.dumps(words) + "\n")
        said.flush()

    code = 0
    try:
        if arm:
            arm()
        task(tell)
    except BaseException as error:
        tell("fell", type(error).__name__, traceback.format_exc()[-1500:])
        code = 1
    finally:
        os._exit(code)


def heard(number: int, pipe: Any, seconds: float) -> tuple[list[list[Any]], int]:
    """The reports of a child until it ended or was killed after ``seconds``, and its exit code (negative: a signal)."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.005)
    _kill(number)
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    with pipe:
        lines = pipe.read().split("\n")[:-1]
    return [json.loads(line) for line in lines if line.endswith("]")], code


def _kill(number: int) -> None:
    try:
        os.killpg(number, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(number, signal.SIGKILL)


class Torture:
    """One run on the library in ``home``. ``counts``: what was done; ``fallen``: the failures, as sentences."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.fallen: list[str] = []
        self._acceptable: dict[str, set[str | None]] = {}
        self._shim = ctypes.CDLL(os.environ[_SHIM]) if os.environ.get(_SHIM) else None

    def _arm(self, below: Path, first: int, last: int, code: int, jump: int) -> None:
        if self._shim is not None:
            longs = map(ctypes.c_long, (first, last))
            self._shim.torture_arm(str(below).encode(), *longs, code, ctypes.c_long(jump))

    def _failed(self) -> int:
        return int(self._shim.torture_failed()) if self._shim else 0

    def turn(self) -> None:
        """Work for a moment, with injected faults or without, kill the process, and check the library."""
        code, first = self.chance.choice(_ERRORS), self.chance.randrange(400)
        faulty = self._shim is not None and self.chance.random() < 0.6
        last = first + self.chance.choice((1, 3, 1000)) if faulty else first
        seed, jump, before = self.chance.random(), self.chance.choice(_JUMPS), self._failed()
        number, pipe = child(
            lambda tell: work(self.home, int(seed * 2**32), tell),
            lambda: self._arm(self.home, first, last, code, jump),
        )
        said, _ = heard(number, pipe, self.chance.uniform(0.05, 2.5))
        self.counts["kills"] += 1
        self.counts["faulty turns"] += faulty
        self.counts["faults"] += self._failed() - before
        self.counts["turns with a jump of the clock"] += bool(jump and self._shim)
        for kind, *words in said:
            if kind == "begin":
                self._acceptable.setdefault(words[0], {None}).add(words[1])
            elif kind == "done":
                self.counts["acknowledged"] += 1
                self._acceptable[words[0]] = {words[1]}
            elif kind == "fell":
                self._fell(f"work under {errno.errorcode[code] if faulty else 'no fault'}: {words[0]}\n{words[1]}")
            self.counts["refused"] += kind == "refused"
        texts = self._looked(self.home, "kill")
        if texts is None:
            return
        for name, wanted in self._acceptable.items():
            if texts.get(name) not in wanted:
                self._fell(
                    f"{name} is {str(texts.get(name))[:60]!r}, acknowledged were {[str(w)[:60] for w in wanted]}"
                )
            self._acceptable[name] = {texts.get(name)}

    def damage(self, base: Path, number: int, wanted: Texts, foreign: Path) -> None:
        """Damage one file of a copy of ``base`` in a random way, and check the copy.

        ``number`` selects the file. ``wanted``: the texts that must survive. ``foreign``: another library, whose files
        may replace those of the copy.
        """
        home = self.home.with_name("damaged")
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(base, home)
        files = sorted(path for path in home.rglob("*") if path.is_file())
        path = files[number % len(files)]
        kind = self.chance.choice([*sorted(DAMAGES), "read-only"] if self._shim else sorted(DAMAGES))
        theirs = foreign / path.relative_to(home)
        if kind == "another's":
            other = theirs if theirs.exists() else self.chance.choice([p for p in foreign.rglob("*") if p.is_file()])
        else:
            other = self.chance.choice(files)
        what = f"{kind} of {path.relative_to(home)}"
        if kind == "read-only":
            self._refused(home, path, what)
        else:
            DAMAGES[kind](path, other, self.chance)
        self.counts["damages"] += 1
        original = path.relative_to(home).parts[0] == "files"
        # After a replacement by the other library's catalogue or keepsakes, repair reports that their originals are
        # missing here, which is right.
        theirs_alone = "the original of letter" if kind == "another's" else "none"
        texts = self._looked(home, what, forgiven="original" if original else theirs_alone, least=len(wanted))
        if texts is not None and sorted(texts.values()) != sorted(wanted.values()):
            self._fell(f"{what}: {len(texts)} of {len(wanted)} documents are the same")

    def _refused(self, home: Path, path: Path, what: str) -> None:
        """Check the library while ``path`` is read-only; this may end with a ``LecternError``, but not crash."""

        def task(tell: Callable[..., None]) -> None:
            with suppress(LecternError):
                look(home, tell)

        number, pipe = child(task, lambda: self._arm(path, 0, 2**40, errno.EACCES, 0))
        said, code = heard(number, pipe, _LIMIT)
        if code:
            self._fell(f"during {what}, ended by {code}: {said[-1:]}")

    def _looked(self, home: Path, after: str, forgiven: str = "none", least: int = 0) -> Texts | None:
        number, pipe = child(lambda tell: look(home, tell))
        started = time.monotonic()
        said, code = heard(number, pipe, _LIMIT)
        held = next((words for kind, *words in said if kind == "held"), None)
        if held is None:
            fell = next((f"{words[0]}\n{words[1]}" for kind, *words in said if kind == "fell"), f"ended by {code}")
            self._fell(f"after {after}, {time.monotonic() - started:.0f} s: {fell}")
            return None
        texts, left, judgments = held
        if judgments < least:
            self._fell(f"after {after}: {judgments} of {least} judgments")
        wrong = [problem for problem in left if forgiven not in " ".join(problem).lower()]
        if wrong:
            self._fell(f"after {after}: left {wrong[:3]}")
        return dict(texts)

    def _fell(self, sentence: str) -> None:
        self.fallen.append(sentence)
        print(f"FELL {len(self.fallen)}: {sentence}", flush=True)


def _flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(max(1, min(20, len(data) // 2000))):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path, Path, random.Random], object]] = {
    "bits": lambda path, other, chance: _flip(path, chance),
    "emptying": lambda path, other, chance: os.truncate(path, 0),
    "cutting": lambda path, other, chance: os.truncate(path, int(path.stat().st_size * chance.random())),
    "noise": lambda path, other, chance: path.write_bytes(chance.randbytes(path.stat().st_size)),
    "swapping": lambda path, other, chance: path.write_bytes(other.read_bytes()),
    "another's": lambda path, other, chance: path.write_bytes(other.read_bytes()),
    "removal": lambda path, other, chance: path.unlink(),
    "zeros": lambda path, other, chance: path.write_bytes(bytes(path.stat().st_size)),
}


def made(home: Path, what: str) -> Texts:
    """Make a library of twelve documents with judgments and a backup. Returns its texts by name."""
    texts = {f"{what} {n}.md": f"# {what} {n}\n\n" + f"{what} {n} says {n * 7}. " * 30 for n in range(12)}

    def task(tell: Callable[..., None]) -> None:
        with Library.open(home, encoder=Encoder()) as library:
            items = [Incoming(name, content_hash=library.stage(text.encode())) for name, text in texts.items()]
            library.ingest(items)
            for row in library.sources():
                library.judge(f"What says {row.name}?", row.version_id, 0, 9)
            library.back_up()

    number, pipe = child(task)
    said, code = heard(number, pipe, 300)
    if code:
        raise SystemExit(f"The library to damage could not be made: {said}")
    return texts


def main() -> int:
    """Run the tests and print what was done and what failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--damages", type=int, default=0, help="at least so many, however long it takes")
    parser.add_argument("--mutants", type=int, help="of each format, instead of all that; 0: hostile ones alone")
    parser.add_argument("--table", nargs="*", metavar="ROW", help="what was once dear, a row each, instead of all that")
    options = parser.parse_args()
    if options.table is not None:
        return torture_table.main(options.table)
    if options.mutants is not None:
        return torture_files.main(options.mutants, options.seed)
    compiler = shutil.which("cc") or shutil.which("gcc")
    with tempfile.TemporaryDirectory() as folder:
        if compiler and _SHIM not in os.environ and sys.platform == "linux":
            shim = Path(folder) / "faults.so"
            source = Path(__file__).with_name("torture_faults.c")
            subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"], check=True)
            environment = {**os.environ, _SHIM: str(shim), "LD_PRELOAD": str(shim), "PYTHONHASHSEED": "0"}
            return subprocess.run(
                [sys.executable, "-m", "benchmarks.torture", *sys.argv[1:]], env=environment
            ).returncode
        logging.disable(logging.CRITICAL)
        import chromadb  # noqa: F401 - imported once, before the forks

        quantities._registry()
        outbox.examine = _examined
        torture = Torture(Path(folder) / "library", options.seed)
        base = Path(folder) / "base"
        texts, foreign = made(base, "Paper"), Path(folder) / "foreign"
        made(foreign, "Letter")
        ends, number = time.monotonic() + options.seconds, 0
        while time.monotonic() < ends or number < options.damages:
            if time.monotonic() < ends and number % 2 == 0:
                torture.turn()
            torture.damage(base, number, texts, foreign)
            number += 1
    counts = ", ".join(f"{count} {what}" for what, count in sorted(torture.counts.items()))
    print(f"seed {options.seed}: {counts}; {len(torture.fallen)} fell")
    return 1 if torture.fallen else 0


if __name__ == "__main__":
    sys.exit(main())
