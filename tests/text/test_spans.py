"""Span arithmetic against sets of positions."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.text.spans import intersect_spans, merge_spans, non_blank_length, subtract_spans, trim
from core.types import Span

SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda pair: Span(pair[0], sum(pair))), max_size=9
)
TEXT = st.text(alphabet="ab \n\t\u2028\u00a0\x1f\u200b", max_size=60)


def positions(spans):
    return {at for span in spans for at in range(span.start, span.end)}


def is_canonical(spans):
    return all(span.length for span in spans) and all(a.end < b.start for a, b in pairwise(spans))


@given(SPANS, SPANS)
def test_arithmetic_is_that_of_sets(left, right):
    for found, expected in (
        (merge_spans(left), positions(left)),
        (subtract_spans(left, right), positions(left) - positions(right)),
        (intersect_spans(left, right), positions(left) & positions(right)),
    ):
        assert positions(found) == expected
        assert is_canonical(found)


@given(TEXT, SPANS)
def test_non_blank_length_counts_characters(text, spans):
    assert non_blank_length(text) == sum(not character.isspace() for character in text)
    inside = positions(spans)
    assert non_blank_length(text, spans) == sum(not text[at].isspace() for at in inside if at < len(text))


@given(TEXT, st.data())
def test_trim_keeps_what_is_not_blank(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = trim(text, start, end)
    if span is None:
        assert not text[start:end].strip()
    else:
        assert text[span.start : span.end] == text[start:end].strip()
        assert start <= span.start < span.end <= end
