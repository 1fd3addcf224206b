"""Atoms into parents, parents into leaves: both by the same packing, outer first.

Where a chunker says that a leaf or a parent must begin, it does; packing decides between those places.
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
    NOTHING,
    Atom,
    coarsen,
    measure,
)
from core.chunking.packing import NO_SECTION, Row, pack
from core.chunking.plan import ChunkingContext, Group, Metadata, Piece
from core.chunking.torn_rows import name_rows
from core.text.sentences import sentence_spans
from core.text.tokens import is_word_boundary

_PARENT_CUT_BLOCK = 0.4
_PARENT_CUT_INSIDE = 0.8
_PARENT_CUT_UNFORCED = 0.6  # a parent that parts what its chunker kept in one leaf
_PARENT_CUT_LEVEL = 0.05
_PARENT_DEEPER = 0.05
_PARENT_SIBLING = 0.15
_PARENT_LARGE_SIBLING = 1.5
_CRUMBS_PER_LEAF = 10
_APART = frozenset({"table", "table row", "code block", "line of code"})
_SAID = frozenset({"paragraph", "sentence", "line", "run of words"})
_TORN = frozenset({"table row", "line of code", "run of words", "list item"})
_CRUMBS_PER_PARENT = 32


def build_groups(context: ChunkingContext, atoms: list[Atom]) -> tuple[Group, ...]:
    """Parents first, then the leaves inside each, so that leaves and their overlap never leave their parent."""
    measure(atoms, context.tokens)
    name_rows(context.document, atoms)
    for atom in atoms:
        if atom.cut >= CUT_HEADING:
            atom.why = atom.parent_why = ""  # whatever a chunker says, a heading is not parted from its body
        elif atom.parent_why and not atom.why:
            atom.why = atom.parent_why
    groups: list[Group] = []
    parents = _parents(context, coarsen(atoms, max(1, context.settings.max_tokens // _CRUMBS_PER_LEAF)))
    for number, units in enumerate(parents):
        members = [atom for unit in units for atom in unit]
        following = parents[number + 1][0] if number + 1 < len(parents) else None
        pieces = _leaves(context, members, following[0] if following else None)
        begins = _parent_begins(members[0], number)
        head = members[0]
        ends, metadata = _parent_ends(context, members, following), joined([piece.metadata for piece in pieces])
        groups.append(Group(pieces, begins, ends, head.header, head.header_kind, metadata))
    return tuple(groups)


def joined(parts: Sequence[Metadata]) -> Metadata:
    """What was found in any of the parts, each value once, in order."""
    if len(parts) == 1:
        return parts[0]
    found: dict[str, list[str]] = {}
    for metadata in parts:
        for name, values in metadata.items():
            if name in found:
                found[name] += values
            else:
                found[name] = list(values)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()} if found else NOTHING


def _parents(context: ChunkingContext, atoms: list[Atom]) -> list[list[list[Atom]]]:
    """Parents as lists of units, units as lists of atoms.

    Whole blocks packed up to ``parent_max_tokens``, sections kept whole where they fit.
    """
    limit = context.settings.parent_room
    units = _units(context, atoms)
    sections = context.settings.parents != "ratio" and any(unit[0].opens < NO_SECTION for unit in units)
    begins = [bool(unit[0].parent_why) for unit in units]
    if units and not sections and not any(begins[1:]) and units[-1][-1].end_token - units[0][0].first_token <= limit:
        return [units]  # as ``pack`` would have it
    own = _section_sizes(atoms) if sections else {}
    forced = any(atom.why for atom in atoms)
    rows: list[Row] = []
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
            large = min(own.get(head.heading, 0), own.get(before.heading, 0)) > limit // 3
            deeper, sibling = _PARENT_DEEPER, _PARENT_LARGE_SIBLING if large else _PARENT_SIBLING
        opens = head.opens if sections else NO_SECTION
        rows.append(Row(head.first_token, unit[-1].end_token, limit, cut, head.level, opens, deeper, sibling))
    runs = _runs(begins)
    return [units[low + first : low + last] for low, high in runs for first, last in pack(rows[low:high])]


def _runs(starts: Sequence[bool]) -> list[tuple[int, int]]:
    """The ranges that begin where ``starts`` says so; the first begins in any case.

    >>> _runs([False, False, True, False])
    [(0, 2), (2, 4)]
    """
    edges = [0, *(at for at, begins in enumerate(starts) if begins and at), len(starts)]
    return list(pairwise(edges)) if starts else []


def _units(context: ChunkingContext, atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Atoms of one block together where a parent holds them; where a parent holds very many blocks, those too.

    Headings count toward the block under them, so that a large one leaves room for them; and so does a line that
    introduces a block which no parent holds whole in any case.
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
    for held in _under_headings(atoms, limit):
        head = held[0]
        if units and head.opens == NO_SECTION and not head.why:
            size = held[-1].end_token - units[-1][0].first_token
            torn = head.cut >= CUT_LEAD_IN and ends[head.item] - begins[head.item] > limit
            together = torn or units[-1][-1].item == head.item
            crumb = many and head.cut >= CUT_PARAGRAPH and size <= limit // _CRUMBS_PER_PARENT
            if size <= limit if together else crumb:
                units[-1].extend(held)
                continue
        units.append(held)
    return units


def _under_headings(atoms: Sequence[Atom], limit: int) -> list[list[Atom]]:
    """Every atom with the headings that must stay with it; alone without any.

    Where a parent of ``limit`` tokens holds not all of these headings, it holds the last of them.
    """
    edges = [at for at, atom in enumerate(atoms) if not at or atom.cut < CUT_HEADING]
    runs: list[list[Atom]] = []
    for first, last in pairwise([*edges, len(atoms)]):
        if last - first == 1:
            runs.append([atoms[first]])
            continue
        starts = [last]
        for at in range(last - 1, first, -1):
            if atoms[starts[-1] - 1].end_token - atoms[at - 1].first_token > limit:
                starts.append(at)
        runs.extend(list(atoms[low:high]) for low, high in pairwise([first, *starts[::-1]]))
    return runs


def _section_sizes(atoms: Sequence[Atom]) -> dict[int, int]:
    """Tokens of every section's own text, by heading index."""
    sizes: dict[int, int] = {}
    for atom in atoms:
        sizes[atom.heading] = sizes.get(atom.heading, 0) + atom.end_token - atom.first_token
    return sizes


