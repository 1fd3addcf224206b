"""The tab "By document": the question asked in each of the best documents alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.enriching.targets import slug
from core.evidence import Hit
from core.inspecting.as_markdown import documents_as_markdown
from core.library import SearchResult
from core.search.answer.line import Line, in_words
from core.search.question.query import Query
from core.settings import RerankingSettings, Settings
from pages.ui.ask import results as ask_results
from pages.ui.ask.source import open_in_chunks
from pages.ui.shared import services
from pages.ui.shared.words import escaped, page_word, place_name

TAB = "By document"
MOST = 8  # documents asked, each of which takes as long as a question


def best_of_each(hits: Sequence[Hit]) -> list[Hit]:
    """The best hit of each document, best first. ``hits``: in order of rank."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.version_id, hit)
    return list(best.values())


def show_by_document(query: Query, result: SearchResult, settings: Settings) -> None:
    """Draw the answer of each document alone as soon as it is known, and a download of all of them."""
    best, quick = best_of_each(result.hits), replace(settings, reranking=RerankingSettings())
    st.caption(
        "The same question, asked in each document alone, those first that were found first: what one says does not "
        "push out what another does."
    )
    lines: list[tuple[Hit, Line]] = []
    for at, hit in enumerate(best[:MOST]):
        with st.container(border=True, gap="xsmall", key=f"ask_document_{at}"):
            place = st.empty()
            with place, st.spinner(f"Asking {hit.document} …"):
                alone = replace(query, scope=replace(query.scope, versions=(hit.version_id,)))
                line = ask_results.answer(services.library().searcher.search(alone, quick), quick)
            place.empty()
            lines.append((hit, line))
            _show(at, hit, line)
    if len(best) > MOST:
        st.caption(f"And {len(best) - MOST:,} more documents, in which less was found.")
    st.download_button(
        "Save these as Markdown",
        lambda: documents_as_markdown(result.question, services.library().home.name, lines),
        f"{slug(result.question)[:50].strip('-_') or 'question'}-by-document.md",
        mime="text/markdown",
        key="ask.documents.markdown",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )


def _show(at: int, hit: Hit, line: Line) -> None:
    title = f"**{escaped(hit.document)}** &nbsp;:gray[{escaped(place_name(hit.source))}]"
    silent = "perhaps does not say" if line.support.unsure else "does not say"
    st.markdown(title if line.supported else f"{title} &nbsp;{silent}")
    for number, quote in enumerate(line.answer.quotes):
        text, way = st.columns([8, 1], vertical_alignment="center")
        sentence, cited = escaped(in_words(quote)), quote.citation
        text.markdown(sentence if line.supported else f":gray[nearest: {sentence}]")
        page = f"{page_word(services.kind_of(cited.version_id)).capitalize()} {cited.page}" if cited.page else "Open"
        if way.button(page, key=f"ask.document.{at}.{number}", type="tertiary", icon=":material/arrow_outward:"):
            open_in_chunks({"document": cited.version_id, "span": f"{cited.start}-{cited.end}"}, cited=True)
