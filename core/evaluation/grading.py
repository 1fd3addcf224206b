"""An answer graded by its claims: against the context it was made of, the question, and the answer that is known.

Words that differ say nothing against an answer; numbers, names, dates and negations that differ do
(``core.search.checking``), and the rest is judged by our cross-encoder.
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

_VERBATIM = 3  # words, below which a text is hit by accident


def no_judge(claim: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Judges by words alone: no text is likely to say more than its words do."""
    return np.zeros(len(texts))


def graded(
    question: str, answer: str, reference: str, passages: Sequence[Passage], judge: Judge
) -> Mapping[str, float | None]:
    """Scores in [0, 1] by the names of their metrics, ``None`` where one does not apply.

    ``answer`` "" or one that says that the library does not say: it claims nothing. ``reference``: the answer that
    is known, "" for none. Beside those of ``core.evaluation.metrics.claims``: "answer_relevancy", how likely the
    answer answers the question (the cross-encoder's probability, where RAGAS has a language model guess the
    question back; 0 without a claim where an answer is known, for silence may be right where none is), and
    "reference_recall", the share of the reference's claims that the context supports (RAGAS's context recall).
    """
    said = [replace(claim, cited=()) for claim in claims(answer) if not claim.is_silence]
    known = claims(reference)
    by_context = _verdicts(said, passages, judge)
    scores: dict[str, float | None] = {
        "faithfulness": faithfulness(by_context),
        "hallucination_rate": hallucination_rate(by_context),
        "answer_relevancy": float(judge(question, [answer])[0]) if said else 0.0 if known else None,
        "reference_recall": claim_recall(_verdicts(known, passages, judge)),
        "claim_recall": claim_recall(_verdicts(known, [_passage(answer)] if said else [], judge)),
    }
    return scores


def _verdicts(found: Sequence[Claim], passages: Sequence[Passage], judge: Judge) -> list[str]:
    """What stands there word for word needs no check by sentences: known answers are often parts of one."""
    checker = Checker(passages, judge)

    def verdict(claim: Claim) -> str:
        verbatim = len(normalised(claim.text).split()) >= _VERBATIM
        if verbatim and any(answer_hit(claim.text, passage.text) for passage in passages):
            return SUPPORTED
        return checker.check(replace(claim, cited=())).verdict

    return [verdict(claim) for claim in found]


def _passage(text: str) -> Passage:
    return Passage("", "", "", 0, len(text), text, 0, (), (), 1, 1.0, "")
