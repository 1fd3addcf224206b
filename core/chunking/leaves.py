"""Packs atoms into parents, and the atoms of each parent into leaves.

A leaf or parent begins wherever the chunker forces one to; between those places ``packing`` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.chunking.atoms import (
    CUT_HEADING,
    CUT_LEAD_IN,
    CUT_PARAGRAPH,
    CUT_TITLE,
    CUT_WORDS,
    NO_METADATA,
    Atom,
    coarsen,
    measure,
)
from core.chunking.packing import NO_SECTION, PackItem, pack
from core.chunking.plan import ChunkingContext, Group, Metadata, Piece
from core.chunking.torn_rows import label_torn_rows
from core.text.sentences import sentence_spans
from core.text.tokens import is_word_boundary

# Costs of beginning a parent, as fractions of a parent (see ``packing``).
_PARENT_CUT_BLOCK = 0.4  # between two blocks
_PARENT_CUT_INSIDE = 0.8  # inside a block
_PARENT_CUT_UNFORCED = 0.6  # added where the chunker forces leaves, but not here
_PARENT_CUT_LEVEL = 0.05  # at a section, for each level of its heading
_PARENT_DEEPER = 0.05
_PARENT_SIBLING = 0.15
_PARENT_LARGE_SIBLING = 1.5  # between two sections of more than a third of a parent each
_CRUMBS_PER_LEAF = 10  # atoms are joined up to a tenth of a leaf before packing
_CRUMBS_PER_PARENT = 32  # and blocks up to this fraction of a parent, where there are very many
_SET_APART = frozenset({"table", "table row", "code block", "line of code"})
_PROSE = frozenset({"paragraph", "sentence", "line", "run of words"})
_TORN = frozenset({"table row", "line of code", "run of words", "list item"})  # parts of a larger block or sentence


def build_groups(context: ChunkingContext, atoms: list[Atom]) -> tuple[Group, ...]:
    """The planned parents of a region's atoms, with their leaves.

    Parents are packed first, then leaves inside each, so that no leaf or overlap crosses a parent's boundary.
    """
    measure(atoms, context.tokens)
    label_torn_rows(context.document, atoms)
    for atom in atoms:
        if atom.cut >= CUT_HEADING:
            atom.why = atom.parent_why = ""  # a heading stays with its body, even where the chunker forces a cut
        elif atom.parent_why and not atom.why:
            atom.why = atom.parent_why
    groups: list[Group] = []
    parents = _parents(context, coarsen(atoms, max(1, context.settings.max_tokens // _CRUMBS_PER_LEAF)))
    for number, units in enumerate(parents):
        members = [atom for unit in units for atom in unit]
        head = members[0]
        next_unit = parents[number + 1][0] if number + 1 < len(parents) else None
        pieces = _leaves(context, members, next_unit[0] if next_unit else None)
        begins, ends = _parent_begins(head, number), _parent_ends(context, members, next_unit)
        metadata = merge_metadata([piece.metadata for piece in pieces])
        groups.append(Group(pieces, begins, ends, head.header, head.header_kind, metadata))
    return tuple(groups)


def merge_metadata(parts: Sequence[Metadata]) -> Metadata:
    """The union of the parts' metadata: each value once, in order of first appearance."""
    if len(parts) == 1:
        return parts[0]
    merged: dict[str, list[str]] = {}
    for metadata in parts:
        for name, values in metadata.items():
            merged.setdefault(name, []).extend(values)
    return {name: tuple(dict.fromkeys(values)) for name, values in merged.items()} if merged else NO_METADATA


