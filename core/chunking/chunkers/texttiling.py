"""TextTiling: cuts where the vocabulary changes, at the valleys of lexical cohesion; needs no model.

Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages", Computational Linguistics 23 (1997), by
block comparison: compare the words of the sentences before and after each gap, smooth the curve, and cut at the deeper
valleys. Differences from the paper:

- Whole sentences in place of its "token-sequences" of 20 words, so a cut never has to be moved to a sentence's end.
- Words are the library's analysed tokens: stemmed, without function words.
- Only the bottom of a valley can be cut, so no rule against cuts that are too close is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.prose import apply_min_tokens, ranks, sentence_plan
from core.text.analysis import analyse


def cohesion(sentences: Sequence[Sequence[str]], window: int) -> NDArray[np.float64]:
    """``(n - 1,)`` cosines in [0, 1] between the word counts of the ``window`` sentences on either side of each gap.

    Windows are shorter at the ends of the text. A side without words gives 0.

    >>> cohesion([["cat"], ["cat", "dog"], ["tax"]], 2).round(2).tolist()
    [0.58, 0.0]
    """
    cosines = []
    for gap in range(1, len(sentences)):
        left = Counter(chain.from_iterable(sentences[max(0, gap - window) : gap]))
        right = Counter(chain.from_iterable(sentences[gap : gap + window]))
        product = sum(left[word] * right[word] for word in left.keys() & right.keys())
        squared_norms = (sum(count * count for count in side.values()) for side in (left, right))
        cosines.append(product / prod(squared_norms) ** 0.5 if product else 0.0)
    return np.array(cosines)


def smoothed(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """The moving average over each value and its two neighbours (one neighbour at the ends).

    >>> smoothed(np.array([0.0, 3.0, 0.0, 0.0])).tolist()
    [1.5, 1.0, 1.0, 0.0]
    """
    if len(curve) < 2:
        return curve
    sums = curve.copy()
    sums[1:] += curve[:-1]
    sums[:-1] += curve[1:]
    means = sums / 3.0
    means[0], means[-1] = sums[0] / 2.0, sums[-1] / 2.0
    return np.asarray(means)


def valleys(curve: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The lowest gap of every valley, ascending, and its depth: the climb to the left peak plus that to the right one.

    Of a flat bottom the middle is taken; a flat curve has no valley.

    >>> [values.round(2).tolist() for values in valleys(np.array([0.9, 0.2, 0.2, 0.2, 0.5, 0.4]))]
    [[2, 5], [1.0, 0.1]]
    """
    if not len(curve):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    starts = np.concatenate(([0], np.flatnonzero(curve[1:] != curve[:-1]) + 1))  # of runs of equal values
    stops = np.concatenate((starts[1:], [len(curve)]))
    heights = curve[starts]
    falls = np.concatenate(([True], heights[1:] < heights[:-1]))  # into the run; the first run counts as fallen into
    rises = np.concatenate((heights[1:] > heights[:-1], [True]))  # out of the run; the last one counts as risen from
    bottoms = np.flatnonzero(falls & rises)
    if len(heights) < 2 or not len(bottoms):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    # There is one peak between two bottoms, and one on each side of the outer two (the end of the curve).
    peaks = np.maximum.reduceat(heights, np.concatenate(([0], bottoms)))
    depths = peaks[:-1] + peaks[1:] - 2 * heights[bottoms]
    return (starts[bottoms] + stops[bottoms] - 1) // 2, depths


def deep_valleys(gaps: NDArray[np.int64], depths: NDArray[np.float64], depth: float) -> NDArray[np.int64]:
    """The gaps of ``valleys`` at which to cut: those at least as deep as the mean plus ``depth`` standard deviations.

    A larger ``depth`` never adds a cut. The paper's bounds are the mean minus one half (strict) or one standard
    deviation, of the depths at all gaps, most of which are shallow and no valley.

    >>> deep_valleys(*valleys(np.array([0.9, 0.1, 0.8, 0.7, 0.8])), 0.5).tolist()
    [1]
    """
    if not len(gaps):
        return gaps
    mean = depths.sum() / len(depths)
    deviation = sqrt(np.square(depths - mean).sum() / len(depths))
    return np.asarray(gaps[depths >= mean + depth * deviation - 1e-9])


def texttiling(context: ChunkingContext) -> Plan:
    """Leaves that begin at the deeper valleys of lexical cohesion."""
    settings, text = context.settings, context.document.text
    curve = smoothed(
        cohesion([analyse(text[span.start : span.end]) for span in context.sentences], settings.tiling_window)
    )
    gaps, depths = valleys(curve)
    depth_at = dict(zip(gaps.tolist(), depths.tolist(), strict=True))
    gap_ranks = ranks(curve)
    cuts = apply_min_tokens(context, (deep_valleys(gaps, depths, settings.tiling_depth) + 1).tolist(), gap_ranks)
    why = "the words change: a valley {:.2f} deep in their overlap, which falls to {:.2f}"
    heights = curve.tolist()
    return sentence_plan(context, {cut: why.format(depth_at[cut - 1], heights[cut - 1]) for cut in cuts}, gap_ranks)
