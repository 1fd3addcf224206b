from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.text.places import boxes_of, page_of
from core.types import Document, PageBox, Span

RUNS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 3), st.integers(0, 2)), max_size=12)


def document_of(runs: list[tuple[int, int, int]]) -> Document:
    boxes, place, page = [], 0, 1
    for length, gap, turns in runs:
        page += turns
        boxes.append(PageBox(place, place + length, page, 0, 0, 1, 1))
        place += length + gap
    return Document("v", "pdf", "t", "x" * place, boxes=tuple(boxes))


@given(RUNS, st.integers(0, 60), st.integers(0, 30))
def test_boxes_are_those_that_share_a_character(runs: list[tuple[int, int, int]], start: int, length: int) -> None:
    document = document_of(runs)
    span = Span(start, start + length)
    expected = [box for box in document.boxes if box.start < span.end and span.start < box.end]
    assert boxes_of(document, span) == expected


@given(RUNS, st.integers(0, 60))
def test_page_is_that_of_the_run_at_or_after_the_offset(runs: list[tuple[int, int, int]], offset: int) -> None:
    document = document_of(runs)
    later = [box.page for box in document.boxes if offset < box.end]
    last = document.boxes[-1].page if document.boxes else None
    assert page_of(document, offset) == (later[0] if later else last)
