"""An app with nothing but a plot whose points lead somewhere; the slider puts another in its place."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from pages.ui.shared.entry import follow_theme
from pages.ui.shared.plots import draw_beside_text, on_point_click, palette


def gone(version: str, start: int, end: int) -> None:
    st.session_state["gone"] = [*st.session_state.get("gone", []), f"{version} {start} {end}"]


follow_theme()
on_point_click("plots", ".st-key-body", gone)
count = st.slider("Points", 2, 12, 3)
with st.container(key="body"):
    points = {
        "x": list(range(count)),
        "y": [0] * count,
        "customdata": [(10 * at, 10 * at + 9) for at in range(count)],
        "mode": "markers",
        "marker": {"size": 12, "color": palette().ink},
    }
    figure = go.Figure(go.Scatter(points), {"xaxis": {"range": [-1, 12]}})
    draw_beside_text(figure, ["v"], "plot", "A plot")
st.text("; ".join(["Gone to:", *st.session_state.get("gone", [])]))
