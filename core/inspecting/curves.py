"""What vectors show of a text: the similarity on both sides of each gap between sentences, and a 2-D map."""

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
    """The similarity across each gap between sentences; gap ``i`` follows sentence ``i``.

    ``positions``: ``(n,)`` int64, start of the sentence after each gap, ascending. ``values``: ``(n,)`` float64,
    cosine similarities. ``threshold``: the similarity below which the chunker cuts; ``None`` for a chunker without
    one, or where it cuts nowhere. ``is_cut``: ``(n,)`` bool, whether the tree has a cut in the gap.
    """

    positions: NDArray[np.int64]
    values: NDArray[np.float64]
    threshold: float | None
    is_cut: NDArray[np.bool_]

    @property
    def cuts(self) -> NDArray[np.int64]:
        """The indices of the gaps at which the tree is cut, ascending."""
        return np.flatnonzero(self.is_cut)


def curve(sentences: Sequence[Span], vectors: Vectors, settings: ChunkingSettings, tree: ChunkTree) -> Curve:
    """The curve that the ``semantic`` chunker computes with these settings, with the cuts of ``tree`` by any chunker.

    ``vectors``: ``(len(sentences), d)``, one for each sentence; raises ``ValueError`` where the numbers differ. Each
    side of a gap is the mean of ``semantic_buffer`` + 1 sentences.
    """
    if len(sentences) != len(vectors):
        raise ValueError(f"{len(sentences)} sentences have {len(vectors)} vectors; they must be as many.")
    values = similarities(vectors, settings.semantic_buffer)
    positions = np.array([span.start for span in sentences[1:]], dtype=np.int64)
    is_cut = np.zeros(len(positions), dtype=np.bool_)
    if len(positions):
        tree_cuts = np.array(cuts(tree), dtype=np.int64)
        gaps = np.minimum(np.searchsorted(positions, tree_cuts), len(positions) - 1)
        is_cut[gaps[positions[gaps] == tree_cuts]] = True
    return Curve(positions, values, _threshold(values, settings), is_cut)


def _threshold(values: NDArray[np.float64], settings: ChunkingSettings) -> float | None:
    """The threshold of ``semantic``; ``None`` for other chunkers, and for "gradient", which cuts by slope."""
    if settings.chunker != "semantic" or settings.semantic_threshold == "gradient":
        return None
    threshold = cutoff(values, settings.semantic_threshold, threshold_value(settings))
    return threshold if np.isfinite(threshold) else None


def project(vectors: Vectors) -> Vectors:
    """The first two principal components of ``(n, d)`` vectors, as ``(n, 2)`` float32 points. Deterministic.

    Components that do not exist, for one vector or one dimension, are 0.

    >>> project(np.array([[1, 0, 0], [0, 0, 0], [-1, 0, 0]], dtype=np.float32)).round(2).tolist()
    [[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]
    """
    from sklearn.decomposition import PCA

    points = np.zeros((len(vectors), 2), dtype=np.float32)
    if len(vectors) > 1:
        with np.errstate(invalid="ignore"):  # equal vectors have no variance
            components = PCA(min(2, *vectors.shape), svd_solver="covariance_eigh").fit_transform(vectors)
        points[:, : components.shape[1]] = components
    return points
