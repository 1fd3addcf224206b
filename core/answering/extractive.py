"""The answer line without a language model: sentences chosen by meaning and shared words, quoted verbatim."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.text.analysis import analyse
from core.text.sentences import sentence_spans
from core.types import Answer, Citation, Passage, Quote, Span, Vectors

# Sentences of this many passages are weighed: encoding them is the whole cost of the answer line.
PASSAGES = 6
SENTENCES = 48
LONGEST = 600
# Share of the score that comes from words of the question found in the sentence.
WORDS_SHARE = 0.3
# Below this a sentence is about something else (unrelated sentences have cosines near 0.1).
LEAST = 0.3


def sentences_of(passages: Sequence[Passage], headings: Callable[[str], Sequence[Span]]) -> list[tuple[Passage, Span]]:
    """Sentences of the most relevant passages as document spans, those of retrieved children first.

    ``headings(version_id)``: where headings stand; they name a topic and answer nothing.

    >>> sentences_of([], lambda version_id: [])
    []
    """
    inside: list[tuple[Passage, Span]] = []
    around: list[tuple[Passage, Span]] = []
    for passage in sorted(passages, key=lambda item: item.rank)[:PASSAGES]:
        titles = headings(passage.version_id)
        for found in sentence_spans(passage.text, 0, len(passage.text)):
            span = Span(passage.start + found.start, passage.start + found.end)
            if span.length > LONGEST or len(analyse(passage.text[found.start : found.end])) < 2:
                continue
            if any(2 * title.overlap(span) > span.length for title in titles):
                continue
            lit = any(child.overlap(span) for child in passage.children)
            (inside if lit else around).append((passage, span))
    return [*inside, *around][:SENTENCES]


def choose_quotes(
    question: str,
    query: Vectors,
    sentences: Sequence[tuple[Passage, Span]],
    vectors: Vectors,
    page: Callable[[str, int], int | None],
    limit: int = 3,
) -> Answer:
    """The best supporting sentences, each text once.

    ``query``: ``(d,)``; ``vectors``: ``(len(sentences), d)``; both unit norm.
    ``page(version_id, offset)`` is the page of a place. A quote's score, in [0, 1], is its cosine
    to the question blended with the share of the question's words it holds.
    """
    wanted = set(analyse(question))
    quotes: list[Quote] = []
    seen: set[str] = set()
    similarities = np.clip(vectors @ query, 0.0, 1.0) if len(sentences) else np.zeros(0)
    scored: list[tuple[float, int]] = []
    for position, (passage, span) in enumerate(sentences):
        words = set(analyse(passage.text[span.start - passage.start : span.end - passage.start]))
        shared = len(words & wanted) / len(wanted) if wanted else 0.0
        scored.append(((1 - WORDS_SHARE) * float(similarities[position]) + WORDS_SHARE * shared, position))
    for score, position in sorted(scored, key=lambda item: (-item[0], item[1])):
        passage, span = sentences[position]
        text = passage.text[span.start - passage.start : span.end - passage.start]
        same = " ".join(text.split()).casefold()
        if score < LEAST or len(quotes) == limit:
            break
        if same in seen:
            continue
        seen.add(same)
        place = Citation(
            passage.version_id,
            passage.document,
            passage.source,
            span.start,
            span.end,
            page(passage.version_id, span.start),
        )
        quotes.append(Quote(text=text, score=score, citation=place))
    return Answer(tuple(quotes))
