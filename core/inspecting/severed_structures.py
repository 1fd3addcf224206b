"""Finds tables and code split by a boundary, and headings, lead-ins and captions separated from what they introduce."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.inspecting.boundaries import Boundary, begins, block_at
from core.inspecting.findings import Defect, Finding, Severity
from core.settings import ChunkingSettings
from core.text.sentences import is_ended
from core.text.spans import lines_around
from core.types import Block, BlockKind, Chunk, ChunkTree, Document


def split_blocks(tree: ChunkTree, settings: ChunkingSettings, tree_boundaries: Sequence[Boundary]) -> Iterator[Finding]:
    """One finding for each table and code block that is split.

    A block that is too large for one leaf and split as well as possible is a minor defect: a table between rows, with
    its header repeated, or code between lines. A file of source code split between lines is none.
    """
    text, leaves = tree.document.text, tree.leaves
    splits: dict[int, tuple[Block, list[Boundary]]] = {}
    for boundary in tree_boundaries:
        block = block_at(tree.document.blocks, boundary.cut)
        if block is not None and block.start < boundary.cut and block.kind in (BlockKind.TABLE, BlockKind.CODE):
            splits.setdefault(block.start, (block, []))[1].append(boundary)
    for block, inside in splits.values():
        is_table = block.kind is BlockKind.TABLE
        what, between = ("Table", "rows") if is_table else ("Code block", "lines")
        size = _estimated_size(leaves, inside, block, settings)
        what, into = f"{what} of about {size:,.0f} {settings.unit}", f"into {len(inside) + 1:,} chunks"
        at_unit = _at_row if is_table else _at_line_or_sentence
        mid_unit = [boundary for boundary in inside if not at_unit(text, block, boundary.cut)]
        headless = [boundary for boundary in inside if not _has_header(leaves[boundary.after])] if block.header else []
        severity, words = Severity.MODERATE, f"{what} cut between {between}, {into}"
        if mid_unit:
            by_columns = (
                is_table and settings.table_columns > 0 and all(begins(block.cells, item.cut) for item in mid_unit)
            )
            severity = Severity.MINOR if by_columns else Severity.MODERATE
            where = "between columns" if by_columns else "inside a row" if is_table else "inside a line"
            words = f"{what} cut {where}, {into}."
        elif not is_table and tree.document.kind == "code":
            continue  # whether such a cut is bad depends on the programming language
        elif headless:
            words += "; its header is not repeated before each."
        elif size <= settings.max_tokens - settings.prefix_room * bool(settings.read_prefix):
            words += ", though it would fit into one."
        else:
            severity = Severity.MINOR
            repeated = "; its header is repeated before each" if block.header is not None else ""
            words += f"{repeated}." if is_table else ": it is larger than a chunk."
        kind = Defect.TABLE_CUT if is_table else Defect.CODE_CUT
        yield _split_finding(kind, severity, text, block, (mid_unit or headless or inside)[0], words)


def _split_finding(
    kind: Defect, severity: Severity, text: str, block: Block, boundary: Boundary, sentence: str
) -> Finding:
    """A finding that highlights the line before the cut and the line after it."""
    lines = lines_around(text, boundary.end - 1, boundary.cut, (block.start, block.end))
    return Finding(kind, severity, lines.start, lines.end, boundary.after, sentence, boundary.before)


def _at_row(text: str, block: Block, position: int) -> bool:
    """Whether a row of a table begins at ``position``: a part of the block or, in a block without parts, a line."""
    return begins(block.parts, position) if block.parts else _at_line(text, block, position)


def _at_line(text: str, _: Block, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _at_line_or_sentence(text: str, block: Block, position: int) -> bool:
    """Whether a line begins at ``position``, or a sentence: those of comments and docstrings begin inside lines."""
    return _at_line(text, block, position) or is_ended(text[max(block.start, position - _WINDOW) : position].rstrip())


def _has_header(leaf: Chunk) -> bool:
    return any(part.kind == "table_header" for part in leaf.prefix)


def _estimated_size(
    leaves: Sequence[Chunk], inside: Sequence[Boundary], block: Block, settings: ChunkingSettings
) -> float:
    """The size of the block in the settings' unit, estimated from the leaves that share text with it."""
    size = 0.0
    for index in range(inside[0].before, inside[-1].after + 1):
        leaf = leaves[index]
        shared = min(leaf.end, block.end) - max(leaf.start, block.start)
        if shared > 0:
            own = leaf.tokens if settings.unit == "tokens" else leaf.end - leaf.start
            size += own * shared / (leaf.end - leaf.start)
    return size


