"""The re-ranker taught by judgments: a better one is kept and can be asked, one that is no better is gone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from core.embedding import calibration
from core.errors import CancelledError, LecternError
from core.evaluation.exchange.judged import judged_questions
from core.library import Library
from core.refitting import tuning
from core.refitting.gains import GAIN
from core.refitting.listwise import Plan
from core.refitting.splitting import question_hash
from core.refitting.taught_rerankers import FOLDER, choose, seen_by
from core.refitting.tuning import LEAST_JUDGMENTS, default_plan, tune
from core.search import ordering
from core.search.ranking.rerankers import load_reranker
from core.settings import PACKAGED_RERANKER, RerankingSettings, Settings
from tests.fast_encoder import FastEncoder
from tests.refitting import worlds
from tests.refitting.worlds import Contrarian

PLAN = Plan(steps=2, questions=2, passages=3, max_tokens=64, rate=1e-6)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    place = tmp_path_factory.mktemp("tuning")
    with Library.open(place / "home", encoder=FastEncoder()) as opened:
        worlds.build(place / "documents", opened)
        yield opened


@pytest.fixture
def enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few judgments as a test has are enough."""
    monkeypatch.setattr(tuning, "LEAST_JUDGMENTS", 30)


def asking(model: str) -> Settings:
    return worlds.HIDDEN.with_values(
        {
            "retrieval.neighbour_share": 0.2,
            "reranking.model": model,
            "reranking.candidates": 5,
            "reranking.blend": 1,
            "reranking.neighbour_share": 0,
            "reranking.timeout_seconds": 0,
            "reranking.precision": "float32",
        }
    )


def left(library: Library) -> list[str]:
    folder = library.home / FOLDER
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.model
@pytest.mark.usefixtures("enough")
def test_a_better_one_is_kept_and_one_that_is_no_better_is_gone(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(settings: RerankingSettings):
        return Contrarian() if settings.model == "contrarian" else load_reranker(settings)

    monkeypatch.setattr(ordering, "load_reranker", loaded)
    judged = judged_questions(library)
    told: list[tuple[str, float]] = []
    better = tune(library, judged, asking("contrarian"), lambda what, share: told.append((what, share)), PLAN)
    assert better.gain.verdict == GAIN
    assert better.folder is not None
    assert left(library) == [better.folder.name]
    assert [share for _, share in told] == sorted(share for _, share in told)
    assert {"searching", "learning", "calibrating", "trying on the others"} < {what for what, _ in told}
    ranking = library.searcher.rank(judged.exchange.questions[0].question, asking(str(better.folder)))
    assert "reranked" in ranking.scores
    assert calibration.of_folder(better.folder) is not None
    assert ranking.probabilities is not None  # thresholds may ask the taught one as they ask Lectern's own
    likely = ranking.probabilities[ranking.kept[:5]]
    assert ((likely > 0) & (likely < 1)).all()
    seen = seen_by(str(better.folder))
    assert seen.taught | seen.kept_out == {question_hash(question) for question in judged.exchange.questions}
    assert (len(seen.taught), len(seen.kept_out)) == (better.trained, better.held_out)
    # Taught by the same judgments once more it would be the same, and must not be removed for being no better.
    with pytest.raises(LecternError, match="has learnt from these judgments already"):
        tune(library, judged, asking(str(better.folder)), plan=PLAN)
    choose(library, str(better.folder))
    # Against the weights it began from, two tiny steps show no gain: what was made goes, and what is chosen stays.
    same = tune(library, judged, asking(PACKAGED_RERANKER), plan=PLAN)
    assert (same.gain.verdict != GAIN, same.folder, left(library)) == (True, None, [better.folder.name])
    assert "reranked" in library.searcher.rank("What?", asking(str(better.folder))).scores
    choose(library, PACKAGED_RERANKER)
    shutil.rmtree(better.folder)


@pytest.mark.model
@pytest.mark.usefixtures("enough")
@pytest.mark.long  # of learning alone: test_listwise
def test_it_is_stopped_while_it_learns_and_leaves_no_model(library: Library) -> None:
    def watch(what: str, share: float) -> None:
        if what == stop:
            raise CancelledError("This was stopped.")

    def begun() -> list[str]:
        with pytest.raises(CancelledError):
            tune(library, judged_questions(library), asking(PACKAGED_RERANKER), watch, PLAN)
        assert {name.partition(".")[2] for name in left(library)} <= {"learning", "part"}
        return left(library)

    stop = "learning"
    (library.home / FOLDER / f"{'0' * 16}.learning").mkdir(parents=True)  # of other judgments
    assert begun() == []
    stop = "calibrating"
    first = begun()
    assert [name.partition(".")[2] for name in first] == ["learning", "part"]
    written = library.home / FOLDER / first[0] / "checkpoint.pt"
    when = written.stat().st_mtime_ns
    assert begun() == first
    assert written.stat().st_mtime_ns == when  # gone on from: no step was made again
    more = [library.judge(f"One of {row.name}?", row.version_id, 0, 60) for row in library.sources()]
    second = begun()
    library.remove_judgments(more)
    assert (len(second), set(first) & set(second)) == (2, set())


def test_too_few_judgments_and_no_reranker_are_told(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LecternError, match=rf"36 judged .* at least {LEAST_JUDGMENTS}.* Judge 164 more"):
        tune(library, judged_questions(library), asking(PACKAGED_RERANKER))
    monkeypatch.setattr(tuning, "LEAST_JUDGMENTS", 30)
    with pytest.raises(LecternError, match="No re-ranker is on"):
        tune(library, judged_questions(library), Settings())


def test_lists_hold_one_answer_first_and_the_nearest_of_the_others_most_often() -> None:
    taught = tuning._TrainingQuestion("Who?", ("a", "b"), tuple(str(number) for number in range(20)))
    drawn = [taught.listed(5, tuning.draw(0, step)) for step in range(400)]
    assert {one.passages[0] for one in drawn} == {"a", "b"}
    assert all(len(set(one.passages)) == 5 for one in drawn)
    counts = [sum(str(number) in one.passages for one in drawn) for number in range(20)]
    assert sum(counts[:5]) > 1.5 * sum(counts[-5:])
    assert default_plan(30).steps < default_plan(300).steps
