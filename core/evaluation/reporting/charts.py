"""A bench report as interactive figures, for the page and for the report that is passed on.

Lines are told apart by symbol and dash as well as by colour. Names are escaped, because Plotly obeys a few HTML tags in
whatever it writes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from core.evaluation.reporting.breakdown import COST_WORDS, STAGE_WORDS, CostAxis, Group, Point, leading, points
from core.evaluation.reporting.metric_words import metric_words
from core.evaluation.reporting.report import READ, BenchReport

if TYPE_CHECKING:
    import plotly.graph_objects

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PATTERNS: Mapping[str, str] = dict(zip(STAGE_WORDS, ("", "/", ".", "\\", "x", "|", "-", "+"), strict=True))
BOLD = 8
"""So many lines can be followed; beyond them the others are thin."""

GROUPS = 20
"""So many groups of a breakdown can be read; the rest are counted below them."""

_LABEL = 36  # letters of a name beside an axis
_LETTER, _LINE = 0.0065, 0.05  # shares of a figure that a letter of a name is wide, and a name is high


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


@dataclass(frozen=True, slots=True)
class Style:
    """How a preset is drawn, by indices: of the colour, of the symbol and of the dash."""

    colour: int
    symbol: int
    dash: int


def style(number: int, colours: int = len(LIGHT.colours)) -> Style:
    """The style of the preset at this place of a report: no two of the first 36 share both colour and symbol.

    >>> style(1), style(7)
    (Style(colour=1, symbol=1, dash=1), Style(colour=1, symbol=2, dash=3))
    """
    turn = number // colours
    return Style(number % colours, (number + turn) % len(SYMBOLS), (number + 2 * turn) % len(DASHES))


def recall_figure(
    report: BenchReport, palette: Palette = LIGHT, chosen: Collection[str] = (), measure: str = "recall"
) -> plotly.graph_objects.Figure:
    """``measure`` at each budget with its 95 % interval, a line a preset.

    Past ``BOLD`` presets only those of ``chosen`` and the best keep their weight and interval; the others are thin.
    ``customdata`` of a point: the preset and the metric.
    """
    import plotly.graph_objects as plot

    figure = plot.Figure()
    bold = leading(report, measure, BOLD, chosen)
    strongest = [item.preset for item in report.presets if item.preset in bold]
    for number, item in enumerate(report.presets):
        held = [(place, b) for place, b in enumerate(report.budgets) if f"{measure}@{b}" in item.metrics]
        metrics = [f"{measure}@{budget}" for _, budget in held]
        means = [item.metrics[metric] for metric in metrics]
        looks, strong = style(number, len(palette.colours)), item.preset in bold
        colour = palette.colours[looks.colour]
        # A little aside of each other, or the error bars of equal presets would hide behind one another.
        aside = 0.04 * (strongest.index(item.preset) - (len(strongest) - 1) / 2) if strong else 0.0
        figure.add_scatter(
            x=[place + aside for place, _ in held],
            y=means,
            name=_safe(item.preset),
            mode="lines+markers",
            opacity=1.0 if strong else 0.4,
            zorder=1 if strong else 0,
            marker={"symbol": SYMBOLS[looks.symbol], "size": 9 if strong else 5, "color": colour},
            line={"dash": DASHES[looks.dash], "width": 2 if strong else 1, "color": colour},
            error_y={
                "type": "data",
                "visible": strong,
                "array": [item.intervals[metric][1] - mean for metric, mean in zip(metrics, means, strict=True)],
                "arrayminus": [mean - item.intervals[metric][0] for metric, mean in zip(metrics, means, strict=True)],
                "thickness": 1.2,
                "width": 4,
            },
            customdata=[[item.preset, metric] for metric in metrics],
            hovertext=[_interval_words(item.preset, item.metrics[m], *item.intervals[m]) for m in metrics],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    _lay_out(figure, palette, height=420 if len(report.presets) <= BOLD else 520)
    figure.update_layout(
        legend=_above() if len(report.presets) <= BOLD else {"orientation": "v", "x": 1.01, "y": 1},
        xaxis={
            "title": "Room for the reader, characters",
            "tickvals": list(range(len(report.budgets))),
            "ticktext": [f"{budget:,}" for budget in report.budgets],
        },
        yaxis={"title": f"{metric_words(measure)}, %", "range": [0, 102]},
    )
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

    The line says what can be had for at most that cost. ``customdata`` of a point: the preset's name.
    """
    import plotly.graph_objects as plot

    figure = plot.Figure()
    found = points(report, x, budget, measure)
    numbers = {item.preset: number for number, item in enumerate(report.presets)}
    front = sorted({(point.cost, point.value) for point in found if point.front})
    figure.add_scatter(
        x=[cost for cost, _ in front],
        y=[value for _, value in front],
        name="front",
        mode="lines",
        line={"shape": "hv", "width": 1.5, "color": palette.ink},
        opacity=0.55,
        hoverinfo="skip",
    )
    named = [point for point in found if point.front or point.preset == selected or len(found) <= BOLD]
    corners = _corners(named, found)
    for leads, said in ((True, "nothing as good for less"), (False, "dominated")):
        _add_points(figure, [p for p in found if p.front == leads], said, numbers, palette, selected, corners)
    _lay_out(figure, palette, height=440)
    figure.update_layout(
        legend=_above(),
        xaxis={"title": COST_WORDS[x], "rangemode": "normal"},
        yaxis={"title": f"{metric_words(f'{measure}@{budget}')}, %"},
        clickmode="event+select",
    )
    return figure


