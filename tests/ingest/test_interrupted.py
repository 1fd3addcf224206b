"""``kill -9`` at any instant of an ingest: nothing half in, nothing acknowledged lost, and the job goes on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.chunking.prefixes import encoder_input
from core.ingest.work import ingest_handler
from core.library import Library
from core.storage.index.leaves import load_leaves
from core.storage.store import Store
from tests.conftest import ROOT
from tests.fast_encoder import FastEncoder

pytestmark = pytest.mark.usefixtures("examined_apart")  # what a kill or a full disk left may end who looks
INSTANTS = 20
TRIED = (12,)  # the others take long
DOCUMENTS = 24


def text(number: int) -> str:
    chance = random.Random(number)
    words = "river otter token vault lifetime report falcon page budget error quarter badger".split()
    parts = (" ".join(chance.choices(words, k=12)).capitalize() + f" {number}." for _ in range(chance.randint(2, 9)))
    return f"# Document {number}\n\n" + "\n\n".join(f"## Part {at}\n\n{part}" for at, part in enumerate(parts)) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("documents")
    for number in range(DOCUMENTS):
        (place / f"{number:02d}.md").write_text(text(number), encoding="utf-8")
    return place


def start(home: Path, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.ingest_driver", str(home), str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def state(library: Library) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every source with its version and the ids of its chunks."""
    return {
        row.name: (row.version_id, tuple(chunk.chunk_id for chunk in library.tree(row.version_id).chunks))
        for row in library.sources()
    }


@pytest.fixture(scope="module")
def uninterrupted(folder, tmp_path_factory):
    """``(events, seconds, state)`` of an ingest that nobody stops."""
    home = tmp_path_factory.mktemp("whole") / "library"
    process = start(home, folder)
    assert process.stdout is not None
    stamps = [time.monotonic() for _ in process.stdout]
    assert process.wait() == 0
    with Library.open(home, encoder=FastEncoder()) as library:
        assert library.verify() == []
        whole = state(library)
    assert len(whole) == DOCUMENTS
    return len(stamps), stamps[-1] - stamps[0], whole


def done_items(library: Library) -> set[str]:
    return {item.name for job in library.queue.jobs() for item in library.queue.items(job.id) if item.state == "done"}


def kill_at(home: Path, folder: Path, event: int, pause: float) -> set[str]:
    """Kill the ingest after so many events and a pause; return what a reader saw to be done just before."""
    process = start(home, folder)
    assert process.stdout is not None
    for _ in range(event):
        if not process.stdout.readline():
            break
    seen: set[str] = set()
    if (home / "catalogue.sqlite").exists() and event:
        with Library.open(home, write=False, encoder=FastEncoder()) as reader:
            seen = done_items(reader)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    assert process.wait() in {-signal.SIGKILL, 0}
    return seen


def check_whole(library: Library, home: Path, whole: dict[str, tuple[str, tuple[str, ...]]], folder: Path) -> None:
    """Every document in the library is in it entirely: text, chunks, tokens, vectors."""
    held = state(library)
    assert held == {name: whole[name] for name in held}
    leaves = sum(row.chunks for row in library.sources())
    assert all(row.chunks for row in library.sources())
    with Store.open(home, write=False) as reader, reader.reading() as connection:
        table = load_leaves(reader)
        assert len(table) == leaves == len(table.vectors.of())
        indexed = {row for (row,) in connection.execute("SELECT rowid FROM lexical_1")} if table.generation else set()
        assert indexed == set(table.rows.tolist())
    for name in held:
        assert library.document(held[name][0]).text == (folder / name).read_text(encoding="utf-8")
        assert library.original(held[name][0]) == (folder / name).read_bytes()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process outright")
@pytest.mark.parametrize(
    "instant", [at if at in TRIED else pytest.param(at, marks=pytest.mark.long) for at in range(INSTANTS)]
)
def test_killed_and_gone_on(tmp_path, folder, uninterrupted, instant):
    events, _, whole = uninterrupted
    chance = random.Random(instant)
    home = tmp_path / "library"
    # One instant in each twentieth of the ingest, and somewhere between two events.
    event = min(events, int((instant + chance.random()) * events / INSTANTS))
    acknowledged = kill_at(home, folder, event, chance.choice([0, 0.002, 0.01, 0.05]))
    encoder = FastEncoder()
    with Library.open(home, encoder=encoder) as library:
        assert library.verify() == []
        done, by_words = done_items(library), {row.name for row in library.sources() if row.by_words}
        assert acknowledged <= done, "what was said to be done is done"
        assert done | by_words == {row.name for row in library.sources()}
        assert not done & by_words, "and what is not done is found by its words alone, or not there"
        many = library.settings.with_value("retrieval.k", 200)
        for name in by_words:
            assert any(hit.source == name for hit in library.search(f"Document {int(name[:2])}", many).hits)
        check_whole(library, home, whole, folder)
        prefix = library.settings.chunking.prefix
        stored = {
            encoder_input(leaf, prefix)
            for row in library.sources()
            if row.name in done
            for leaf in library.tree(row.version_id).leaves
        }
        library.queue.recover()
        finished = []
        while library.queue.run_next({"ingest": ingest_handler(library, lambda job, report: finished.append(report))}):
            pass
        if library.queue.jobs():
            assert done_items(library) == set(whole), "the job went on to its end"
            assert state(library) == whole, "and the library is as if nothing had happened"
            assert not stored & set(encoder.texts), "what was stored is not encoded again"
            assert sum(len(report.documents) for report in finished) == DOCUMENTS - len(done)
            assert not any(row.by_words for row in library.sources())
            assert library.verify() == []
        else:
            assert library.sources() == [], "killed before the job was taken: nothing was promised"


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process outright")
def test_killed_again_and_again(tmp_path, folder, uninterrupted):
    """The same library, killed in every go until it is through."""
    events, _, whole = uninterrupted
    chance = random.Random("again")
    home = tmp_path / "library"
    acknowledged: set[str] = set()
    for _ in range(2):
        acknowledged |= kill_at(home, folder, 5 + chance.randrange(events // 5), 0.0)
    process = start(home, folder)
    process.communicate()
    assert process.returncode == 0
    with Library.open(home, encoder=FastEncoder()) as library:
        assert acknowledged <= done_items(library) == set(whole)
        assert state(library) == whole
        check_whole(library, home, whole, folder)
        assert library.verify() == []
