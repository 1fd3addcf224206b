"""Documents that other machines read: the same library as without them, whatever becomes of the machines."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from core.ingest.ray_reading import BatchReader, RayCluster, RayReading, ReadBatch
from core.library import Incoming, IngestReport, Library
from core.settings import Settings

pytestmark = pytest.mark.model
SAMPLES = Path(__file__).parents[2] / "data" / "samples" / "documents"
READ = (
    "api.md",
    "device-register.csv",
    "key_loader.py",
    "outage-thread.eml",
    "status-page.html",
    "troubleshooting.txt",
)
LINES = 40  # of each, at most: enough for several chunks


class Lossy:
    """A cluster of this process: batches of four, read by the actors' own code; those of ``lost`` are not handed on."""

    def __init__(self, lost: Sequence[int] = (), ends_at: int = 1000) -> None:
        self.lost, self.ends_at, self.left = lost, ends_at, False

    def batches(self, items: Sequence[Incoming], settings: Settings) -> Iterator[ReadBatch]:
        reader = BatchReader(settings.to_dict())
        for number, first in enumerate(range(0, len(items), 4)):
            if number == self.ends_at:
                return
            if number not in self.lost:
                yield reader.read({item.name: str(item.path) for item in items[first : first + 4]})

    def leave(self) -> None:
        self.left = True


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> list[Incoming]:
    """Heads of samples, a mail with a mail and a note attached, a file nothing reads, and one that is not there."""
    folder = tmp_path_factory.mktemp("documents")
    inner, outer = EmailMessage(), EmailMessage()
    inner.set_content("The heron nests in March.")
    inner["Subject"] = "Herons"
    outer.set_content("What the ranger wrote is attached.")
    outer["Subject"] = "From the ranger"
    outer.add_attachment(inner)
    outer.add_attachment("Water level: 3.2 m.", filename="levels.txt")
    (folder / "ranger.eml").write_bytes(bytes(outer))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    for name in READ:
        head = (SAMPLES / name).read_text(encoding="utf-8").splitlines()[:LINES]
        (folder / name).write_text("\n".join(head), encoding="utf-8")
    return [Incoming(name, folder / name) for name in (*READ, "ranger.eml", "broken.pdf", "gone.md")]


@pytest.fixture(scope="module")
def without(items: list[Incoming], tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("without") / "library"
    with Library.open(home) as library:
        library.ingest(items)
    return home


def by_cluster(home: Path, items: Sequence[Incoming], cluster: Lossy | RayCluster) -> IngestReport:
    with (
        Library.open(home) as library,
        RayReading(cluster, items, library.settings, library.vectors) as reading,
    ):
        return library.ingest(items, parse=reading.parse)


def held(home: Path) -> tuple[dict[str, tuple[str, list[str]]], dict[str, np.ndarray]]:
    """Text and chunk ids by name, and every vector by its key."""
    with Library.open(home, write=False) as library:
        documents = {
            row.name: (
                library.document(row.version_id).text,
                [chunk.chunk_id for chunk in library.tree(row.version_id).chunks],
            )
            for row in library.sources()
        }
    with closing(sqlite3.connect(home / "catalogue.sqlite")) as catalogue:
        rows = catalogue.execute("SELECT key, data FROM vector WHERE key <> ''").fetchall()
    return documents, {key: np.frombuffer(data, "<f4") for key, data in rows}


def assert_alike(one: Path, other: Path) -> None:
    (documents, vectors), (expected, right) = held(one), held(other)
    assert documents == expected
    assert vectors.keys() == right.keys()
    assert all(float(vectors[key] @ right[key]) > 1 - 1e-3 for key in right)


@pytest.mark.parametrize(("lost", "ends_at"), [pytest.param((), 1000, marks=pytest.mark.long), ((0,), 2), ((), 0)])
def test_the_library_is_the_same_whatever_the_cluster_loses(
    items: list[Incoming], without: Path, tmp_path: Path, lost: Sequence[int], ends_at: int
) -> None:
    cluster = Lossy(lost, ends_at)
    report = by_cluster(tmp_path / "library", items, cluster)
    assert {failure.source for failure in report.failures} == {"broken.pdf", "gone.md"}
    assert report.encoded == 0 or lost or not ends_at
    assert cluster.left
    assert_alike(tmp_path / "library", without)


@pytest.mark.parametrize("model", ["endpoint:at-an-address", "nobody/has-this"])
def test_a_worker_without_the_embedder_reads_all_the_same(items: list[Incoming], model: str) -> None:
    settings = Settings().with_value("embedding.model", model)
    batch = BatchReader(settings.to_dict()).read({item.name: str(item.path) for item in items[:2]})
    assert [len(found) for found in batch.documents.values()] == [1, 1]
    assert not batch.vectors


@pytest.mark.parametrize("error", [ConnectionError("reset by peer"), KeyError("CPU"), RuntimeError("no such actor")])
def test_whatever_ends_the_cluster_the_rest_is_read_here(
    error: Exception, items: list[Incoming], monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")

    def lost() -> dict[str, float]:
        raise error

    monkeypatch.setattr(ray, "cluster_resources", lost)
    cluster = object.__new__(RayCluster)  # as if it had been joined
    assert list(cluster.batches(items, Settings())) == []


@pytest.mark.long
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_worker_of_ray_is_killed_and_nothing_is_lost(items: list[Incoming], without: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    killed: list[int] = []
    over = Event()

    def kill_one() -> None:
        while not over.wait(0.2) and not killed:
            for process in Path("/proc").iterdir():
                if process.name.isdigit() and b"ray::MapWorker" in _command_of(process):
                    os.kill(int(process.name), signal.SIGKILL)
                    killed.append(int(process.name))
                    return

    killer = Thread(target=kill_one)
    killer.start()
    try:
        cluster = RayCluster()
        report = by_cluster(tmp_path / "library", items, cluster)
    finally:
        over.set()
        killer.join()
    assert killed
    assert cluster.session
    assert not cluster.session.exists()
    assert {failure.source for failure in report.failures} == {"broken.pdf", "gone.md"}
    assert_alike(tmp_path / "library", without)


def _command_of(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it ended meanwhile
        return b""
