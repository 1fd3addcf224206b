"""Single sentences of the best extents as candidates for the context: for budgets that hold only a few chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.embedding.answer_reader import Marks
from core.search.context.filling import ContextCandidate, extent_candidates, merge_span
from core.search.expansion.growth import Extent, leaf_at, stands_alone
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.fusion import standardise
from core.search.ranking.stage_scores import Ranking
from core.storage.index.leaves import LeafTable
from core.text.analysis import analyse
from core.text.sentences import sentence_spans
from core.types import Span

Scores = NDArray[np.float64]

# Only the best extents are split into sentences: a small budget holds few of them.
MOST_EXTENTS = 20
# Weights of the chunk's score and of each neighbouring sentence's; the sentence's own has 1. From the tuning suites:
# with a chunk weight of 2 meetings lost more; neighbour weights of 0.6 and 0.8 cost what sentences gain.
CHUNK_PART = 4.0
NEIGHBOUR_PART = 0.3
# Weight of the probability that a re-ranker's marked answer is in the sentence; the term share then counts half. The
# probability is not standardised, so that it does not change the order when nothing is marked with confidence, as for a
# claim. Standardised it gained 0.7 points on ``chroma`` at 1,000 characters and lost 1.7 on ``scifact`` at 2,000.
MARK_PART = 4.0
MARK_SCALE = 2.0  # divides the log-odds of the marked answer against none, which are overconfident
# Up to this budget sentences find more than passages. Measured on the tuning suites: at 1,000 characters on papers and
# mixed prose; at 2,000 not on meetings, whose turns were not yet kept whole.
SMALL = {"characters": 1000, "tokens": 250}

REASON = "one of the sentences that say most to the question, in one of the best chunks"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a ``run`` of text; or, with ``run`` ``None``, a whole extent whose core is its child.

    ``leaf``: the leaf in which it begins.
    """

    document: int
    core: Span
    extent: Span
    child: int
    leaf: int
    run: Span | None
    reason: str


def sentence_candidates(ranking: Ranking, extents: Sequence[Extent], reads: CatalogueReads) -> list[ContextCandidate]:
    """The sentences of the best extents and the other extents whole, best first; [] if no extent can be split.

    Not split are code and other text that is not prose, speakers' turns, and extents beyond ``MOST_EXTENTS``.

    A sentence's score is the weighted sum of three: the z-score of its chunk, the leaf it begins in, where an unranked
    leaf counts as the worst ranked one; its own score, from the share of the question's terms in it and from a
    re-ranker's marks; and the own scores of both neighbouring sentences. For a whole extent the chunk's z-score stands
    for its own score as well.
    """
    pieces = _pieces(ranking.leaves, extents, reads)
    sentence_indices = np.flatnonzero([piece.run is not None for piece in pieces])
    if not len(sentence_indices):
        return []
    chunk = standardise(_leaf_scores(ranking, [piece.leaf for piece in pieces]))
    total = (CHUNK_PART + 1) * chunk
    sentences = [pieces[index] for index in sentence_indices.tolist()]
    terms = set(analyse(ranking.question))
    texts = (reads.text(piece.document)[piece.core.start : piece.core.end] for piece in sentences)
    own = standardise(np.array([len(terms & set(analyse(text))) / max(1, len(terms)) for text in texts]))
    if ranking.marks:
        marked = np.array([_marked_probability(ranking.marks.get(piece.leaf), piece.core) for piece in sentences])
        own = own / 2 + MARK_PART * marked
    neighbours = NEIGHBOUR_PART * _neighbour_sums(sentences, own)
    total[sentence_indices] = CHUNK_PART * chunk[sentence_indices] + own + neighbours
    order = np.argsort(-total, kind="stable").tolist()
    return [
        ContextCandidate(
            piece.child,
            piece.document,
            piece.core,
            piece.extent,
            score,
            piece.reason,
            is_sentence=piece.run is not None,
        )
        for piece, score in ((pieces[index], float(total[index])) for index in order)
    ]


def _pieces(leaves: LeafTable, extents: Sequence[Extent], reads: CatalogueReads) -> list[_Piece]:
    """Sentences of the best extents that can be split, each once, and all other extents whole."""
    runs: dict[int, list[Span]] = {}
    whole: list[Extent] = []
    for rank, extent in enumerate(extents):
        text, span = reads.text(extent.document), Span(extent.start, extent.end)
        if rank < MOST_EXTENTS and stands_alone(text, span, reads.kind(extent.document)):
            document_runs = runs.setdefault(extent.document, [])
            low, high, merged = merge_span(text, document_runs, span)
            document_runs[low:high] = [merged]
        else:
            whole.append(extent)
    children = {extent.child for extent in extents}
    pieces: list[_Piece] = []
    for document, run in ((document, run) for document, document_runs in runs.items() for run in document_runs):
        for sentence in sentence_spans(reads.text(document), run.start, run.end):
            leaf = leaf_at(leaves, document, sentence.start)
            child = leaf if leaf in children else _child_of(extents, document, sentence)
            pieces.append(_Piece(document, sentence, sentence, child, leaf, run, REASON))
    return pieces + [
        _Piece(
            candidate.document,
            candidate.core,
            candidate.extent,
            candidate.child,
            candidate.child,
            None,
            candidate.reason,
        )
        for candidate in extent_candidates(leaves, whole)
    ]


def _marked_probability(marks: Marks | None, sentence: Span) -> float:
    """The probability that the answer is in the sentence; 0 if the re-ranker did not read its leaf."""
    best = marks and marks.best(sentence.start, sentence.end)
    return float(1 / (1 + np.exp(-best.score / MARK_SCALE))) if best else 0.0


def _neighbour_sums(sentences: Sequence[_Piece], own: Scores) -> Scores:
    """For each sentence the sum of the own scores of the sentences before and after it in its run."""
    same_run = np.array(
        [(before.document, before.run) == (after.document, after.run) for before, after in pairwise(sentences)],
        dtype=bool,
    )
    sums = np.zeros(len(sentences))
    sums[:-1] += np.where(same_run, own[1:], 0.0)
    sums[1:] += np.where(same_run, own[:-1], 0.0)
    return sums


def _leaf_scores(ranking: Ranking, leaves: Sequence[int]) -> Scores:
    """The final scores of leaves; an unranked leaf gets the lowest of all."""
    scores = ranking.values(ranking.final, leaves)
    ranked = ranking.final[~np.isnan(ranking.final)]
    return np.where(np.isnan(scores), ranked.min() if len(ranked) else 0.0, scores)


def _child_of(extents: Sequence[Extent], document: int, span: Span) -> int:
    """The child of the best extent that overlaps the sentence."""
    return next(
        extent.child
        for extent in extents
        if extent.document == document and Span(extent.start, extent.end).overlap(span)
    )
