"""What vectors show of a text: how alike it is on both sides of every gap between sentences, and a map."""

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


def project(vectors: Vectors) -> Vectors:
    """``(n, d)`` vectors as ``(n, 2)`` float32 points: coordinates along the two directions of greatest variance.

    The same vectors give the same points. A direction that does not exist, of one vector or of one dimension, is 0.

    >>> project(np.array([[1, 0, 0], [0, 0, 0], [-1, 0, 0]], dtype=np.float32)).round(2).tolist()
    [[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]
    """
    from sklearn.decomposition import PCA

    points = np.zeros((len(vectors), 2), dtype=np.float32)
    if len(vectors) > 1:
        with np.errstate(invalid="ignore"):  # of equal vectors no direction has any variance
            found = PCA(min(2, *vectors.shape), svd_solver="covariance_eigh").fit_transform(vectors)
        points[:, : found.shape[1]] = found
    return points
