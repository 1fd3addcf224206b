"""The choice of quotes among the scored candidates: one, or several if the question asks for several things."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evidence import Answer, Citation, Quote
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
    quotes: list[Quote] = []
    quoted_terms: list[frozenset[str]] = []
    for index in chosen:
        if len(quotes) == limit:
            break
        quote = _quote(options, candidates[index], _probability(values[index]), marks[index], candidates)
        terms = frozenset(analyse(f"{quote.told} {quote.text}"))
        if any(len(terms & other) >= _DUPLICATE_SHARE * min(len(terms), len(other)) for other in quoted_terms):
            continue
        quoted_terms.append(terms)
        quotes.append(quote)
    return Answer(tuple(quotes))


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
