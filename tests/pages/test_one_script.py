"""Scripts of one session that meet: neither dies of the other, nor takes its click, its page, or what it drew."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from streamlit import runtime
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session, websocket_session_manager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner import RerunData, script_runner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
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


PAGE = """
import time
import streamlit as st

def clicked(name):
    st.session_state["clicked"] = [*st.session_state.get("clicked", []), name]

@st.fragment
def part():
    st.session_state["part"] = st.session_state.get("part", 0) + 1
    st.button("inside", key="inside", on_click=clicked, args=("inside",))
    st.write(f"part {st.session_state['part']}")

part()
st.session_state["times"] = st.session_state.get("times", 0) + 1
st.button("outside", key="outside", on_click=clicked, args=("outside",))
st.write(f"page {st.session_state['times']}")
time.sleep(st.session_state.get("seconds", 0))
"""


class Window:
    """What a browser's window is to a session of ``PAGE``, which it has drawn once."""

    @classmethod
    async def opened(cls, folder: Path) -> Window:
        self = cls()
        (folder / "page.py").write_text(PAGE, encoding="utf-8")
        made = websocket_session_manager.AppSession  # type: ignore[attr-defined] # as a browser's is made
        files = MemoryUploadedFileManager("/media")
        self.session = made(ScriptData(str(folder / "page.py")), files, ScriptCache(), None, {})
        self.ask()
        await self.ended()
        (self.fragment,) = self.session._fragment_storage._fragments
        self.session.flush_browser_queue()
        return self

    def ask(self, button: str = "", fragment: str = "") -> None:
        """Ask for a run, of the page or of its fragment, for a click on a button or without one."""
        widget = self.session.session_state._key_id_mapper.get_id_from_key(button) if button else ""
        clicked = [WidgetState(id=widget, trigger_value=True)] if button else []
        self.session.request_rerun(ClientState(fragment_id=fragment, widget_states=WidgetStates(widgets=clicked)))

    async def ended(self) -> None:
        while self.session._scriptrunner:
            await asyncio.sleep(0.01)


def within_a_minute(told: Coroutine[None, None, list[str]], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(runtime, "get_instance", MagicMock())  # it keeps media, of which there are none
    return asyncio.run(asyncio.wait_for(told, 60))


def test_what_a_click_drew_arrives_though_a_fragment_asks_before_it_was_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def drawn() -> list[str]:
        window = await Window.opened(tmp_path)
        window.ask()
        window.session._scriptrunner._script_thread.join()  # meanwhile the loop, which waits here, sends nothing
        window.ask(fragment=window.fragment)
        while window.session.session_state["part"] < 3:
            await asyncio.sleep(0.01)
        await window.ended()
        sent = [message.delta.new_element.markdown.body for message in window.session.flush_browser_queue()]
        window.session.shutdown()
        return [text for text in sent if text]

    assert within_a_minute(drawn(), monkeypatch) == ["page 2", "part 3"]  # a part drawn anew replaces itself


def test_a_click_in_a_fragment_that_waits_is_not_lost_to_one_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def clicked() -> list[str]:
        window = await Window.opened(tmp_path)
        state = window.session.session_state
        state["seconds"] = 0.3
        window.ask()
        while state["times"] < 2:
            await asyncio.sleep(0.01)
        window.ask("inside", window.fragment)
        window.ask("outside")
        await window.ended()
        window.session.shutdown()
        return sorted(state["clicked"])

    assert within_a_minute(clicked(), monkeypatch) == ["inside", "outside"]
