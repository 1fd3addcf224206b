"""Vectors as points of a map: at once by their principal components, by neighbourhoods when asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.errors import SettingsError
from core.types import Vectors

METHODS = ("pca", "tsne")  # the quickest first
MOST_PLACED = 2000  # t-SNE places so many points itself, and the rest among them
_MOST_MEASURED = 5000  # vectors that tell the directions of greatest variance; more of them change nothing one can see
_COMPONENTS = 50  # dimensions that t-SNE reads, as its authors advise: more are noise to it, and slow
_NEIGHBOURS = 5
_PERPLEXITY = 30.0
_STEPS = 500  # of t-SNE; half of them with exaggerated attraction, as is usual
_FEWEST = 8  # points below which neighbourhoods say nothing
_SEED = 0
_BATCH = 4096


def project(vectors: Vectors, method: str = "pca", most: int = MOST_PLACED) -> Vectors:
    """``(n, d)`` vectors as ``(n, 2)`` float32 points; the same vectors give the same points.

    ``method``: one of ``METHODS``, the first two principal components or t-SNE (van der Maaten and Hinton, "Visualizing
    data using t-SNE", 2008). That begins from the principal components, so that what is far apart there tends to stay
    so, and places at most ``most`` points, taken at even steps; every other point is put among its nearest neighbours
    of those. Fewer than 8 points are always placed by "pca".
    Raises ``SettingsError`` for a method that is not there.

    >>> project(np.array([[1, 0, 0], [0, 0, 0], [-1, 0, 0]], dtype=np.float32)).round(2).tolist()
    [[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]
    """
    if method not in METHODS:
        raise SettingsError(f"There is no projection {method!r}.", f"Choose one of {', '.join(METHODS)}.")
    if method == "pca" or len(vectors) < _FEWEST:
        return principal(vectors, 2)
    if len(vectors) <= most:
        return _tsne(vectors)
    chosen = np.linspace(0, len(vectors) - 1, max(_FEWEST, most)).astype(np.int64)
    points = np.zeros((len(vectors), 2), dtype=np.float32)
    points[chosen] = _tsne(vectors[chosen])
    rest = np.setdiff1d(np.arange(len(vectors)), chosen)
    points[rest] = _among(vectors[rest], vectors[chosen], points[chosen])
    return points


def principal(vectors: Vectors, components: int) -> Vectors:
    """``(n, components)`` float32: coordinates along the directions of greatest variance, the greatest first.

    Each direction points to where its largest weight is positive, or it could turn from one run to the next.
    Directions that do not exist, of few or equal vectors, are 0. Of more than 5,000 vectors, so many taken at even
    steps decide the directions.
    """
    count = len(vectors)
    points = np.zeros((count, components), dtype=np.float32)
    if count < 2:
        return points
    middle = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    steps = np.linspace(0, count - 1, min(count, _MOST_MEASURED)).astype(np.int64)
    sample = vectors[steps] - middle
    variances, directions = np.linalg.eigh((sample.T @ sample).astype(np.float64))
    kept = min(components, len(variances), count - 1)
    axes = directions[:, ::-1][:, :kept]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(kept)] < 0, -1.0, 1.0)
    axes[:, variances[::-1][:kept] <= 1e-12 * max(1.0, float(variances[-1]))] = 0.0
    points[:, :kept] = (vectors - middle) @ axes.astype(np.float32)
    return points


def _start(points: Vectors) -> Vectors:
    """The principal components as a first layout, as small as t-SNE wants it (Kobak and Berens, 2019)."""
    layout = points[:, :2]
    spread = float(layout[:, 0].std())
    return (layout / spread * 1e-4).astype(np.float32) if spread > 0 else layout


def _tsne(vectors: Vectors) -> Vectors:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    reduced = principal(vectors, _COMPONENTS)
    perplexity = min(_PERPLEXITY, (len(vectors) - 1) / 3)
    model: Any = TSNE(
        n_components=2,
        init=_start(reduced),
        perplexity=perplexity,
        learning_rate="auto",
        max_iter=_STEPS,
        random_state=_SEED,
    )
    with threadpool_limits(1):  # threads that wait for each other by spinning are slower than one where others work
        points: Vectors = np.asarray(model.fit_transform(reduced), dtype=np.float32)
    return points


def _among(vectors: Vectors, known: Vectors, places: Vectors) -> Vectors:
    """Each vector at the mean place of its nearest known ones, the nearer weighing more."""
    found = np.zeros((len(vectors), 2), dtype=np.float32)
    count = min(_NEIGHBOURS, len(known))
    for first in range(0, len(vectors), _BATCH):
        cosines = vectors[first : first + _BATCH] @ known.T
        nearest = np.argpartition(cosines, -count, axis=1)[:, -count:]
        weights = np.take_along_axis(cosines, nearest, axis=1)
        weights = np.exp(20.0 * (weights - weights.max(axis=1, keepdims=True)))
        weights /= weights.sum(axis=1, keepdims=True)
        found[first : first + _BATCH] = np.einsum("ij,ijk->ik", weights, places[nearest])
    return found
