"""Taught re-rankers in a library's folder: found after it moved, taken, given back, told by what they saw, gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import ModelError
from core.evaluation.suites import GoldSpan, Question
from core.ingest.reporting import Reporter
from core.library import Library
from core.refitting.splitting import NOTHING, Seen, Split, question_hash
from core.refitting.taught_rerankers import (
    BEFORE,
    FILE,
    FOLDER,
    KIND,
    careful_model,
    choose,
    drop,
    give_back,
    seen_by,
    stored_name,
    sweep,
    take,
    work_folder,
    write_seen,
)
from core.settings import CAREFUL_MODEL, PACKAGED_RERANKER
from core.storage.catalogue.job_rows import NewItem
from tests.fast_encoder import FastEncoder

USUAL = "cross-encoder/ms-marco-MiniLM-L6-v2"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "home", encoder=FastEncoder()) as opened:
        yield opened


def model(library: Library, digit: str) -> Path:
    """A folder as a taught model's."""
    folder = library.home / FOLDER / (digit * 16)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    return folder


@pytest.mark.parametrize("kept_whole", [False, True])
def test_it_is_found_after_the_library_was_moved(tmp_path: Path, kept_whole: bool) -> None:
    with Library.open(tmp_path / "home", encoder=FastEncoder()) as library:
        folder = model(library, "a")
        if kept_whole:  # as it was kept once
            library.set_preference(CAREFUL_MODEL, str(folder))
        else:
            choose(library, str(folder))
        assert careful_model(library) == str(folder)
    (tmp_path / "home").rename(tmp_path / "moved")
    with Library.open(tmp_path / "moved", encoder=FastEncoder()) as library:
        assert careful_model(library) == str(tmp_path / "moved" / FOLDER / folder.name)


def test_what_does_not_lie_in_the_library_is_kept_as_it_was_given(library: Library, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for name in (USUAL, str(tmp_path / "mine"), "~/nowhere/mine", "/gone/rerankers/mine"):
        choose(library, name)
        assert (library.preference(CAREFUL_MODEL), careful_model(library)) == (name, name)
    choose(library, PACKAGED_RERANKER)
    assert (library.preference(CAREFUL_MODEL), careful_model(library)) == ("", PACKAGED_RERANKER)


@pytest.mark.parametrize("before", [PACKAGED_RERANKER, USUAL, "taught"])
def test_giving_back_goes_to_what_was_chosen_before(library: Library, before: str) -> None:
    before = str(model(library, "b")) if before == "taught" else before
    choose(library, before)
    taken = str(model(library, "a"))
    take(library, taken)
    take(library, taken)  # pressed twice
    assert careful_model(library) == taken
    give_back(library)
    assert (careful_model(library), library.preference(BEFORE)) == (before, "")


def test_what_it_saw_lies_beside_the_weights(tmp_path: Path) -> None:
    questions = [Question(str(number), f"What of {number}?", (GoldSpan("a.md", 0, 9),)) for number in range(4)]
    write_seen(Split(tuple(questions[:3]), tuple(questions[3:]), "document"), tmp_path)
    known = [question_hash(question) for question in questions]
    assert seen_by(str(tmp_path)) == Seen(frozenset(known[:3]), frozenset(known[3:]))
    assert [seen_by(name) for name in ("", PACKAGED_RERANKER, USUAL, str(tmp_path / "none"))] == [NOTHING] * 4
    for damaged in ("{", "[]", "{}"):
        (tmp_path / FILE).write_text(damaged)
        with pytest.raises(ModelError, match="What the re-ranker was taught by cannot be read"):
            seen_by(str(tmp_path))


def left(library: Library) -> set[str]:
    return {path.name for path in (library.home / FOLDER).iterdir()}


def test_what_other_teachings_left_goes_and_what_is_used_or_gone_on_from_stays(library: Library) -> None:
    chosen, before, came, present, nobody = (model(library, digit) for digit in "01234")
    choose(library, str(before))
    take(library, str(chosen))

    def handle(job: object, reporter: Reporter) -> None:
        for item in reporter.items():
            reporter.result({"folder": stored_name(library.home, str(came))})
            reporter.finish_item(item.id)

    library.queue.enqueue(KIND, {}, [NewItem("Your judgments")])
    assert library.queue.run_next({KIND: handle})
    place = library.home / FOLDER / ("a" * 16)
    unfinished = place.with_name(f"{place.name}.part")
    others = [path.with_name(path.name + end) for path in (chosen, nobody) for end in (".learning", ".part")]
    for folder in (work_folder(place), unfinished, *others, library.home / FOLDER / "my own"):
        folder.mkdir()
    sweep(library, place, str(present))
    assert left(library) == {*(path.name for path in (chosen, before, came, present, work_folder(place))), "my own"}
    drop(library, [str(chosen), str(before), str(came)])
    assert left(library) == {*(path.name for path in (chosen, before, present, work_folder(place))), "my own"}
    sweep(library, library.home / "nowhere" / ("b" * 16), "")  # where nothing was ever taught
