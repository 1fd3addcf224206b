"""A language model on the pages: set up step by step, asked above the evidence, and never in the way of it."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.language_model.settings import LanguageSettings, load
from core.library import Incoming
from core.search import ordering
from core.search.ranking.rerankers import load_reranker
from pages.ui.ask import written
from pages.ui.ask.written_text import TITLE
from pages.ui.settings.embedder import ADDRESS
from pages.ui.settings.language_model import AGREE, LIST, TEST
from pages.ui.settings.privacy_and_places import STAYS
from pages.ui.shared import background, language, services, state
from tests.language_model.endpoint import Endpoint, Script, endpoint
from tests.pages.apps import press, said, start
from tests.pages.browsing import until

pytestmark = [pytest.mark.model, pytest.mark.allow_hosts(["127.0.0.1"])]
QUESTION = "How long is an access token valid?"
NOTES = {
    "tokens.md": "# Tokens\n\nAn access token is valid for 3600 seconds.\n\n## Renewal\n\nAsk anew before it ends.\n",
    "tea.txt": "The kettle stands in the kitchen on the second floor.\n\nTea is free on Fridays.\n",
}


def settings_page() -> AppTest:
    app = start("settings")
    app.session_state[state.SETTINGS_TAB] = "Language model"
    return app.run()


def use(served: Endpoint, **changes: object) -> None:
    """Set the model up as the Settings page does."""
    chosen = {"address": served.address, "model": "small", "agreed": (served.address,), "timeout_seconds": 20.0}
    language.save(LanguageSettings(**{**chosen, **changes}))  # type: ignore[arg-type]


def asked(question: str = QUESTION) -> AppTest:
    """The page after a question, once the answer is written or given up."""
    app = start("ask")
    app.text_input(key=state.QUESTION).set_value(question)
    app.button[0].click().run()
    assert not app.exception
    tasks = app.session_state[state.TASKS] if state.TASKS in app.session_state else {}  # noqa: SIM401 - it has no get
    if written._WRITING in tasks:
        until(lambda: tasks[written._WRITING].over)
        app.run()
        assert not app.exception
    return app


def plain(value: str) -> str:
    """As it reads: Markdown's own marks are written out on the page."""
    return value.replace("\\", "")


def drawn(app: AppTest, name: str) -> list[dict]:
    """What components of a name were told."""
    told = {json.dumps(data): data for element in app.main for data in _told(element, name)}
    return list(told.values())


def _told(element: object, name: str) -> list[dict]:
    children = getattr(element, "children", None)
    if children:
        return [told for child in children.values() for told in _told(child, name)]
    proto = getattr(element, "proto", None)
    if proto is None or getattr(proto, "component_name", "").rpartition(".")[2] != name:
        return []
    return [json.loads(proto.json)]


def evidence_stands(app: AppTest) -> bool:
    return bool(drawn(app, "evidence"))


@pytest.mark.usefixtures("home")
def test_a_model_is_set_up_step_by_step_and_asked_nothing_before_it_is_agreed_to(tmp_path: Path) -> None:
    with endpoint(Script.words("ready")) as served:
        app = settings_page()
        assert not app.exception
        app.text_input(key="language.address").set_value(served.address.removesuffix("/v1")).run()
        assert {button.label for button in app.button}.isdisjoint({TEST, LIST})
        assert "Nothing else leaves" in said(app)
        assert served.asked == []
        press(app, AGREE)
        assert [path for path, _, _ in served.asked] == ["/v1/models"]
        assert list(app.selectbox(key="language.model").options) == ["large", "small"]
        app.selectbox(key="language.model").set_value("small").run()
        press(app, TEST)
        assert [plain(box.value) for box in app.success] == [f"small at {served.address[7:-3]} answers."]
    kept = load(tmp_path / "language.json")
    assert (kept.model, kept.context_tokens, kept.agreed) == ("small", 8192, (served.address,))
    app.selectbox(key="language.model").set_value("large").run()
    assert load(tmp_path / "language.json").context_tokens == app.number_input(key="language.context").value == 4096


@pytest.mark.usefixtures("home")
def test_a_test_says_what_is_wrong() -> None:
    with endpoint(Script.status(401)) as served:
        use(served)
        app = press(settings_page(), TEST)
        assert "asks for a key, and none is set" in plain(app.error[0].value)
    app = press(app, TEST)
    assert "Nothing answers at" in plain(app.error[0].value)


