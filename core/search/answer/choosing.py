"""From weighed candidates to the quotes of an answer: one line where one suffices, several where several are asked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evidence import Answer, Citation, Quote
from core.search.answer.asking import asked_thing, holds
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
_MEASURED = ("number", "date")  # things that are told by their letters, wherever they stand
_NEARLY = 0.5  # of the best one's probability: what a further quote must have where several are asked
_LABEL = re.compile(r"\W*\w+\.?\s+(\d[\d.]*)\s*[:.–—]")  # "Figure 3:" counts figures, and nothing that is asked for
_ALIKE = 0.8  # share of the words of the shorter of two quotes from which on they say the same
_BRACKETS = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»"}
_LEADS = re.compile(r":\W*\Z")


def asks_several(question: str, intent: str = "") -> bool:
    """Whether a question asks for more than one thing, so that one line may not suffice.

    >>> asks_several("Which formats are supported?"), asks_several("What is the limit, and who set it?")
    (True, True)
    >>> asks_several("How long is a token valid?"), asks_several("How do I reset it?", "procedure")
    (False, True)
    """
    return intent in {"procedure", "comparison"} or _SEVERAL.search(question) is not None


@dataclass(frozen=True, slots=True)
class Choosing:
    """What quotes are chosen by. ``intent``: as question analysis has it, "" for none. ``page(version_id, offset)`` is
    the page of a place. ``differing``: (version, span) of sentences that contradict each other: where the best quote is
    one of them, the others are quoted beside it. ``encode``: tells headers by meaning, too; ``None`` by words alone.
    """

    question: str
    page: Page
    intent: str = ""
    differing: Sequence[tuple[str, Span]] = ()
    encode: Encode | None = None

    @property
    def several(self) -> bool:
        """Whether several things are asked for."""
        return asks_several(self.question, self.intent)


def choose_quotes(
    by: Choosing, candidates: Sequence[Quotable], values: NDArray[np.float64], marks: Sequence[Mark | None], limit: int
) -> Answer:
    """The quotes, best first, each text once.

    ``values``: ``(len(candidates),)``, log-odds of each, as ``scoring.scores`` gives them. ``limit``: quotes at most.
    Of a row whose header or label tells which cell is asked for, or in which the reader marks one, that cell alone is
    quoted, with what it is of. What stands below a heading that denies is told with it: "Never do this: …".
    """
    order = [place for place in np.argsort(-values, kind="stable").tolist() if candidates[place].whole]
    if not order or limit < 1:
        return Answer(())
    best = order[0]
    least = _odds(values[best]) * _NEARLY
    wanted = [best]
    if by.several:
        wanted += [place for place in order[1:] if _odds(values[place]) >= least]
    elif _is_one_of(candidates[best], by.differing):
        wanted += [place for place in order[1:] if _is_one_of(candidates[place], by.differing)]
    quotes: list[Quote] = []
    said: list[frozenset[str]] = []
    for place in wanted:
        quote = _quoted(by, candidates[place], _odds(values[place]), marks[place], candidates)
        words = frozenset(analyse(f"{quote.told} {quote.text}"))
        if len(quotes) == limit:
            break
        if any(len(words & other) >= _ALIKE * min(len(words), len(other)) for other in said):
            continue
        said.append(words)
        quotes.append(quote)
    return Answer(tuple(quotes))


def _odds(value: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, float(value)))))


def _is_one_of(item: Quotable, places: Sequence[tuple[str, Span]]) -> bool:
    return any(version == item.passage.version_id and span.overlap(item.span) for version, span in places)


def _quoted(by: Choosing, item: Quotable, score: float, mark: Mark | None, candidates: Sequence[Quotable]) -> Quote:
    passage = item.passage
    told, span = "", item.span
    if item.row is not None:
        told, span = asked_cell(item.row, by.question, by.encode)
        if not told and mark is not None and mark.score > 0:
            told, span = item.row.told(mark.span)
    else:
        span = _with_its_list(item, candidates, by.several)
        heading = item.under.rpartition(" › ")[2]
        told = item.told or (heading if polarity(heading).denied else "")
    cells = () if item.row is None or told else item.row.words(passage.text, passage.start)
    page = by.page(passage.version_id, span.start)
    place = Citation(passage.version_id, passage.document, passage.source, span.start, span.end, page)
    short = mark.span if mark is not None and mark.score > 0 and span.contains(mark.span) else None
    text = passage.text[span.start - passage.start : span.end - passage.start]
    short = None if short is None or short == span else Span(short.start - span.start, short.end - span.start)
    label = _LABEL.match(text)
    if short is not None and label and Span(*label.span(1)).contains(short):
        short = None
    asked = asked_thing(by.question, by.intent)
    if short is not None:
        short = _balanced(text, short)
    if short is not None and asked in _MEASURED and not holds(text[short.start : short.end], asked):
        short = None  # "the day" tells no date
    return Quote(
        text=text,
        score=score,
        citation=place,
        told=told,
        kind="cell" if item.told or (told and item.row is not None) else item.kind,
        cells=cells,
        short=short,
    )


def _balanced(text: str, short: Span) -> Span | None:
    """The short answer with the bracket that closes it, or up to one that is not closed; ``None``: nothing is left.

    >>> said = "It is float(0.9), see (1)."
    >>> [said[span.start : span.end] for end in (15, 22) if (span := _balanced(said, Span(6, end)))]
    ['float(0.9)', 'float(0.9), see']
    >>> _balanced("(0.9)", Span(1, 5)), _balanced("f(0.9) is", Span(0, 4))
    (Span(start=1, end=4), Span(start=0, end=1))
    """
    start, end = short.start, short.end
    opened: list[int] = []
    for at in range(start, end):
        if text[at] in _BRACKETS:
            opened.append(at)
        elif opened and text[at] == _BRACKETS[text[opened[-1]]]:
            opened.pop()
        elif text[at] in _BRACKETS.values() and at == end - 1:  # within, it is the mark of an item: "a) …"
            end = at
    while opened and end < len(text) and text[end] == _BRACKETS[text[opened[-1]]]:
        end += 1
        opened.pop()
    end = min([end, *opened])
    kept = text[start:end].rstrip()
    return Span(start, start + len(kept)) if kept else None


def _with_its_list(item: Quotable, candidates: Sequence[Quotable], several: bool) -> Span:
    """The item's own span; with the items that follow it where it leads them in, or where several are asked and it is
    one of them.
    """
    leads = _LEADS.search(item.text) is not None
    if not leads and not (several and item.kind == "item"):
        return item.span
    beside = sorted((other.span for other in _items(item, candidates)), key=lambda span: span.start)
    start, end = item.span.start, item.span.end
    for span in beside:
        if span.start >= end and span.start - end < 4 and span.end - start <= LONGEST:
            end = span.end
    if not leads:
        for span in reversed(beside):
            if span.end <= start and start - span.end < 4 and end - span.start <= LONGEST:
                start = span.start
    return Span(start, end)


def _items(item: Quotable, candidates: Sequence[Quotable]) -> Iterator[Quotable]:
    return (
        other
        for other in candidates
        if other.kind == "item" and other.passage is item.passage and other.span != item.span
    )
