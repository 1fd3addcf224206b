"""The loss audit: which characters of a document no leaf covers, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.chunking.signals.series import SKIPPED
from core.text.spans import intersect_spans, non_blank_length, subtract_spans, trim
from core.types import BlockKind, ChunkTree, Span

BESIDE_ARTICLE = "beside the page's article: menu, notice, link, running line or advertisement"
UNEXPLAINED = "not covered: please report"
SWITCHED_OFF = "switched off by hand"


@dataclass(frozen=True, slots=True)
class Gap:
    """A span ``[start, end)`` that no leaf covers, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Audit:
    """``characters``: how many non-blank characters the text has; ``covered``: how many of them lie in a leaf."""

    characters: int
    covered: int
    gaps: tuple[Gap, ...] = ()


def audit(tree: ChunkTree, switched_off: Sequence[Span] = ()) -> Audit:
    """The loss audit of a chunk tree.

    ``switched_off``: spans that edits by hand keep out of all leaves (``Replayed.switched_off``).
    """
    document = tree.document
    whole = [Span(0, len(document.text))]
    missing = subtract_spans(whole, [leaf.span for leaf in tree.leaves])
    reasons = {**SKIPPED, BlockKind.FURNITURE: BESIDE_ARTICLE} if document.kind == "html" else SKIPPED
    skipped = [(block.span, reasons[block.kind]) for block in document.blocks if block.kind in reasons]
    uncovered = [
        (span, reason)
        for reason in reasons.values()
        for span in intersect_spans(missing, [block for block, block_reason in skipped if block_reason == reason])
    ]
    outside_skipped = subtract_spans(missing, [span for span, _ in skipped])
    uncovered += [(span, SWITCHED_OFF) for span in intersect_spans(outside_skipped, switched_off)]
    uncovered += [(span, UNEXPLAINED) for span in subtract_spans(outside_skipped, switched_off)]
    gaps: list[Gap] = []
    for span, reason in sorted(uncovered):
        trimmed = trim(document.text, span.start, span.end)
        if trimmed is not None:
            gaps.append(Gap(trimmed.start, trimmed.end, reason))
    characters = non_blank_length(document.text)
    lost = non_blank_length(document.text, [Span(gap.start, gap.end) for gap in gaps])
    return Audit(characters, characters - lost, tuple(gaps))
