"""The fate of a place's chunks: for each the way from stage to stage, and where it ended."""

from __future__ import annotations

import streamlit as st

from core.explaining import WhyNot
from pages.ui.ask_stages import digits, scale, stage
from pages.ui.assets import joined

MOST = 12  # chunks drawn of a long place
_fates = st.components.v2.component(
    "lectern.fates",
    html='<ol class="lectern fates" aria-label="The chunks of this place, stage by stage"></ol>',
    css=joined("palette.css", "ask_fates.css"),
    js=joined("offsets.js", "ask_fates.js"),
)


def show_fates(told: WhyNot, text: str, fusion: str) -> None:
    """Draw the ways of a place's chunks, the best ranked first. ``text``: of its document."""
    if not told.fates:
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
                for name in told.stages
            ],
        }
        for fate in told.fates[:MOST]
    ]
    _fates(key="ask.fates", data={"rows": rows})
    if len(told.fates) > MOST:
        st.caption(f"{len(told.fates) - MOST:,} more chunks of this place are ranked behind these.")
