"""Two ways to cut one text, side by side: cuts agreed and not, gold that each severs, and sizes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.errors import SpanError
from core.inspecting.boundaries import cuts, holder
from core.inspecting.sizes import Sizes, sizes
from core.text.spans import trim
from core.types import Chunk, ChunkTree, Span


class Agreement(StrEnum):
    """Whose cut it is. Read from A to B: a cut only in A was removed, one only in B was added."""

    AGREED = "agreed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class ComparedCut:
    """A cut before ``position``, a visible character. ``leaf_a``, ``leaf_b``: indices of the leaves that hold it.

    Where the cut is its own the leaf begins there (but for overlap); in the other tree the cut would fall inside.
    """

    position: int
    agreement: Agreement
    leaf_a: int
    leaf_b: int


@dataclass(frozen=True, slots=True)
class ComparedGold:
    """A gold span in two trees. ``leaves_*``: how many leaves hold a character of it; 0 where none does.

    ``whole_*``: whether one leaf holds all of it. With overlap a span can be whole and lie in two leaves.
    """

    span: Span
    leaves_a: int
    leaves_b: int
    whole_a: bool
    whole_b: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ``compare`` finds. ``cuts`` and ``gold`` are in text order.

    ``jaccard``: cuts agreed among all cuts, in [0, 1], 1.0 where neither has any. ``window_difference``: WindowDiff of
    B against A, in [0, 1], 0.0 where they are alike; unlike Jaccard it forgives a cut that is only a little off.
    """

    cuts: tuple[ComparedCut, ...]
    gold: tuple[ComparedGold, ...]
    sizes_a: Sizes
    sizes_b: Sizes
    jaccard: float
    window_difference: float

    def of(self, agreement: Agreement) -> tuple[ComparedCut, ...]:
        """The cuts that are agreed, removed or added, in text order."""
        return tuple(cut for cut in self.cuts if cut.agreement is agreement)

    @property
    def severed_a(self) -> tuple[Span, ...]:
        """Gold spans that no single leaf of A holds."""
        return tuple(gold.span for gold in self.gold if not gold.whole_a)

    @property
    def severed_b(self) -> tuple[Span, ...]:
        """Gold spans that no single leaf of B holds."""
        return tuple(gold.span for gold in self.gold if not gold.whole_b)


def compare(a: ChunkTree, b: ChunkTree, gold: Sequence[Span] = ()) -> Comparison:
    """Chunker A beside chunker B on the same text; raises ``SpanError`` when the texts differ.

    ``gold``: spans of the text that answer questions. Blanks at their ends do not count; a span of blanks alone is
    left out.
    """
    text = a.document.text
    if text != b.document.text:
        raise SpanError(
            "Cuts of two different texts cannot be compared.", "Read both trees from the same version of the document."
        )
    cuts_a, cuts_b = cuts(a), cuts(b)
    one, other = _Leaves(a.leaves), _Leaves(b.leaves)
    in_a, in_b = set(cuts_a), set(cuts_b)
    compared = []
    for position in sorted(in_a | in_b):
        agreement = Agreement.AGREED if position in in_a and position in in_b else Agreement.REMOVED
        if position not in in_a:
            agreement = Agreement.ADDED
        compared.append(ComparedCut(position, agreement, one.holding(position), other.holding(position)))
    spans = sorted(span for span in (trim(text, item.start, item.end) for item in gold) if span is not None)
    judged = tuple(
        ComparedGold(span, one.touched(span), other.touched(span), one.is_whole(span), other.is_whole(span))
        for span in spans
    )
    return Comparison(
        tuple(compared),
        judged,
        sizes(a),
        sizes(b),
        len(in_a & in_b) / len(in_a | in_b) if compared else 1.0,
        window_difference(cuts_a, cuts_b, len(text)),
    )


class _Leaves:
    """The leaves of one tree by position. They begin in text order; their ends need not."""

    def __init__(self, leaves: Sequence[Chunk]) -> None:
        self._leaves = leaves
        self._starts = [leaf.start for leaf in leaves]
        ends = np.array([leaf.end for leaf in leaves], dtype=np.int64)
        self._reach = np.maximum.accumulate(ends).tolist() if len(ends) else []

    def holding(self, position: int) -> int:
        return holder(self._leaves, self._starts, position)

    def touched(self, span: Span) -> int:
        """How many leaves share a character with the span."""
        last = bisect_right(self._starts, span.end - 1)
        first = bisect_right(self._reach, span.start)
        return sum(leaf.end > span.start for leaf in self._leaves[first:last])

    def is_whole(self, span: Span) -> bool:
        """Whether one leaf holds the whole span."""
        last = bisect_right(self._starts, span.start)
        return last > 0 and bool(self._reach[last - 1] >= span.end)


def window_difference(reference: Sequence[int], other: Sequence[int], length: int) -> float:
    """WindowDiff in code points: the share of windows in which the two have different numbers of cuts.

    The window is half of the reference's mean segment, at least 1 (Pevzner and Hearst, "A critique and improvement of
    an evaluation metric for text segmentation", Computational Linguistics 28, 2002). 0.0 for a text without windows.

    >>> window_difference([5], [5], 10), window_difference([5], [], 10)
    (0.0, 0.25)
    """
    window = max(1, length // (2 * (len(reference) + 1)))
    if length <= window:
        return 0.0
    counts = []
    for found in (reference, other):
        marks = np.zeros(length + 1, dtype=np.int32)
        marks[list(found)] = 1
        before = np.cumsum(marks)
        counts.append(before[window:length] - before[: length - window])
    return float(np.mean(counts[0] != counts[1]))
