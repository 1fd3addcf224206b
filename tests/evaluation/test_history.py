"""Runs as folders: listed, gone on with by the same plan alone, packed, and forgotten."""

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LibraryLockedError, NotFoundError
from core.evaluation.history import Recording, RunPlan, load_measured, load_report, remove_run, runs, writer_of
from core.evaluation.records import Journal, QuestionOutcome
from core.evaluation.reporting.report import BenchReport
from core.settings import Settings

PRESETS = {"default": Settings(), "k=5": Settings().with_value("retrieval.k", 5)}
OPTIONS = {"token_budgets": (), "answers": False}
MEASURED = QuestionOutcome(
    id="q1",
    scores={"recall@1000": 0.1 + 0.2, "ndcg@10": None},
    contexts={1000: (("a.md", 0, 9), ("ü.md", 3, 4)), 2000: ()},
    documents=("a.md", "ü.md"),
    best={"dense": 0.5},
    ranks={"dense": 3, "kept": 1},
    lost={1000: {"read": 4, "search": 2}},
    milliseconds={"total": 1.5},
    prompt_tokens={1000: 250},
    characters={1000: 990},
)


def begin(workspace, **changes):
    plan = {"suite": "s", "fingerprint": "f" * 64, "presets": PRESETS, "options": OPTIONS, "revision": None}
    return Recording.begin(workspace, RunPlan(**(plan | changes)))


def report(recording):
    return BenchReport("s", "f" * 64, (), (), (1000,), made_at=recording.head.made_at)


def test_the_same_plan_goes_on_and_a_finished_one_begins_anew(tmp_path):
    first = begin(tmp_path)
    first.journals["k=5"].add(MEASURED)
    first.note("k=5", {"encoded": 7})
    again = begin(tmp_path)
    assert again.head == first.head
    assert list(again.journals["k=5"].read()) == [MEASURED]
    assert (again.noted("k=5"), again.noted("default")) == ({"encoded": 7}, {})
    again.finish(report(again))
    (head,) = runs(tmp_path)
    assert head == replace(first.head, finished=True)
    assert load_report(tmp_path, head.folder) == report(first)
    assert load_measured(tmp_path, head.folder, "k=5") == {"q1": MEASURED}
    assert load_measured(tmp_path, head.folder, "default") == {}
    second = begin(tmp_path)
    assert second.head.folder != head.folder
    assert {item.folder for item in runs(tmp_path)} == {head.folder, second.head.folder}


@pytest.mark.parametrize(
    "changes",
    [
        {"suite": "t"},
        {"fingerprint": "e" * 64},
        {"presets": dict(reversed(PRESETS.items()))},
        {"presets": {"default": Settings().with_value("retrieval.k", 6), "k=5": PRESETS["k=5"]}},
        {"options": {"token_budgets": (500,), "answers": False}},
        {"revision": 3},
    ],
)
def test_another_plan_is_another_run(tmp_path, changes):
    assert begin(tmp_path).head.folder != begin(tmp_path, **changes).head.folder


def test_a_run_is_forgotten_and_nothing_else_can_be(tmp_path):
    recording = begin(tmp_path)
    (tmp_path / "runs" / "stray").mkdir()
    (tmp_path / "kept").mkdir()
    for name in ("stray", "../kept", "nothing", ""):
        with pytest.raises(NotFoundError):
            remove_run(tmp_path, name)
    remove_run(tmp_path, recording.head.folder)
    assert not runs(tmp_path)
    assert (tmp_path / "kept").is_dir()
    assert (tmp_path / "runs" / "stray").is_dir()
    with pytest.raises(NotFoundError, match="no report"):
        load_report(tmp_path, recording.head.folder)
    with pytest.raises(NotFoundError, match="There is no run"):
        load_measured(tmp_path, recording.head.folder, "default")


