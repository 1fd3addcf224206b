"""The answer line without a language model: sentences and table cells chosen by meaning and words, quoted verbatim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.answering.asking import asked_thing, holds
from core.answering.prose import is_prose
from core.answering.rows import Row, asked_cell, rows_of
from core.text.analysis import analyse
from core.text.sentences import asks, is_half, sentence_spans
from core.types import Answer, Block, Citation, Passage, Quote, Span, Vectors

# Sentences of this many passages are weighed: encoding them is the whole cost of the answer line.
PASSAGES = 6
SENTENCES = 48
LONGEST = 600

# What a quote's score is made of; together 1. Chosen by coordinate search on the tuning suites (code, qmsum, covidqa
# and the even lines of chroma, 584 questions). Against meaning 0.7 and words 0.3 alone the best quote lies on the gold
# of 47 % of them instead of 42 %, one of three on that of 62 % instead of 59 % (means of the suites). On suites that
# only tell: the odd lines of chroma 65.5 instead of 56.0 and 79.3 instead of 74.1, scifact 34.1 instead of 36.5 and
# 55.9 instead of 55.3. ``python -m tests.benchmarks.answerable`` gives the figures.
MEANING = 0.32  # cosine of the sentence to the question
WORDS = 0.24  # share of the question's words in the sentence
AROUND = 0.16  # share of them in its passage, title and headings
ABOVE = 0.13  # share of them in title and headings alone, and not in the sentence
BESIDE = 0.06  # cosine of the better of the two sentences beside it
RANK = 0.05  # 1 / rank of its passage
LIT = 0.04  # whether it stands in a retrieved child
# Added, up to 1, where the sentence holds the kind of thing that is asked for.
KIND = 0.04
# Below this a sentence is about something else.
LEAST = 0.3


@dataclass(frozen=True, slots=True)
class Quotable:
    """A sentence or a table row at ``span`` of its passage's document. ``reading``: what the encoder is given.

    ``row``: its cells and their headers, ``None`` for a sentence. ``prose``: it can be quoted; a line of data,
    markup or program, and half a sentence, are weighed as evidence alone.
    """

    passage: Passage
    span: Span
    reading: str
    row: Row | None = None
    prose: bool = True

    @property
    def text(self) -> str:
        """The document's own text."""
        return self.passage.text[self.span.start - self.passage.start : self.span.end - self.passage.start]


def no_tables(version_id: str, start: int, end: int) -> Sequence[Block]:
    """For callers that know of no tables: their rows are read as lines."""
    return ()


def no_code(version_id: str, start: int, end: int) -> Sequence[Span]:
    """For callers that know of no listings."""
    return ()


def no_cuts(version_id: str, place: int) -> bool:
    """For callers whose passages begin and end with sentences."""
    return False


def sentences_of(
    passages: Sequence[Passage],
    headings: Callable[[str], Sequence[Span]],
    tables: Callable[[str, int, int], Sequence[Block]] = no_tables,
    code: Callable[[str, int, int], Sequence[Span]] = no_code,
    cut: Callable[[str, int], bool] = no_cuts,
) -> list[Quotable]:
    """Sentences and table rows of the most relevant passages, those of retrieved children first.

    ``headings(version_id)``: where headings stand; they name a topic and answer nothing.
    ``tables(version_id, start, end)``: the tables that reach into a span, with at least the cells in it and the header.
    ``code``: as it, where listings stand: of these only whole comments are quoted. ``cut(version_id, place)``: whether
    a passage that begins or ends there parts a sentence: a half one may say the contrary, and is evidence alone. So is
    one that asks: it says what is talked of, and answers nothing.

    >>> sentences_of([], lambda version_id: [])
    []
    """
    inside: list[Quotable] = []
    around: list[Quotable] = []
    for passage in sorted(passages, key=lambda item: item.rank)[:PASSAGES]:
        titles = headings(passage.version_id)
        whole = Span(passage.start, passage.end)
        held = tables(passage.version_id, passage.start, passage.end)
        listings = code(passage.version_id, passage.start, passage.end)
        rows = [row for table in held for row in rows_of(table, whole)]
        found = [Quotable(passage, row.span, row.reading, row) for row in rows]
        for place in sentence_spans(passage.text, 0, len(passage.text)):
            span = Span(passage.start + place.start, passage.start + place.end)
            text = passage.text[place.start : place.end]
            if span.length > LONGEST or len(analyse(text)) < 2:
                continue
            if any(2 * title.overlap(span) > span.length for title in titles):
                continue
            if any(row.table.overlap(span) for row in rows):
                continue
            raw = any(table.span.overlap(span) for table in held)
            prose = not raw and is_prose(text, in_code=any(listing.overlap(span) for listing in listings))
            prose = prose and not asks(text) and not is_half(span, whole, partial(cut, passage.version_id))
            found.append(Quotable(passage, span, text, prose=prose))
        for item in sorted(found, key=lambda item: item.span):
            lit = any(child.overlap(item.span) for child in passage.children)
            (inside if lit else around).append(item)
    return [*inside, *around][:SENTENCES]


