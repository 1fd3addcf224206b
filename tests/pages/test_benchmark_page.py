"""The Benchmark page through AppTest: what to measure, what it costs, a run, and every view of one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.evaluation import history
from core.evaluation.exchange.judged import write_judged_suite
from core.evaluation.history import RunPlan
from core.evaluation.records import QuestionOutcome
from core.library import Incoming, Library
from core.settings import PRESETS
from core.storage.catalogue.job_rows import NewItem
from core.storage.catalogue.question_log import LoggedQuestion
from pages.ui.benchmark import benches
from pages.ui.benchmark import results as bench_results
from pages.ui.benchmark.choices import USUALLY
from pages.ui.shared import background, samples, services, state
from pages.ui.shared.work import Plan
from tests.fast_encoder import FastEncoder
from tests.pages.apps import plain, said, start
from tests.pages.bench_reports import SUITE, report, stopping, write_run
from tests.pages.browsing import until

FILES = {
    "weir.md": "# Weir\n\n" + "The gauge at the weir was read at noon. " * 40,
    "lock.md": "# Lock\n\n" + "The lock was shut at night, and its gauge read. " * 40,
}
VIEWS = (
    bench_results.RECALL,
    bench_results.PARETO,
    bench_results.BREAKDOWN,
    bench_results.LOST,
    bench_results.PLACE,
    bench_results.QUESTIONS,
    bench_results.SETTINGS,
    bench_results.UNANSWERABLE,
)


@pytest.fixture
def home(empty_home: Path, without_model: None) -> Path:
    """The library the app opens, without a model."""
    return empty_home


@pytest.fixture
def measured(home: Path) -> str:
    """A finished run lies in it."""
    return write_run(home / "benchmarks", FILES, FastEncoder())


@pytest.fixture
def judged(home: Path, tmp_path: Path) -> None:
    """One note with two judgments."""
    (tmp_path / "weir.md").write_text(FILES["weir.md"], encoding="utf-8")
    with Library.open(home) as library:
        library.ingest([Incoming("weir.md", path=tmp_path / "weir.md")])
        version = library.sources()[0].version_id
        library.judge("When was the gauge read?", version, 8, 46)
        library.judge_unanswerable("Who owns the mill?")


def cost(app: AppTest) -> str:
    return next(str(item.value).replace("\\", "") for item in app.caption if "cut in" in str(item.value))


def run(app: AppTest) -> None:
    """Press Run and wait until it is over."""
    app.button(key="benchmark.run_it").click()
    finish(app)


def finish(app: AppTest) -> None:
    """Send what was pressed, wait until nothing is measured any more, and look again."""
    app.run()
    until(lambda: not background.active_jobs("bench"))
    app.run()


@pytest.mark.usefixtures("home")
def test_before_the_first_run_it_says_what_to_do_and_what_it_costs() -> None:
    app = start("benchmark")
    assert "Make questions from my documents" in said(app)
    assert "5 presets, cut in 2 ways, 40 questions" in cost(app)
    app.toggle(key="benchmark.vary").set_value(True).run()
    assert "6 combinations" in said(app)
    assert "11 presets" in cost(app)
    app.segmented_control(key="benchmark.suite").set_value("judged").run()
    assert "No judgments yet" in said(app)
    assert app.button(key="benchmark.run_it").disabled


@pytest.mark.usefixtures("judged")
def test_six_answers_say_what_size_of_chunks_to_begin_with(home: Path) -> None:
    with Library.open(home) as library:
        version = library.sources()[0].version_id
        for number in range(5):
            library.judge(f"When was the gauge read, time {number}?", version, 8, 46)
    assert "chunks of 27 to 45 tokens are three to five times" in said(start("benchmark"))


@pytest.mark.usefixtures("judged")
def test_judgments_are_measured_and_the_chosen_preset_becomes_the_librarys() -> None:
    app = start("benchmark")
    assert app.segmented_control(key="benchmark.suite").value == "judged"
    assert "three to five times" not in said(app), "one answer does not say what size chunks should have"
    app.multiselect(key="benchmark.presets").set_value(["default", "flat"]).run()
    assert "2 presets, cut in 1 way, 2 questions" in cost(app)
    run(app)
    assert not app.exception
    library = services.library()
    (head,) = history.runs(library.home / "benchmarks")
    assert (head.finished, head.revision) == (True, library.revision())
    assert "against default" in said(app)
    assert "My judgments" in app.selectbox(key=f"benchmark.run.{head.folder}").options[0]
    assert "Grow · A chunk grows to :small[`expansion.strategy`]" in list(app.table[0].value["Setting"])
    app.button(key="benchmark.apply").click().run()
    until(lambda: library.settings.expansion.strategy == "flat" and not background.active_jobs("apply"))
    app.run()
    assert app.title[0].value == "Benchmark"
    assert "The library has the settings of flat; Ask uses them." in plain(app).replace("**", "")
    app.button(key="benchmark.apply.undo").click().run()
    until(lambda: library.settings.expansion.strategy == "needed" and not background.active_jobs("apply"))
    app.run()
    assert "The library has the settings of" not in plain(app)
    assert "benchmark.apply.undo" not in {button.key for button in app.button}
    next(button for button in app.button if button.label == "With and without parents").click()
    finish(app)
    assert "These questions do not tell which is better" in plain(app)


@pytest.mark.long  # stopped and gone on with: test_bench
def test_a_cancelled_run_goes_on_from_the_page(home: Path) -> None:
    with Library.open(home) as library:
        plan = Plan(samples.FOLDER, "The samples", {"flat": PRESETS["flat"]}, options=USUALLY)
        library.queue.enqueue("bench", plan.payload(), [NewItem(plan.name)])
        assert library.queue.run_next({"bench": stopping(library, 30)})
    app = start("benchmark")
    assert "Stopped before its end: The samples" in plain(app).replace("**", "")
    app.multiselect(key="benchmark.presets").set_value(["flat"]).run()
    assert "goes on from 30 of 40" in cost(app)
    app.button(key="benchmark.stopped.continue").click()
    finish(app)
    assert "Stopped before its end" not in plain(app)
    assert "flat is the baseline" in plain(app).replace("**", "")


@pytest.mark.usefixtures("judged")
def test_a_stopped_run_whose_questions_changed_cannot_be_continued(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library.open(home) as library:
        folder = write_judged_suite(library, home / "benchmarks" / "judged")
        plan = Plan(folder, "My judgments", {"flat": PRESETS["flat"]}, options=USUALLY, revision=library.revision())
        library.queue.enqueue("bench", plan.payload(), [NewItem(plan.name)])
        assert library.queue.run_next({"bench": stopping(library, 1)})
    assert not start("benchmark").button(key="benchmark.stopped.continue").disabled
    with monkeypatch.context() as patch:
        patch.setattr(history, "CODE", "other")
        app = start("benchmark")
        assert "Another version of Lectern began it" in plain(app)
        assert app.button(key="benchmark.stopped.continue").disabled
    library = services.library()
    library.judge("What was read at noon?", library.sources()[0].version_id, 8, 20)
    app = start("benchmark")
    assert "Its questions or documents have changed since" in plain(app)
    assert app.button(key="benchmark.stopped.continue").disabled
    app.button(key="benchmark.stopped.remove").click().run()
    assert "Stopped before its end" not in plain(app)


def test_a_run_that_another_program_makes_is_left_to_it(home: Path) -> None:
    write_run(home / "benchmarks", FILES, FastEncoder(), ("default",), finished=False)
    plan = RunPlan(SUITE, report().fingerprint, {"default": PRESETS["default"]}, {"questions": 24})
    recording = history.Recording.stopped(home / "benchmarks", plan)
    assert recording
    with recording.writing():
        app = start("benchmark")
        assert "Measured by another program" in plain(app)
        assert "It is being measured by process" in plain(app)
        assert not [button for button in app.button if str(button.key).startswith("benchmark.stopped")]
        assert [run.standing for run in benches.runs()] == ["running"]
    assert "Stopped before its end" in plain(start("benchmark"))


@pytest.mark.usefixtures("measured")
def test_every_view_of_a_run_is_drawn() -> None:
    app = start("benchmark")
    for view in VIEWS:
        app.segmented_control(key="benchmark.view").set_value(view).run()
        assert not app.exception
        assert not app.error
        assert "1 document could not be read" in said(app)


@pytest.mark.usefixtures("measured")
def test_the_causes_of_failures_stay_when_a_preset_without_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    measured_outcomes = benches.measured

    def outcomes(folder: str, preset: str) -> dict[str, QuestionOutcome]:
        failure = "C" if preset == "recursive" else ""
        return {name: replace(item, failure=failure) for name, item in measured_outcomes(folder, preset).items()}

    monkeypatch.setattr(benches, "measured", outcomes)
    app = start("benchmark")
    assert bench_results.FAILURES not in app.segmented_control(key="benchmark.view").options
    app.selectbox(key="benchmark.baseline").set_value("recursive").run()
    app.segmented_control(key="benchmark.view").set_value(bench_results.FAILURES).run()
    assert "missed no question" in said(app)
    assert not app.exception


@pytest.mark.usefixtures("measured")
def test_another_baseline_and_other_columns_are_taken_up() -> None:
    app = start("benchmark")
    assert "against default" in said(app)
    app.selectbox(key="benchmark.baseline").set_value("recursive").run()
    assert "against recursive" in said(app)
    app.multiselect(key="benchmark.columns").set_value(["full@8000", "index_bytes"]).run()
    assert "full@8000" in plain(app)
    assert not app.exception


def test_a_stopped_run_is_told_and_a_finished_one_can_be_removed(home: Path, measured: str) -> None:
    stopped = write_run(home / "benchmarks", FILES, FastEncoder(), ("default",), finished=False, begun="2999-01-01")
    app = start("benchmark")
    assert "Stopped before its end" in said(app)
    assert app.button(key="benchmark.stopped.continue").disabled  # nobody knows where its suite lies
    app.button(key="benchmark.stopped.remove").click().run()
    assert "Stopped before its end" not in said(app)
    heads = history.runs(home / "benchmarks")
    assert [head.folder for head in heads] == [measured]
    assert stopped != measured


@pytest.mark.usefixtures("judged")
def test_a_doubtful_question_can_be_asked_again_and_the_log_turned_off(home: Path) -> None:
    with Library.open(home) as library:
        library.log.note(LoggedQuestion("Who owns the mill?", 90.0, 0.2, False, 0.3, ()))
    app = start("benchmark")
    app.session_state[state.OVER_TIME] = True
    app.run()
    assert not app.exception
    assert "no answer found" in app.button(key="benchmark.again.0").label
    app.toggle(key="benchmark.log").set_value(False).run()
    assert not services.library().log.on
    app.button(key="benchmark.again.0").click().run()
    assert app.text_input(key=state.QUESTION).value == "Who owns the mill?"
