"""What a fit gains on the questions kept out of it, as a figure: an interval a room, against no gain at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evaluation.reporting.charts import LIGHT, Palette
from core.refitting.gains import Gain

if TYPE_CHECKING:
    import plotly.graph_objects


def gain_figure(gain: Gain, palette: Palette = LIGHT) -> plotly.graph_objects.Figure:
    """The gain with its 95 % interval: of the mean, which the verdict goes by, in strength; below it of every room."""
    import plotly.graph_objects as plot

    rows = {"<b>All rooms</b>": gain.whole, **{f"{room:,} characters": one for room, one in gain.budgets.items()}}
    figure = plot.Figure()
    for place, (name, one) in enumerate(rows.items()):
        first = not place
        figure.add_scatter(
            x=[one.difference],
            y=[place],
            mode="markers",
            showlegend=False,
            marker={
                "symbol": "diamond" if first else "circle",
                "size": 12 if first else 8,
                "color": palette.colours[0],
            },
            error_x={
                "type": "data",
                "array": [one.high - one.difference],
                "arrayminus": [one.difference - one.low],
                "thickness": 2.5 if first else 1.2,
                "width": 5 if first else 3,
            },
            hovertext=f"{name}: {one.difference:+.1f} points (95 %: {one.low:+.1f} to {one.high:+.1f})",
            hovertemplate="%{hovertext}<extra></extra>",
        )
    figure.add_vline(x=0, line={"color": palette.ink, "width": 1.5, "dash": "dash"})
    reach = 1.1 * max(1.0, *(abs(bound) for one in rows.values() for bound in (one.low, one.high)))
    figure.update_layout(
        height=60 + 34 * len(rows),
        margin={"l": 10, "r": 10, "t": 6, "b": 10},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": palette.ink},
        xaxis={
            "title": "← worse · points of recall · better →",
            "range": [-reach, reach],
            "gridcolor": palette.grid,
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": list(rows),
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "automargin": True,
            "fixedrange": True,
        },
    )
    return figure