def choose_quotes(
    question: str,
    query: Vectors,
    sentences: Sequence[Quotable],
    vectors: Vectors,
    page: Callable[[str, int], int | None],
    limit: int = 3,
    intent: str = "",
) -> Answer:
    """The best supporting sentences and cells, each text once; never a line of data, markup or program.

    ``query``: ``(d,)``; ``vectors``: ``(len(sentences), d)``, of their readings; both unit norm.
    ``page(version_id, offset)`` is the page of a place. ``intent``: "definition", "procedure", "comparison", "number"
    or "" as question analysis has it. Scores are in [0, 1]; see ``quote_scores``.
    Of a table row whose header or label tells which cell was asked for, that cell alone is quoted.
    """
    quotes: list[Quote] = []
    seen: set[str] = set()
    scores = quote_scores(question, query, sentences, vectors, intent)
    for place in np.argsort(-scores, kind="stable").tolist():
        item, score = sentences[place], float(scores[place])
        same = " ".join(item.text.split()).casefold()
        if score < LEAST or len(quotes) == limit:
            break
        if same in seen or not item.prose:
            continue
        seen.add(same)
        told, span = asked_cell(item.row, question) if item.row else ("", item.span)
        passage = item.passage
        text = passage.text[span.start - passage.start : span.end - passage.start]
        cited = Citation(
            passage.version_id,
            passage.document,
            passage.source,
            span.start,
            span.end,
            page(passage.version_id, span.start),
        )
        quotes.append(Quote(text=text, score=score, citation=cited, told=told))
    return Answer(tuple(quotes))


def quote_scores(
    question: str, query: Vectors, sentences: Sequence[Quotable], vectors: Vectors, intent: str = ""
) -> NDArray[np.float64]:
    """``(len(sentences),)`` in [0, 1]: how well each answers by meaning, words, surroundings and kind."""
    if not sentences:
        return np.zeros(0)
    wanted = frozenset(analyse(question))
    asked = asked_thing(question, intent)
    meaning = np.clip((vectors @ query).astype(np.float64), 0.0, 1.0)
    beside = _beside(sentences, meaning)
    words_of: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
    scores = np.zeros(len(sentences))
    for place, item in enumerate(sentences):
        passage = item.passage
        if id(passage) not in words_of:
            above = frozenset(analyse(" ".join([passage.document, *passage.headings]))) & wanted
            words_of[id(passage)] = above | (frozenset(analyse(passage.text)) & wanted), above
        around, above = words_of[id(passage)]
        words = frozenset(analyse(item.reading)) & wanted
        lit = any(child.overlap(item.span) for child in passage.children)
        scores[place] = (
            MEANING * meaning[place]
            + WORDS * _share(words, wanted)
            + AROUND * _share(around, wanted)
            + ABOVE * _share(above - words, wanted)
            + BESIDE * beside[place]
            + RANK / max(1, passage.rank)
            + LIT * lit
            + KIND * holds(item.reading, asked)
        )
    return np.minimum(scores, 1.0)


def _share(some: frozenset[str], wanted: frozenset[str]) -> float:
    return len(some) / len(wanted) if wanted else 0.0


def _beside(sentences: Sequence[Quotable], meaning: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each sentence the better cosine of the two beside it in its passage; 0 where there is none."""
    beside = np.zeros(len(sentences))
    places: dict[int, list[int]] = {}
    for place, item in enumerate(sentences):
        places.setdefault(id(item.passage), []).append(place)
    for group in places.values():
        group.sort(key=lambda place: sentences[place].span)
        for before, after in pairwise(group):
            beside[before] = max(beside[before], meaning[after])
            beside[after] = max(beside[after], meaning[before])
    return beside
