"""What is chosen on Ask and Settings beside the dials: what filters, what is held how long."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.embedding import hub
from core.errors import ModelError
from core.library import Incoming, Library
from core.search import ordering
from core.search.ranking.reranking import Readings
from core.settings import RerankingSettings
from pages.ui.settings import rerankers
from pages.ui.shared import background, services, state
from tests.pages.apps import PATIENT, said
from tests.pages.browsing import until

PAGES = Path(__file__).resolve().parents[2] / "pages"
NOTES = {
    "api.md": "# Tokens\n\nThe access token is valid for 3600 seconds. See section 4.1 of the manual.\n",
    "notes.txt": "The access token is valid for 15 minutes.\n",
    "tea 2022-05-01.md": "# Kettle\n\nIn this year the kettle was led by Ann.\n",
    "tea 2024-05-01.md": "# Kettle\n\nIn this year the kettle was led by Bob.\n",
}
VALID = "How long is the access token valid?"


@pytest.fixture
def held(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The library that the pages look at, without a model, with notes that disagree and notes of two years."""
    items = [Incoming(name, content_hash=library.stage(text.encode())) for name, text in NOTES.items()]
    assert not library.ingest(items).failures
    monkeypatch.setenv("LECTERN_HOME", str(tmp_path / "library"))
    monkeypatch.setattr(services, "_desk", lambda place: services.Desk(library, None, None, ""))
    return library


def page(name: str) -> AppTest:
    app = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=PATIENT)
    app.session_state[state.ENTERED] = True
    app.run()
    assert not app.exception
    return app


def ask(app: AppTest, question: str) -> AppTest:
    app.text_input(key=state.QUESTION).set_value(question)
    app.button[0].click().run()
    assert not app.exception
    return app


def labels(app: AppTest, start: str) -> list[str]:
    return [
        str(button.label).replace("\\", "") for button in app.button if str(button.key).startswith(f"ask.chip.{start}")
    ]


def drawn(app: AppTest, holding: str) -> Any:
    """The data of the component that has something of this name."""
    every = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    return next(data for data in every if data and holding in data)


class Late:
    """A re-ranker that runs out of time, or not. ``asked``: how often it was to read."""

    max_tokens = 256

    def __init__(self) -> None:
        self.asked, self.hurried = 0, True

    def read(self, question: str, passages: Sequence[str], *others: object) -> Readings:
        self.asked += 1
        scores = np.arange(len(passages), dtype=np.float64)
        return Readings(scores, "Time limit of 1 s: 1 of 4 re-ranked." if self.hurried else "")


def reread(app: AppTest) -> None:
    """Wait until the best were read again, and draw what came of it."""
    task = app.session_state[state.TASKS]["reranking"]
    until(lambda: bool(task.over))
    app.run()
    assert not app.exception


@pytest.mark.usefixtures("held")
def test_what_ran_out_of_time_is_read_again_for_who_asks_again_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    late = Late()
    monkeypatch.setattr(ordering, "load_reranker", lambda settings: late)
    monkeypatch.setattr(ordering, "read", late.read)
    app = ask(page("ask"), VALID)
    app.selectbox(key="ask.reranking.model").set_value("packaged").run()
    reread(app)
    assert "Time limit of 1 s" in said(app).replace("\\", "")
    assert late.asked == 1
    app.run()
    app.run()
    assert late.asked == 1, "drawn anew, nothing is read anew"
    late.hurried = False
    ask(app, VALID)
    reread(app)
    assert late.asked == 2
    assert "Time limit" not in said(app)
    ask(app, VALID)
    assert late.asked == 2, "what was read to its end is held"


