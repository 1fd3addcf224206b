"""Fitting to judgments on the Benchmark page: what it takes, what it shows, applied, undone, discarded, stopped."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import LecternError
from core.evaluation.planning import EarlierBenches
from core.evaluation.statistics import Comparison
from core.library import Library
from core.refitting import tuning
from core.refitting.gains import Gain, Refitted
from core.refitting.tuning import Tuned
from core.search import ordering
from core.settings import Settings, carefully
from pages.ui.ask.dials import sidebar
from pages.ui.benchmark import refit as bench_refit
from pages.ui.benchmark import tune as bench_tune
from pages.ui.settings import rerankers
from pages.ui.shared import background, services
from tests.fast_encoder import FastEncoder
from tests.pages.apps import plain, start
from tests.pages.browsing import until
from tests.refitting import worlds
from tests.refitting.worlds import Contrarian

FITTED = worlds.HIDDEN.with_values({"retrieval.neighbour_share": 0.2, "retrieval.parent_share": 0.25})


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library in which a fit gains."""
    place = tmp_path_factory.mktemp("refit-page")
    with Library.open(place / "home", encoder=FastEncoder()) as library:
        worlds.build(place / "documents", library)
    return place / "home"


@pytest.fixture
def home(world: Path, empty_home: Path, without_model: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, which the app opens without a model."""
    shutil.copytree(world, empty_home)
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: Contrarian())
    return empty_home


def compared(low: float, high: float, verdict: str) -> Comparison:
    p = 0.01 if verdict == "better" else 0.4
    return Comparison((low + high) / 2, low, high, verdict, 18, p, p)


def outcome(low: float, high: float, verdict: str, after: Settings = FITTED) -> Refitted:
    gain = Gain(compared(low, high, verdict), {1000: compared(low - 1, high + 1, "no difference seen")}, 61.0, 64.0)
    return Refitted(worlds.HIDDEN, after, gain, 18, 18, "document", 4.2, 0, 1.0)


def with_share(found: Refitted, low: float, high: float, verdict: str) -> Refitted:
    """The same, and Careful's share fitted from 0.4 to 0.2."""
    asking = carefully(worlds.HIDDEN)
    fitted = asking.with_value("reranking.blend", 0.2)
    return replace(found, careful=replace(outcome(low, high, verdict, fitted), before=asking))


def fitting(monkeypatch: pytest.MonkeyPatch, found: Refitted) -> None:
    """A fit comes out so, at once."""
    monkeypatch.setattr(bench_refit, "refit", lambda library, judged, settings, watch, careful: found)


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button if (button.key or "").startswith("benchmark.refit")]


def fit(app: AppTest) -> AppTest:
    """Press Fit and wait until it is over."""
    app.button(key="benchmark.refit").click().run()
    until(lambda: not any("Fitting" in str(item.proto.text) for item in app.run().get("progress")))
    return app


def press(app: AppTest, key: str) -> AppTest:
    """Press a button that has the settings applied, and wait until they are."""
    app.button(key=key).click().run()
    until(lambda: not background.active_jobs("apply"))
    return app.run()


@pytest.mark.usefixtures("home")
def test_a_gain_is_shown_applied_and_undone() -> None:
    app = fit(start("benchmark"))
    assert "On the 18 questions kept out of the fit, recall rises by" in plain(app)
    assert "Fitted to 18 questions, tried on 18 others; no document has answers in both halves." in plain(app)
    assert labels(app) == ["Fit again", "Apply", "Discard"]
    dials = app.table[0].value
    assert all(name.startswith("Find · ") for name in dials["Dial"])
    assert (dials["Before"] != dials["Fitted"]).all()
    library = services.library()
    assert library.settings == worlds.HIDDEN
    press(app, "benchmark.refit.apply")
    fitted = library.settings
    assert fitted != worlds.HIDDEN
    assert "These are the library's settings now" in plain(app)
    assert labels(app) == ["Fit again", "Undo", "Close"]
    press(app, "benchmark.refit.undo")
    assert library.settings == worlds.HIDDEN
    assert labels(app) == ["Fit again", "Apply", "Discard"]
    app.button(key="benchmark.refit.discard").click().run()
    assert labels(app) == ["Fit"]
    assert library.settings == worlds.HIDDEN


