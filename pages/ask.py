"""Ask: what was found, what the reader gets of it, and how every stage judged it."""

from __future__ import annotations

import streamlit as st

from core.settings import Settings
from pages.ui import dials, samples, services, state, words
from pages.ui.entry import enter
from pages.ui.evidence import show_evidence, show_quotes
from pages.ui.ladder import show_ladder, show_scores


def main() -> None:
    """Question, dials, and what came of them."""
    library = services.library()
    if not library.sources():
        st.title("Ask")
        st.info(
            "The library is empty. Put documents in, or load the samples, and ask them here.", icon=":material/upload:"
        )
        st.page_link("pages/library.py", label="Go to the library", icon=":material/library_books:")
        return
    question_row()
    settings = dials.ask_dials(library.settings)
    question = st.session_state.get(state.ASKED, "")
    if question:
        show_result(question, settings)
    else:
        suggestions()


def question_row() -> None:
    """The question and its button; Enter asks too."""
    with st.form("ask.form", border=False):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        row.text_input(
            "Question",
            key=state.QUESTION,
            placeholder="Ask your documents, in whole sentences or a few words",
            label_visibility="collapsed",
            persist_state="session",
            max_chars=2000,
        )
        if row.form_submit_button("Ask", type="primary", width=84):
            st.session_state[state.ASKED] = st.session_state[state.QUESTION].strip()


def suggestions() -> None:
    """What to ask first."""
    found = samples.questions(services.library().sources())
    if not found:
        st.caption("The answer is quoted from your documents word for word, each sentence with its place.")
        return
    st.caption("Questions the samples are made for:")
    for number, question in enumerate(found):
        st.button(question, key=f"ask.example.{number}", icon=":material/arrow_forward:", on_click=ask, args=[question])


def ask(question: str) -> None:
    """Take a suggested question."""
    st.session_state[state.QUESTION] = st.session_state[state.ASKED] = question


def show_result(question: str, settings: Settings) -> None:
    """Quotes, children, passages, and below them every stage."""
    # Encoding the sentences to quote takes longer than searching: their place is kept, the rest is drawn at once.
    above = st.container()
    with st.spinner("Searching … the first question also loads the encoder, a few seconds"):
        result = services.search(question, settings)
    if not result.hits:
        st.info("No chunk passed. Lower the least similarity, or ask in other words.", icon=":material/filter_alt_off:")
        return
    key = services.search_key(question, settings)
    opened = show_evidence(result, settings, lambda version: services.document(version).blocks, key)
    titles = {source.version_id: source.title for source in services.library().sources()}
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
        answer, quoting = services.quotes(question, settings)
        target = show_quotes(answer) or opened
    with timings:
        show_timings(dict(result.timings_ms), quoting)
    if target:
        st.switch_page("pages/chunks.py", query_params=target)


def show_timings(timings: dict[str, float], quoting_ms: float) -> None:
    """Milliseconds of each step."""
    rows = {**timings, "quotes": quoting_ms}
    st.dataframe(
        {
            "Step": [words.STEP_WORDS.get(step, step) for step in rows],
            "Time": [words.duration(value) for value in rows.values()],
        },
        width=420,
        hide_index=True,
    )
    st.caption("As measured when this result was made; the same question again is taken from memory.")


enter()
main()
