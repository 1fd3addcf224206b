"""A folder and a library in step: what happens to files happens to documents, and what a person decided stays."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from core.errors import LecternError
from core.library import Incoming, Library
from core.watching.planning import FolderPlan
from tests.watching.keeper import held, keep, sweep, there, told, touch, work, write

OTTER, HERON, BADGER = (f"The {animal} lives by the river.\n" for animal in ("otter", "heron", "badger"))


@pytest.fixture
def folder(tmp_path: Path, library: Library) -> Path:
    """Three notes in a folder that the library is in step with."""
    place = tmp_path / "notes"
    for way, text in (("a.md", OTTER), ("b.md", HERON), ("deep/c.md", BADGER)):
        write(place / way, text)
    library.folders.add(place)
    keep(library)
    return place


def standing(library: Library) -> tuple[int, int, int, int]:
    (each,) = library.folders.standing()
    return each.held, each.reading, each.failed, each.left


def nothing_left(plan: FolderPlan) -> bool:
    return not (plan.new or plan.changed or plan.moved or plan.gone or plan.waiting or plan.at_work)


def test_a_new_folder_is_read_and_then_left_alone(library: Library, folder: Path, fast_encoder) -> None:
    assert held(library, folder) == there(folder)
    assert [row.name for row in library.sources()] == ["notes/a.md", "notes/b.md", "notes/deep/c.md"]
    assert standing(library) == (3, 0, 0, 0)
    encoded, revision = len(fast_encoder.texts), library.revision()
    (again,) = sweep(library)
    assert nothing_left(again)
    assert (len(fast_encoder.texts), library.revision()) == (encoded, revision)
    assert library.queue.jobs() == []  # what was done whole is forgotten
    assert told(library) == [("read", 1, "a.md"), ("read", 1, "b.md"), ("read", 1, "deep/c.md")]


def test_looking_changes_nothing(library: Library, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "a.md", OTTER)
    (plan,) = library.folders.look([library.folders.draft(tmp_path / "notes")])
    assert [file.relative for file in plan.new] == ["a.md"]
    assert (library.folders.all(), library.queue.jobs(), library.sources()) == ([], [], [])


def test_a_changed_file_serves_as_it_was_until_it_is_read(library: Library, folder: Path) -> None:
    write(folder / "a.md", "The kingfisher dives.\n")
    sweep(library)
    assert held(library, folder)["a.md"] == OTTER
    work(library)
    assert held(library, folder) == there(folder)
    sweep(library)
    assert told(library)[-1] == ("read", 1, "a.md")


def test_a_renamed_folder_and_a_renamed_file_encode_nothing_and_keep_what_hangs_on_them(
    library: Library, folder: Path, fast_encoder
) -> None:
    tag = library.labels.tag([row.id for row in library.sources()], "river")
    before, encoded = {row.title: row.id for row in library.sources()}, len(fast_encoder.texts)
    (folder / "deep").rename(folder / "deeper")
    (folder / "a.md").rename(folder / "otter.md")
    sweep(library)
    assert library.queue.jobs() == []
    assert held(library, folder) == there(folder)
    assert {row.title: row.id for row in library.sources()} == before
    assert all(row.tags == ("river",) for row in library.sources()), tag
    assert len(fast_encoder.texts) == encoded
    assert sorted(told(library)[3:]) == [("moved", 1, "deeper/c.md"), ("moved", 1, "otter.md")]
    assert library.verify() == []


def test_a_deleted_file_goes_to_the_trash_and_can_be_taken_back(library: Library, folder: Path) -> None:
    (folder / "a.md").unlink()
    sweep(library)
    assert held(library, folder) == there(folder)
    (thrown,) = library.trashed()
    library.restore([thrown.id])
    keep(library)  # what was taken back on purpose is not thrown away again
    assert sorted(held(library, folder)) == ["a.md", "b.md", "deep/c.md"]
    write(folder / "a.md", "The otter is back.\n")  # and the folder has its file again
    keep(library)
    assert held(library, folder) == there(folder)
    (folder / "a.md").unlink()
    keep(library)
    assert held(library, folder) == there(folder)


def test_what_a_person_threw_away_stays_away_while_its_file_is_there(library: Library, folder: Path) -> None:
    source = next(row.id for row in library.sources() if row.name == "notes/a.md")
    library.trash([source])
    keep(library)
    assert sorted(held(library, folder)) == ["b.md", "deep/c.md"]
    library.empty_trash()
    write(folder / "a.md", "The otter changed.\n")
    keep(library)
    assert sorted(held(library, folder)) == ["b.md", "deep/c.md"]
    assert standing(library) == (2, 0, 0, 1)
    assert told(library)[-1] == ("left", 1, "a.md")
    library.ingest([Incoming("a.md", folder / "a.md")])  # till it is put in by hand
    write(folder / "a.md", "The otter changed twice.\n")
    keep(library)
    assert held(library, folder) == there(folder)


def test_a_file_that_cannot_be_read_is_tried_again_when_it_changes(library: Library, folder: Path) -> None:
    write(folder / "broken.pdf", "%PDF-1.7 and nothing behind it")
    keep(library)
    keep(library)
    assert standing(library) == (3, 0, 1, 0)
    assert [what for what, _, _ in told(library)].count("failed") == 1
    event = library.folders.events(limit=1)[0]
    assert (event.name, bool(event.detail)) == ("broken.pdf", True)
    assert len(library.queue.jobs()) == 1  # where the page shows it, to be tried again
    (folder / "broken.pdf").unlink()
    keep(library)
    assert (standing(library), library.queue.jobs()) == ((3, 0, 0, 0), [])


def test_a_file_still_being_written_waits(library: Library, folder: Path) -> None:
    (folder / "now.md").write_text("half a sen", "utf-8")  # just now
    (plan,) = sweep(library)
    assert [file.relative for file in plan.waiting] == ["now.md"]
    path = write(folder / "copied.md", "The first half.\n")  # its time is old, and it grows while it is looked at

    def grow(seconds: float) -> None:
        path.write_text("The first half. The second.\n", "utf-8")
        touch(path)

    (plan,) = library.folders.sweep(None, grow)
    assert {file.relative for file in plan.waiting} == {"now.md", "copied.md"}
    assert library.queue.jobs() == []
    touch(folder / "now.md")
    keep(library)
    assert held(library, folder) == there(folder)


def test_a_file_changed_while_it_waits_in_the_queue_is_read_once(library: Library, folder: Path, fast_encoder) -> None:
    encoded = len(fast_encoder.texts)
    for number in range(10):
        write(folder / "a.md", f"The otter, take {number}.\n")
        sweep(library)
    work(library)
    assert held(library, folder) == there(folder)
    assert len(fast_encoder.texts) == encoded + 1


def test_a_missing_root_is_said_and_nothing_goes(library: Library, folder: Path) -> None:
    away = folder.rename(folder.with_name("unmounted"))
    for _ in range(3):
        (plan,) = sweep(library)
    assert "not there" in plan.problem
    assert len(library.sources()) == 3
    assert told(library)[3:] == [("missing", 0, "")]
    away.rename(folder)
    sweep(library)
    assert [what for what, _, _ in told(library)[3:]] == ["missing", "back"]
    assert held(library, folder) == there(folder)


def test_an_empty_root_asks_before_it_removes(library: Library, folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()  # a mount point without its disk
    for _ in range(2):
        (plan,) = sweep(library)
    assert (plan.asks, len(library.sources())) == (True, 3)
    assert library.folders.all()[0].asked == 3
    assert told(library)[3:] == [("asked", 3, "")]
    sweep(library, sure=True)
    assert (library.sources(), len(library.trashed()), library.folders.all()[0].asked) == ([], 3, 0)


def test_documents_whose_files_are_gone_can_be_kept(library: Library, folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    sweep(library)
    library.folders.keep_gone(library.folders.all()[0].id)
    sweep(library)
    assert (len(library.sources()), library.folders.all()[0].asked) == (3, 0)


def test_most_of_a_large_folder_asks_too(library: Library, tmp_path: Path) -> None:
    place = tmp_path / "large"
    for number in range(30):
        write(place / f"{number // 10}" / f"{number}.md", f"Note {number}.\n")
    library.folders.add(place)
    keep(library)
    shutil.rmtree(place / "0")
    sweep(library)
    assert len(library.sources()) == 20  # a third may go
    shutil.rmtree(place / "1")
    write(place / "2" / "1.md", "Another.\n")
    shutil.rmtree(place / "2")
    sweep(library)
    assert (len(library.sources()), library.folders.all()[0].asked) == (20, 20)
    assert ("read", 30, "") in told(library)  # many at once have one line


def test_a_paused_folder_is_left_alone(library: Library, folder: Path) -> None:
    number = library.folders.all()[0].id
    library.folders.pause(number)
    library.folders.add(folder, ["*.log"], paused=True)  # other patterns do not take it up again
    write(folder / "d.md", "The dipper walks under water.\n")
    (folder / "a.md").unlink()
    keep(library)
    assert sorted(held(library, folder)) == ["a.md", "b.md", "deep/c.md"]
    library.folders.pause(number, paused=False)
    keep(library)
    assert held(library, folder) == there(folder)


def test_a_folder_that_was_renamed_is_followed(library: Library, folder: Path, fast_encoder) -> None:
    encoded, moved = len(fast_encoder.texts), folder.with_name("diary")
    folder.rename(moved)
    library.folders.relocate(library.folders.all()[0].id, moved)
    (plan,) = sweep(library)
    assert nothing_left(plan)
    assert held(library, moved) == there(moved)
    assert [row.name for row in library.sources()] == ["diary/a.md", "diary/b.md", "diary/deep/c.md"]
    assert len(fast_encoder.texts) == encoded
    (moved / "b.md").unlink()
    sweep(library)
    assert held(library, moved) == there(moved)


def test_what_was_in_the_library_before_its_folder_is_taken_over(
    library: Library, tmp_path: Path, fast_encoder
) -> None:
    place = tmp_path / "notes"
    path, gone = write(place / "a.md", OTTER), write(place / "gone.md", HERON)
    library.ingest([Incoming("a", path), Incoming("gone", gone)])
    gone.unlink()
    encoded = len(fast_encoder.texts)
    library.folders.add(place)
    keep(library)
    assert len(fast_encoder.texts) == encoded
    assert sorted(held(library, place)) == ["a.md", "gone.md"]  # never handed over: not the folder's to remove
    path.unlink()
    keep(library)
    assert sorted(held(library, place)) == ["gone.md"]


def test_ignored_and_temporary_files_are_left(library: Library, folder: Path) -> None:
    for way in ("x.tmp", "film.crdownload", "~$a.docx", ".a.md.swp", "drafts/d.md", "build/e.md", "kept.log"):
        write(folder / way, "left alone\n")
    write(folder / ".gitignore", "build/\n*.log\n")
    write(folder / ".lecternignore", "!kept.log\n")
    library.folders.add(folder, ["drafts/"])
    keep(library)
    assert sorted(held(library, folder)) == ["a.md", "b.md", "deep/c.md", "kept.log"]


def test_two_libraries_keep_in_step_with_one_folder(
    library: Library, folder: Path, tmp_path: Path, fast_encoder
) -> None:
    with Library.open(tmp_path / "second", encoder=fast_encoder) as second:
        second.folders.add(folder)
        keep(second)
        (folder / "a.md").rename(folder / "z.md")
        write(folder / "b.md", "The heron moved.\n")
        library.trash([next(row.id for row in library.sources() if row.name == "notes/deep/c.md")])
        for each in (library, second):
            keep(each)
        assert held(second, folder) == there(folder)
        assert sorted(held(library, folder)) == ["b.md", "z.md"]


def test_folders_do_not_lie_in_each_other(library: Library, folder: Path, tmp_path: Path) -> None:
    for wrong in (folder / "deep", tmp_path, tmp_path / "nowhere", library.home):
        with pytest.raises(LecternError):
            library.folders.add(wrong)
    with pytest.raises(LecternError):
        library.folders.add(folder, ["a\\"])
    assert library.folders.add(folder / ".." / "notes", ["*.log"]) == library.folders.all()[0].id


def test_a_crash_between_queueing_and_reading_loses_nothing(tmp_path: Path, fast_encoder) -> None:
    folder = tmp_path / "notes"
    write(folder / "a.md", OTTER)
    with Library.open(tmp_path / "library", encoder=fast_encoder) as library:
        library.folders.add(folder)
        sweep(library)
    with Library.open(tmp_path / "library", encoder=fast_encoder) as library:
        library.queue.recover()
        keep(library)
        assert held(library, folder) == there(folder)
        assert told(library) == [("read", 1, "a.md")]


def test_a_folder_that_cannot_be_looked_into_removes_nothing(library: Library, folder: Path, monkeypatch) -> None:
    listed = os.scandir

    def refused(path):
        if os.fspath(path).endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refused)
    keep(library)
    assert sorted(held(library, folder)) == ["a.md", "b.md", "deep/c.md"]
    monkeypatch.undo()
    keep(library)
    assert (standing(library), held(library, folder)) == ((3, 0, 0, 0), there(folder))


def test_a_placeholder_of_a_cloud_is_not_fetched(library: Library, folder: Path, monkeypatch) -> None:
    from core.ingest import gathering

    write(folder / "far.md", "This would be fetched.\n")
    monkeypatch.setattr(gathering, "in_the_cloud", lambda status: status.st_size == 23)
    keep(library)
    assert sorted(held(library, folder)) == ["a.md", "b.md", "deep/c.md"]
