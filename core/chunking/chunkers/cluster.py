"""Groups sentences so that those in one chunk are as similar as possible, within a size limit.

The ``ClusterSemanticChunker`` of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024):
cut the text into small pieces, take the similarity of every two pieces minus the mean of all, and find by dynamic
programming the chunks with the largest sum of it. Differences:

- Pieces are whole sentences, joined up to an eighth of a chunk (the report's 50 of 400 tokens). Theirs are cut at a
  number of tokens, also inside sentences.
- As sentences differ in length, a pair is weighted by its tokens, which is what equal pieces amount to.
- Only pairs that fit one chunk are multiplied: linear in the text, where theirs fills a square matrix.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.chunking.chunkers.semantic import NO_ENCODER
from core.chunking.chunkers.texttiling import texttiling
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.breakpoints import similarities
from core.chunking.signals.prose import (
    apply_min_tokens,
    section_starts,
    sentence_plan,
    tokens_before,
    without_small_pieces,
)
from core.text.pooling import of_unit_length
from core.types import Vectors

_PIECES = 8  # a piece is at least an eighth of a chunk
_TIE_BREAK = 1e-6  # added for every piece, so that of equal groups the larger wins


def cluster(context: ChunkingContext) -> Plan:
    """Leaves with the largest similarity among their sentences; without an encoder, ``texttiling``."""
    vectors = context.vectors()
    if vectors is None:
        return texttiling(context).as_fallback("texttiling", NO_ENCODER)
    headings = section_starts(context)
    before = np.asarray(tokens_before(context))
    sizes = np.maximum(np.diff(before), 1)
    mean = mean_similarity(vectors, sizes)
    pieces = np.array(_pieces(context, vectors, before.tolist(), headings), dtype=np.int64)
    weighted = np.add.reduceat(vectors * sizes[:, None].astype(np.float32), pieces) if len(pieces) else vectors
    piece_sizes = np.add.reduceat(sizes, pieces) if len(pieces) else sizes
    starts = headings & set(pieces.tolist())  # of consecutive headings only the first begins a piece
    bounds = np.searchsorted(pieces, sorted({0, *starts, len(vectors)})).tolist()
    cuts: dict[int, float] = {}  # first sentence of a group -> similarity to the group before
    for low, high in pairwise(bounds):
        room = context.room(context.outline.heading_at(context.sentences[pieces[high - 1]].start))
        room -= context.overlap(room)
        groups = clusters(of_unit_length(weighted[low:high]), piece_sizes[low:high], room, mean)
        means = of_unit_length(np.add.reduceat(weighted[low:high], [first for first, _ in groups]))
        cosines = np.einsum("ij,ij->i", means[:-1], means[1:])
        cuts |= {
            int(pieces[low + first]): float(cosine) for (first, _), cosine in zip(groups[1:], cosines, strict=True)
        }
    curve = np.ones(max(0, len(vectors) - 1))
    curve[[cut - 1 for cut in cuts]] = list(cuts.values())
    why = "another group of sentences starts here, whose likeness to the group before is {:.2f}"
    return sentence_plan(context, {cut: why.format(cuts[cut]) for cut in apply_min_tokens(context, cuts, curve)})


def _pieces(context: ChunkingContext, vectors: Vectors, before: list[int], headings: set[int]) -> list[int]:
    """The first sentences of the pieces.

    A piece has at least an eighth of a chunk's tokens: a smaller one joins the more similar neighbour. A heading joins
    the sentence after it.
    """
    if not len(vectors):
        return []
    candidates = [number for number in range(1, len(vectors)) if number - 1 not in headings]
    least = context.settings.max_tokens // _PIECES
    return [0, *without_small_pieces(candidates, similarities(vectors, 0), before, least, headings - {0})]


def mean_similarity(vectors: Vectors, sizes: NDArray[np.int64]) -> float:
    """The mean cosine of all pairs of unit vectors, each weighted by the product of the two sizes; 0.0 without a pair.

    >>> mean_similarity(np.eye(2, dtype=np.float32)[[0, 0, 1]], np.array([1, 1, 1])).__round__(2)
    0.33
    """
    weights = np.asarray(sizes, dtype=np.float64)
    pairs = weights.sum() ** 2 - (weights**2).sum()
    if pairs <= 0:
        return 0.0
    total = weights @ vectors.astype(np.float64, copy=False)
    self_pairs = (weights**2) @ np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return float((total @ total - self_pairs) / pairs)


def clusters(vectors: Vectors, sizes: NDArray[np.int64], room: int, mean: float) -> list[tuple[int, int]]:
    """The grouping of pieces, as ranges ``[first, last)``, with the largest total similarity above ``mean``.

    ``vectors``: ``(n, d)`` unit norm, one per piece; ``sizes``: ``(n,)`` positive, in tokens; ``room``: the most tokens
    of a group. A larger piece is a group of its own. The reward of a group is the sum over its pairs of
    ``size * size * (cosine - mean)``. Time and memory: pieces times the most pieces of one group.

    >>> vectors = np.eye(2, dtype=np.float32)[[0, 0, 1, 1, 1]]
    >>> clusters(vectors, np.full(5, 10), 40, 0.4)
    [(0, 2), (2, 5)]
    """
    count = len(vectors)
    if not count:
        return []
    before = np.concatenate(([0], np.cumsum(sizes)))
    reach = np.searchsorted(before, before[:-1] + room, side="right") - 1 - np.arange(count)
    widths = np.maximum(reach, 1)  # for each piece: how many a group that begins with it may hold
    reward = _reward(vectors, np.asarray(sizes, dtype=np.float64) / float(np.mean(sizes)), int(widths.max()), mean)
    best = np.zeros(count + 1)  # at each piece: the largest total reward of the pieces from there on
    best_width = [1] * count
    for first in range(count - 1, -1, -1):
        width = widths[first]
        totals = reward[first, :width] + best[first + 1 : first + 1 + width]
        best_width[first] = int(totals.argmax()) + 1
        best[first] = totals.max()
    groups: list[tuple[int, int]] = []
    first = 0
    while first < count:
        groups.append((first, first + best_width[first]))
        first = groups[-1][1]
    return groups


def _reward(vectors: Vectors, weights: NDArray[np.float64], widest: int, mean: float) -> NDArray[np.float64]:
    """``(n, widest)``: at ``[i, m]`` the reward of the group of pieces ``i`` to ``i + m``.

    A group's reward is that of its last ``m`` pieces plus the pairs of its first piece with them.
    """
    reward = np.zeros((len(vectors), widest))
    for step in range(1, widest):
        # One diagonal of the similarity matrix at a time, because groups only need entries near the main diagonal.
        surplus = np.einsum("ij,ij->i", vectors[:-step], vectors[step:]) - mean
        reward[:-step, step] = reward[:-step, step - 1] + weights[:-step] * weights[step:] * surplus + _TIE_BREAK
    for width in range(1, widest):
        reward[:-1, width] += reward[1:, width - 1]
    return reward
