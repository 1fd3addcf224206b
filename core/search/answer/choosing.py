"""The choice of quotes among the scored candidates: one, or several if the question asks for several things."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evidence import Answer, Citation, Quote
from core.search.answer.asking import answer_type, contains_type
from core.search.answer.candidates import LONGEST, Quotable
from core.search.answer.rows import Encode, asked_cell
from core.search.answer.scoring import Mark
from core.text.analysis import analyse
from core.text.polarity import polarity
from core.types import Span

Page = Callable[[str, int], int | None]

_SEVERAL = re.compile(
    r"\b(?:what|which) (?:\w+ ){0,3}?\w+s (?:are|were|do|did|can|have|does)\b|\b(?:what|which) are\b|\blist\b|\bsteps\b"
    r"|\bname (?:the|all|some|\w+s\b)|\ball (?:the )?\w+s\b|\bdifferences?\b|\bpros and cons\b|\breasons\b"
    r"|\band (?:what|which|how|when|whom?|where|why)\b|\bways\b|\bexamples\b",
    re.IGNORECASE,
)
_SHARE_OF_BEST = 0.5  # a further quote needs this share of the best one's probability
_LABEL = re.compile(r"\W*\w+\.?\s+(\d[\d.]*)\s*[:.–—]")  # "Figure 3:": the number of a caption is never an answer
_DUPLICATE_SHARE = 0.8  # quotes that share this part of the shorter one's terms count as the same
_BRACKETS = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»"}
_LEAD_IN = re.compile(r":\W*\Z")


def asks_several(question: str, intent: str = "") -> bool:
    """Whether a question asks for more than one thing. ``intent``: ``Understanding.intent``.

    >>> asks_several("Which formats are supported?"), asks_several("What is the limit, and who set it?")
    (True, True)
    >>> asks_several("How long is a token valid?"), asks_several("How do I reset it?", "procedure")
    (False, True)
    """
    return intent in {"procedure", "comparison"} or _SEVERAL.search(question) is not None


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
        return asks_several(self.question, self.intent)


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
    order = [index for index in np.argsort(-values, kind="stable").tolist() if candidates[index].whole]
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
        if not label and mark is not None and mark.score > 0:
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
        short=_short_answer(options, text, span, mark),
    )


def _short_answer(options: QuoteOptions, text: str, span: Span, mark: Mark | None) -> Span | None:
    """The span of the marked short answer in the quoted ``text``; ``None`` if there is none worth showing.

    ``span``: that of the quote in the document. Not shown are a mark that covers the whole quote, the number of a
    caption, and a mark without the number or date asked for ("the day").
    """
    if mark is None or mark.score <= 0 or not span.contains(mark.span) or mark.span == span:
        return None
    marked = Span(mark.span.start - span.start, mark.span.end - span.start)
    caption = _LABEL.match(text)
    if caption and Span(*caption.span(1)).contains(marked):
        return None
    short = _balanced(text, marked)
    expected = answer_type(options.question, options.intent)
    if short is not None and expected and not contains_type(text[short.start : short.end], expected):
        return None
    return short


def _balanced(text: str, short: Span) -> Span | None:
    """The short answer extended by its closing brackets, or cut before an unclosed one; ``None`` if nothing is left.

    >>> said = "It is float(0.9), see (1)."
    >>> [said[span.start : span.end] for end in (15, 22) if (span := _balanced(said, Span(6, end)))]
    ['float(0.9)', 'float(0.9), see']
    >>> _balanced("(0.9)", Span(1, 5)), _balanced("f(0.9) is", Span(0, 4))
    (Span(start=1, end=4), Span(start=0, end=1))
    """
    start, end = short.start, short.end
    open_brackets: list[int] = []
    for offset in range(start, end):
        if text[offset] in _BRACKETS:
            open_brackets.append(offset)
        elif open_brackets and text[offset] == _BRACKETS[text[open_brackets[-1]]]:
            open_brackets.pop()
        elif text[offset] in _BRACKETS.values() and offset == end - 1:  # elsewhere it marks a list item: "a) …"
            end = offset
    while open_brackets and end < len(text) and text[end] == _BRACKETS[text[open_brackets[-1]]]:
        end += 1
        open_brackets.pop()
    end = min([end, *open_brackets])
    trimmed = text[start:end].rstrip()
    return Span(start, start + len(trimmed)) if trimmed else None


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
