"""What one more passage is worth to a reader who has read the better ones."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from core.retrieval import Ranking


def worths(relevances: Sequence[float], floor: float) -> list[float]:
    """How far each relevance stands above ``floor``, as a share of how far the best does: from 1 down to 0.

    ``floor``: the relevance of a text that was taken blindly. A share needs no unit, so that scores of any stage will
    do. Where none stands above the floor, relevance tells nothing, and all are worth 1.

    >>> worths([4.0, 3.0, -1.0], 0.0)
    [1.0, 0.75, 0.0]
    """
    best = max(relevances, default=floor)
    if not best > floor:
        return [1.0] * len(relevances)
    return [max(0.0, (relevance - floor) / (best - floor)) for relevance in relevances]


def gain(worth: float, words: AbstractSet[str], read: AbstractSet[str]) -> float:
    """The marginal gain of a passage, in [0, 1]: its worth times the share of its analysed words no better one holds.

    So the first passage gains 1, and one that says nothing new, or is no more relevant than any text of the library,
    gains 0: the idea of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998), as a threshold.

    >>> gain(0.5, {"mill", "wheat"}, read={"mill"})
    0.25
    """
    return worth * len(words - read) / len(words) if words else 0.0


def floor_of(ranking: Ranking) -> float:
    """The mean score of all that was ranked: the relevance of a text that was taken blindly. 0 where nothing was."""
    scores = ranking.final[~np.isnan(ranking.final)]
    return float(scores.mean()) if len(scores) else 0.0
