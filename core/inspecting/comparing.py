"""Compares two chunk trees of one text: their cuts, the gold that each splits, and their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from core.errors import SpanError
from core.inspecting.boundaries import cuts
from core.text.spans import trim
from core.types import ChunkTree, Span


class Agreement(StrEnum):
    """Which tree has a cut: both, only A (removed) or only B (added)."""

    AGREED = "agreed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class ComparedCut:
    """A cut before ``position``, a visible character."""

    position: int
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class ComparedGold:
    """A gold span in two trees. ``whole_a``, ``whole_b``: whether a single leaf of the tree contains it."""

    span: Span
    whole_a: bool
    whole_b: bool


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a tree's leaves in the embedder's tokens, 0 without leaves. ``parents``: chunks of level 1."""

    leaves: int
    smallest: int
    median: float
    largest: int
    parents: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two trees. ``cuts`` and ``gold`` are in text order."""

    cuts: tuple[ComparedCut, ...]
    gold: tuple[ComparedGold, ...]
    sizes_a: Sizes
    sizes_b: Sizes

    def of(self, agreement: Agreement) -> tuple[ComparedCut, ...]:
        """The cuts with this agreement, in text order."""
        return tuple(cut for cut in self.cuts if cut.agreement is agreement)

    @property
    def severed_a(self) -> tuple[Span, ...]:
        """The gold spans that no single leaf of A contains."""
        return tuple(gold.span for gold in self.gold if not gold.whole_a)

    @property
    def severed_b(self) -> tuple[Span, ...]:
        """The gold spans that no single leaf of B contains."""
        return tuple(gold.span for gold in self.gold if not gold.whole_b)


def compare(a: ChunkTree, b: ChunkTree, gold: Sequence[Span] = ()) -> Comparison:
    """Compare two trees of the same text. Raises ``SpanError`` when the texts differ.

    ``gold``: spans of the text that answer questions. White space at their ends is ignored, and so are spans of white
    space alone.
    """
    text = a.document.text
    if text != b.document.text:
        raise SpanError(
            "Cuts of two different texts cannot be compared.", "Read both trees from the same version of the document."
        )
    in_a, in_b = set(cuts(a)), set(cuts(b))
    agreements = dict.fromkeys(in_a, Agreement.REMOVED) | dict.fromkeys(in_b, Agreement.ADDED)
    agreements |= dict.fromkeys(in_a & in_b, Agreement.AGREED)
    spans = sorted(span for span in (trim(text, item.start, item.end) for item in gold) if span is not None)
    return Comparison(
        tuple(ComparedCut(position, agreements[position]) for position in sorted(agreements)),
        tuple(ComparedGold(span, _is_whole(a, span), _is_whole(b, span)) for span in spans),
        sizes(a),
        sizes(b),
    )


def _is_whole(tree: ChunkTree, span: Span) -> bool:
    """Whether a single leaf contains the span."""
    return any(leaf.span.contains(span) for leaf in tree.leaves)


def sizes(tree: ChunkTree) -> Sizes:
    """The sizes of a tree."""
    tokens = [leaf.tokens for leaf in tree.leaves] or [0]
    parents = sum(chunk.level == 1 for chunk in tree.chunks)
    return Sizes(len(tree.leaves), min(tokens), float(median(tokens)), max(tokens), parents)
