"""Three corrections of how Streamlit runs scripts, without which a page goes blank or a click is lost. Importing this
installs them.

``OneScript``: a click while a script runs starts a second script at once, and the first stops at its next step (fast
reruns). In Streamlit 1.67 each of the two has its own ``SafeSessionState``, with its own lock, around one shared state.
So one script may remove widgets while the other adds some and fails ("dictionary changed size during iteration"). And
the first script, when it ends, may discard the click that started the second.

``PagedRunner``: a fragment of a page that was left may still ask to run while the next page is drawn. Streamlit finds
that the fragment is gone, but has already told the browser that a script of the previous page began. The browser then
discards what is drawn, and what a fragment of the new page draws next has no place ("Bad delta path").

``PatientSession``: what a script draws reaches the browser through the event loop. If a fragment asks to run when the
script has ended, but the loop has yet to pass on the last of what it drew, Streamlit starts another script at once and
throws that away: the click that drew it seems swallowed. And a click in a fragment waits for the script that runs; if a
click elsewhere stops that script first, Streamlit forgets the one that waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import app_session, websocket_session_manager
from streamlit.runtime.scriptrunner import RerunData, script_runner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType, _coalesce_widget_states
from streamlit.runtime.state import SafeSessionState, SessionState

_AGAIN_SECONDS = 0.01


class OneScript(SafeSessionState):
    """Session state with one lock for all scripts of a session; only the newest script removes unused widgets."""

    def __init__(self, state: SessionState, yield_callback: Callable[[], None]) -> None:
        super().__init__(state, yield_callback)
        session = vars(state.query_params)  # per session, as the state is, which has slots and takes no attributes
        object.__setattr__(self, "_lock", session.setdefault("lectern_lock", self._lock))
        session["lectern_newest"] = self

    def on_script_finished(self, *arguments: Any, **options: Any) -> None:
        """Remove the widgets that the script did not draw, unless a newer script runs, which may have drawn them."""
        with self._lock:
            if vars(self._state.query_params)["lectern_newest"] is self:
                super().on_script_finished(*arguments, **options)


script_runner.SafeSessionState = OneScript  # type: ignore[attr-defined] # the one place where Streamlit makes them


class PagedRunner(script_runner.ScriptRunner):
    """Runs fragments as part of the page that is drawn now, whatever page the browser was on when it asked."""

    def _run_script(self, rerun_data: RerunData) -> None:
        drawn = self._pages_manager.current_page_script_hash
        if rerun_data.fragment_id_queue and drawn:
            rerun_data = replace(rerun_data, page_script_hash=drawn)
        super()._run_script(rerun_data)


app_session.ScriptRunner = PagedRunner  # type: ignore[attr-defined] # the one place where Streamlit makes them, too


def _taken(runner: script_runner.ScriptRunner) -> WidgetStates | None:
    """What the browser sent with a request that still waits for this runner, which is to stop; it will not begin."""
    requests = runner._requests
    with requests._lock:
        if requests._state is not ScriptRequestType.RERUN:
            return None
        requests._state = ScriptRequestType.STOP
        return requests._rerun_data.widget_states


class PatientSession(app_session.AppSession):
    """A session that starts no script before the browser has been told all that the last one drew, and that hands a
    click which still waits to the script that takes over.
    """

    def request_rerun(self, client_state: ClientState | None) -> None:
        if client_state and not client_state.fragment_id and self._scriptrunner:
            waiting = _taken(self._scriptrunner)
            if both := waiting and _coalesce_widget_states(waiting, client_state.widget_states):
                client_state.widget_states.CopyFrom(both)
        super().request_rerun(client_state)

    def _create_scriptrunner(self, initial_rerun_data: RerunData) -> None:
        if self._state is app_session.AppSessionState.SHUTDOWN_REQUESTED:  # meanwhile, where this is asked again
            return
        ended = self._scriptrunner  # none for a full run, which draws everything anew and does not wait
        if ended is None:
            super()._create_scriptrunner(initial_rerun_data)
        elif not ended.request_rerun(initial_rerun_data):
            self._event_loop.call_later(_AGAIN_SECONDS, self._create_scriptrunner, initial_rerun_data)


websocket_session_manager.AppSession = PatientSession  # type: ignore[attr-defined] # of browsers, all of them
