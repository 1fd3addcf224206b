"""Chunks by document structure: sections, and in them blocks (tables, lists, code) kept whole where they fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from core.chunking.atoms import (
    CUT_HEADING,
    CUT_ITEM,
    CUT_LEAD_IN,
    CUT_LINE,
    CUT_PARAGRAPH,
    CUT_ROW,
    Atom,
    Splitter,
    bind_titles,
    lines,
    paragraphs,
)
from core.chunking.leaves import build_groups
from core.chunking.packing import NO_SECTION
from core.chunking.plan import ChunkingContext, Group, Plan
from core.chunking.signals.captions import captioned
from core.chunking.signals.series import SKIPPED
from core.text.spans import touching, trim
from core.types import Block, BlockKind, Span

_MERGE_TINY = 0.15  # cost of a section boundary inside a leaf, between two tiny sections
_CROSS_SECTION = 3.0  # the same between other sections: more than an additional leaf costs
_CUT_OUTPUT = CUT_LEAD_IN + 1.0  # a cell is cut from what leads in to it before it is cut from what it put out
_TINY = 5  # a section of at most max_tokens / 5 is tiny
_INTRODUCED = frozenset({BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE, BlockKind.QUOTE, BlockKind.HTML})
_SET_APART = frozenset({BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML})
_STRUCTURAL = frozenset(BlockKind) - {BlockKind.PARAGRAPH, BlockKind.RULE, *SKIPPED}
_NAMES = {  # in reasons: a whole block, and a part of one
    BlockKind.LIST: ("list", "list item"),
    BlockKind.TABLE: ("table", "table row"),
    BlockKind.CODE: ("code block", "line of code"),
    BlockKind.QUOTE: ("quotation", "sentence"),
    BlockKind.CAPTION: ("caption", "sentence"),
    BlockKind.FOOTNOTE: ("footnote", "sentence"),
    BlockKind.HTML: ("HTML block", "line"),
    BlockKind.HEADING: ("heading", "run of words"),
}


@dataclass(slots=True)
class Item:
    """A block, or a paragraph between blocks, trimmed; a horizontal rule belongs to the item before it."""

    kind: BlockKind
    start: int
    end: int
    block: Block | None = None
    bound: float = CUT_PARAGRAPH  # cost of a cut between it and the item before it
    name: str = ""  # in reasons; "" means the name of its kind


BlockAtoms = Callable[["Item", int, int, int, int], list[Atom] | None]
"""Cuts an item in place of ``structure``: ``(item, number, heading, limit, first_limit)`` to atoms of at most ``limit``
tokens, the first of at most ``first_limit``; ``None`` leaves the item to ``structure``."""


def structure(context: ChunkingContext) -> Plan:
    """Parents are sections, leaves their blocks; without headings, parents are packed by size alone.

    A heading always stays with its body. A table, list or code block that fits one leaf is whole; a larger one is cut
    at rows, items or lines, and rows repeat their table's header as a prefix part. A caption, and a line that
    introduces a block ("as follows:"), stay with the block where both fit. Tiny neighbouring sections share a leaf.
    """
    plan = structured(context)
    if any(block.kind in _STRUCTURAL for block in context.document.blocks):
        return plan
    return plan.as_fallback("paragraphs packed by size", "this text has no headings, lists, tables or code")


def structured(
    context: ChunkingContext, block_atoms: BlockAtoms | None = None, adjust: Callable[[list[Atom]], None] | None = None
) -> Plan:
    """As ``structure``, with hooks for other chunkers.

    ``block_atoms`` may cut blocks in its own way; ``adjust`` may change the costs and reasons of a region's atoms.
    """
    groups: list[Group] = []
    for region in context.regions:
        atoms = region_atoms(context, region, block_atoms)
        if adjust:
            adjust(atoms)
        groups.extend(build_groups(context, atoms))
    rooted = len(groups) > 1 and bool(context.outline.headings)
    return Plan(tuple(groups), rooted)


def region_atoms(context: ChunkingContext, region: Span, block_atoms: BlockAtoms | None = None) -> list[Atom]:
    """The atoms of one region, each with the cost of beginning a leaf with it; blocks are whole where they fit."""
    items = _items(context, region)
    _bind(context, items)
    return _Atomiser(context, block_atoms).atoms(items)


def _items(context: ChunkingContext, region: Span) -> list[Item]:
    """The region's blocks and the paragraphs between them, in order; rules are joined to a neighbour."""
    text = context.document.text
    items: list[Item] = []
    position = region.start
    blocks = context.document.blocks
    for block in blocks[touching(blocks, region.start, region.end)]:
        if block.kind in SKIPPED:
            continue
        span = trim(text, block.start, block.end)
        if span is None:
            continue
        items.extend(Item(BlockKind.PARAGRAPH, gap.start, gap.end) for gap in paragraphs(text, position, span.start))
        items.append(Item(block.kind, span.start, span.end, block))
        position = block.end
    items.extend(Item(BlockKind.PARAGRAPH, gap.start, gap.end) for gap in paragraphs(text, position, region.end))
    return _join_rules(items)


