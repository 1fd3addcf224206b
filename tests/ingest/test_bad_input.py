"""Bad input gets a sentence and costs nothing else: by the library, and by the command line."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pymupdf
import pytest

from core.errors import CancelledError
from core.ingest.ingest import ItemCancelledError
from core.ingest.work import ingest_handler
from core.library import Incoming, Library
from core.storage.catalogue.job_rows import NewItem
from tests.cli.without_model import COMMAND
from tests.conftest import ROOT
from tests.fast_encoder import FastEncoder
from tests.small_disk import fill, mounted

GOOD = {
    "before.md": b"# Before\n\nA good document that stands first in the batch.\n",
    "z-after.txt": b"A good document that stands last in the batch.\n",
}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def pdf(words: str = "A page of a PDF with words on it.", **options: object) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), words)
        return bytes(document.tobytes(**options))


@pytest.fixture(scope="module")
def bad_files() -> dict[str, tuple[bytes, str]]:
    """Content, and what its sentence must say."""
    whole = pdf()
    return {
        "empty.md": (b"", "empty"),
        "blank.txt": (b" \n\t \r\n \xc2\xa0 ", "empty"),
        "truncated.pdf": (whole[: len(whole) // 3], "truncated.pdf"),
        "header-only.pdf": (b"%PDF-1.7\n", "header-only.pdf"),
        "noise.pdf": (b"%PDF-1.7\n" + os.urandom(2000), "noise.pdf"),
        "encrypted.pdf": (pdf(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="owner"), "password"),
        "blank.pdf": (pdf(words=""), "blank"),
        "picture.md": (PNG, "damaged"),
        "moving.md": (b"GIF89a" + bytes(100), "picture"),
        "program.txt": (b"\x7fELF" + bytes(2000), "program"),
        "nulls.txt": (bytes(range(32)) * 200, "nulls.txt"),
        "archive.docx": (b"PK\x03\x04" + b"\0" * 26 + b"word/document.xml" + b"\0" * 100, "damaged"),
    }


def write(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def command(*arguments: object, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def core(capsys: pytest.CaptureFixture[str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """``command`` without a process of its own, whose start costs more than most commands."""
    from core.cli.main import main

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        capsys.readouterr()
        code = main(words)
        written = capsys.readouterr()
        assert "Traceback" not in written.err, written.err
        return subprocess.CompletedProcess(words, code, written.out, written.err)

    return run


def is_sentence(reason: str) -> bool:
    return reason == reason.strip() and reason[-1] in ".!" and " " in reason and "Error" not in reason.split(":")[0]


def test_each_bad_file_costs_itself_alone_by_path_and_by_upload(library, tmp_path, bad_files):
    files = {"before.md": GOOD["before.md"], **{name: data for name, (data, _) in bad_files.items()}}
    files["z-after.txt"] = GOOD["z-after.txt"]
    folder = write(tmp_path / "in", files)
    for items in (
        [Incoming(name, folder / name) for name in files],
        [Incoming(name, content_hash=library.stage(data)) for name, data in files.items()],
    ):
        report = library.ingest(items)
        assert [item.source for item in report.documents] == list(GOOD)
        assert [item.source for item in report.failures] == list(bad_files)
        for item in report.failures:
            assert bad_files[item.source][1].lower() in item.reason.lower(), item.reason
            assert is_sentence(item.reason), item.reason
        assert {row.name for row in library.sources()} == set(GOOD)
    assert library.verify() == []


def test_the_command_line_lists_them_all_and_keeps_the_rest(core, tmp_path, bad_files):
    bad_files = {name: bad_files[name] for name in ("empty.md", "blank.pdf", "archive.docx")}
    folder = write(tmp_path / "in", {**GOOD, **{name: data for name, (data, _) in bad_files.items()}})
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        with suppress(OSError):  # a deep temporary folder may be too long a name for a socket
            server.bind(str(folder / "socket.md"))
        missing = tmp_path / "missing.md"
        done = command(
            "ingest", folder, missing, folder / "loop", folder / "pipe.md", "--library", tmp_path / "l", "--json"
        )
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert {Path(item["source"]).name for item in found["documents"]} == set(GOOD)
    failed = {Path(item["source"]).name: item["reason"] for item in found["failures"]}
    assert set(failed) - {"socket.md"} == {*bad_files, "missing.md", "loop", "pipe.md"}
    assert all(is_sentence(reason) for reason in failed.values())
    for name, reason in failed.items():
        assert f"{name}: {reason}" in done.stderr, "the sentences are on stderr too"
    checked = core("verify", "--library", tmp_path / "l", "--json")
    assert (checked.returncode, json.loads(checked.stdout)) == (0, {"ok": True, "problems": []})


def test_nothing_but_bad_input_is_exit_code_two(core, tmp_path):
    folder = write(tmp_path / "in", {"empty.md": b""})
    done = core("ingest", folder, "--library", tmp_path / "l", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["documents"] == []
    (tmp_path / "nothing").mkdir()
    done = core("ingest", tmp_path / "nothing", "--library", tmp_path / "l", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert is_sentence(done.stderr.strip())


NAMES = (
    "../../etc/passwd",
    "..",
    "/absolute/path.md",
    "C:\\windows\\path.md",
    "two\nlines.md",
    "tab\tand\x1b[31mcolour.md",
    "nul\0inside.md",
    "bell\x07.md",
    "‮gnp.md",
    "half\udcffpair.md",
    "<script>alert(1)</script>.md",
    "x" * 5000 + ".md",
    "",
    ".",
    " ",
    "CON",
    "-rf",
    "a" * 255,
)


def test_uploads_with_hostile_names(library, tmp_path):
    items = [
        Incoming(name, content_hash=library.stage(f"# Title {number}\n\nThe content of number {number}.\n".encode()))
        for number, name in enumerate(NAMES)
    ]
    report = library.ingest(items)
    assert report.failures == ()
    assert len(library.sources()) == len(NAMES)
    for row in library.sources():
        assert row.path is None
        assert row.title
        assert row.title.isprintable()
    hashes = {row.version_id for row in library.sources()}
    found = {path.parent.name + path.name for path in (library.home / "files").rglob("*") if path.is_file()}
    assert found == hashes, "bytes lie by their hash; no name reaches the disk"
    for row in library.sources():
        library.search("content").context.prompt.encode()
        assert library.original(row.version_id)
    assert library.verify() == []
    again = library.ingest(items)
    assert all(item.reused for item in again.documents)
    assert len(library.sources()) == len(NAMES), "the same names are the same sources"


def test_failures_of_hostile_names_stay_on_one_line(library):
    names = [name for name in NAMES if name not in {"", ".", ".."}]
    failures = library.ingest([Incoming(name, content_hash=library.stage(b"")) for name in names]).failures
    assert [failure.source for failure in failures] == names
    for failure in failures:
        assert failure.reason.isprintable()
        assert len(failure.reason) < 400


def test_files_with_hostile_names_reach_no_terminal(core, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("two\nlines.md", "colour\x1b[31m.md", b"latin\xe9.md".decode(errors="surrogateescape")):
        (folder / name).write_bytes(b"")
        (folder / f"good {name}").write_text("# Good\n\n" + ascii(name))
    done = core("ingest", folder, "--library", tmp_path / "l")
    assert done.returncode == 1
    assert "\x1b" not in done.stderr + done.stdout
    assert "two\\nlines.md" in done.stderr
    listed = core("list", "--library", tmp_path / "l")
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) == 3
    assert "\x1b" not in listed.stdout


def test_document_text_reaches_no_terminal(core, tmp_path):
    path = write(tmp_path / "in", {"a.md": b"# Title\n\nSome \x1b]0;owned\x07 words and \xe2\x80\xae turned ones.\n"})
    assert core("ingest", path, "--library", tmp_path / "l").returncode == 0
    done = core("query", "words", "--library", tmp_path / "l", "--set", "retrieval.dense_weight=0")
    assert done.returncode == 0
    assert "words and" in done.stdout
    assert not any(character in done.stdout for character in "\x1b\x07\u202e")


def test_paths_that_are_no_files(library, tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "dangling.md").symlink_to("nowhere.md")
    paths = [
        tmp_path,
        tmp_path / "missing.md",
        tmp_path / "pipe.md",
        tmp_path / "loop.md",
        tmp_path / "dangling.md",
        Path("/dev/zero"),
        tmp_path / ("long" * 2000),
        tmp_path / "nul\0.md",
        write(tmp_path / "good", GOOD) / "before.md",
    ]
    report = library.ingest([Incoming(str(path), path) for path in paths])
    assert [item.source for item in report.failures] == [str(path) for path in paths[:-1]]
    assert all(is_sentence(item.reason) for item in report.failures), report.failures
    assert len(report.documents) == 1
    assert library.verify() == []


def test_an_item_that_names_nothing(library):
    (failure,) = library.ingest([Incoming("ghost.md")]).failures
    assert "neither a file nor" in failure.reason
    report = library.ingest([Incoming("lost.md", content_hash="0" * 64), Incoming("odd.md", content_hash="../x")])
    assert len(report.failures) == 2
    assert all(is_sentence(item.reason) for item in report.failures)
    assert library.verify() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["chunk", "missing.md", "--json"],
        ["chunk", ".", "--json"],
        ["chunk", "/dev/zero", "--json"],
        ["query", "words", "--library", "nowhere", "--json"],
        ["remove", "a.md", "--library", "nowhere", "--json"],
        ["verify", "--library", "nowhere", "--json"],
        ["rebuild", "--library", "nowhere", "--json"],
        ["list", "--library", "nowhere", "--json"],
        ["stats", "--library", "x" * 5000, "--json"],
        ["bench", "nowhere", "--json"],
        ["ingest", "README.md", "--library", "README.md", "--json"],
        ["ingest", "README.md", "--library", "/proc/nowhere", "--json"],
    ],
)
def test_commands_without_anything_to_work_on(tmp_path, arguments, capsys, monkeypatch):
    from core.cli.main import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("# A file\n\nWith a sentence.\n")
    assert main(arguments) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert is_sentence(written.err.strip()), written.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md"], "and nothing was made"


@pytest.fixture
def small_disk(tmp_path, examined_apart):
    """A disk of eight megabytes."""
    with mounted(tmp_path / "small", 8) as place:
        yield place


def long_text(number: int) -> bytes:
    return (f"# Document {number}\n\n" + f"Sentence {number} of a text that takes room. " * 4000).encode()


@pytest.mark.long  # the store's own, in seconds: tests/storage/test_crashes.py
def test_a_full_disk_while_ingesting(small_disk, tmp_path):
    home = small_disk / "library"
    folder = write(tmp_path / "in", {f"{number:02d}.md": long_text(number) for number in range(12)})
    items = [Incoming(path.name, path) for path in sorted(folder.iterdir())]
    with Library.open(home, encoder=FastEncoder()) as library:
        first = library.ingest(items[:1])
        assert len(first.documents) == 1
        filler = fill(small_disk)
        report = library.ingest(items)
        assert report.failures
        assert len(report.documents) + len(report.failures) == len(items)
        assert all("full" in item.reason and is_sentence(item.reason) for item in report.failures), report.failures
        assert {row.name for row in library.sources()} >= {item.source for item in report.documents} | {"00.md"}
        assert library.search("a text that takes room").hits, "asking still works"
        filler.unlink()
        assert library.verify() == []
    shutil.rmtree(home)
    with Library.open(home, encoder=FastEncoder()) as library:
        library.ingest(items[:1])
        fill(small_disk)
    (small_disk / "filler").unlink()
    with Library.open(home, encoder=FastEncoder()) as library:
        assert library.ingest(items[:3]).failures == ()
        assert library.verify() == []


def test_stdout_that_is_full_or_closed(tmp_path):
    path = write(tmp_path / "in", GOOD) / "before.md"
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "core", "chunk", path, "--json"],
                cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert "No space left" in done.stderr
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "core", "chunk", path, "--json"],
        cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert done.stderr == ""


def test_a_file_too_large_to_hold_is_refused_unread(library, tmp_path):
    for name, data in {**GOOD, "nothing.txt": b"", "pages.pdf": pdf()}.items():
        (tmp_path / name).write_bytes(data)
    os.truncate(tmp_path / "nothing.txt", 1 << 30)
    os.truncate(tmp_path / "pages.pdf", 513 << 20)
    report = library.ingest([Incoming(path.name, path) for path in sorted(tmp_path.iterdir()) if path.is_file()])
    assert [(failure.source, "MB are read at once" in failure.reason) for failure in report.failures] == [
        ("nothing.txt", True),
        ("pages.pdf", True),
    ]
    assert {document.source for document in report.documents} == set(GOOD)


@contextmanager
def watched_always():
    """Every ``check_cancelled`` calls the check."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("core.cancellation._INTERVAL_SECONDS", 0.0)
        yield


