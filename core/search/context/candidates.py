"""Single sentences of the best extents as candidates for the context: for budgets that hold only a few chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.embedding.answer_reader import Marks
from core.search.context.filling import ContextCandidate, place, whole_candidates
from core.search.expansion.growth import Extent, leaf_at, stands_alone
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.fusion import standardise
from core.search.ranking.stage_scores import Ranking
from core.storage.index.leaves import LeafTable
from core.text.analysis import analyse
from core.text.sentences import sentence_spans
from core.types import Span

Scores = NDArray[np.float64]

# Sentences of so many extents are weighed: a small budget holds a few of the best, and each may have to be encoded.
CHUNKS = 20
# A sentence is worth this many parts of its chunk's score to one part of its own and this much of each neighbour's.
# Tried on the suites for tuning: with 2 parts meetings lost more; neighbours at 0.6 and 0.8 cost what sentences gain.
CHUNK_PART = 4.0
NEIGHBOUR_PART = 0.3
# Where a re-ranker read that marks answers, the probability that one stands in the sentence counts so much, and the
# words half. It is no standard score: where nothing is marked for sure, as where a claim is asked, it leaves the order
# alone. Standardised it found 0.7 points more on ``chroma`` at 1,000 characters and lost 1.7 on ``scifact`` at 2,000.
MARK_PART = 4.0
MARK_SCALE = 2.0  # of the log-odds that the answer stands there against none, which are too sure of themselves
# Up to so much room sentences find more than passages do. Measured on the suites for tuning: at 1,000 characters on
# papers and mixed prose, at 2,000 no longer on meetings, whose turns were not yet kept whole.
SMALL = {"characters": 1000, "tokens": 250}

REASON = "one of the sentences that say most to the question, in one of the best chunks"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence ``among`` others of its run, or with ``among`` ``None`` a whole extent with its child as the core."""

    document: int
    core: Span
    wanted: Span
    child: int
    leaf: int
    among: Span | None
    reason: str


def sentence_candidates(ranking: Ranking, extents: Sequence[Extent], reads: CatalogueReads) -> list[ContextCandidate]:
    """The sentences of the best extents, best first; each by its chunk, itself and the sentences beside it.

    [] where none of them is in sentences: then extents are what fills the room. All three are standard scores. A
    sentence's chunk is the leaf it begins in; one that was not ranked counts as the worst that was. Code, what is no
    prose, what people say in turns, and extents beyond ``CHUNKS`` stay whole and stand for themselves as their chunk
    does. What a sentence is worth itself is the share of the question's words in it, and what a re-ranker marked there.
    """
    pieces = _pieces(ranking.leaves, extents, reads)
    places = np.flatnonzero([piece.among is not None for piece in pieces])
    if not len(places):
        return []
    chunk = standardise(_of_leaves(ranking, [piece.leaf for piece in pieces]))
    total = (CHUNK_PART + 1) * chunk
    sentences = [pieces[at] for at in places.tolist()]
    asked = set(analyse(ranking.question))
    texts = (reads.text(piece.document)[piece.core.start : piece.core.end] for piece in sentences)
    own = standardise(np.array([len(asked & set(analyse(text))) / max(1, len(asked)) for text in texts]))
    if ranking.marks:
        marked = np.array([_marked(ranking.marks.get(piece.leaf), piece.core) for piece in sentences])
        own = own / 2 + MARK_PART * marked
    total[places] = CHUNK_PART * chunk[places] + own + NEIGHBOUR_PART * _beside(sentences, own)
    order = np.argsort(-total, kind="stable").tolist()
    return [
        ContextCandidate(
            piece.child,
            piece.document,
            piece.core,
            piece.wanted,
            float(total[at]),
            piece.reason,
            single=piece.among is not None,
        )
        for at in order
        for piece in [pieces[at]]
    ]


def _pieces(leaves: LeafTable, extents: Sequence[Extent], reads: CatalogueReads) -> list[_Piece]:
    """Sentences of the best extents that are prose, each once, and all other extents as they are."""
    runs: dict[int, list[Span]] = {}
    whole: list[Extent] = []
    for rank, extent in enumerate(extents):
        body, wanted = reads.text(extent.document), Span(extent.start, extent.end)
        if rank < CHUNKS and stands_alone(body, wanted, reads.kind(extent.document)):
            known = runs.setdefault(extent.document, [])
            low, high, joined = place(body, known, wanted)
            known[low:high] = [joined]
        else:
            whole.append(extent)
    children = {extent.child for extent in extents}
    pieces: list[_Piece] = []
    for document, run in ((document, run) for document, known in runs.items() for run in known):
        for sentence in sentence_spans(reads.text(document), run.start, run.end):
            leaf = leaf_at(leaves, document, sentence.start)
            child = leaf if leaf in children else _asked_by(extents, document, sentence)
            pieces.append(_Piece(document, sentence, sentence, child, leaf, run, REASON))
    return pieces + [
        _Piece(one.document, one.core, one.wanted, one.child, one.child, None, one.reason)
        for one in whole_candidates(leaves, whole)
    ]


def _marked(marks: Marks | None, sentence: Span) -> float:
    """How likely, on a scale from 0 to 1, the answer stands in the sentence; 0 where its leaf was not read."""
    best = marks and marks.best(sentence.start, sentence.end)
    return float(1 / (1 + np.exp(-best.score / MARK_SCALE))) if best else 0.0


def _beside(sentences: Sequence[_Piece], own: Scores) -> Scores:
    """The sum of both neighbours' scores; a neighbour stands in the same run."""
    together = np.array(
        [(before.document, before.among) == (after.document, after.among) for before, after in pairwise(sentences)],
        dtype=bool,
    )
    beside = np.zeros(len(sentences))
    beside[:-1] += np.where(together, own[1:], 0.0)
    beside[1:] += np.where(together, own[:-1], 0.0)
    return beside


def _of_leaves(ranking: Ranking, leaves: Sequence[int]) -> Scores:
    """The final scores of leaves; of one that was not ranked, the lowest there is."""
    wanted = np.array(leaves)
    places = np.minimum(np.searchsorted(ranking.pool, wanted), len(ranking.pool) - 1)
    scores = np.where(ranking.pool[places] == wanted, ranking.final[places], np.nan)
    ranked = ranking.final[~np.isnan(ranking.final)]
    return np.where(np.isnan(scores), ranked.min() if len(ranked) else 0.0, scores)


def _asked_by(extents: Sequence[Extent], document: int, span: Span) -> int:
    """The child of the best extent that holds the sentence, or meets it where two extents were joined inside it."""
    return next(
        extent.child
        for extent in extents
        if extent.document == document and Span(extent.start, extent.end).overlap(span)
    )
