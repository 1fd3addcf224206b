"""Names and meanings of the metrics, for the page and the HTML report alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MetricWords:
    """The words for a metric. ``short``: for column heads. ``name``: for prose.

    ``meaning``: a sentence; its ``{}`` stands for the budget or the cut-off k. ``over``: the phrase that names the
    cut-off in prose, with ``{}`` for k; "" for a metric at a budget.
    """

    short: str
    name: str
    meaning: str
    over: str = ""


_CHUNKS, _FIRST = ", of {} chunks", " of the first {} chunks"
METRICS: Mapping[str, MetricWords] = {
    "recall": MetricWords("recall", "Recall", "Share of the gold's characters that stand in {}."),
    "attained": MetricWords("attained", "Attained", "As recall, but of as much gold as fits into {}."),
    "precision": MetricWords("precision", "Precision", "Share of {} that is gold."),
    "iou": MetricWords("IoU", "IoU", "Gold and {}: what they share over what they cover together."),
    "full": MetricWords("full", "Read whole", "Share of the questions whose gold stands whole in {}."),
    "context_precision": MetricWords(
        "context precision", "Context precision", "How far passages with gold stand before those without, in {}."
    ),
    "context_recall": MetricWords(
        "context recall", "Context recall", "Share of the gold spans of which {} holds half or more."
    ),
    "answer_hit": MetricWords(
        "answer hit", "Answer in context", "Share of the questions whose written answer stands word for word in {}."
    ),
    "chunk_recall": MetricWords(
        "chunk recall", "Chunk recall", "Share of the chunks with gold among the first {} found.", _FIRST
    ),
    "mrr": MetricWords("MRR", "MRR", "One over the rank of the first chunk with gold, 0 beyond {}.", _FIRST),
    "chunk_ndcg": MetricWords(
        "chunk nDCG", "Chunk nDCG", "How high the chunks with gold rank among the first {}.", _FIRST
    ),
    "map": MetricWords("MAP", "MAP", "Mean precision at the ranks of the chunks with gold, to {}.", _FIRST),
    "ndcg": MetricWords(
        "nDCG", "nDCG", "How high the right documents rank among the first {}.", " of the first {} documents"
    ),
    "chroma_recall": MetricWords(
        "Chroma recall", "Recall, Chroma's way", "As Chroma's evaluation counts it, {} chunks.", _CHUNKS
    ),
    "chroma_precision": MetricWords(
        "Chroma precision", "Precision, Chroma's way", "As Chroma's evaluation counts it, {} chunks.", _CHUNKS
    ),
    "chroma_iou": MetricWords(
        "Chroma IoU", "IoU, Chroma's way", "As Chroma's evaluation counts it, {} chunks.", _CHUNKS
    ),
    "precision_omega": MetricWords(
        "precision Ω", "Precision Ω", "Precision if every chunk with gold and no other were read."
    ),
    "exact_match": MetricWords("exact match", "Exact match", "Share of the quoted answers that equal the written one."),
    "token_f1": MetricWords("token F1", "Token F1", "Words that the quoted and the written answer share, as F1."),
    "claim_recall": MetricWords(
        "claim recall",
        "Claim recall",
        "Share of the known answer's sentences that the answer supports, in any words.",
    ),
    "faithfulness": MetricWords(
        "faithfulness", "Faithfulness", "Share of the answer's sentences its context supports."
    ),
    "hallucination_rate": MetricWords(
        "hallucinations", "Hallucination rate", "Share of the answer's sentences that stand nowhere in its context."
    ),
    "answer_relevancy": MetricWords(
        "answer relevancy", "Answer relevancy", "How likely the answer answers the question, by our re-ranker."
    ),
    "reference_recall": MetricWords(
        "reference recall", "Reference recall", "Share of the written answer's sentences that the context supports."
    ),
}


_SPECIAL_BUDGETS = {"ended": "a context that ends by itself", "same": "a full context cut to that length"}


def metric_title(metric: str) -> str:
    """The name of a metric for a column head.

    >>> metric_title("iou@1000"), metric_title("recall@500t"), metric_title("token_f1"), metric_title("unheard_of")
    ('IoU@1000', 'recall@500t', 'token F1', 'unheard_of')
    """
    name, separator, suffix = metric.partition("@")
    return (METRICS[name].short if name in METRICS else name) + separator + suffix


def metric_words(metric: str) -> str:
    """The name of a metric in prose.

    >>> metric_words("recall@4000"), metric_words("recall@500t"), metric_words("ndcg@10")
    ('Recall in 4,000 characters', 'Recall in 500 tokens', 'nDCG of the first 10 documents')
    >>> metric_words("mrr@10"), metric_words("chroma_iou@5"), metric_words("token_f1")
    ('MRR of the first 10 chunks', "IoU, Chroma's way, of 5 chunks", 'Token F1')
    """
    name, _, suffix = metric.partition("@")
    words = METRICS.get(name, MetricWords(name, name, ""))
    if not suffix:
        return words.name
    return words.name + (words.over.format(suffix) if words.over else f" in {_budget_words(suffix)}")


def metric_meaning(metric: str) -> str:
    """The meaning of a metric as a sentence; "" for an unknown one.

    >>> metric_meaning("iou@1000")
    'Gold and the first 1,000 characters read: what they share over what they cover together.'
    >>> metric_meaning("recall@ended")
    "Share of the gold's characters that stand in a context that ends by itself."
    """
    name, _, suffix = metric.partition("@")
    if name not in METRICS:
        return ""
    words = METRICS[name]
    if words.over or not suffix:
        return words.meaning.format(suffix)
    budget = _budget_words(suffix)
    if suffix in _SPECIAL_BUDGETS:
        return words.meaning.format(budget)
    return words.meaning.format(f"a context of {budget}" if suffix.endswith("t") else f"the first {budget} read")


def _budget_words(suffix: str) -> str:
    """The budget of a metric in words: "1,000 characters" for "1000", "500 tokens" for "500t"."""
    if suffix in _SPECIAL_BUDGETS:
        return _SPECIAL_BUDGETS[suffix]
    number = suffix.removesuffix("t")
    number = f"{int(number):,}" if number.isdecimal() else number
    return f"{number} {'tokens' if suffix.endswith('t') else 'characters'}"