def _parents(context: ChunkingContext, atoms: list[Atom]) -> list[list[list[Atom]]]:
    """Parents as lists of units, units as lists of atoms.

    Parents hold up to ``settings.parent_room``; blocks and sections are kept whole where they fit.
    """
    limit = context.settings.parent_room
    units = _units(context, atoms)
    sections = context.settings.parents != "ratio" and any(unit[0].opens < NO_SECTION for unit in units)
    begins = [bool(unit[0].parent_why) for unit in units]
    if units and not sections and not any(begins[1:]) and units[-1][-1].end_token - units[0][0].first_token <= limit:
        return [units]  # what ``pack`` would return
    section_sizes = _section_sizes(atoms) if sections else {}
    forced = any(atom.why for atom in atoms)
    items: list[PackItem] = []
    for number, unit in enumerate(units):
        head, before = unit[0], units[number - 1][-1] if number else None
        if head.cut >= CUT_TITLE:
            cut = head.cut
        elif head.opens < NO_SECTION and sections:
            cut = _PARENT_CUT_LEVEL * head.opens
        else:
            cut = _PARENT_CUT_INSIDE if before and before.item == head.item else _PARENT_CUT_BLOCK
            cut += _PARENT_CUT_UNFORCED if forced and not head.why else 0.0
            cut += min(0.0, head.cut)
        deeper = sibling = 0.0
        if sections and head.opens < NO_SECTION and before and head.cut < CUT_LEAD_IN:
            large = min(section_sizes.get(head.heading, 0), section_sizes.get(before.heading, 0)) > limit // 3
            deeper, sibling = _PARENT_DEEPER, _PARENT_LARGE_SIBLING if large else _PARENT_SIBLING
        opens = head.opens if sections else NO_SECTION
        items.append(PackItem(head.first_token, unit[-1].end_token, limit, cut, head.level, opens, deeper, sibling))
    runs = _runs(begins)
    return [units[low + first : low + last] for low, high in runs for first, last in pack(items[low:high])]


def _runs(starts: Sequence[bool]) -> list[tuple[int, int]]:
    """Splits positions into ``[first, last)`` ranges: a new one begins at every true flag, and at 0.

    >>> _runs([False, False, True, False])
    [(0, 2), (2, 4)]
    """
    edges = [0, *(at for at, begins in enumerate(starts) if begins and at), len(starts)]
    return list(pairwise(edges)) if starts else []


