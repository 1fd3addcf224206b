"""What is found out about chunks: what of it is searched as words, how many keywords, how alike near-duplicates are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.settings import FEATURE_GROUPS, INDEXED_FEATURES, EnrichingSettings
from core.settings.enriching import group_of
from pages.ui import background, services, words

INDEXED_WORDS = {
    "keywords": "Keywords",
    "names": "Names of people and places",
    "organisations": "Organisations",
    "symbols": "Symbols of code",
    "versions": "Versions",
    "dates": "Dates, as 2026-03-14",
    "genre": "Genre of the document",
    "section_type": "What it reads as",
}
COST = (
    "Changing what is indexed, or the number of keywords while they are indexed, indexes every document anew in the "
    "background; no text is encoded again, and questions go on meanwhile. The rest is found out anew when it is shown."
)


def show_enriching() -> None:
    """The dials in one form, with what they cost; a button makes them the library's own."""
    library = services.library()
    now = library.settings.enriching
    busy = bool(background.active_jobs("apply"))
    with st.form("settings.enriching", border=True):
        indexed = st.multiselect(
            "Indexed as words beside a chunk's own text",
            INDEXED_FEATURES,
            default=[name for name in INDEXED_FEATURES if name in now.indexed],
            format_func=INDEXED_WORDS.__getitem__,
            placeholder="Nothing else",
            key="settings.indexed",
            help="The search by words finds a chunk by these too. What is not chosen is found out all the same: it "
            "is shown beside the chunk, and left to ranking.",
        )
        left, right, _ = st.columns([1, 2, 1])
        keywords = left.number_input(
            "Keywords of a chunk, at most", 0, 50, now.keywords, key="settings.keywords", help="0 looks for none."
        )
        alike = right.slider(
            "Two passages are nearly the same from",
            50,
            100,
            round(100 * now.twin_similarity),
            format="%d %%",
            key="settings.twins",
            help="Of their runs of words, so many are common to both.",
        )
        st.caption(f"{COST} This library: {words.count(services.stats().documents, 'document')}.")
        if st.form_submit_button("Apply", type="primary", disabled=busy or not library.writable):
            wanted = chosen(now, indexed, int(keywords), int(alike))
            if wanted != now:
                background.start_apply(replace(library.settings, enriching=wanted))
                st.switch_page("pages/library.py")


def chosen(now: EnrichingSettings, indexed: Sequence[str], keywords: int, alike: int) -> EnrichingSettings:
    """The settings the dials say; a group that was off is found out where its words are indexed.

    ``alike``: in percent. A share between two percents stays as it is where the dial was not turned.

    >>> chosen(EnrichingSettings(features=("genre",)), ["names"], 3, 80).features
    ('genre', 'entities')
    """
    groups = {*now.features, *map(group_of, indexed)}
    return EnrichingSettings(
        features=now.features if groups == {*now.features} else tuple(one for one in FEATURE_GROUPS if one in groups),
        keywords=keywords,
        indexed=now.indexed
        if {*indexed} == {*now.indexed}
        else tuple(one for one in INDEXED_FEATURES if one in indexed),
        twin_similarity=now.twin_similarity if alike == round(100 * now.twin_similarity) else alike / 100,
    )
