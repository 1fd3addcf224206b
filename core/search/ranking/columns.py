"""An order as a column of scores: what a stage that decides an order hands to the stages behind it.

Which columns there are, the stages say: ``Ranking.scores`` in ``ranking.py``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.fusion import Scores


def strictly_descending(values: Scores) -> Scores:
    """The values, each lowered to just below the one before it where it is not below it already.

    Where a stage takes leaves one after another, ties between them are settled; a score that equals another would
    open them again. The change is the smallest a float64 can show.

    >>> strictly_descending(np.array([3.0, 3.0, 1.0])).round(9).tolist()
    [3.0, 3.0, 1.0]
    >>> bool((np.diff(strictly_descending(np.array([3.0, 3.0, 5.0]))) < 0).all())
    True
    """
    lowered = values.astype(np.float64)
    for at in range(1, len(lowered)):
        if not lowered[at] < lowered[at - 1]:
            lowered[at] = np.nextafter(lowered[at - 1], -np.inf)
    return lowered


def column(order: NDArray[np.int64], values: Scores, behind: NDArray[np.int64], scores: Scores) -> Scores:
    """``(n,)`` float64 that falls along ``order``, then along ``behind``; ``nan`` for entries in neither.

    ``values``: what the stage thinks of the entries in ``order``, best first, aligned with it. ``behind``: entries it
    did not look at. ``scores``: ``(n,)``, the column before, whose distances carry on among them.

    >>> column(np.array([2, 0]), np.array([0.9, 0.5]), np.array([1, 3]), np.array([9.0, 8.0, 7.0, 6.5])).tolist()
    [0.5, 0.49999999999999994, 0.9, -1.0]
    """
    result = np.full(len(scores), np.nan)
    every = np.concatenate([order, behind]).astype(np.int64)
    followed = scores[behind].astype(np.float64)
    if len(behind) and len(order):
        followed = followed - followed[0] + values[-1]
    result[every] = strictly_descending(np.concatenate([values, followed]))
    return result
