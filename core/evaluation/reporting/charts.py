"""A bench report as interactive figures, for the page and for the report that is passed on.

Presets are told apart by symbol and dash as well as by colour, the same in every figure of a report. Names are escaped,
because Plotly obeys a few HTML tags in whatever it writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from core.evaluation.reporting.breakdown import COST_WORDS, STAGE_WORDS, CostAxis, Decile, Group, leading, points
from core.evaluation.reporting.metric_words import metric_words
from core.evaluation.reporting.report import BenchReport

if TYPE_CHECKING:
    import plotly.graph_objects

# One more symbol than colours: no two of the first 42 presets share both.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PATTERNS: Mapping[str, str] = dict(zip(STAGE_WORDS, ("", "/", ".", "\\", "x", "|", "-", "+"), strict=True))
BOLD = 8
"""So many presets can be followed in one figure; of more, the best are drawn."""

GROUPS = 20
"""So many groups of a breakdown can be read; the rest are counted below them."""

_LABEL = 36  # letters of a name beside an axis
_INTERVAL = "%{customdata[0]}<br>%{customdata[1]:.1f} % (%{customdata[2]:.1f} to %{customdata[3]:.1f})"


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a figure as ``#rrggbb``; its background is what lies under it. ``colours``: of presets, in order."""

    colours: tuple[str, ...]
    ink: str
    grid: str


LIGHT = Palette(("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"), "#15191f", "#ddd8cb")
"""Okabe and Ito's colours ("Color Universal Design", 2008) in an order whose neighbours differ most."""

DARK = Palette(("#56b4e9", "#e69f00", "#2fc29a", "#e29cc5", "#f0e442", "#ff8a4c"), "#e8e5dd", "#363d46")
"""The same hues, bright enough for a dark page. ``.streamlit/config.toml`` has both for the app's own charts."""


def recall_figure(
    report: BenchReport, palette: Palette = LIGHT, chosen: Collection[str] = (), measure: str = "recall"
) -> plotly.graph_objects.Figure:
    """``measure`` at each budget with its 95 % interval, a line a preset.

    Of more than ``BOLD`` presets those of ``chosen`` and the best are drawn.
    """
    import plotly.express as px

    drawn = leading(report, measure, BOLD, chosen)
    rows = [
        {"budget": f"{budget:,}", **_figures(item.preset, item.metrics[metric], *item.intervals[metric])}
        for item in report.presets
        if item.preset in drawn
        for budget in report.budgets
        if (metric := f"{measure}@{budget}") in item.metrics
    ]
    figure = px.line(
        _columns(rows, "budget"),
        x="budget",
        y="value",
        error_y="above",
        error_y_minus="below",
        markers=True,
        color="preset",
        symbol="preset",
        line_dash="preset",
        custom_data=["preset", "value", "low", "high"],
        **_looks(report, palette, dashed=True),
    )
    figure.update_traces(hovertemplate=f"{_INTERVAL}<extra></extra>", marker={"size": 9})
    _lay_out(figure, palette, height=420)
    # A little aside of each other, or the error bars of equal presets would hide behind one another.
    figure.update_layout(scattermode="group", scattergap=0.85)
    figure.update_xaxes(title="Room for the reader, characters")
    figure.update_yaxes(title=f"{metric_words(measure)}, %", range=[0, 102])
    return figure


