"""What belongs together and lies in two leaves: headings, lead-ins, captions, code and its introduction.

A lead-in is told by its colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.inspecting.boundaries import Blocks, Boundary
from core.inspecting.findings import Defect, Finding, Severity
from core.types import Block, BlockKind, Chunk, ChunkTree, Document

_INTRODUCED = (BlockKind.LIST, BlockKind.TABLE)
_UNSPOKEN = (BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE, BlockKind.FRONT_MATTER, BlockKind.FURNITURE)
_SHOWN = 120  # characters lit on either side
_WINDOW = 160  # characters before a boundary that a lead-in ends within
_LEADS_IN = re.compile(
    r"[:：][*_)\"”»]{0,3}$|\b(?:the following|as follows|below)\b[^.!?:;`\n]{0,40}\.?$", re.IGNORECASE
)
_ITEM = re.compile(r"(?:[-*+•‣▪◦]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s")


def parted(tree: ChunkTree, meeting: Sequence[Boundary], places: Blocks) -> Iterator[Finding]:
    """At most one finding for each boundary.

    Nothing is parted where the leaf behind the boundary repeats the end of the one before.
    """
    leaves = tree.leaves
    for boundary in meeting:
        if not boundary.overlapping:
            finding = _at(tree.document, leaves, boundary, places)
            if finding is not None:
                yield finding


def _at(document: Document, leaves: Sequence[Chunk], boundary: Boundary, places: Blocks) -> Finding | None:
    text, cut = document.text, boundary.cut
    before, after = places.at(boundary.end - 1), places.at(cut)
    if before is not None and before.kind is BlockKind.HEADING:
        if after is before or (after is not None and after.kind is BlockKind.HEADING and after.level <= before.level):
            return None  # cut inside, which is another finding; or a section without any text
        return _found(
            Defect.ORPHAN_HEADING, document, leaves, boundary, "This heading ends a chunk; its text begins the next."
        )
    if _is_code(document, after) and not _is_code(document, before):
        if _leads_in(text, boundary.end):
            return _found(
                Defect.CODE_PARTED, document, leaves, boundary, "This code lies in the chunk after its introduction."
            )
        return None
    if _is_code(document, before):
        return None
    if _introduces(text, boundary, before, after):
        return _found(
            Defect.LIST_PARTED, document, leaves, boundary, "What follows lies in the chunk after its lead-in."
        )
    if {block.kind for block in (before, after) if block is not None} == {BlockKind.CAPTION, BlockKind.TABLE}:
        return _found(Defect.LIST_PARTED, document, leaves, boundary, "This caption and its table lie in two chunks.")
    return None


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
