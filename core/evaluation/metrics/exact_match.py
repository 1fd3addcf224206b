"""Exact match of an answer given and the answer known."""

from __future__ import annotations

from core.evaluation.metrics.answers import normalised


def exact_match(prediction: str, answer: str) -> float:
    """1 where both are the same once normalised, else 0; with several accepted answers, the largest counts.

    Source: SQuAD's "EM" (Rajpurkar and others, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP
    2016).

    >>> exact_match("the U.S.", "US"), exact_match("the US Army", "US")
    (1.0, 0.0)
    """
    return float(normalised(prediction) == normalised(answer))
