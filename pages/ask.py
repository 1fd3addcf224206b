"""The Ask page: a question, its answer, the evidence, and the ranks at every stage."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import streamlit as st

from core.enriching.targets import slug
from core.inspecting.as_markdown import questions_as_markdown
from core.library import SearchResult
from core.search.answer.line import in_words
from core.search.answer.support import Support
from core.search.question.query import Query
from core.search.result import by_words_alone
from core.settings import Settings
from pages.ui.ask import conversation, written
from pages.ui.ask import place as ask_place
from pages.ui.ask import results as ask_results
from pages.ui.ask.answer import answer_place, ask_again, show_answer, turn_of
from pages.ui.ask.chips import ignored, show_chips
from pages.ui.ask.conflicts import show_conflicts
from pages.ui.ask.dials import sidebar
from pages.ui.ask.evidence import show_ending, show_evidence
from pages.ui.ask.question import QUESTION, library_line, question_row, scope_row, suggestions
from pages.ui.ask.question import turns as question_turns
from pages.ui.ask.tabs import show_tabs
from pages.ui.ask.why import show_why
from pages.ui.ask.written_text import show_check
from pages.ui.library import judging_list
from pages.ui.settings import rerankers
from pages.ui.shared import background, keys, services, state, tasks
from pages.ui.shared.empty_states import show_nothing
from pages.ui.shared.entry import enter
from pages.ui.shared.words import escaped

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def main() -> None:
    """Draw the question, the dials and the result."""
    library = services.library()
    if not (documents := len(services.sources())):
        nothing_yet()
        return
    ask_place.arrive(library)
    conversation.arrive()
    library_line(documents)
    above = st.container()
    scope = scope_row(library)
    base = question_row(library.settings)
    with above:
        conversation.show_turns()
    conversation.show_wording()
    settings = sidebar.ask_dials(base, writer=library.writer is not None)
    question = st.session_state.get(state.ASKED, "")
    ask_place.say(library, question, settings, base)
    if question:
        asking = st.session_state.get(state.ASKING, "")
        show_result(Query(question, scope, ignored(question), asking), settings, base)
    else:
        suggestions()
    show_check(scope, settings)
    keys.show_keys(keys.ASK, QUESTION)


def nothing_yet() -> None:
    """Draw the page of an empty library."""
    show_nothing(
        "Ask",
        "The library is empty. Put documents in, or load the samples, and ask them here.",
        (
            ("format_quote", "The answer", "Sentences quoted from your documents word for word, each with its place."),
            ("join_inner", "The evidence", "The chunks that were found beside the passages they grew into."),
            ("stairs", "The way there", "How meaning and words ranked every chunk, stage by stage."),
        ),
    )


def show_result(query: Query, settings: Settings, base: Settings) -> None:
    """Draw the answer, the evidence and the tabs.

    The answer's place is reserved and filled last, because encoding the sentences to quote takes longer than searching.
    """
    another = st.session_state.get(state.QUOTED) != query.question
    turn = turn_of(query.question)
    above, quoted, further, below = answer_place(turn), answer_place(turn), st.container(), answer_place(turn)
    with below, st.spinner("Searching … the first question also loads the encoder, a few seconds"):
        result, made_by = ask_results.search_at_once(query, settings)
    with below:
        show_found(query, result, made_by, settings, base, above)
    if result.hits:
        with quoted:
            by_model = written.chosen()
            if by_model:
                ask_results.note(query, result, None)
            if by_model and made_by != settings and tasks.is_running(ask_results.RERANKING):
                st.caption("The answer is written once the best chunks are read again.")
            elif not (by_model and written.show_written(query, result)):
                show_quotes(query, result, made_by, another=another)
    with further:
        conversation.show_further(lambda: _answer_in_words(result, made_by))
    st.session_state[state.QUOTED] = query.question


def show_found(
    query: Query, result: SearchResult, made_by: Settings, settings: Settings, base: Settings, above: DeltaGenerator
) -> None:
    """Draw the evidence and the tabs below the answer. ``above``: the place of chips and warnings, above the answer."""
    judging_list.show_row(query.question, result.passages)
    words_alone = next((note for note in result.notes if by_words_alone([note])), "")
    if words_alone:
        with above:
            st.warning(escaped(words_alone), icon=":material/cloud_off:")
            st.page_link("pages/settings.py", label="The embedder's address", icon=":material/settings:")
    elif made_by.retrieval.dense_weight:
        background.encode_when_back()
    if result.hits:
        show_ending(result, made_by)
        show_evidence(result, made_by)
        reranked = rerankers.reread(result.timings_ms, made_by.reranking.candidates)
        shown_with_chips = (*result.understood.notes, words_alone)
        notes = (note for note in result.notes if note not in shown_with_chips)
        for note in (*notes, *reranked):
            st.caption(f":material/info: {escaped(note)}")
        save_markdown(query, result, made_by)
        show_tabs(query, result, settings, base)
    else:
        nothing_found(query, made_by, filtered=bool(result.understood.conditions))
        ask_results.note(query, result, Support(0.0, enough=False, sentence=""))
        show_why(query, settings, services.sources())
    with above:
        show_chips(query.question, result.understood, result.notes)
        show_conflicts(result.conflicts)


def show_quotes(query: Query, result: SearchResult, made_by: Settings, *, another: bool) -> None:
    """Draw the quoted answer. ``another``: the quotes on the page are those of another question."""
    place: AbstractContextManager[object] = st.empty() if another else nullcontext()
    with place, st.spinner("Choosing the sentences to quote …") if another else nullcontext():
        line = ask_results.answer(result, made_by)
    ask_results.note(query, result, line.support, line.milliseconds)
    with place:
        coming = show_answer(line.answer, line.support, result)
    if coming:
        ask_again(query.question)


def _answer_in_words(result: SearchResult, made_by: Settings) -> str:
    """The written answer as text; without one, the quotes."""
    if draft := written.draft_of(result.question):
        return draft.text
    return "\n".join(map(in_words, ask_results.answer(result, made_by).answer.quotes))


def save_markdown(query: Query, result: SearchResult, made_by: Settings) -> None:
    """A download of the conversation with answers and evidence, made at the click."""
    library, turns = services.library(), question_turns()

    def made() -> str:
        asked = [
            library.search(turn, made_by, scope=query.scope) if turn != result.question else result for turn in turns
        ]
        lines = [library.searcher.answer(one, made_by.answering) for one in asked or [result]]
        answers = [written.as_markdown(one.question) for one in asked or [result]]
        return questions_as_markdown(asked or [result], lines, library.home.name, answers)

    st.download_button(
        "Save as Markdown",
        made,
        f"{slug((turns or [result.question])[0])[:60].strip('-_') or 'question'}.md",
        mime="text/markdown",
        key="ask.markdown",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help="With the answer and every passage, each with file, page and characters.",
    )


def nothing_found(query: Query, settings: Settings, *, filtered: bool) -> None:
    """Draw what may help when nothing was found. ``filtered``: the question contains filters."""
    reading = background.pending_documents()
    ways = ["ask again once more documents are read"] if reading else []
    ways += ["take an “only” of the question away"] if filtered else []
    ways += [] if query.scope.everything else ["search in more collections or tags"]
    ways += ["lower the least similarity among the dials"] if settings.retrieval.min_similarity > -1 else []
    way = ", ".join([*ways, "or ask in other words"] if ways else ["ask in other words"])
    st.info(f"Nothing was found. {way[0].upper()}{way[1:]}.", icon=":material/filter_alt_off:")
    if reading:
        ask_again(query.question)


enter("ask")
main()
