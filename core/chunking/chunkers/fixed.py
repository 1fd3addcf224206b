"""Windows of a fixed size: the baseline."""

from __future__ import annotations

from core.chunking.plan import ChunkingContext, Group, Piece, Plan
from core.text.spans import trim
from core.text.tokens import is_word_boundary
from core.types import Span


def fixed(context: ChunkingContext) -> Plan:
    """Parents of ``settings.parent_room``, leaves of ``max_tokens`` minus the prefix; words stay whole.

    With ``unit`` "characters" this is fixed-size chunking as other libraries do it, except that no word is cut.
    """
    groups: list[Group] = []
    for region in context.regions:
        at = region.start
        while at < region.end:
            stop = context.tokens.cut(at, region.end, context.settings.parent_room)
            parent = trim(context.document.text, at, stop)
            if parent is not None:
                ends = "the text ends here" if stop >= region.end else _full(context, context.settings.parent_room)
                begins = "the text starts here" if at == region.start else "the parent before is full"
                groups.append(Group(_windows(context, parent), f"begins: {begins}", f"ends: {ends}"))
            at = stop
    return Plan(tuple(groups))


def _full(context: ChunkingContext, limit: int) -> str:
    return f"the next word would not fit in {limit} {context.settings.unit}"


def _windows(context: ChunkingContext, parent: Span) -> tuple[Piece, ...]:
    """The leaves of one parent."""
    text, tokens = context.document.text, context.tokens
    pieces: list[Piece] = []
    at = parent.start
    begins = "begins: its parent starts here"
    while at < parent.end:
        heading = context.outline.heading_at(at)
        room = context.room(heading)
        start = at
        if pieces:
            start = _overlap_start(context, pieces[-1].start, at, context.overlap(room))
            room = min(room, context.room(context.outline.heading_at(start)))
        stop = tokens.cut(at, parent.end, max(1, room - tokens.count(start, at)))
        ends = "ends: its parent ends here" if stop >= parent.end else f"ends: {_full(context, room)}"
        if (span := trim(text, start, stop)) is not None:
            note = f", after {tokens.count(start, at)} {context.settings.unit} of overlap" if start < at else ""
            pieces.append(Piece(span.start, span.end, begins + note, ends, max(at, span.start)))
        at = stop
        while at < parent.end and text[at].isspace():
            at += 1
        begins = "begins: the window before is full"
    return tuple(pieces)


def _overlap_start(context: ChunkingContext, low: int, at: int, budget: int) -> int:
    """The first word that begins after ``low`` and at most ``budget`` tokens before ``at``; ``at`` without one."""
    text, tokens = context.document.text, context.tokens
    if budget < 1:
        return at
    start = max(low + 1, tokens.position(max(0, tokens.index(at) - budget)))
    while start < at and (text[start].isspace() or not is_word_boundary(text, start)):
        start += 1
    return start
