"""Chunks tables: groups of rows under their repeated header, wide tables also in slices of columns.

Table retrieval encodes rows together with their header (Herzig et al., "Open Domain Question Answering over Tables via
Dense Retrieval", NAACL 2021).
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
    """A parsed table. ``names``: column names by column. ``slices``: ranges of columns; () where it is not sliced."""

    block: Block
    rows: list[Row]
    names: dict[int, str]
    slices: tuple[range, ...]


def table(context: ChunkingContext) -> Plan:
    """Tables are cut between rows, apart from the text around them; all groups of rows but the first repeat the header.

    Text outside of tables is cut as in ``structure``. ``table_columns`` > 0: a table with more columns is also sliced.
    As a chunk must be one span of the text, a slice is a run of neighbouring cells of one row; its prefix parts are the
    names of those columns and what the row is about. ``table_key``: a group of rows begins wherever the value in the
    column of that name changes, and the value becomes metadata. Rows keep their order. Sliced tables ignore the key.
    """
    blocks = [block for block in context.document.blocks if block.kind == BlockKind.TABLE]
    if not blocks:
        return structure(context).as_fallback("structure", "this text has no table")
    tables = {block.start: _parsed(context, block) for block in blocks}
    cutter = _Cutter(context)

    def block_atoms(item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom] | None:
        if item.kind != BlockKind.TABLE or item.block is None:
            return None
        return cutter.atoms(tables[item.block.start], item, number, heading, limit, first_limit)

    return structured(context, block_atoms, _set_apart)


def _parsed(context: ChunkingContext, block: Block) -> _Table:
    rows = table_rows(context.document.text, block)
    names = column_names(context.document.text, rows)
    width, most = max((len(row.cells) for row in rows), default=0), context.settings.table_columns
    slices = tuple(range(at, min(at + most, width)) for at in range(0, width, most)) if 0 < most < width else ()
    return _Table(block, rows, names, slices)


def _set_apart(atoms: list[Atom]) -> None:
    """Forces a leaf to begin after every table, unless the text there belongs to it, as a caption does."""
    for before, atom in pairwise(atoms):
        if before.what in _TABLE_PARTS and atom.item != before.item and atom.cut < CUT_LEAD_IN and not atom.why:
            atom.why = "the table before it ends here"


_TABLE_PARTS = frozenset({"table row", "slice of a row", "sentence of a table row", "sentence of a slice of a row"})


class _Cutter:
    """Cuts tables into atoms."""

    def __init__(self, context: ChunkingContext) -> None:
        self._context = context
        self._text = context.document.text
        self._splitter = Splitter(context.tokens)

    def atoms(
        self, parsed: _Table, item: Item, number: int, heading: int, limit: int, first_limit: int
    ) -> list[Atom] | None:
        """Rows or slices of rows (see ``BlockAtoms``); the first includes the header. ``None`` without rows."""
        spans = self._row_spans(parsed, item)
        if not spans:
            return None
        header = trim(self._text, parsed.block.header.start, parsed.block.header.end) if parsed.block.header else None
        if parsed.slices:
            return self._slices(parsed, spans, item, number, heading, limit, first_limit)
        context = self._context
        row_limit = max(1, min(limit, context.room(heading, header)))
        atoms = self._splitter.parts(
            [span for span, _ in spans],
            "table row",
            number,
            row_limit,
            min(first_limit, row_limit),
            item.bound,
            CUT_ROW,
            split_sentences=True,
        )
        for atom in atoms[1:]:
            if header and header.end <= atom.start:
                atom.header = header
        if item.bound < CUT_LEAD_IN:
            atoms[0].why = "a table starts here"
        self._group_by_key(parsed, spans, atoms)
        return atoms

    def _group_by_key(self, parsed: _Table, spans: Sequence[tuple[Span, Row]], atoms: list[Atom]) -> None:
        """Forces a leaf to begin where the value in the key column changes; an empty cell repeats the value above."""
        key_name = self._context.settings.table_key.casefold().strip()
        key = next((column for column, name in parsed.names.items() if key_name and name.casefold() == key_name), None)
        if key is None:
            return
        value = ""
        value_at: dict[int, tuple[str, bool]] = {}  # row start: value, and whether it changes there
        for span, row in spans:
            cell_value = next((cell_text(self._text, cell) for cell in row.cells if cell.column == key), "")
            value_at[span.start] = (cell_value or value, bool(cell_value) and cell_value != value)
            value = cell_value or value
        for atom in atoms:
            value, changes = value_at.get(atom.start, (value, False))
            atom.metadata = {"group": (f"{parsed.names[key]} {value}",)} if value else {}
            if changes and atom is not atoms[0]:
                atom.why = f"{parsed.names[key]} is {value} from here on"

    def _row_spans(self, parsed: _Table, item: Item) -> list[tuple[Span, Row]]:
        """The body rows with spans that cover the item: text before the first row (header, rule) belongs to it."""
        body = [row for row in parsed.rows if not row.header and item.start <= row.start < item.end] or parsed.rows[:1]
        if not body:
            return []
        starts = [item.start, *(row.start for row in body[1:]), item.end]
        tiled = (trim(self._text, start, end) for start, end in pairwise(starts))
        return [(span, row) for span, row in zip(tiled, body, strict=True) if span is not None]

    def _slices(
        self,
        parsed: _Table,
        spans: Sequence[tuple[Span, Row]],
        item: Item,
        number: int,
        heading: int,
        limit: int,
        first_limit: int,
    ) -> list[Atom]:
        """Every row as runs of neighbouring cells, each with the names of its columns as header."""
        context, header_rows = self._context, [row for row in parsed.rows if row.header]
        atoms: list[Atom] = []
        for span, row in spans:
            for columns, piece in self._cut_row(span, row, parsed.slices):
                header = _header_cells(header_rows[-1], columns) if header_rows else None
                room = max(1, min(limit, context.room(heading, header)))
                first_room = room if atoms else min(first_limit, room)
                slice_atoms = self._splitter.parts(
                    [piece], "slice of a row", number, room, first_room, CUT_ROW, split_sentences=True
                )
                for atom in slice_atoms:
                    if header and header.end <= atom.start:
                        atom.header = header
                slice_atoms[0].why = f"columns {columns.start + 1} to {columns.stop} of a row start here"
                atoms.extend(slice_atoms)
        atoms[0].cut = max(atoms[0].cut, item.bound)
        return atoms

    def _cut_row(self, span: Span, row: Row, slices: Sequence[range]) -> list[tuple[range, Span]]:
        """The row cut at the first cell of each slice: columns and span of each part."""
        starts = [next((cell.start for cell in row.cells if cell.column in columns), None) for columns in slices]
        pieces: list[tuple[range, Span]] = []
        begin, columns = span.start, slices[0]
        for next_columns, start in zip(slices[1:], starts[1:], strict=True):
            if start is None or not begin < start < span.end:
                continue
            if (piece := trim(self._text, begin, start)) is not None:
                pieces.append((columns, piece))
            begin, columns = start, next_columns
        if (piece := trim(self._text, begin, span.end)) is not None:
            pieces.append((columns, piece))
        return pieces


def _header_cells(header_row: Row, columns: range) -> Span | None:
    """The span of these columns' names in the header row; ``None`` where they are all empty."""
    cells = [cell for cell in header_row.cells if cell.column in columns and cell.start < cell.end]
    return Span(cells[0].start, cells[-1].end) if cells else None
