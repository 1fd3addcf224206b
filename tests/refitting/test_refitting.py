"""Dials fitted to judgments: a gain that is there is found and can be applied, one that is not is never applied."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.cli.main import main
from core.errors import CancelledError, LecternError, ModelError
from core.evaluation.bench_plan import BenchOptions
from core.evaluation.exchange.judged import Judged, judged_questions
from core.evaluation.measuring import BUDGETS, Measuring
from core.evaluation.reporting.report import BenchDocument
from core.evaluation.statistics import Comparison
from core.evaluation.suites import Question, Suite, SuiteDocument
from core.library import Incoming, Library
from core.refitting import fitting
from core.refitting.fitting import LEAST_QUESTIONS, fittable, refit
from core.refitting.gains import GAIN, LOSS, NO_GAIN, UNCHANGED, Gain, Refitted
from core.refitting.scoring import Scorer
from core.refitting.splitting import Seen, Split, checked_split, split
from core.refitting.taught_rerankers import write_seen
from core.search import ordering
from core.settings import RerankingSettings, Settings, carefully
from tests.fast_encoder import FastEncoder
from tests.refitting import worlds
from tests.refitting.worlds import Contrarian, Indifferent


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a library whose share of neighbours hides its gold."""
    place = tmp_path_factory.mktemp("refitting")
    with Library.open(place / "home", encoder=FastEncoder()) as library:
        worlds.build(place / "documents", library)
    return place / "home"


@pytest.fixture(scope="module")
def library(world: Path) -> Iterator[Library]:
    """It, opened to read."""
    with Library.open(world, write=False, encoder=FastEncoder()) as opened:
        yield opened


@pytest.fixture(scope="module")
def found(library: Library) -> Refitted:
    return refit(library, judged_questions(library))


def made(low: float, high: float, verdict: str) -> Refitted:
    """As it might have come out."""
    p = 0.01 if verdict != "no difference seen" else 0.4
    whole = Comparison((low + high) / 2, low, high, verdict, 20, p, p)
    after = Settings().with_value("retrieval.parent_share", 0.25)
    return Refitted(Settings(), after, Gain(whole, {}, 50.0, 50.0), 20, 20, "document", 3.0, 0, 1.0)


def test_a_gain_that_is_there_is_found_and_holds_on_the_other_half(found: Refitted) -> None:
    assert found.verdict == GAIN
    assert found.gain is not None
    assert found.gain.whole.low > 0
    assert found.gain.after > found.gain.before
    assert (found.trained, found.held_out, found.by, found.left_out) == (18, 18, "document", 0)
    assert found.changes
    assert "recall rises by" in found.sentence
    assert found.onto(Settings()) == Settings().with_values({name: new for name, (_, new) in found.changes.items()})


def test_the_same_judgments_give_the_same(library: Library, found: Refitted) -> None:
    again = refit(library, judged_questions(library))
    assert replace(again, seconds=found.seconds) == found


@pytest.mark.parametrize("seed", [0, *(pytest.param(more, marks=pytest.mark.long) for more in (1, 2, 3))])
def test_on_meaningless_judgments_there_is_no_gain_and_nothing_to_apply(library: Library, seed: int) -> None:
    nothing = refit(library, worlds.permuted(library, seed))
    assert nothing.verdict in (NO_GAIN, LOSS, UNCHANGED)
    with pytest.raises(LecternError):
        nothing.onto(library.settings)


