"""Spans follow an edit: what was not touched keeps its words, what was edited its extent, what is gone is lost."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from core.text.alignment import align
from core.text.anchoring import find_quote, follow, surroundings
from core.text.spans import non_blank_length
from core.types import Span

# Few letters, so that edits look like their surroundings: the hard case of every diff.
close = st.text("ab \n", max_size=40)
words = st.lists(st.sampled_from(["cat", "dog", "the", "a", "house.", "\n", "été", "猫"]), max_size=40).map(" ".join)
texts = close | words
marked = st.text("ab ", min_size=1, max_size=12).filter(lambda text: text.strip() == text != "")


def kept_in_order(quote: str, text: str) -> int:
    """Length of the longest common subsequence of the non-blank characters."""
    left, right = "".join(quote.split()), "".join(text.split())
    row = [0] * (len(right) + 1)
    for one in left:
        before = 0
        for place, other in enumerate(right, 1):
            before, row[place] = row[place], before + 1 if one == other else max(row[place], row[place - 1])
    return row[-1]


@given(old=texts, new=texts)
def test_what_is_aligned_is_equal_and_in_one_order(old: str, new: str) -> None:
    old_end = new_end = 0
    for match in align(old, new):
        assert match.length > 0
        assert match.old >= old_end
        assert match.new >= new_end
        old_end, new_end = match.old + match.length, match.new + match.length
        assert old[match.old : old_end] == new[match.new : new_end]
    assert old_end <= len(old)
    assert new_end <= len(new)


@given(text=texts, data=st.data())
def test_a_text_that_did_not_change_keeps_every_span(text: str, data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2).map(sorted))
    assert follow(text, text, [Span(*ends)]) == [Span(*ends)]


@given(before=texts, quote=marked, after=texts, data=st.data())
def test_an_edit_outside_never_loses_or_changes_the_words(before, quote, after, data) -> None:
    old, span = before + quote + after, Span(len(before), len(before) + len(quote))
    left = data.draw(st.booleans())
    side = before if left else after
    start, end = data.draw(st.lists(st.integers(0, len(side)), min_size=2, max_size=2).map(sorted))
    edited = side[:start] + data.draw(texts) + side[end:]
    new = edited + quote + after if left else before + quote + edited
    (found,) = follow(old, new, [span])
    assert found is not None
    assert new[found.start : found.end] == quote


@given(before=texts, quote=st.text("cde ", min_size=2, max_size=20), after=texts, inside=texts, data=st.data())
def test_an_insertion_inside_keeps_all_the_words_in_the_extent(before, quote, after, inside, data) -> None:
    quote = f"c{quote}d"
    place = data.draw(st.integers(1, len(quote) - 1))
    old, new = before + quote + after, before + quote[:place] + inside + quote[place:] + after
    (found,) = follow(old, new, [Span(len(before), len(before) + len(quote))])
    assert found is not None
    assert kept_in_order(quote, new[found.start : found.end]) == non_blank_length(quote)


@given(before=texts, quote=st.text("xyz", min_size=1, max_size=20), after=texts)
def test_a_deleted_passage_is_lost(before, quote, after) -> None:
    old = before + quote + after
    assert follow(old, before + after, [Span(len(before), len(before) + len(quote))]) == [None]


@given(old=texts, new=texts, data=st.data())
def test_what_is_followed_lies_in_the_text_and_kept_half_of_its_characters(old, new, data) -> None:
    start, end = data.draw(st.lists(st.integers(0, len(old)), min_size=2, max_size=2).map(sorted))
    (found,) = follow(old, new, [Span(start, end)])
    if found is not None and old != new:
        assert 0 <= found.start < found.end <= len(new)
        quote = old[start:end]
        assert 2 * kept_in_order(quote, new[found.start : found.end]) >= non_blank_length(quote) > 0


def test_an_edited_word_at_the_edge_is_taken_whole() -> None:
    old, new = "One. The colours are vivid. Two.", "One. Some bolours are vivid here. Two."
    (found,) = follow(old, new, [Span(9, 27)])
    assert new[found.start : found.end] == "bolours are vivid here."


def test_a_passage_that_was_moved_is_followed_and_a_short_one_is_not() -> None:
    parts = [f"Paragraph {number} speaks of its own matter, number {number}.\n" for number in range(8)]
    old, new = "".join(parts), "".join([*parts[4:], *parts[:4], "Yes."])
    (found,) = follow(old, new, [Span(0, len(parts[0]) - 1)])
    assert new[found.start : found.end] == parts[0].strip()
    assert follow("Yes. And so on.", "And so on. Yes.", [Span(0, 4)]) == [None]


def test_a_deleted_passage_is_not_taken_for_its_twin_elsewhere() -> None:
    section = "Name of the section\nTotal: 5 items in all\nEnd of the section\n"
    between = "".join(f"Line {number} of what stands between.\n" for number in range(40))
    old = section + between + section
    place = old.rindex("Total: 5 items in all")
    new = old[:place] + old[place + len("Total: 5 items in all\n") :]
    assert follow(old, new, [Span(place, place + 21)]) == [None]
    assert follow(old, new, [Span(20, 41)]) == [Span(20, 41)]


def test_a_text_wrapped_anew_keeps_its_passages() -> None:
    old = "The first sentence is here. The second sentence\nis there. The third is gone."
    new = "The first\nsentence is here. The\nsecond sentence is there. The third\nis gone."
    (found,) = follow(old, new, [Span(28, 57)])
    assert new[found.start : found.end] == "The\nsecond sentence is there."


def test_long_texts_with_many_edits_keep_what_was_not_touched() -> None:
    draw = random.Random(7)
    word = ["".join(draw.choices("abcdefghij", k=draw.randint(2, 8))) for _ in range(3000)]
    sentences = [" ".join(draw.choices(word, k=12)) + ". " for _ in range(8000)]
    edited = list(sentences)
    touched = set(draw.sample(range(8000), 300))
    for number in touched:
        edited[number] = draw.choice(["", edited[number].upper(), "An insertion. " + edited[number][10:]])
    old, new = "".join(sentences), "".join(edited)
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence))
    untouched = [number for number in range(8000) if number not in touched]
    spans = [Span(starts[number], starts[number + 1] - 1) for number in untouched]
    found = follow(old, new, spans)
    assert [new[place.start : place.end] if place else None for place in found] == [
        sentences[number][:-1] for number in untouched
    ]


@given(before=texts, quote=marked, after=texts)
def test_a_quotation_is_found_where_its_surroundings_are(before: str, quote: str, after: str) -> None:
    text, span = before + quote + after, Span(len(before), len(before) + len(quote))
    assert find_quote(text, quote, *surroundings(text, span), span.start) == span
    found = find_quote(text, quote, "", "", 0)
    assert found is not None
    assert text[found.start : found.end] == quote


@given(before=texts, quote=marked, after=texts)
def test_white_space_may_differ(before: str, quote: str, after: str) -> None:
    text = before + "<" + quote.replace(" ", " \n ") + ">" + after
    found = find_quote(text, f"<{quote}>", "", "", 0)
    assert found is not None
    assert "".join(text[found.start : found.end].split()) == "".join(f"<{quote}>".split())


def test_a_quotation_that_is_nowhere_is_not_found() -> None:
    assert find_quote("Some text.", "other", "", "", 0) is None
    assert find_quote("Some text.", "", "", "", 0) is None
    assert find_quote("", " ", "", "", 0) is None
