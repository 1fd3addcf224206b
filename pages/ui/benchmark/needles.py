"""Benchmark's "Needles": sentences planted at several depths of a copy of the library, and a map of who finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from core.evaluation.needles.facts import KINDS
from core.evaluation.needles.maps import STAGES, NeedleMap
from core.plain_values import from_values
from pages.ui.shared import background, language, state, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.plots import CONFIG, lay_out, palette, softened
from pages.ui.shared.queue import show_jobs
from pages.ui.shared.work import NEEDLES

if TYPE_CHECKING:
    import plotly.graph_objects

SIZES = (4_000, 10_000, 30_000, 100_000)


def show_needles() -> None:
    """Draw the choices, the running job, and the map of the last one."""
    with guarded(), st.container(border=True, gap="small"):
        st.markdown("**Needles: what gets lost where**")
        st.caption(
            "Sentences that no document of yours states are planted in a copy, from its beginning to its end, and "
            "asked for. The map shows which stage still has them. Your library is only read; a stopped map goes on."
        )
        busy = bool(background.active_jobs(NEEDLES))
        plan = _chosen()
        st.button(
            "Plant and ask",
            key="needles.begin",
            icon=":material/grid_on:",
            disabled=busy or plan is None,
            on_click=background.start,
            args=[NEEDLES, plan, "Needles"],
        )
        show_jobs(NEEDLES)
        if not busy:
            st.fragment(_outcome)()


def _chosen() -> dict[str, Any] | None:
    """Draw the choices; returns the payload of the job, ``None`` if nothing is chosen."""
    left, right = st.columns([3, 1])
    kinds = left.pills(
        "Made sentences",
        list(KINDS),
        selection_mode="multi",
        default=list(KINDS),
        key=state.NEEDLES,
        help=". ".join(f"*{kind}*: {meaning}" for kind, meaning in KINDS.items()) + ".",
    )
    tokens = right.multiselect(
        "Sizes of the copy, tokens", SIZES, SIZES[1:2], format_func="{:,}".format, key=f"{state.NEEDLES}.tokens"
    )
    own: list[str] = []
    with st.expander("A sentence of your own"):
        for label, hint in (
            ("Sentence", "The key to the boiler hangs behind the clock."),
            ("Question", "Where is the key to the boiler?"),
            ("Words an answer has to hold", "behind the clock"),
        ):
            own.append(st.text_input(label, placeholder=hint, key=f"{state.NEEDLES}.{label}").strip())
    answers = language.settings().is_usable and st.checkbox(
        "Ask the language model, too",
        key=f"{state.NEEDLES}.answers",
        help=f"Passages go to {language.place(language.settings())}: two prompts a sentence, and eleven a size "
        "without retrieval.",
    )
    own_needles = [own] if own[0] and own[1] else []
    if not tokens or not (kinds or own_needles):
        return None
    return {"tokens": tokens, "kinds": kinds, "own": own_needles, "answers": bool(answers)}


def _outcome() -> None:
    if not (result := background.last_result(NEEDLES)):
        return
    found = from_values(NeedleMap, result)
    stages = [stage for stage in STAGES if any(cell.stage == stage for cell in found.cells)]
    state.choose(state.NEEDLES_STAGE, stages, "context")
    stage = st.segmented_control("Stage", stages, key=state.NEEDLES_STAGE, required=True) or stages[0]
    st.plotly_chart(
        heat_map(found, stage), key="benchmark.needles", config=CONFIG, alt=f"Needles found: {STAGES[stage]}"
    )
    st.caption(f"Found: {STAGES[stage]}. A cell tells how many of the sentences planted there; 0 % is the beginning.")
    if by_kind := found.by_kind(stage):
        st.markdown(f"By kind: {words.escaped('; '.join(by_kind))}.")
    st.markdown("\n".join(f"- {words.escaped(sentence)}" for sentence in found.sentences))
    st.caption(
        f"{words.count(found.encoded, 'text')} encoded, the vectors of {found.reused:,} were there; "
        f"{found.seconds:,.0f} seconds."
    )


def heat_map(found: NeedleMap, stage: str) -> plotly.graph_objects.Figure:
    """The share of needles that a stage finds, by depth (x) and size of the copy (y), with counts in the cells."""
    import plotly.graph_objects as plot

    cells = [cell for cell in found.cells if cell.stage == stage]
    depths, sizes = sorted({cell.depth for cell in cells}), sorted({cell.tokens for cell in cells})
    by_place = {(cell.tokens, cell.depth): cell for cell in cells}
    rows = [[by_place.get((size, depth)) for depth in depths] for size in sizes]
    colours = palette().colours
    figure = plot.Figure(
        plot.Heatmap(
            x=[f"{depth} %" for depth in depths],
            y=[f"{size:,}" for size in sizes],
            z=[[cell.found / cell.planted if cell else None for cell in row] for row in rows],
            text=[[f"{cell.found}/{cell.planted}" if cell else "" for cell in row] for row in rows],
            texttemplate="%{text}",
            textfont={"color": palette().ink},
            hovertemplate="%{y} tokens, at %{x}: %{text} found<extra></extra>",
            zmin=0,
            zmax=1,
            colorscale=[[0, softened(colours[1])], [1, softened(colours[0])]],
            colorbar={"tickformat": ".0%", "thickness": 12},
        )
    )
    across, down = {"title": "Place in the copy", "type": "category"}, {"title": "Tokens", "type": "category"}
    return lay_out(figure, height=140 + 46 * len(sizes), xaxis=across, yaxis=down)