def test_recall_is_what_a_bench_measures(library: Library) -> None:
    """The same code path is not taken for granted: suites, names and regions are the bench's own here."""
    judged = judged_questions(library)
    versions = {name: version for version, name in judged.names.items()}
    texts = {name: library.document(version).text for name, version in versions.items()}
    suite = Suite(
        "judged",
        Path(),
        tuple(SuiteDocument(name, None, text, versions[name]) for name, text in texts.items()),
        judged.exchange.questions,
    )
    documents = {name: BenchDocument(name, versions[name], "text", len(text)) for name, text in texts.items()}
    measuring, scorer = Measuring(library, suite, documents, BenchOptions()), Scorer(library.searcher, judged)
    for question in judged.exchange.questions[:4]:
        scores = measuring.ask(question, {"present": library.settings})["present"].scores
        asked = scorer.ask(question, library.settings)
        exact = scorer.recalls(asked, library.settings)
        assert exact.tolist() == [scores[f"recall@{budget}"] for budget in BUDGETS]
        assert scorer.estimate(asked, library.settings) == pytest.approx(float(exact.mean()), abs=0.1)


@pytest.mark.parametrize("weight", [0.0, 0.6])
def test_one_search_serves_settings_with_and_without_coverage(library: Library, weight: float) -> None:
    judged = judged_questions(library)
    asked = Scorer(library.searcher, judged).ask(judged.exchange.questions[0], library.settings)
    settings = library.settings.with_value("retrieval.coverage_weight", weight)
    shared = library.searcher.order(asked.found, settings)
    alone = library.searcher.rank(asked.question.question, settings)
    assert shared.kept.tolist() == alone.kept.tolist()
    assert np.array_equal(shared.final, alone.final)


@pytest.mark.parametrize("limit", [pytest.param(0.0, marks=pytest.mark.long), 1e-6])
def test_with_a_reranker_its_share_is_fitted_too_and_its_time_limit_reads_nothing_anew(
    library: Library, monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    model = Contrarian()
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: model)
    present = library.settings.with_values(
        {
            "reranking.model": f"contrarian within {limit}",
            "reranking.blend": 0.8,
            "reranking.neighbour_share": 0,
            "reranking.batch_size": 1,
            "reranking.timeout_seconds": limit,
            "retrieval.neighbour_share": 0.1,
        }
    )
    fitted = refit(library, judged_questions(library), present)
    assert fitted.verdict == GAIN
    assert fitted.changes["reranking.blend"][1] <= 0.4
    assert {one.reranking.timeout_seconds for one in (fitted.before, fitted.after, fitted.onto(present))} == {limit}
    questions = fitted.trained + fitted.held_out
    assert model.read <= 2 * questions * present.reranking.candidates  # ten blends cost no more than one


@pytest.mark.parametrize("seed", [None, *(pytest.param(more, marks=pytest.mark.long) for more in (0, 1, 2))])
def test_the_share_under_careful_is_fitted_by_itself_and_applied_only_where_it_gains(
    library: Library, monkeypatch: pytest.MonkeyPatch, seed: int | None
) -> None:
    model = Contrarian()
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: model)
    judged = judged_questions(library) if seed is None else worlds.permuted(library, seed)
    # The re-ranker is off, as always under Quick, and what share it has under Careful is the library's own.
    present = library.settings.with_values({"retrieval.neighbour_share": 0.1, "reranking.blend": 0.8})
    both = refit(library, judged, present, careful=f"contrarian {seed}")
    assert both.careful is not None
    assert (both.careful.before.reranking.blend, model.read > 0) == (0.8, True)
    if seed is None:
        assert (both.careful.verdict, "reranking.blend" in both.gains) == (GAIN, True)
        assert both.careful.trained == both.trained
        share = both.careful.after.reranking.blend
        assert share <= 0.5
        assert f"Careful, its re-ranker's share {share:g} instead of 0.8: on the" in both.careful_sentence
        applied = both.onto(present)
        assert applied.reranking == replace(present.reranking, blend=share)
        assert carefully(applied).reranking.blend == share
    else:
        assert both.careful.verdict != GAIN
        assert not both.gains
        with pytest.raises(LecternError):
            both.onto(library.settings)