def _rooms(context: ChunkingContext, atoms: Sequence[Atom]) -> list[int]:
    """The room of a leaf that begins with each atom: the same as before where section and header are."""
    rooms: list[int] = []
    known = None
    for atom in atoms:
        place = (atom.heading, atom.header, atom.opens < NO_SECTION, atom.header_kind)
        if place != known:
            known, room = place, context.room(*place)
        beside = context.prefixes.line(atom.row) if atom.row else 0
        rooms.append(room - beside if atom.end_token - atom.first_token <= room - beside else room)
    return rooms


def _leaves(context: ChunkingContext, atoms: Sequence[Atom], following: Atom | None) -> tuple[Piece, ...]:
    rooms, overlaps = _rooms(context, atoms), context.settings.overlap_room > 0
    rows = [
        Row(
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
    for first, last in ((low + one, low + other) for low, high in runs for one, other in pack(rows[low:high])):
        start, note = atoms[first].start, ""
        if first and context.settings.overlap_room:
            start, note = _overlapped(context, atoms, first, rooms[first], atoms[last - 1].end, pieces[-1].body + 1)
        begins = _begins(atoms, first) + note
        ends = _ends(context, atoms, rows, first, last, following)
        head, metadata = atoms[first], joined([atom.metadata for atom in atoms[first:last]])
        pieces.append(
            Piece(
                start, atoms[last - 1].end, begins, ends, head.start, head.header, head.header_kind, head.row, metadata
            )
        )
    return tuple(pieces)


def _overlapped(
    context: ChunkingContext, atoms: Sequence[Atom], first: int, room: int, end: int, after: int
) -> tuple[int, str]:
    """Where the leaf begins with its overlap: at a sentence of the same flow and parent.

    A leaf that begins inside a sentence begins at a word where no sentence fits. Never before ``after``, so that the
    leaf before is not swallowed whole. Where it is adaptive, a table or code reaches into the prose right before it.
    """
    start, text, tokens, unit = atoms[first].start, context.tokens.text, context.tokens, context.settings.unit
    adaptive = context.settings.overlap == "adaptive"
    flow = atoms[first - 1].flow if adaptive and _is_introduced(atoms, first) else atoms[first].flow
    eager = 1.0 if flow != atoms[first].flow else _eagerness(atoms[first])
    wanted = int(context.overlap(room) * eager) if adaptive else None
    allowed = min(context.overlap(room) if wanted is None else wanted, room - tokens.count(start, end))
    low = start
    at = first - 1
    while at >= 0 and atoms[at].flow == flow and tokens.count(atoms[at].start, start) <= 4 * allowed:
        low = atoms[at].start
        at -= 1
    if at >= 0 and atoms[at].flow == flow:
        low = atoms[at].start
    earliest = max(low, after, tokens.position(max(0, tokens.index(start) - allowed)))
    if allowed < 1 or earliest >= start:
        return start, ""
    for span in sentence_spans(text, low, start):
        if span.start >= earliest:
            return span.start, f", after {tokens.count(span.start, start)} {unit} of overlap"
    if atoms[first].cut < CUT_WORDS:
        return start, ""
    while earliest < start and (text[earliest].isspace() or not is_word_boundary(text, earliest)):
        earliest += 1
    if earliest >= start:
        return start, ""
    return earliest, f", after {tokens.count(earliest, start)} {unit} of overlap"


def _eagerness(atom: Atom) -> float:
    """How much of the overlap a leaf that begins with this atom takes when it is adaptive, from 0 to 1."""
    if atom.cut >= CUT_WORDS or atom.what in _TORN:
        return 1.0  # inside a sentence, a row or code: nothing but the text before it says what this is
    return 0.5 if atom.cut > 0 else 0.25


def _is_introduced(atoms: Sequence[Atom], at: int) -> bool:
    """Whether a table or code begins with this atom, and prose stands right before it."""
    return atoms[at].what in _APART and atoms[at - 1].what in _SAID


def _a(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def _begins(atoms: Sequence[Atom], first: int) -> str:
    atom = atoms[first]
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
    context: ChunkingContext, atoms: Sequence[Atom], rows: Sequence[Row], first: int, last: int, following: Atom | None
) -> str:
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
    room, size, unit = rows[first].room, rows[last - 1].finish - rows[first].begin, context.settings.unit
    more = rows[last].finish - rows[last].begin
    if size + more > room:
        return f"ends: the next {after.what} would not fit ({size} + {more} > {room} {unit})"
    bound = last + 1 < len(atoms) and atoms[last + 1].cut >= CUT_TITLE
    if bound and rows[last + 1].finish - rows[last].begin + size > room:
        return f"ends: the next {after.what} stays with the {atoms[last + 1].what} it introduces"
    fits = f"the next {after.what} would fit ({size} + {more} <= {room} {unit})"
    if after.cut < CUT_PARAGRAPH:
        return f"ends: {_a(after.what)} starts here, though {fits}"
    return f"ends: evened out with the next leaf, though {fits}"


def _parent_begins(atom: Atom, number: int) -> str:
    if atom.parent_why:
        return f"begins: {atom.parent_why}"
    if atom.opens < NO_SECTION:
        return "begins: a section starts here"
    if not number:
        return "begins: the text starts here"
    return f"begins: {_a(atom.what)} starts here and the parent before is full"


def _parent_ends(context: ChunkingContext, atoms: Sequence[Atom], following: Sequence[Atom] | None) -> str:
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
