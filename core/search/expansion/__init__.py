"""Children to extents: how far each retrieved leaf is allowed to grow before it is read."""

from core.search.expansion.exclusion import clear_span, left_out
from core.search.expansion.expanding import EXPANDERS, expand
from core.search.expansion.growth import ExpansionReads, Extent, leaf_at, leaves_at

__all__ = ["EXPANDERS", "ExpansionReads", "Extent", "clear_span", "expand", "leaf_at", "leaves_at", "left_out"]