def pareto_figure(
    report: BenchReport,
    x: CostAxis,
    budget: int,
    palette: Palette = LIGHT,
    selected: str | None = None,
    measure: str = "recall",
) -> plotly.graph_objects.Figure:
    """What presets give for what they cost: the front as a stepped line, dominated presets hollow.

    The line says what can be had for at most that cost. Of a point the last of ``customdata`` is the preset's name.
    """
    import plotly.express as px

    found = points(report, x, budget, measure)
    rows = [
        {
            "cost": point.cost,
            "text": _safe(_short(point.preset))
            if point.front or point.preset == selected or len(found) <= BOLD
            else "",
            "name": point.preset,
            **_figures(point.preset, point.value, point.low, point.high),
        }
        for point in found
    ]
    looks = _looks(report, palette)
    for point in found:
        if not point.front:
            looks["symbol_map"][_safe(point.preset)] += "-open"
    figure = px.scatter(
        _columns(rows, "cost", "text", "name"),
        x="cost",
        y="value",
        error_y="above",
        error_y_minus="below",
        color="preset",
        symbol="preset",
        text="text",
        custom_data=["preset", "value", "low", "high", "name"],
        **looks,
    )
    figure.update_traces(
        hovertemplate=f"{_INTERVAL}<br>for %{{x:,.4g}}<extra></extra>",
        marker={"size": 11, "line": {"width": 1.5}},
        textposition="top center",
        textfont={"size": 11},
    )
    if selected is not None:
        figure.update_traces(marker={"size": 16, "line": {"width": 3}}, selector={"name": _safe(selected)})
    front = sorted({(point.cost, point.value) for point in found if point.front})
    figure.add_scatter(
        x=[cost for cost, _ in front],
        y=[value for _, value in front],
        mode="lines",
        line={"shape": "hv", "width": 1.5, "color": palette.ink},
        opacity=0.55,
        hoverinfo="skip",
    )
    _lay_out(figure, palette, height=440)
    figure.update_layout(showlegend=False, clickmode="event+select")
    costs = [point.cost for point in found] or [0.0]
    aside = 0.12 * (max(costs) - min(costs)) or 1.0  # names stand in the middle above their marks
    figure.update_xaxes(title=COST_WORDS[x], range=[min(costs) - aside, max(costs) + aside])
    figure.update_yaxes(title=f"{metric_words(f'{measure}@{budget}')}, %")
    return figure


def lost_figure(report: BenchReport, budget: int, palette: Palette = LIGHT) -> plotly.graph_objects.Figure:
    """What was read of the gold, and where the rest was lost: a bar a preset, in percent of the gold."""
    import plotly.express as px

    held = {_safe(_short(item.preset)): item.lost.get(str(budget), {}) for item in report.presets}
    stages = [stage for stage in STAGE_WORDS if any(parts.get(stage) for parts in held.values())]
    rows = [
        {"preset": preset, "share": parts.get(stage, 0.0), "stage": STAGE_WORDS[stage]}
        for stage in stages
        for preset, parts in held.items()
        if parts
    ]
    colours = (*palette.colours[2:], *palette.colours[:2], palette.ink, palette.ink)
    figure = px.bar(
        _columns(rows, "preset", "share", "stage"),
        x="share",
        y="preset",
        color="stage",
        pattern_shape="stage",
        orientation="h",
        color_discrete_map=dict(zip(STAGE_WORDS.values(), colours, strict=True)),
        pattern_shape_map={STAGE_WORDS[stage]: PATTERNS[stage] for stage in stages},
    )
    figure.update_traces(
        hovertemplate="%{y}<br>%{fullData.name}: %{x:.1f} %<extra></extra>",
        marker_pattern={"fillmode": "replace", "size": 7, "solidity": 0.45},
    )
    _lay_out(figure, palette, height=120 + 30 * max(3, len(held)))
    figure.update_layout(bargap=0.3)
    figure.update_xaxes(title=f"Answers in {budget:,} characters, %", range=[0, 100])
    figure.update_yaxes(title=None, autorange="reversed")
    return figure


