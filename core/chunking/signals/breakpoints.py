"""Where a curve of similarities says that the subject changes: pure functions over numbers, no text.

A text of ``n`` sentences has ``n - 1`` gaps, and gap ``i`` lies between sentences ``i`` and ``i + 1``. The practice
comes from Kamradt, "5 Levels of Text Splitting" (2024), level 4; the names of the thresholds from LangChain's
``SemanticChunker`` (its page "How to split text based on semantic similarity"). Where ours part from them:

- the groups left and right of a gap share no sentence. Theirs slide one window over the text, so that with one
  neighbour each side two groups that are compared have two sentences of three in common, and every fall is blurred;
- a group is the mean of its sentences' vectors, so that the buffer can change without encoding anything again. Theirs
  encodes every group as a text of its own;
- gaps, not distances, are numbered, and nothing is cut where nothing differs.

Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024), found the percentile's usual 95 far
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
    """``(n - 1,)`` cosines in [-1, 1]: of what stands left of each gap with what stands right of it.

    ``vectors``: ``(n, d)``, of the sentences in order. ``buffer``: neighbours beside the sentence at the gap, on
    either side; left of gap ``i`` stand sentences ``i - buffer`` to ``i`` and right of it ``i + 1`` to
    ``i + 1 + buffer``, fewer at the ends of the text, and each side is the mean of its vectors. 0 compares the two
    sentences alone. A side whose mean is zero is like nothing: its cosine is 0.

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
    # The cosine of sums is that of means, so the number of sentences on a side never matters.
    products = np.einsum("ij,ij->i", before, after).astype(np.float64)
    lengths = np.einsum("ij,ij->i", before, before).astype(np.float64)
    lengths *= np.einsum("ij,ij->i", after, after)
    found = np.divide(products, np.sqrt(lengths), out=np.zeros(count - 1), where=lengths > 0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def breakpoints(similarities: Similarities, threshold: str, value: float) -> NDArray[np.int64]:
    """The gaps at which to cut, ascending: those whose similarity is below a bound.

    ``threshold``: how the bound is found from ``value``, the dissimilarity being 1 - similarity:

    - "absolute": it is ``value``;
    - "percentile": the dissimilarity is above the ``value``-th percentile of all (0 to 100, interpolated);
    - "zscore": ``(mean - similarity) / std`` is above ``value``, with the population's standard deviation;
    - "interquartile": the dissimilarity is above its mean plus ``value`` times its interquartile range. LangChain
      measures from the mean so; Tukey's fences ("Exploratory Data Analysis", 1977) from the upper quartile, which
      hardly ever cuts;
    - "gradient": the dissimilarity's gradient (central differences) is above the ``value``-th percentile of all: where
      it rises fastest, for texts whose sentences all resemble each other. The cut is at the top of that rise; LangChain
      cuts at the steepest point, which is a sentence or more too early.

    A larger ``value`` never adds a cut, but of "absolute", where it never takes one away. All but "absolute" are
    relative: where every gap is alike, or there are fewer than two, they cut nowhere. Raises ``SettingsError`` for a
    threshold of another name.

    >>> curve = np.array([0.8, 0.7, 0.2, 0.9, 0.6])
    >>> [breakpoints(curve, *way).tolist() for way in (("absolute", 0.65), ("percentile", 75), ("zscore", 1))]
    [[2, 4], [2], [2]]
    """
    curve = np.asarray(similarities, dtype=np.float64)
    bound = cutoff(curve, threshold, value)
    if threshold != "gradient" or bound == -np.inf:
        return np.flatnonzero(curve < bound)
    # A gap is a foot when the next one is no lower; every fall leads down to the first foot from there.
    feet = np.flatnonzero(np.append(curve[1:] >= curve[:-1], True))
    return np.unique(feet[np.searchsorted(feet, np.flatnonzero(np.gradient(curve) < bound))])


def lowest(gaps: NDArray[np.int64], similarities: Similarities, buffer: int) -> NDArray[np.int64]:
    """Those of ``gaps`` that no gap within ``buffer`` of them undercuts.

    A change of subject lowers the similarity at every gap whose groups reach over it, so that one seam would be cut
    up to ``2 * buffer + 1`` times, a sentence at a time. Whether a gap is the lowest does not depend on the threshold.

    >>> lowest(np.array([1, 2, 3]), np.array([0.9, 0.3, 0.1, 0.4, 0.8]), 1).tolist()
    [2]
    """
    if not buffer or not len(gaps):
        return gaps
    padded = np.pad(np.asarray(similarities, dtype=np.float64), buffer, constant_values=np.inf)
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * buffer + 1).min(axis=1)
    return np.asarray(gaps[similarities[gaps] <= around[gaps]])


def cutoff(similarities: Similarities, threshold: str, value: float) -> float:
    """The similarity below which ``breakpoints`` cuts, for a line across the curve and for reasons in words.

    Of "gradient", which looks at slopes and not at heights: the gradient of the similarity below which a fall counts.
    -inf where nothing can be cut.

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
