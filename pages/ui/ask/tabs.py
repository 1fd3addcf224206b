"""The tabs below Ask's evidence: stages, documents, scores, prompt, timings, comparison, and absent passages."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.library import SearchResult
from core.search.question.query import Query
from core.settings import Settings
from pages.ui.ask import by_document
from pages.ui.ask import compare as ask_compare
from pages.ui.ask import results as ask_results
from pages.ui.ask.stage_ranks import show_ladder, show_scores, show_timings
from pages.ui.ask.why import TAB, bring, show_why
from pages.ui.ask.written import show_prompt
from pages.ui.shared import services, state

STAGES, EACH, SCORES, PROMPT, TIMINGS, SIDES, WHY = "Stages", by_document.TAB, "Scores", "Prompt", "Timings", "A/B", TAB


def show_tabs(query: Query, result: SearchResult, settings: Settings, base: Settings) -> None:
    """Draw the tabs; only the open one is computed."""
    sources = services.sources()
    titles = {source.version_id: source.title for source in sources}
    contents: dict[str, Callable[[], None]] = {
        STAGES: lambda: show_ladder(result, settings, titles),
        EACH: lambda: by_document.show_by_document(query, result, settings),
        SCORES: lambda: show_scores(result, settings, titles),
        PROMPT: lambda: show_prompt(result),
        TIMINGS: lambda: show_timings(
            {**result.timings_ms, "quotes": ask_results.answer(result, settings).milliseconds}
        ),
        SIDES: lambda: ask_compare.show_compared(query, result, settings, base),
        WHY: lambda: show_why(query, settings, sources, result.hits),
    }
    for tab, draw in zip(st.tabs(list(contents), key=state.ASK_TAB, on_change="rerun"), contents.values(), strict=True):
        if tab.open:
            with tab:
                bring()
                draw()
