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


def claim_recall(reference: Sequence[str]) -> float | None:
    """Claims of the known answer that the answer supports, over all of them; ``None`` where nothing is known.

    An answer that says more loses nothing by it, as in the recall of RefChecker (Hu and others, 2024).

    >>> claim_recall(["supported", "not_found"]), claim_recall([])
    (0.5, None)
    """
    return _share(reference, SUPPORTED)


def _share(verdicts: Sequence[str], wanted: str) -> float | None:
    return sum(verdict == wanted for verdict in verdicts) / len(verdicts) if verdicts else None
