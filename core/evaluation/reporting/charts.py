"""A bench report as interactive figures, for the page and for the HTML report.

A preset has the same colour, symbol and dash in every figure of a report. Names are escaped, because Plotly renders
some HTML tags.
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

# Seven symbols and six colours: the first 42 presets differ in one of them.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PATTERNS: Mapping[str, str] = dict(zip(STAGE_WORDS, ("", "/", ".", "\\", "x", "|", "-", "+"), strict=True))
BOLD = 8
"""The number of presets that can be told apart in one figure. Of more, the best are drawn."""

GROUPS = 20
"""The number of groups drawn in a breakdown. The others are counted below the figure."""

_LABEL = 36  # characters of a label
_INTERVAL = "%{customdata[0]}<br>%{customdata[1]:.1f} % (%{customdata[2]:.1f} to %{customdata[3]:.1f})"


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a figure as ``#rrggbb``; the background is transparent. ``colours``: of the presets, in order."""

    colours: tuple[str, ...]
    ink: str
    grid: str


LIGHT = Palette(("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"), "#15191f", "#ddd8cb")
"""Okabe and Ito's colours ("Color Universal Design", 2008) in an order whose neighbours differ most."""

DARK = Palette(("#56b4e9", "#e69f00", "#2fc29a", "#e29cc5", "#f0e442", "#ff8a4c"), "#e8e5dd", "#363d46")
"""The same hues for a dark page. ``.streamlit/config.toml`` has both palettes for the app's own charts."""


def recall_figure(
    report: BenchReport, palette: Palette = LIGHT, chosen: Collection[str] = (), measure: str = "recall"
) -> plotly.graph_objects.Figure:
    """``measure`` at each budget with its 95 % interval, one line for each preset.

    Of more than ``BOLD`` presets, ``chosen`` and the best are drawn.
    """
    import plotly.express as px

    drawn = leading(report, measure, BOLD, chosen)
    rows = [
        {"budget": f"{budget:,}", **_interval_row(item.preset, item.metrics[metric], *item.intervals[metric])}
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
        **_styles(report, palette, dashed=True),
    )
    figure.update_traces(hovertemplate=f"{_INTERVAL}<extra></extra>", marker={"size": 9})
    _set_layout(figure, palette, height=420)
    # Presets are offset sideways, so that the error bars of equal ones do not cover each other.
    figure.update_layout(scattermode="group", scattergap=0.85)
    figure.update_xaxes(title="Room for the reader, characters", type="category")  # "1,000" is else read as a number
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
    """``measure`` against the cost ``x``, with the Pareto front as a stepped line and dominated presets hollow.

    At each cost the line shows the best value for at most that cost. The last item of a point's ``customdata`` is the
    preset's name.
    """
    import plotly.express as px

    preset_points = points(report, x, budget, measure)
    named: dict[tuple[float, float], list[str]] = {}  # by place, since labels of one place would cover each other
    for point in preset_points:
        if point.front or point.preset == selected or len(preset_points) <= BOLD:
            named.setdefault((point.cost, point.value), []).append(_safe(_short(point.preset)))
    rows = [
        {
            "cost": point.cost,
            "text": ", ".join(named.pop((point.cost, point.value), ())),
            "name": point.preset,
            **_interval_row(point.preset, point.value, point.low, point.high),
        }
        for point in preset_points
    ]
    styles = _styles(report, palette)
    for point in preset_points:
        if not point.front:
            styles["symbol_map"][_safe(point.preset)] += "-open"
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
        **styles,
    )
    figure.update_traces(
        hovertemplate=f"{_INTERVAL}<br>for %{{x:,.4g}}<extra></extra>",
        marker={"size": 11, "line": {"width": 1.5}},
        textposition="top center",
        textfont={"size": 11},
    )
    if selected is not None:
        figure.update_traces(marker={"size": 16, "line": {"width": 3}}, selector={"name": _safe(selected)})
    front = sorted({(point.cost, point.value) for point in preset_points if point.front})
    figure.add_scatter(
        x=[cost for cost, _ in front],
        y=[value for _, value in front],
        mode="lines",
        line={"shape": "hv", "width": 1.5, "color": palette.ink},
        opacity=0.55,
        hoverinfo="skip",
    )
    _set_layout(figure, palette, height=440)
    figure.update_layout(showlegend=False, clickmode="event+select")
    costs = [point.cost for point in preset_points] or [0.0]
    margin = 0.12 * (max(costs) - min(costs)) or 1.0  # for the labels, which are centred above the outermost points
    figure.update_xaxes(title=COST_WORDS[x], range=[min(costs) - margin, max(costs) + margin])
    figure.update_traces(cliponaxis=False)
    figure.update_yaxes(title=f"{metric_words(f'{measure}@{budget}')}, %", autorangeoptions={"clipmax": 100})
    return figure