_INTRODUCED = (BlockKind.LIST, BlockKind.TABLE)
_NO_LEAD_IN = (BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE, BlockKind.FRONT_MATTER, BlockKind.FURNITURE)
_HIGHLIGHTED = 120  # characters on either side of a boundary
_WINDOW = 160  # characters before a boundary that are searched for a lead-in, or for the end of a sentence
_LEADS_IN = re.compile(
    r"[:：][*_)\"”»]{0,3}$|\b(?:the following|as follows|below)\b[^.!?:;`\n]{0,40}\.?$", re.IGNORECASE
)
_ITEM = re.compile(r"(?:[-*+•‣▪◦]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s")


def separated_blocks(tree: ChunkTree, tree_boundaries: Sequence[Boundary]) -> Iterator[Finding]:
    """Findings for a heading, a lead-in or a caption on the other side of a boundary than what it belongs to.

    At most one for each boundary, and none at boundaries with an overlap.
    """
    leaves = tree.leaves
    for boundary in tree_boundaries:
        if not boundary.overlapping:
            finding = _separation(tree.document, leaves, boundary)
            if finding is not None:
                yield finding


def _separation(document: Document, leaves: Sequence[Chunk], boundary: Boundary) -> Finding | None:
    before, after = (block_at(document.blocks, place) for place in (boundary.end - 1, boundary.cut))
    kind, words = Defect.LIST_PARTED, ""
    if before is not None and before.kind is BlockKind.HEADING:
        if after is before or (after is not None and after.kind is BlockKind.HEADING and after.level <= before.level):
            return None  # the heading itself is split, or its section has no text
        kind, words = Defect.ORPHAN_HEADING, "This heading ends a chunk; its text begins the next."
    elif _is_code(document, before):
        return None
    elif _is_code(document, after):
        if _leads_in(document.text, boundary.end):
            kind, words = Defect.CODE_PARTED, "This code lies in the chunk after its introduction."
    elif _introduces(document.text, boundary, before, after):
        words = "What follows lies in the chunk after its lead-in."
    elif {block.kind for block in (before, after) if block is not None} == {BlockKind.CAPTION, BlockKind.TABLE}:
        words = "This caption and its table lie in two chunks."
    return _separation_finding(kind, document, leaves, boundary, words) if words else None


def _introduces(text: str, boundary: Boundary, before: Block | None, after: Block | None) -> bool:
    if before is not None and (before.kind in _NO_LEAD_IN or before.kind is BlockKind.CAPTION):
        return False
    is_list = after.kind in _INTRODUCED if after is not None else _ITEM.match(text, boundary.cut) is not None
    at_line_end = after is not before or after is None or "\n" in text[boundary.end : boundary.cut]
    return is_list and at_line_end and _leads_in(text, boundary.end)


def _leads_in(text: str, end: int) -> bool:
    """Whether the text that ends at ``end`` introduces what follows it.

    >>> [_leads_in(words, len(words)) for words in ("Do these:", "See the following table.", "Nothing more.")]
    [True, True, False]
    """
    return _LEADS_IN.search(text[max(0, end - _WINDOW) : end]) is not None


def _is_code(document: Document, block: Block | None) -> bool:
    """Whether a block is code within prose, not part of a file of source code."""
    return block is not None and block.kind is BlockKind.CODE and document.kind != "code"


def _separation_finding(
    kind: Defect, document: Document, leaves: Sequence[Chunk], boundary: Boundary, sentence: str
) -> Finding:
    low = max(leaves[boundary.before].start, boundary.end - _HIGHLIGHTED)
    high = min(leaves[boundary.after].end, boundary.cut + _HIGHLIGHTED)
    lines = lines_around(document.text, boundary.end - 1, boundary.cut, (low, high))
    leaf, other = boundary.after, boundary.before
    if kind is Defect.ORPHAN_HEADING:
        leaf, other = other, leaf
    return Finding(kind, Severity.MODERATE, lines.start, lines.end, leaf, sentence, other)
