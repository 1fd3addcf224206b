"""The similarity curve: how alike the text is on the two sides of every gap between sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.chunking.chunkers.semantic import threshold_value
from core.chunking.signals.breakpoints import cutoff, similarities
from core.inspecting.boundaries import cuts
from core.settings import ChunkingSettings
from core.types import ChunkTree, Span, Vectors


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
