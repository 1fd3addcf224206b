"""A conversation on Ask: further questions by rule or model, turns returned to and branched, kept in the address."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.language_model.settings import LanguageSettings
from pages.ui.ask.conversation import FURTHER
from pages.ui.shared import language, state
from tests.language_model.endpoint import Script, endpoint
from tests.pages.apps import press, said, start
from tests.pages.browsing import until

pytestmark = [
    pytest.mark.model,
    pytest.mark.usefixtures("home"),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]
QUESTION = "How long is an access token valid?"
NOTES = {"tokens.md": "# Tokens\n\nAn access token is valid for 3600 seconds.\n\nThe gateway renews a token.\n"}
BY_RULE = f"And who renews it? {QUESTION}"


def asked() -> AppTest:
    app = start("ask")
    app.text_input(key=state.QUESTION).set_value(QUESTION)
    return press(app, "Ask")


def further(app: AppTest, words: str) -> AppTest:
    app.text_input(key=state.FURTHER).set_value(words)
    return press(app, FURTHER)


def settled(app: AppTest) -> AppTest:
    """Once the model has written, or was given up."""
    until(lambda: all(task.over for task in app.session_state[state.TASKS].values()))
    app.run()
    assert not app.exception
    return app


def test_turns_stand_in_the_address_are_returned_to_branched_and_ended() -> None:
    app = further(asked(), "And who renews it?")
    assert app.session_state[state.QUESTION] == BY_RULE
    assert "takes the question before along" in said(app)
    assert app.query_params["turn"] == [QUESTION, BY_RULE]
    assert app.query_params["typed"] == "And who renews it?"
    reloaded = start("ask", **app.query_params)
    assert reloaded.session_state[state.ASKED] == BY_RULE
    assert "takes the question before along" in said(reloaded)
    app = press(reloaded, f"1\\. {QUESTION}")
    assert app.session_state[state.ASKED] == QUESTION
    assert app.query_params["turn"] == [QUESTION, BY_RULE]  # both stay, until the earlier one is asked on from
    app = further(app, "Where does the gateway stand in all of its long history?")
    assert app.query_params["turn"] == [QUESTION, app.session_state[state.ASKED]]
    app.text_input(key=state.QUESTION).set_value("Which gateway?")
    assert press(app, "Ask").query_params["turn"] == [QUESTION, "Which gateway?"]  # the wording, mended
    app = press(app, "New conversation")
    assert app.session_state[state.ASKED] == ""
    assert "turn" not in app.query_params


def test_a_model_rewrites_is_shown_and_what_it_wrote_can_be_set_aside() -> None:
    with endpoint(Script.words("3600 seconds [1]."), Script.words('["Who renews an access token?"]')) as served:
        language.save(LanguageSettings(served.address, "small", agreed=(served.address,), timeout_seconds=20.0))
        app = settled(settled(further(settled(asked()), "And who renews it?")))
        prompt = next(prompt for prompt in served.prompts if "Last question" in prompt)
        asked_for = len(served.prompts)
        app = settled(press(app, f"1\\. {QUESTION}"))
        app = settled(press(app, "2\\. Who renews an access token?"))
        assert len(served.prompts) == asked_for, "an answer is kept with its question"
    assert app.session_state[state.ASKED] == "Who renews an access token?"
    assert "3600 seconds [1]." in prompt
    assert any(block.value.strip() == prompt.strip() for block in app.code)
    app = press(app, "Ask it as typed")
    assert app.session_state[state.QUESTION] == "And who renews it?"
    assert app.query_params["turn"] == [QUESTION, "And who renews it?"]


def test_a_rewriting_that_fails_says_so_and_one_that_is_cancelled_asks_nothing() -> None:
    with endpoint(Script.words("3600 seconds [1]."), Script.status(500, "down"), Script.words("It is.")) as served:
        language.save(LanguageSettings(served.address, "small", agreed=(served.address,), timeout_seconds=20.0))
        served.answers[1:2] = [Script.status(501, "down")]
        app = settled(settled(further(settled(asked()), "And who renews it?")))
        assert app.session_state[state.ASKED] == BY_RULE
        assert "status 501" in said(app).replace("\\", "")
        served.answers[:] = [Script.pings]
        app = press(further(app, "Why?"), "Cancel")
        app.run()
    assert app.session_state[state.ASKED] == BY_RULE
    assert app.text_input(key=state.FURTHER).value == ""
