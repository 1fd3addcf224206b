"""What belongs together and lies in two leaves: headings, lead-ins, code and its introduction, remarks, footnotes.

A lead-in is told by its colon, a remark by its label or, in English, by the first word that points back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from core.inspecting.boundaries import Blocks, Boundary, holder
from core.inspecting.findings import Defect, Finding, Severity
from core.types import Block, BlockKind, Chunk, ChunkTree, Document

_INTRODUCED = (BlockKind.LIST, BlockKind.TABLE)
_UNSPOKEN = (BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE, BlockKind.FRONT_MATTER, BlockKind.FURNITURE)
_MARK = re.compile(r"\[\^?[\w*†‡]{1,12}\]")
_SHOWN = 120  # characters lit on either side
_WINDOW = 160  # characters before a boundary that a lead-in ends within
_LEADS_IN = re.compile(
    r"[:：][*_)\"”»]{0,3}$|\b(?:the following|as follows|below)\b[^.!?:;`\n]{0,40}\.?$", re.IGNORECASE
)
_ITEM = re.compile(r"(?:[-*+•‣▪◦]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s")
_POINTS_BACK = re.compile(
    r"(?:>\s?)*[*_]{0,3}(?P<words>\[!\w{3,12}\]|(?:Note|Warning|Caution|Hint|Tip)\b[*_]{0,3}:"
    r"|(?:This|That|These|Those)\b(?! (?:chapter|section|document|page|guide|manual|article|paper|report|book)\b)"
    r"|(?:However|Therefore|Thus|Hence|Otherwise|Instead|Moreover|Nevertheless|For (?:example|instance))\b)"
)


def parted(tree: ChunkTree, meeting: Sequence[Boundary], places: Blocks) -> Iterator[Finding]:
    """At most one finding for each boundary, and one for each footnote that no leaf holds beside its mark.

    Nothing is parted where the leaf behind the boundary repeats the end of the one before.
    """
    leaves = tree.leaves
    for boundary in meeting:
        if not boundary.overlapping:
            finding = _at(tree.document, leaves, boundary, places)
            if finding is not None:
                yield finding
    yield from _footnotes(tree)


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
    return _remark(document, leaves, boundary, before, after)


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


def _remark(
    document: Document, leaves: Sequence[Chunk], boundary: Boundary, before: Block | None, after: Block | None
) -> Finding | None:
    kinds = {block.kind for block in (before, after) if block is not None}
    if kinds == {BlockKind.CAPTION, BlockKind.TABLE}:
        return _found(Defect.REMARK_PARTED, document, leaves, boundary, "This caption and its table lie in two chunks.")
    if after is not None and after.kind in _UNSPOKEN:
        return None
    if (after is None or after.start < boundary.cut) and not _is_spoken(document.text, boundary):
        return None
    found = _POINTS_BACK.match(document.text, boundary.cut)
    if found is None:
        return None
    sentence = f"This chunk begins with “{found['words']}”; what that refers to is in the chunk before."
    return _found(Defect.REMARK_PARTED, document, leaves, boundary, sentence)


def _is_spoken(text: str, boundary: Boundary) -> bool:
    """Whether a sentence may begin at the cut: behind a stop or on a line of its own, with a capital or no case."""
    first = text[boundary.cut]
    return not first.islower() and (text[boundary.end - 1] not in ",;-–—" or _ends_line(text, boundary))


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


def _footnotes(tree: ChunkTree) -> Iterator[Finding]:
    text, leaves = tree.document.text, tree.leaves
    notes = [block for block in tree.document.blocks if block.kind is BlockKind.FOOTNOTE]
    if not notes or not leaves:
        return
    marks: dict[str, list[int]] = {}
    for match in _MARK.finditer(text):
        marks.setdefault(match.group(), []).append(match.start())
    starts = [leaf.start for leaf in leaves]
    for note in notes:
        own = _MARK.match(text, note.start)
        if own is None:
            continue
        places = marks[own.group()]
        at = bisect_right(places, note.start) - 2  # its own mark is the last one found
        if at < 0:
            continue
        mark, index = places[at], holder(leaves, starts, note.start)
        if not any(_holds(leaf, mark, note.start) for leaf in leaves[max(0, index - 1) : index + 1]):
            sentence = f"Footnote {own.group()} lies in another chunk than the words it belongs to."
            other = holder(leaves, starts, mark)
            yield Finding(Defect.REMARK_PARTED, Severity.MINOR, note.start, note.end, index, sentence, other)


def _holds(leaf: Chunk, first: int, second: int) -> bool:
    return leaf.start <= first and second < leaf.end
