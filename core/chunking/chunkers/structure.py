"""Sections, and in them blocks kept whole where they fit: headings, tables, lists, code and captions stay together."""

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

_MERGE_TINY = 0.15
_CROSS_SECTION = 3.0
_TINY = 5  # a section of at most max_tokens / 5 may share a leaf with a sibling as small
_INTRODUCED = frozenset({BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE, BlockKind.QUOTE, BlockKind.HTML})
_SET_APART = frozenset({BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML})
_TELLING = frozenset(BlockKind) - {BlockKind.PARAGRAPH, BlockKind.RULE, *SKIPPED}  # what is structure
_NAMES = {
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
    """A block, or a paragraph between blocks, trimmed; a rule rides along with what stands before it."""

    kind: BlockKind
    start: int
    end: int
    block: Block | None = None
    bound: float = CUT_PARAGRAPH  # cost of parting it from the item before it
    name: str = ""  # in reasons; "": after its kind


BlockAtoms = Callable[["Item", int, int, int, int], list[Atom] | None]
"""Atoms of a block by somebody else: ``(item, number, heading, limit, first)`` to atoms of at most ``limit`` tokens,
the first of at most ``first``; ``None`` leaves the block to ``structure``."""


def structure(context: ChunkingContext) -> Plan:
    """Leaves inside sections inside the document; without headings, inside size parents.

    A heading is never parted from its body. A table, list or code block that fits one leaf is whole; one that does
    not is cut at rows, items or lines, and rows repeat their table's header as a prefix part. A line that introduces
    a block ("as follows:") and a caption stay with it where both fit. Tiny neighbouring sections share a leaf.
    """
    plan = structured(context)
    if any(block.kind in _TELLING for block in context.document.blocks):
        return plan
    return plan.instead("paragraphs packed by size", "this text has no headings, lists, tables or code")


def structured(
    context: ChunkingContext, own: BlockAtoms | None = None, adjust: Callable[[list[Atom]], None] | None = None
) -> Plan:
    """As ``structure``, but blocks that ``own`` takes become its atoms; ``adjust`` may price or force their cuts."""
    groups: list[Group] = []
    for region in context.regions:
        atoms = region_atoms(context, region, own)
        if adjust:
            adjust(atoms)
        groups.extend(build_groups(context, atoms))
    rooted = len(groups) > 1 and bool(context.outline.headings)
    return Plan(tuple(groups), rooted)


def region_atoms(context: ChunkingContext, region: Span, own: BlockAtoms | None = None) -> list[Atom]:
    """The atoms of one region, blocks whole where they fit, every cut priced."""
    items = _items(context, region)
    _bind(context, items)
    return _Atomiser(context, own).atoms(items)


def _items(context: ChunkingContext, region: Span) -> list[Item]:
    """The region's blocks in order, what lies between them as paragraphs, and rules joined to a neighbour."""
    text = context.document.text
    found: list[Item] = []
    position = region.start
    blocks = context.document.blocks
    for block in blocks[touching(blocks, region.start, region.end)]:
        if block.kind in SKIPPED:
            continue
        span = trim(text, block.start, block.end)
        if span is None:
            continue
        found.extend(Item(BlockKind.PARAGRAPH, gap.start, gap.end) for gap in paragraphs(text, position, span.start))
        found.append(Item(block.kind, span.start, span.end, block))
        position = block.end
    found.extend(Item(BlockKind.PARAGRAPH, gap.start, gap.end) for gap in paragraphs(text, position, region.end))
    return _join_rules(found)


def _join_rules(items: list[Item]) -> list[Item]:
    """Rules say nothing alone: each joins the block before it, or the one after it where a heading is before."""
    joined: list[Item] = []
    waiting: int | None = None
    for item in items:
        if item.kind == BlockKind.RULE:
            if joined and waiting is None and joined[-1].kind != BlockKind.HEADING:
                joined[-1].end = item.end
            elif waiting is None:
                waiting = item.start
            continue
        if waiting is not None:
            item.start, waiting = waiting, None
        joined.append(item)
    if waiting is not None:
        if joined:
            joined[-1].end = items[-1].end
        else:
            joined.append(Item(BlockKind.PARAGRAPH, waiting, items[-1].end))
    return joined


def _bind(context: ChunkingContext, items: list[Item]) -> None:
    """Marks what must or should stay with the item before it."""
    text, paired = context.document.text, -1  # the item that closed a pair of figure and caption: it begins no other
    for number, (before, item) in enumerate(pairwise(items), start=1):
        if before.kind == BlockKind.HEADING:
            if item.kind != BlockKind.HEADING or _level(item) >= _level(before):
                item.bound = CUT_HEADING
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
            item.bound = CUT_HEADING  # a heading over nothing, last in its section: it stays with what is before it


def _introduces(text: str, item: Item) -> bool:
    return text[max(item.start, item.end - 3) : item.end].rstrip("*_ ").endswith((":", "："))


def _level(item: Item) -> int:
    return item.block.level if item.block else 0


class _Atomiser:
    """Items to atoms: every one at most as large as the leaf it may begin."""

    def __init__(self, context: ChunkingContext, own: BlockAtoms | None) -> None:
        self._context = context
        self._own = own
        self._splitter = Splitter(context.tokens)
        self._flow = 0

    def atoms(self, items: list[Item]) -> list[Atom]:
        context = self._context
        headings, outline = context.outline.headings, context.outline
        made: list[Atom] = []
        chain = 0  # tokens of the headings just before, which the next item must share a leaf with
        for number, item in enumerate(items):
            heading = outline.heading_at(item.end - 1)
            opens = item.kind == BlockKind.HEADING
            room = context.room(heading, inside=opens)
            limit = max(1, room - context.overlap(room))
            if opens != bool(chain):
                top_room = self._room_of_chain(items, number)
            tail = 0 if opens else self._tail(items, number)
            limit = max(1, limit - tail)
            first = max(1, min(limit, top_room - chain - tail)) if chain else limit
            found = self._item(item, number, heading, limit, first)
            level = headings[heading].block.level if heading >= 0 else 0
            if opens:
                self._flow += 1
                found[0].opens = level
                chain += context.tokens.count(item.start, item.end)
            else:
                chain = 0
            for atom in found:
                atom.heading, atom.level = heading, level
            made.extend(found)
        self._price_sections(made)
        bind_titles(context.document.text, made)
        return made

    def _tail(self, items: list[Item], number: int) -> int:
        """Tokens of the empty headings after item ``number`` that must share a leaf with its end."""
        tokens, after = 0, number + 1
        while after < len(items) and items[after].kind == BlockKind.HEADING and items[after].bound == CUT_HEADING:
            tokens += self._context.tokens.count(items[after].start, items[after].end)
            after += 1
        return tokens

    def _room_of_chain(self, items: list[Item], number: int) -> int:
        """Room of the leaf that begins with the headings right before item ``number``."""
        first = number
        while first and items[first - 1].kind == BlockKind.HEADING and items[first].bound == CUT_HEADING:
            first -= 1
        heading = self._context.outline.heading_at(items[first].end - 1)
        room = self._context.room(heading, inside=items[first].kind == BlockKind.HEADING)
        return room - self._context.overlap(room)

    def _item(self, item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom]:
        what = item.name or _NAMES.get(item.kind, ("paragraph", "sentence"))[0]
        span = Span(item.start, item.end)
        if self._own and (taken := self._own(item, number, heading, limit, first)) is not None:
            apart = item.kind in _SET_APART
            self._flow += apart
            found, flow = taken, self._flow
            self._flow += apart
        elif item.kind in {BlockKind.TABLE, BlockKind.CODE, BlockKind.LIST, BlockKind.HTML}:
            self._flow += item.kind != BlockKind.LIST
            if self._context.tokens.count(span.start, span.end) <= first:
                found = [Atom(span.start, span.end, what, number, item.bound)]
            else:
                found = self._parted(item, number, heading, limit, first)
            flow = self._flow
            self._flow += item.kind != BlockKind.LIST
        else:
            found = self._splitter.whole_or_sentences(span, what, number, item.bound, limit, first)
            flow = self._flow
        for atom in found:
            atom.flow = flow
        return found

    def _parted(self, item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom]:
        """A block too large for a leaf, at its rows, items or lines."""
        context, text = self._context, self._context.document.text
        block = item.block
        name = _NAMES[item.kind][1]
        header = None
        if item.kind == BlockKind.TABLE and block and block.header:
            header = trim(text, block.header.start, block.header.end)
        rest = max(1, min(limit, context.room(heading, header)))
        spoken = item.kind in (BlockKind.TABLE, BlockKind.LIST)
        found = self._splitter.parts(
            _cuts(text, item), name, number, rest, min(first, rest), item.bound, CUT_ROW, spoken
        )
        for at, atom in enumerate(found):
            if at and header and header.end <= atom.start:
                atom.header = header
            if not at or atom.what != name:
                continue
            if item.kind == BlockKind.CODE:
                atom.cut = _code_cut(text, found[at - 1].end, atom.start)
            elif item.kind != BlockKind.TABLE:
                atom.cut = CUT_ITEM
        return found

    def _price_sections(self, atoms: list[Atom]) -> None:
        """What it costs a leaf to hold a section boundary: little between two tiny sections, else too much."""
        if all(atom.opens == NO_SECTION for atom in atoms):
            return
        sizes: dict[int, int] = {}
        for atom in atoms:
            sizes[atom.heading] = sizes.get(atom.heading, 0) + self._context.tokens.count(atom.start, atom.end)
        tiny = self._context.settings.max_tokens // _TINY
        for before, atom in pairwise(atoms):
            if atom.opens == NO_SECTION or atom.cut >= CUT_LEAD_IN:
                continue
            both = max(sizes[before.heading], sizes[atom.heading]) <= tiny
            atom.deeper = atom.sibling = _MERGE_TINY if both else _CROSS_SECTION


def _cuts(text: str, item: Item) -> list[Span]:
    """The block's parts widened to tile it: what is before a part's first character goes with the part before.

    The table's header, a fence's first line and a list's lead stay with the first part.
    """
    parts = item.block.parts if item.block else ()
    if not parts:
        return lines(text, item.start, item.end)
    starts = [item.start, *(part.start for part in parts[1:] if item.start < part.start < item.end), item.end]
    spans = (trim(text, start, end) for start, end in pairwise(starts))
    return [span for span in spans if span is not None]


def _code_cut(text: str, before: int, start: int) -> float:
    """Cheap before an unindented line after a blank one, dearer the deeper the line is nested."""
    gap = text[before:start]
    indent = len(gap) - len(gap.rstrip(" \t"))
    blank = gap.count("\n") > 1
    if not indent and text[start] in ")}]":
        return CUT_LINE + 0.3
    nested = min(indent, 16) / 16 * 0.3
    return (0.02 if blank else CUT_LINE) + nested
