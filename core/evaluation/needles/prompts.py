"""Asks a language model for a needle: from the retrieved passages in several orders, and from plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.evaluation.needles.facts import Needle
from core.evidence import Passage
from core.search.context.prompt import arrange
from core.search.context.written_prompt import written_prompt
from core.types import LanguageModel, Span

ORDERS = ("relevance", "edges")
"""Orders of the passages that are always compared, in addition to the settings' own."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to one planted sentence in one prompt.

    ``order``: of the passages, "" without retrieval. ``share``: the sentence's position, from 0 for the beginning of
    the prompt to 1 for its end. ``right``: whether the model's reply contains the answer.
    """

    order: str
    share: float
    right: bool


def ask_model(
    needle: Needle, passages: Sequence[Passage], order: str, model: LanguageModel
) -> tuple[list[bool], list[Answered]]:
    """Whether the reply has each sought sentence's answer, and an ``Answered`` for each one that is in the prompt.

    Raises ``ModelError``.
    """
    ranked = sorted(passages, key=lambda passage: passage.rank)
    prompt = written_prompt(needle.question, arrange(ranked, order))
    reply = model.complete(prompt)
    is_right, answers = [], []
    for sentence in needle.sentences:
        if sentence.sought:
            is_right.append(sentence.answered_by(reply))
            offset = prompt.find(sentence.text)
            if offset >= 0:
                answers.append(Answered(order, offset / len(prompt), is_right[-1]))
    return is_right, answers


def ask_without_retrieval(needle: Needle, text: str, model: LanguageModel) -> Answered:
    """Ask for the needle's first sentence with all of ``text``, which holds it at its depth, as the context.

    Raises ``ModelError``.
    """
    sentence = needle.sentences[0]
    offset = text.find(" ", round(len(text) * sentence.depth / 100))
    offset = len(text) if offset < 0 else offset
    planted = f"{text[:offset]} {sentence.text}{text[offset:]}"
    passage = Passage("", "Text", "", 0, len(planted), planted, 0, (), (Span(0, len(planted)),), 1, 1.0, "")
    prompt = written_prompt(needle.question, [passage])
    return Answered("", prompt.find(sentence.text) / len(prompt), sentence.answered_by(model.complete(prompt)))
