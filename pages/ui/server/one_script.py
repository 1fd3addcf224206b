"""One script at a time in a window's session, where Streamlit would let two into it; and each for the page it is of.

A click while a script runs starts another at once, and the first stops at its next step (fast reruns). Each of the two
looks at the same state through a ``SafeSessionState`` with a lock of its own (Streamlit 1.67, ``ScriptRunner``): one
takes widgets down while the other puts them up and dies of it ("dictionary changed size during iteration"), which is a
white page; and a first script that ends meanwhile takes the second one's click back.

A fragment of a page that was left may still ask to run when the next one is drawn. Streamlit finds it gone, but
has told the browser by then that a script of the page before began: what is drawn is thrown away there, and what a
fragment of the new page draws next has no place ("Bad delta path"), which is a white page, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from streamlit.runtime import app_session
from streamlit.runtime.scriptrunner import RerunData, script_runner
from streamlit.runtime.state import SafeSessionState, SessionState


class OneScript(SafeSessionState):
    """A script's way to the state of its session: one lock for all of them, and only the newest script tidies up."""

    def __init__(self, state: SessionState, yield_callback: Callable[[], None]) -> None:
        super().__init__(state, yield_callback)
        session = vars(state.query_params)  # the state itself has slots; this is made with it and lives as long
        object.__setattr__(self, "_lock", session.setdefault("lectern_lock", self._lock))
        session["lectern_newest"] = self

    def on_script_finished(self, *told: Any, **also: Any) -> None:
        """Take down what the script did not draw; one that was overtaken does not know, as one that is stopped."""
        with self._lock:
            if vars(self._state.query_params)["lectern_newest"] is self:
                super().on_script_finished(*told, **also)


script_runner.SafeSessionState = OneScript  # type: ignore[attr-defined] # the one place where Streamlit makes them


class PagedRunner(script_runner.ScriptRunner):
    """Runs fragments as what they are: of the page that is drawn, whatever page the browser was on as it asked."""

    def _run_script(self, rerun_data: RerunData) -> None:
        drawn = self._pages_manager.current_page_script_hash
        if rerun_data.fragment_id_queue and drawn:
            rerun_data = replace(rerun_data, page_script_hash=drawn)
        super()._run_script(rerun_data)


app_session.ScriptRunner = PagedRunner  # type: ignore[attr-defined] # the one place where Streamlit makes them, too
