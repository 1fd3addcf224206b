"""Children to extents: how far each retrieved leaf is allowed to grow before it is read."""

from core.expansion.barring import clear_span, left_out
from core.expansion.expanding import EXPANDERS, expand
from core.expansion.extents import Extent, leaf_at
from core.expansion.reads import ExpansionReads

__all__ = ["EXPANDERS", "ExpansionReads", "Extent", "clear_span", "expand", "leaf_at", "left_out"]
