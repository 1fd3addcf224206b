"""Children to extents: how far each retrieved leaf is allowed to grow before it is read."""

from core.expansion.extents import EXPANDERS, Extent, expand

__all__ = ["EXPANDERS", "Extent", "expand"]
