"""Drawings over the cells of an Excel sheet: charts, text boxes, diagrams and described pictures."""

from __future__ import annotations

from collections.abc import Sequence

from core.parsing.ooxml.package import Package, whole
from core.parsing.sheets.grid import Drawing
from core.parsing.slides.masters import Layers
from core.parsing.slides.shapes import Sheet, read_shapes
from core.types import Page

_NO_PAGE = Page(0, 0.0, 0.0)  # sheets have no pages


def read_drawings(package: Package, part: str, ids: Sequence[str]) -> list[Drawing]:
    """The drawings of a sheet, each at the cell it is anchored to. ``ids``: of the sheet's relations.

    Of a chart without a copy of its data only the title is read: the data are in cells.
    """
    drawings: list[Drawing] = []
    targets = [relation.target for name in ids if (relation := package.relations(part).get(name))]
    for target in targets:
        root = package.optional_root(target)
        for anchor in root if root is not None else ():
            shapes = read_shapes(anchor, Sheet(package, target, _NO_PAGE, Layers(None, None, None)))
            pieces = (*shapes.titles, *shapes.pieces)
            if pieces:
                row, column = (whole(anchor.findtext(f"{{*}}from/{{*}}{name}"), 0) for name in ("row", "col"))
                drawings.append(Drawing(row, column, pieces))
    return drawings
