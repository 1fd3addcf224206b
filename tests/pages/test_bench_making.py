"""Making questions on the Benchmark page: begun from its empty states, kept, dropped, worded, taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.evaluation.making import making
from core.evaluation.making.checking import Place
from core.evaluation.making.making import MadeQuestion, keep
from core.language_model.settings import LanguageSettings
from core.library import Library
from core.types import Span
from pages.ui.benchmark import making as bench_making
from pages.ui.shared import language, services
from tests.pages.apps import filled, said, start
from tests.pages.browsing import until

TEXT = "# Gauges\n\nA gauge is a rod that shows the level. Backups are kept for 35 days. Pumps are greased daily.\n"
SENTENCES = ("A gauge is a rod that shows the level.", "Backups are kept for 35 days.", "Pumps are greased daily.")
QUESTIONS = ("What is a gauge?", "How long are backups kept?", "How often are pumps greased?")


@pytest.fixture
def home(empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of one document, closed, and what is made of it."""
    with filled(tmp_path, monkeypatch, {"gauges.md": TEXT}) as library:
        (source,) = library.sources()
        made = [
            MadeQuestion(
                *(question, (f"In other words: {question}",), "number", "gauges.md"),
                *((Place(source.version_id, Span(at, at + len(quote))),), quote, "35 days", 0.5),
            )
            for question, quote in zip(QUESTIONS, SENTENCES, strict=True)
            for at in (TEXT.index(quote),)
        ]
        monkeypatch.setattr(bench_making, "make_questions", lambda library, count, watch, ask: made)
    return empty_home


def press(app: AppTest, key: str) -> AppTest:
    """Press, and wait until the questions are there. ``key``: its beginning, for a button of a card."""
    next(button for button in app.button if f"{button.key}.".startswith(f"{key}.")).click().run()
    until(lambda: not any("Reading your documents" in str(item.proto.text) for item in app.run().get("progress")))
    assert not app.exception
    return app


@pytest.mark.usefixtures("home")
def test_the_first_thing_to_do_is_to_have_questions_and_they_are_what_is_measured_on_then() -> None:
    app = start("benchmark")
    assert app.segmented_control(key="benchmark.suite").value == "samples"
    press(app, "making.begin")
    assert QUESTIONS[0] in said(app)
    assert "40 were asked for; your documents yield no more." in said(app)
    assert SENTENCES[0] in [item.value for item in app.code]
    for _ in QUESTIONS:
        press(app, "making.Keep")
    assert app.segmented_control(key="benchmark.suite").value == "judged"
    assert "3 questions kept, 0 dropped." in said(app)
    assert not app.button(key="benchmark.run_it").disabled


@pytest.mark.usefixtures("home")
def test_questions_are_kept_dropped_worded_and_taken_back() -> None:
    app = press(start("benchmark"), "making.begin")
    press(app, "making.Other words")
    assert f"In other words: {QUESTIONS[0]}" in said(app).replace("\\", "")
    press(app, "making.Keep")
    library = services.library()
    (row,) = library.judgments()
    assert (row.judgment.question, row.judgment.origin) == (f"In other words: {QUESTIONS[0]}", "synthetic")
    assert row.judgment.quote == SENTENCES[0]
    press(app, "making.Drop")
    assert making.left_out(library) == [QUESTIONS[1]]
    press(app, "making.Back")
    assert making.left_out(library) == []
    press(app, "making.Edit")
    app.text_input(key="making.words.1").set_value("How long do we keep backups?").run()
    press(app, "making.Keep")
    assert [row.judgment.question for row in library.judgments()][1:] == ["How long do we keep backups?"]
    press(app, "making.Back")
    assert len(library.judgments()) == 1
    press(app, "making.Drop")
    press(app, "making.Drop")
    assert "1 question kept, 2 dropped." in said(app)
    press(app, "making.close")
    assert "making.begin" in {button.key for button in app.button}


def test_a_key_pressed_twice_decides_on_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    now, pressed = bench_making.Making(), list[object]()
    monkeypatch.setattr(bench_making, "making", lambda: now)
    monkeypatch.setattr(bench_making.st, "button", lambda label, on_click, **given: pressed.append(on_click))
    item = MadeQuestion(QUESTIONS[0], (), "number", "gauges.md", (), SENTENCES[0], "35 days", 0.5)

    def keep_it(item: MadeQuestion) -> None:
        bench_making._save_decisions([*now.review.decided, (1,)])

    bench_making._button("Keep", "k", "", keep_it, item, 0, off=False)
    for _ in range(2):
        pressed[0]()  # type: ignore[operator]
    assert now.review.decided == ((1,),)


@pytest.mark.usefixtures("home")
def test_made_questions_and_what_was_decided_of_them_outlive_the_window_and_the_process() -> None:
    press(press(start("benchmark"), "making.begin"), "making.Keep")
    another = start("benchmark")
    assert QUESTIONS[1] in said(another)
    bench_making._making.clear()  # what a process forgets when it ends
    third = start("benchmark")
    assert QUESTIONS[1] in said(third)
    press(third, "making.Back")
    assert QUESTIONS[0] in said(third)
    assert services.library().judgments() == []
    press(third, "making.stop")
    bench_making._making.clear()
    assert "making.begin" in {button.key for button in start("benchmark").button}


@pytest.mark.usefixtures("home")
def test_a_model_that_is_set_up_may_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(bench_making, "make_questions", lambda library, count, watch, ask: asked.append(ask) or [])
    assert "making.written" not in {button.key for button in start("benchmark").button}
    language.save(LanguageSettings("http://127.0.0.1:1/v1", "m", agreed=("http://127.0.0.1:1/v1",)))
    app = press(start("benchmark"), "making.written")
    assert callable(*asked)
    assert bench_making.NONE_WRITTEN in said(app)


def test_figures_say_whose_questions_they_are_of(home: Path) -> None:
    with Library.open(home) as writing:
        (source,) = writing.sources()
        place = Place(source.version_id, Span(TEXT.index(SENTENCES[1]), TEXT.index(SENTENCES[2])))
        keep(writing, [MadeQuestion(QUESTIONS[1], (), "number", "gauges.md", (place,), SENTENCES[1], "35 days", 0.5)])
        writing.judge(QUESTIONS[0], source.version_id, place.span.start, place.span.end)
    app = start("benchmark")
    (whose,) = [item for item in app.get("button_group") if item.key == "benchmark.origins"]
    assert [option.split(":")[-1] for option in whose.options] == ["by hand 1", "by a program 1"]
    assert "The judged questions, for both: 1 by hand, 1 by a program." in said(app)