@pytest.mark.usefixtures("home")
def test_another_address_is_agreed_to_anew_and_an_outside_one_is_marked(tmp_path: Path) -> None:
    language.save(LanguageSettings("http://localhost:1/v1", "m", agreed=("http://localhost:1/v1",)))
    app = settings_page()
    app.text_input(key="language.address").set_value("https://api.example.org").run()
    assert any("is not this machine" in plain(box.value) for box in app.warning)
    assert [button.label for button in app.button if button.label in {AGREE, TEST}] == [AGREE]
    app.text_input(key="language.address").set_value("https://me:secret@example.org").run()
    assert "holds no name, key" in plain(app.error[0].value)
    assert "secret" not in (tmp_path / "language.json").read_text()


@pytest.mark.usefixtures("home")
def test_a_prompt_that_lacks_a_name_is_not_kept(tmp_path: Path) -> None:
    language.save(LanguageSettings("http://localhost:1/v1", "m", agreed=("http://localhost:1/v1",)))
    app = settings_page()
    app.text_area(key="language.template").set_value("Say {question}.").run()
    assert "lacks {passages}" in plain(app.error[0].value)
    app.text_area(key="language.template").set_value("{passages} Say {question}.").run()
    assert load(tmp_path / "language.json").template == "{passages} Say {question}.\n"


@pytest.mark.usefixtures("home")
def test_without_a_model_ask_quotes_and_offers_no_choice() -> None:
    app = asked()
    assert drawn(app, "quotes")
    assert drawn(app, "written") == []
    assert written.CHOICE not in app.session_state


@pytest.mark.usefixtures("home")
def test_an_answer_is_written_from_the_passages_and_checked() -> None:
    with endpoint(
        Script.words("An access token is valid for 3600 ", "seconds [1]. ", "It costs 5 euros [9].")
    ) as served:
        use(served)
        app = asked()
        (prompt,) = served.prompts
    assert "An access token is valid for 3600 seconds." in prompt
    assert QUESTION in prompt
    assert evidence_stands(app)
    (told,) = drawn(app, "written")
    verdicts = [one["verdict"] for one in told["sentences"] if "verdict" in one]
    assert verdicts == ["supported", "not_found"]
    cites = [part for one in told["sentences"] for part in one["parts"] if "cite" in part]
    assert [(part["cite"], part.get("lost", False)) for part in cites] == [(1, False), (9, True)]
    use(served, template="{passages} Say {question}.")
    app.session_state[state.ASK_TAB] = "Prompt"
    app.run()
    assert [block.value for block in app.code] == [prompt.strip()], "it is kept with the answer"
    assert "are others by now" in said(app)
    app.session_state[written.CHOICE] = written.QUOTE
    app.run()
    assert drawn(app, "quotes"), "one click away"
    assert drawn(app, "written") == []


@pytest.mark.usefixtures("home")
def test_a_model_judges_what_is_written_in_other_words_where_that_was_wished(tmp_path: Path) -> None:
    def judging(handler: Any) -> None:
        prompt = handler.server.state.prompts[-1]
        Script.words(json.dumps(["yes"] * prompt.count("</text ")))(handler)

    with endpoint(Script.words("Whoever holds one has an hour [1]."), judging) as served:
        use(served)
        app = settings_page()
        app.checkbox(key="language.judges").check().run()
        assert load(tmp_path / "language.json").judges
        (told,) = drawn(asked(), "written")
        assert len(served.prompts) == 2
    assert [one["verdict"] for one in told["sentences"] if "verdict" in one] == ["supported"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("answer", "words", "text"),
    [
        (None, "Nothing answers at", ""),
        (Script.status(401), "asks for a key", ""),
        (Script.words("An access token is valid ", ended=False), "was cut", "An access token is valid"),
        (Script.endless, "did not end", "and so on"),
        (Script.words("An access token is valid ", why="length"), "no more tokens", "An access token is valid"),
    ],
)
def test_a_bad_model_is_one_sentence_above_its_answer_or_the_quotes(answer, words: str, text: str) -> None:
    with endpoint(*([answer] if answer else [])) as served:
        use(served)
        app = asked() if answer else None
    app = app or asked()  # of a server that does not run any more
    assert len([box for box in app.warning if words in plain(box.value)]) == 1
    assert evidence_stands(app)
    told = drawn(app, "written")
    assert [one["sentences"][0]["parts"][0]["text"][: len(text)] for one in told] == ([text] if text else [])
    if text:  # what a sentence that breaks off would have said nobody knows
        assert not told[0]["sentences"][-1].get("verdict")
    assert bool(drawn(app, "quotes")) == (not text)  # a question gets its quotes where the model has no word for it


def asked_again(app: AppTest) -> list[dict]:
    """What is written after the same question was asked once more."""
    app.button[0].click().run()
    until(lambda: app.session_state[state.TASKS][written._WRITING].over)
    assert not app.run().exception
    return drawn(app, "written")


