"""The colours behind the text of a slide, and which text is invisible: tiny, transparent, or in the colour behind it.

Only the properties of the run itself count. Colours other than plain ones (gradients, tints) count as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from core.parsing.flow import Rectangle
from core.parsing.ooxml.package import Element, local_name, whole
from core.parsing.slides.masters import WHITE, Layers

_TINY, _CLEAR = 200, 5_000  # hundredths of a point; thousandths of a per cent
_PLAIN_GROUND = "1001"  # the first background of a theme, which has a single colour
_PAINTED = frozenset(("pic", "graphicFrame", "grpSp", "cxnSp"))  # except lines, they cover what is behind them
_FILLS = frozenset(("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"))


@dataclass(slots=True)
class Ground:
    """The background of a slide. ``paper``: its colour. ``painted``: boxes of the shapes so far with their colours, the
    top one last. ``colours``: the theme's colours by name. The colour "" is unknown.
    """

    paper: str = WHITE
    colours: Mapping[str, str] = field(default_factory=dict)
    painted: list[tuple[Rectangle, str]] = field(default_factory=list)

    def behind(self, box: Rectangle) -> str:
        """The colour behind a shape without a fill."""
        for (x0, y0, x1, y1), colour in reversed(self.painted):
            if x0 < box[2] and box[0] < x1 and y0 < box[3] and box[1] < y1:
                return colour
        return self.paper

    def fill(self, shape: Element, above: Iterable[Element] = ()) -> str | None:
        """The fill colour of a shape, or the one it inherits from ``above``; ``None`` for no fill."""
        if (name := local_name(shape)) in _PAINTED:
            return None if name == "cxnSp" else ""
        for one in (shape, *above):
            properties = one.find("{*}spPr")
            children = () if properties is None else properties
            fill = next((child for child in children if local_name(child) in _FILLS), None)
            if fill is not None:
                return None if local_name(fill) == "noFill" else self._colour(fill)
            styled = one.find("{*}style/{*}fillRef")
            if styled is not None and styled.get("idx", "0") != "0":
                return ""
        return None

    def unseen(self, body: Element, behind: str) -> Iterator[str]:
        """The words of runs that are invisible on the colour ``behind``."""
        for run in body.iter("{*}r", "{*}fld"):
            properties = run.find("{*}rPr")
            if properties is not None and self._is_unseen(properties, behind):
                yield from (run.findtext("{*}t") or "").split()

    def _is_unseen(self, properties: Element, behind: str) -> bool:
        if 0 < whole(properties.get("sz"), 0) < _TINY:
            return True
        if properties.find("{*}noFill") is not None:
            return properties.find("{*}ln") is None
        fill = properties.find("{*}solidFill")
        if fill is None:
            return False
        if any(whole(alpha.get("val"), _CLEAR) < _CLEAR for alpha in fill.iterfind("*/{*}alpha")):
            return True
        return self._colour(fill) == behind != ""

    def _colour(self, fill: Element) -> str:
        """The colour of a fill, "" where it has several colours or is modified."""
        if local_name(fill) not in ("solidFill", "bgRef") or len(fill) != 1 or len(fill[0]):
            return ""
        value = fill[0].get("val", "")
        return value.upper() if local_name(fill[0]) == "srgbClr" else self.colours.get(value, value)


def ground_of(slide: Element | None, layers: Layers) -> Ground:
    """The background of a slide. ``slide`` ``None``: of a drawing that is not on a slide."""
    ground = Ground(colours=layers.colours)
    below = [layer.root for layer in (layers.layout, layers.master) if layer is not None]
    backgrounds = (root.find("{*}cSld/{*}bg") for root in (slide, *below) if root is not None)
    if (background := next((one for one in backgrounds if one is not None), None)) is not None:
        plain = background.find("{*}bgPr/{*}solidFill")
        named = background.find(f"{{*}}bgRef[@idx='{_PLAIN_GROUND}']")
        fill = plain if plain is not None else named
        ground.paper = "" if fill is None else ground._colour(fill)
    return ground
