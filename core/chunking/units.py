"""What a domain keeps together (an entry, a turn, a clause) laid over the blocks of a document.

Blocks stay what they are: headings bind, tables and code keep their own cuts. A unit only says where, inside the blocks
it covers, atoms begin, and whether a leaf or a parent must.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.chunking.atoms import CUT_PARAGRAPH, CUT_SENTENCE, Atom, Splitter
from core.chunking.chunkers.structure import BlockAtoms, Item, structured
from core.chunking.plan import ChunkingContext, Piece, Plan
from core.text.spans import trim
from core.types import BlockKind, Span

_TAKEN = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE, BlockKind.FOOTNOTE, BlockKind.CAPTION})


@dataclass(frozen=True, slots=True)
class Unit:
    """``[start, end)``; ``what`` names it in reasons. ``cut``: cost of a leaf beginning with it.

    ``why``, ``parent_why``: a leaf or a parent must begin with it, for this reason; "" leaves it to the packing.
    ``label``: what is repeated before a leaf that begins inside the unit, as a prefix part of kind ``label_kind``.
    """

    start: int
    end: int
    what: str
    cut: float = CUT_PARAGRAPH
    why: str = ""
    parent_why: str = ""
    label: Span | None = None
    label_kind: str = "speaker"


def by_units(context: ChunkingContext, units: Sequence[Unit], kinds: frozenset[BlockKind] = _TAKEN) -> BlockAtoms:
    """The atoms of blocks of these kinds that units (in order, not overlapping) cover; others are left alone."""
    splitter = Splitter(context.tokens)
    text, least = context.document.text, context.least_room
    starts = [unit.start for unit in units]

    def own(item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
        low = max(0, bisect_right(starts, item.start) - 1)
        pieces = _pieces(text, item, units, low)
        if item.kind not in kinds or all(unit is None for _, unit, _ in pieces):
            return None
        atoms: list[Atom] = []
        for span, unit, at in pieces:
            room = limit if atoms else first
            if unit is None:
                atoms.extend(splitter.whole_or_sentences(span, "paragraph", number, CUT_PARAGRAPH, limit, room))
                continue
            begins = span.start == unit.start
            cut = unit.cut if begins else CUT_SENTENCE
            within = limit
            if unit.label and context.tokens.count(span.start, span.end) > min(room, least):
                within = min(limit, context.room(heading, unit.label, kind=unit.label_kind))
            found = splitter.whole_or_sentences(span, unit.what, -1 - at, cut, within, min(room, within))
            if begins:
                found[0].why, found[0].parent_why = unit.why, unit.parent_why
            for one in found[begins:] if unit.label else ():
                if unit.label and unit.label.end <= one.start:
                    one.header, one.header_kind = unit.label, unit.label_kind
            atoms.extend(found)
        if atoms:
            atoms[0].cut = max(atoms[0].cut, item.bound)
        return atoms or None

    return own


def _pieces(text: str, item: Item, units: Sequence[Unit], low: int) -> list[tuple[Span, Unit | None, int]]:
    """The item parted at the units in it: spans, each with its unit and that one's number, ``None`` between units."""
    pieces: list[tuple[Span, Unit | None, int]] = []
    position, at = item.start, low
    while position < item.end:
        unit = units[at] if at < len(units) else None
        if unit is not None and unit.end <= position:
            at += 1
            continue
        if unit is None or unit.start >= item.end:
            stop, covering = item.end, None
        elif unit.start > position:
            stop, covering = unit.start, None
        else:
            stop, covering = min(unit.end, item.end), unit
        if (span := trim(text, position, stop)) is not None:
            pieces.append((span, covering, at))
        position = stop
    return pieces


def planned(
    context: ChunkingContext,
    own: BlockAtoms | None,
    metadata: Callable[[int, int], Mapping[str, tuple[str, ...]]],
    notes: Sequence[str] = (),
    adjust: Callable[[list[Atom]], None] | None = None,
) -> Plan:
    """``structured`` with these atoms, what ``metadata`` finds in every chunk's span, and notes."""
    plan = structured(context, own, adjust)
    groups = []
    for group in plan.groups:
        found = [metadata(piece.start, piece.end) for piece in group.pieces]
        spanned = metadata(group.pieces[0].start, group.pieces[-1].end) if len(found) > 1 else found[0] if found else {}
        pieces = map(_told, group.pieces, found)
        groups.append(replace(group, pieces=tuple(pieces), metadata=spanned))
    return Plan(tuple(groups), plan.rooted, (*plan.notes, *(note for note in notes if note)))


def _told(piece: Piece, metadata: Mapping[str, tuple[str, ...]]) -> Piece:
    return replace(piece, metadata=metadata) if metadata or piece.metadata else piece
