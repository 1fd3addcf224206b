"""Children as anchors: the text grows evenly to both sides of them until their share of the budget is full."""

from __future__ import annotations

import re

from core.search.expansion.growth import Extent, Growth, leaves_of
from core.search.expansion.windows import Around, following, preceding
from core.types import Span

PROCEDURE = "procedure"  # the intent of a question that asks how something is done
_BEYOND = 80  # characters read beyond the share, to tell a sentence that just fits from one that is cut off
_AHEAD = 2  # leaves in which a step must come up for its side to be preferred
# The beginning of a line: a numbered or lettered item, "Step 3", "Example: ...", "For instance", a fence of code.
_STEP = re.compile(
    r"^[ \t]*(?:\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|```|~~~|(?i:(?:step|schritt|paso|étape)\s+\d|e\.g\.|z\. ?b\."
    r"|(?:for example|for instance|examples?|beispiele?|zum beispiel|ejemplos?|exemples?)\b))",
    re.MULTILINE,
)


def anchored(growth: Growth) -> list[Extent]:
    """Every child grown evenly to both sides until its share is full: leaf by leaf, in the end sentence by sentence.

    The side that has grown less comes next, the later one where both are even; neither the parent nor a section ends
    the growth, only the document does. A question for a procedure is answered by steps and examples: the side on which
    one comes up within the next two leaves is grown first. Reads the documents' texts alone.
    """
    steps: dict[int, bool] = {}
    return [_anchored(growth, place, steps) for place in range(len(growth.children))]


def _anchored(growth: Growth, place: int, steps: dict[int, bool]) -> Extent:
    child, limit = growth.children[place], growth.limit(place)
    if growth.sizes[child] >= limit:
        return growth.alone(place, "nothing more fits its share of the budget")
    first, end = leaves_of(growth.leaves, int(growth.leaves.documents[child]))
    alone, document = growth.span(child, child), growth.span(first, end - 1)
    low, high = _by_leaves(growth, child, (first, end - 1), limit, steps)
    span = _topped_up(growth, place, growth.span(low, high), limit - growth.size(low, high), document)
    before, after = alone.start - span.start, span.end - alone.end
    if not before + after:
        return growth.alone(place, "nothing more fits its share of the budget")
    return growth.text(place, span, f"grown by {before:,} characters before it and {after:,} after it")


def _by_leaves(
    growth: Growth, child: int, whole: tuple[int, int], limit: int, steps: dict[int, bool]
) -> tuple[int, int]:
    """The run of leaves around the child that fits. ``steps``: which leaves are known to hold steps, added to."""
    leaves, sizes = growth.leaves, growth.sizes
    low = high = child
    used = int(sizes[child])
    while True:
        beside = [index for index in (low - 1, high + 1) if whole[0] <= index <= whole[1]]
        fits = [index for index in beside if used + sizes[index] <= limit]
        if not fits:
            return low, high
        grown_before = int(leaves.starts[child] - leaves.starts[low])
        grown_after = int(leaves.ends[high] - leaves.ends[child])
        backwards = grown_before < grown_after
        if len(fits) == 2 and growth.intent == PROCEDURE:
            steps_before = any(_has_steps(growth, leaf, steps) for leaf in range(max(whole[0], low - _AHEAD), low))
            steps_after = any(
                _has_steps(growth, leaf, steps) for leaf in range(high + 1, min(whole[1], high + _AHEAD) + 1)
            )
            backwards = steps_before if steps_before != steps_after else backwards
        chosen = fits[0] if len(fits) == 1 or backwards else fits[1]
        low, high = min(low, chosen), max(high, chosen)
        used += int(sizes[chosen])


def _has_steps(growth: Growth, leaf: int, known: dict[int, bool]) -> bool:
    if leaf not in known:
        span, text = growth.span(leaf, leaf), growth.reads.text(int(growth.leaves.documents[leaf]))
        known[leaf] = _STEP.search(text, span.start, span.end) is not None
    return known[leaf]


def _topped_up(growth: Growth, place: int, span: Span, left: int, whole: Span) -> Span:
    """The span with the sentences that still fit what is left of the share."""
    characters = growth.characters(place, left)
    reach = characters + _BEYOND
    document = int(growth.leaves.documents[growth.children[place]])
    before, _ = preceding(growth, document, span.start - reach, span.start, whole)
    after, _ = following(growth, document, span.end, span.end + reach, whole)
    around = Around(span, span.length + characters, before, after)
    around.grow(lambda so_far: span.start - so_far.span.start < so_far.span.end - span.end)
    return around.span
