"""``kill -9`` and a full disk: nothing half in, nothing acknowledged lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.errors import StorageError
from core.storage.catalogue.filing.sources import remove_source, sources
from core.storage.catalogue.texts.documents import document as stored_document
from core.storage.index.leaves import load_leaves
from core.storage.index.lexical import FtsIndex
from core.storage.index.outbox import apply_outbox
from core.storage.index.projection import compare_projection
from core.storage.store import Store
from core.storage.verify import verify
from tests.small_disk import fill, mounted
from tests.storage.builders import cut, document, ingest

pytestmark = pytest.mark.usefixtures("examined_apart")  # what a kill or a full disk left may end who looks
ROOT = Path(__file__).resolve().parents[2]

# Ingests, replaces and removes for ever, carrying the outbox now and then; says what it was told was done.
WRITER = """
import sys
from pathlib import Path
from core.storage.index.outbox import apply_outbox
from core.storage.catalogue.filing.sources import remove_source
from core.storage.store import Store
from tests.storage.builders import ingest
known = {}
with Store.open(Path(sys.argv[1]), write=True) as store:
    for turn in range(10**9):
        name = f"document {turn % 7}"
        text = f"{name} of turn {turn}. " * (1 + turn % 40)
        print("begin", turn, flush=True)
        if turn % 5 == 4 and name in known:
            remove_source(store, known.pop(name))
            print("removed", name, sep="\\t", flush=True)
        else:
            known[name] = ingest(store, name, text)
            print("stored", name, text, sep="\\t", flush=True)
        if turn % 6 == 5:
            apply_outbox(store)
"""


def killed_writer(home: Path, seconds: float) -> list[str]:
    """What the writer had said when it was killed, ``seconds`` after its first line."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(home)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    lines = (first + rest).split("\n")
    return lines[:-1]  # the last one may be half a line


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process outright")
@pytest.mark.parametrize("instant", [0, *(pytest.param(late, marks=pytest.mark.long) for late in range(1, 12))])
def test_killed_at_any_instant(tmp_path, instant) -> None:
    home = tmp_path / "library"
    said = killed_writer(home, random.Random(instant).uniform(0.0, 2.0))
    held: dict[str, str] = {}
    for line in said:
        kind, *rest = line.split("\t")
        if kind == "stored":
            held[rest[0]] = rest[1]
        elif kind == "removed":
            held.pop(rest[0], None)
    last_turn = int(next(line for line in reversed(said) if line.startswith("begin")).split()[1])
    underway = f"document {last_turn % 7}"  # may or may not have happened: the word was not given
    with Store.open(home, write=True) as store:
        # Chroma's files may be torn: they are no truth, and the next change makes them anew.
        assert [problem for problem in verify(store) if problem.where != "chroma" or not problem.repairable] == []
        found = {row.name: stored_document(store, row.version_id).text for row in sources(store)}
        assert {name: text for name, text in found.items() if name != underway} == {
            name: text for name, text in held.items() if name != underway
        }
        assert len(load_leaves(store)) == sum(len(cut(document(text), 20).leaves) for text in found.values())
        ingest(store, "life goes on", "A document after the crash.")
        assert FtsIndex(store, 1).search(["crash"])[0].size == 1
        apply_outbox(store)
        assert verify(store) == []
        assert compare_projection(store) == ""
    with Store.open(home, write=False) as reader:
        assert [row.name for row in sources(reader)][-1] == "life goes on"


@pytest.fixture
def small_disk(tmp_path):
    """A disk of four megabytes."""
    with mounted(tmp_path / "small", 4) as place:
        yield place


def test_a_full_disk_gets_a_sentence_and_costs_nothing_else(small_disk) -> None:
    with Store.open(small_disk / "library", write=True) as store:
        first = ingest(store, "first", "The first document, quite short.")
        filler = fill(small_disk)
        stored = 0
        with pytest.raises(StorageError, match=r"full.*[Ff]ree some space"):  # noqa: PT012 - some may still fit
            for stored in range(200):
                ingest(store, f"more {stored}", f"Document {stored}. " * 400)
        names = [row.name for row in sources(store)]
        assert names == ["first", *(f"more {number}" for number in range(stored))]
        assert stored_document(store, document("The first document, quite short.").version_id)
        assert not list(store.files.root.glob("incoming-*"))
        filler.unlink()
        ingest(store, "later", "There is room again.")
        remove_source(store, first)
        assert verify(store) == []
        apply_outbox(store)
        assert verify(store) == []


def test_a_full_disk_at_the_first_opening(small_disk) -> None:
    filler = fill(small_disk)
    with pytest.raises(StorageError, match="full"):
        Store.open(small_disk / "library", write=True)
    filler.unlink()
    with Store.open(small_disk / "library", write=True) as store:
        ingest(store, "first", "There is room again.")
        assert verify(store) == []
