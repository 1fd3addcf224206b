"""Token maps against the tokenizer itself, and grapheme clusters against the ``regex`` of Unicode's own examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding.tokenizer import packaged_counter
from core.text.tokens import TokenMap, boundary_before, is_boundary, is_word_boundary, whitespace_windows
from core.types import Span

WORDS = st.sampled_from(
    ["a", "token", "don't", "日本", "3.14", "\n", " ", "\t", "e\u0301", "[SEP]", "\x1f", "\ufffd", "x" * 120, "👩‍👩‍👦"]
)
TEXT = st.lists(WORDS | st.text(max_size=4), max_size=30).map(" ".join)


@given(TEXT, st.data())
def test_exact_is_what_the_tokenizer_counts(text, data):
    counter = packaged_counter()
    tokens = TokenMap(counter, text)
    assert tokens.additive
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert tokens.exact([Span(start, end)]) == counter.count([text[start:end]])
    assert tokens.exact([Span(0, len(text))]) == counter.count([text])
    assert tokens.count(0, len(text)) >= counter.count([text])[0]


@given(TEXT, st.integers(1, 40))
def test_cuts_leave_at_most_the_room_and_tile_the_text(text, room):
    tokens = TokenMap(packaged_counter(), text)
    at = 0
    while at < len(text):
        stop = tokens.cut(at, len(text), room)
        assert at < stop <= len(text)
        assert tokens.count(at, stop) <= room or not is_boundary(text, stop) or stop == at + 1
        at = stop


def test_words_are_cut_only_where_they_do_not_fit():
    text = "one two three four five six " * 30
    tokens = TokenMap(packaged_counter(), text)
    at = 0
    while at < len(text):
        stop = tokens.cut(at, len(text), 7)
        assert is_word_boundary(text, stop)
        at = stop


@pytest.mark.parametrize("word", ["x" * 4000, "\ufffd" * 4000, "ส" * 4000, "e\u0301" * 2000])
def test_words_the_tokenizer_gives_up_on_have_weight(word):
    tokens = TokenMap(packaged_counter(), f"a {word} b")
    assert len(word) // 8 <= tokens.count(2, 2 + len(word)) <= len(word) // 4 + 2


def test_words_written_without_spaces_have_weight():
    phrase = "และนั่นทำให้เขามีชื่อเสียงในวัฒนธรรมสมัยนิยม"  # one unknown token, though shorter than a hopeless word
    tokens = TokenMap(packaged_counter(), phrase)
    assert tokens.own_count(0, len(phrase)) == 1
    assert len(phrase) // 8 <= tokens.count(0, len(phrase)) <= len(phrase) // 4 + 1


@given(TEXT, st.integers(1, 30))
def test_windows_tile_the_text_and_part_no_word(text, size):
    windows = whitespace_windows(text, size)
    assert "".join(text[span.start : span.end] for span in windows) == text
    assert all(text[span.start].isspace() for span in windows[1:])


CLUSTERS = [
    ["a", "b"],
    ["e\u0301", "a\u0300\u0316"],
    ["👩‍👩‍👧‍👦", "👍🏽", "❤️"],
    ["🇩🇪", "🇫🇷", "a"],
    ["\r\n", "a", "\n", "\n"],
    ["각", "\u1112\u1161\u11ab", "\u1112"],
    ["क्षि", "क"],  # a conjunct is one since Unicode 15.1
    ["ก็", "ยั", "ง"],
    ["1️⃣", "#️⃣"],
]


@pytest.mark.parametrize("clusters", CLUSTERS)
def test_grapheme_clusters(clusters):
    text = "".join(clusters)
    expected = {0}
    for cluster in clusters:
        expected.add(max(expected) + len(cluster))
    assert {at for at in range(len(text) + 1) if is_boundary(text, at)} == expected
    for at in range(1, len(text) + 1):
        assert boundary_before(text, at, 0) in expected


def test_a_rule_below_a_header_counts_as_three_of_its_marks_and_swallows_nothing():
    counter = packaged_counter()
    rule, short = f"|:{'-' * 900}|{'=' * 40}|", "|:---|===|"
    assert counter.count([rule, f"Rates {'.' * 60} 12"]) == counter.count([short, "Rates ... 12"])
    text = f"Field\n{rule}\nAddress {'.' * 30} 7\n"
    offsets = counter.offsets(text)
    assert len(offsets) == counter.count([text])[0]
    assert [text[start:end] for start, end in offsets][1:7] == ["|", ":", "-", "-", "-", "|"]
    tokens = TokenMap(counter, text)
    assert len(offsets) <= tokens.count(0, len(text)) < len(offsets) + 12
    assert tokens.exact([Span(8, 100)]) == counter.count([text[8:100]])


@given(st.lists(st.sampled_from(["-", "------", "===", "....", " ", "a"]), max_size=8), st.data())
def test_runs_of_marks_are_counted_exactly_wherever_they_are_cut(parts, data):
    text = "".join(parts)
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    tokens = TokenMap(packaged_counter(), text)
    assert tokens.exact([Span(start, end)]) == packaged_counter().count([text[start:end]])


@given(
    st.lists(st.sampled_from(['<a id="x" href="#y">', "</a>", "<br />", " ", "a", "<a ", "|"]), max_size=8), st.data()
)
def test_spans_with_tags_are_counted_exactly_wherever_they_are_cut(parts, data):
    text = "".join(parts)
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    tokens = TokenMap(packaged_counter(), text)
    assert tokens.exact([Span(start, end)]) == packaged_counter().count([text[start:end]])
    assert packaged_counter().count([text]) == [len(packaged_counter().offsets(text))]


def test_a_tag_among_words_is_not_read_and_not_cut():
    row = '| <a id="opt-address" href="#opt-address" title="#opt-address">`address`</a> | Where to listen. |'
    assert packaged_counter().count([row]) == packaged_counter().count(["| `address` | Where to listen. |"])
    tokens = TokenMap(packaged_counter(), row)
    cuts = {tokens.cut(0, len(row), room) for room in range(1, 12)}
    assert not any(row.index("<a") < cut < row.index(">") for cut in cuts)
