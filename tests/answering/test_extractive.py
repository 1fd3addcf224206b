"""Quotes: verbatim, cited where they stand, each text once, best first."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.answering import choose_quotes, sentences_of
from core.answering.extractive import LEAST, LONGEST, PASSAGES, SENTENCES
from core.types import Passage, Span
from tests.fast_encoder import FastEncoder

TEXT = (
    "A token is valid for 3600 seconds. The office is in Delft and has a blue safe. "
    "Nobody may keep a token longer than it is valid. Yes."
)


def no_headings(version_id: str) -> list[Span]:
    return []


def passage(text=TEXT, start=100, rank=1, version="v" * 64, children=()):
    return Passage(
        version_id=version,
        document="Handbook",
        source="handbook.md",
        start=start,
        end=start + len(text),
        text=text,
        tokens=10,
        chunk_ids=("c",),
        children=tuple(children) or (Span(start, start + 10),),
        rank=rank,
        score=1.0,
        reason="the child alone",
        page=3,
    )


def answer(question, passages, **options):
    encoder = FastEncoder()
    sentences = sentences_of(passages, no_headings)
    texts = [item.text[span.start - item.start : span.end - item.start] for item, span in sentences]
    vectors = encoder.encode([question, *texts])
    return choose_quotes(question, vectors[0], sentences, vectors[1:], lambda version, offset: offset // 50, **options)


def test_a_quote_is_verbatim_with_its_place():
    quotes = answer("How many seconds is a token valid?", [passage()]).quotes
    assert quotes[0].text == "A token is valid for 3600 seconds."
    place = quotes[0].citation
    assert (place.start, place.end) == (100, 100 + len(quotes[0].text))
    assert (place.document, place.source, place.version_id, place.page) == ("Handbook", "handbook.md", "v" * 64, 2)
    assert all(before.score >= after.score for before, after in pairwise(quotes))
    assert all(LEAST <= quote.score <= 1 for quote in quotes)


def test_nothing_that_supports_is_no_answer():
    assert answer("zebra xylophone", [passage()]).quotes == ()
    assert answer("anything", []).quotes == ()
    assert answer("", [passage()]).quotes == ()


def test_the_same_words_are_quoted_once():
    twice = [passage(), passage(rank=2, version="w" * 64), passage(TEXT.upper(), rank=3, version="x" * 64)]
    quotes = answer("How many seconds is a token valid?", twice).quotes
    texts = [" ".join(quote.text.split()).casefold() for quote in quotes]
    assert len(texts) == len(set(texts))
    assert quotes[0].citation.version_id == "v" * 64, "of equals the more relevant passage is cited"


def test_at_most_so_many():
    assert len(answer("token valid seconds office", [passage()], limit=1).quotes) == 1


def test_sentences_of_children_come_first():
    late = passage(children=[Span(100 + TEXT.index("Nobody"), 100 + len(TEXT))])
    spans = [TEXT[span.start - 100 : span.end - 100] for _, span in sentences_of([late], no_headings)]
    assert spans[0].startswith("Nobody")
    assert "Yes." not in spans, "a sentence of one word supports nothing"


def test_the_cost_is_bounded():
    many = [passage("Short sentence number one stands here. " * 40, rank=rank) for rank in range(1, 20)]
    chosen = sentences_of(many, no_headings)
    assert len(chosen) == SENTENCES
    assert {item.rank for item, _ in chosen} <= set(range(1, PASSAGES + 1))
    endless = passage("word " * LONGEST)
    assert sentences_of([endless], no_headings) == []


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_readers_order_does_not_matter(order):
    ranked = {1: passage(rank=1), 2: passage("Seconds are valid. Tokens are not valid.", rank=2, version="w" * 64)}
    found = answer("Are tokens valid?", [ranked[rank] for rank in order])
    assert found == answer("Are tokens valid?", [ranked[1], ranked[2]])


def test_similarity_below_nothing_counts_as_nothing():
    sentences = sentences_of([passage()], no_headings)
    query = np.array([1.0, 0.0], np.float32)
    vectors = np.tile(np.array([-1.0, 0.0], np.float32), (len(sentences), 1))
    quotes = choose_quotes("token valid 3600 second", query, sentences, vectors, lambda version, offset: None).quotes
    assert all(0 <= quote.score <= 1 for quote in quotes)
    assert quotes[0].score == pytest.approx(0.3), "all of the question's words, and no likeness"


def test_a_heading_is_no_answer_and_what_follows_it_is():
    text = "## Access token lifetime\n\nAn access token lives 3600 seconds."
    shown = passage(text, start=0)
    quoted = [text[span.start : span.end] for _, span in sentences_of([shown], lambda version_id: [Span(0, 24)])]
    assert quoted == ["An access token lives 3600 seconds."]
