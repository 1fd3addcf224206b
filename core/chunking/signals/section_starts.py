"""A logistic classifier of sentences that start a section, trained on the headings of the library's own documents.

A document with headings labels each of its sentences: it is the first below a heading, or not. The features ignore the
headings, so the classifier also works on texts without any. After Koshorek et al., "Text Segmentation as a Supervised
Learning Task" (NAACL 2018), but with ridge-penalised logistic regression over sentence vectors.
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

_NOT_PROSE = frozenset({BlockKind.HEADING, BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML})
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|[\f\u2029]")
_WINDOW = 5  # a sentence is compared with the mean of this many sentences before it
_PLACE_FEATURES = 4  # features besides the vectors
_RIDGE = 0.003  # weight of the ridge penalty relative to the mean loss
_STEPS = 25
_FEWEST_STARTS = 20  # section starts needed for training, from at least two documents
_MOST_EXAMPLES = 20_000
_DIGITS = 5  # of a stored weight; further digits differ between machines

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """One document's training examples. ``features``: ``(n, 2 d + 4)``; ``starts``: ``(n,)``, the labels."""

    features: Floats
    starts: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrainedStarts:
    """The trained classifier; a ``core.chunking.plan.SectionStarts``.

    ``weights``: one per feature, then the intercept. ``encoder``: fingerprint of the encoder of its vectors.
    ``documents``, ``sections``: how many it was trained on.
    """

    weights: tuple[float, ...]
    encoder: str
    documents: int
    sections: int

    @property
    def fingerprint(self) -> str:
        """Identifies the encoder and weights; 16 hex digits."""
        return hashlib.sha256(json.dumps([self.encoder, *self.weights]).encode()).hexdigest()[:16]

    def probability(self, document: Document, sentences: Sequence[Span], vectors: Vectors) -> Floats:
        """``(n,)`` in [0, 1]: for each sentence the probability that it starts a section.

        0 for headings, tables, code and the first sentence. ``vectors``: ``(n, d)`` unit norm, of the encoder it was
        trained with. Both classes had equal weight in training, so more sentences exceed 0.5 than there are sections.
        Raises ``ModelError`` for vectors of another size.
        """
        probabilities = np.zeros(len(sentences))
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
            log_odds = np.clip(features @ weights[:-1] + weights[-1], -50, 50)
            probabilities[prose[1:]] = (1.0 / (1.0 + np.exp(-log_odds)))[1:]
        return probabilities

    def to_dict(self) -> dict[str, Any]:
        """The classifier as JSON values; ``from_dict`` restores it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> TrainedStarts:
        """The classifier that ``to_dict`` stored. Raises ``ModelError`` for anything else."""
        try:
            weights = tuple(float(weight) for weight in stored["weights"])
            return cls(weights, str(stored["encoder"]), int(stored["documents"]), int(stored["sections"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"The stored classifier of section starts is damaged: {error}.", "Train it again."
            ) from error


def section_examples(document: Document, sentences: Sequence[Span], vectors: Vectors) -> Examples | None:
    """The training examples of a document; ``None`` where it has fewer than two sections of prose.

    ``sentences``, ``vectors``: of the whole document, headings included, as in ``ChunkingContext``. Headings are left
    out of the examples, and so is the first sentence, as nothing is before it.
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


def train_section_starts(examples: Iterable[Examples], encoder: str) -> TrainedStarts | None:
    """A classifier trained on the examples of several documents; ``None`` where they have too few section starts.

    ``encoder``: fingerprint of the encoder of the vectors. Both classes have the same total weight. Every example is
    used twice, once with the paragraph feature set to 0, because some texts have no paragraphs. Many examples are
    sampled evenly. Deterministic: the same examples in the same order give the same classifier.
    """
    by_document = list(examples)
    sections = int(sum(one.starts.sum() for one in by_document))
    if len(by_document) < 2 or sections < _FEWEST_STARTS:
        return None
    features = np.concatenate([one.features for one in by_document])
    starts = np.concatenate([one.starts for one in by_document])
    if starts.all():
        return None
    features, starts = _sampled(features, starts)
    without_paragraphs = features.copy()
    without_paragraphs[:, -1] = 0.0
    weights = _fit(np.concatenate([features, without_paragraphs]), np.tile(starts, 2).astype(np.float64))
    return TrainedStarts(tuple(np.round(weights, _DIGITS).tolist()), encoder, len(by_document), sections)


def _prose(document: Document, sentences: Sequence[Span]) -> NDArray[np.int64]:
    """The indices of the sentences outside headings, tables and code."""
    blocks = [block for block in document.blocks if block.kind in _NOT_PROSE]
    begins = np.array([span.start for span in sentences], dtype=np.int64)
    inside = np.searchsorted([block.start for block in blocks], begins, side="right") - 1
    ends = np.array([*(block.end for block in blocks), 0], dtype=np.int64)  # index -1: before the first block
    return np.flatnonzero(begins >= ends[inside])


def _features(document: Document, sentences: Sequence[Span], vectors: Vectors) -> Floats:
    """``(n, 2 d + 4)``: the vector, its difference from the mean of the sentences before it, and four more features.

    These are the dissimilarity at the gap before the sentence, the same as a z-score within the text, the length, and
    whether a paragraph begins there: 1 or -1; 0 in a text without paragraphs.
    """
    count, width = vectors.shape
    features = np.zeros((count, 2 * width + _PLACE_FEATURES))
    features[:, :width] = vectors
    sums = np.concatenate([np.zeros((1, width)), np.cumsum(vectors, axis=0, dtype=np.float64)])
    low = np.maximum(np.arange(count) - _WINDOW, 0)
    window_sizes = np.maximum(np.arange(count) - low, 1)[:, None]
    features[1:, width : 2 * width] = (vectors - (sums[:-1] - sums[low]) / window_sizes)[1:]
    curve = similarities(vectors, 1)
    spread = float(curve.std()) if len(curve) else 0.0
    features[1:, -4] = 1.0 - curve
    features[1:, -3] = np.clip((curve.mean() - curve) / spread, -4, 4) / 2 if spread > 0 else 0.0
    features[:, -2] = np.log1p([span.length for span in sentences]) / 5
    text = document.text
    new_paragraph = [
        _BLANK_LINE.search(text, before.end, after.start) is not None for before, after in pairwise(sentences)
    ]
    if any(new_paragraph):
        features[1:, -1] = np.where(new_paragraph, 1.0, -1.0)
    return features


def _sampled(features: Floats, starts: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """At most about ``_MOST_EXAMPLES``, each class evenly sampled to half of it."""
    if len(starts) <= _MOST_EXAMPLES:
        return features, starts
    samples: list[NDArray[np.int64]] = []
    for label in (True, False):
        rows = np.flatnonzero(starts == label)
        step = max(1, -(-len(rows) // (_MOST_EXAMPLES // 2)))
        samples.append(rows[::step])
    rows = np.sort(np.concatenate(samples))
    return features[rows], starts[rows]


def _fit(features: Floats, labels: Floats) -> Floats:
    """``(f + 1,)`` weights, the intercept last, that minimise the class-balanced logistic loss with a ridge penalty."""
    from sklearn.linear_model import LogisticRegression

    balance = np.where(labels > 0, 0.5 / labels.sum(), 0.5 / (1 - labels).sum())
    model = LogisticRegression(C=1 / _RIDGE, solver="newton-cholesky", tol=1e-8, max_iter=_STEPS)
    model.fit(features, labels, sample_weight=balance)
    return np.append(model.coef_[0], model.intercept_)
