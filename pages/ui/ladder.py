"""How candidates fared from stage to stage: as a ladder to look at, as a table to read, and in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.library import SearchResult
from core.settings import Settings
from core.types import Candidate
from pages.ui.assets import joined
from pages.ui.evidence import digits, score_scales
from pages.ui.words import STEP_WORDS, duration

STAGE_WORDS = {"dense": "meaning", "lexical": "words", "fused": "fused", "neighbours": "with neighbours"}
STAGE_SHORT = {"dense": "Meaning", "lexical": "Words", "fused": "Fused", "neighbours": "Near"}
LADDER_ROWS = 14

_ladder = st.components.v2.component(
    "lectern.ladder",
    html='<div class="lectern ladder"></div>',
    css=joined("palette.css", "ladder.css"),
    js=joined("ladder.js"),
)


def show_ladder(result: SearchResult, settings: Settings, titles: Mapping[str, str]) -> None:
    """Ranks of the leading candidates from stage to stage; a filled mark says that the reader gets it.

    ``titles``: of the documents by version, to name a chunk that was not kept.
    """
    names = {hit.chunk_id: " · ".join((*hit.headings[-1:], hit.document)) for hit in result.hits}
    read = {chunk for passage in result.passages for chunk in passage.chunk_ids}
    stages = result.trace.stages
    chosen = [
        candidate
        for candidate in result.trace.candidates
        if any(0 < candidate.ranks.get(stage, 0) <= LADDER_ROWS for stage in stages)
    ]
    _ladder(
        key="ask.ladder",
        data={
            "depth": LADDER_ROWS,
            "stages": [{"word": STAGE_WORDS.get(stage, stage)} for stage in stages],
            "rows": [
                {
                    "label": names.get(candidate.chunk_id) or _unnamed(candidate, titles),
                    "fate": candidate.fate,
                    "read": candidate.chunk_id in read,
                    "ranks": [candidate.ranks.get(stage, 0) for stage in stages],
                    "scores": [
                        _short(candidate.scores.get(stage), digits(stage, settings.retrieval.fusion))
                        for stage in stages
                    ],
                }
                for candidate in chosen
            ],
        },
    )


def show_scores(result: SearchResult, settings: Settings, titles: Mapping[str, str]) -> None:
    """Every candidate the trace holds, the best first, with its fate and its rank and score at each stage."""
    names = {hit.chunk_id: " › ".join(dict.fromkeys((hit.document, *hit.headings))) for hit in result.hits}
    stages, fusion = result.trace.stages, settings.retrieval.fusion
    last = stages[-1] if stages else ""
    candidates = sorted(result.trace.candidates, key=lambda item: item.ranks.get(last) or len(names) + 1_000_000)
    table: dict[str, list[Any]] = {"Chunk": [names.get(item.chunk_id) or _unnamed(item, titles) for item in candidates]}
    table["Fate"] = [item.fate for item in candidates]
    columns: dict[str, Any] = {
        "Chunk": st.column_config.TextColumn(width=196),
        "Fate": st.column_config.TextColumn(width=150),
    }
    for stage in stages:
        word = STAGE_SHORT.get(stage, stage)
        table[f"{word} #"] = [item.ranks.get(stage) for item in candidates]
        table[word] = [item.scores.get(stage) for item in candidates]
        columns[f"{word} #"] = st.column_config.NumberColumn(
            format="%d", width=_wide(f"{word} #"), help=f"Rank: {STAGE_WORDS.get(stage, stage)}, 1 is best."
        )
        columns[word] = st.column_config.NumberColumn(
            format=f"%.{digits(stage, fusion)}f",
            width=_wide(word),
            help=f"Score: {score_scales(fusion).get(stage, stage)}.",
        )
    st.dataframe(table, hide_index=True, height=420, column_config=columns, placeholder="")


def show_timings(timings: dict[str, float], quoting_ms: float) -> None:
    """Milliseconds of each step."""
    rows = {**timings, "quotes": quoting_ms}
    st.dataframe(
        {
            "Step": [STEP_WORDS.get(step, step) for step in rows],
            "Time": [duration(value) for value in rows.values()],
        },
        width=420,
        hide_index=True,
    )
    st.caption("As measured when this result was made; the same question again is taken from memory.")


def _wide(title: str) -> int:
    """Pixels for a column of numbers under its title."""
    return max(54, 18 + 7 * len(title))


def _unnamed(candidate: Candidate, titles: Mapping[str, str]) -> str:
    place = f"characters {candidate.start:,} – {candidate.end:,}"
    title = titles.get(candidate.version_id)
    return f"{title} · {place}" if title else place


def _short(score: float | None, places: int) -> str:
    return "–" if score is None else f"{score:.{places}f}"