def _join_rules(items: list[Item]) -> list[Item]:
    """Joins each rule to the item before it, or to the next one where a heading is before it or nothing."""
    joined: list[Item] = []
    pending: int | None = None  # where a rule begins that waits for the next item
    for item in items:
        if item.kind == BlockKind.RULE:
            if joined and pending is None and joined[-1].kind != BlockKind.HEADING:
                joined[-1].end = item.end
            elif pending is None:
                pending = item.start
            continue
        if pending is not None:
            item.start, pending = pending, None
        joined.append(item)
    if pending is not None:
        if joined:
            joined[-1].end = items[-1].end
        else:
            joined.append(Item(BlockKind.PARAGRAPH, pending, items[-1].end))
    return joined


def _bind(context: ChunkingContext, items: list[Item]) -> None:
    """Sets ``bound`` of the items that must or should stay with the one before: bodies, introduced blocks, captions."""
    text, paired = context.document.text, -1  # number of the last item that ended a pair of figure and caption
    for number, (before, item) in enumerate(pairwise(items), start=1):
        if before.kind == BlockKind.HEADING:
            if item.kind != BlockKind.HEADING or _level(item) >= _level(before):
                item.bound = CUT_HEADING
        elif _is_output(context.document.kind, before, item):
            item.bound = _CUT_OUTPUT
        elif (BlockKind.CAPTION in {item.kind, before.kind} and {item.kind, before.kind} & _INTRODUCED) or (
            before.kind == BlockKind.PARAGRAPH and item.kind in _INTRODUCED and _introduces(text, before)
        ):
            item.bound = CUT_LEAD_IN
        elif number - 1 != paired and (names := captioned(text, before, item)):
            item.bound, paired = CUT_LEAD_IN, number
            before.name, item.name = names
        following = items[number + 1] if number + 1 < len(items) else None
        closes = following is None or (following.kind == BlockKind.HEADING and _level(following) < _level(item))
        if item.kind == BlockKind.HEADING and before.kind != BlockKind.HEADING and closes:
            item.bound = CUT_HEADING  # an empty heading, last in its section, stays with the text before it


def _is_output(document_kind: str, before: Item, item: Item) -> bool:
    """Whether a block is what the cell of a notebook right before it put out."""
    if document_kind != "notebook" or before.kind != BlockKind.CODE or not (before.block and before.block.language):
        return False
    return item.kind == BlockKind.TABLE or bool(item.kind == BlockKind.CODE and item.block and not item.block.language)


def _introduces(text: str, item: Item) -> bool:
    return text[max(item.start, item.end - 3) : item.end].rstrip("*_ ").endswith((":", "："))


def _level(item: Item) -> int:
    return item.block.level if item.block else 0


