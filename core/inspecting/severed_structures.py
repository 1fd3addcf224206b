"""What a boundary runs through or parts: tables and code; headings, lead-ins, captions and what belongs to them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from core.inspecting.boundaries import Boundary, block_at
from core.inspecting.findings import Defect, Finding, Severity
from core.settings import ChunkingSettings
from core.types import Block, BlockKind, Chunk, ChunkTree, Document


def severed(tree: ChunkTree, settings: ChunkingSettings, meeting: Sequence[Boundary]) -> Iterator[Finding]:
    """One finding for each table and each code block that is cut, at its first cut.

    Between rows, with the header repeated, a table too large for one leaf is cut as well as can be: minor. So is code
    that is larger than a leaf and cut between lines, and a file of source code anywhere but inside a line.
    """
    text, leaves = tree.document.text, tree.leaves
    cut: dict[int, tuple[Block, list[Boundary]]] = {}
    for boundary in meeting:
        block = block_at(tree.document.blocks, boundary.cut)
        if block is not None and block.start < boundary.cut and block.kind in (BlockKind.TABLE, BlockKind.CODE):
            cut.setdefault(block.start, (block, []))[1].append(boundary)
    for block, found in cut.values():
        is_table = block.kind is BlockKind.TABLE
        what, between = ("Table", "rows") if is_table else ("Code block", "lines")
        size = _size(leaves, found, block, settings)
        what, into = f"{what} of about {size:,.0f} {settings.unit}", f"into {len(found) + 1:,} chunks"
        at_unit = _at_unit if is_table else _at_line
        torn = [boundary for boundary in found if not at_unit(text, block, boundary.cut)]
        bare = [boundary for boundary in found if not _has_header(leaves[boundary.after])] if block.header else []
        severity, words = Severity.MODERATE, f"{what} cut between {between}, {into}"
        if torn:
            columns = is_table and settings.table_columns > 0 and all(_at_cell(block, one.cut) for one in torn)
            severity = Severity.MINOR if columns else Severity.MODERATE
            through = "between columns" if columns else "inside a row" if is_table else "inside a line"
            words = f"{what} cut {through}, {into}."
        elif not is_table and tree.document.kind == "code":
            continue  # between lines: no more can be told without reading the language
        elif bare:
            words += "; its header is not repeated before each."
        elif size <= settings.max_tokens - settings.prefix_room * bool(settings.read_prefix):
            words += ", though it would fit into one."
        else:
            severity = Severity.MINOR
            repeated = "; its header is repeated before each" if block.header is not None else ""
            words += f"{repeated}." if is_table else ": it is larger than a chunk."
        kind = Defect.TABLE_CUT if is_table else Defect.CODE_CUT
        yield _finding(kind, severity, text, block, (torn or bare or found)[0], words)


def _finding(kind: Defect, severity: Severity, text: str, block: Block, boundary: Boundary, sentence: str) -> Finding:
    """Shows the line before the cut and the line behind it."""
    start = max(block.start, text.rfind("\n", block.start, max(block.start, boundary.end - 1)) + 1)
    stop = text.find("\n", boundary.cut, block.end)
    end = block.end if stop < 0 else stop
    return Finding(kind, severity, start, end, boundary.after, sentence, boundary.before)


def _at_unit(text: str, block: Block, position: int) -> bool:
    """Whether a row begins here: a part of the block, or a line where it names none."""
    if not block.parts:
        return _at_line(text, block, position)
    index = bisect_right(block.parts, position, key=lambda part: part.start) - 1
    return index >= 0 and block.parts[index].start == position


def _at_cell(block: Block, position: int) -> bool:
    index = bisect_right(block.cells, position, key=lambda cell: cell.start) - 1
    return index >= 0 and block.cells[index].start == position


def _at_line(text: str, _: Block, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _has_header(leaf: Chunk) -> bool:
    return any(part.kind == "table_header" for part in leaf.prefix)


def _size(leaves: Sequence[Chunk], found: Sequence[Boundary], block: Block, settings: ChunkingSettings) -> float:
    """What one leaf would need to hold the block, by the sizes of the leaves it lies in and their shares of it."""
    size = 0.0
    for index in range(found[0].before, found[-1].after + 1):
        leaf = leaves[index]
        shared = min(leaf.end, block.end) - max(leaf.start, block.start)
        if shared > 0:
            own = leaf.tokens if settings.unit == "tokens" else leaf.end - leaf.start
            size += own * shared / (leaf.end - leaf.start)
    return size


_INTRODUCED = (BlockKind.LIST, BlockKind.TABLE)
_UNSPOKEN = (BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE, BlockKind.FRONT_MATTER, BlockKind.FURNITURE)
_SHOWN = 120  # characters lit on either side
_WINDOW = 160  # characters before a boundary that a lead-in ends within
_LEADS_IN = re.compile(
    r"[:：][*_)\"”»]{0,3}$|\b(?:the following|as follows|below)\b[^.!?:;`\n]{0,40}\.?$", re.IGNORECASE
)
_ITEM = re.compile(r"(?:[-*+•‣▪◦]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s")


def parted(tree: ChunkTree, meeting: Sequence[Boundary]) -> Iterator[Finding]:
    """At most one finding for each boundary.

    Nothing is parted where the leaf behind the boundary repeats the end of the one before.
    """
    leaves = tree.leaves
    for boundary in meeting:
        if not boundary.overlapping:
            finding = _at(tree.document, leaves, boundary)
            if finding is not None:
                yield finding


def _at(document: Document, leaves: Sequence[Chunk], boundary: Boundary) -> Finding | None:
    before, after = (block_at(document.blocks, place) for place in (boundary.end - 1, boundary.cut))
    kind, words = Defect.LIST_PARTED, ""
    if before is not None and before.kind is BlockKind.HEADING:
        if after is before or (after is not None and after.kind is BlockKind.HEADING and after.level <= before.level):
            return None  # cut inside, which is another finding; or a section without any text
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
    return _found(kind, document, leaves, boundary, words) if words else None


def _introduces(text: str, boundary: Boundary, before: Block | None, after: Block | None) -> bool:
    if before is not None and (before.kind in _UNSPOKEN or before.kind is BlockKind.CAPTION):
        return False
    listed = after.kind in _INTRODUCED if after is not None else _ITEM.match(text, boundary.cut) is not None
    return (
        listed
        and (after is not before or after is None or _ends_line(text, boundary))
        and _leads_in(text, boundary.end)
    )


def _leads_in(text: str, end: int) -> bool:
    """Whether the text that ends at ``end`` announces what follows it.

    >>> [_leads_in(words, len(words)) for words in ("Do these:", "See the following table.", "Nothing more.")]
    [True, True, False]
    """
    return _LEADS_IN.search(text[max(0, end - _WINDOW) : end]) is not None


def _ends_line(text: str, boundary: Boundary) -> bool:
    return "\n" in text[boundary.end : boundary.cut]


def _is_code(document: Document, block: Block | None) -> bool:
    """A code block within prose; in a file of source code it is not set apart from anything."""
    return block is not None and block.kind is BlockKind.CODE and document.kind != "code"


def _found(kind: Defect, document: Document, leaves: Sequence[Chunk], boundary: Boundary, sentence: str) -> Finding:
    text = document.text
    low = max(leaves[boundary.before].start, boundary.end - _SHOWN)
    high = min(leaves[boundary.after].end, boundary.cut + _SHOWN)
    start = max(low, text.rfind("\n", low, max(low, boundary.end - 1)) + 1)
    stop = text.find("\n", boundary.cut, high)
    leaf, other = boundary.after, boundary.before
    if kind is Defect.ORPHAN_HEADING:
        leaf, other = other, leaf
    return Finding(kind, Severity.MODERATE, start, high if stop < 0 else stop, leaf, sentence, other)