@pytest.mark.usefixtures("home")
def test_a_fit_outlasts_a_reload_while_it_runs_and_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = Event(), Event()

    def slowly(library: Library, judged: object, settings: Settings, watch: object, careful: str) -> Refitted:
        begun.set()
        go.wait(60)
        return outcome(0.5, 2.0, "better")

    monkeypatch.setattr(bench_refit, "refit", slowly)
    start("benchmark").button(key="benchmark.refit").click().run()
    assert begun.wait(60)
    reloaded = start("benchmark")
    assert any("Fitting" in str(item.proto.text) for item in reloaded.get("progress"))
    assert reloaded.button(key="benchmark.refit").disabled
    go.set()
    until(lambda: not any("Fitting" in str(item.proto.text) for item in reloaded.run().get("progress")))
    assert labels(reloaded) == ["Fit again", "Apply", "Discard"]
    assert labels(start("benchmark")) == ["Fit again", "Apply", "Discard"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("found", "words"),
    [
        (outcome(-0.4, 2.0, "no difference seen"), "no gain is shown: +0.8 points"),
        (outcome(-3.0, -0.5, "worse"), "recall falls by 1.8 points"),
        (replace(outcome(0, 0, ""), after=worlds.HIDDEN, gain=None), "Nothing clearly better than the present dials"),
    ],
)
def test_what_is_not_shown_to_be_better_cannot_be_applied(
    found: Refitted, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting(monkeypatch, found)
    app = fit(start("benchmark"))
    told = "\n".join([plain(app), *(str(item.value).replace("\\", "") for item in app.warning)])
    assert words in told
    assert labels(app) == ["Fit again", "Close"]
    assert len(app.table) == (found.gain is not None)


@pytest.mark.usefixtures("home")
def test_applying_keeps_what_was_turned_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    fitting(monkeypatch, outcome(0.5, 2.0, "better"))
    app = fit(start("benchmark"))
    library = services.library()
    library.apply(library.settings.with_value("answering.sentences", 5))
    press(app.run(), "benchmark.refit.apply")
    assert library.settings == FITTED.with_value("answering.sentences", 5)
    library.apply(library.settings.with_value("retrieval.k", 33))
    press(app.run(), "benchmark.refit.undo")
    assert library.settings == worlds.HIDDEN.with_values({"answering.sentences": 5, "retrieval.k": 33})


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ("retrieval.k", "The library's settings have been changed since."),
        ("chunking.max_tokens", "The library's settings have been changed since."),
        ("one document", "Documents have been cut otherwise since, or are gone."),
        ("model", "Careful reads with another re-ranker now."),
    ],
)
def test_what_was_fitted_to_another_library_cannot_be_applied(
    changed: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting(monkeypatch, with_share(outcome(0.5, 2.0, "better"), 0.5, 2.0, "better"))
    app = fit(start("benchmark"))
    library = services.library()
    if changed == "model":
        library.set_preference(rerankers.CHOSEN, rerankers.USUAL)
    elif changed == "one document":
        cut = replace(library.settings.chunking, max_tokens=40)
        library.cutting.apply("document", library.sources()[0].version_id, cut)
    else:
        library.apply(library.settings.with_value(changed, 40))
    app.run()
    told = " ".join(str(item.value) for item in app.info).replace("*", "")
    assert words in told
    assert "cannot be applied: fit again" in told
    assert labels(app) == ["Fit again", "Discard"]


@pytest.mark.usefixtures("home")
@pytest.mark.long
def test_the_share_under_careful_has_its_own_line_is_applied_and_kept_by_careful() -> None:
    app = start("benchmark")
    library = services.library()
    set_before = worlds.HIDDEN.with_values({"retrieval.neighbour_share": 0.1, "reranking.blend": 0.8})
    library.apply(set_before)
    fit(app)
    assert "Careful, its re-ranker's share" in plain(app)
    press(app, "benchmark.refit.apply")
    share = library.settings.reranking.blend
    assert (share <= 0.5, library.settings.reranking.model) == (True, "")  # it is Careful's: Quick stays quick
    careful = sidebar.profiles(library.settings)[sidebar.CAREFUL].reranking
    assert (careful.blend, careful.model) == (share, "packaged")
    press(app, "benchmark.refit.undo")
    assert library.settings == set_before


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("low", "verdict", "applied"), [(0.5, "better", 0.2), (-1.0, "no difference seen", 0.4)])
def test_of_two_parts_only_what_gained_is_applied(
    low: float, verdict: str, applied: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting(monkeypatch, with_share(outcome(-0.4, 2.0, "no difference seen"), low, 2.0, verdict))
    app = fit(start("benchmark"))
    assert "no gain is shown" in plain(app)
    assert ("Apply" in labels(app)) == (verdict == "better")
    if verdict == "better":
        press(app, "benchmark.refit.apply")
    assert services.library().settings == worlds.HIDDEN.with_value("reranking.blend", applied)


@pytest.mark.usefixtures("home")
def test_a_fit_of_other_judgments_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    fitting(monkeypatch, outcome(0.5, 2.0, "better"))
    app = fit(start("benchmark"))
    assert "Apply" in labels(app)
    library = services.library()
    library.remove_judgments([library.judgments()[0].id])
    assert labels(app.run()) == ["Fit"]


@pytest.mark.usefixtures("home")
def test_how_long_it_takes_is_foretold_by_the_speeds_of_earlier_benches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_tune, "LEAST_JUDGMENTS", 30)
    app = start("benchmark")
    assert "less than a minute" in app.button(key="benchmark.refit").help
    assert "with an answer it takes about 1 min" in plain(app)
    folder = services.library().home / "benchmarks" / "earlier"
    EarlierBenches(seconds_a_passage={"packaged": 0.2}).keep(folder)
    app.run()
    assert "about 2 min" in app.button(key="benchmark.refit").help
    assert "with an answer it takes about 10 min" in plain(app)


