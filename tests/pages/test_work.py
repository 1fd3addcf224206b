"""The worker's side of the pages, on a real queue and a real library."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.jobs import Job, NewItem, Reporter
from core.library import Library
from core.settings import Settings
from pages.ui import work, works
from pages.ui.state import changed


def put(library: Library, *items: NewItem) -> int:
    return library.queue.enqueue("ingest", {}, items)


def run(library: Library) -> None:
    assert library.queue.run_next(work.handlers(library))


def note(folder: Path, name: str, text: str) -> NewItem:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return NewItem(name, path=path)


def test_files_and_uploads_reach_the_library(library: Library, tmp_path: Path) -> None:
    staged = library.stage(b"# Uploaded\n\nBy hand.\n")
    put(library, note(tmp_path, "a.md", "# A\n\nFirst words.\n"), NewItem("b.md", content_hash=staged))
    assert [item.words for item in works.active(library.queue, ())] == ["waiting", "waiting"]
    run(library)
    assert {source.name for source in library.sources()} == {"a.md", "b.md"}
    assert works.active(library.queue, ()) == []
    assert works.failed(library.queue, ("ingest",)) == []


def test_a_job_whose_items_are_done_is_no_longer_waited_for(library: Library, tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def closing(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():
            reporter.finish_item(item.id)
        seen.append([found.name for found in works.active(library.queue, ())])

    put(library, note(tmp_path, "a.md", "Words."))
    assert library.queue.run_next({"ingest": closing})
    assert seen == [[]]


def test_a_bad_file_fails_alone_with_its_reason_and_can_be_retried(library: Library, tmp_path: Path) -> None:
    put(library, note(tmp_path, "good.md", "Fine."), note(tmp_path, "bad.md", ""))
    run(library)
    assert [source.name for source in library.sources()] == ["good.md"]
    failed = works.failed(library.queue, ("ingest",))
    assert [item.name for item in failed] == ["bad.md"]
    assert failed[0].reason.endswith(".")
    (tmp_path / "bad.md").write_text("Now it says something.", encoding="utf-8")
    assert failed[0].item is not None
    library.queue.retry_item(failed[0].item)
    run(library)
    assert len(library.sources()) == 2
    assert works.failed(library.queue, ("ingest",)) == []


def test_one_cancelled_file_leaves_the_others(library: Library, tmp_path: Path) -> None:
    put(library, *(note(tmp_path, f"{name}.md", f"Words about {name}.") for name in "abc"))
    second = works.active(library.queue, ())[1]
    assert second.item is not None
    library.queue.cancel_item(second.item)
    run(library)
    assert [source.name for source in library.sources()] == ["a.md", "c.md"]


def test_apply_cuts_the_library_anew(library: Library, tmp_path: Path) -> None:
    put(library, note(tmp_path, "a.md", "# A\n\n" + "A sentence of some words follows here. " * 60))
    run(library)
    before = library.sources()[0].chunks
    wanted = changed(Settings(), {"chunking.max_tokens": 40, "chunking.prefix_max_tokens": 10})
    library.queue.enqueue("apply", {"settings": wanted.to_dict()}, [NewItem("All documents")])
    assert works.active(library.queue, ("apply",))[0].name == "Cutting the library anew"
    run(library)
    assert library.settings == wanted
    assert library.sources()[0].chunks > before


def test_a_bench_leaves_its_report(library: Library, samples: Path) -> None:
    payload = {"folder": str(samples), "presets": ["default", "flat"], "name": "Samples"}
    job = library.queue.enqueue("bench", payload, [NewItem("Samples")])
    run(library)
    done = library.queue.job(job)
    assert (done.state, done.reason) == ("done", "")
    assert (work.reports_folder(library.home) / done.result["report"]).is_file()


def test_a_missing_suite_is_a_sentence(library: Library, tmp_path: Path) -> None:
    payload = {"folder": str(tmp_path / "nowhere"), "presets": ["default"], "name": "nowhere"}
    library.queue.enqueue("bench", payload, [NewItem("nowhere")])
    run(library)
    failed = works.failed(library.queue, ("bench",))
    assert "nowhere" in failed[0].reason


@pytest.mark.parametrize("name", ["../../a.md", "..\\b.md", "/etc/c.md"])
def test_names_are_shown_without_folders(library: Library, name: str) -> None:
    put(library, NewItem(name, content_hash=library.stage(b"text")))
    assert "/" not in works.active(library.queue, ())[0].name
    assert "\\" not in works.active(library.queue, ())[0].name
