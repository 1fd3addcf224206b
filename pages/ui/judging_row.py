"""Ask's line about gold: how that of the question fares, the judgment that nothing answers it, the way to the list."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.types import Passage
from pages.ui import judging, judging_list, services
from pages.ui.guard import told
from pages.ui.judging_gold import gold_line, of_question

NONE_YET = "No gold for this question yet: mark the words that answer it, press g."
NOTHING_ANSWERS = "Judged for this question: nothing in the library answers it."
BOTH = "It was also judged that nothing answers it; the gold counts."


def show_row(question: str, passages: Sequence[Passage]) -> None:
    """Draw the line and its buttons. ``passages``: what the reader gets."""
    rows = of_question(services.library().judgments(), question)
    unanswerable = [row.id for row in rows if row.unanswerable]
    line = gold_line(rows, passages)
    if unanswerable:
        held = any(row.held and not row.unanswerable for row in rows)
        line = f"{line} {BOTH}" if held else f"{NOTHING_ANSWERS} {line}".strip()
    off = judging.off()
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="ask_judging"):
        st.caption(f"{line} {off}".strip() or NONE_YET)
        if unanswerable:
            if st.button("Take that back", key="ask.answerable", type="tertiary", disabled=bool(off)):
                told(lambda: services.library().remove_judgments(unanswerable))
        elif not line and st.button(
            "Nothing in the library answers this",
            key="ask.unanswerable",
            type="tertiary",
            icon=":material/block:",
            disabled=bool(off),
            help="Kept as a judgment: a benchmark then checks that this question finds nothing it should trust.",
        ):
            told(lambda: services.library().judge_unanswerable(question))
        if st.button("Judgments", key="ask.judgments", type="tertiary", icon=":material/verified:"):
            judging_list.show_list()