def test_where_no_share_promises_a_gain_the_half_kept_out_is_not_read(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Indifferent()
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: model)
    both = refit(library, judged_questions(library), careful="indifferent")
    assert both.careful is not None
    assert (both.careful.verdict, both.careful.trained) == (UNCHANGED, both.trained)
    assert both.careful_sentence.startswith("Careful: nothing clearly better")
    assert f"on the {both.trained} questions that were fitted to" in both.careful_sentence
    assert 0 < model.read <= both.trained * carefully(library.settings).reranking.candidates


def test_where_a_reranker_is_on_careful_is_not_fitted_apart_and_one_that_cannot_be_asked_is_told(
    library: Library, found: Refitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(settings: RerankingSettings) -> Contrarian:
        raise ModelError("It is not here.", "Fetch it.")

    monkeypatch.setattr(ordering, "load_reranker", none)
    both = refit(library, judged_questions(library), careful="gone")
    assert both.careful is not None
    assert (both.careful.verdict, both.gains) == (UNCHANGED, found.changes)
    assert "could not be asked" in both.careful_sentence
    assert "It is not here." in both.careful_sentence
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: Contrarian())
    on = library.settings.with_values({"reranking.model": "on", "reranking.candidates": 3})
    assert refit(library, judged_questions(library), on, careful="gone").careful is None


def test_too_few_judgments_are_told_with_how_many_are_missing(library: Library) -> None:
    judged = judged_questions(library)
    few = replace(judged, exchange=replace(judged.exchange, questions=judged.exchange.questions[:12]))
    with pytest.raises(LecternError, match=rf"12 judged questions with an answer.* {LEAST_QUESTIONS}.* Judge 18 more"):
        refit(library, few)


def test_questions_without_gold_are_not_fitted_to(library: Library) -> None:
    judged: Judged = judged_questions(library)
    bare = tuple(replace(question, gold=()) for question in judged.exchange.questions)
    assert fittable(replace(judged, exchange=replace(judged.exchange, questions=bare))) == ()


@pytest.mark.long
def test_what_a_reranker_was_taught_by_is_never_kept_out(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: Contrarian())
    judged, dealt = judged_questions(library), []

    def watched(questions: Sequence[Question], seen: Seen, most: int) -> Split:
        dealt.append(checked_split(questions, seen, most))
        return dealt[-1]

    monkeypatch.setattr(fitting, "checked_split", watched)
    usual = split(fittable(judged))
    write_seen(Split(usual.held_out, usual.training, usual.by), tmp_path)
    on = library.settings.with_values({"reranking.model": str(tmp_path), "reranking.candidates": 3})
    for settings, careful in ((library.settings, str(tmp_path)), (on, "")):
        refit(library, judged, settings, careful=careful)
        assert (dealt[-1].training, dealt[-1].held_out) == (usual.held_out, usual.training)
    refit(library, judged)
    assert dealt[-1] == usual


def recut(library: Library, folder: Path) -> None:
    library.apply(library.settings.with_value("chunking.max_tokens", 40))


def throw_away(library: Library, folder: Path) -> None:
    library.trash([row.id for row in library.sources()[:2]])


def add(library: Library, folder: Path) -> None:
    (folder / "new.txt").write_text("Nobody asked for this. " * 40, encoding="utf-8")
    library.ingest([Incoming("new.txt", folder / "new.txt")])


@pytest.mark.parametrize(
    ("act", "phase", "ends"),
    [
        pytest.param(recut, "searching", False, marks=pytest.mark.long),
        pytest.param(recut, "turning dials", False, marks=pytest.mark.long),
        pytest.param(throw_away, "searching the others", False, marks=pytest.mark.long),
        (throw_away, "trying on the others", False),
        (add, "searching the others", True),
    ],
)
def test_a_library_that_is_cut_otherwise_meanwhile_ends_it_with_a_sentence(
    world: Path, tmp_path: Path, act: Callable[[Library, Path], None], phase: str, ends: bool
) -> None:
    shutil.copytree(world, tmp_path / "home")
    done: list[str] = []
    with Library.open(tmp_path / "home", encoder=FastEncoder()) as library:

        def watch(what: str, share: float) -> None:
            if what == phase and not done:
                done.append(what)
                act(library, tmp_path)

        if ends:
            assert refit(library, judged_questions(library), watch=watch).verdict == GAIN
        else:
            with pytest.raises(LecternError, match="The library was cut otherwise while its dials were fitted"):
                refit(library, judged_questions(library), watch=watch)
    assert done


