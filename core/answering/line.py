"""The answer line in one call: candidates, quotes, and whether the library answers at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from core.answering.compared import ROWS, Compared, compared_quotes
from core.answering.extractive import choose_quotes, sentences_of
from core.answering.support import Evidence, Support, evidence, support
from core.retrieval.bounds import Comparison
from core.retrieval.comparing import Listing
from core.settings.answering import AnsweringSettings
from core.text.analysis import analyse
from core.types import Answer, Block, Passage, Quote, Span, Vectors


class LineReads(Protocol):
    """The catalogue as the answer line needs it."""

    def headings(self, version_id: str) -> Sequence[Span]:
        """Where a version's headings stand."""

    def tables(self, version_id: str, start: int, end: int) -> Sequence[Block]:
        """The tables that reach into a span, with at least the cells in it and the header."""

    def code(self, version_id: str, start: int, end: int) -> Sequence[Span]:
        """Where listings and raw HTML reach into a span."""

    def cut(self, version_id: str, place: int) -> bool:
        """Whether a passage that begins or ends there parts a sentence."""

    def rows(self, asked: Comparison, passages: Sequence[Passage], most: int) -> Listing:
        """The rows of tables in the passages that satisfy a comparison which asks to list them."""

    def page(self, version_id: str, offset: int) -> int | None:
        """The page an offset stands on, if the document has pages."""

    def rarity(self, tokens: Sequence[str]) -> Mapping[str, float]:
        """What tokens of a question weigh, rare ones more."""


@dataclass(frozen=True, slots=True)
class Line:
    """``answer`` has no quotes where ``support`` is not enough. ``evidence``: what ``support`` was made of.

    ``compared``: what tables answer of a comparison, ``None`` where none do.
    """

    answer: Answer
    support: Support
    evidence: Evidence
    compared: Compared | None = None

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
        lines = [in_words(quote) for quote in self.answer.quotes]
        return "\n".join([*lines, self.compared.sentence] if self.compared and self.compared.more else lines)


def in_words(quote: Quote) -> str:
    """A quote on one line, a cell with what it is of."""
    said = " ".join(quote.text.split())
    return f"{quote.told}: {said}" if quote.told else said


def answer_line(
    question: str,
    passages: Sequence[Passage],
    similarities: Sequence[float],
    encode: Callable[[Sequence[str]], Vectors],
    reads: LineReads,
    settings: AnsweringSettings,
    intent: str = "",
    likely: float | None = None,
    comparison: Comparison | None = None,
) -> Line:
    """The best supported quotes of a result and how likely the library holds an answer.

    ``similarities``: cosines of the question to the best chunks; () where nothing was searched by meaning.
    ``encode(texts)``: ``(n, d)`` unit vectors. ``intent``: as question analysis has it, "" for none. ``likely``: the
    probability that one of the chunks answers, by a calibrated re-ranker; ``None`` where none read them.
    ``comparison``: what the question asks of a number. Cells of tables in the passages that satisfy it are quoted
    first, and support an answer whatever else speaks for one; sentences fill what they leave of the settings' number.
    With ``settings.sentences`` 0 nothing is read or encoded, and support is told from the similarities alone.
    """
    if not settings.sentences:
        found = evidence(question, similarities, (), (), np.zeros(0, dtype=np.float32))
        return Line(Answer(()), support(found, likely=likely), found)
    sentences = sentences_of(passages, reads.headings, reads.tables, reads.code, reads.cut)
    vectors = encode([question, *(item.reading for item in sentences)])
    meaning = vectors[1:] @ vectors[0]
    rarity = reads.rarity(list(dict.fromkeys(analyse(question))))
    found = evidence(question, similarities, passages, sentences, meaning, rarity)
    supported = support(found, settings.least_support, likely)
    quotes: tuple[Quote, ...] = ()
    if supported.enough:
        chosen = choose_quotes(question, vectors[0], sentences, vectors[1:], reads.page, settings.sentences, intent)
        quotes = chosen.quotes
    listing = reads.rows(comparison, passages, ROWS) if comparison and comparison.listed else Listing()
    if comparison is None or not listing.rows:
        return Line(Answer(quotes), supported, found)
    compared = Compared(comparison, len(listing.rows), listing.count)
    cells = compared_quotes(listing, passages, reads.page)
    others = [quote for quote in quotes if not _in_tables(quote, listing)]
    quotes = (*cells, *others[: max(0, settings.sentences - len(cells))])
    return Line(Answer(quotes), replace(supported, enough=True, sentence=compared.sentence), found, compared)


def _in_tables(quote: Quote, listing: Listing) -> bool:
    """Whether a quote is of a table that was looked at, in part: its rows are listed, or do not satisfy."""
    place = quote.citation
    return any(
        place.version_id == version_id and place.start < table.end and table.start < place.end
        for version_id, table in listing.tables
    )
