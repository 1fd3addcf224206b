"""Answer hit: whether the words of the answer stand in the context."""

from __future__ import annotations

from core.evaluation.metrics.answers import normalised


def answer_hit(answer: str, context_text: str) -> float:
    """1 where the normalised answer is a substring of the normalised text, else 0.

    It needs no gold spans, and pays for that: a short answer is hit by accident ("5" in "1950"), a reworded one never.
    0 for an answer of which the normalisation leaves nothing. With several accepted answers, the largest counts.
    Source: the string match of ALCE (Gao and others, "Enabling Large Language Models to Generate Text with Citations",
    EMNLP 2023), with SQuAD's normalisation.

    >>> answer_hit("The Nile.", "Egypt lies on the Nile, mostly."), answer_hit("Nile", "the Niger")
    (1.0, 0.0)
    """
    wanted = normalised(answer)
    return float(bool(wanted) and wanted in normalised(context_text))
