"""Ask: what was found, what the reader gets of it, and how every stage judged it."""

from __future__ import annotations

import streamlit as st

from core.library import Scope
from core.settings import Settings
from pages.ui import dials, judging_row, keys, readings, samples, services, state, words
from pages.ui.entry import enter
from pages.ui.evidence import show_evidence, show_quotes
from pages.ui.ladder import show_ladder, show_scores, show_timings
from pages.ui.nothing import show_nothing
from pages.ui.scope import scope_row
from pages.ui.tour import show_tour

QUESTION = "Question"  # the label of the field, by which the key / finds it


def main() -> None:
    """Question, dials, and what came of them."""
    library = services.library()
    if not library.sources():
        nothing_yet()
        return
    show_tour("ask")
    scope = scope_row(library)
    question_row()
    settings = dials.ask_dials(library.settings)
    question = st.session_state.get(state.ASKED, "")
    if question:
        show_result(question, settings, scope)
    else:
        suggestions()
    keys.show_keys(keys.ASK, QUESTION)


def nothing_yet() -> None:
    """What this page is for, before there is anything to ask."""
    show_nothing(
        "Ask",
        "The library is empty. Put documents in, or load the samples, and ask them here.",
        (
            ("format_quote", "The answer", "Sentences quoted from your documents word for word, each with its place."),
            ("join_inner", "The evidence", "The chunks that were found beside the passages they grew into."),
            ("stairs", "The way there", "How meaning and words ranked every chunk, stage by stage."),
        ),
    )


def question_row() -> None:
    """The question and its button; Enter asks too."""
    with st.form("ask.form", border=False):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        row.text_input(
            QUESTION,
            key=state.QUESTION,
            placeholder="Ask your documents, in whole sentences or a few words",
            label_visibility="collapsed",
            persist_state="session",
            max_chars=2000,
        )
        if row.form_submit_button("Ask", type="primary", width=84):
            st.session_state[state.ASKED] = st.session_state[state.QUESTION].strip()


def suggestions() -> None:
    """What to ask first, and what will come of it."""
    st.caption(
        "You get three things: sentences quoted from your documents, each with its place; the chunks that were found, "
        "with their scores; and what they grew into, which is what a language model would read."
    )
    found = samples.questions(services.library().sources())
    if not found:
        return
    st.markdown("**Questions the samples are made for**")
    with st.container(gap="xsmall"):
        for number, question in enumerate(found):
            st.button(
                words.escaped(question),
                key=f"ask.example.{number}",
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=ask,
                args=[question],
            )


def ask(question: str) -> None:
    """Take a suggested question."""
    st.session_state[state.QUESTION] = st.session_state[state.ASKED] = question


def show_result(question: str, settings: Settings, scope: Scope) -> None:
    """Quotes, children, passages, and below them every stage."""
    # Encoding the sentences to quote takes longer than searching: their place is kept, the rest is drawn at once.
    above = st.container()
    with st.spinner("Searching … the first question also loads the encoder, a few seconds"):
        result = services.search(question, settings, scope)
    judging_row.show_row(question, result.passages)
    if not result.hits:
        nothing_found(scope)
        return
    sources = services.library().sources()
    titles = {source.version_id: source.title for source in sources}
    kinds = {source.version_id: source.document_kind for source in sources}

    def kind_of(version: str) -> str:
        return kinds.get(version, "")

    opened = show_evidence(result, settings, lambda version: readings.document(version).blocks, kind_of)
    ladder, scores, prompt, timings = st.tabs(["Stages", "Scores", "Prompt", "Timings"])
    with ladder:
        st.caption(
            "Each line is a chunk on its way through the stages: a solid line with a filled mark ends in the context, "
            "a broken one with an open mark does not. Point at a mark for its rank and score."
        )
        show_ladder(result, settings, titles)
    with scores:
        show_scores(result, settings, titles)
    with prompt:
        st.caption(
            f"Exactly what a language model would be given: {words.count(len(result.context.prompt), 'character')}."
        )
        st.code(result.context.prompt, language=None, wrap_lines=True, height=420)
    with above:
        answer, quoting = services.quotes(question, settings, scope)
        target = show_quotes(answer, result, kind_of) or opened
    with timings:
        show_timings(dict(result.timings_ms), quoting)
    if target:
        st.switch_page("pages/chunks.py", query_params=target)


def nothing_found(scope: Scope) -> None:
    """Why there may be nothing, and what to turn."""
    where = "Search in more collections or tags, lower" if not scope.everything else "Lower"
    st.info(
        f"No chunk passed. {where} the least similarity at the left, or ask in other words.",
        icon=":material/filter_alt_off:",
    )


enter()
main()
