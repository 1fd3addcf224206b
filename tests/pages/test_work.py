"""The worker's side of the pages, on a real queue and a real library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.evaluation import history
from core.ingest.reporting import Reporter
from core.ingest.work import ingest_handler
from core.library import Library
from core.settings import PRESETS, Settings
from core.storage.catalogue.job_rows import Job, NewItem
from pages.ui.shared import background, services, work
from pages.ui.shared.queue import batches
from pages.ui.shared.work import Plan


@pytest.fixture(autouse=True)
def _served(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages look at the test's library, with no app around them."""
    monkeypatch.setattr(services, "library", lambda: library)
    monkeypatch.setattr(background, "library", lambda: library)


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
    assert [item.words for item in background.active_jobs()] == ["waiting", "waiting"]
    run(library)
    assert {source.name for source in library.sources()} == {"a.md", "b.md"}
    assert background.active_jobs() == []
    assert background.failures("ingest") == []


def test_cancelled_work_says_so_until_it_has_stopped(library: Library) -> None:
    seen: list[tuple[str, str]] = []

    def working(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():
            reporter.stage(item.id, "encoding", 1, 9)
            library.queue.cancel(job.id)
            seen.extend((found.state, found.words) for found in background.active_jobs())
            reporter.check()

    library.queue.enqueue("bench", {}, [NewItem("Suite")])
    assert library.queue.run_next({"bench": working})
    assert seen == [(background.STOPPING, "stopping at its next step")]
    assert background.active_jobs() == []


def test_a_job_whose_items_are_done_is_no_longer_waited_for(library: Library, tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def closing(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():
            reporter.finish_item(item.id)
        seen.append([found.name for found in background.active_jobs()])

    put(library, note(tmp_path, "a.md", "Words."))
    assert library.queue.run_next({"ingest": closing})
    assert seen == [[]]


def test_a_batch_that_is_put_first_stands_above_the_others_and_is_read_before_them(
    library: Library, tmp_path: Path
) -> None:
    old = put(library, *(note(tmp_path, name, f"Words of {name}.") for name in ("a.md", "b.md")))
    new = put(library, *(note(tmp_path, name, f"Words of {name}.") for name in ("c.md", "d.md")))
    assert [(batch.job, batch.behind) for batch in batches()] == [(old, False), (new, True)]
    background.put_first(new)
    assert [(batch.job, batch.behind) for batch in batches()] == [(new, False), (old, True)]
    assert [work.name for work in background.active_jobs()] == ["c.md", "d.md", "a.md", "b.md"]
    run(library)
    assert {source.name for source in library.sources()} == {"c.md", "d.md"}
    run(library)
    assert len(library.sources()) == 4


def test_a_bad_file_fails_alone_with_its_reason_and_can_be_retried(library: Library, tmp_path: Path) -> None:
    put(library, note(tmp_path, "good.md", "Fine."), note(tmp_path, "bad.md", ""))
    run(library)
    assert [source.name for source in library.sources()] == ["good.md"]
    failed = background.failures("ingest")
    assert [item.name for item in failed] == ["bad.md"]
    assert failed[0].reason.endswith(".")
    (tmp_path / "bad.md").write_text("Now it says something.", encoding="utf-8")
    assert failed[0].item is not None
    library.queue.retry_item(failed[0].item)
    run(library)
    assert len(library.sources()) == 2
    assert background.failures("ingest") == []


def test_a_batch_is_one_bar_and_what_it_leaves_by_words_is_encoded_on_demand(library: Library, tmp_path: Path) -> None:
    job = put(library, *(note(tmp_path, f"{name}.md", f"Words about {name}.") for name in "abc"))
    (batch,) = batches()
    assert (batch.words, batch.share) == ("waiting", 0.0)
    assert background.pending_documents() == 3
    seen: list[str] = []

    def hear(name: str, stage: str, done: int, total: int) -> None:
        seen.extend(one.words for one in batches())
        if stage == "encoding":
            library.queue.cancel(job)
            seen.extend(one.words for one in batches())

    assert library.queue.run_next({"ingest": ingest_handler(library, echo=hear)})
    assert "0 of 3 done, reading b.md" in seen
    assert seen[-1] == "stopping at its next step; 0 of 3 done"
    assert batches() == []
    assert [source.by_words for source in library.sources()] == [True] * 3, "what was cut stays"
    left = [source.version_id for source in library.sources()]
    assert background.pending_documents() == 0, "nobody encodes them"
    library.queue.enqueue("apply", {"versions": left}, [NewItem("3 documents")])
    assert background.pending_documents() == 3
    run(library)
    assert background.pending_documents() == 0
    assert [source.by_words for source in library.sources()] == [False] * 3
    assert library.verify() == []


def test_what_a_cancelled_batch_left_unread_is_named_and_read_after_all(library: Library, tmp_path: Path) -> None:
    staged = library.stage(b"Words that were dropped.")
    job = put(library, note(tmp_path, "a.md", "Words about a."), NewItem("dropped.md", content_hash=staged))

    def hear(name: str, stage: str, done: int, total: int) -> None:
        if stage == "chunking":  # of the first, whose words are found from then on
            background.cancel(background.Work(job, None, "", ""))

    assert library.queue.run_next({"ingest": ingest_handler(library, echo=hear)})
    read = {source.name for source in library.sources()}
    (left,) = background.unread()
    assert (left.job, {*left.names}) == (job, {"a.md", "dropped.md"} - read)
    library.queue.retry(job, ("cancelled",))
    assert background.unread() == []
    run(library)
    assert {source.name for source in library.sources()} == {"a.md", "dropped.md"}
    assert background.unread() == []


def test_a_cancelled_batch_is_forgotten_apart_from_its_failures(library: Library, tmp_path: Path) -> None:
    job = put(library, note(tmp_path, "bad.md", ""), note(tmp_path, "good.md", "Words."))
    library.queue.cancel_item(library.queue.items(job)[1].id)
    run(library)
    assert [left.names for left in background.unread()] == [("good.md",)]
    library.queue.dismiss_items(job, "cancelled")
    assert background.unread() == []
    assert [work.name for work in background.failures("ingest")] == ["bad.md"]
    library.queue.dismiss_items(job, "failed")
    assert library.queue.jobs() == []


def test_apply_cuts_the_library_anew(library: Library, tmp_path: Path) -> None:
    put(library, note(tmp_path, "a.md", "# A\n\n" + "A sentence of some words follows here. " * 60))
    run(library)
    before = library.sources()[0].chunks
    wanted = Settings().with_values({"chunking.max_tokens": 40, "chunking.prefix_max_tokens": 10})
    library.queue.enqueue("apply", {"settings": wanted.to_dict()}, [NewItem("All documents")])
    assert background.active_jobs("apply")[0].name == "Cutting the library anew"
    run(library)
    assert library.settings == wanted
    assert library.sources()[0].chunks > before


def order(library: Library, folder: Path) -> int:
    presets = {name: PRESETS[name] for name in ("default", "flat")}
    plan = Plan(folder, "Notes", presets)
    return library.queue.enqueue("bench", plan.payload(), [NewItem(plan.name)])


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of one document and six questions."""
    folder = tmp_path / "notes"
    (folder / "documents").mkdir(parents=True)
    lines = [f"Gauge {number} stands at the weir and shows {40 + number} centimetres." for number in range(6)]
    (folder / "documents" / "gauges.md").write_text("\n\n".join(lines), encoding="utf-8")
    gold = [{"document": "gauges.md", "start": 70 * number, "end": 70 * number + 9} for number in range(6)]
    rows = [{"id": f"q{n}", "question": f"What does gauge {n} show?", "gold": [span]} for n, span in enumerate(gold)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def test_a_bench_leaves_its_report(library: Library, suite: Path) -> None:
    job = order(library, suite)
    run(library)
    done = library.queue.job(job)
    assert (done.state, done.reason) == ("done", "")
    place = history.workspace_in(library.home)
    (head,) = history.runs(place)
    report = history.load_report(place, head.folder)
    assert [item.preset for item in report.presets] == ["default", "flat"]
    assert history.load_measured(place, head.folder, "flat").keys() == {f"q{number}" for number in range(6)}


def test_a_missing_suite_is_a_sentence(library: Library, tmp_path: Path) -> None:
    order(library, tmp_path / "nowhere")
    run(library)
    failed = background.failures("bench")
    assert "nowhere" in failed[0].reason


@pytest.mark.parametrize("name", ["../../a.md", "..\\b.md", "/etc/c.md"])
def test_names_are_shown_without_folders(library: Library, name: str) -> None:
    put(library, NewItem(name, content_hash=library.stage(b"text")))
    assert "/" not in background.active_jobs()[0].name
    assert "\\" not in background.active_jobs()[0].name
