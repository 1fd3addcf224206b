"""Where a context ends: the probability that gold is still to come, at each place of what was found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from core.search.expansion.relevance import USUAL
from core.search.ranking.stage_scores import Ranking

Values = NDArray[np.float64]

_FAR_DOWN = 10  # the leaf whose score the best one's is compared with
_SURE = 1e-6  # a probability is never taken for nearer to 0 or 1: its log-odds would outweigh everything


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a context ends though there is room, or would at the usual dial where the room is filled.

    ``rank``: of the hit that is first left out, 0 for one that was not ranked. ``probability``: that gold was still to
    come there. ``sentence``: why it ends, for people.
    """

    rank: int
    probability: float
    sentence: str


@dataclass(frozen=True, slots=True)
class EndingFeatures:
    """What tells whether gold is still to come when a child is next; log-odds for each where they are weights.

    ``rank``: ln of the child's place, 0 for the first. ``gap``: how far its score lies below the best child's, and
    ``best``: how far the best lies above what the best of as many unrelated leaves would reach
    (``core.search.expansion.relevance.confidences``), both in standard deviations. ``lead``: how far the best cosine
    leads the tenth; ``word_lead``: the same of BM25, as a share of the best. ``words``: the share of the question's
    words around the child; ``most_words``: around the child that has most. ``beside``: 1 where it stands in the
    document of the first. ``reread``: 1 where a calibrated re-ranker read, and then ``likely``: by how much the
    log-odds of the likeliest passage from here on pass the usual.
    """

    rank: float = 0.0
    gap: float = 0.0
    best: float = 0.0
    lead: float = 0.0
    word_lead: float = 0.0
    words: float = 0.0
    most_words: float = 0.0
    beside: float = 0.0
    reread: float = 0.0
    likely: float = 0.0


# Logistic regression by ``benchmarks/ending_weights.py``, ``reread`` and ``likely`` by an earlier run; what it is worth
# stands in docs/retrieval.md.
WEIGHTS = EndingFeatures(
    rank=-0.39,
    gap=-0.32,
    best=0.10,
    lead=0.97,
    word_lead=-0.48,
    words=0.58,
    most_words=0.46,
    beside=0.21,
    reread=0.05,
    likely=0.53,
)
BIAS = -1.18

# Below it the library hardly answers at all: then the best children alone are read, up to so much room.
UNSURE = 0.38
LITTLE = {"tokens": 300, "characters": 1200}
# Of fewer leaves, as a narrow condition leaves them, scores do not tell what is likely.
LEAST = 50


def signs(ranking: Ranking, children: Sequence[int]) -> Values:
    """``(children, features)``: a row of ``EndingFeatures`` for each child, by indices of leaves, the first read first.

    A child's place is counted over different children. What no stage scored counts as the worst that one did.
    """
    if not len(children):
        return np.zeros((0, len(astuple(WEIGHTS))))
    order: dict[int, int] = {}
    places = [order.setdefault(child, len(order) + 1) for child in children]
    at = np.minimum(np.searchsorted(ranking.pool, children), len(ranking.pool) - 1)
    there = ranking.pool[at] == np.asarray(children)

    def of(stage: str, least: float) -> Values:
        column = ranking.scores.get(stage)
        values = column[at] if column is not None else np.full(len(at), np.nan)
        return np.where(there & ~np.isnan(values), values, least)

    known = ranking.spread
    spread = max(known.deviation, 1e-12) if known.count else 1.0
    scores = of("neighbours", known.least)
    top = float(np.nanmax(ranking.broad[ranking.kept])) if len(ranking.kept) and known.count else float(scores.max())
    average = known.mean
    around = of("coverage", 0.0)
    documents = ranking.leaves.documents[np.asarray(children)]
    likely = _likely(ranking, at, there)
    count = len(children)
    return np.stack(
        [
            np.log(places),
            (top - scores) / spread,
            np.full(count, (top - average) / spread - math.sqrt(2 * math.log(max(known.count, 1)))),
            np.full(count, _lead(ranking.scores.get("dense"))[0]),
            np.full(count, _lead(ranking.scores.get("lexical"))[1]),
            around,
            np.full(count, around.max()),
            documents == documents[0],
            np.full(count, float(likely is not None)),
            np.zeros(count) if likely is None else likely,
        ],
        axis=1,
    ).astype(np.float64)


def _lead(column: Values | None) -> tuple[float, float]:
    """How far the best score leads the tenth: as it is, and as a share of the best."""
    known = column[~np.isnan(column)] if column is not None else np.zeros(0)
    if not len(known):
        return 0.0, 0.0
    if len(known) > _FAR_DOWN:
        known = np.partition(known, -_FAR_DOWN)[-_FAR_DOWN:]
    known = np.sort(known)[::-1]
    lead = float(known[0] - known[-1])
    return lead, lead / float(known[0]) if known[0] > 0 else 0.0


def _likely(ranking: Ranking, at: NDArray[np.int64], there: NDArray[np.bool_]) -> Values | None:
    """Log-odds over the usual of the likeliest child from each place on; ``None`` where none was read."""
    if ranking.probabilities is None:
        return None
    values = np.where(there, ranking.probabilities[at], np.nan)
    read = np.clip(np.where(np.isnan(values), _SURE, values), _SURE, 1 - _SURE)
    best = np.maximum.accumulate(read[::-1])[::-1]
    return np.asarray(np.log(best / (1 - best)) - math.log(USUAL / (1 - USUAL)))


def outlook(ranking: Ranking, children: Sequence[int]) -> list[float]:
    """The probability at each child, the first to be read first, that gold is still to come; 1 where too few leaves
    were searched for one to stand out, or none by meaning.
    """
    dense = ranking.scores.get("dense")
    if len(ranking.pool) < LEAST or dense is None or np.isnan(dense).all():
        return [1.0] * len(children)
    return [float(chance) for chance in further(signs(ranking, children))]


def further(found: Values) -> Values:
    """The probability at each place, from its row of ``signs``, that gold is still to come.

    >>> further(np.zeros((1, 10))).shape
    (1,)
    """
    log_odds = np.clip(found @ np.array(astuple(WEIGHTS)) + BIAS, -50, 50)  # no probability is told apart further out
    return np.asarray(1 / (1 + np.exp(-log_odds)))
