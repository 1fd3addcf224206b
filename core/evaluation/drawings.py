"""A bench report as still figures: inline SVG that needs no program, prints, and takes its colours from the page.

Elements are built, never pasted together, so a name is text wherever it stands. The classes are styled by
``report.css``: ``c0`` to ``c5`` are the colours of presets, ``stage-…`` those of where gold went.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil, floor, log10
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from core.evaluation.breakdown import COST_WORDS, STAGE_WORDS, CostAxis, Group, metric_words, points
from core.evaluation.charts import GROUPS, SYMBOLS, style
from core.evaluation.report import BenchReport

WIDTH = 860  # of a figure; the page shows it at most so wide, so letters keep their size
PANEL = 372  # of one of three figures side by side
HATCHES = {
    "budget": "M0 6L6 0M-1 1L1 -1M5 7L7 5",
    "threshold": "M3 2V4M2 3H4",
    "ranking": "M0 0L6 6M-1 5L1 7M5 -1L7 1",
    "search": "M0 0L6 6M0 6L6 0",
    "condition": "M3 0V6",
    "cutting": "M0 3H6",
    "reading": "M3 0V6M0 3H6",
}
_DASHES = ("", "7 4", "2 3", "7 3 2 3", "12 4", "12 4 2 4")
_PLUS = [(-0.34, -1.15), (0.34, -1.15), (0.34, -0.34), (1.15, -0.34), (1.15, 0.34), (0.34, 0.34)]
_CROSS = [*_PLUS, *[(-a, -b) for a, b in _PLUS]]
_CORNERS = {
    "square": [(-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)],
    "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
    "triangle-up": [(0, -1.2), (1.2, 0.95), (-1.2, 0.95)],
    "cross": _CROSS,
    "x": [(0.7071 * (a - b), 0.7071 * (a + b)) for a, b in _CROSS],
}
_LETTER = 7.0  # width of a letter of 12 pixels, on average
_LINE = 14.0  # height of a line of them


def recall_drawing(report: BenchReport, bold: Collection[str], measure: str = "recall") -> str:
    """``measure`` at each budget with its interval, a line a preset, named where it ends; all but ``bold`` are thin."""
    left, top, bottom, height = 52.0, 12.0, 44.0, 420.0
    right = min(290.0, 46.0 + _LETTER * max(map(len, bold), default=0))
    budgets = report.budgets
    shown = [item for item in report.presets if any(f"{measure}@{b}" in item.metrics for b in budgets)]
    lows = [item.intervals[f"{measure}@{b}"][0] for item in shown for b in budgets if f"{measure}@{b}" in item.metrics]
    floor_at = max(0.0, 20.0 * floor(min(lows, default=0.0) / 20))
    root = _svg(WIDTH, height, f"{metric_words(measure)} at each budget, a line a preset; the table has the figures")

    def across(place: float) -> float:
        return left + (WIDTH - left - right) * (0.5 if len(budgets) == 1 else 0.03 + 0.94 * place / (len(budgets) - 1))

    def up(value: float) -> float:
        return height - bottom - (height - top - bottom) * (value - floor_at) / (100 - floor_at)

    for value in ticks(floor_at, 100.0, 6):
        _node(root, "line", x1=left, x2=WIDTH - right, y1=up(value), y2=up(value), class_="grid")
        _node(root, "text", f"{value:g} %", x=left - 8, y=up(value) + 4, class_="tick end")
    for place, budget in enumerate(budgets):
        _node(root, "text", f"{budget:,}", x=across(place), y=height - bottom + 18, class_="tick middle")
    _node(root, "text", "Room for the reader, characters", x=left, y=height - 6, class_="title")
    numbers = {item.preset: number for number, item in enumerate(report.presets)}
    strongest = [item.preset for item in shown if item.preset in bold]
    ends: list[tuple[str, float]] = []
    # The bold ones last, so that they lie on top.
    for item in sorted(shown, key=lambda one: one.preset in bold):
        looks, strong = style(numbers[item.preset]), item.preset in bold
        # A little aside of each other, or the intervals of equal presets would hide behind one another.
        aside = 4.0 * (strongest.index(item.preset) - (len(strongest) - 1) / 2) if strong else 0.0
        held = [(place, f"{measure}@{b}") for place, b in enumerate(budgets) if f"{measure}@{b}" in item.metrics]
        series = _node(root, "g", class_=f"series c{looks.colour} {'bold' if strong else 'thin'}")
        _node(series, "title", item.preset)
        spots = [(across(place) + aside, up(item.metrics[metric])) for place, metric in held]
        line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        _node(series, "path", d=line, class_="line", stroke_dasharray=_DASHES[looks.dash])
        for (x, y), (_, metric) in zip(spots, held, strict=True):
            low, high = item.intervals[metric]
            if strong:
                _whisker(series, x, up(low), up(high))
            mark = _node(series, "path", d=symbol(looks.symbol, x, y, 4.5 if strong else 2.5), class_="mark")
            _node(mark, "title", f"{item.preset}: {_interval(item.metrics[metric], low, high)}")
        if strong:
            ends.append((item.preset, spots[-1][1]))
    for (preset, y), at in zip(ends, spread([y for _, y in ends], _LINE, top + 6, height - bottom), strict=True):
        x = WIDTH - right + 6
        named = _node(root, "g", class_=f"c{style(numbers[preset]).colour}")
        _node(named, "path", d=f"M{x} {y:.1f}L{x + 14} {at:.1f}", class_="leader")
        _node(named, "path", d=symbol(style(numbers[preset]).symbol, x + 22, at, 4), class_="mark")
        _node(named, "text", _short(preset, right - 42), x=x + 32, y=at + 4, class_="name")
    return _written(root)


def pareto_drawing(
    report: BenchReport, x: CostAxis, budget: int, bold: Collection[str], measure: str = "recall"
) -> str:
    """What presets give for what they cost: the front a stepped line, dominated presets hollow. "" without costs."""
    found = points(report, x, budget, measure)
    if not found:
        return ""
    left, right, top, bottom, height = 44.0, 14.0, 14.0, 44.0, 300.0
    across_ticks = ticks(*_room([point.cost for point in found]), 5)
    low, high = _room([value for point in found for value in (point.low, point.high)])
    up_ticks = ticks(low, min(high, 100.0), 6)
    root = _svg(PANEL, height, f"{metric_words(f'{measure}@{budget}')} against {COST_WORDS[x]}")

    def across(cost: float) -> float:
        first, last = across_ticks[0], across_ticks[-1]
        return left + (PANEL - left - right) * (cost - first) / (last - first)

    def up(value: float) -> float:
        first, last = up_ticks[0], up_ticks[-1]
        return height - bottom - (height - top - bottom) * (value - first) / (last - first)

    for value in up_ticks:
        _node(root, "line", x1=left, x2=PANEL - right, y1=up(value), y2=up(value), class_="grid")
        _node(root, "text", f"{value:g}", x=left - 8, y=up(value) + 4, class_="tick end")
    for cost in across_ticks:
        _node(root, "text", f"{cost:,g}", x=across(cost), y=height - bottom + 18, class_="tick middle")
    _node(root, "text", COST_WORDS[x], x=left, y=height - 6, class_="title")
    front = sorted({(point.cost, point.value) for point in found if point.front})
    steps = f"M{across(front[0][0]):.1f} {up(front[0][1]):.1f}"
    steps += "".join(f"H{across(cost):.1f}V{up(value):.1f}" for cost, value in front[1:])
    _node(root, "path", d=f"{steps}H{PANEL - right:.1f}", class_="front")
    numbers = {item.preset: number for number, item in enumerate(report.presets)}
    taken = [(across(p.cost) - 7, up(p.value) - 7, across(p.cost) + 7, up(p.value) + 7) for p in found]
    for point in sorted(found, key=lambda one: one.front):
        looks = style(numbers[point.preset])
        spot, level = across(point.cost), up(point.value)
        one = _node(root, "g", class_=f"c{looks.colour} {'' if point.front else 'hollow'}")
        _whisker(one, spot, up(point.low), up(point.high), faint=True)
        mark = _node(one, "path", d=symbol(looks.symbol, spot, level, 5), class_="mark")
        _node(mark, "title", f"{point.preset}: {_interval(point.value, point.low, point.high)} for {point.cost:,.4g}")
    for point in sorted(found, key=lambda one: not one.front):
        if point.front or point.preset in bold:
            name = _short(point.preset, 150)
            place = _free(across(point.cost), up(point.value), _LETTER * len(name), taken, (left, PANEL - right))
            if place:
                _node(root, "text", name, x=place[0], y=place[1] + 4, class_="name" if point.front else "name quiet")
    return _written(root)


def lost_drawing(report: BenchReport, budget: int) -> str:
    """What was read of the gold and where the rest was lost, a bar a preset. "" where it was not measured."""
    held = [item for item in report.presets if item.lost.get(str(budget))]
    if not held:
        return ""
    left, right, row, top = 262.0, 60.0, 26.0, 4.0
    height = top + row * len(held) + 30
    root = _svg(WIDTH, height, f"Where the gold went in {budget:,} characters, a bar a preset")
    wide = (WIDTH - left - right) / 100
    for value in (0, 25, 50, 75, 100):
        _node(root, "line", x1=left + wide * value, x2=left + wide * value, y1=top, y2=height - 28, class_="grid")
        _node(root, "text", f"{value} %", x=left + wide * value, y=height - 10, class_="tick middle")
    for number, item in enumerate(held):
        y, at = top + row * number, left
        label = _node(root, "text", _short(item.preset, left - 12), x=left - 10, y=y + 17, class_="name end")
        _node(label, "title", item.preset)
        for stage, said in STAGE_WORDS.items():
            share = item.lost[str(budget)].get(stage, 0.0)
            if share <= 0:
                continue
            part = _node(root, "g", class_=f"stage-{stage}")
            _node(part, "title", f"{item.preset}: {share:.1f} % {said}")
            box = {"x": at, "y": y + 4, "width": wide * share, "height": row - 8}
            _node(part, "rect", class_="part", **box)
            if stage in HATCHES:
                _node(part, "rect", fill=f"url(#hatch-{stage})", **box)
            at += wide * share
        read = item.lost[str(budget)].get("read", 0.0)
        _node(root, "text", f"{read:.1f} %", x=WIDTH - right + 8, y=y + 17, class_="name")
    return _written(root)


def breakdown_drawing(groups: Mapping[str, Sequence[Group]], numbers: Mapping[str, int]) -> str:
    """Means and intervals by group, a mark a preset, the first ``GROUPS`` groups. ``numbers``: places in the report."""
    names = list(dict.fromkeys(group.name for found in groups.values() for group in found))[:GROUPS]
    sizes = {group.name: group.questions for found in groups.values() for group in found}
    left, right, top = 262.0, 70.0, 6.0
    row = max(24.0, 9.0 * len(groups) + 8)
    height = top + row * len(names) + 32
    root = _svg(WIDTH, height, "Means and intervals by group, a mark a preset; the table has the figures")
    shown = {preset: [group for group in found if group.name in names] for preset, found in groups.items()}
    worst = min((group.low for found in shown.values() for group in found), default=0.0)
    marks = ticks(20.0 * floor(min(worst, 80.0) / 20), 100.0, 5)

    def across(value: float) -> float:
        return left + (WIDTH - left - right) * (value - marks[0]) / (marks[-1] - marks[0])

    for number, name in enumerate(names):
        y = top + row * number
        _node(root, "rect", x=0, y=y, width=WIDTH, height=row, class_="band" if number % 2 == 0 else "no-band")
        label = _node(root, "text", _short(name, left - 14), x=left - 12, y=y + row / 2 + 4, class_="name end")
        _node(label, "title", name)
        _node(root, "text", f"n {sizes[name]:,}", x=WIDTH - right + 14, y=y + row / 2 + 4, class_="tick")
    for value in marks:
        _node(root, "line", x1=across(value), x2=across(value), y1=top, y2=height - 30, class_="grid")
        _node(root, "text", f"{value:g} %", x=across(value), y=height - 10, class_="tick middle")
    for place, (preset, found) in enumerate(shown.items()):
        looks = style(numbers[preset])
        for group in found:
            middle = top + row * (names.index(group.name) + 0.5) + 9.0 * (place - (len(groups) - 1) / 2)
            one = _node(root, "g", class_=f"series c{looks.colour} bold")
            _node(one, "title", f"{preset}, {group.name}: {_interval(group.mean, group.low, group.high)}")
            _node(one, "path", d=f"M{across(group.low):.1f} {middle:.1f}H{across(group.high):.1f}", class_="whisker")
            _node(one, "path", d=symbol(looks.symbol, across(group.mean), middle, 4), class_="mark")
    return _written(root)


def swatch(number: int) -> str:
    """The line and mark of the preset at this place of the report, to stand before its name."""
    looks = style(number)
    root = Element("svg", {"class": f"swatch c{looks.colour}", "viewBox": "0 0 34 12", "aria-hidden": "true"})
    _node(root, "path", d="M1 6H33", class_="line", stroke_dasharray=_DASHES[looks.dash])
    _node(root, "path", d=symbol(looks.symbol, 17, 6, 4.5), class_="mark")
    return _written(root)


def stage_swatch(stage: str) -> str:
    """The fill of a stage, to stand before its words."""
    root = Element("svg", {"class": f"swatch stage-{stage}", "viewBox": "0 0 20 12", "aria-hidden": "true"})
    _node(root, "rect", width=20, height=12, class_="part")
    if stage in HATCHES:
        _node(root, "rect", width=20, height=12, fill=f"url(#hatch-{stage})")
    return _written(root)


def share_bar(share: float) -> str:
    """A share of 1 as a small bar."""
    root = Element(
        "svg", {"class": "share", "viewBox": "0 0 100 8", "preserveAspectRatio": "none", "aria-hidden": "true"}
    )
    _node(root, "rect", width=100, height=8, class_="whole")
    _node(root, "rect", width=100 * share, height=8, class_="held")
    return _written(root)


def hatches() -> str:
    """The patterns that ``lost_drawing`` and ``stage_swatch`` fill with; once in a page, before either."""
    root = Element("svg", {"width": "0", "height": "0", "class": "hatches", "aria-hidden": "true"})
    held = _node(root, "defs")
    for stage, path in HATCHES.items():
        pattern = _node(held, "pattern", id=f"hatch-{stage}", width=6, height=6, patternUnits="userSpaceOnUse")
        _node(pattern, "path", d=path, class_="hatch")
    return _written(root)


def symbol(index: int, x: float, y: float, size: float) -> str:
    """The path of ``charts.SYMBOLS[index]`` about ``(x, y)``.

    >>> symbol(2, 10, 10, 10)
    'M10.0 -3.0L23.0 10.0L10.0 23.0L-3.0 10.0Z'
    """
    if SYMBOLS[index] == "circle":
        return f"M{x - size:.1f} {y:.1f}a{size} {size} 0 1 0 {2 * size} 0a{size} {size} 0 1 0 {-2 * size} 0Z"
    corners = _CORNERS[SYMBOLS[index]]
    return "M" + "L".join(f"{x + size * a:.1f} {y + size * b:.1f}" for a, b in corners) + "Z"


def ticks(low: float, high: float, count: int) -> list[float]:
    """Round values, about ``count``, the first not above ``low`` and the last not below ``high``.

    >>> ticks(0, 100, 6), ticks(3.2, 4.1, 4)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [3.0, 3.5, 4.0, 4.5])
    """
    rough = max(high - low, 1e-9) / max(1, count - 1)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, max(last, first + 1) + 1)]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near those ``wanted``, in their order, ``gap`` apart and within the bounds if there is room.

    >>> spread([10.0, 11.0, 50.0], 5.0, 0.0, 52.0)
    [10.0, 15.0, 50.0]
    >>> spread([50.0, 51.0], 5.0, 0.0, 52.0)
    [47.0, 52.0]
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    places: list[float] = []
    for index in order:
        places.append(max(wanted[index], low, places[-1] + gap if places else low))
    for number in range(len(places) - 1, -1, -1):
        places[number] = min(places[number], high if number == len(places) - 1 else places[number + 1] - gap)
    found = [0.0] * len(wanted)
    for index, place in zip(order, places, strict=True):
        found[index] = place
    return found


def _free(
    x: float, y: float, width: float, taken: list[tuple[float, float, float, float]], bounds: tuple[float, float]
) -> tuple[float, float] | None:
    """Where a name of this width may begin beside a mark without covering anything; ``taken`` gets its box."""
    half = _LINE / 2
    beside = [(x + 10, y), (x - 10 - width, y)]
    around = [(x - width / 2, y - 14), (x - width / 2, y + 14), (x + 8, y - 12), (x + 8, y + 12)]
    for left, middle in [*beside, *around, (x - 8 - width, y - 12), (x - 8 - width, y + 12)]:
        box = (left, middle - half, left + width, middle + half)
        if box[0] < bounds[0] or box[2] > bounds[1]:
            continue
        if not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            taken.append(box)
            return left, middle
    return None


def _whisker(parent: Element, x: float, low: float, high: float, *, faint: bool = False) -> None:
    path = f"M{x:.1f} {low:.1f}V{high:.1f}" + ("" if faint else f"M{x - 3:.1f} {low:.1f}h6M{x - 3:.1f} {high:.1f}h6")
    _node(parent, "path", d=path, class_="whisker faint" if faint else "whisker")


def _room(values: Sequence[float]) -> tuple[float, float]:
    """The range of values with some air around it; never empty."""
    low, high = min(values), max(values)
    air = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return max(0.0, low - air) if low >= 0 else low - air, high + air


def _interval(mean: float, low: float, high: float) -> str:
    return f"{mean:.1f} % ({low:.1f} to {high:.1f})"


def _short(name: str, width: float) -> str:
    """The name, its middle left out where it is wider than ``width``."""
    room = int(width / _LETTER)
    return name if len(name) <= room else f"{name[: room // 2]}…{name[-(room - room // 2 - 1) :]}"


def _svg(width: float, height: float, label: str) -> Element:
    box = f"0 0 {width:g} {height:g}"
    return Element("svg", {"viewBox": box, "class": f"drawing w{width:g}", "role": "img", "aria-label": label})


def _node(parent: Element, tag: str, text: str | None = None, /, **attributes: float | str) -> Element:
    """A new last child; ``class_`` and ``stroke_width`` stand for what Python's names cannot say; "" is left out."""
    shown = {
        name.rstrip("_").replace("_", "-"): f"{value:.1f}" if isinstance(value, float) else str(value)
        for name, value in attributes.items()
        if value != ""
    }
    child = ElementTree.SubElement(parent, tag, shown)
    child.text = text
    return child


def _written(root: Element) -> str:
    return ElementTree.tostring(root, encoding="unicode")