def test_a_document_is_stopped_between_cutting_and_storing(library):
    """What is found out about chunks, and the analysis of their words, look up, too: every stage but them is let be."""

    class Stop:
        asked = 0

        def stage(self, index, stage, done, total):
            inside = {frame.name for frame in traceback.extract_stack()}
            if index == 0 and stage == "chunking" and inside & {"enrich", "new_leaves"}:
                self.asked += 1
                raise ItemCancelledError(0)

        def finished(self, index, outcome):
            pass

    texts = [f"{name} says what is so.\n\n" * 400 for name in ("Ada", "Bert")]
    items = [Incoming(f"{at}.md", content_hash=library.stage(text.encode())) for at, text in enumerate(texts)]
    with watched_always():
        report = library.ingest(items, watch := Stop())
    assert watch.asked == 1
    assert [document.source for document in report.documents] == ["1.md"]


def test_what_is_stored_stays_when_telling_chroma_of_it_is_stopped(library):
    class Stop:
        stored, told = False, ()

        def stage(self, index, stage, done, total):
            if self.stored:
                self.told = (stage, done, total)
                raise CancelledError("stop")

        def finished(self, index, outcome):
            self.stored = True

    watch = Stop()
    report = library.ingest([Incoming("a.md", content_hash=library.stage(GOOD["before.md"]))], watch)
    assert [row.source for row in report.documents] == ["a.md"]
    assert watch.told == ("storing", 1, 1)
    assert library.verify() == []
    assert library.search("good document").hits
    assert library.ingest([Incoming("b.txt", content_hash=library.stage(GOOD["z-after.txt"]))]).failures == ()
    assert library.verify() == []