@pytest.mark.usefixtures("home")
def test_too_few_judgments_say_how_many_are_missing_and_how_they_are_made() -> None:
    app = start("benchmark")
    library = services.library()
    library.remove_judgments([row.id for row in library.judgments()[11:]])
    app.run()
    assert app.button(key="benchmark.refit").disabled
    assert "You have 11 judged questions with an answer; this takes 30: **19 more**" in plain(app)
    assert "press **g** and type the question" in plain(app)
    assert app.button(key="benchmark.tune").disabled
    assert "It takes 200 judged questions with an answer: **189 more**" in plain(app)


def teaching(monkeypatch: pytest.MonkeyPatch, low: float, high: float, verdict: str, folder: Path | None) -> None:
    """So few judgments are enough, and teaching comes out so."""
    monkeypatch.setattr(bench_tune, "LEAST_JUDGMENTS", 30)
    found = Tuned(Gain(compared(low, high, verdict), {}, 61.0, 64.0), folder, 18, 18, "document", 1.0)
    monkeypatch.setattr(tuning, "tune", lambda library, judged, settings, watch: found)


def teach(app: AppTest) -> AppTest:
    """Press Teach and wait until it is over."""
    app.button(key="benchmark.tune").click().run()
    until(lambda: not background.active_jobs("tune"))
    return app.run()


def taught(app: AppTest) -> list[str]:
    return [button.label for button in app.button if (button.key or "").startswith("benchmark.tune")]


@pytest.mark.parametrize("before", ["", rerankers.USUAL])
def test_a_taught_reranker_is_used_under_careful_undone_and_discarded(
    home: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    folder = home / "rerankers" / "made"
    folder.mkdir(parents=True)
    teaching(monkeypatch, 0.5, 2.0, "better", folder)
    app = start("benchmark")
    services.library().set_preference(rerankers.CHOSEN, before)
    app = teach(app)
    assert "recall rises by 1.2 points" in plain(app)
    assert taught(app) == ["Teach", "Use under Careful", "Discard"]
    app.button(key="benchmark.tune.use").click().run()
    assert rerankers.chosen() == str(folder)
    assert taught(app) == ["Teach", "Undo", "Close"]
    app.button(key="benchmark.tune.undo").click().run()
    assert rerankers.chosen() == (before or "packaged")
    app.button(key="benchmark.tune.discard").click().run()
    assert taught(app) == ["Teach"]
    assert not folder.exists()


@pytest.mark.usefixtures("home")
def test_a_reranker_that_is_no_better_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    teaching(monkeypatch, -1.0, 2.0, "no difference seen", None)
    app = teach(start("benchmark"))
    assert "no gain is shown" in plain(app)
    assert taught(app) == ["Teach", "Close"]


def test_what_was_taught_outlasts_a_restart_and_a_second_try_and_closing_keeps_what_is_used(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "rerankers" / "made"
    folder.mkdir(parents=True)
    teaching(monkeypatch, 0.5, 2.0, "better", folder)
    teach(start("benchmark"))
    services._desk.clear()  # the app ends, and is started again
    app = start("benchmark")
    assert taught(app) == ["Teach", "Use under Careful", "Discard"]
    app.button(key="benchmark.tune.use").click().run()

    def already(library: Library, judged: object, settings: Settings, watch: object) -> Tuned:
        assert settings.reranking.model == str(folder)
        raise LecternError("It has learnt from these already.", "Judge more.")

    monkeypatch.setattr(tuning, "tune", already)
    app = teach(app)
    assert "It has learnt from these already" in " ".join(str(line.value) for line in app.markdown)
    assert taught(app) == ["Teach", "Undo", "Close"]
    app.button(key="benchmark.tune.discard").click().run()
    assert taught(app) == ["Teach"]
    assert (rerankers.chosen(), folder.exists()) == (str(folder), True)
