"""The answer line in one call: candidates, quotes, and whether the library answers at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.embedding.answer_reader import load
from core.evidence import Answer, Hit, Passage, Quote
from core.search.answer.candidates import Quotable, Reads, quotables
from core.search.answer.choosing import Choosing, choose_quotes
from core.search.answer.rows import Encode
from core.search.answer.scoring import Mark, Marks, Reader, Signals, mark_amid, marks_of, scores, signals, with_marks
from core.search.answer.support import Evidence, Support, evidence, rarity_of, support, unnamed
from core.settings.context import AnsweringSettings
from core.storage.catalogue import documents
from core.storage.index.lexical import document_frequencies
from core.storage.store import Store
from core.text.analysis import analyse
from core.text.sentences import parts_sentence
from core.types import Block


@dataclass(frozen=True, slots=True)
class StoreReads:
    """``LineReads`` over an open library; ``generation``: of the leaves that were searched, 0 for none.

    ``text(version_id)``: a version's canonical text.
    """

    store: Store
    generation: int
    text: Callable[[str], str]

    def blocks(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The blocks that reach into a span, in order, tables with the cells in it and their headers."""
        return documents.blocks(self.store, version_id, start, end)

    def cut(self, version_id: str, place: int) -> bool:
        """Whether a passage that begins or ends there parts a sentence."""
        return parts_sentence(self.text(version_id), place)

    def holders(self, tokens: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """How many leaves hold each token, and how many there are; nothing is known of tokens in an empty library."""
        return document_frequencies(self.store, self.generation, tokens) if self.generation else ({}, 0)


def packaged_reader(question: str, texts: Sequence[str], above: Sequence[str]) -> Sequence[Marks]:
    """Marks answers by the small reader that comes with Lectern, which is loaded when the first question wants it."""
    return load().read(question, texts, above)


class LineReads(Reads, Protocol):
    """The catalogue as the answer line needs it."""

    def holders(self, tokens: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """How many leaves hold each token of a question, and how many leaves there are."""


@dataclass(frozen=True, slots=True)
class Line:
    """``answer`` has no quotes where ``support`` is not enough. ``evidence``: what ``support`` was made of.

    ``milliseconds``: that finding the quotes took, 0 where it was not measured.
    """

    answer: Answer
    support: Support
    evidence: Evidence
    milliseconds: float = 0.0

    @property
    def supported(self) -> bool:
        """Something is quoted, and what speaks for an answer is enough."""
        return self.support.enough and bool(self.answer.quotes)

    @property
    def text(self) -> str:
        """The answer in words: a line for each quote, cells with what they are of; or that the library does not say.

        >>> silent = Support(0.5, True, "The library is likely to say: 50%.")
        >>> Line(Answer(()), silent, Evidence()).text
        'The library does not say: no sentence that was read supports an answer.'
        """
        if not self.support.enough:
            return self.support.sentence
        if not self.answer.quotes:
            return "The library does not say: no sentence that was read supports an answer."
        return "\n".join(map(in_words, self.answer.quotes))


def in_words(quote: Quote) -> str:
    """A quote on one line, a cell with what it is of, a row with its headers."""
    if quote.cells:
        return "; ".join(f"{header}: {words}" if header else words for header, words in quote.cells)
    said = " ".join(quote.text.split())
    return f"{quote.told}: {said}" if quote.told else said


@dataclass(frozen=True, slots=True)
class Weighed:
    """What an answer line is chosen from: the candidates with what speaks for each, and for there being an answer.

    ``missing``: what the question names and nothing that was found says. ``milliseconds``: that weighing took, 0 where
    it was not measured.
    """

    candidates: tuple[Quotable, ...]
    signals: tuple[Signals, ...]
    marks: tuple[Mark | None, ...]
    evidence: Evidence
    missing: tuple[str, ...] = ()
    milliseconds: float = 0.0


def weigh(
    question: str,
    passages: Sequence[Passage],
    hits: Sequence[Hit],
    encode: Encode,
    reads: LineReads,
    intent: str = "",
    read: Reader | None = None,
) -> Weighed:
    """The candidates of a result and what speaks for them.

    ``hits``: the retrieved children, best first. ``encode(texts)``: ``(n, d)`` unit vectors. ``intent``: as question
    analysis has it, "" for none. ``read``: marks short answers, ``None`` for nothing that does.
    """
    candidates = quotables(passages, hits, reads)
    vectors = encode([question, *(item.reading for item in candidates)])
    meaning = (vectors[1:] @ vectors[0]).astype(np.float64)
    holders, total = reads.holders(list(dict.fromkeys(analyse(question))))
    rarity = rarity_of(holders, total)
    unread = signals(question, candidates, meaning, rarity, intent)
    marks = marks_of(question, candidates, scores(unread), read)
    found = with_marks(question, candidates, unread, marks, intent)
    order = np.argsort(-scores(found), kind="stable").tolist()
    best = next((at for at in order if candidates[at].whole), None)
    amid = mark_amid(question, candidates, marks, best, read)
    return Weighed(
        tuple(candidates),
        tuple(found),
        tuple(marks),
        evidence(question, passages, candidates, meaning, amid, rarity, best),
        unnamed(question, passages, [token for token, count in holders.items() if not count]),
    )


def answer_line(by: Choosing, weighed: Weighed, settings: AnsweringSettings, likely: float | None = None) -> Line:
    """The best supported quotes of a result and how likely the library holds an answer.

    ``likely``: the probability that one of the chunks answers, by a calibrated re-ranker; ``None`` where none read
    them.
    """
    supported = support(weighed.evidence, settings.least_support, likely, weighed.missing)
    if not supported.enough:
        return Line(Answer(()), supported, weighed.evidence, weighed.milliseconds)
    values = scores(weighed.signals)
    quotes = choose_quotes(by, weighed.candidates, values, weighed.marks, settings.sentences)
    return Line(quotes, supported, weighed.evidence, weighed.milliseconds)


def no_line(likely: float | None = None) -> Line:
    """Where nothing is to be quoted: what is not asked is not denied."""
    found = evidence("", (), (), np.zeros(0))
    return Line(Answer(()), support(found, likely=likely), found)
