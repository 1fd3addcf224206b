"""Answers by their claims: a sentence each, with the verdict of ``core.search.checking`` on it."""

from __future__ import annotations

from collections.abc import Sequence

from core.search.checking.checking import NOT_FOUND, SUPPORTED


def faithfulness(verdicts: Sequence[str]) -> float | None:
    """Claims of an answer that its context supports, over all of them; ``None`` for an answer that claims nothing.

    Source: faithfulness as of RAGAS (Es and others, "RAGAS: Automated Evaluation of Retrieval Augmented Generation",
    EACL 2024), whose statements a language model makes and judges: here they are sentences, judged by our check.

    >>> faithfulness(["supported", "supported", "partly", "not_found"])
    0.5
    """
    return _share(verdicts, SUPPORTED)


def hallucination_rate(verdicts: Sequence[str]) -> float | None:
    """Claims of an answer that stand nowhere in its context, over all of them; better when lower. ``None`` as above.

    What is said there in part is neither faithful nor a hallucination. Source: the rate of unsupported atomic facts, 1
    less FActScore (Min and others, EMNLP 2023), over sentences.

    >>> hallucination_rate(["supported", "supported", "partly", "not_found"])
    0.25
    """
    return _share(verdicts, NOT_FOUND)


def claim_f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    """``2PR / (P + R)``: P the share of the answer's claims that the reference supports, R the other way round; 0
    where either claims nothing, or nothing is shared.

    Source: F1 over statements, as RAGAS's answer correctness and RefChecker (Hu and others, 2024) have it.

    >>> claim_f1(["supported", "not_found"], ["supported"]), claim_f1([], ["not_found"])
    (0.6666666666666666, 0.0)
    """
    precision, recall = _share(answer, SUPPORTED) or 0.0, _share(reference, SUPPORTED) or 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _share(verdicts: Sequence[str], wanted: str) -> float | None:
    return sum(verdict == wanted for verdict in verdicts) / len(verdicts) if verdicts else None
