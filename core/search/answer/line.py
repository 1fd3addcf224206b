"""The answer line: quotes from the passages, and the probability that the library holds an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.embedding.answer_reader import load
from core.evidence import Answer, Hit, Passage, Quote
from core.search.answer.candidates import Quotable, Reads, quotables
from core.search.answer.choosing import QuoteOptions, choose_quotes
from core.search.answer.rows import Encode
from core.search.answer.scoring import (
    Mark,
    Marks,
    Reader,
    Signals,
    add_marks,
    mark_in_context,
    mark_lines,
    scores,
    signals,
)
from core.search.answer.support import SILENT, Evidence, Support, evidence, idf_weights, support, unmatched_terms
from core.settings.context import AnsweringSettings
from core.storage.catalogue.statistics import languages
from core.storage.catalogue.texts import documents
from core.storage.index.lexical import document_frequencies
from core.storage.store import Store
from core.text.languages import indexed_tokens, is_in_latin_letters, language_of
from core.text.sentences import parts_sentence
from core.types import Block


@dataclass(frozen=True, slots=True)
class StoreReads:
    """``LineReads`` over an open library.

    ``generation``: that of the searched leaves, 0 for an empty library. ``text(version_id)``: the canonical text.
    """

    store: Store
    generation: int
    text: Callable[[str], str]

    def blocks(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The blocks that overlap a span, in order; tables have the cells in the span and their headers."""
        return documents.blocks(self.store, version_id, start, end)

    def splits_sentence(self, version_id: str, offset: int) -> bool:
        """Whether the offset is inside a sentence."""
        return parts_sentence(self.text(version_id), offset)

    def leaf_counts(self, tokens: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """How many leaves contain each token, and the number of leaves; ({}, 0) for an empty library."""
        return document_frequencies(self.store, self.generation, tokens) if self.generation else ({}, 0)

    def languages(self) -> Sequence[str]:
        """The languages of the library's documents beside English."""
        return languages(self.store)


def packaged_reader(question: str, texts: Sequence[str], above: Sequence[str]) -> Sequence[Marks]:
    """A ``Reader`` that uses the packaged model, which is loaded at the first call."""
    return load().read(question, texts, above)


class LineReads(Reads, Protocol):
    """The catalogue reads of the answer line."""

    def leaf_counts(self, tokens: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """How many leaves contain each token, and the number of leaves."""

    def languages(self) -> Sequence[str]:
        """The languages of the library's documents beside English."""


@dataclass(frozen=True, slots=True)
class Line:
    """An answer line. ``answer``: without quotes if ``support`` is not enough. ``evidence``: the basis of ``support``.

    ``milliseconds``: the time to score the candidates, 0 if not measured.
    """

    answer: Answer
    support: Support
    evidence: Evidence
    milliseconds: float = 0.0

    @property
    def supported(self) -> bool:
        """Whether the support is enough and there is a quote."""
        return self.support.enough and bool(self.answer.quotes)

    @property
    def text(self) -> str:
        """The answer as text: a line for each quote, or a sentence that the library does not say.

        >>> silent = Support(0.5, True, "The library is likely to say: 50%.")
        >>> Line(Answer(()), silent, Evidence()).text
        'The library does not say: no sentence that was read supports an answer.'
        """
        if not self.support.enough:
            return self.support.sentence
        if not self.answer.quotes:
            return f"{SILENT}: no sentence that was read supports an answer."
        return "\n".join(map(in_words, self.answer.quotes))


def in_words(quote: Quote) -> str:
    """A quote as one line: a cell after its label, the cells of a row after their headers."""
    if quote.cells:
        return "; ".join(f"{header}: {words}" if header else words for header, words in quote.cells)
    text = " ".join(quote.text.split())
    return f"{quote.told}: {text}" if quote.told else text


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """The candidates of an answer line with their signals, and the evidence that there is an answer.

    ``signals``, ``marks``: aligned with ``candidates``. ``missing``: from ``unmatched_terms``.
    ``milliseconds``: the time to score, 0 if not measured. ``latin``: False for a question in letters that encoder and
    reader did not learn; the reader is not asked then.
    """

    candidates: tuple[Quotable, ...]
    signals: tuple[Signals, ...]
    marks: tuple[Mark | None, ...]
    evidence: Evidence
    missing: str = ""
    milliseconds: float = 0.0
    latin: bool = True


def score_candidates(
    question: str,
    passages: Sequence[Passage],
    hits: Sequence[Hit],
    encode: Encode,
    reads: LineReads,
    reader: Reader | None = None,
    *,
    multilingual: bool = False,
) -> ScoredCandidates:
    """The quotable candidates of a result with their signals.

    ``hits``: the retrieved children, best first. ``encode(texts)``: ``(n, d)`` unit vectors. ``reader``: marks
    short answers; ``None`` for none. ``multilingual``: whether the encoder may have learned other than Latin letters.
    """
    candidates = quotables(passages, hits, reads)
    vectors = encode([question, *(item.reading for item in candidates)])
    cosines = (vectors[1:] @ vectors[0]).astype(np.float64)
    language, latin = language_of(question, reads.languages()), multilingual or is_in_latin_letters(question)
    if not latin:
        reader = None
    leaf_counts, total = reads.leaf_counts(list(dict.fromkeys(indexed_tokens(question, language))))
    idf = idf_weights(leaf_counts, total)
    unread_signals = signals(question, candidates, cosines, idf, language)
    marks = mark_lines(question, candidates, scores(unread_signals, latin), reader)
    all_signals = add_marks(unread_signals, marks)
    best = int(scores(all_signals, latin).argmax()) if candidates else None
    context_mark = mark_in_context(question, candidates, marks, best, reader)
    return ScoredCandidates(
        tuple(candidates),
        tuple(all_signals),
        tuple(marks),
        evidence(question, passages, candidates, cosines, context_mark, idf, best, language, other_letters=not latin),
        unmatched_terms(question, passages, [token for token, count in leaf_counts.items() if not count], language),
        latin=latin,
    )


def answer_line(
    options: QuoteOptions, scored: ScoredCandidates, settings: AnsweringSettings, likely: float | None = None
) -> Line:
    """The best quotes, and the probability that the library holds an answer.

    ``likely``: a calibrated re-ranker's highest probability that a chunk answers; ``None`` without one.
    """
    answer_support = support(scored.evidence, settings.least_support, likely, scored.missing)
    answer = Answer(())
    if answer_support.enough:
        values = scores(scored.signals, scored.latin)
        answer = choose_quotes(options, scored.candidates, values, scored.marks, settings.sentences)
    return Line(answer, answer_support, scored.evidence, scored.milliseconds)


def no_line(likely: float | None = None) -> Line:
    """The line when quotes are switched off: without quotes, and without saying that the library has no answer."""
    no_evidence = evidence("", (), (), np.zeros(0))
    return Line(Answer(()), support(no_evidence, likely=likely), no_evidence)
