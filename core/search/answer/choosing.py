"""The choice of quotes among the scored candidates: one, or several if the question asks for several things."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.evidence import Answer, Citation, Quote
from core.search.answer.asking import missing_terms, named_terms, passage_text
from core.search.answer.candidates import LONGEST, Quotable
from core.search.answer.rows import Encode, asked_cell, names_label
from core.search.answer.scoring import Mark
from core.text.analysis import analyse
from core.text.polarity import polarity
from core.types import Span

Page = Callable[[str, int], int | None]

_ASKS_SEVERAL = frozenset({"procedure", "comparison"})  # intents
_SHARE_OF_BEST = 0.5  # a further quote needs this share of the best one's probability
_DUPLICATE_SHARE = 0.8  # quotes that share this part of the shorter one's terms count as the same
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LEAD_IN = re.compile(r":\W*\Z")


@dataclass(frozen=True, slots=True)
class QuoteOptions:
    """What the choice of quotes depends on besides the candidates.

    ``page(version_id, offset)``: the page of a place. ``intent``: ``Understanding.intent``. ``differing``: (version id,
    span) of sentences that contradict each other: if the best quote is one of them, the others are quoted too.
    ``encode``: matches table headers by meaning; ``None`` by terms only.
    """

    question: str
    page: Page
    intent: str = ""
    differing: Sequence[tuple[str, Span]] = ()
    encode: Encode | None = None

    @property
    def several(self) -> bool:
        """Whether the question asks for several things."""
        return self.intent in _ASKS_SEVERAL


def choose_quotes(
    options: QuoteOptions,
    candidates: Sequence[Quotable],
    values: NDArray[np.float64],
    marks: Sequence[Mark | None],
    limit: int,
) -> Answer:
    """The quotes, best first, without duplicates.

    ``values``: ``(len(candidates),)`` log-odds, from ``scoring.scores``. ``limit``: most quotes. Of a table row only a
    single cell is quoted, with its label, if the question determines it or the reader marks it. A quote below a
    negative heading is labelled with it: "Never do this: …".
    """
    order = np.argsort(-values, kind="stable").tolist()
    if not order or limit < 1:
        return Answer(())
    best = order[0]
    chosen = [best]
    if options.several:
        threshold = _probability(values[best]) * _SHARE_OF_BEST
        chosen += [index for index in order[1:] if _probability(values[index]) >= threshold]
    elif _overlaps_any(candidates[best], options.differing):
        chosen += [index for index in order[1:] if _overlaps_any(candidates[index], options.differing)]
    else:
        likely, figure = (index for index in order[1:] if values[index] > 0), _figure_of(candidates[best], marks[best])
        others = (it for it in likely if _says_otherwise(options.question, figure, candidates[it], marks[it]))
        chosen += islice(others, 1)
    quotes: list[Quote] = []
    for index in chosen:
        if len(quotes) == limit:
            break
        quote = _quote(options, candidates[index], _probability(values[index]), marks[index], candidates)
        if not any(_say_the_same(quote, other) for other in quotes):
            quotes.append(quote)
    return Answer(tuple(quotes))


def _say_the_same(one: Quote, other: Quote) -> bool:
    """Whether nearly all words of the shorter quote are in the other one, and all numbers of one of them."""
    terms, others = (frozenset(analyse(f"{quote.told} {quote.text}")) for quote in (one, other))
    numbers, other_numbers = (frozenset(_NUMBER.findall(quote.text)) for quote in (one, other))
    shared = len(terms & others) >= _DUPLICATE_SHARE * min(len(terms), len(others))
    return shared and (numbers <= other_numbers or other_numbers <= numbers)


@dataclass(frozen=True, slots=True)
class _Figure:
    """The numbers of a short answer in a document, and what else it says: "£{}", "{} minutes"."""

    version_id: str
    numbers: tuple[str, ...]
    unit: str


def _says_otherwise(question: str, best: _Figure | None, line: Quotable, mark: Mark | None) -> bool:
    """Whether a line of another document answers with another number of the same unit than the best line does.

    What the question names, its passage must name as well, or it is about another year or another thing.
    """
    other = _figure_of(line, mark)
    if best is None or other is None or best.version_id == other.version_id:
        return False
    if best.unit != other.unit or best.numbers == other.numbers:
        return False
    return not missing_terms(named_terms(question), [passage_text(line.passage)])


def _figure_of(line: Quotable, mark: Mark | None) -> _Figure | None:
    """That of the line's marked short answer; ``None`` without a number or a mark."""
    if mark is None or mark.score <= 0:
        return None
    passage = line.passage
    short = passage.text[mark.span.start - passage.start : mark.span.end - passage.start]
    numbers = tuple(_NUMBER.findall(short))
    unit = " ".join(_NUMBER.sub("{}", short).casefold().split())
    return _Figure(passage.version_id, numbers, unit) if numbers else None


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, float(log_odds)))))


def _overlaps_any(item: Quotable, spans: Sequence[tuple[str, Span]]) -> bool:
    return any(version == item.passage.version_id and span.overlap(item.span) for version, span in spans)


def _quote(
    options: QuoteOptions, item: Quotable, score: float, mark: Mark | None, candidates: Sequence[Quotable]
) -> Quote:
    """The quote of a candidate: a cell of its row, the list around it, or its own text."""
    passage = item.passage
    label, span = "", item.span
    if item.row is not None:
        label, span = asked_cell(item.row, options.question, options.encode)
        if not label and mark and mark.score > 0 and not names_label(item.row, mark.span, options.question):
            label, span = item.row.cell_label(mark.span)
    else:
        span = _list_span(item, candidates, options.several)
        heading = item.headings.rpartition(" › ")[2]
        label = item.cell_label or (heading if polarity(heading).denied else "")
    text = passage.text[span.start - passage.start : span.end - passage.start]
    page = options.page(passage.version_id, span.start)
    return Quote(
        text=text,
        score=score,
        citation=Citation(passage.version_id, passage.document, passage.source, span.start, span.end, page),
        told=label,
        kind="cell" if item.cell_label or (label and item.row is not None) else item.kind,
        cells=() if item.row is None or label else item.row.words(passage.text, passage.start),
        short=_short_answer(span, mark),
    )


def _short_answer(span: Span, mark: Mark | None) -> Span | None:
    """The marked short answer as a span of the quote; ``None`` without one, and for one that is the whole quote.

    ``span``: that of the quote in the document.
    """
    if mark is None or mark.score <= 0 or not span.contains(mark.span) or mark.span == span:
        return None
    return Span(mark.span.start - span.start, mark.span.end - span.start)


def _list_span(item: Quotable, candidates: Sequence[Quotable], several: bool) -> Span:
    """The item's span, extended by list items: those that follow if it introduces a list, those on both sides if it is
    a list item and the question asks for several things.
    """
    introduces = _LEAD_IN.search(item.text) is not None
    if not introduces and not (several and item.kind == "item"):
        return item.span
    siblings = sorted((other.span for other in _sibling_items(item, candidates)), key=lambda span: span.start)
    start, end = item.span.start, item.span.end
    for span in siblings:
        if span.start >= end and span.start - end < 4 and span.end - start <= LONGEST:
            end = span.end
    if not introduces:
        for span in reversed(siblings):
            if span.end <= start and start - span.end < 4 and end - span.start <= LONGEST:
                start = span.start
    return Span(start, end)


def _sibling_items(item: Quotable, candidates: Sequence[Quotable]) -> Iterator[Quotable]:
    return (
        other
        for other in candidates
        if other.kind == "item" and other.passage is item.passage and other.span != item.span
    )
