"""Units: what a domain keeps together (a log entry, a turn, a clause), laid over the blocks of a document.

A unit only decides where atoms begin inside the blocks it covers, and whether a leaf or parent must begin with it.
Everything else is as in ``structure``: headings stay with their text, tables and code keep their own cuts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.chunking.atoms import CUT_PARAGRAPH, CUT_SENTENCE, Atom, Splitter
from core.chunking.chunkers.structure import BlockAtoms, Item, structured
from core.chunking.plan import ChunkingContext, Plan
from core.text.spans import trim
from core.types import BlockKind, Span

_TEXT_KINDS = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE, BlockKind.FOOTNOTE, BlockKind.CAPTION})


@dataclass(frozen=True, slots=True)
class Unit:
    """A span ``[start, end)`` to keep together. ``what``: its name in reasons. ``cut``: cost of beginning a leaf here.

    ``why``, ``parent_why``: reason why a leaf, or a parent, must begin here; "" leaves it to packing.
    ``label``: text repeated before a leaf that begins inside the unit, as a prefix part of kind ``label_kind``.
    """

    start: int
    end: int
    what: str
    cut: float = CUT_PARAGRAPH
    why: str = ""
    parent_why: str = ""
    label: Span | None = None
    label_kind: str = "speaker"


def atoms_by_units(
    context: ChunkingContext, units: Sequence[Unit], kinds: frozenset[BlockKind] = _TEXT_KINDS
) -> BlockAtoms:
    """A function that cuts blocks of these kinds at the units in them, and leaves other blocks to ``structure``.

    ``units``: in text order, not overlapping.
    """
    splitter = Splitter(context.tokens)
    text, least = context.document.text, context.least_room
    starts = [unit.start for unit in units]

    def block_atoms(item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom] | None:
        low = max(0, bisect_right(starts, item.start) - 1)
        pieces = _pieces(text, item, units, low)
        if item.kind not in kinds or all(unit is None for _, unit, _ in pieces):
            return None
        atoms: list[Atom] = []
        for span, unit, unit_number in pieces:
            room = limit if atoms else first_limit
            if unit is None:
                atoms.extend(splitter.whole_or_sentences(span, "paragraph", number, CUT_PARAGRAPH, limit, room))
                continue
            begins = span.start == unit.start
            cut = unit.cut if begins else CUT_SENTENCE
            part_limit = limit
            if unit.label and context.tokens.count(span.start, span.end) > min(room, least):
                part_limit = min(limit, context.room(heading, unit.label, kind=unit.label_kind))
            # Negative item numbers do not collide with those of blocks, which are cut in ``structure``.
            unit_atoms = splitter.whole_or_sentences(
                span, unit.what, -1 - unit_number, cut, part_limit, min(room, part_limit)
            )
            if begins:
                unit_atoms[0].why, unit_atoms[0].parent_why = unit.why, unit.parent_why
            for atom in unit_atoms[begins:]:
                if unit.label and unit.label.end <= atom.start:
                    atom.header, atom.header_kind = unit.label, unit.label_kind
            atoms.extend(unit_atoms)
        if atoms:
            atoms[0].cut = max(atoms[0].cut, item.bound)
        return atoms or None

    return block_atoms


def _pieces(text: str, item: Item, units: Sequence[Unit], low: int) -> list[tuple[Span, Unit | None, int]]:
    """The item cut at the edges of units: spans, each with its unit (``None`` between units) and the unit's number.

    ``low``: number of the first unit to look at.
    """
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


def plan_with_metadata(
    context: ChunkingContext,
    block_atoms: BlockAtoms | None,
    metadata: Callable[[int, int], Mapping[str, tuple[str, ...]]],
    notes: Sequence[str] = (),
    adjust: Callable[[list[Atom]], None] | None = None,
) -> Plan:
    """``structured``, with ``metadata(start, end)`` as the metadata of every leaf and parent, and with ``notes``."""
    plan = structured(context, block_atoms, adjust)
    groups = []
    for group in plan.groups:
        of_leaves = [metadata(piece.start, piece.end) for piece in group.pieces]
        if len(of_leaves) > 1:
            of_parent = metadata(group.pieces[0].start, group.pieces[-1].end)
        else:
            of_parent = of_leaves[0] if of_leaves else {}
        pieces = (replace(piece, metadata=of_leaf) for piece, of_leaf in zip(group.pieces, of_leaves, strict=True))
        groups.append(replace(group, pieces=tuple(pieces), metadata=of_parent))
    return Plan(tuple(groups), plan.rooted, (*plan.notes, *(note for note in notes if note)))
