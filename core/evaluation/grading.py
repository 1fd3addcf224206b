"""Grades an answer by its claims, against the context it was made from, the question and the reference answer.

Each claim is verified by ``core.search.checking``: numbers, names, dates and negations have to agree, other wording
may differ and is judged by our cross-encoder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.evaluation.metrics.answers import answer_hit, normalised
from core.evaluation.metrics.claims import claim_recall, faithfulness, hallucination_rate
from core.evidence import Passage
from core.search.checking.checking import SUPPORTED, Checker, Judge
from core.search.checking.claims import Claim, claims

_VERBATIM = 3  # words; a shorter text occurs in another by accident


def no_judge(claim: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """A judge that gives every text probability 0, so that claims are verified by their words alone."""
    return np.zeros(len(texts))


def grade(
    question: str, answer: str, reference: str, passages: Sequence[Passage], judge: Judge
) -> Mapping[str, float | None]:
    """Scores in [0, 1] by metric name, ``None`` where a metric does not apply.

    ``answer``: it claims nothing when "" or when it only says that the library has no answer. ``reference``: the known
    answer, "" for none.

    Beside the metrics of ``core.evaluation.metrics.claims``: "answer_relevancy" is the cross-encoder's probability that
    the answer answers the question (RAGAS has a language model guess the question back). For an answer without claims
    it is 0 with a reference and ``None`` without, where saying nothing may be right. "reference_recall" is the share of
    the reference's claims that the context supports (RAGAS's context recall).
    """
    answer_claims = [replace(claim, cited=()) for claim in claims(answer) if not claim.is_silence]
    reference_claims = claims(reference)
    by_context = _verdicts(answer_claims, passages, judge)
    scores: dict[str, float | None] = {
        "faithfulness": faithfulness(by_context),
        "hallucination_rate": hallucination_rate(by_context),
        "answer_relevancy": float(judge(question, [answer])[0]) if answer_claims else 0.0 if reference_claims else None,
        "reference_recall": claim_recall(_verdicts(reference_claims, passages, judge)),
        "claim_recall": claim_recall(_verdicts(reference_claims, [_passage(answer)] if answer_claims else [], judge)),
    }
    return scores


def _verdicts(items: Sequence[Claim], passages: Sequence[Passage], judge: Judge) -> list[str]:
    """The verdict on each claim. One that occurs verbatim is supported without a check by sentences.

    Reference answers are often parts of a sentence, which the check would not recognise.
    """
    checker = Checker(passages, judge)

    def verdict(claim: Claim) -> str:
        verbatim = len(normalised(claim.text).split()) >= _VERBATIM
        if verbatim and any(answer_hit(claim.text, passage.text) for passage in passages):
            return SUPPORTED
        return checker.check(replace(claim, cited=())).verdict

    return [verdict(claim) for claim in items]


def _passage(text: str) -> Passage:
    return Passage("", "", "", 0, len(text), text, 0, (), (), 1, 1.0, "")
