"""Vectors as points of a map, by their principal components."""

from __future__ import annotations

import numpy as np

from core.types import Vectors


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
