"""From leaves in order of relevance to leaves that do not repeat one another: pure functions of aligned arrays.

An entry is a leaf's place among those handed in, which stand best first: entry 0 is ranked 1st. A method gives an order
of entries and a value for each; the cap and the folding say which of them go no further, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.retrieval.columns import column
from core.retrieval.fusion import Scores
from core.settings.diversity import DiversitySettings
from core.text.ordinals import ordinal
from core.types import Vectors

Order = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Diversified:
    """``order``: the entries that go on, best first. ``scores``: ``(n,)`` float64, strictly falling along ``order``.

    ``dropped``: why, by entry; their score is ``nan``.
    """

    order: Order
    scores: Scores
    dropped: Mapping[int, str]


def diversify(
    scores: Scores,
    vectors: Vectors,
    sections: NDArray[np.int64],
    keepers: NDArray[np.int64],
    documents: Sequence[str],
    settings: DiversitySettings,
) -> Diversified:
    """Fold what is said twice, order the best by the method, then hold each section to its cap.

    All aligned, best first: ``scores`` ``(n,)``, falling; ``vectors`` ``(n, d)``, unit norm; ``sections`` ``(n,)``,
    the same number for leaves of one section, negative for a leaf that is of none; ``keepers`` ``(n,)``, as
    ``core.retrieval.folding.keepers`` gives them, read where ``fold_twins`` is on; ``documents``: names to say where a
    keeper stands.
    """
    dropped = fold(keepers, documents) if settings.fold_twins else {}
    left = np.array([entry for entry in range(len(scores)) if entry not in dropped], dtype=np.int64)
    best, behind = left[: settings.candidates], left[settings.candidates :]
    order, values = METHODS[settings.method](scores[best], vectors[best], sections[best], settings)
    order = best[order]
    crowded = over_cap(np.concatenate([order, behind]), sections, settings.per_section)
    free = np.array([entry not in crowded for entry in order], dtype=bool)
    order, values = order[free], values[free]
    behind = np.array([entry for entry in behind if entry not in crowded], dtype=np.int64)
    result = column(order, values, behind, scores)
    return Diversified(np.concatenate([order, behind]), result, {**dropped, **crowded})


def as_ranked(
    scores: Scores, vectors: Vectors, sections: NDArray[np.int64], settings: DiversitySettings
) -> tuple[Order, Scores]:
    """The order they came in."""
    return np.arange(len(scores), dtype=np.int64), scores


def by_relevance_and_novelty(
    scores: Scores, vectors: Vectors, sections: NDArray[np.int64], settings: DiversitySettings
) -> tuple[Order, Scores]:
    """Maximal marginal relevance with ``settings.relevance`` as its lambda."""
    return mmr(scores, vectors, settings.relevance)


def by_clusters(
    scores: Scores, vectors: Vectors, sections: NDArray[np.int64], settings: DiversitySettings
) -> tuple[Order, Scores]:
    """The best of every cluster before the second of any."""
    return in_turn(scores, clusters(vectors, settings.cluster_similarity))


def by_sections(
    scores: Scores, vectors: Vectors, sections: NDArray[np.int64], settings: DiversitySettings
) -> tuple[Order, Scores]:
    """The best of every section before the second of any."""
    return in_turn(scores, sections)


Method = Callable[[Scores, Vectors, NDArray[np.int64], DiversitySettings], tuple[Order, Scores]]
METHODS: dict[str, Method] = {
    "none": as_ranked,
    "mmr": by_relevance_and_novelty,
    "clusters": by_clusters,
    "sections": by_sections,
}


def mmr(scores: Scores, vectors: Vectors, relevance: float) -> tuple[Order, Scores]:
    """The entries in the order maximal marginal relevance takes them, and the value of each when it was taken.

    The next is the entry with the greatest ``relevance * score - (1 - relevance) * likeness``: its score scaled to
    [0, 1] over all entries, and its cosine, negative ones as 0, to the likest of those already taken. The values fall,
    since likeness only grows. Ties go to the earlier entry.

    Source: Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing
    Summaries", SIGIR 1998.

    >>> order, values = mmr(np.array([3.0, 2.0, 1.0]), np.float32([[1, 0], [1, 0], [0, 1]]), 0.5)
    >>> order.tolist(), values.tolist()
    ([0, 2, 1], [0.5, 0.0, -0.25])
    """
    count = len(scores)
    spread = float(np.ptp(scores)) if count else 0.0
    scaled = (scores - scores.min()) / spread if spread > 0 else np.ones(count)
    values = relevance * scaled  # of those not yet taken; those taken fall out as -inf
    penalties = (1 - relevance) * (vectors @ vectors.T).astype(np.float64)
    paid = np.zeros(count)  # which a negative cosine leaves at 0
    order, taken = np.zeros(count, dtype=np.int64), np.zeros(count)
    for place in range(count):
        current = values - paid
        entry = int(current.argmax())
        order[place], taken[place] = entry, current[entry]
        values[entry] = -np.inf
        np.maximum(paid, penalties[entry], out=paid)
    return order, taken


def clusters(vectors: Vectors, similarity: float) -> NDArray[np.int64]:
    """``(n,)`` int64: the number of each entry's cluster, from 0 in the order of their best entries.

    An entry, best first, joins the cluster whose best entry it is likest to, where their cosine is at least
    ``similarity``; else it begins one. So a cluster never depends on what is ranked below, and everything in it is
    like its best. The leader algorithm: Hartigan, "Clustering Algorithms" (1975), chapter 3.

    >>> clusters(np.float32([[1, 0], [0, 1], [0.8, 0.6]]), 0.7).tolist()
    [0, 1, 0]
    """
    cosines = vectors @ vectors.T
    leaders: list[int] = []
    found = np.zeros(len(vectors), dtype=np.int64)
    for entry in range(len(vectors)):
        near = cosines[entry, leaders]
        if len(leaders) and near.max() >= similarity:
            found[entry] = int(near.argmax())
        else:
            found[entry] = len(leaders)
            leaders.append(entry)
    return found


def in_turn(scores: Scores, groups: NDArray[np.int64]) -> tuple[Order, Scores]:
    """The best of every group, then the second of every group, and so on; each round in order of relevance.

    ``groups``: the same number for entries of one group, negative for an entry that is a group by itself. The value of
    an entry is its score scaled to [0, 1], less the number of its group's entries before it.

    >>> order, values = in_turn(np.array([5.0, 4.0, 3.0]), np.array([7, 7, 8]))
    >>> order.tolist(), values.tolist()
    ([0, 2, 1], [1.0, 0.0, -0.5])
    """
    spread = float(np.ptp(scores)) if len(scores) else 0.0
    scaled = (scores - scores.min()) / spread if spread > 0 else np.ones(len(scores))
    rounds = _earlier_of_group(groups)
    order = np.argsort(rounds, kind="stable").astype(np.int64)
    return order, scaled[order] - rounds[order]


def _earlier_of_group(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each entry, how many before it are of its group."""
    counts: dict[int, int] = {}
    earlier = np.zeros(len(groups), dtype=np.int64)
    for entry, group in enumerate(groups.tolist()):
        if group >= 0:
            earlier[entry] = counts.get(group, 0)
            counts[group] = int(earlier[entry]) + 1
    return earlier


def fold(keepers: NDArray[np.int64], documents: Sequence[str]) -> dict[int, str]:
    """Why an entry is folded, by entry: it names the rank and the document of its keeper.

    >>> fold(np.array([-1, -1, 1]), ["a.md", "api.md", "b.md"])
    {2: 'it says the same as the chunk ranked 2nd, in api.md'}
    """
    return {
        entry: f"it says the same as the chunk ranked {ordinal(keeper + 1)}, in {documents[keeper]}"
        for entry, keeper in enumerate(keepers.tolist())
        if keeper >= 0
    }


def over_cap(order: Order, sections: NDArray[np.int64], most: int) -> dict[int, str]:
    """Why an entry goes no further, by entry: ``most`` of its section stand before it in ``order``; 0 is off.

    >>> over_cap(np.array([2, 0, 1]), np.array([7, 7, 7]), 2)
    {1: 'its section already gives 2 chunks'}
    """
    if not most:
        return {}
    reason = f"its section already gives {most} chunk{'' if most == 1 else 's'}"
    crowded = order[_earlier_of_group(sections[order]) >= most]
    return dict.fromkeys(crowded.tolist(), reason)
