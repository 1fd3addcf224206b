"""What a re-ranker reads of a leaf: the leaf, the sentences around it, or its parent; and always the leaf itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.settings.searching import RerankingSettings
from core.storage.index.leaves import LeafTable
from core.text.sentences import sentence_spans
from core.types import Span

CHARACTERS_PER_TOKEN = 4  # of English prose; where a text has fewer, a cut unit still has its leaf in the middle


def units(
    leaves: LeafTable,
    chosen: Sequence[int],
    settings: RerankingSettings,
    max_tokens: int,
    text_of: Callable[[int], str],
) -> list[Span]:
    """The span to be read for each chosen leaf (indices into ``leaves``), in order; it holds the leaf.

    ``max_tokens``: what the re-ranker reads at once. ``text_of(document)``: the canonical text. A longer unit is cut
    around its leaf: a model that drops the end of what is too long would judge a passage by its neighbours.
    """
    room = max_tokens * CHARACTERS_PER_TOKEN
    found: list[Span] = []
    for leaf in chosen:
        child = Span(int(leaves.starts[leaf]), int(leaves.ends[leaf]))
        unit = child
        if settings.unit != "child":
            text = text_of(int(leaves.documents[leaf]))
            unit = family(leaves, leaf)
            if settings.unit == "window":
                limits = unit if leaves.parent_rows[leaf] >= 0 else Span(0, len(text))
                near = Span(max(limits.start, child.start - room), min(limits.end, child.end + room))
                unit = window(text, child, near, settings.window_sentences)
            unit = around(text, child, unit, room)
        found.append(unit)
    return found


def family(leaves: LeafTable, leaf: int) -> Span:
    """From the first character of the leaf's siblings to the last: what is known of its parent without reading it.

    A leaf without a parent is its own family.
    """
    row = leaves.parent_rows[leaf]
    if row < 0:
        return Span(int(leaves.starts[leaf]), int(leaves.ends[leaf]))
    first = last = leaf
    while first > 0 and leaves.parent_rows[first - 1] == row:
        first -= 1
    while last + 1 < len(leaves.rows) and leaves.parent_rows[last + 1] == row:
        last += 1
    return Span(int(leaves.starts[first : last + 1].min()), int(leaves.ends[first : last + 1].max()))


def window(text: str, child: Span, limits: Span, sentences: int) -> Span:
    """The child and so many whole sentences on each side of it, within the limits; 0 leaves it as it is.

    >>> text = "One. Two. Three. Four. Five."
    >>> found = window(text, Span(10, 16), Span(0, 22), 1)
    >>> text[found.start : found.end]
    'Two. Three. Four.'
    """
    before = sentence_spans(text, limits.start, child.start)[-sentences:] if sentences else []
    after = sentence_spans(text, child.end, limits.end)[:sentences] if sentences else []
    return Span(before[0].start if before else child.start, after[-1].end if after else child.end)


def around(text: str, child: Span, unit: Span, room: int) -> Span:
    """The part of the unit around the child that has at most ``room`` characters, cut at white space where it can be.

    A child that alone is longer is left whole.

    >>> text = "one two three four five six seven"
    >>> found = around(text, Span(14, 18), Span(0, 33), 16)
    >>> text[found.start : found.end]
    'three four five'
    """
    if unit.length <= room or child.length >= room:
        return unit if unit.length <= room else child
    side = (room - child.length) // 2
    start = max(unit.start, min(child.start - side, unit.end - room))
    end = min(unit.end, start + room)
    start, end = min(start, child.start), max(end, child.end)
    while start > unit.start and start < child.start and not text[start - 1].isspace():
        start += 1
    while end < unit.end and end > child.end and not text[end].isspace():
        end -= 1
    while end > child.end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
