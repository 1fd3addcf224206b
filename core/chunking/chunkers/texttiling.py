"""Cuts where the words change: lexical cohesion and its valleys, without a model.

Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages", Computational Linguistics 23 (1997),
by block comparison: the words of some sentences before a gap against those of as many after it, the curve smoothed,
every valley measured by its depth, and the deeper ones taken. Where ours parts from the paper:

- its "token-sequences" of 20 words are whole sentences here, so a cut never has to be moved to where one ends;
- words are the library's own analysed tokens: stemmed, without function words;
- only the bottom of a valley can be cut, which makes its rule against cuts that lie too close needless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.prose import large_enough, ranks, sentence_plan
from core.text.analysis import analyse


def cohesion(sentences: Sequence[Sequence[str]], window: int) -> NDArray[np.float64]:
    """``(n - 1,)`` cosines in [0, 1] between the word counts of the ``window`` sentences on either side of each gap.

    Fewer at the ends of the text. A side without words is like nothing: 0.

    >>> cohesion([["cat"], ["cat", "dog"], ["tax"]], 2).round(2).tolist()
    [0.58, 0.0]
    """
    found = []
    for gap in range(1, len(sentences)):
        left = Counter(chain.from_iterable(sentences[max(0, gap - window) : gap]))
        right = Counter(chain.from_iterable(sentences[gap : gap + window]))
        product = sum(left[word] * right[word] for word in left.keys() & right.keys())
        norms = (sum(count * count for count in side.values()) for side in (left, right))
        found.append(product / prod(norms) ** 0.5 if product else 0.0)
    return np.array(found)


def smoothed(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every value the mean of itself and its neighbours, of which the ends have one.

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
    """The lowest gap of every valley, ascending, and how deep it is: the climb to the peak on its left plus its right.

    A peak is where the curve first falls again. The middle of a flat bottom stands for it; a flat curve has no valley.

    >>> [found.round(2).tolist() for found in valleys(np.array([0.9, 0.2, 0.2, 0.2, 0.5, 0.4]))]
    [[2, 5], [1.0, 0.1]]
    """
    if not len(curve):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    starts = np.concatenate(([0], np.flatnonzero(curve[1:] != curve[:-1]) + 1))  # of runs of equal values
    stops = np.concatenate((starts[1:], [len(curve)]))
    heights = curve[starts]
    falls = np.concatenate(([True], heights[1:] < heights[:-1]))  # into this run; both ends of the text are open
    rises = np.concatenate((heights[1:] > heights[:-1], [True]))  # out of this run
    bottoms = np.flatnonzero(falls & rises)
    if len(heights) < 2 or not len(bottoms):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    # Between two bottoms lies one peak; outside the outer two, the curve only climbs to its ends.
    peaks = np.maximum.reduceat(heights, np.concatenate(([0], bottoms)))
    depths = peaks[:-1] + peaks[1:] - 2 * heights[bottoms]
    return (starts[bottoms] + stops[bottoms] - 1) // 2, depths


def deep_valleys(gaps: NDArray[np.int64], depths: NDArray[np.float64], depth: float) -> NDArray[np.int64]:
    """Of ``valleys``, the gaps at which to cut: those at least as deep as the mean plus ``depth`` standard deviations.

    The paper's own bounds are the mean less a half (its stricter one) or a whole deviation of the depths at all gaps,
    most of which are no valley and shallow. A larger ``depth`` never adds a cut.

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
    gaps, climbs = valleys(curve)
    depths = dict(zip(gaps.tolist(), climbs.tolist(), strict=True))
    likeness = ranks(curve)
    cuts = large_enough(context, (deep_valleys(gaps, climbs, settings.tiling_depth) + 1).tolist(), likeness)
    why = "the words change: a valley {:.2f} deep in their overlap, which falls to {:.2f}"
    heights = curve.tolist()
    return sentence_plan(context, {cut: why.format(depths[cut - 1], heights[cut - 1]) for cut in cuts}, likeness)
