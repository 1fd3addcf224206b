"""Which sentences open a section: a small logistic classifier, taught by the headings of one's own library.

A document with headings says of each of its sentences whether it is the first below one. With the headings taken away,
what is left is a text that could have had none, and the answers to it: so an author's documents teach how that
author's texts without headings fall into parts. The idea of supervised segmentation from existing sections: Koshorek
and others, "Text Segmentation as a Supervised Learning Task" (NAACL 2018); here over sentence vectors that are there
anyway, with ridge-penalised logistic regression.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.chunking.signals.breakpoints import similarities
from core.errors import ModelError
from core.types import BlockKind, Document, Span, Vectors

_NO_PROSE = frozenset({BlockKind.HEADING, BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML})
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|[\f\u2029]")
_BEFORE = 5  # sentences whose mean a sentence is compared with
_MEASURES = 4  # features beside the vectors
_RIDGE = 0.003  # of the squared weights, beside the mean loss of an example
_STEPS = 25
_FEWEST_STARTS = 20  # of sections, from two documents at least, before anything is learned
_MOST_EXAMPLES = 20_000
_DIGITS = 5  # of a stored weight: beyond what differs between machines

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """What one document teaches. ``features``: ``(n, 2 d + 4)``; ``starts``: ``(n,)``, first below a heading or not."""

    features: Floats
    starts: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrainedStarts:
    """The classifier as a value. ``weights``: one per feature, and the constant.

    ``documents``, ``sections``: how many it learned from.
    ``encoder``: fingerprint of the encoder whose vectors it reads. Satisfies ``core.chunking.plan.SectionStarts``.
    """

    weights: tuple[float, ...]
    encoder: str
    documents: int
    sections: int

    @property
    def fingerprint(self) -> str:
        """Names what it learned; 16 hex digits."""
        return hashlib.sha256(json.dumps([self.encoder, *self.weights]).encode()).hexdigest()[:16]

    def probability(self, document: Document, sentences: Sequence[Span], vectors: Vectors) -> Floats:
        """``(n,)`` in [0, 1] that a sentence opens a section; 0 for headings, tables and code, and for the first.

        ``vectors``: ``(n, d)`` unit norm, of the encoder it was taught with. 0.5 is as likely as not where starts were
        as frequent as other sentences, so it marks more places than there are sections, each with its odds.
        """
        found = np.zeros(len(sentences))
        prose = _prose(document, sentences)
        if len(prose) > 1:
            features = _features(document, [sentences[at] for at in prose], vectors[prose])
            if features.shape[1] + 1 != len(self.weights):
                reads = len(self.weights) - 1
                raise ModelError(
                    f"The classifier of section starts reads {reads} features, not {features.shape[1]}.",
                    "It was trained with another embedder: train it again.",
                )
            weights = np.asarray(self.weights)
            found[prose[1:]] = _sigmoid(features @ weights[:-1] + weights[-1])[1:]
        return found

    def to_dict(self) -> dict[str, Any]:
        """As JSON can keep it; ``from_dict`` gives an equal value."""
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> TrainedStarts:
        """Raises ``ModelError`` for anything but what ``to_dict`` gave."""
        try:
            weights = tuple(float(weight) for weight in kept["weights"])
            return cls(weights, str(kept["encoder"]), int(kept["documents"]), int(kept["sections"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"The stored classifier of section starts is damaged: {error}.", "Train it again."
            ) from error


def section_examples(document: Document, sentences: Sequence[Span], vectors: Vectors) -> Examples | None:
    """What a document's headings teach; ``None`` without two sections of prose.

    ``sentences``, ``vectors``: of the whole document, headings among them, as ``ChunkingContext`` has them. They are
    taken as if the headings were not there; the first of the document teaches nothing, as nothing is before it.
    """
    headings = {block.start for block in document.blocks if block.kind == BlockKind.HEADING}
    if len(headings) < 2:
        return None
    prose = _prose(document, sentences)
    if len(prose) < 2:
        return None
    edges = np.searchsorted(sorted(headings), [sentences[at].start for at in prose], side="right")
    starts = np.diff(edges) > 0
    if not starts.any():
        return None
    return Examples(_features(document, [sentences[at] for at in prose], vectors[prose])[1:], starts)


def train_section_starts(lessons: Iterable[Examples], encoder: str) -> TrainedStarts | None:
    """The classifier that a library's documents teach; ``None`` where they have too few sections to learn from.

    ``encoder``: fingerprint of the one the vectors are of. Starts and other sentences weigh the same in sum. Every
    example counts twice, once without knowing where paragraphs begin, since some texts do not tell. Of a large library
    every start is used and others evenly over it. The same lessons in the same order give the same classifier.
    """
    kept = list(lessons)
    sections = int(sum(lesson.starts.sum() for lesson in kept))
    if len(kept) < 2 or sections < _FEWEST_STARTS:
        return None
    features = np.concatenate([lesson.features for lesson in kept])
    starts = np.concatenate([lesson.starts for lesson in kept])
    if starts.all():
        return None
    features, starts = _thinned(features, starts)
    blind = features.copy()
    blind[:, -1] = 0.0
    weights = _fit(np.concatenate([features, blind]), np.concatenate([starts, starts]).astype(np.float64))
    return TrainedStarts(tuple(np.round(weights, _DIGITS).tolist()), encoder, len(kept), sections)


def _prose(document: Document, sentences: Sequence[Span]) -> NDArray[np.int64]:
    """The indices of the sentences outside headings, tables and code."""
    blocks = [block for block in document.blocks if block.kind in _NO_PROSE]
    begins = np.array([span.start for span in sentences], dtype=np.int64)
    inside = np.searchsorted([block.start for block in blocks], begins, side="right") - 1
    ends = np.array([*(block.end for block in blocks), 0], dtype=np.int64)  # the last is for those before any block
    return np.flatnonzero(begins >= ends[inside])


def _features(document: Document, sentences: Sequence[Span], vectors: Vectors) -> Floats:
    """``(n, 2 d + 4)``: the vector, its difference to the mean of those before it, and four measures of the place.

    These are the fall of the similarity, that fall among the others of the text, the length, and whether a paragraph
    begins there: 1 or -1, and 0 in a text without paragraphs.
    """
    count, width = vectors.shape
    found = np.zeros((count, 2 * width + _MEASURES))
    found[:, :width] = vectors
    sums = np.concatenate([np.zeros((1, width)), np.cumsum(vectors, axis=0, dtype=np.float64)])
    low = np.maximum(np.arange(count) - _BEFORE, 0)
    taken = np.maximum(np.arange(count) - low, 1)[:, None]
    found[1:, width : 2 * width] = (vectors - (sums[:-1] - sums[low]) / taken)[1:]
    curve = similarities(vectors, 1)
    spread = float(curve.std()) if len(curve) else 0.0
    found[1:, -4] = 1.0 - curve
    found[1:, -3] = np.clip((curve.mean() - curve) / spread, -4, 4) / 2 if spread > 0 else 0.0
    found[:, -2] = np.log1p([span.length for span in sentences]) / 5
    text = document.text
    opens = [_BLANK_LINE.search(text, before.end, after.start) is not None for before, after in pairwise(sentences)]
    if any(opens):
        found[1:, -1] = np.where(opens, 1.0, -1.0)
    return found


def _thinned(features: Floats, starts: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    if len(starts) <= _MOST_EXAMPLES:
        return features, starts
    chosen: list[NDArray[np.int64]] = []
    for kind in (True, False):
        places = np.flatnonzero(starts == kind)
        step = max(1, -(-len(places) // (_MOST_EXAMPLES // 2)))
        chosen.append(places[::step])
    rows = np.sort(np.concatenate(chosen))
    return features[rows], starts[rows]


def _fit(features: Floats, truths: Floats) -> Floats:
    """``(f + 1,)`` weights, the constant last, of the least balanced logistic loss with a ridge penalty."""
    from sklearn.linear_model import LogisticRegression

    balance = np.where(truths > 0, 0.5 / truths.sum(), 0.5 / (1 - truths).sum())
    model = LogisticRegression(C=1 / _RIDGE, solver="newton-cholesky", tol=1e-8, max_iter=_STEPS)
    model.fit(features, truths, sample_weight=balance)
    return np.append(model.coef_[0], model.intercept_)


def _sigmoid(values: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -50, 50))))
