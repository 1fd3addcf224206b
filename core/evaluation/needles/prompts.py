"""What a language model makes of a needle: in the passages that were found, in two orders, and in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.evaluation.needles.facts import Needle
from core.evidence import Passage
from core.search.context.prompt import arrange
from core.search.context.written_prompt import written_prompt
from core.types import LanguageModel, Span

ORDERS = ("relevance", "edges")
"""Always compared; the settings' own order is asked for besides."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One planted sentence in one prompt. ``order``: of the passages, "" without retrieval. ``share``: where it stands,
    0 at the beginning and 1 at the end. ``right``: the answer held it.
    """

    order: str
    share: float
    right: bool


def answered(
    needle: Needle, passages: Sequence[Passage], order: str, model: LanguageModel
) -> tuple[list[bool], list[Answered]]:
    """Of each sought sentence whether the model told it, and where those stood that were in the prompt.

    Raises ``ModelError``.
    """
    ranked = sorted(passages, key=lambda passage: passage.rank)
    told, seen = [], []
    prompt = written_prompt(needle.question, arrange(ranked, order))
    said = model.complete(prompt)
    for sentence in needle.sentences:
        if sentence.sought:
            told.append(sentence.answered_by(said))
            at = prompt.find(sentence.text)
            if at >= 0:
                seen.append(Answered(order, at / len(prompt), told[-1]))
    return told, seen


def without_retrieval(needle: Needle, text: str, model: LanguageModel) -> Answered:
    """The needle's first sentence at its depth in a text that is handed over whole. Raises ``ModelError``."""
    sentence = needle.sentences[0]
    at = text.find(" ", round(len(text) * sentence.depth / 100))
    at = len(text) if at < 0 else at
    whole = f"{text[:at]} {sentence.text}{text[at:]}"
    passage = Passage("", "Text", "", 0, len(whole), whole, 0, (), (Span(0, len(whole)),), 1, 1.0, "")
    prompt = written_prompt(needle.question, [passage])
    return Answered("", prompt.find(sentence.text) / len(prompt), sentence.answered_by(model.complete(prompt)))
