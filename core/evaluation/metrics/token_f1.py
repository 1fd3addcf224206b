"""Token F1: how many words an answer given and the answer known share."""

from __future__ import annotations

from collections import Counter

from core.evaluation.metrics.answers import normalised


def token_f1(prediction: str, answer: str) -> float:
    """Harmonic mean of precision and recall over the normalised words, each counted as often as both have it.

    Where either has no word left: 1 when neither has, else 0. With several accepted answers, the largest counts.
    Source: SQuAD's "F1", the case without words as in v2.0 (Rajpurkar, Jia and Liang, "Know What You Don't Know:
    Unanswerable Questions for SQuAD", ACL 2018).

    >>> token_f1("in the year 1969", "1969")
    0.5
    """
    given, known = normalised(prediction).split(), normalised(answer).split()
    if not given or not known:
        return float(given == known)
    # 2PR / (P + R) with P = shared / given and R = shared / known.
    return 2 * (Counter(given) & Counter(known)).total() / (len(given) + len(known))
