"""Children with so many sentences on each side of them."""

from __future__ import annotations

from core.expansion.around import Around, nearest
from core.expansion.extents import Extent, family, leaves_of
from core.expansion.growth import Growth


def window(growth: Growth) -> list[Extent]:
    """Every child with ``window_sentences`` on each side, of its section and within its share.

    The section is the child's parent: a cut by sections parts parents where a heading opens one. A child without a
    parent may reach what stands beside it in its document. Reads the documents' texts alone.
    """
    return [_windowed(growth, place) for place in range(len(growth.children))]


def _windowed(growth: Growth, place: int) -> Extent:
    child, wanted = growth.children[place], growth.settings.window_sentences
    document, span = int(growth.leaves.documents[child]), growth.span(child, child)
    if not wanted:
        return growth.alone(place, "the window is off")
    if growth.room(place) <= span.length:
        return growth.alone(place, "no sentence fits its share of the budget")
    if growth.leaves.parent_rows[child] >= 0:
        section = growth.span(*family(growth.leaves, child))
    else:
        first, end = leaves_of(growth.leaves, document)
        section = growth.span(first, end - 1)
    around = Around(span, growth.room(place), *nearest(growth, document, span, section, wanted))
    around.grow(lambda so_far: so_far.taken_before <= so_far.taken_after)
    before, after = around.taken_before, around.taken_after
    if not before + after:
        return growth.alone(place, "its section has no other sentence that fits its share of the budget")
    ends = "" if before == after == wanted else ": its section or its share of the budget ends there"
    return growth.text(place, around.span, f"{_sentences(before)} before it and {after} after it{ends}")


def _sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count} sentences"
