"""Sentences grouped so that those in one chunk are as alike as they can be, under a size limit.

The ``ClusterSemanticChunker`` of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024):
small pieces, the similarity of every two of them less the mean of all, and by dynamic programming the cuts that
maximise what the chunks hold of it. Where ours parts from it:

- the small pieces are whole sentences, joined up to an eighth of a chunk, the report's 50 of 400 tokens. Theirs are
  cut at a number of tokens, through a sentence where need be;
- as sentences differ in length, a pair counts by the tokens in it, which is what cutting them into equal pieces does;
- only pairs that one chunk can hold are ever multiplied: linear in the text, where theirs fills a square matrix.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.chunking.chunkers.semantic import NO_ENCODER
from core.chunking.chunkers.texttiling import texttiling
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.breakpoints import similarities
from core.chunking.signals.prose import large_enough, section_starts, sentence_plan, tokens_before, without_crumbs
from core.text.pooling import of_unit_length
from core.types import Vectors

_PIECES = 8  # of the least size in a chunk
_TIE = 1e-6  # where nothing else tells chunks apart, the wider one is better


def cluster(context: ChunkingContext) -> Plan:
    """Leaves that hold the most similarity among their sentences; without an encoder, ``texttiling``."""
    vectors = context.vectors()
    if vectors is None:
        return texttiling(context).instead("texttiling", NO_ENCODER)
    headings = section_starts(context)
    before = np.asarray(tokens_before(context))
    sizes = np.maximum(np.diff(before), 1)
    mean = mean_similarity(vectors, sizes)
    pieces = np.array(_pieces(context, vectors, before.tolist(), headings), dtype=np.int64)
    weighted = np.add.reduceat(vectors * sizes[:, None].astype(np.float32), pieces) if len(pieces) else vectors
    held = np.add.reduceat(sizes, pieces) if len(pieces) else sizes
    # Of stacked headings only the first begins a piece.
    starts = headings & set(pieces.tolist())
    bounds = np.searchsorted(pieces, sorted({0, *starts, len(vectors)})).tolist()
    cuts: dict[int, float] = {}  # the sentence a group begins with: its likeness to the group before
    for low, high in pairwise(bounds):
        room = context.room(context.outline.heading_at(context.sentences[pieces[high - 1]].start))
        room -= context.overlap(room)
        groups = clusters(of_unit_length(weighted[low:high]), held[low:high], room, mean)
        sums = of_unit_length(np.add.reduceat(weighted[low:high], [first for first, _ in groups]))
        alike = np.einsum("ij,ij->i", sums[:-1], sums[1:])
        cuts |= {int(pieces[low + first]): float(near) for (first, _), near in zip(groups[1:], alike, strict=True)}
    likeness = np.ones(max(0, len(vectors) - 1))
    likeness[[cut - 1 for cut in cuts]] = list(cuts.values())
    why = "another group of sentences starts here, whose likeness to the group before is {:.2f}"
    return sentence_plan(context, {cut: why.format(cuts[cut]) for cut in large_enough(context, cuts, likeness)})


def _pieces(context: ChunkingContext, vectors: Vectors, before: list[int], headings: set[int]) -> list[int]:
    """The sentences that pieces begin with: a small sentence joins the neighbour it is more like, a heading the next.

    The most that a piece must reach is an eighth of a chunk.
    """
    if not len(vectors):
        return []
    parted = [number for number in range(1, len(vectors)) if number - 1 not in headings]
    least = context.settings.max_tokens // _PIECES
    return [0, *without_crumbs(parted, similarities(vectors, 0), before, least, headings - {0})]


def mean_similarity(vectors: Vectors, sizes: NDArray[np.int64]) -> float:
    """The mean cosine of all pairs of unit vectors, a pair counted by the product of its sizes; 0.0 without a pair.

    >>> mean_similarity(np.eye(2, dtype=np.float32)[[0, 0, 1]], np.array([1, 1, 1])).__round__(2)
    0.33
    """
    weights = np.asarray(sizes, dtype=np.float64)
    pairs = weights.sum() ** 2 - (weights**2).sum()
    if pairs <= 0:
        return 0.0
    total = weights @ vectors.astype(np.float64, copy=False)
    own = (weights**2) @ np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return float((total @ total - own) / pairs)


def clusters(vectors: Vectors, sizes: NDArray[np.int64], room: int, mean: float) -> list[tuple[int, int]]:
    """The groups ``[first, last)`` of pieces, in order, that hold the most similarity above ``mean``.

    ``vectors``: ``(n, d)`` unit norm, of the pieces; ``sizes``: ``(n,)`` positive, in tokens; ``room``: tokens a group
    may hold. A piece larger than that is a group of its own. A group's worth is the sum over its pairs of
    ``size * size * (cosine - mean)``. Time and memory are linear in pieces times the most that one group can hold.

    >>> vectors = np.eye(2, dtype=np.float32)[[0, 0, 1, 1, 1]]
    >>> clusters(vectors, np.full(5, 10), 40, 0.4)
    [(0, 2), (2, 5)]
    """
    count = len(vectors)
    if not count:
        return []
    before = np.concatenate(([0], np.cumsum(sizes)))
    reach = np.searchsorted(before, before[:-1] + room, side="right") - 1 - np.arange(count)
    widths = np.maximum(reach, 1)  # pieces that a group beginning here may hold
    worth = _worth(vectors, np.asarray(sizes, dtype=np.float64) / float(np.mean(sizes)), int(widths.max()), mean)
    best = np.zeros(count + 1)
    chosen = [0] * count
    for first in range(count - 1, -1, -1):
        width = widths[first]
        values = worth[first, :width] + best[first + 1 : first + 1 + width]
        chosen[first] = last = int(values.argmax())
        best[first] = values[last]
    groups: list[tuple[int, int]] = []
    first = 0
    while first < count:
        groups.append((first, first + chosen[first] + 1))
        first = groups[-1][1]
    return groups


def _worth(vectors: Vectors, weights: NDArray[np.float64], widest: int, mean: float) -> NDArray[np.float64]:
    """``(n, widest)``: at ``[i, m]`` the worth of the group of pieces ``i`` to ``i + m``.

    A group is its last ``m`` pieces and the pairs that its first piece makes with them.
    """
    worth = np.zeros((len(vectors), widest))
    for step in range(1, widest):
        # One diagonal of the similarities at a time: a square block would mostly multiply what no group holds.
        likeness = np.einsum("ij,ij->i", vectors[:-step], vectors[step:]) - mean
        worth[:-step, step] = worth[:-step, step - 1] + weights[:-step] * weights[step:] * likeness + _TIE
    for width in range(1, widest):
        worth[:-1, width] += worth[1:, width - 1]
    return worth
