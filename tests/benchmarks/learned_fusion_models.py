"""The models that ``tests.benchmarks.learned_fusion`` holds against the hand-set fusion, and what they look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.retrieval import Ranking, evidence, fusion
from core.settings import RetrievalSettings
from core.text.analysis import analyse

Floats = NDArray[np.float64]
Scorer = Callable[["Listed"], Floats]

LISTED = 200  # leaves of a question that are ordered anew: the default keeps 50 of them
RIDGE = 1e-3  # on standardised weights, against a loss of about 3

TERMS = ("dense", "lexical", "coverage", "parent", "document", "neighbours")
"""What the hand-set fusion adds up: a linear model over them is the same fusion with its dials turned."""
BESIDE = (
    "second of document",
    "mean of parent",
    "rank by meaning",
    "rank by words",
    "cosine",
    "own words",
    "heading",
    "adjacent words",
    "first",
    "last",
    "position",
    "length",
)
"""What else a trace tells, or could tell for little."""
ASKED = ("question's words", "present order")
"""What no linear model can use alone: the same for all leaves of a question, or the order that is learned from."""

Words = Mapping[int, tuple[Sequence[str], Sequence[str]]]
"""By row: the analysed words of a leaf's title and headings, and those of its text."""


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """The first leaves of a question under the hand-set fusion, in its order.

    ``places``: (n,) positions in the pool. ``features``: (n, features) float64, columns ``TERMS + BESIDE + ASKED``.
    ``gold``: (n,) characters of gold in each leaf.
    """

    places: NDArray[np.int64]
    features: Floats
    gold: Floats

    def of(self, names: Sequence[str]) -> Floats:
        """(n, names) of the features."""
        return self.features[:, [(*TERMS, *BESIDE, *ASKED).index(name) for name in names]]


def listed(ranking: Ranking, held: Floats, words: Callable[[Sequence[int]], Words]) -> Listed:
    """The first leaves of a ranking that found some, with all that is known of them.

    ``held``: (leaves,) characters of gold in each.
    """
    leaves, pool = ranking.leaves, ranking.pool
    found = np.ones(len(pool), bool)
    found[list(ranking.dropped)] = False
    places = fusion.best_first(np.where(found, ranking.final, np.nan), LISTED)
    documents, fused = leaves.documents[pool], hand_set(ranking, ranking.settings)
    beside = _beside(ranking, fused, places, words(leaves.rows[pool[places]].tolist()))
    asked = {
        "question's words": np.full(len(places), np.log1p(len(analyse(ranking.question)))),
        "present order": np.log1p(np.arange(len(places))),
    }
    edges = documents[1:] != documents[:-1]
    first, last = np.concatenate([[True], edges]), np.concatenate([edges, [True]])
    beside |= {"first": first[places].astype(float), "last": last[places].astype(float)}
    columns = {**{name: column[places] for name, column in _terms(ranking, fused).items()}, **beside, **asked}
    order = (*TERMS, *BESIDE, *ASKED)
    features = np.stack([columns[name] for name in order], axis=1).astype(np.float64)
    return Listed(places, features, held[pool[places]])


def hand_set(ranking: Ranking, settings: RetrievalSettings) -> Floats:
    """(pool,) the standard scores of both searches and the coverage, as the dials weigh them."""
    weights = (settings.dense_weight, settings.lexical_weight, settings.coverage_weight)
    columns = [ranking.scores[name] for name in ("dense", "lexical", "coverage")]
    return fusion.fuse_standard(list(zip(columns, weights, strict=True)))


def hand_set_weights(settings: RetrievalSettings) -> Floats:
    """The weights of ``TERMS`` under which a linear model is the hand-set fusion.

    >>> hand_set_weights(RetrievalSettings()).tolist()
    [0.7, 0.3, 0.4, 0.5, 0.3, 0.15]
    """
    searches = (settings.dense_weight, settings.lexical_weight, settings.coverage_weight)
    return np.array([*searches, settings.parent_share, settings.document_share, settings.neighbour_share])


def _terms(ranking: Ranking, fused: Floats) -> dict[str, Floats]:
    leaves, pool = ranking.leaves, ranking.pool
    documents = leaves.documents[pool]
    groups = evidence.parent_groups(documents, leaves.parent_rows[pool])
    nothing = np.zeros_like(fused)
    return {
        **{name: fusion.standardise(ranking.scores[name]) for name in ("dense", "lexical", "coverage")},
        "parent": evidence.share_best(nothing, fused, groups, 1.0),
        "document": evidence.share_best(nothing, fused, documents, 1.0),
        "neighbours": fusion.share_neighbours(fused, documents, pool, 1.0) - fused,
    }