def test_a_reranker_that_is_not_on_this_machine_is_said_and_taken_once_it_was_fetched(
    held: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def load(settings: RerankingSettings) -> None:
        asked.append(settings.model)
        raise ModelError("There is no folder '~/models/none' with a re-ranker.", "Check it.")

    monkeypatch.setattr(rerankers, "load_reranker", load)
    app = page("settings")
    app.radio(key="settings.reranker").set_value(rerankers.OTHER).run()
    assert asked == []
    assert not app.error
    app.text_input(key="settings.reranker.name").set_value("~/models/none").run()
    assert asked == ["~/models/none"]
    assert "There is no folder" in "".join(str(error.value) for error in app.error)
    assert rerankers.chosen() == "packaged"
    app.radio(key="settings.reranker").set_value("packaged").run()
    assert asked == ["~/models/none"]
    assert not app.error
    app.radio(key="settings.reranker").set_value(rerankers.OTHER).run()
    app.text_input(key="settings.reranker.name").set_value("some/other").run()
    assert "some/other is not on this machine" in said(app).replace("\\", "")
    app.button(key="settings.hub.ask.re-ranker").click().run()
    assert "says that nothing may be" in "".join(str(error.value) for error in app.error)  # as tests run: offline
    monkeypatch.setattr(rerankers, "load_reranker", lambda settings: None)  # it was fetched meanwhile
    monkeypatch.setattr(hub, "is_fetched", lambda model: True)
    rerankers.missing.clear()
    app.run()
    assert (rerankers.chosen(), list(app.error)) == ("packaged", [])
    app.button(key="settings.reranker.use").click().run()
    assert rerankers.chosen() == "some/other"
    assert not app.exception


def test_an_open_settings_page_writes_no_old_choice_back_and_shows_the_one_that_holds(
    held: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rerankers, "load_reranker", lambda settings: None)
    app = page("settings")
    assert app.radio(key="settings.reranker").value == "packaged"
    for elsewhere, shown in (("~/models/taught", rerankers.OTHER), (rerankers.USUAL, rerankers.USUAL)):
        held.set_preference(rerankers.CHOSEN, elsewhere)  # by another window, or Benchmark's "Use under Careful"
        app.run()
        assert rerankers.chosen() == elsewhere
        assert app.radio(key="settings.reranker").value == shown
        assert f"In use: {rerankers.NAMES.get(elsewhere, elsewhere)}" in said(app).replace("\\", "")
        if shown == rerankers.OTHER:
            assert app.text_input(key="settings.reranker.name").value == elsewhere
    app.radio(key="settings.reranker").set_value("packaged").run()
    assert rerankers.chosen() == "packaged"
    assert held.preference(rerankers.CHOSEN) == ""
    assert not app.exception


@pytest.mark.usefixtures("held")
def test_a_phrase_that_nothing_has_is_no_filter_and_a_note_is_said_once() -> None:
    app = ask(page("ask"), '"zebra crossing" in:nowhere token')
    assert labels(app, "phrase") == ["phrase: “zebra crossing” (nothing has it)"]
    told = said(app).replace("\\", "")
    assert told.count("No passage has the phrase “zebra crossing”: it was left out.") == 1
    assert told.count("Nothing in this library is called “nowhere”") == 1


@pytest.mark.usefixtures("held")
def test_an_answer_that_is_not_there_yet_stands_beside_the_way_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "pending_documents", lambda: 3)
    app = ask(page("ask"), "Who invented AM radio?")
    drawn = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    (answer,) = [data for data in drawn if "coming" in data]
    assert (answer["coming"], answer["question"]) == (3, "Who invented AM radio?")
    assert [button.key for button in app.button if button.label == "Ask again"] == ["ask.again"]
    assert not app.exception


def test_nothing_found_says_what_to_do_and_asks_again_while_documents_are_read(
    held: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.settings = held.settings.with_value("retrieval.min_similarity", 1.0)
    app = ask(page("ask"), VALID)
    assert "Nothing was found. Lower the least similarity among the dials, or ask in other words." in said(app)
    assert not [button for button in app.button if button.label == "Ask again"]
    monkeypatch.setattr(background, "pending_documents", lambda: 1)
    app.run()
    assert "Nothing was found. Ask again once more documents are read" in said(app)
    asking = app.session_state[state.ASKING]
    next(button for button in app.button if button.label == "Ask again").click().run()
    assert not app.exception
    assert app.session_state[state.ASKING] != asking