def lost_figure(report: BenchReport, budget: int, palette: Palette = LIGHT) -> plotly.graph_objects.Figure:
    """The share of the gold that was read, and lost at each stage, in percent: one bar for each preset."""
    import plotly.express as px

    shares = {_safe(_short(item.preset)): item.lost.get(str(budget), {}) for item in report.presets}
    stages = [stage for stage in STAGE_WORDS if any(parts.get(stage) for parts in shares.values())]
    rows = [
        {"preset": preset, "share": parts.get(stage, 0.0), "stage": STAGE_WORDS[stage]}
        for stage in stages
        for preset, parts in shares.items()
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
    _set_layout(figure, palette, height=120 + 30 * max(3, len(shares)))
    figure.update_layout(bargap=0.3)
    figure.update_xaxes(title=f"Answers in {budget:,} characters, %", range=[0, 100])
    figure.update_yaxes(title=None, autorange="reversed")
    return figure


def breakdown_figure(
    report: BenchReport, groups: Mapping[str, Sequence[Group]], metric: str, palette: Palette = LIGHT
) -> plotly.graph_objects.Figure:
    """Means and 95 % intervals by group, one mark for each preset. ``groups``: by preset.

    The first ``GROUPS`` groups are drawn, the others only counted.
    """
    import plotly.express as px

    names = list(dict.fromkeys(group.name for preset_groups in groups.values() for group in preset_groups))
    rows = [
        {
            "group": f"{_safe(_short(group.name))} · {group.questions}",
            **_interval_row(preset, group.mean, group.low, group.high),
        }
        for preset, preset_groups in groups.items()
        for group in preset_groups
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
        **_styles(report, palette),
    )
    figure.update_traces(hovertemplate=f"%{{y}}<br>{_INTERVAL}<extra></extra>", marker={"size": 8})
    _set_layout(figure, palette, height=130 + min(GROUPS, len(names)) * max(26, 9 * len(groups)))
    more = f"<br>{len(names) - GROUPS} smaller groups are not drawn" if len(names) > GROUPS else ""
    figure.update_layout(scattermode="group", scattergap=0.3)
    figure.update_xaxes(title=f"{metric_words(metric)}, %{more}")
    figure.update_yaxes(title=None, autorange="reversed")
    return figure


def position_figure(deciles: Sequence[Decile], palette: Palette = LIGHT) -> plotly.graph_objects.Figure:
    """The number of questions with their first gold in each tenth of the context, and their answer scores."""
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
    _set_layout(figure, palette, height=320)
    figure.update_xaxes(title="Where the first answer stands in the context, as it is read")
    figure.update_yaxes(title="Questions")
    figure.update_layout(yaxis2={"overlaying": "y", "side": "right", "range": [0, 105], "showgrid": False})
    return figure


def _interval_row(preset: str, value: float, low: float, high: float) -> dict[str, Any]:
    """A data row: a mean, the bounds of its interval, and their distances from the mean, as error bars need them."""
    bounds = {"low": low, "high": high, "below": value - low, "above": high - value}
    return {"preset": _safe(preset), "value": value, **bounds}


def _columns(rows: Sequence[Mapping[str, Any]], *names: str) -> dict[str, list[Any]]:
    """Rows as columns. Without rows there are empty columns ``names`` and those of ``_interval_row``."""
    columns: Iterable[str] = rows[0] if rows else (*names, *_interval_row("", 0, 0, 0))
    return {name: [row[name] for row in rows] for name in columns}


def _styles(report: BenchReport, palette: Palette, *, dashed: bool = False) -> dict[str, Any]:
    """Plotly Express's maps from the report's presets to colours, symbols and (``dashed``) dashes."""
    presets = [_safe(item.preset) for item in report.presets]
    maps = {"color_discrete_map": palette.colours, "symbol_map": SYMBOLS}
    if dashed:
        maps["line_dash_map"] = DASHES
    return {
        name: {preset: values[number % len(values)] for number, preset in enumerate(presets)}
        for name, values in maps.items()
    }


def _set_layout(figure: plotly.graph_objects.Figure, palette: Palette, height: int) -> None:
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
    """The name, or the beginning and end of a long one."""
    return name if len(name) <= _LABEL else f"{name[: _LABEL // 2]}…{name[-(_LABEL // 2 - 1) :]}"


def _safe(name: str) -> str:
    return escape(name, quote=False)
