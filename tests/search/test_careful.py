"""Careful, the way a person has it: on the command line, in a bench, on the Ask page, and chosen on Settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.cli.main import main
from core.library import Library
from core.search.ordering import UNLEARNED_LETTERS
from core.settings import PACKAGED_RERANKER, PRESETS, Settings
from pages.ui.ask.dials import sidebar
from pages.ui.settings import rerankers
from pages.ui.shared import state
from tests.conftest import ROOT
from tests.pages.apps import said, start
from tests.pages.browsing import until

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("quick_embedder")]  # it is the re-ranker that reads

SAMPLES = ROOT / "data" / "samples" / "documents"
QUESTION = "How long is an access token valid?"
CAREFUL = PRESETS["careful"].reranking


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of some samples; not to be changed."""
    place = tmp_path_factory.mktemp("careful") / "home"
    names = ("api.md", "handbook.md", "troubleshooting.txt")
    assert main(["ingest", *(str(SAMPLES / name) for name in names), "--library", str(place), "--json"]) == 0
    return place


@pytest.fixture
def opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The library as the one that the app opens; let go of afterwards, its preferences forgotten."""
    from pages.ui.shared import services

    monkeypatch.setenv("LECTERN_HOME", str(home))
    yield home
    services._desk.clear()
    with Library.open(home) as library:
        library.set_preference(rerankers.CHOSEN, "")


def query(capsys: pytest.CaptureFixture[str], home: Path, *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["query", QUESTION, "--library", str(home), "--json", *more]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def places(found: dict[str, Any]) -> list[str]:
    return [hit["chunk_id"] for hit in found["hits"]]


def test_query_has_the_best_read_again_and_the_others_follow(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    quick, careful = query(capsys, home), query(capsys, home, "--preset", "careful")
    count = CAREFUL.candidates
    assert "reranked" not in quick["timings_ms"]
    assert careful["timings_ms"]["reranked"] > 0
    assert sorted(places(careful)[:count]) == sorted(places(quick)[:count])
    assert places(careful)[count:] == places(quick)[count:]
    scores = [hit["scores"]["reranked"] for hit in careful["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert places(query(capsys, home, "--preset", "careful")) == places(careful)


def test_a_question_in_letters_it_never_learned_keeps_the_order(home: Path) -> None:
    with Library.open(home, write=False) as library:
        asked = "Сколько действует access token?"
        quick = library.search(asked, Settings())
        careful = library.search(asked, PRESETS["careful"])
    assert [hit.chunk_id for hit in careful.hits] == [hit.chunk_id for hit in quick.hits] != []
    assert careful.context.passages == quick.context.passages
    assert UNLEARNED_LETTERS in careful.notes
    assert UNLEARNED_LETTERS not in quick.notes


def test_a_time_limit_stops_it_after_a_batch_and_says_so(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    found = query(capsys, home, "--preset", "careful", "--set", "reranking.timeout_seconds=0.0001")
    read = min(CAREFUL.batch_size, CAREFUL.candidates)
    assert f"Time limit of 0.0001 s: {read} of {CAREFUL.candidates} re-ranked." in found["notes"]


def test_what_it_says_is_a_probability_where_thresholds_ask_for_one(home: Path) -> None:
    dials = {"expansion.strategy": "neighbours", "assembly.unit": "passages"}  # of sentences another reason is told
    doubting = PRESETS["careful"].with_values({**dials, "reranking.timeout_seconds": 0})
    with Library.open(home, write=False) as library:
        ranking = library.searcher.rank(QUESTION, doubting)
        assert ranking.probabilities is not None
        likely = ranking.probabilities[ranking.kept]
        read = likely[likely == likely]
        assert len(read) == CAREFUL.candidates
        assert ((read >= 0) & (read <= 1)).all()
        result = library.search(QUESTION, doubting)
        assert result.likely == ranking.likeliest == read.max()
        trusted = library.search(QUESTION, doubting.with_value("expansion.confidence", 0.0))
        doubted = library.search(QUESTION, doubting.with_value("expansion.confidence", 1.0))
        assert all("is enough" in passage.reason for passage in trusted.passages)
        assert not any("is enough" in passage.reason for passage in doubted.passages)
        assert library.search(QUESTION, Settings()).likely is None


def ask_carefully() -> AppTest:
    """The Ask page under Careful after a question, when the order has come."""
    app = start("ask")
    app.segmented_control(key=state.PROFILE).set_value(sidebar.CAREFUL).run()
    app.text_input(key=state.QUESTION).set_value(QUESTION)
    app.button[0].click().run()
    assert not app.exception
    task = app.session_state[state.TASKS]["reranking"]
    until(lambda: task.over)
    app.run()
    assert not app.exception
    return app


@pytest.mark.usefixtures("opened")
def test_on_ask_the_order_follows_and_its_time_is_told() -> None:
    app = ask_carefully()
    assert app.selectbox(key="ask.reranking.model").value == PACKAGED_RERANKER
    assert app.slider(key="ask.reranking.candidates").value == CAREFUL.candidates
    assert f"The best chunks, at most {CAREFUL.candidates}, were read again in" in said(app)
    app.segmented_control(key=state.PROFILE).set_value(sidebar.QUICK).run()
    assert app.selectbox(key="ask.reranking.model").value == ""
    assert "were read again" not in said(app)
    assert not app.exception


def test_what_the_reranker_marked_stands_where_the_document_has_it_and_its_sentence_comes_first(home: Path) -> None:
    with Library.open(home, write=False) as library:
        searcher, careful = library.searcher, PRESETS["careful"].with_value("reranking.timeout_seconds", 0)
        ranking = searcher.rank(QUESTION, careful)
        leaves, told = ranking.leaves, []
        assert 0 < len(ranking.marks) <= CAREFUL.candidates
        for leaf, marks in ranking.marks.items():
            text = searcher.text(leaves.version_ids[leaves.documents[leaf]])
            assert (marks.starts >= leaves.starts[leaf]).all()
            assert (marks.ends <= leaves.ends[leaf]).all()
            words = [text[start:end] for start, end in zip(marks.starts, marks.ends, strict=True)]
            assert all(word and not word[0].isspace() and not word[-1].isspace() for word in words)
            best = marks.best()
            told.append((best.score, text[best.start : best.end]) if best else (-99.0, ""))
        answer = max(told)[1]
        assert answer in ("15 minutes", "3600 seconds")  # the samples contradict themselves
        context, _ = searcher.assemble(ranking, careful, 200)
        first = min(context.passages, key=lambda passage: passage.rank)
        assert answer in first.text
        unmarked = searcher.rank(QUESTION, careful.with_value("reranking.model", ""))
        assert not unmarked.marks
