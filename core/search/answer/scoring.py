"""Scores of the quotable candidates, from signals of search, terms, cosines and a reader's marked short answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.search.answer.candidates import Quotable
from core.text.languages import ENGLISH, indexed_tokens
from core.types import Span

MOST_LINES = 12  # candidates read by the reader, whose cost grows with them
CONTEXT_CHARACTERS = 300  # characters before and after the best line that are read with it


class Marked(Protocol):
    """A short answer marked by a reader. ``score``: its log-odds against there being no answer."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def score(self) -> float: ...


class Marks(Protocol):
    """A reader's output for one text. ``worth``: the raw relevance score of the whole text."""

    @property
    def worth(self) -> float: ...

    def best(self, start: int = 0, end: int | None = None) -> Marked | None:
        """The likeliest short answer within the characters ``[start, end)``; ``None`` for none."""


# (question, texts, heading of each text) to the marks in each text.
Reader = Callable[[str, Sequence[str], Sequence[str]], Sequence[Marks]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A short answer at ``span`` of the document. ``score``: its log-odds. ``worth``: the raw score of its line."""

    score: float
    span: Span
    worth: float = 0.0


def scale_log_odds(score: float) -> float:
    """Log-odds mapped linearly from [-10, 10] to [0, 1], and clipped.

    >>> scale_log_odds(5.0), scale_log_odds(-99.0)
    (0.75, 0.0)
    """
    return (min(max(score, -10.0), 10.0) + 10) / 20


def mark_lines(
    question: str, candidates: Sequence[Quotable], prior_scores: NDArray[np.float64], reader: Reader | None
) -> list[Mark | None]:
    """The reader's mark in each candidate; ``None`` for one that was not read, and for all without a reader.

    ``prior_scores``: ``(len(candidates),)``, from the other signals. The best quotable candidates are read, each alone
    below its title and headings: read together, the scores of neighbouring lines would mix.
    """
    marks: list[Mark | None] = [None] * len(candidates)
    order = np.argsort(-prior_scores, kind="stable")[:MOST_LINES].tolist()
    if reader is None or not order:
        return marks
    lines = [candidates[index] for index in order]
    outputs = reader(question, [_reader_text(line) for line in lines], [_reader_heading(line) for line in lines])
    for index, line, output in zip(order, lines, outputs, strict=True):
        best = output.best()
        if best is None:
            continue
        if line.row is not None:
            cell = line.row.cell_at(best.start)
            span = Span(cell.start, cell.end)
        else:
            span = Span(line.span.start + best.start, line.span.start + best.end)
        marks[index] = Mark(best.score, span, output.worth)
    return marks


def mark_in_context(
    question: str,
    candidates: Sequence[Quotable],
    marks: Sequence[Mark | None],
    best: int | None,
    reader: Reader | None,
) -> Mark | None:
    """The reader's mark in the best candidate when it reads that with the surrounding candidates; ``None`` for none.

    ``marks``: from ``mark_lines``. ``best``: index of the candidate. ``worth`` of the result is that of the whole text.
    A table row keeps its mark of ``marks``, since without headers the surrounding rows do not help.
    """
    if reader is None or best is None or candidates[best].row is not None:
        return None if best is None else marks[best]
    line, passage = candidates[best], candidates[best].passage
    context = Span(max(line.span.start - CONTEXT_CHARACTERS, 0), line.span.end + CONTEXT_CHARACTERS)
    spans = [item.span for item in candidates if item.passage is passage and context.contains(item.span)]
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    text = passage.text[start - passage.start : end - passage.start]
    (output,) = reader(question, [text], [_reader_heading(line)])
    mark = output.best(line.span.start - start, line.span.end - start)
    return None if mark is None else Mark(mark.score, Span(start + mark.start, start + mark.end), output.worth)


def _reader_text(line: Quotable) -> str:
    """A row in words with its headers; other text verbatim, so that offsets of marks are those of the document."""
    return line.text if line.row is None else line.reading


def _reader_heading(line: Quotable) -> str:
    """The title of the document and the last two headings."""
    return " › ".join(dict.fromkeys(filter(None, [line.passage.document, *line.headings.split(" › ")[-2:]])))


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals of a candidate, each in [0, 1], 0 if unknown; or their weights.

    ``rank``: 1 / the rank of the best retrieved child it overlaps. ``meaning``: its cosine to the question. ``near``:
    the idf-weighted share of the question's terms in it and its headings. ``around``: the same share in its passage
    with title and headings. ``prose``: 1 if it is prose. ``marked``: the log-odds of the marked short answer, scaled by
    ``scale_log_odds``. ``worth``: the reader's score of the candidate, scaled alike.
    """

    rank: float = 0.0
    meaning: float = 0.0
    near: float = 0.0
    around: float = 0.0
    prose: float = 0.0
    marked: float = 0.0
    worth: float = 0.0


def signals(
    question: str,
    candidates: Sequence[Quotable],
    cosines: NDArray[np.float64],
    idf: Mapping[str, float],
    language: str = ENGLISH,
) -> list[Signals]:
    """The signals of every candidate, without those of a reader.

    ``cosines``: ``(len(candidates),)``, to the question. ``idf``: weights of the question's tokens, 1 for a missing
    one. ``language``: whose stems are compared beside the English ones.
    """
    terms = {token: idf.get(token, 1.0) for token in indexed_tokens(question, language)}
    total = sum(terms.values()) or 1.0

    def share(text: str) -> float:
        return sum(terms[token] for token in terms.keys() & frozenset(indexed_tokens(text, language))) / total

    around: dict[int, float] = {}
    result: list[Signals] = []
    for item, cosine in zip(candidates, np.clip(cosines, 0.0, 1.0).tolist(), strict=True):
        passage = item.passage
        if id(passage) not in around:
            around[id(passage)] = share(" ".join([passage.document, *passage.headings, passage.text]))
        result.append(
            Signals(
                rank=1 / item.hit_rank if item.hit_rank else 0.0,
                meaning=cosine,
                near=share(f"{item.headings} {item.reading}"),
                around=around[id(passage)],
                prose=float(item.prose),
            )
        )
    return result


def add_marks(found: Sequence[Signals], marks: Sequence[Mark | None]) -> list[Signals]:
    """The signals with those of a reader added. ``marks``: from ``mark_lines``."""
    return [
        one if mark is None else replace(one, marked=scale_log_odds(mark.score), worth=scale_log_odds(mark.worth))
        for one, mark in zip(found, marks, strict=True)
    ]


# Fitted by ``benchmarks/answer_weights.py`` on code, covidqa, held-out articles of SQuAD and questions of Natural
# Questions. These hardly need ``prose``; sets a and c of ``benchmarks/hour`` decided it and the rounding. The fit was
# for the previous re-ranker, one for the current hardly differs, and with what is gone: two more signals, and words
# weighed by their rarity among the candidates too. The best line was on gold for 66 % of code, 70 % of covidqa, 88 % of
# SQuAD and 66 % of Natural Questions (120 questions each).
WEIGHTS = Signals(rank=1.5, meaning=1.6, near=0.6, around=0.8, prose=0.4, marked=4.4, worth=3.0)
BIAS = -8.4
# For questions in other letters than Latin ones, which encoder and reader never learned: what they say of such texts
# only adds noise. Chosen on Russian and Chinese XQuAD, where it puts 82 % of the first lines on gold (76 % by the
# weights above); on Greek, Arabic, Hindi and Thai, which chose nothing, 83 % (74 %). The bias makes up for what the
# reader adds to the middling line.
WORDS_ALONE = Signals(rank=1.5, near=3.0, around=0.8, prose=0.4)
WORDS_ALONE_BIAS = -4.0


def scores(found: Sequence[Signals], latin: bool = True) -> NDArray[np.float64]:
    """``(len(found),)`` log-odds that each candidate answers: the weighted sum of its signals.

    ``latin``: whether the question is in Latin letters; else ``WORDS_ALONE`` weighs the signals.
    """
    weights, bias = (WEIGHTS, BIAS) if latin else (WORDS_ALONE, WORDS_ALONE_BIAS)
    names = [field.name for field in fields(Signals)]
    table = np.array([[getattr(one, name) for name in names] for one in found]).reshape(len(found), len(names))
    return np.asarray(table @ np.array([getattr(weights, name) for name in names]) + bias)
