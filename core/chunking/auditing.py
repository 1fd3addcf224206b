"""The loss audit: which characters no leaf covers, and why."""

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
    """Characters no leaf covers, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The loss audit. ``characters``: the non-blank ones of the text; ``covered``: those some leaf covers."""

    characters: int
    covered: int
    gaps: tuple[Gap, ...] = ()


def audit(tree: ChunkTree, switched_off: Sequence[Span] = ()) -> Audit:
    """Counts the non-blank characters of the text and those in leaves, and names every gap with its reason.

    ``switched_off``: what edits by hand keep out of all leaves (``Replayed.switched_off``).
    """
    document = tree.document
    whole = [Span(0, len(document.text))]
    missing = subtract_spans(whole, [leaf.span for leaf in tree.leaves])
    reasons = {**SKIPPED, BlockKind.FURNITURE: BESIDE_ARTICLE} if document.kind == "html" else SKIPPED
    skipped = [(block.span, reasons[block.kind]) for block in document.blocks if block.kind in reasons]
    named = [
        (span, reason)
        for reason in reasons.values()
        for span in intersect_spans(missing, [block for block, why in skipped if why == reason])
    ]
    others = subtract_spans(missing, [span for span, _ in skipped])
    named += [(span, SWITCHED_OFF) for span in intersect_spans(others, switched_off)]
    unnamed = [(span, UNEXPLAINED) for span in subtract_spans(others, switched_off)]
    gaps: list[Gap] = []
    for span, reason in sorted(named + unnamed):
        kept = trim(document.text, span.start, span.end)
        if kept is not None:
            gaps.append(Gap(kept.start, kept.end, reason))
    characters = non_blank_length(document.text)
    lost = non_blank_length(document.text, [Span(gap.start, gap.end) for gap in gaps])
    return Audit(characters, characters - lost, tuple(gaps))
