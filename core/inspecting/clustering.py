"""Groups of chunks for colouring a map: by document, by heading, or by what they are about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.inspecting.projecting import principal
from core.text.analysis import STOP_WORDS
from core.types import Vectors

OTHERS = "others"
MOST_COLOURS = 10  # more cannot be told apart
_COMPONENTS = 32
_CANDIDATES = (2, 3, 4, 6, 8, 10)
_SAMPLE = 1000  # points that decide the number of clusters
_SEED = 0
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*[^\W_])?")


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """``of``: ``(n,)`` int64, each item's group, an index into ``names``; the largest group is the first."""

    names: tuple[str, ...]
    of: NDArray[np.int64]


def grouped(labels: Sequence[str], most: int = MOST_COLOURS) -> Groups:
    """Items by their label (a document's name, a heading), at most ``most`` groups: the smallest go into "others".

    Equally large groups stand in the order in which they first come.

    >>> found = grouped(["b", "a", "a", "c", "a", "b"], most=2)
    >>> found.names, found.of.tolist()
    (('a', 'others'), [1, 0, 0, 1, 0, 1])
    """
    counts = Counter(labels)
    names = [name for name, _ in counts.most_common()]
    if len(names) > max(1, most):
        names = [*names[: max(1, most) - 1], OTHERS]
    places = {name: index for index, name in enumerate(names)}
    rest = len(names) - 1
    return Groups(tuple(names), np.array([places.get(label, rest) for label in labels], dtype=np.int64))


def clusters(vectors: Vectors, texts: Sequence[str], count: int | None = None, words: int = 3) -> Groups:
    """Chunks of like vectors, each cluster named by its ``words`` most telling words; the largest is the first.

    ``count``: how many clusters, ``None`` chooses among 2 to 10 the number whose silhouette is highest (Rousseeuw,
    1987) on at most 1,000 points. k-means with a fixed seed on the principal components: the same vectors give the
    same clusters. Words are weighted by class-based TF-IDF (Grootendorst, "BERTopic", 2022): frequent in the cluster,
    rare in the others. Fewer than 4 chunks are one cluster.
    """
    if len(vectors) != len(texts):
        raise ValueError(f"{len(texts)} texts have {len(vectors)} vectors; they must be as many.")
    if not len(texts):
        return Groups((), np.zeros(0, dtype=np.int64))
    reduced = principal(vectors, _COMPONENTS)
    different = len(np.unique(reduced, axis=0))
    if different < 4 or count == 1:
        of = np.zeros(len(texts), dtype=np.int64)
    else:
        of = _labels(reduced, min(different - 1, count or _best_count(reduced, different)))
    by_size = np.argsort(-np.bincount(of), kind="stable")
    ranks = np.empty(len(by_size), dtype=np.int64)
    ranks[by_size] = np.arange(len(by_size))
    of = ranks[of]
    return Groups(_names(of, texts, words), of)


def _labels(points: Vectors, count: int) -> NDArray[np.int64]:
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    model: Any = KMeans(n_clusters=count, n_init=4, random_state=_SEED)
    with threadpool_limits(1):
        found = np.asarray(model.fit_predict(points), dtype=np.int64)
    _, dense = np.unique(found, return_inverse=True)  # a cluster may come out empty
    return dense.astype(np.int64)


def _best_count(points: Vectors, different: int) -> int:
    from sklearn.metrics import silhouette_score

    steps = np.linspace(0, len(points) - 1, min(_SAMPLE, len(points))).astype(np.int64)
    sample = points[steps]
    best, highest = 1, -1.0
    for count in _CANDIDATES:
        if count >= min(different, len(np.unique(sample, axis=0))):
            break
        labels = _labels(sample, count)
        score = float(silhouette_score(sample, labels)) if len(np.unique(labels)) > 1 else -1.0
        if score > highest:
            best, highest = count, score
    return best


def _names(of: NDArray[np.int64], texts: Sequence[str], words: int) -> tuple[str, ...]:
    """Each cluster's most telling words, separated by commas; its number where it has no words.

    >>> _names(np.array([0, 1]), ["valve and pump, pump", "the invoice"], 2)
    ('pump, valve', 'invoice')
    """
    counts = [Counter[str]() for _ in range(int(of.max()) + 1)]
    for group, text in zip(of.tolist(), texts, strict=True):
        counts[group].update(
            word for word in map(str.casefold, _WORD.findall(text)) if len(word) > 2 and word not in STOP_WORDS
        )
    whole = Counter[str]()
    for own in counts:
        whole.update(own)
    average = sum(whole.values()) / len(counts)
    names = []
    for number, own in enumerate(counts):
        total = max(1, sum(own.values()))
        weights = {word: times / total * np.log1p(average / whole[word]) for word, times in own.items()}
        best = sorted(weights, key=lambda word: (-weights[word], word))[:words]
        names.append(", ".join(best) or f"cluster {number + 1}")
    return tuple(names)