class _Atomiser:
    """Turns items into atoms, each of which fits a leaf that begins with it."""

    def __init__(self, context: ChunkingContext, block_atoms: BlockAtoms | None) -> None:
        self._context = context
        self._block_atoms = block_atoms
        self._splitter = Splitter(context.tokens)
        self._flow = 0

    def atoms(self, items: list[Item]) -> list[Atom]:
        """The atoms of a region's items in order."""
        context = self._context
        headings, outline = context.outline.headings, context.outline
        atoms: list[Atom] = []
        chain = 0  # tokens of the headings right before, which the next item must share a leaf with
        for number, item in enumerate(items):
            heading = outline.heading_at(item.end - 1)
            opens = item.kind == BlockKind.HEADING
            room = context.room(heading, inside=opens)
            limit = max(1, room - context.overlap(room))
            if opens != bool(chain):
                top_room = self._room_of_chain(items, number)
            tail = 0 if opens else self._tail(items, number)
            limit = max(1, limit - tail)
            first_limit = max(1, min(limit, top_room - chain - tail)) if chain else limit
            item_atoms = self._item(item, number, heading, limit, first_limit)
            level = headings[heading].block.level if heading >= 0 else 0
            if opens:
                self._flow += 1
                item_atoms[0].opens = level
                chain += context.tokens.count(item.start, item.end)
            else:
                chain = 0
            for atom in item_atoms:
                atom.heading, atom.level = heading, level
            atoms.extend(item_atoms)
        self._price_sections(atoms)
        bind_titles(context.document.text, atoms)
        return atoms

    def _tail(self, items: list[Item], number: int) -> int:
        """Tokens of the empty headings after item ``number`` that must share a leaf with its end."""
        tokens, after = 0, number + 1
        while after < len(items) and items[after].kind == BlockKind.HEADING and items[after].bound == CUT_HEADING:
            tokens += self._context.tokens.count(items[after].start, items[after].end)
            after += 1
        return tokens

    def _room_of_chain(self, items: list[Item], number: int) -> int:
        """The room of the leaf that begins with the headings right before item ``number``."""
        first = number
        while first and items[first - 1].kind == BlockKind.HEADING and items[first].bound == CUT_HEADING:
            first -= 1
        heading = self._context.outline.heading_at(items[first].end - 1)
        room = self._context.room(heading, inside=items[first].kind == BlockKind.HEADING)
        return room - self._context.overlap(room)

    def _item(self, item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom]:
        """The atoms of one item. Tables, code and HTML are each a flow of their own: no overlap crosses their edges."""
        set_apart = item.kind in _SET_APART
        self._flow += set_apart
        atoms = self._block_atoms(item, number, heading, limit, first_limit) if self._block_atoms else None
        if atoms is None:
            what = item.name or _NAMES.get(item.kind, ("paragraph", "sentence"))[0]
            span = Span(item.start, item.end)
            if not set_apart and item.kind != BlockKind.LIST:
                atoms = self._splitter.whole_or_sentences(span, what, number, item.bound, limit, first_limit)
            elif self._context.tokens.count(span.start, span.end) <= first_limit:
                atoms = [Atom(span.start, span.end, what, number, item.bound)]
            else:
                atoms = self._split(item, number, heading, limit, first_limit)
        for atom in atoms:
            atom.flow = self._flow
        self._flow += set_apart
        return atoms

    def _split(self, item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom]:
        """The atoms of a block too large for a leaf: its rows, items or lines."""
        context, text = self._context, self._context.document.text
        block = item.block
        name = _NAMES[item.kind][1]
        header = None
        if item.kind == BlockKind.TABLE and block and block.header:
            header = trim(text, block.header.start, block.header.end)
        part_limit = max(1, min(limit, context.room(heading, header)))
        split_sentences = item.kind in (BlockKind.TABLE, BlockKind.LIST)
        atoms = self._splitter.parts(
            _tiles(text, item),
            name,
            number,
            part_limit,
            min(first_limit, part_limit),
            item.bound,
            CUT_ROW,
            split_sentences,
        )
        for before, atom in pairwise(atoms):
            if header and header.end <= atom.start:
                atom.header = header
            if atom.what != name:
                continue
            if item.kind == BlockKind.CODE:
                atom.cut = _code_cut(text, before.end, atom.start)
            elif item.kind != BlockKind.TABLE:
                atom.cut = CUT_ITEM
        return atoms

    def _price_sections(self, atoms: list[Atom]) -> None:
        """Sets the cost of a section boundary inside a leaf: low between two tiny sections, prohibitive elsewhere."""
        if all(atom.opens == NO_SECTION for atom in atoms):
            return
        sizes: dict[int, int] = {}
        for atom in atoms:
            sizes[atom.heading] = sizes.get(atom.heading, 0) + self._context.tokens.count(atom.start, atom.end)
        tiny = self._context.settings.max_tokens // _TINY
        for before, atom in pairwise(atoms):
            if atom.opens == NO_SECTION or atom.cut >= CUT_LEAD_IN:
                continue
            both_tiny = max(sizes[before.heading], sizes[atom.heading]) <= tiny
            atom.deeper = atom.sibling = _MERGE_TINY if both_tiny else _CROSS_SECTION


def _tiles(text: str, item: Item) -> list[Span]:
    """The block's rows, items or lines, widened to cover it: text between two parts belongs to the first of them.

    Text before the first part (a table's header, a fence, a list's lead) belongs to that part.
    """
    parts = item.block.parts if item.block else ()
    if not parts:
        return lines(text, item.start, item.end)
    starts = [item.start, *(part.start for part in parts[1:] if item.start < part.start < item.end), item.end]
    spans = (trim(text, start, end) for start, end in pairwise(starts))
    return [span for span in spans if span is not None]


def _code_cut(text: str, before: int, start: int) -> float:
    """Cost of a cut before a line of code: low after a blank line, higher the deeper the line is indented."""
    gap = text[before:start]
    indent = len(gap) - len(gap.rstrip(" \t"))
    blank = gap.count("\n") > 1
    if not indent and text[start] in ")}]":
        return CUT_LINE + 0.3
    nested = min(indent, 16) / 16 * 0.3
    return (0.02 if blank else CUT_LINE) + nested
