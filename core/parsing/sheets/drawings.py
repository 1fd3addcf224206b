"""What floats over the cells of an Excel sheet: charts, text boxes, diagrams and pictures that are described."""

from __future__ import annotations

from collections.abc import Sequence

from core.parsing.ooxml.package import Package, whole
from core.parsing.sheets.grid import Drawing
from core.parsing.slides.masters import Layers
from core.parsing.slides.shapes import Sheet, read_shapes
from core.types import Page

_NO_PAGE = Page(0, 0.0, 0.0)  # cells stand on none


def read_drawings(package: Package, part: str, ids: Sequence[str]) -> list[Drawing]:
    """The drawings of a sheet, each at the cell it is anchored to. ``ids``: of the sheet's relations.

    A chart that holds no copy of its data shows its title: the data stand in cells.
    """
    found: list[Drawing] = []
    inside = [relation.target for name in ids if (relation := package.relations(part).get(name))]
    for target in inside:
        root = package.optional_root(target)
        for anchor in root if root is not None else ():
            shapes = read_shapes(anchor, Sheet(package, target, _NO_PAGE, Layers(None, None, None)))
            pieces = (*shapes.titles, *shapes.pieces)
            if pieces:
                row, column = (whole(anchor.findtext(f"{{*}}from/{{*}}{name}"), 0) for name in ("row", "col"))
                found.append(Drawing(row, column, pieces))
    return found
