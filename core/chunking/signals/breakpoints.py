"""Semantic breakpoints: finds topic changes in a curve of sentence similarities. Pure functions over numbers, no text.

A text of ``n`` sentences has ``n - 1`` gaps; gap ``i`` is between sentences ``i`` and ``i + 1``. The method is from
Kamradt, "5 Levels of Text Splitting" (2024), level 4, the names of the thresholds from LangChain's ``SemanticChunker``
(its page "How to split text based on semantic similarity"). Differences from them:

- The windows left and right of a gap share no sentence. Theirs slide one window over the text: with one neighbour on
  each side, two compared windows share two sentences of three, which blurs every fall.
- A window is the mean of its sentence vectors, so ``buffer`` can change without encoding again. Theirs encodes every
  window as a text of its own.
- Where all similarities are equal, nothing is cut.

Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024), found the usual 95th percentile far
too high for short chunks; hence a lower default in the settings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingsError
from core.settings import THRESHOLDS
from core.types import Vectors

Similarities = NDArray[np.float64]


def similarities(vectors: Vectors, buffer: int) -> Similarities:
    """``(n - 1,)`` cosines in [-1, 1] between the windows left and right of each gap.

    ``vectors``: ``(n, d)``, of the sentences in order. A window is the mean of its vectors. The left window of gap
    ``i`` has sentences ``i - buffer`` to ``i``, the right one ``i + 1`` to ``i + 1 + buffer``, fewer at the ends of
    the text. ``buffer`` 0 compares the two sentences at the gap. A window with a zero mean gives 0.

    >>> similarities(np.eye(2, dtype=np.float32)[[0, 0, 1]], 0).round(2).tolist()
    [1.0, 0.0]
    >>> similarities(np.eye(2, dtype=np.float32)[[0, 0, 1]], 1).round(2).tolist()
    [0.71, 0.0]
    """
    count = len(vectors)
    if count < 2:
        return np.zeros(0)
    before, after = vectors[:-1], vectors[1:]
    if buffer > 0:
        before, after = before.copy(), after.copy()
    for step in range(1, min(buffer, count - 2) + 1):
        before[step:] += vectors[: -1 - step]
        after[:-step] += vectors[1 + step :]
    # Sums have the same cosine as means, so windows are never divided by their sizes.
    products = np.einsum("ij,ij->i", before, after).astype(np.float64)
    squared_norms = np.einsum("ij,ij->i", before, before).astype(np.float64)
    squared_norms *= np.einsum("ij,ij->i", after, after)
    cosines = np.divide(products, np.sqrt(squared_norms), out=np.zeros(count - 1), where=squared_norms > 0)
    return np.asarray(np.clip(cosines, -1.0, 1.0))


def breakpoints(similarities: Similarities, threshold: str, value: float) -> NDArray[np.int64]:
    """The gaps at which to cut, ascending: those whose similarity is below a bound.

    ``threshold`` says how ``value`` gives the bound (dissimilarity is 1 - similarity):

    - "absolute": the similarity is below ``value``.
    - "percentile": the dissimilarity is above the ``value``-th percentile of all (0 to 100, interpolated).
    - "zscore": ``(mean - similarity) / std`` is above ``value``, with the population standard deviation.
    - "interquartile": the dissimilarity is above its mean plus ``value`` times its interquartile range. This is
      LangChain's rule; Tukey's fences ("Exploratory Data Analysis", 1977) start from the upper quartile, which hardly
      ever cuts.
    - "gradient": the gradient of the dissimilarity (central differences) is above the ``value``-th percentile of all.
      For texts whose sentences are all similar. The cut is at the end of that rise; LangChain cuts at the steepest
      point, which is a sentence or more too early.

    A larger ``value`` means fewer cuts or as many; for "absolute" more or as many. All but "absolute" are relative:
    with fewer than two gaps, or all gaps equal, they cut nowhere. Raises ``SettingsError`` for an unknown threshold.

    >>> curve = np.array([0.8, 0.7, 0.2, 0.9, 0.6])
    >>> [breakpoints(curve, *rule).tolist() for rule in (("absolute", 0.65), ("percentile", 75), ("zscore", 1))]
    [[2, 4], [2], [2]]
    """
    curve = np.asarray(similarities, dtype=np.float64)
    bound = cutoff(curve, threshold, value)
    if threshold != "gradient" or bound == -np.inf:
        return np.flatnonzero(curve < bound)
    # A fall ends at the first gap from there whose successor is not lower.
    fall_ends = np.flatnonzero(np.append(curve[1:] >= curve[:-1], True))
    return np.unique(fall_ends[np.searchsorted(fall_ends, np.flatnonzero(np.gradient(curve) < bound))])


def lowest(gaps: NDArray[np.int64], similarities: Similarities, buffer: int) -> NDArray[np.int64]:
    """Those of ``gaps`` with the lowest similarity of all gaps within ``buffer`` of them.

    A change of topic lowers the similarity at every gap whose windows reach over it, so one change would be cut up to
    ``2 * buffer + 1`` times.

    >>> lowest(np.array([1, 2, 3]), np.array([0.9, 0.3, 0.1, 0.4, 0.8]), 1).tolist()
    [2]
    """
    if not buffer or not len(gaps):
        return gaps
    padded = np.pad(np.asarray(similarities, dtype=np.float64), buffer, constant_values=np.inf)
    local_minimum = np.lib.stride_tricks.sliding_window_view(padded, 2 * buffer + 1).min(axis=1)
    return np.asarray(gaps[similarities[gaps] <= local_minimum[gaps]])


def cutoff(similarities: Similarities, threshold: str, value: float) -> float:
    """The similarity below which ``breakpoints`` cuts; for "gradient", the slope of the similarity below which it does.

    -inf where nothing can be cut. Used for charts and reasons too.

    >>> cutoff(np.array([0.2, 0.4, 0.9]), "percentile", 50), cutoff(np.zeros(0), "zscore", 1)
    (0.4, -inf)
    """
    if threshold not in THRESHOLDS:
        raise SettingsError(f"There is no threshold {threshold!r}.", f"Choose one of {', '.join(THRESHOLDS)}.")
    if threshold == "absolute":
        return float(value)
    curve = np.asarray(similarities, dtype=np.float64)
    if len(curve) < 2 or np.ptp(curve) == 0.0:
        return -np.inf
    if threshold == "percentile":
        return float(np.percentile(curve, 100.0 - value))
    if threshold == "zscore":
        return float(curve.mean() - value * curve.std())
    if threshold == "interquartile":
        lower, upper = np.percentile(curve, (25, 75))
        return float(curve.mean() - value * (upper - lower))
    return float(np.percentile(np.gradient(curve), 100.0 - value))
