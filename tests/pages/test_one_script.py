"""Two scripts in one session, as fast reruns leave them: neither dies of the other, nor takes its click or its page."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.scriptrunner import RerunData, script_runner
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata

from pages.ui.server import one_script as _  # noqa: F401 - it makes one lock of two

CLICK = "$$ID-click-None"


def a_script(state: SessionState) -> SafeSessionState:
    """As ``ScriptRunner`` makes it."""
    made: SafeSessionState = script_runner.SafeSessionState(state, lambda: None)  # type: ignore[attr-defined]
    return made


class Walked(dict):  # type: ignore[type-arg] # what Streamlit keeps
    """Lets another script come between as soon as somebody walks through it."""

    walked, written = Event(), Event()

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            self.walked.set()
            self.written.wait(0.5)
            yield key


def test_a_script_writes_while_another_takes_widgets_down() -> None:
    state = SessionState()
    state._old_state = Walked(one=1, two=2, three=3)
    first, second = a_script(state), a_script(state)

    def write() -> None:
        Walked.walked.wait(60)
        with first.query_params():
            state._old_state["four"] = 4
        Walked.written.set()

    other = Thread(target=write)
    other.start()
    second.on_script_finished(frozenset())  # "dictionary changed size during iteration", with a lock each
    other.join()
    assert second["four"] == 4


@pytest.mark.parametrize(("overtaken", "held"), [(False, False), (True, True)])
def test_only_the_newest_script_takes_a_click_back(overtaken: bool, held: bool) -> None:
    state = SessionState()
    script = a_script(state)
    newest = a_script(state) if overtaken else script
    told = WidgetMetadata(
        CLICK, lambda value: bool(value), lambda value: value, "trigger_value", None, fragment_id=None
    )
    newest.register_widget(told, None)
    clicked = WidgetStates(widgets=[WidgetState(id=CLICK, trigger_value=True)])
    newest.on_script_will_rerun(clicked)
    assert newest.register_widget(told, None).value is True
    script.on_script_finished(frozenset([CLICK]))
    assert newest.register_widget(told, None).value is held


@pytest.mark.parametrize(("fragments", "told"), [(["gone"], "drawn"), ([], "left")])
def test_a_fragment_of_a_page_that_was_left_runs_as_one_of_the_page_that_is_drawn(
    fragments: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(
        script_runner.ScriptRunner, "_run_script", lambda runner, asked: ran.append(asked.page_script_hash)
    )
    runner = object.__new__(app_session.ScriptRunner)  # as a session makes it
    runner._pages_manager = SimpleNamespace(current_page_script_hash="drawn")  # type: ignore[assignment]
    runner._run_script(RerunData(page_script_hash="left", fragment_id_queue=fragments))
    assert ran == [told]
