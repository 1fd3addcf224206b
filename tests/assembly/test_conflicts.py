"""Passages that contradict each other are found, and those that only look so are not; sides lie where they say."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.assembly.conflicts import conflicts
from core.assembly.conflicts_authority import deciding, higher, preferred_first, settle
from core.assembly.conflicts_units import quantities, same_value
from core.assembly.conflicts_wording import GAP, wording
from core.settings import AnsweringSettings
from core.types import Answer, Citation, Passage, Quote, Span
from tests.assembly.conflict_pairs import AGREE, ALIKE_BEHIND, CONTRADICT, RESTRICTED_BEHIND

# The rules do not find these, and may: "m" is too many things, one word is no subject, and PostgreSQL 14.2 is not read
# as a version at the end of a sentence.
MISSED = {
    ("An upload may be at most 10 MB.", "An upload may be at most 25 MB."),
    ("The bridge is 120 metres long.", "The bridge is 140 m long."),
    ("The server runs on PostgreSQL 14.2.", "The server runs on PostgreSQL 16.1."),
}


def passage(text, number, start=0, headings=(), version=None, source=None, title=None):
    return Passage(
        version_id=(version or str(number)) * 64,
        document=title or f"Paper {chr(96 + number)}",
        source=source or f"{number}.md",
        start=start,
        end=start + len(text),
        text=text,
        tokens=1,
        chunk_ids=("c",),
        children=(Span(start, start + len(text)),),
        rank=number,
        score=1.0,
        reason="",
        headings=tuple(headings),
    )


def between(one, other, **options):
    return conflicts([passage(one, 1), passage(other, 2)], **options)


@pytest.mark.parametrize(("one", "other"), [pair for pair in CONTRADICT if pair not in MISSED])
def test_what_contradicts_is_found(one, other):
    [conflict] = between(one, other)
    assert {side.sentence for side in conflict.sides} == {one, other}
    assert len({side.normal for side in conflict.sides}) == 2


@pytest.mark.parametrize(("one", "other"), [pair for pair in CONTRADICT if pair not in MISSED])
def test_what_they_disagree_on_is_told_in_the_words_of_the_first(one, other):
    [conflict] = between(one, other)
    first = conflict.sides[0]
    told = conflict.about.split()
    at = 0
    for word in told:  # every word stands in the sentence, in this order
        if word != GAP:
            at = first.sentence.index(word, at) + len(word)
    assert GAP in told, "where the value stands"
    assert first.value not in conflict.about
    assert {word for word in conflict.subject if word in conflict.about.lower()}


@given(st.text(max_size=80), st.integers(0, 80), st.integers(0, 20), st.sets(st.sampled_from("tea free token".split())))
def test_the_words_of_a_conflict_are_some_of_its_sentence(text, start, size, shared):
    told = wording(text, Span(start, start + size), shared)
    assert all(word in text for word in told.split() if word != GAP)
    assert len(told.split()) <= 17
    assert f"{GAP} {GAP}" not in told


@pytest.mark.parametrize(("one", "other"), AGREE)
def test_what_only_looks_like_it_is_not(one, other):
    assert between(one, other) == ()


@pytest.mark.parametrize(("pairs", "found"), [(RESTRICTED_BEHIND, 0), (ALIKE_BEHIND, 1)])
def test_what_stands_behind_a_value_restricts_it(pairs, found):
    for one, other in pairs:
        assert len(between(one, other, similarity=lambda *two: 0.95)) == found, (one, other)


def test_the_sets_are_large_enough_to_mean_something():
    assert len(CONTRADICT) >= 40
    assert len(AGREE) >= 80
    assert len(MISSED) <= len(CONTRADICT) / 10


def test_a_side_says_what_stands_where():
    text = "# Tokens\n\nAn access token is valid for 3600 seconds. Ask for another one in time."
    [conflict] = conflicts([passage(text, 1, start=50), passage("Access tokens expire after 15 minutes.", 2)])
    assert (conflict.kind, conflict.subject[:2]) == ("number", ("access", "token"))
    first, second = conflict.sides
    assert (first.value, first.normal, first.source) == ("3600 seconds", "3600 s", "1.md")
    assert (second.value, second.normal) == ("15 minutes", "900 s")
    assert text[first.span.start - 50 : first.span.end - 50] == first.value
    assert text[first.sentence_span.start - 50 : first.sentence_span.end - 50] == first.sentence
    assert first.sentence == "An access token is valid for 3600 seconds."


@pytest.mark.parametrize(
    ("one", "other", "normal"),
    [
        ("The mains voltage of the plant is 230 V.", "The mains voltage of the plant is 110 V.", "230 V"),
        ("The sensor samples at 50 Hz.", "The sensor samples at 100 Hz.", "50 Hz"),
        ("The freezer is kept at -18 °C.", "The freezer is kept at -20 °C.", "-18 °C"),
    ],
)
def test_what_a_side_says_is_told_in_the_base_unit(one, other, normal):
    [conflict] = between(one, other)
    assert conflict.sides[0].normal == normal


def test_what_a_document_gives_many_values_is_a_series_and_no_statement():
    lines = [f"The batch job of the worker finished after {3 + number} seconds." for number in range(4)]
    other = passage("The batch job of the worker finished after 60 seconds.", 2)
    assert conflicts([passage("\n".join(lines[:1]), 1), other])
    assert conflicts([passage("\n".join(lines), 1), other]) == ()


def test_half_a_sentence_states_nothing():
    limit = "Access tokens expire after 15 minutes"
    passages = [passage("Access tokens expire after 3600 seconds.", 1), passage(limit, 2)]
    assert conflicts(passages)
    assert not conflicts(passages, cut=lambda version, place: (version, place) == ("2" * 64, len(limit)))


def test_who_agrees_with_a_side_stands_beside_it():
    third = "A token lives for 3600 seconds, so that such a program runs for exactly one hour and then fails."
    texts = ["An access token is valid for 3600 seconds.", "Access tokens expire after 15 minutes.", third]
    [conflict] = conflicts([passage(text, number) for number, text in enumerate(texts, 1)])
    assert [side.normal for side in conflict.sides] == ["3600 s", "900 s", "3600 s"]


def test_the_same_sentence_with_another_number_needs_no_rule_about_its_subject():
    sentence = "Model estimates suggested that {} persons in the northern districts were infected by the end of winter."
    [conflict] = between(sentence.format("75,000"), sentence.format("7,500"))
    assert [side.normal for side in conflict.sides] == ["75000 person", "7500 person"]


def test_one_document_may_say_the_same_of_many_things():
    sentence = "Model estimates suggested that {} persons in the northern districts were infected by the end of winter."
    one = passage(sentence.format("75,000"), 1)
    other = passage(sentence.format("7,500"), 2, start=500, version="1")
    assert conflicts([one, other]) == ()


def test_what_two_names_before_a_word_tell_apart_one_may_not_join():
    texts = [
        "Tokens expire after 1 hour.",
        "Refresh tokens expire after 30 days.",
        "Access tokens expire after 1 hour.",
    ]
    assert conflicts([passage(text, number) for number, text in enumerate(texts, 1)]) == ()


def test_a_heading_may_hold_what_a_sentence_leaves_out():
    one = passage("The timeout is 30 seconds.", 1, headings=["Guide", "Health checks"])
    other = passage("The timeout is 60 seconds.", 2, headings=["Guide", "Health checks"])
    elsewhere = passage("The timeout is 60 seconds.", 2, headings=["Guide", "File uploads"])
    assert len(conflicts([one, other])) == 1
    assert conflicts([one, elsewhere]) == ()


def test_names_of_the_title_are_true_of_every_sentence():
    one = passage("In Sluice a session lasts 30 minutes.", 1)
    inside = passage("A session lasts 60 minutes.", 2, title="Sluice handbook")
    assert conflicts([one, passage("A session lasts 60 minutes.", 2)]) == ()
    assert conflicts([passage("A Sluice session lasts 30 minutes.", 1), inside]) != ()


def test_meaning_tells_apart_what_words_do_not_and_joins_what_they_nearly_do():
    pair = (
        "Access to production is granted for two hours at most.",
        "Access is granted for four hours by a colleague.",
    )
    assert between(*pair) == ()
    assert len(between(*pair, similarity=lambda one, other: 0.8)) == 1
    assert (
        between("Tokens expire after 1 hour.", "Tokens expire after 2 hours.", similarity=lambda one, other: 0.1) == ()
    )


def test_meaning_is_asked_for_few_pairs_alone():
    asked = []
    texts = [
        f"The {thing} lasts {number} hours." for number, thing in enumerate("race shift visit feast trip".split(), 1)
    ]
    conflicts(
        [passage(text, number) for number, text in enumerate(texts, 1)],
        similarity=lambda *pair: asked.append(pair) or 1.0,
    )
    assert asked == []


def test_the_order_of_the_passages_does_not_matter():
    texts = ["Backups are kept for 30 days.", "Backups are kept for 90 days.", "Backups are kept for a month."]
    passages = [passage(text, number) for number, text in enumerate(texts, 1)]
    found = conflicts(passages)
    assert len(found) == 1
    assert all(conflicts(order) == found for order in permutations(passages))


def test_tables_and_fenced_code_are_left_alone():
    rows = "| Backups are kept for | 30 days |", "| Backups are kept for | 90 days |"
    code = "```\nBackups are kept for 30 days.\n```", "```\nBackups are kept for 90 days.\n```"
    assert between(*rows) == ()
    assert between(*code) == ()
    after = "}\n```\n\nBackups are kept for 30 days.", "```json\n{}\n```\n\nBackups are kept for 90 days."
    assert len(between(*after)) == 1, "what follows code, begun in the passage or before it, is text"


NAMES = st.sampled_from(["handbook", "notes", "api", "*"])


@given(st.permutations(["handbook.md", "notes.md", "api.md"]), st.lists(NAMES, min_size=1, max_size=4))
def test_authority_changes_nothing_but_who_is_preferred(sources, ranks):
    texts = ["Backups are kept for 30 days.", "Backups are kept for 90 days.", "Backups are kept for 60 days."]
    found = conflicts([passage(text, at, source=sources[at - 1]) for at, text in enumerate(texts, 1)])
    [settled] = settle(found, [" > ".join(ranks)])
    assert (settled.kind, settled.subject, settled.sides) == (found[0].kind, found[0].subject, found[0].sides)
    assert (settled.preferred is None) == (settled.reason == "")


def two_sides():
    one = passage("An access token is valid for 3600 seconds.", 1, source="docs/api.md", title="API reference")
    other = passage("Access tokens expire after 15 minutes.", 2, source="architecture.md", title="Architecture")
    return conflicts([one, other])


@pytest.mark.parametrize(
    ("entry", "preferred", "reason"),
    [
        ("api.md > architecture.md", 0, "docs/api.md ranks above architecture.md."),
        ("architecture > api", 1, "architecture.md ranks above docs/api.md."),
        ("architecture*", 1, "architecture.md ranks above docs/api.md."),
        ("pdf > markdown", 1, "architecture.md ranks above docs/api.md."),
        ("access tokens: API reference", 0, "docs/api.md ranks above architecture.md."),
        ("backups: api", None, ""),
        ("*.md", None, ""),
        ("minutes.txt", None, ""),
    ],
)
def test_documents_rank_by_name_title_kind_and_topic(entry, preferred, reason):
    [settled] = settle(two_sides(), [entry], {"1" * 64: "markdown", "2" * 64: "pdf"})
    assert (settled.preferred, settled.reason) == (preferred, reason)


def test_an_entry_for_the_topic_counts_before_one_for_all():
    [settled] = settle(two_sides(), ["architecture > api", "tokens: api > architecture"])
    assert settled.preferred == 0


def test_a_name_written_out_counts_before_one_that_is_like_it():
    texts = ("An access token is valid for 3600 seconds.", "Access tokens expire after 15 minutes.")
    found = conflicts([passage(texts[0], 1, source="old-api.md"), passage(texts[1], 2, source="api.md")])
    assert [one.preferred for one in settle(found, ["api.md > old-api.md"])] == [1]
    assert [one.preferred for one in settle(found, ["old-api.md > api.md"])] == [0]


ENTRIES = st.lists(
    st.sampled_from(
        ["api > architecture", "architecture.md > *", "tokens: architecture > api", "backups: a > b", "*.md", "pdf > *"]
    ),
    max_size=3,
)
FILES = st.sampled_from(["api.md", "docs/api.md", "old/api.md", "old-api.md", "a > b: c, [d].md", "*.md", "Ä.txt"])


@given(FILES, FILES, ENTRIES, st.integers(0, 1))
def test_a_side_is_ranked_higher_by_one_entry_and_no_longer_without_it(one, other, authority, place):
    texts = ("An access token is valid for 3600 seconds.", "Access tokens expire after 15 minutes.")
    [found] = conflicts(
        [passage(text, at, source=name) for at, (text, name) in enumerate(zip(texts, (one, other), strict=True), 1)]
    )
    entry = higher(found, place, authority)
    if one != other and not {one, other} & {"*.md"}:
        assert entry
    if entry:
        assert AnsweringSettings(authority=(entry,)).authority == (entry,)
        [settled] = settle([found], [entry, *authority])
        assert settled.preferred == place
        [before] = settle([found], authority)
        if before.preferred != place:
            assert deciding(settled, [entry, *authority]) == entry
        assert settle([settled], authority) == (before,)
        assert (deciding(found, authority) == "") == (before.preferred is None)


def test_who_ranks_a_source_otherwise_does_so_for_the_subject_alone():
    [found] = two_sides()
    assert higher(found, 0, []) == "api.md > architecture.md"
    assert higher(found, 1, ["api.md > architecture.md"]) == "access token valid: architecture.md > api.md"
    same = replace(found, sides=(found.sides[0], replace(found.sides[1], version_id=found.sides[0].version_id)))
    assert higher(same, 0, []) == "", "one document has both sides"


QUOTED = st.lists(st.sampled_from([0, 1, 2]), max_size=6)


@given(QUOTED, st.sampled_from([None, 0, 1]))
def test_the_preferred_sides_quote_comes_before_those_it_ranks_above(order, preferred):
    [found] = two_sides()
    elsewhere = replace(found.sides[0], version_id="3" * 64)
    said = [*found.sides, elsewhere]
    quotes = [
        Quote(f"{at}", 1 - at / 10, Citation(side.version_id, "D", "d", side.sentence_span.start, side.span.end))
        for at, side in enumerate(said[number] for number in order)
    ]
    after = preferred_first(Answer(tuple(quotes)), [replace(found, preferred=preferred)]).quotes
    assert sorted(after, key=lambda quote: quote.text) == quotes
    if preferred is None or preferred not in order:
        assert list(after) == quotes
        return
    numbers = [order[int(quote.text)] for quote in after]
    assert 1 - preferred not in numbers[: numbers.index(preferred)]
    for number in (1 - preferred, 2):  # the others keep their order
        kept = [quote.text for quote in after if order[int(quote.text)] == number]
        assert kept == sorted(kept)


@given(st.floats(0.001, 1e6), st.sampled_from(["seconds", "minutes", "hours", "MB", "percent", "metres", "litres"]))
def test_a_quantity_agrees_with_itself(number, unit):
    text = f"{number:.3f} {unit}"
    found = quantities(text)
    assert len(found) == 1
    assert (found[0].start, found[0].end) == (0, len(text))
    assert same_value(found[0], found[0])


@given(st.integers(1, 5000))
def test_units_of_one_kind_are_comparable(number):
    one, other = quantities(f"{number} minutes.")[0], quantities(f"{number * 60} seconds.")[0]
    assert one.kind == other.kind
    assert same_value(one, other)
    assert not same_value(one, quantities(f"{number * 120} seconds.")[0])


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    found = conflicts([passage(text, 1), passage(text[::-1], 2)])
    for conflict in found:
        for side in conflict.sides:
            whole = text if side.version_id == "1" * 64 else text[::-1]
            assert whole[side.span.start : side.span.end] == side.value