def _beside(ranking: Ranking, fused: Floats, places: NDArray[np.int64], words: Words) -> dict[str, Floats]:
    leaves, pool = ranking.leaves, ranking.pool
    documents = leaves.documents[pool]
    groups = evidence.parent_groups(documents, leaves.parent_rows[pool])
    best = evidence.share_best(np.zeros_like(fused), fused, documents, 1.0)
    second = np.full(int(documents.max()) + 1, fused.min())
    np.maximum.at(second, documents[fused < best], fused[fused < best])
    sums = np.bincount(groups, weights=fused) / np.maximum(np.bincount(groups), 1)
    ends = np.zeros(len(second))
    np.maximum.at(ends, documents, leaves.ends[pool])
    chosen = pool[places]
    worn = [_words_of(ranking.question, *words[int(row)]) for row in leaves.rows[chosen]]
    return {
        "second of document": second[documents][places],
        "mean of parent": sums[groups][places],
        "rank by meaning": _standing(ranking.scores["dense"])[places],
        "rank by words": _standing(ranking.scores["lexical"])[places],
        "cosine": np.nan_to_num(ranking.scores["dense"])[places],
        "own words": np.array([one[0] for one in worn]),
        "heading": np.array([one[1] for one in worn]),
        "adjacent words": np.array([one[2] for one in worn]),
        "position": leaves.starts[chosen] / np.maximum(ends[leaves.documents[chosen]], 1),
        "length": np.log(np.maximum(leaves.tokens[chosen], 1)),
    }


def _standing(scores: Floats) -> Floats:
    """The logarithm of each rank over that of the last: 0 for the best, 1 for the last and all that are not ranked."""
    ranks = fusion.ranks(scores)
    ranks[ranks == 0] = len(ranks)
    return np.asarray(np.log(ranks) / max(np.log(len(ranks)), 1.0))


def _words_of(question: str, headings: Sequence[str], text: Sequence[str]) -> tuple[float, float, float]:
    """Shares: of the question's words in the text, of them in the headings, of its pairs of words side by side.

    >>> _words_of("grind the wheat", ["wheat"], ["grind", "wheat"])
    (1.0, 0.5, 1.0)
    """
    asked = analyse(question)
    wanted, pairs = set(asked), set(pairwise(asked))
    beside = set(pairwise(text))
    return (
        len(wanted & set(text)) / max(1, len(wanted)),
        len(wanted & set(headings)) / max(1, len(wanted)),
        len(pairs & beside) / max(1, len(pairs)),
    )


def linear(lists: Mapping[str, Sequence[Listed]], names: Sequence[str]) -> Floats:
    """The weights of the features under which gold is likeliest to stand first; every suite counts the same.

    The loss is ListNet's for the first place, the cross entropy of the softmax over a question's leaves and the share
    of its gold that each holds (Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach", ICML
    2007), with ``RIDGE``; it is convex, and Newton's method finds the one minimum. Questions none of whose listed
    leaves holds gold teach nothing.
    """
    taught = [(one, 1 / len(some)) for some in map(_teaching, lists.values()) for one in some]
    count = max(len(one.gold) for one, _ in taught)
    features, target = np.zeros((len(taught), count, len(names))), np.zeros((len(taught), count))
    outside = np.full((len(taught), count), -np.inf)
    for at, (one, _) in enumerate(taught):
        size = len(one.gold)
        features[at, :size], target[at, :size], outside[at, :size] = one.of(names), one.gold / one.gold.sum(), 0.0
    weights = np.array([weight for _, weight in taught]) / len(lists)
    scale = np.mean([one.of(names).std(axis=0) for one, _ in taught], axis=0) + 1e-9
    features /= scale
    found = np.zeros(len(names))
    for _ in range(50):
        likely = softmax(features @ found + outside)
        expected = np.einsum("qk,qkf->qf", likely, features)
        slope = np.einsum("qk,qkf,q->f", target - likely, features, weights) - 2 * RIDGE * found
        squares = np.einsum("qkf,qk,qkg->fg", features, likely * weights[:, None], features, optimize=True)
        curve = squares - (expected * weights[:, None]).T @ expected + 2 * RIDGE * np.eye(len(names))
        step = np.linalg.solve(curve, slope)
        found = found + step / max(1.0, float(np.abs(step).max()))  # a whole step from far away may overshoot
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(found / scale)


def softmax(scores: Floats) -> Floats:
    """Row by row, each row of sum 1; an entry of minus infinity has none of it.

    >>> softmax(np.array([[0.0, 0.0, -np.inf]])).tolist()
    [[0.5, 0.5, 0.0]]
    """
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def linear_scorer(lists: Mapping[str, Sequence[Listed]], names: Sequence[str]) -> Scorer:
    """``linear`` as a way to score lists."""
    weights = linear(lists, names)
    return lambda one: one.of(names) @ weights


def boosted_scorer(lists: Mapping[str, Sequence[Listed]]) -> Scorer:
    """Boosted trees of eight leaves over all features, fitted to the share of each leaf's gold; suites count alike."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    names = (*TERMS, *BESIDE, *ASKED)
    taught = {name: _teaching(some) for name, some in lists.items()}
    features = np.concatenate([one.of(names) for some in taught.values() for one in some])
    shares = np.concatenate([one.gold / one.gold.sum() for some in taught.values() for one in some])
    weights = np.concatenate([np.full(len(one.gold), 1 / len(some)) for some in taught.values() for one in some])
    model = HistGradientBoostingRegressor(
        max_leaf_nodes=8, max_iter=100, learning_rate=0.05, min_samples_leaf=200, random_state=0
    ).fit(features, shares, weights / weights.mean())
    # Trees give many leaves the same score: those keep the order they had.
    return lambda one: np.asarray(model.predict(one.of(names)) - 1e-9 * np.arange(len(one.gold)))


def _teaching(lists: Sequence[Listed]) -> list[Listed]:
    return [one for one in lists if one.gold.any()]