def _units(context: ChunkingContext, atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Groups atoms into the units that parents are packed from.

    A unit is a block that fits a parent, with its headings, so that a large block leaves room for them. A line that
    introduces a block too large for any parent joins the block's first unit. Where a parent would hold very many
    blocks, neighbouring small blocks share a unit, to keep packing fast.
    """
    limit = context.settings.parent_room
    many = len(atoms) > 2 * _CRUMBS_PER_PARENT and (
        atoms[-1].end_token - atoms[0].first_token < len(atoms) * limit // _CRUMBS_PER_PARENT
    )
    begins: dict[int, int] = {}
    ends: dict[int, int] = {}
    for atom in atoms if any(atom.cut >= CUT_LEAD_IN for atom in atoms) else ():
        begins.setdefault(atom.item, atom.first_token)
        ends[atom.item] = atom.end_token
    units: list[list[Atom]] = []
    for run in _under_headings(atoms, limit):
        head = run[0]
        if units and head.opens == NO_SECTION and not head.why:
            size = run[-1].end_token - units[-1][0].first_token
            introduced = head.cut >= CUT_LEAD_IN and ends[head.item] - begins[head.item] > limit
            same_block = introduced or units[-1][-1].item == head.item
            crumb = many and head.cut >= CUT_PARAGRAPH and size <= limit // _CRUMBS_PER_PARENT
            if (same_block and size <= limit) or (not same_block and crumb):
                units[-1].extend(run)
                continue
        units.append(run)
    return units


def _under_headings(atoms: Sequence[Atom], limit: int) -> list[list[Atom]]:
    """Each atom together with the headings that must stay with it.

    Where they exceed a parent of ``limit`` tokens together, the last headings stay and the earlier ones are separate.
    """
    edges = [at for at, atom in enumerate(atoms) if not at or atom.cut < CUT_HEADING]
    runs: list[list[Atom]] = []
    for first, last in pairwise([*edges, len(atoms)]):
        if last - first == 1:
            runs.append([atoms[first]])
            continue
        starts = [last]
        for at in range(last - 1, first, -1):  # from the body upwards, a new run where the limit is reached
            if atoms[starts[-1] - 1].end_token - atoms[at - 1].first_token > limit:
                starts.append(at)
        runs.extend(list(atoms[low:high]) for low, high in pairwise([first, *starts[::-1]]))
    return runs


def _section_sizes(atoms: Sequence[Atom]) -> dict[int, int]:
    """Tokens of each section without its subsections, by heading index."""
    sizes: dict[int, int] = {}
    for atom in atoms:
        sizes[atom.heading] = sizes.get(atom.heading, 0) + atom.end_token - atom.first_token
    return sizes


def _rooms(context: ChunkingContext, atoms: Sequence[Atom]) -> list[int]:
    """For each atom, the room of a leaf that begins with it.

    The row label takes room only where the atom fits beside it; a label that does not fit is dropped later.
    """
    rooms: list[int] = []
    previous = None
    for atom in atoms:
        section = (atom.heading, atom.header, atom.opens < NO_SECTION, atom.header_kind)
        if section != previous:  # neighbours mostly share their section and header
            previous, room = section, context.room(*section)
        label = context.prefixes.line(atom.row_label) if atom.row_label else 0
        rooms.append(room - label if atom.end_token - atom.first_token <= room - label else room)
    return rooms


def _leaves(context: ChunkingContext, atoms: Sequence[Atom], following: Atom | None) -> tuple[Piece, ...]:
    """The leaves of one parent. ``following``: the first atom of the next parent; ``None`` at the end of the text."""
    rooms, overlaps = _rooms(context, atoms), context.settings.overlap_room > 0
    items = [
        PackItem(
            atom.first_token,
            atom.end_token,
            room - context.overlap(room) if overlaps and number else room,
            atom.cut,
            atom.level,
            atom.opens,
            atom.deeper,
            atom.sibling,
        )
        for number, (atom, room) in enumerate(zip(atoms, rooms, strict=True))
    ]
    pieces: list[Piece] = []
    runs = _runs([bool(atom.why) for atom in atoms])
    ranges = [(low + first, low + last) for low, high in runs for first, last in pack(items[low:high])]
    for first, last in ranges:
        start, note = atoms[first].start, ""
        if first and overlaps:
            start, note = _with_overlap(context, atoms, first, rooms[first], atoms[last - 1].end, pieces[-1].body + 1)
        head = atoms[first]
        pieces.append(
            Piece(
                start,
                atoms[last - 1].end,
                _begins(head) + note,
                _ends(context, atoms, items, first, last, following),
                head.start,
                head.header,
                head.header_kind,
                head.row_label,
                merge_metadata([atom.metadata for atom in atoms[first:last]]),
            )
        )
    return tuple(pieces)


def _with_overlap(
    context: ChunkingContext, atoms: Sequence[Atom], first: int, room: int, end: int, after: int
) -> tuple[int, str]:
    """Where the leaf ``atoms[first]`` to ``end`` begins with its overlap, and the note that says so ("" without).

    The overlap begins at a sentence of the same flow. Where no sentence fits, a leaf that begins inside a sentence
    overlaps from a word. ``room``: of the leaf. ``after``: the lowest start, so that the leaf before is not repeated
    whole. Adaptive overlap lets a table or code reach into the prose right before it.
    """
    start, text, tokens, unit = atoms[first].start, context.tokens.text, context.tokens, context.settings.unit
    flow, budget = atoms[first].flow, context.overlap(room)
    if context.settings.overlap == "adaptive":
        if _is_introduced(atoms, first) and atoms[first - 1].flow != flow:
            flow = atoms[first - 1].flow
        else:
            budget = int(budget * _overlap_share(atoms[first]))
    budget = min(budget, room - tokens.count(start, end))
    # Sentences are segmented from ``low``, further back than the budget, so that the first one has its true start.
    low = start
    at = first - 1
    while at >= 0 and atoms[at].flow == flow and tokens.count(atoms[at].start, start) <= 4 * budget:
        low = atoms[at].start
        at -= 1
    if at >= 0 and atoms[at].flow == flow:
        low = atoms[at].start
    earliest = max(low, after, tokens.position(max(0, tokens.index(start) - budget)))
    if budget < 1 or earliest >= start:
        return start, ""
    begin = next((span.start for span in sentence_spans(text, low, start) if span.start >= earliest), start)
    if begin == start and atoms[first].cut >= CUT_WORDS:
        begin = earliest
        while begin < start and (text[begin].isspace() or not is_word_boundary(text, begin)):
            begin += 1
    return begin, f", after {tokens.count(begin, start)} {unit} of overlap" if begin < start else ""


def _overlap_share(atom: Atom) -> float:
    """The share of the overlap budget, from 0 to 1, that adaptive overlap uses for a leaf beginning with ``atom``."""
    if atom.cut >= CUT_WORDS or atom.what in _TORN:
        return 1.0  # inside a sentence, a row or code: only the text before it says what this is
    return 0.5 if atom.cut > 0 else 0.25


def _is_introduced(atoms: Sequence[Atom], at: int) -> bool:
    """Whether this atom is table or code, and the one before it prose."""
    return atoms[at].what in _SET_APART and atoms[at - 1].what in _PROSE


def _a(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def _begins(atom: Atom) -> str:
    """The reason why a leaf begins with this atom."""
    if atom.why:
        return f"begins: {atom.why}"
    if atom.opens < NO_SECTION:
        return "begins: a section starts here"
    if atom.header is not None and atom.header_kind != "table_header":
        return f"begins: {_a(atom.what)} starts here; its {atom.header_kind} is repeated before it"
    if atom.header is not None:
        return f"begins: {_a(atom.what)} starts here; the header of its table is repeated before it"
    if atom.what == "run of words":
        return "begins: inside a sentence, row or line that is longer than a leaf"
    return f"begins: {_a(atom.what)} starts here"


def _ends(
    context: ChunkingContext,
    atoms: Sequence[Atom],
    items: Sequence[PackItem],
    first: int,
    last: int,
    following: Atom | None,
) -> str:
    """The reason why the leaf of the atoms ``[first, last)`` ends there."""
    if last == len(atoms):
        if following is None:
            return "ends: the text ends here"
        if following.why:
            return f"ends: {following.why}"
        if following.opens < NO_SECTION:
            return "ends: the section ends here"
        return "ends: its parent is full"
    after = atoms[last]
    if after.why:
        return f"ends: {after.why}"
    if after.opens < NO_SECTION:
        return "ends: the section ends here"
    room, size, unit = items[first].room, items[last - 1].end_token - items[first].first_token, context.settings.unit
    more = items[last].end_token - items[last].first_token
    if size + more > room:
        return f"ends: the next {after.what} would not fit ({size} + {more} > {room} {unit})"
    bound = last + 1 < len(atoms) and atoms[last + 1].cut >= CUT_TITLE
    if bound and items[last + 1].end_token - items[last].first_token + size > room:
        return f"ends: the next {after.what} stays with the {atoms[last + 1].what} it introduces"
    fits = f"the next {after.what} would fit ({size} + {more} <= {room} {unit})"
    if after.cut < CUT_PARAGRAPH:
        return f"ends: {_a(after.what)} starts here, though {fits}"
    return f"ends: evened out with the next leaf, though {fits}"


def _parent_begins(atom: Atom, number: int) -> str:
    """The reason why parent ``number`` begins with this atom."""
    if atom.parent_why:
        return f"begins: {atom.parent_why}"
    if atom.opens < NO_SECTION:
        return "begins: a section starts here"
    if not number:
        return "begins: the text starts here"
    return f"begins: {_a(atom.what)} starts here and the parent before is full"


def _parent_ends(context: ChunkingContext, atoms: Sequence[Atom], following: Sequence[Atom] | None) -> str:
    """The reason why a parent of these atoms ends. ``following``: the next unit; ``None`` at the end of the text."""
    if following is None:
        return "ends: the text ends here"
    if following[0].parent_why:
        return f"ends: {following[0].parent_why}"
    if following[0].opens < NO_SECTION:
        return "ends: the section ends here"
    size = atoms[-1].end_token - atoms[0].first_token
    more = following[-1].end_token - following[0].first_token
    what = following[0].what if len(following) == 1 else "block"
    limit, unit = context.settings.parent_room, context.settings.unit
    if size + more > limit:
        return f"ends: the next {what} would not fit ({size} + {more} > {limit} {unit})"
    return f"ends: evened out with the next parent ({size} of at most {limit} {unit})"