@pytest.mark.parametrize("at", [0.3, 0.9])
def test_it_is_stopped_wherever_it_is(library: Library, at: float) -> None:
    shares: list[float] = []

    def watch(what: str, share: float) -> None:
        assert what
        shares.append(share)
        if share >= at:
            raise CancelledError("This was stopped.")

    with pytest.raises(CancelledError):
        refit(library, judged_questions(library), watch=watch)
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    ("low", "high", "test", "verdict", "words"),
    [
        (0.4, 3.0, "better", GAIN, "rises by 1.7 points"),
        (0.4, 3.0, "no difference seen", NO_GAIN, "no gain is shown: +1.7"),
        (-0.2, 3.0, "better", NO_GAIN, "−0.2 to +3.0"),
        (-3.0, -0.4, "worse", LOSS, "falls by 1.7 points"),
    ],
)
def test_only_what_interval_and_test_agree_on_is_a_gain(low, high, test, verdict, words) -> None:
    refitted = made(low, high, test)
    assert (refitted.verdict, words in refitted.sentence) == (verdict, True)
    if verdict == GAIN:
        assert refitted.onto(Settings()).retrieval.parent_share == 0.25
    else:
        with pytest.raises(LecternError, match="points"):
            refitted.onto(Settings())


def test_the_command_says_what_it_found_and_applies_only_a_gain(
    world: Path, tmp_path: Path, capsys, monkeypatch
) -> None:
    opened = Library.open
    monkeypatch.setattr(Library, "open", lambda home, *, write=True: opened(home, write=write, encoder=FastEncoder()))
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: Contrarian())
    home = tmp_path / "home"
    shutil.copytree(world, home)

    def run(*arguments: str):
        code = main(["refit", "--library", str(home), "--json", *arguments])
        written = capsys.readouterr()
        return code, json.loads(written.out) if written.out else None, written.err

    code, told, _ = run()
    assert (code, told["verdict"], told["applied"]) == (0, GAIN, False)
    assert set(told) == {
        *("verdict", "sentence", "changes", "questions", "split_by", "gain", "before", "after", "applied", "seconds"),
        "careful",
    }
    assert set(told["careful"]) == {"verdict", "sentence", "changes", "gain", "before", "after"}
    assert set(told["gain"]) == {"recall", *(f"recall@{budget}" for budget in BUDGETS)}
    with opened(home, write=False, encoder=FastEncoder()) as library:
        assert library.settings == worlds.HIDDEN
    code, told, _ = run("--apply")
    assert (code, told["applied"]) == (0, True)
    with opened(home, encoder=FastEncoder()) as library:
        share = told["careful"]["changes"] if told["careful"]["verdict"] == GAIN else {}
        fitted = {name: new for name, (_, new) in (told["changes"] | share).items()}
        assert library.settings == worlds.HIDDEN.with_values(fitted)
        rows = library.judgments()
        assert library.stats().pending == 0
        dealt = list(rows)
        random.Random(1).shuffle(dealt)
        library.remove_judgments([row.id for row in rows])
        library.add_judgments(
            [replace(row.judgment, question=other.judgment.question) for row, other in zip(rows, dealt, strict=True)]
        )
        before = library.settings
    code, told, _ = run("--apply")
    assert (code, told["applied"]) == (1, False)
    with opened(home, encoder=FastEncoder()) as library:
        assert library.settings == before
        library.remove_judgments([row.id for row in library.judgments()[5:]])
    code, told, error = run()
    assert (code, told) == (2, None)
    assert "5 judged questions with an answer" in error
