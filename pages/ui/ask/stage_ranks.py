"""The ranks of candidates at each stage of a search, as a drawing and as a table, and the time of each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.evidence import Candidate
from core.library import SearchResult
from core.search.explaining.why_not import WhyNot
from core.settings import Settings
from pages.ui.ask.stages import KEPT, digits, scale, stage
from pages.ui.shared import assets
from pages.ui.shared.words import duration
from pages.ui.shared.words import step as step_words

LADDER_ROWS = 14  # ranks drawn of each stage
MOST_FATES = 12  # chunks drawn of a place

_ladder = st.components.v2.component(
    "lectern.ladder",
    html='<div class="lectern ladder"></div>',
    css=assets.text(__file__, "palette.css", "ladder.css"),
    js=assets.text(__file__, "ladder.js"),
)

_fates = st.components.v2.component(
    "lectern.fates",
    html='<ol class="lectern fates" aria-label="The chunks of this place, stage by stage"></ol>',
    css=assets.text(__file__, "palette.css", "ask_fates.css"),
    js=assets.text(__file__, "offsets.js", "ask_fates.js"),
)


def show_ladder(result: SearchResult, settings: Settings, titles: Mapping[str, str]) -> None:
    """Draw the ranks of the leading candidates from stage to stage; those that end in the context have filled marks.

    ``titles``: document titles by version, for chunks that were not kept.
    """
    names = {hit.chunk_id: " · ".join((*hit.headings[-1:], hit.document)) for hit in result.hits}
    kept = {hit.chunk_id: hit.rank for hit in result.hits}
    read = {chunk for passage in result.passages for chunk in passage.chunk_ids}
    stages, fusion = result.trace.stages, settings.retrieval.fusion
    rows = []
    for candidate in result.trace.candidates:
        ranks = [*(candidate.ranks.get(name, 0) for name in stages), kept.get(candidate.chunk_id, 0)]
        if any(0 < rank <= LADDER_ROWS for rank in ranks):
            scores = [_short(candidate.scores.get(name), digits(name, fusion)) for name in stages]
            label = names.get(candidate.chunk_id) or _unnamed(candidate, titles)
            is_read = candidate.chunk_id in read
            rows.append({"label": label, "fate": candidate.fate, "read": is_read, "ranks": ranks, "scores": scores})
    st.caption(
        "Each line is a chunk on its way through the stages: a solid line with a filled mark ends in the context, "
        "a broken one with an open mark does not. Point at a mark for its rank and score."
    )
    words = [stage(name).short for name in (*stages, KEPT)]
    _ladder(key="ask.ladder", data={"depth": LADDER_ROWS, "stages": words, "rows": rows})


def show_fates(explained: WhyNot, text: str, fusion: str) -> None:
    """Draw the ranks of a place's chunks stage by stage, best first. ``text``: the text of its document."""
    if not explained.fates:
        return
    rows = [
        {
            "text": " ".join(text[fate.start : fate.end].split()),
            "said": fate.said,
            "steps": [
                {
                    "word": stage(name).short,
                    "rank": fate.ranks.get(name, 0),
                    "score": f"{fate.scores[name]:.{digits(name, fusion)}f}" if name in fate.scores else "",
                    "scale": scale(name, fusion),
                }
                for name in explained.stages
            ],
        }
        for fate in explained.fates[:MOST_FATES]
    ]
    _fates(key="ask.fates", data={"rows": rows})
    if len(explained.fates) > MOST_FATES:
        st.caption(f"{len(explained.fates) - MOST_FATES:,} more chunks of this place are ranked behind these.")


def show_scores(result: SearchResult, settings: Settings, titles: Mapping[str, str]) -> None:
    """Draw all candidates of the trace, best first, with their outcome, and their rank and score at each stage."""
    names = {hit.chunk_id: " › ".join(dict.fromkeys((hit.document, *hit.headings))) for hit in result.hits}
    kept = {hit.chunk_id: hit.rank for hit in result.hits}
    stages, fusion = result.trace.stages, settings.retrieval.fusion
    far = len(result.trace.candidates) + 1
    last = stages[-1] if stages else ""
    candidates = sorted(
        result.trace.candidates, key=lambda item: (kept.get(item.chunk_id, far), item.ranks.get(last) or far)
    )
    table: dict[str, list[Any]] = {"Chunk": [names.get(item.chunk_id) or _unnamed(item, titles) for item in candidates]}
    table["Fate"] = [item.fate for item in candidates]
    columns: dict[str, Any] = {
        "Chunk": st.column_config.TextColumn(width=196),
        "Fate": st.column_config.TextColumn(width=150),
    }
    if any(item.matched for item in candidates):
        table["Matched by"] = [item.matched or "text" for item in candidates]
        columns["Matched by"] = st.column_config.TextColumn(
            width=120,
            help="What of the chunk is nearest to the question: its text, or what a language model wrote of it.",
        )
    for name in stages:
        labels = stage(name)
        table[f"{labels.short} #"] = [item.ranks.get(name) for item in candidates]
        table[labels.short] = [item.scores.get(name) for item in candidates]
        columns[f"{labels.short} #"] = st.column_config.NumberColumn(
            format="%d", width=_width(f"{labels.short} #"), help=f"Rank: {labels.word}, 1 is best."
        )
        columns[labels.short] = st.column_config.NumberColumn(
            format=f"%.{digits(name, fusion)}f", width=_width(labels.short), help=f"Score: {scale(name, fusion)}."
        )
    short = f"{stage(KEPT).short} #"
    table[short] = [kept.get(item.chunk_id) for item in candidates]
    columns[short] = st.column_config.NumberColumn(
        format="%d", width=_width(short), help="Place among those that go on."
    )
    st.dataframe(table, hide_index=True, height=420, column_config=columns, placeholder="")


def show_timings(timings: Mapping[str, float]) -> None:
    """Draw the time of each step in milliseconds."""
    st.dataframe(
        {
            "Step": [step_words(step) for step in timings],
            "Time": [duration(value) for value in timings.values()],
            "Share": list(timings.values()),
        },
        width=720,
        hide_index=True,
        column_config={
            "Share": st.column_config.ProgressColumn(
                format=" ", min_value=0, max_value=max(sum(timings.values()), 1e-9), help="Of all steps together."
            )
        },
        placeholder="",
    )
    st.caption("As measured when this result was made; the same question again is taken from memory.")


def _width(title: str) -> int:
    """The width in pixels of a column of numbers with this title."""
    return max(54, 18 + 7 * len(title))


def _unnamed(candidate: Candidate, titles: Mapping[str, str]) -> str:
    place = f"characters {candidate.start:,} – {candidate.end:,}"
    title = titles.get(candidate.version_id)
    return f"{title} · {place}" if title else place


def _short(score: float | None, places: int) -> str:
    return "–" if score is None else f"{score:.{places}f}"
