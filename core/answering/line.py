"""The answer line in one call: candidates, quotes, and whether the library answers at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.answering.extractive import choose_quotes, sentences_of
from core.answering.support import Evidence, Support, evidence, support
from core.settings.answering import AnsweringSettings
from core.text.analysis import analyse
from core.types import Answer, Block, Passage, Span, Vectors


class LineReads(Protocol):
    """The catalogue as the answer line needs it."""

    def headings(self, version_id: str) -> Sequence[Span]:
        """Where a version's headings stand."""

    def tables(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The tables that reach into a span, with at least the cells in it and the header."""

    def code(self, version_id: str, start: int, end: int) -> Sequence[Span]:
        """Where listings and raw HTML reach into a span."""

    def page(self, version_id: str, offset: int) -> int | None:
        """The page an offset stands on, if the document has pages."""

    def rarity(self, tokens: Sequence[str]) -> Mapping[str, float]:
        """What tokens of a question weigh, rare ones more."""


@dataclass(frozen=True, slots=True)
class Line:
    """``answer`` has no quotes where ``support`` is not enough. ``evidence``: what ``support`` was made of."""

    answer: Answer
    support: Support
    evidence: Evidence


def answer_line(
    question: str,
    passages: Sequence[Passage],
    similarities: Sequence[float],
    encode: Callable[[Sequence[str]], Vectors],
    reads: LineReads,
    settings: AnsweringSettings,
    intent: str = "",
    likely: float | None = None,
) -> Line:
    """The best supported quotes of a result and how likely the library holds an answer.

    ``similarities``: cosines of the question to the best chunks; () where nothing was searched by meaning.
    ``encode(texts)``: ``(n, d)`` unit vectors. ``intent``: as question analysis has it, "" for none. ``likely``: the
    probability that one of the chunks answers, by a calibrated re-ranker; ``None`` where none read them.
    With ``settings.sentences`` 0 nothing is read or encoded, and support is told from the similarities alone.
    """
    if not settings.sentences:
        found = evidence(question, similarities, (), (), np.zeros(0, dtype=np.float32))
        return Line(Answer(()), support(found, likely=likely), found)
    sentences = sentences_of(passages, reads.headings, reads.tables, reads.code)
    vectors = encode([question, *(item.reading for item in sentences)])
    meaning = vectors[1:] @ vectors[0]
    rarity = reads.rarity(list(dict.fromkeys(analyse(question))))
    found = evidence(question, similarities, passages, sentences, meaning, rarity)
    supported = support(found, settings.least_support, likely)
    if not supported.enough:
        return Line(Answer(()), supported, found)
    quotes = choose_quotes(question, vectors[0], sentences, vectors[1:], reads.page, settings.sentences, intent)
    return Line(quotes, supported, found)
