"""Children to extents: how far each retrieved leaf is allowed to grow before it is read."""

from core.search.expansion.expanding import EXPANDERS, clear_span, expand, left_out
from core.search.expansion.growth import Extent, leaf_at, leaves_at

__all__ = ["EXPANDERS", "Extent", "clear_span", "expand", "leaf_at", "leaves_at", "left_out"]