@pytest.mark.usefixtures("home")
def test_who_asks_again_gets_another_answer_where_the_model_failed_or_documents_changed() -> None:
    with endpoint(Script.status(400), Script.words("An access token is valid for 3600 seconds [1].")) as served:
        use(served)
        app = asked()
        assert drawn(app, "written") == []
        (told,) = asked_again(app)
        assert told["sentences"][0]["verdict"] == "supported"
        asked_again(app)
        assert len(served.prompts) == 2, "it holds still"
        library = services.library()
        library.ingest([Incoming("tokens.md", content_hash=library.stage(b"An access token is valid for 60 seconds."))])
        served.answers[:] = [Script.words("An access token is valid for 60 seconds [1].")]
        (told,) = asked_again(app)
        assert "60 seconds" in json.dumps(told)
        assert "3600" not in json.dumps(told)


@pytest.mark.usefixtures("home")
def test_an_answer_is_written_from_the_chunks_as_they_stand_once_they_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    going = Event()

    def reading(settings: object) -> object:
        going.wait(60)
        return load_reranker(settings)  # type: ignore[arg-type]

    monkeypatch.setattr(ordering, "load_reranker", reading)
    with endpoint(Script.words("It is 3600 seconds [1].")) as served:
        use(served)
        app = start("ask")
        app.session_state["ask.reranking.model"] = "packaged"
        app.text_input(key=state.QUESTION).set_value(QUESTION)
        app.button[0].click().run()
        assert "once the best chunks are read again" in said(app)
        assert served.prompts == []
        going.set()
        task = app.session_state[state.TASKS]["reranking"]
        until(lambda: task.over)
        app.run()
        until(lambda: bool(served.prompts))
    assert not app.exception


@pytest.mark.usefixtures("home")
def test_an_answer_is_stopped_by_its_button() -> None:
    with endpoint(Script.pings) as served:
        use(served)
        app = start("ask")
        app.text_input(key=state.QUESTION).set_value(QUESTION)
        app.button[0].click().run()
        assert evidence_stands(app)
        task = app.session_state[state.TASKS][written._WRITING]
        press(app, "Stop")
        until(lambda: task.over)
        app.run()
    assert written.STOPPED in said(app)
    assert not app.exception


@pytest.mark.usefixtures("home")
def test_a_text_is_held_against_the_library() -> None:
    app = start("ask")
    app.text_area(key="ask.check.text").set_value("An access token is valid for 3600 seconds. Tea costs 9 euros.")
    press(app, "Check it")
    tasks = app.session_state[state.TASKS]
    until(lambda: tasks["checking"].over)
    app.run()
    (told,) = drawn(app, "written")
    assert [one["verdict"] for one in told["sentences"] if "verdict" in one] == ["supported", "not_found"]
    assert TITLE in {expander.label for expander in app.expander}


def test_an_embedder_at_an_address_is_agreed_to_then_used_and_marked_nowhere_on_this_machine(home: Path) -> None:
    with endpoint() as served:
        app = start("settings")
        app.radio(key="settings.embedder").set_value(ADDRESS).run()
        app.text_input(key="settings.embedder.address").set_value(served.address).run()
        assert "every chunk of every document" in said(app)
        assert app.button(key="settings.embedder.use").disabled
        assert served.asked == []
        app.button(key="settings.embedder.agree").click().run()
        app.button(key="settings.embedder.list").click().run()
        assert not app.exception
        app.selectbox(key="settings.embedder.model").set_value("small").run()
        assert served.texts == []
        app.button(key="settings.embedder.use").click().run()
        assert not app.exception
        until(lambda: any("valid for 3600 seconds" in text for text in served.texts))
        until(lambda: not background.active_jobs("apply"))
        assert services.library().settings.embedding.model == "endpoint:small"
        assert "sent to" not in said(app)
    app = asked("Where does the kettle stand?")  # and its server is gone
    assert any("Searched by words alone" in plain(box.value) for box in app.warning)
    assert evidence_stands(app)


def test_what_is_not_this_machine_is_marked_on_every_page(home: Path) -> None:
    far, farther = "http://192.0.2.1/v1", "https://api.example.org/v1"
    services.library().settings = services.library().settings.with_value("embedding.model", "endpoint:small")
    language.save(LanguageSettings(farther, "m", embedding_address=far, agreed=(far, farther)))
    for page in ("library", "chunks", "ask", "benchmark", "settings"):
        told = said(start(page))
        assert "Texts and questions are sent to 192.0.2.1" in told
        assert "What a language model is asked is sent to api.example.org" in told
    assert "Only what you agreed to leaves this machine" in told
    assert STAYS not in told
    language.save(LanguageSettings(farther, "m"))
    assert "sent to" not in said(start("ask")), "nobody agreed to it, and the embedder has no address"
