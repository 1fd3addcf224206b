"""Any text held against the library: pasted, and drawn with a mark behind every sentence."""

from __future__ import annotations

import streamlit as st

from core.errors import LecternError
from core.library import Scope
from core.search.checking.checking import Verdict
from core.search.checking.library_check import check_text
from core.settings import Settings
from pages.ui.ask.source import KindOf
from pages.ui.ask.written_text import show_text
from pages.ui.shared import services, tasks, words

TITLE = "Check a text against the library"
_TEXT, _ASKED, _CHECKING = "ask.check.text", "ask.check.asked", "checking"
_DONE = "ask.check.done"


def show_check(scope: Scope, settings: Settings, kind_of: KindOf) -> dict[str, str] | None:
    """The fold, its field and what came of it; returns a place to open in Chunks."""
    with st.expander(TITLE, icon=":material/fact_check:", key="ask.check"):
        with st.form("ask.check.form", border=False):
            st.text_area(
                TITLE,
                key=_TEXT,
                label_visibility="collapsed",
                placeholder="Paste a text: each sentence is searched for, and held against what is found.",
                height=120,
                max_chars=40_000,
            )
            if st.form_submit_button("Check it"):
                st.session_state[_ASKED] = st.session_state[_TEXT].strip()
        asked = st.session_state.get(_ASKED, "")
        return _show(asked, scope, settings, kind_of) if asked else None


def _show(text: str, scope: Scope, settings: Settings, kind_of: KindOf) -> dict[str, str] | None:
    library = services.library()
    key = (text, scope, settings.fingerprint(), library.revision())
    known: tuple[object, list[Verdict]] | None = st.session_state.get(_DONE)
    if known is None or known[0] != key:
        searcher = library.searcher
        task = tasks.begun(_CHECKING, key, lambda task: check_text(searcher, text, settings, scope, task.tell))
        said = "Holding sentence {done} of {total} against the library …"
        if not tasks.finished(_CHECKING, task, said, lambda: st.session_state.pop(_ASKED, None)):
            return None
        try:
            known = (key, task.result())
        except LecternError as error:
            st.warning(words.escaped(str(error)), icon=":material/error:")
            return None
        st.session_state[_DONE] = known
    return show_text(text, known[1], (), kind_of, key="ask.checked")
