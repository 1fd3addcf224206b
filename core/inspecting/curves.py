"""The similarity curve: how alike the text is on the two sides of every gap between sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.chunking.chunkers.semantic import threshold_value
from core.chunking.signals.breakpoints import cutoff, similarities
from core.inspecting.boundaries import cuts
from core.settings import ChunkingSettings
from core.types import ChunkTree, Span, Vectors

MOST_POINTS = 3000


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Gap ``i`` lies between sentence ``i`` and the next.

    ``positions``: ``(n,)`` int64, where the sentence behind each gap begins, ascending. ``values``: ``(n,)`` float64,
    cosines. ``threshold``: the similarity below which the chunker cuts; ``None`` where it cuts by something else, and
    where it cuts nowhere. ``is_cut``: ``(n,)`` bool, whether the tree is cut in the gap.
    """

    positions: NDArray[np.int64]
    values: NDArray[np.float64]
    threshold: float | None
    is_cut: NDArray[np.bool_]

    @property
    def cuts(self) -> NDArray[np.int64]:
        """The gaps at which the tree is cut, ascending: markers on the curve."""
        return np.flatnonzero(self.is_cut)

    def nearest(self, position: int) -> int:
        """The gap nearest to a place in the text, for a jump from there to the curve; -1 without a gap.

        >>> line = Curve(np.array([10, 20]), np.array([0.5, 0.1]), None, np.array([False, True]))
        >>> line.nearest(0), line.nearest(16)
        (0, 1)
        """
        if not len(self.positions):
            return -1
        behind = min(bisect_left(self.positions, position), len(self.positions) - 1)
        ahead = max(0, behind - 1)
        nearer = abs(int(self.positions[ahead]) - position) <= abs(int(self.positions[behind]) - position)
        return ahead if nearer else behind


def curve(sentences: Sequence[Span], vectors: Vectors, settings: ChunkingSettings, tree: ChunkTree) -> Curve:
    """The curve of a text as ``semantic`` sees it with these dials, and where the tree, cut by any chunker, is cut.

    ``vectors``: ``(len(sentences), d)``, of the sentences in order; raises ``ValueError`` where the numbers differ.
    Each side of a gap is the mean of ``semantic_buffer`` + 1 sentences.
    """
    if len(sentences) != len(vectors):
        raise ValueError(f"{len(sentences)} sentences have {len(vectors)} vectors; they must be as many.")
    values = similarities(vectors, settings.semantic_buffer)
    positions = np.array([span.start for span in sentences[1:]], dtype=np.int64)
    cut_in = np.zeros(len(positions), dtype=np.bool_)
    if len(positions):
        places = np.array(cuts(tree), dtype=np.int64)
        at = np.minimum(np.searchsorted(positions, places), len(positions) - 1)
        cut_in[at[positions[at] == places]] = True
    return Curve(positions, values, _threshold(values, settings), cut_in)


def _threshold(values: NDArray[np.float64], settings: ChunkingSettings) -> float | None:
    """Only ``semantic`` cuts below a height; with "gradient" it cuts by slope, which is no line across this plot."""
    if settings.chunker != "semantic" or settings.semantic_threshold == "gradient":
        return None
    found = cutoff(values, settings.semantic_threshold, threshold_value(settings))
    return found if np.isfinite(found) else None


def thinned(values: NDArray[np.float64], most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Which points to draw, ascending: all up to ``most``, else the lowest and the highest of even buckets.

    No fall is lost, however narrow: the first and the last point and every bucket's extremes stay. ``most`` is at
    least 4.

    >>> thinned(np.array([0.5, 0.6, 0.1, 0.6, 0.5, 0.7, 0.5, 0.5]), most=6).tolist()
    [0, 1, 2, 4, 5, 7]
    """
    count = len(values)
    if count <= max(4, most):
        return np.arange(count, dtype=np.int64)
    edges = np.linspace(0, count, (max(4, most) - 2) // 2 + 1).astype(np.int64)
    kept = {0, count - 1}
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        piece = values[first:last]
        kept.update((first + int(piece.argmin()), first + int(piece.argmax())))
    return np.array(sorted(kept), dtype=np.int64)
