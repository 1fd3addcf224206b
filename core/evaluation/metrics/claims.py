"""Metrics of an answer's claims: one claim a sentence, each with its verdict from ``core.search.checking``."""

from __future__ import annotations

from collections.abc import Sequence

from core.search.checking.checking import NOT_FOUND, SUPPORTED


def faithfulness(verdicts: Sequence[str]) -> float | None:
    """The share of an answer's claims that its context supports; ``None`` for an answer without claims.

    Source: RAGAS's faithfulness (Es and others, "RAGAS: Automated Evaluation of Retrieval Augmented Generation", EACL
    2024), where a language model extracts and judges statements. Here sentences are judged by our claim check.

    >>> faithfulness(["supported", "supported", "partly", "not_found"])
    0.5
    """
    return _share(verdicts, SUPPORTED)


def hallucination_rate(verdicts: Sequence[str]) -> float | None:
    """The share of an answer's claims that are not found in its context; ``None`` for an answer without claims.

    Lower is better. A partly supported claim counts neither here nor in ``faithfulness``. Source: one minus FActScore
    (Min and others, EMNLP 2023), over sentences instead of atomic facts.

    >>> hallucination_rate(["supported", "supported", "partly", "not_found"])
    0.25
    """
    return _share(verdicts, NOT_FOUND)


def claim_recall(reference: Sequence[str]) -> float | None:
    """The share of the reference answer's claims that the answer supports; ``None`` without reference claims.

    Additional claims of the answer cost nothing, as in the recall of RefChecker (Hu and others, 2024).

    >>> claim_recall(["supported", "not_found"]), claim_recall([])
    (0.5, None)
    """
    return _share(reference, SUPPORTED)


def _share(verdicts: Sequence[str], counted: str) -> float | None:
    return sum(verdict == counted for verdict in verdicts) / len(verdicts) if verdicts else None