def lost_figure(report: BenchReport, budget: int, palette: Palette = LIGHT) -> plotly.graph_objects.Figure:
    """What was read of the gold, and where the rest was lost: a bar a preset, in percent of the gold.

    ``customdata`` of a part: the preset and the stage.
    """
    import plotly.graph_objects as plot

    figure = plot.Figure()
    held = [item for item in report.presets if item.lost.get(str(budget))]
    for number, (stage, said) in enumerate(STAGE_WORDS.items()):
        shares = [item.lost[str(budget)].get(stage, 0.0) for item in held]
        if stage != READ and not any(shares):
            continue
        colour = palette.ink if number >= len(palette.colours) else palette.colours[(2 + number) % len(palette.colours)]
        figure.add_bar(
            y=list(range(len(held))),
            x=shares,
            name=said,
            orientation="h",
            marker={
                "color": colour,
                "pattern": {"shape": PATTERNS[stage], "fillmode": "replace", "size": 7, "solidity": 0.45},
                "line": {"color": colour, "width": 1},
            },
            customdata=[[item.preset, stage] for item in held],
            hovertext=[f"{_safe(i.preset)}<br>{said}: {share:.1f} %" for i, share in zip(held, shares, strict=True)],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    _lay_out(figure, palette, height=120 + 30 * max(3, len(held)))
    figure.update_layout(
        barmode="stack",
        bargap=0.3,
        legend=_above() | {"traceorder": "normal"},
        xaxis={"title": f"Gold in {budget:,} characters, %", "range": [0, 100]},
        yaxis=_named([_safe(item.preset) for item in held]),
    )
    return figure


def breakdown_figure(
    groups: Mapping[str, Sequence[Group]],
    metric: str,
    palette: Palette = LIGHT,
    numbers: Mapping[str, int] | None = None,
) -> plotly.graph_objects.Figure:
    """Means and 95 % intervals by group, a mark a preset; ``groups`` by preset, in the order of the report.

    ``numbers``: the place of each preset in the report, by which it looks as elsewhere; ``None``: these are all.

    The first ``GROUPS`` groups are drawn, the others counted. ``customdata`` of a mark: the preset and the group.
    """
    import plotly.graph_objects as plot

    figure = plot.Figure()
    names = list(dict.fromkeys(group.name for found in groups.values() for group in found))
    sizes = {group.name: group.questions for found in groups.values() for group in found}
    places = {name: place for place, name in enumerate(names[:GROUPS])}
    aside = 0.7 / max(1, len(groups))
    for number, (preset, found) in enumerate(groups.items()):
        shown = [group for group in found if group.name in places]
        looks = style(number if numbers is None else numbers[preset], len(palette.colours))
        colour = palette.colours[looks.colour]
        figure.add_scatter(
            x=[group.mean for group in shown],
            y=[places[group.name] + aside * (number - (len(groups) - 1) / 2) for group in shown],
            name=_safe(preset),
            mode="markers",
            marker={"symbol": SYMBOLS[looks.symbol], "size": 8, "color": colour},
            error_x={
                "type": "data",
                "array": [group.high - group.mean for group in shown],
                "arrayminus": [group.mean - group.low for group in shown],
                "thickness": 1.2,
                "width": 3,
            },
            customdata=[[preset, group.name] for group in shown],
            hovertext=[
                f"{_safe(g.name)}<br>{_interval_words(preset, g.mean, g.low, g.high)}<br>{_questions(g.questions)}"
                for g in shown
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    _lay_out(figure, palette, height=130 + len(places) * max(26, 9 * len(groups)))
    worst = min((group.low for found in groups.values() for group in found if group.name in places), default=0.0)
    more = f"<br>{len(names) - len(places)} smaller groups are not drawn" if len(names) > len(places) else ""
    figure.update_layout(
        legend=_above(),
        xaxis={"title": f"{metric_words(metric)}, %{more}", "range": [20 * (min(worst, 80.0) // 20) - 1, 101]},
        yaxis=_named([f"{_safe(_short(name))} · {sizes[name]}" for name in places]),
    )
    return figure


def _add_points(
    figure: plotly.graph_objects.Figure,
    found: Sequence[Point],
    name: str,
    numbers: Mapping[str, int],
    palette: Palette,
    selected: str | None,
    corners: Mapping[str, str],
) -> None:
    """``corners``: of its mark, where the name of a preset stands, of ``selected`` in bold; of others none does."""
    labels = {point.preset: _safe(_short(point.preset)) for point in found if point.preset in corners}
    looks = [style(numbers[point.preset], len(palette.colours)) for point in found]
    figure.add_scatter(
        x=[point.cost for point in found],
        y=[point.value for point in found],
        name=name,
        mode="markers+text",
        text=[f"<b>{labels[p.preset]}</b>" if p.preset == selected else labels.get(p.preset, "") for p in found],
        textposition=[corners.get(point.preset, "top center") for point in found],
        textfont={"size": 11},
        marker={
            "symbol": [
                SYMBOLS[look.symbol] + ("" if p.front else "-open") for p, look in zip(found, looks, strict=True)
            ],
            "size": [16 if point.preset == selected else 11 for point in found],
            "color": [palette.colours[look.colour] for look in looks],
            "line": {"width": [3 if point.preset == selected else 1.5 for point in found]},
        },
        error_y={
            "type": "data",
            "array": [point.high - point.value for point in found],
            "arrayminus": [point.value - point.low for point in found],
            "thickness": 0.8,
            "width": 2,
            "color": palette.grid,
        },
        customdata=[point.preset for point in found],
        hovertext=[
            f"{_interval_words(p.preset, p.value, p.low, p.high)}<br>for {p.cost:,.4g}<br>{name}" for p in found
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _corners(named: Sequence[Point], found: Sequence[Point]) -> dict[str, str]:
    """The corner of its mark where each name stands: into the figure, so that none is cut at its edge, and off the
    others where a corner is free. Reckoned for the width of a page: the letters are set by the browser.
    """
    if not named:
        return {}
    costs = [point.cost for point in found]
    ends = [end for point in found for end in (point.low, point.high)]
    wide, high = max(costs) - min(costs) or 1.0, max(ends) - min(ends) or 1.0
    taken: list[tuple[float, float, float, float]] = []
    corners = {}
    for point in sorted(named, key=lambda one: one.cost):
        across, up = (point.cost - min(costs)) / wide, (point.value - min(ends)) / high
        long = _LETTER * len(_short(point.preset))
        inward = [("right", across + _LETTER), ("left", across - _LETTER - long)]
        if across >= 0.5:
            inward.reverse()
        sides = inward[:1] + [(side, left) for side, left in inward[1:] if left >= 0 and left + long <= 1]
        boxes = {
            f"{level} {side}": (left, foot, left + long, foot + _LINE)
            for level, foot in (("top", up + _LINE / 4), ("bottom", up - _LINE * 5 / 4))
            for side, left in sides
        }
        corner = min(boxes, key=lambda name: sum(_overlap(boxes[name], box) for box in taken))
        corners[point.preset] = corner
        taken.append(boxes[corner])
    return corners


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _lay_out(figure: plotly.graph_objects.Figure, palette: Palette, height: int) -> None:
    axis = {"gridcolor": palette.grid, "linecolor": palette.grid, "zeroline": False, "automargin": True}
    clear = "rgba(0,0,0,0)"
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        paper_bgcolor=clear,
        plot_bgcolor=clear,
        font={"color": palette.ink},
        hovermode="closest",
        xaxis=axis,
        yaxis=axis,
    )


def _above() -> dict[str, Any]:
    return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}


def _named(labels: Sequence[str]) -> dict[str, Any]:
    """An axis of rows, the first on top."""
    return {"tickvals": list(range(len(labels))), "ticktext": list(labels), "range": [len(labels) - 0.5, -0.5]}


def _interval_words(preset: str, mean: float, low: float, high: float) -> str:
    return f"{_safe(preset)}<br>{mean:.1f} % ({low:.1f} to {high:.1f})"


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count:,} questions"


def _short(name: str) -> str:
    """The name, its middle left out where it is long: beginnings and endings tell names apart."""
    return name if len(name) <= _LABEL else f"{name[: _LABEL // 2]}…{name[-(_LABEL // 2 - 1) :]}"


def _safe(name: str) -> str:
    return escape(name, quote=False)
