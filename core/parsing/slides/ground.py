"""What lies behind the words of a slide, and which of them nobody sees: tiny, clear, or of the colour behind them.

Only what a run says itself counts; of a colour that is not told plainly (a gradient, a tint) nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from core.parsing.flow import Rectangle
from core.parsing.ooxml.package import Element, local_name, whole
from core.parsing.slides.masters import WHITE, Layers

_TINY, _CLEAR = 200, 5_000  # hundredths of a point; thousandths of a per cent
_PLAIN_GROUND = "1001"  # the first of a theme's grounds, which is of one colour
_PAINTED = frozenset(("pic", "graphicFrame", "grpSp", "cxnSp"))  # all but lines, in colours that are not told
_FILLS = frozenset(("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"))


@dataclass(slots=True)
class Ground:
    """``paper``: the slide's own colour. ``painted``: what lies on it so far, the uppermost last; "" where no one
    colour is told. ``colours``: what the theme calls by name.
    """

    paper: str = WHITE
    colours: Mapping[str, str] = field(default_factory=dict)
    painted: list[tuple[Rectangle, str]] = field(default_factory=list)

    def behind(self, box: Rectangle) -> str:
        """The colour that lies where a shape without one stands."""
        for (x0, y0, x1, y1), colour in reversed(self.painted):
            if x0 < box[2] and box[0] < x1 and y0 < box[3] and box[1] < y1:
                return colour
        return self.paper

    def fill(self, shape: Element, above: Iterable[Element] = ()) -> str | None:
        """The colour a shape is filled with, or inherits from those ``above`` it; ``None`` for none."""
        if (name := local_name(shape)) in _PAINTED:
            return None if name == "cxnSp" else ""
        for one in (shape, *above):
            properties = one.find("{*}spPr")
            within = () if properties is None else properties
            told = next((child for child in within if local_name(child) in _FILLS), None)
            if told is not None:
                return None if local_name(told) == "noFill" else self._colour(told)
            styled = one.find("{*}style/{*}fillRef")
            if styled is not None and styled.get("idx", "0") != "0":
                return ""
        return None

    def unseen(self, body: Element, behind: str) -> Iterator[str]:
        """The words of runs that cannot be read on this colour."""
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
        """The one colour of a fill, "" where it is of several or changed by more than a plain name says."""
        if local_name(fill) not in ("solidFill", "bgRef") or len(fill) != 1 or len(fill[0]):
            return ""
        value = fill[0].get("val", "")
        return value.upper() if local_name(fill[0]) == "srgbClr" else self.colours.get(value, value)


def ground_of(slide: Element | None, layers: Layers) -> Ground:
    """The ground of a slide, or of a drawing where there is no slide."""
    ground = Ground(colours=layers.colours)
    below = [layer.root for layer in (layers.layout, layers.master) if layer is not None]
    told = (root.find("{*}cSld/{*}bg") for root in (slide, *below) if root is not None)
    if (background := next((one for one in told if one is not None), None)) is not None:
        plain = background.find("{*}bgPr/{*}solidFill")
        named = background.find(f"{{*}}bgRef[@idx='{_PLAIN_GROUND}']")
        fill = plain if plain is not None else named
        ground.paper = "" if fill is None else ground._colour(fill)
    return ground
