"""A text with a verdict behind every sentence: a written answer, or a text that a person pastes to check it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.errors import LecternError
from core.evidence import Passage
from core.library import Scope
from core.search.checking.checking import Judge, Verdict, counted
from core.search.checking.claims import marks
from core.search.checking.library_check import check_text
from core.settings import Settings
from core.types import Span
from pages.ui.ask.source import open_in_chunks, source_of
from pages.ui.shared import assets, language, services, tasks, words
from pages.ui.shared.tasks import Task

TITLE = "Check a text against the library"
_TEXT, _ASKED, _CHECKING = "ask.check.text", "ask.check.asked", "checking"
_DONE = "ask.check.done"


def show_check(scope: Scope, settings: Settings) -> None:
    """Draw the folded form to check a text, and the result."""
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
        if asked := st.session_state.get(_ASKED, ""):
            _show(asked, scope, settings)


def _show(text: str, scope: Scope, settings: Settings) -> None:
    library = services.library()
    key = (text, scope, settings.fingerprint(), library.revision(), language.settings().judges)
    known: tuple[object, list[Verdict], Judge] | None = st.session_state.get(_DONE)
    if known is None or known[0] != key:
        searcher = library.searcher

        def checked(task: Task[tuple[list[Verdict], Judge]]) -> tuple[list[Verdict], Judge]:
            judge = language.judge(task.stopping)
            return check_text(searcher, text, settings, scope, task.tell, judge), judge

        task = tasks.get_or_start(_CHECKING, key, checked)
        progress = "Holding sentence {done} of {total} against the library …"
        if not tasks.finished_or_progress(_CHECKING, task, progress, lambda: st.session_state.pop(_ASKED, None)):
            return
        try:
            known = (key, *task.result())
        except LecternError as error:
            st.warning(words.escaped(str(error)), icon=":material/error:")
            return
        st.session_state[_DONE] = known
    language.show_judge_fault(known[2])
    show_text(text, known[1], (), key="ask.checked")


_written = st.components.v2.component(
    "lectern.written",
    html='<section class="lectern written" aria-label="Written answer"></section>',
    css=assets.text(__file__, "palette.css", "written.css"),
    js=assets.text(__file__, "offsets.js", "copying.js", "written.js"),
)


def show_text(
    text: str,
    verdicts: Sequence[Verdict],
    passages: Sequence[Passage],
    *,
    key: str,
    by: str = "",
    busy: bool = False,
) -> None:
    """Draw a text with its verdicts, and links from its citations.

    ``passages``: those that numbers in brackets refer to. ``by``: the model that wrote the text, "" for a pasted one.
    ``busy``: the text is still growing and not checked yet.
    """
    cited = {passage.rank: source_of(passage) for passage in passages}
    data = {
        "sentences": sentences(text, verdicts, cited),
        "counts": dict(counted(verdicts)) if verdicts else {},
        "by": by,
        "busy": busy,
    }
    open_in_chunks(_written(key=key, data=data, on_open_change=lambda: None).open, cited=True)


def sentences(text: str, verdicts: Sequence[Verdict], cited: Mapping[int, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The whole text in order, as pieces: sentences with their verdicts, and the text between them.

    ``cited``: the places of passages, by the number that cites them.

    >>> pieces = sentences("Free [1, 9].", (), {1: {}})
    >>> pieces[0]["parts"]
    [{'text': 'Free'}, {'text': ' '}, {'cite': 1}, {'cite': 9, 'lost': True}, {'text': '.'}]
    """
    found: list[dict[str, Any]] = []
    at = 0
    for verdict in verdicts:
        span = verdict.claim.span
        if span.start > at:
            found.append({"parts": _parts(text, at, span.start, cited)})
        silent = verdict.claim.is_silence
        found.append(
            {
                "parts": _parts(text, span.start, span.end, cited),
                "verdict": "" if silent else verdict.verdict,
                "reason": verdict.reason,
                "spans": [
                    {**source_of(place), "text": quote}
                    for place, quote in zip(verdict.spans, verdict.texts, strict=True)
                ],
            }
        )
        at = span.end
    if at < len(text):
        found.append({"parts": _parts(text, at, len(text), cited)})
    return found


def _parts(text: str, start: int, end: int, cited: Mapping[int, Mapping[str, Any]]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    at = 0
    piece = text[start:end]
    for span, numbers in marks(piece):
        blank = len(piece[span.start : span.end]) - len(piece[span.start : span.end].lstrip())
        parts += _texts(piece, Span(at, span.start))
        parts += _texts(piece, Span(span.start, span.start + blank))
        for number in numbers:
            known = cited.get(number)
            parts.append({"cite": number, "lost": True} if known is None else {"cite": number, **known})
        at = span.end
    return parts + _texts(piece, Span(at, len(piece)))


def _texts(piece: str, span: Span) -> list[dict[str, Any]]:
    text = piece[span.start : span.end].replace("**", "")
    return [{"text": text}] if text else []
