"""Laws of reading a page, on pages no typesetter would make."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from core.parsing.pdf.joining import Spelling, joint
from core.parsing.pdf.layout.reading_order import reading_order
from core.parsing.pdf.lines import TextLine
from core.parsing.pdf.marks import with_links
from core.parsing.pdf.text import compose
from core.types import Page

WORDS = st.text("abcXYZ0123.,-()|é한 ", min_size=1, max_size=30).filter(lambda text: text.strip())
SIZES = st.sampled_from([7.0, 9.0, 10.0, 10.5, 14.0, 22.0])


@st.composite
def text_lines(draw: st.DrawFn) -> TextLine:
    text, size = draw(WORDS), draw(SIZES)
    x0 = draw(st.sampled_from([40.0, 52.0, 200.0, 310.0, 322.0, 480.0]))
    y0 = draw(st.integers(0, 60)) * 13.0
    frame = (x0, y0, round(x0 + 0.5 * size * len(text), 2), round(y0 + 1.2 * size, 2))
    bold, mono, is_rotated = draw(st.booleans()), draw(st.booleans()), draw(st.integers(0, 9)) == 0
    return TextLine(text, *frame, y0 + size, size, bold=bold, mono=mono, is_rotated=is_rotated, box=frame, font="Times")


PAGES = st.lists(st.lists(text_lines(), max_size=25), min_size=1, max_size=5)


def letters(text: str) -> Counter[str]:
    return Counter(char for char in text if char.isalnum())


@given(PAGES)
def test_no_letter_is_lost_on_the_way_to_the_text(fragments: list[list[TextLine]]) -> None:
    pages = [Page(number, 600.0, 800.0) for number in range(1, len(fragments) + 1)]
    lines = [reading_order(page, 800.0) for page in fragments]
    found = compose(pages, [800.0] * len(pages), lines, [])
    expected = letters(" ".join(line.text for page in fragments for line in page))
    assert not expected - letters(found.text)
    boxed = bytearray(len(found.text))
    for box in found.boxes:
        boxed[box.start : box.end] = b"\1" * (box.end - box.start)
    assert {char for char, inside in zip(found.text, boxed, strict=True) if not inside} <= {" ", "\n", "|"}
    covered = bytearray(len(found.text))
    for block in found.blocks:
        covered[block.start : block.end] = b"\1" * (block.end - block.start)
    assert not [char for char, inside in zip(found.text, covered, strict=True) if not inside and not char.isspace()]


@given(WORDS, WORDS, st.frozensets(WORDS, max_size=3))
def test_a_line_ends_with_its_own_characters(text: str, following: str, words: frozenset[str]) -> None:
    kept, between = joint(text.strip(), following.strip(), Spelling(words, words))
    assert text.strip().startswith(kept)
    assert len(text.strip()) - len(kept) <= 1
    assert between in ("", " ")


@given(st.lists(st.text("ab(c)", min_size=1, max_size=6), min_size=1, max_size=12), st.data())
def test_links_lie_inside_their_line_and_apart(words: list[str], data: st.DataObject) -> None:
    places = [(50.0 * number, 0.0, 50.0 * number + 45, 10.0) for number in range(len(words))]
    spans = st.tuples(st.floats(0, 600), st.floats(1, 300))
    links = [((x, 1.0, x + width, 9.0), f"t{x}") for x, width in data.draw(st.lists(spans, max_size=4))]
    box = (0.0, 0.0, places[-1][2], 10.0)
    line = TextLine(" ".join(words), *box, 8.0, 10.0, box=box)
    (linked,) = with_links([line], [(*place, word) for place, word in zip(places, words, strict=True)], links)
    reach = 0
    for start, end, _ in linked.links:
        assert reach <= start < end <= len(line.text)
        reach = end