def test_a_run_that_is_being_made_says_by_whom_and_cannot_be_removed(tmp_path):
    recording = begin(tmp_path)
    folder = recording.head.folder
    assert writer_of(tmp_path, folder) == ""
    with recording.writing():
        assert f"process {os.getpid()} on " in writer_of(tmp_path, folder)
        with pytest.raises(LibraryLockedError, match=f"The run .*{folder} is being written by process"):
            remove_run(tmp_path, folder)
        name = (tmp_path / "runs" / folder / "writer.lock").read_bytes()
    assert writer_of(tmp_path, folder) == ""
    (tmp_path / "runs" / folder / "writer.lock").write_bytes(name)
    assert writer_of(tmp_path, folder) == "", "its process was killed"
    remove_run(tmp_path, folder)
    assert not runs(tmp_path)


def test_a_damaged_or_foreign_folder_hides_no_other_run(tmp_path):
    recording = begin(tmp_path)
    for name, text in (("broken-1", ""), ("older-1", '{"suite": "s"}'), (f"{recording.head.folder} (copy)", None)):
        folder = tmp_path / "runs" / name
        folder.mkdir()
        source = (tmp_path / "runs" / recording.head.folder / "head.json").read_text()
        (folder / "head.json").write_text(source if text is None else text)
    assert recording.head in runs(tmp_path)
    assert begin(tmp_path).head == recording.head, "a copy is not gone on with"
    assert begin(tmp_path, presets={}).head.presets == {}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"suite": "s"}'])
def test_a_report_that_cannot_be_read_is_a_sentence(tmp_path, text):
    recording = begin(tmp_path)
    recording.finish(report(recording))
    (tmp_path / "runs" / recording.head.folder / "report.json").write_text(text)
    with pytest.raises(NotFoundError, match="another version"):
        load_report(tmp_path, recording.head.folder)


def test_a_line_that_a_crash_damaged_is_asked_again(tmp_path):
    journal = Journal(tmp_path / "0000.jsonl")
    journal.add(MEASURED)
    with (tmp_path / "0000.jsonl").open("ab") as file:
        file.write(b"\0\0\0\n{}\n")
    journal.add(replace(MEASURED, id="q2"))
    assert [item.id for item in journal.read()] == ["q1", "q2"]


def test_whoever_reads_a_journal_changes_nothing(tmp_path):
    path = tmp_path / "0000.jsonl"
    journal = Journal(path)
    journal.add(MEASURED)
    with path.open("ab") as file:
        file.write(b'{"id": "being writ')
    before = path.read_bytes()
    assert ([item.id for item in Journal(path).read()], Journal(path).count()) == (["q1"], 1)
    assert path.read_bytes() == before
    journal.mend()
    assert path.read_bytes() == before[: before.index(b'{"id": "being')]


@given(cut=st.integers(0, 400))
def test_a_line_that_a_kill_left_unfinished_is_cut_off(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("journal") / "0000.jsonl"
    journal = Journal(path)
    journal.add(MEASURED)
    whole = path.read_bytes()
    journal.add(replace(MEASURED, id="q2"))
    path.write_bytes(path.read_bytes()[: len(whole) + cut])
    ids = [item.id for item in journal.read()]
    assert ids == ["q1", "q2"][: len(ids)]
    assert len(ids) == 1 + (len(whole) <= cut)
    journal.mend()
    journal.add(replace(MEASURED, id="q3"))
    assert [item.id for item in journal.read()] == [*ids, "q3"]


def test_packing_keeps_every_record_and_is_the_same_bytes_each_time(tmp_path):
    packed = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        journal = Journal(tmp_path / name / "0000.jsonl")
        for number in range(50):
            journal.add(replace(MEASURED, id=str(number)))
        journal.pack()
        journal.pack()
        assert [item.id for item in journal.read()] == [str(number) for number in range(50)]
        (path,) = (tmp_path / name).iterdir()
        packed.append(path.read_bytes())
    assert packed[0] == packed[1]
    assert len(packed[0]) < 50 * len(MEASURED.to_json()) / 10


def test_a_record_survives_json():
    assert QuestionOutcome.from_json(MEASURED.to_json()) == MEASURED
    assert json.loads(MEASURED.to_json())["contexts"]["1000"] == [["a.md", 0, 9], ["ü.md", 3, 4]]
