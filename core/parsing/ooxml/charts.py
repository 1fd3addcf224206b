"""Reads charts and diagrams (SmartArt) of Office documents as pieces: a chart's data, a diagram's texts.

Charts have a copy of their data (ECMA-376 part 1, 21.2), so that the workbook is not needed. Of the chart types new in
2016 (waterfall, treemap ...) only the titles are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.parsing.flow import Item, Piece, TableCell, Words
from core.parsing.ooxml.package import Element, local_name, whole
from core.parsing.sheets.formats import plain_number, show_number
from core.types import BlockKind

_MAX_POINTS = 20_000  # of a series; more are measurements, whose table nobody reads
_MAX_DEPTH = 12
_Points = dict[int, str]


@dataclass(frozen=True, slots=True)
class _Series:
    """One data series: ``labels`` and ``columns`` by the index of the point."""

    labels: _Points
    columns: tuple[tuple[str, _Points], ...]


def chart_pieces(root: Element) -> tuple[Piece, ...]:
    """A caption with the titles of the chart and its axes, if any, then tables of its data, one for all series with the
    same categories. ``root``: of a chart part, ``c:chartSpace`` or ``cx:chartSpace``.
    """
    title = _title(root.find("{*}chart"))
    axes = [words for axis in root.iterfind("{*}chart/{*}plotArea/*") if (words := _axis_title(axis))]
    is_dated_1904 = (switch := root.find("{*}date1904")) is not None and switch.get("val", "1") in ("1", "true")
    series = list(_series(root, is_dated_1904))
    caption = "\n".join([*filter(None, [title]), *axes])
    pieces = [Piece(BlockKind.CAPTION, Words(caption))] if caption else []
    return (*pieces, *(_table(group) for group in _over_same_labels(series)))


def diagram_pieces(root: Element) -> tuple[Piece, ...]:
    """The texts of a SmartArt diagram as a list with its hierarchy as depth. ``root``: ``dgm:dataModel``."""
    points = {
        point.get("modelId", ""): point
        for point in root.iterfind("{*}ptLst/{*}pt")
        if point.get("type", "node") in ("node", "asst", "doc")
    }
    children: dict[str, list[tuple[int, str]]] = {}
    below: set[str] = set()
    for link in root.iterfind("{*}cxnLst/{*}cxn"):
        child = link.get("destId", "")
        if link.get("type", "parOf") == "parOf" and child in points:
            children.setdefault(link.get("srcId", ""), []).append((whole(link.get("srcOrd"), 0), child))
            below.add(child)
    items: list[Item] = []
    waiting = [(name, 0) for name in reversed(points) if name not in below]
    seen: set[str] = set()
    while waiting:
        name, depth = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        words = _rich(points[name])
        is_shown = points[name].get("type", "node") != "doc" and bool(words)
        if is_shown:
            items.append(Item(Words(words), depth=min(depth, _MAX_DEPTH)))
        below_it = sorted(children.get(name, ()), reverse=True)
        waiting += [(child, depth + is_shown) for _, child in below_it]
    items += [Item(Words(_rich(points[name]))) for name in points if name not in seen and _rich(points[name])]
    return (Piece(BlockKind.LIST, items=tuple(items)),) if items else ()


def _title(chart: Element | None) -> str:
    title = None if chart is None else chart.find("{*}title")
    if title is None:
        return ""
    return _rich(title) or title.findtext("{*}tx/{*}txData/{*}v") or " ".join(_points(title.find("{*}tx")).values())


def _axis_title(axis: Element) -> str:
    deleted = axis.find("{*}delete")
    is_hidden = deleted is not None and deleted.get("val", "1") in ("1", "true")
    return "" if is_hidden or not local_name(axis).endswith(("Ax", "axis")) else _title(axis)


def _rich(element: Element) -> str:
    """Drawing text below ``element``: runs joined, paragraphs and breaks as lines."""
    lines = []
    for paragraph in element.iterfind(".//{http://schemas.openxmlformats.org/drawingml/2006/main}p"):
        parts = ["\n" if local_name(part) == "br" else part.text or "" for part in paragraph.iter("{*}t", "{*}br")]
        lines.append("".join(parts).strip())
    return "\n".join(filter(None, lines))


def _series(root: Element, is_dated_1904: bool) -> Iterator[_Series]:
    for series in root.iterfind("{*}chart/{*}plotArea/*/{*}ser"):
        name = " ".join(_points(series.find("{*}tx")).values())
        bare = series.find("{*}tx/{*}v")
        name = name or ("" if bare is None else bare.text or "")
        labels = _points(series.find("{*}cat"), is_dated_1904)
        columns = []
        for tag, heading in (("xVal", "x"), ("yVal", name or "y"), ("val", name), ("bubbleSize", "size")):
            points = _points(series.find(f"{{*}}{tag}"), is_dated_1904)
            if points:
                columns.append((heading, points))
        if columns:
            yield _Series(labels, tuple(columns))
        elif labels:
            yield _Series(labels, ((name, {}),))


def _points(holder: Element | None, is_dated_1904: bool = False) -> _Points:
    """The cached points below a ``c:cat``, ``c:val``, ``c:tx`` ... by index, as they are shown."""
    if holder is None:
        return {}
    if holder.find("{*}multiLvlStrRef") is not None:
        return _levels(holder.find("{*}multiLvlStrRef/{*}multiLvlStrCache"))
    points: _Points = {}
    for cache in holder.iter("{*}numCache", "{*}numLit", "{*}strCache", "{*}strLit"):
        code = (cache.findtext("{*}formatCode") or "") if "num" in local_name(cache) else "@"
        for point in cache.iterfind("{*}pt"):
            if len(points) >= _MAX_POINTS:
                break
            raw = point.findtext("{*}v") or ""
            shown = raw if code == "@" else _shown(raw, point.get("formatCode") or code, is_dated_1904)
            points[whole(point.get("idx"), 0)] = shown
    return points


def _levels(holder: Element | None) -> _Points:
    """Labels of several levels as one: an outer label applies until the next one and comes first."""
    levels = [] if holder is None else list(holder.iterfind("{*}lvl"))
    tables = [
        {whole(point.get("idx"), 0): point.findtext("{*}v") or point.text or "" for point in level.iterfind("{*}pt")}
        for level in levels[:_MAX_DEPTH]
    ]
    joined: _Points = {}
    running = [""] * len(tables)
    for index in sorted({index for table in tables for index in table})[:_MAX_POINTS]:
        running = [table.get(index, "" if place == 0 else running[place]) for place, table in enumerate(tables)]
        joined[index] = " ".join(filter(None, reversed(running)))
    return joined


def _shown(raw: str, code: str, is_dated_1904: bool) -> str:
    """A cached number as its format would show it: percent and dates; others as they are, rounding noise aside.

    >>> _shown("0.256", "0%", False), _shown("45292", "yyyy-mm-dd", False), _shown("0.30000000000000004", "0.0", False)
    ('25.6%', '2024-01-01', '0.3')
    """
    try:
        number = float(raw)
        shown = show_number(number, code, from_1904=is_dated_1904)
        if shown.is_date:
            return shown.text
        return f"{number * 100:.10g}%" if "%" in shown.text else plain_number(number)
    except (ValueError, OverflowError):
        return raw


def _over_same_labels(series: Iterable[_Series]) -> list[list[_Series]]:
    groups: list[list[_Series]] = []
    for one in series:
        same = next((group for group in groups[-64:] if _share_places(group[0], one)), None)
        if same is None:
            groups.append([one])
        else:
            same.append(one if one.labels else _Series({}, one.columns[1:]))
    return groups


def _share_places(first: _Series, other: _Series) -> bool:
    """Whether two series have the same categories or the same x values."""
    if first.labels or other.labels:
        return first.labels == other.labels
    return len(other.columns) > 1 and first.columns[0] == other.columns[0]


def _table(group: list[_Series]) -> Piece:
    """A table with a row for each category and a column for each series; without categories, the points' columns."""
    labels = group[0].labels
    columns = [column for one in group for column in one.columns]
    indexes = sorted({*labels, *(index for _, points in columns for index in points)})
    lines = [["", *(name for name, _ in columns)]]
    lines += [[labels.get(index, ""), *(points.get(index, "") for _, points in columns)] for index in indexes]
    lines = lines if labels else [line[1:] for line in lines]
    is_headed = any(lines[0])
    rows = tuple(tuple(TableCell(Words(text)) for text in line) for line in (lines if is_headed else lines[1:]))
    return Piece(BlockKind.TABLE, rows=rows, header_rows=int(is_headed))