def test_a_document_is_told_of_and_stopped_while_it_is_stored(library, monkeypatch):
    """The queue writes where an item stands into the very transaction that stores it."""
    monkeypatch.setattr("core.ingest.reporting._WRITE_SECONDS", 0.0)
    seen: list[str] = []
    persons: list[Thread] = []

    def echo(name, stage, done, total):
        if stage == "reading":
            for person in persons:
                person.join()  # whose cancelling is written once the transaction is over
        if "_put_structure" in {frame.name for frame in traceback.extract_stack()}:
            seen.append(name)
            if name == "stopped.csv":
                item = next(item.id for item in library.queue.items(job) if item.name == name)
                persons.append(Thread(target=library.queue.cancel_item, args=[item]))
                persons[-1].start()
                while not library.queue.is_item_cancelled(item):
                    time.sleep(0.001)

    rows = "".join(f"{number},{number * 7}\n" for number in range(40))
    staged = {name: library.stage(f"{name},b\n{rows}".encode()) for name in ("stopped.csv", "kept.csv")}
    job = library.queue.enqueue("ingest", {}, [NewItem(name, None, held) for name, held in staged.items()])
    with watched_always():
        library.queue.run_next({"ingest": ingest_handler(library, echo=echo)})
    assert [item.state for item in library.queue.items(job)] == ["cancelled", "done"]
    assert "stopped.csv" in seen
    assert seen.count("kept.csv") > 40
    assert [row.name for row in library.sources()] == ["kept.csv"]
    assert len(library.document(staged["kept.csv"]).blocks[0].cells) == 82
    assert library.verify() == []
