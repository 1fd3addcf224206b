"""Ask: what was found, what the reader gets of it, and how every stage judged it."""

from __future__ import annotations

import streamlit as st

from core.library import Scope
from core.settings import Settings
from pages.ui import ask_results, authority, dials, judging_row, keys, readings, rerankers, services, state
from pages.ui.ask_answer import show_answer
from pages.ui.ask_chips import ignored, show_chips, stated
from pages.ui.ask_conflicts import show_conflicts
from pages.ui.ask_notes import show_notes
from pages.ui.ask_question import QUESTION, question_row, suggestions
from pages.ui.ask_results import Inquiry
from pages.ui.ask_tabs import show_tabs
from pages.ui.ask_why import show_why
from pages.ui.entry import enter
from pages.ui.evidence import show_evidence
from pages.ui.nothing import show_nothing
from pages.ui.scope import scope_row
from pages.ui.tour import show_tour


def main() -> None:
    """Question, dials, and what came of them."""
    library = services.library()
    if not library.sources():
        nothing_yet()
        return
    show_tour("ask")
    scope = scope_row(library)
    base = question_row(library.settings)
    settings = dials.ask_dials(base, writer=library.writer is not None)
    question = st.session_state.get(state.ASKED, "")
    if question:
        asking = st.session_state.get(state.ASKING, "")
        inquiry = Inquiry(question, scope, ignored(question), stated(question), asking)
        target = show_result(inquiry, settings, base)
        if target:
            st.switch_page("pages/chunks.py", query_params=target)
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


def show_result(inquiry: Inquiry, settings: Settings, base: Settings) -> dict[str, str] | None:
    """Quotes, children, passages, and below them every stage; returns a place to open in Chunks."""
    # Encoding the sentences to quote takes longer than searching: their place is kept, the rest is drawn at once.
    above = st.container()
    with st.spinner("Searching … the first question also loads the encoder, a few seconds"):
        result, made_by = ask_results.search_at_once(inquiry, settings)
    judging_row.show_row(inquiry.question, result.passages)
    kinds = {source.version_id: source.document_kind for source in services.library().sources()}

    def kind_of(version: str) -> str:
        return kinds.get(version, "")

    target = None
    if result.hits:
        target = show_evidence(result, made_by, lambda version: readings.document(version).blocks, kind_of)
        told = rerankers.reread(result.timings_ms, made_by.reranking.candidates)
        show_notes(result.clustered, (*result.notes, *told), settings)
        target = show_tabs(inquiry, result, settings, base, kind_of) or target
    else:
        nothing_found(inquiry.scope, bool(result.understood.conditions))
        show_why(inquiry, settings, services.library().sources())
    with above:
        show_chips(inquiry.question, result.understood, settings.understanding)
        target = show_conflicts(result.conflicts, settings.answering.authority, kinds, authority.off()) or target
        if result.hits:
            answered = ask_results.answer(inquiry, result, made_by)
            target = show_answer(answered.nearest, answered.support, result, kind_of, answered.compared) or target
    return target


def nothing_found(scope: Scope, filtered: bool) -> None:
    """Why there may be nothing, and what to turn. ``filtered``: the question itself leaves documents out."""
    ways = ["take an “only” of the question away"] if filtered else []
    ways += [] if scope.everything else ["search in more collections or tags"]
    way = ", ".join([*ways, "lower the least similarity at the left, or ask in other words"])
    st.info(f"No chunk passed. {way[0].upper()}{way[1:]}.", icon=":material/filter_alt_off:")


enter()
main()
