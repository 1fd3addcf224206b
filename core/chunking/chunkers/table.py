"""Tables: groups of rows under their header, wide tables in slices of columns.

Repeating the header with every group of rows is what table retrieval is fed with (Herzig et al., "Open Domain Question
Answering over Tables via Dense Retrieval", NAACL 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.chunking.atoms import CUT_LEAD_IN, CUT_ROW, Atom, Splitter
from core.chunking.chunkers.structure import Item, structure, structured
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.rows import Row, cell_text, column_names, table_rows
from core.text.spans import trim
from core.types import Block, BlockKind, Span


@dataclass(frozen=True, slots=True)
class _Table:
    """A table read once. ``slices``: ranges of columns, () for a table that is not cut across."""

    block: Block
    rows: list[Row]
    names: dict[int, str]
    slices: tuple[range, ...]


def table(context: ChunkingContext) -> Plan:
    """Every table apart from the text around it, cut between rows; its header is a prefix part of each further group.

    Text outside of tables is cut by ``structure``. ``table_columns`` > 0: a table with more columns is also cut across.
    A slice of columns over several rows is no span of the text, and every chunk is one; so a slice is a run of
    neighbouring cells of one row, its prefix parts the names of those columns and, in words, what the row is about.
    ``table_key``: a group of rows begins wherever the value in the column of that name
    changes, and says in its metadata which one it holds; rows keep their order, and columns that are cut across no key.
    """
    blocks = [block for block in context.document.blocks if block.kind == BlockKind.TABLE]
    if not blocks:
        return structure(context).instead("structure", "this text has no table")
    tables = [_read(context, block) for block in blocks]
    by_start = {one.block.start: one for one in tables}
    cutter = _Cutter(context)

    def own(item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
        if item.kind != BlockKind.TABLE or item.block is None:
            return None
        return cutter.atoms(by_start[item.block.start], item, number, heading, limit, first)

    return structured(context, own, _set_apart)


def _read(context: ChunkingContext, block: Block) -> _Table:
    rows = table_rows(context.document.text, block)
    names = column_names(context.document.text, rows)
    width, most = max((len(row.cells) for row in rows), default=0), context.settings.table_columns
    slices = tuple(range(at, min(at + most, width)) for at in range(0, width, most)) if 0 < most < width else ()
    return _Table(block, rows, names, slices)


def _set_apart(atoms: list[Atom]) -> None:
    """What follows a table begins a leaf of its own, unless it belongs to the table, as a caption does."""
    for before, atom in pairwise(atoms):
        if before.what in _TABLE_PARTS and atom.item != before.item and atom.cut < CUT_LEAD_IN and not atom.why:
            atom.why = "the table before it ends here"


_TABLE_PARTS = frozenset({"table row", "slice of a row", "sentence of a table row", "sentence of a slice of a row"})


class _Cutter:
    """Tables to atoms."""

    def __init__(self, context: ChunkingContext) -> None:
        self._context = context
        self._text = context.document.text
        self._splitter = Splitter(context.tokens)

    def atoms(self, one: _Table, item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
        """Rows or slices of rows, the header with the first of them."""
        spans = self._row_spans(one, item)
        if not spans:
            return None
        header = trim(self._text, one.block.header.start, one.block.header.end) if one.block.header else None
        if one.slices:
            return self._sliced(one, spans, item, number, heading, limit, first)
        context = self._context
        rest = max(1, min(limit, context.room(heading, header)))
        found = self._splitter.parts(
            [span for span, _ in spans], "table row", number, rest, min(first, rest), item.bound, CUT_ROW, spoken=True
        )
        for atom in found[1:]:
            if header and header.end <= atom.start:
                atom.header = header
        if item.bound < CUT_LEAD_IN:
            found[0].why = "a table starts here"
        self._key(one, spans, found)
        return found

    def _key(self, one: _Table, spans: Sequence[tuple[Span, Row]], atoms: list[Atom]) -> None:
        """Forces leaves to begin where the value of the key's column changes; an empty cell goes on with the last."""
        asked = self._context.settings.table_key.casefold().strip()
        key = next((column for column, name in one.names.items() if asked and name.casefold() == asked), None)
        if key is None:
            return
        value, told = "", dict[int, tuple[str, bool]]()
        for span, row in spans:
            own = next((cell_text(self._text, cell) for cell in row.cells if cell.column == key), "")
            told[span.start] = (own or value, bool(own) and own != value)
            value = own or value
        for atom in atoms:
            value, changes = told.get(atom.start, (value, False))
            atom.metadata = {"group": (f"{one.names[key]} {value}",)} if value else {}
            if changes and atom is not atoms[0]:
                atom.why = f"{one.names[key]} is {value} from here on"

    def _row_spans(self, one: _Table, item: Item) -> list[tuple[Span, Row]]:
        """The item tiled by its body rows: what stands before the first (header, rule) goes with it."""
        body = [row for row in one.rows if not row.header and item.start <= row.start < item.end] or one.rows[:1]
        if not body:
            return []
        starts = [item.start, *(row.start for row in body[1:]), item.end]
        tiled = (trim(self._text, start, end) for start, end in pairwise(starts))
        return [(span, row) for span, row in zip(tiled, body, strict=True) if span is not None]

    def _sliced(
        self,
        one: _Table,
        spans: Sequence[tuple[Span, Row]],
        item: Item,
        number: int,
        heading: int,
        limit: int,
        first: int,
    ) -> list[Atom]:
        """Every row as runs of neighbouring cells, each under the names of its columns."""
        context, heads = self._context, [row for row in one.rows if row.header]
        atoms: list[Atom] = []
        for span, row in spans:
            for columns, piece in self._cut_across(span, row, one.slices):
                header = _names_of(heads[-1], columns) if heads else None
                room = max(1, min(limit, context.room(heading, header)))
                top = room if atoms else min(first, room)
                found = self._splitter.parts([piece], "slice of a row", number, room, top, CUT_ROW, spoken=True)
                for atom in found:
                    if header and header.end <= atom.start:
                        atom.header = header
                found[0].why = f"columns {columns.start + 1} to {columns.stop} of a row start here"
                atoms.extend(found)
        atoms[0].cut = max(atoms[0].cut, item.bound)
        return atoms

    def _cut_across(self, span: Span, row: Row, slices: Sequence[range]) -> list[tuple[range, Span]]:
        firsts = [next((cell.start for cell in row.cells if cell.column in columns), None) for columns in slices]
        pieces: list[tuple[range, Span]] = []
        begin, columns = span.start, slices[0]
        for following, at in zip(slices[1:], firsts[1:], strict=True):
            if at is None or not begin < at < span.end:
                continue
            if (piece := trim(self._text, begin, at)) is not None:
                pieces.append((columns, piece))
            begin, columns = at, following
        if (piece := trim(self._text, begin, span.end)) is not None:
            pieces.append((columns, piece))
        return pieces


def _names_of(head: Row, columns: range) -> Span | None:
    """Where the header row names these columns."""
    cells = [cell for cell in head.cells if cell.column in columns and cell.start < cell.end]
    return Span(cells[0].start, cells[-1].end) if cells else None
