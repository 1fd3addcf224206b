"""A folder is walked once, in order, links and libraries left alone, and a second scan takes only what changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CancelledError, LecternError
from core.ingest.gathering import IGNORE_FILES, OF_PAGE, OWN_LIBRARY, Ignoring, find_files, scan
from core.ingest.work import ingest_handler
from core.library import Incoming, Library
from core.storage.catalogue.filing.folders import Folder

LONG_AGO = 1_700_000_000


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        put(root / name.replace("__", "/").replace("_", "."), text)


def put(path: Path, text: str | bytes, at: int = LONG_AGO) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (at, at))
    return path


@pytest.fixture
def folder(tmp_path) -> Path:
    place = tmp_path / "notes"
    write(place, b_md="# B\n\nThe otter.", a__c_md="# C\n\nThe heron.", a__a_txt="The badger.")
    return place


def relatives(found) -> list[str]:
    return [file.relative for file in found.files]


def take(library: Library, changes) -> list[str]:
    """Ingest what a scan says is to be taken; returns what was read."""
    library.queue.enqueue("ingest", {}, changes.items())
    reports = []
    assert library.queue.run_next({"ingest": ingest_handler(library, lambda job, report: reports.append(report))})
    return [document.source for document in reports[0].documents]


def test_in_a_stable_order_files_before_folders(folder) -> None:
    found = scan(folder)
    assert relatives(found) == ["b.md", "a/a.txt", "a/c.md"]
    assert [(file.kind, file.reason, file.size_bytes) for file in found.files] == [
        ("markdown", "", 15), ("text", "", 11), ("markdown", "", 15),
    ]  # fmt: skip
    assert (found.ignored, found.links, found.unreadable) == ([], [], [])
    assert relatives(scan(folder / "b.md")) == ["b.md"], "a file is looked at as it is"
    assert [file.kind for file in scan(folder, kinds=False).files] == ["", "", ""]


def test_what_nothing_here_reads_is_told_by_its_content(folder) -> None:
    put(folder / "photo.md", b"GIF89a" + bytes(100))
    (file,) = [file for file in scan(folder).files if file.relative == "photo.md"]
    assert file.kind == ""
    assert file.reason.startswith("photo.md is a picture")


def test_defaults_and_hidden_files_are_passed_over_by_name(folder) -> None:
    for name in ("node_modules/x.js", "a/__pycache__/x.md", ".venv/x.py", "x.pyc", "Thumbs.db", "~$b.docx", ".env"):
        put(folder / name, "x")
    found = scan(folder)
    assert relatives(found) == ["b.md", "a/a.txt", "a/c.md"]
    assert dict(found.ignored) == {
        ".env": ".*", ".venv/": ".*", "Thumbs.db": "Thumbs.db", "node_modules/": "node_modules/",
        "x.pyc": "*.pyc", "~$b.docx": "~$*", "a/__pycache__/": "__pycache__/",
    }  # fmt: skip
    assert ".env" in relatives(scan(folder, ["!.env"])), "what a person asks for comes first"


def test_patterns_of_every_place_and_their_rank(folder) -> None:
    put(folder / IGNORE_FILES[-1], "# drafts\n\ndrafts/\n*.log\n/a/a.txt\n!\n")
    put(folder / "a" / IGNORE_FILES[-1], "!keep.log\nc.md\n")
    for name in ("drafts/x.md", "a/keep.log", "a/other.log", "deep/a/a.txt", "deep/c.md"):
        put(folder / name, "text")
    found = scan(folder)
    assert relatives(found) == ["b.md", "a/keep.log", "deep/c.md", "deep/a/a.txt"]
    told = {("drafts/", "drafts/"), ("a/other.log", "*.log"), ("a/c.md", "c.md"), ("a/a.txt", "/a/a.txt")}
    assert told <= set(found.ignored)
    assert relatives(scan(folder, ["!c.md", "b.*", "deep"])) == ["a/c.md", "a/keep.log"], "the given ones first"
    with pytest.raises(LecternError, match=r"'!' is no pattern\."):
        scan(folder, ["!"])


def test_links_are_named_and_not_followed(folder, tmp_path) -> None:
    put(tmp_path / "elsewhere" / "secret.md", "x")
    (folder / "link.md").symlink_to(folder / "b.md")
    (folder / "loop").symlink_to(folder)
    (folder / "a" / "out").symlink_to(tmp_path / "elsewhere")
    (folder / "dead").symlink_to(tmp_path / "nowhere")
    found = scan(folder)
    assert relatives(found) == ["b.md", "a/a.txt", "a/c.md"]
    assert sorted(found.links) == ["a/out", "dead", "link.md", "loop"]
    assert relatives(scan(folder / "loop")) == relatives(found), "a link that is named is meant"


def test_pipes_and_closed_folders_are_named(folder) -> None:
    os.mkfifo(folder / "pipe.md")
    (folder / "closed").mkdir()
    (folder / "closed").chmod(0)
    found = scan(folder)
    (folder / "closed").chmod(0o700)
    assert relatives(found) == ["b.md", "a/a.txt", "a/c.md"]
    assert ("pipe.md", "It is a pipe, a socket or a device, not a file.") in found.unreadable
    if os.geteuid():
        assert ("closed/", "The folder cannot be read: Permission denied.") in found.unreadable


def test_libraries_are_no_documents(folder, fast_encoder) -> None:
    with Library.open(folder / "mine", encoder=fast_encoder) as library:
        library.ingest([Incoming("x.md", content_hash=library.stage(b"x"))])
        changes = library.scan(folder)
    assert [file.relative for file in changes.new] == ["b.md", "a/a.txt", "a/c.md"]
    assert changes.scan.ignored == [("mine/", OWN_LIBRARY)]
    assert scan(folder, library=folder / "a").ignored == [("a/", OWN_LIBRARY), ("mine/", OWN_LIBRARY)]


def test_what_a_saved_page_shows_is_passed_over(folder) -> None:
    for name in ("Ducks.html", "Ducks_files/frame.html", "Oche.htm", "Oche_file/frame.html", "Geese_files/note.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    found = scan(folder)
    assert {"Ducks.html", "Oche.htm", "Geese_files/note.md"} <= set(relatives(found))
    assert found.ignored == [("Ducks_files/", OF_PAGE), ("Oche_file/", OF_PAGE)]


def test_too_deep_is_named(folder) -> None:
    place = folder
    for _ in range(101):
        place /= "d"
    place.mkdir(parents=True)
    (reason,) = scan(folder).unreadable
    assert reason[1] == "The folder lies in itself, or too deep."


def test_progress_can_stop_it(folder) -> None:
    told = []

    def stop(files: int, where: str) -> None:
        told.append((files, where))
        if where == "a/":
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        scan(folder, progress=stop)
    assert told == [(0, ""), (1, "a/")]


@pytest.mark.parametrize("missing", ["nowhere", "b.md/below"])
def test_no_folder_is_a_sentence(folder, missing) -> None:
    with pytest.raises(LecternError, match=r"There is no folder .* on this machine\. Check the path\."):
        scan(folder / missing)


def test_a_second_scan_takes_only_what_changed(library, folder, fast_encoder) -> None:
    first = library.scan(folder)
    assert take(library, first) == ["notes/b.md", "notes/a/a.txt", "notes/a/c.md"]
    again = library.scan(folder)
    assert [len(files) for files in again.by_state().values()] == [0, 0, 3, 0]
    assert again.items() == []
    put(folder / "b.md", "# B\n\nThe other.", LONG_AGO + 9)  # as many bytes
    put(folder / "a" / "c.md", "# C\n\nThe heron.", LONG_AGO + 9)  # the same content, saved again
    put(folder / "new.md", "# New")
    put(folder / "photo.gif", b"GIF89a")
    (folder / "a" / "a.txt").unlink()
    changes = library.scan(folder)
    assert {state: [file.relative for file in files] for state, files in changes.by_state().items()} == {
        "new": ["new.md"], "changed": ["b.md"], "unchanged": ["a/c.md"], "unsupported": ["photo.gif"],
    }  # fmt: skip
    assert [held.path for held in changes.missing] == [folder / "a" / "a.txt"]
    assert take(library, changes) == ["notes/new.md", "notes/b.md"]
    assert len(library.sources()) == 4
    library.trash([held.source for held in changes.missing])
    assert library.scan(folder).missing == ()


def test_a_file_saved_a_moment_ago_is_looked_at_again(library, folder) -> None:
    """Within one tick of the disk's clock it could change again and keep its size and time."""
    import time

    put(folder / "b.md", "# B\n\nThe otter.", int(time.time()))
    take(library, library.scan(folder))
    stat = (folder / "b.md").stat()
    (folder / "b.md").write_text("# B\n\nThe other.")
    os.utime(folder / "b.md", ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    assert [file.relative for file in library.scan(folder).changed] == ["b.md"]


def test_a_folder_that_cannot_be_read_loses_nothing(library, folder, monkeypatch) -> None:
    take(library, library.scan(folder))
    real = os.scandir

    def closed(place):
        if Path(place).name == "a":
            raise PermissionError(13, "Permission denied")
        return real(place)

    monkeypatch.setattr(os, "scandir", closed)
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    changes = library.scan(folder)
    assert changes.scan.unreadable == [("a/", "The folder cannot be read: Permission denied.")]
    assert changes.missing == ()


def test_folders_are_remembered_with_their_patterns(library, folder, tmp_path) -> None:
    first = library.folders.add(folder, ["*.log"])
    assert library.folders.add(tmp_path / "notes" / ".." / "notes", ["*.tmp", "drafts/"]) == first
    (tmp_path / "oth\udcffer").mkdir()
    other = library.folders.add(tmp_path / "oth\udcffer")
    assert library.folders.all() == [
        Folder(first, folder, ("*.tmp", "drafts/"), library.folders.all()[0].added_at, "", paused=False),
        Folder(other, tmp_path / "oth\udcffer", (), library.folders.all()[1].added_at, "", paused=False),
    ]
    library.scan(folder)
    assert [bool(known.scanned_at) for known in library.folders.all()] == [True, False]
    library.folders.forget(first)
    assert [known.id for known in library.folders.all()] == [other]


def test_uploads_of_a_folder_are_sources_by_their_way(library) -> None:
    for name, text in (("notes/2024/README.md", b"# Old\n\nApples."), ("notes/2025/README.md", b"# New\n\nPears.")):
        library.ingest([Incoming(name, content_hash=library.stage(text))])
    assert [(row.name, row.title) for row in library.sources()] == [
        ("notes/2024/README.md", "Old"), ("notes/2025/README.md", "New"),
    ]  # fmt: skip
    library.ingest([Incoming("notes/2024/README.md", content_hash=library.stage(b"# Older\n\nPlums."))])
    assert [row.title for row in library.sources()] == ["Older", "New"]


def test_names_of_the_command_line_keep_the_path_as_given(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    items, failures = find_files(["./b.md", "a/", "missing"], folder / "library", ["*.txt"])
    assert [(item.name, item.path) for item in items] == [
        ("./b.md", folder / "b.md"),
        ("a/c.md", folder / "a" / "c.md"),
    ]
    assert [failure.source for failure in failures] == ["missing"]


@given(
    st.lists(st.text(alphabet="ab*/!.#[\\ ", max_size=6), max_size=5), st.text(alphabet="ab/.", min_size=1, max_size=8)
)
def test_any_line_of_an_ignore_file_is_taken_or_left(tmp_path_factory, lines, way) -> None:
    place = tmp_path_factory.mktemp("rules") / IGNORE_FILES[-1]
    place.write_text("\n".join(lines))
    rules = Ignoring.of([]).within("", place)
    assert rules.pattern_for(way.strip("/") or "a") in {"", *lines, *Ignoring.of([]).defaults.patterns}