def breakdown_figure(
    report: BenchReport, groups: Mapping[str, Sequence[Group]], metric: str, palette: Palette = LIGHT
) -> plotly.graph_objects.Figure:
    """Means and 95 % intervals by group, a mark a preset; ``groups`` by preset.

    The first ``GROUPS`` groups are drawn, the others counted.
    """
    import plotly.express as px

    names = list(dict.fromkeys(group.name for found in groups.values() for group in found))
    rows = [
        {
            "group": f"{_safe(_short(group.name))} · {group.questions}",
            **_figures(preset, group.mean, group.low, group.high),
        }
        for preset, found in groups.items()
        for group in found
        if group.name in names[:GROUPS]
    ]
    figure = px.scatter(
        _columns(rows, "group"),
        x="value",
        y="group",
        error_x="above",
        error_x_minus="below",
        color="preset",
        symbol="preset",
        orientation="h",
        custom_data=["preset", "value", "low", "high"],
        **_looks(report, palette),
    )
    figure.update_traces(hovertemplate=f"%{{y}}<br>{_INTERVAL}<extra></extra>", marker={"size": 8})
    _lay_out(figure, palette, height=130 + min(GROUPS, len(names)) * max(26, 9 * len(groups)))
    more = f"<br>{len(names) - GROUPS} smaller groups are not drawn" if len(names) > GROUPS else ""
    figure.update_layout(scattermode="group", scattergap=0.3)
    figure.update_xaxes(title=f"{metric_words(metric)}, %{more}")
    figure.update_yaxes(title=None, autorange="reversed")
    return figure


def position_figure(deciles: Sequence[Decile], palette: Palette = LIGHT) -> plotly.graph_objects.Figure:
    """How many questions have their first gold in each tenth of the context, and how well those were answered."""
    import plotly.graph_objects as plot

    places = [f"{decile.start}–{decile.start + 10} %" for decile in deciles]
    figure = plot.Figure(
        plot.Bar(
            x=places,
            y=[decile.questions for decile in deciles],
            name="questions",
            marker={"color": palette.colours[0]},
            hovertemplate="%{x} of the context: first answer of %{y} questions<extra></extra>",
        )
    )
    if any(decile.right is not None for decile in deciles):
        figure.add_scatter(
            x=places,
            y=[decile.right for decile in deciles],
            yaxis="y2",
            mode="lines+markers",
            name="answered right, %",
            line={"color": palette.colours[1], "dash": "dash"},
            marker={"symbol": "diamond", "size": 9},
            connectgaps=True,
            hovertemplate="%{x} of the context: %{y:.0f} % right<extra></extra>",
        )
    _lay_out(figure, palette, height=320)
    figure.update_xaxes(title="Where the first answer stands in the context, as it is read")
    figure.update_yaxes(title="Questions")
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "range": [0, 105], "showgrid": False})
    return figure


def _figures(preset: str, value: float, low: float, high: float) -> dict[str, Any]:
    """A row of a figure: a mean with its interval, and how far that reaches either way."""
    bounds = {"low": low, "high": high, "below": value - low, "above": high - value}
    return {"preset": _safe(preset), "value": value, **bounds}


def _columns(rows: Sequence[Mapping[str, Any]], *names: str) -> dict[str, list[Any]]:
    """Rows as columns, which are there without rows too."""
    every: Iterable[str] = rows[0] if rows else (*names, *_figures("", 0, 0, 0))
    return {name: [row[name] for row in rows] for name in every}


def _looks(report: BenchReport, palette: Palette, *, dashed: bool = False) -> dict[str, Any]:
    """How the report's presets look, as Plotly Express takes it."""
    names = [_safe(item.preset) for item in report.presets]
    maps = {"color_discrete_map": palette.colours, "symbol_map": SYMBOLS}
    if dashed:
        maps["line_dash_map"] = DASHES
    return {name: {one: kinds[at % len(kinds)] for at, one in enumerate(names)} for name, kinds in maps.items()}


def _lay_out(figure: plotly.graph_objects.Figure, palette: Palette, height: int) -> None:
    axis = {"gridcolor": palette.grid, "linecolor": palette.grid, "zeroline": False, "automargin": True}
    figure.update_layout(
        template=None,
        height=height,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": palette.ink},
        hovermode="closest",
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title": None},
        xaxis=axis,
        yaxis=axis,
    )


def _short(name: str) -> str:
    """The name, its middle left out where it is long: beginnings and endings tell names apart."""
    return name if len(name) <= _LABEL else f"{name[: _LABEL // 2]}…{name[-(_LABEL // 2 - 1) :]}"


def _safe(name: str) -> str:
    return escape(name, quote=False)
