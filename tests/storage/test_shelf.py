"""Several libraries by name: the first one is always there, the file is whole or not written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import LecternError, NotFoundError, StorageError
from core.storage.shelf import (
    DEFAULT_NAME,
    KnownLibrary,
    add,
    first_home,
    forget,
    last_used,
    rename,
    shelf,
    shelf_file,
    use,
)


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    monkeypatch.delenv("LECTERN_HOME", raising=False)
    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "below" / "libraries.json"))
    return shelf_file()


def names(file: Path) -> list[str]:
    return [known.name for known in shelf(file)]


def test_an_empty_shelf_holds_the_default_library(file) -> None:
    assert shelf(file) == [KnownLibrary(DEFAULT_NAME, first_home())]
    assert first_home().parts[-2:] == ("data", "library")
    assert last_used(file) == first_home()
    assert not file.exists(), "looking writes nothing"


def test_added_renamed_and_forgotten(file, tmp_path) -> None:
    work = add(file, " Work ", tmp_path / "x" / ".." / "work")
    add(file, "Old", tmp_path / "old")
    assert work == KnownLibrary("Work", tmp_path / "work")
    assert names(file) == [DEFAULT_NAME, "Work", "Old"]
    assert not work.path.exists(), "a library is made when it is opened"
    rename(file, work.path, "At work")
    rename(file, first_home(), "Mine")
    assert names(file) == ["Mine", "At work", "Old"]
    use(file, work.path)
    assert last_used(file) == work.path
    forget(file, work.path)
    assert (names(file), last_used(file)) == (["Mine", "Old"], first_home())


def test_the_home_of_the_environment_comes_first(file, tmp_path, monkeypatch) -> None:
    work = add(file, "Work", tmp_path / "work").path
    use(file, work)
    monkeypatch.setenv("LECTERN_HOME", str(tmp_path / "forced"))
    assert shelf(file) == [KnownLibrary("forced", tmp_path / "forced"), KnownLibrary("Work", work)]
    assert last_used(file) == tmp_path / "forced"
    monkeypatch.setenv("LECTERN_HOME", str(work))
    assert shelf(file) == [KnownLibrary("Work", work)]


def test_what_is_refused(file, tmp_path) -> None:
    add(file, "Work", tmp_path / "work")
    for refused, words in (
        (lambda: add(file, "wORK", tmp_path / "other"), "named 'Work' already"),
        (lambda: add(file, DEFAULT_NAME.upper(), tmp_path / "other"), "already"),
        (lambda: add(file, "Other", tmp_path / "work"), "on the shelf already, as 'Work'"),
        (lambda: add(file, "Other", first_home()), "on the shelf already"),
        (lambda: add(file, " ", tmp_path / "other"), "needs a name"),
        (lambda: rename(file, tmp_path / "work", DEFAULT_NAME), "already"),
        (lambda: forget(file, first_home()), "starts with"),
    ):
        with pytest.raises(LecternError, match=words):
            refused()
    with pytest.raises(NotFoundError, match="on the shelf"):
        rename(file, tmp_path / "nowhere", "New")
    forget(file, tmp_path / "nowhere")
    assert names(file) == [DEFAULT_NAME, "Work"]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"libraries": [{"name": "x"}]}', '{"libraries": 3}', "\ufffd\x00"]
)
def test_a_file_that_is_no_shelf_is_left_as_it_is(file, content) -> None:
    file.parent.mkdir()
    file.write_text(content)
    for act in (lambda: shelf(file), lambda: add(file, "Work", file.parent), lambda: last_used(file)):
        with pytest.raises(StorageError, match=r"is not a list of libraries\. Mend it, or move it away\."):
            act()
    assert file.read_text() == content


def test_a_failed_write_leaves_the_old_file(file, tmp_path, monkeypatch) -> None:
    add(file, "Work", tmp_path / "work")
    before = file.read_text()
    assert json.loads(before)["libraries"] == [{"name": "Work", "path": str(tmp_path / "work")}]

    def full(*arguments, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.storage.shelf.os.fsync", full)
    with pytest.raises(StorageError, match="is full"):
        add(file, "More", tmp_path / "more")
    assert file.read_text() == before
    assert [path.name for path in file.parent.iterdir()] == ["libraries.json"]
