"""Passages that contradict each other are found, and those that only look so are not; sides lie where they say."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.context.conflicts import GAP, conflicts
from core.search.context.conflicts_authority import deciding, higher, preferred_first, settle
from core.settings import AnsweringSettings
from core.types import Answer, Citation, Passage, Quote, Span

# Pairs of sentences, written before the rules were tried on them: those that contradict each other, and those that do
# not, however much they look as if they did.
PAIRS: dict[str, list[tuple[str, ...]]] = {}
for _line in (Path(__file__).parent / "conflict_pairs.tsv").read_text(encoding="utf-8").splitlines():
    if _line.startswith("= "):
        _pairs = PAIRS.setdefault(_line[2:], [])
    elif not _line.startswith("# "):
        _pairs.append(tuple(_line.split("\t")))
CONTRADICT, AGREE = PAIRS["CONTRADICT"], PAIRS["AGREE"]


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


def alike(one, other):
    return 1.0


def among(passages, question="", similarity=alike, **options):
    """The conflicts for who asks ``question``, "" for what the best passage says."""
    best = min(passages, key=lambda one: one.rank)
    return conflicts(question or best.text, passages, similarity, **options)


def between(one, other, **options):
    return among([passage(one, 1), passage(other, 2)], **options)


@pytest.fixture(scope="module")
def meaning(encoder):
    def similarity(one, other):
        vectors = encoder.encode([one, other])
        return float(vectors[0] @ vectors[1])

    return similarity


@pytest.mark.model
def test_what_contradicts_is_found(meaning):
    for one, other in CONTRADICT:
        [conflict] = between(one, other, similarity=meaning)
        assert {side.sentence for side in conflict.sides} == {one, other}
        assert len({side.normal for side in conflict.sides}) == 2


@pytest.mark.parametrize(("one", "other"), CONTRADICT)
def test_what_they_disagree_on_is_told_in_the_words_of_the_first(one, other):
    [conflict] = between(one, other)
    first = conflict.sides[0]
    before, _, after = conflict.about.partition(GAP)
    assert before in first.sentence
    assert after.rstrip(f" {GAP}") in first.sentence
    assert first.value not in conflict.about or conflict.kind == "negation"
    assert conflict.subject
    assert all(word in conflict.about.lower() for word in conflict.subject)


def test_what_only_looks_like_it_is_not():
    assert [(one, other) for one, other in AGREE if between(one, other)] == []  # however alike by meaning


@pytest.mark.parametrize(("pairs", "found"), [(PAIRS["RESTRICTED_BEHIND"], 0), (PAIRS["ALIKE_BEHIND"], 1)])
def test_what_stands_behind_a_value_restricts_it(pairs, found):
    for one, other in pairs:
        assert len(between(one, other, similarity=lambda *two: 0.95)) == found, (one, other)


def test_a_side_says_what_stands_where():
    text = "# Tokens\n\nAn access token is valid for 3600 seconds. Ask for another one in time."
    [conflict] = among([passage(text, 1, start=50), passage("Access tokens expire after 15 minutes.", 2)])
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
    assert among([passage("\n".join(lines[:1]), 1), other])
    assert among([passage("\n".join(lines), 1), other]) == ()


def test_half_a_sentence_states_nothing():
    limit = "Access tokens expire after 15 minutes"
    passages = [passage("Access tokens expire after 3600 seconds.", 1), passage(limit, 2)]
    assert among(passages)
    assert not among(passages, cut=lambda version, place: (version, place) == ("2" * 64, len(limit)))


def test_who_agrees_with_a_side_stands_beside_it():
    third = "A token lives for 3600 seconds, so that such a program runs for exactly one hour and then fails."
    texts = ["An access token is valid for 3600 seconds.", "Access tokens expire after 15 minutes.", third]
    [conflict] = among([passage(text, number) for number, text in enumerate(texts, 1)])
    assert [side.normal for side in conflict.sides] == ["3600 s", "900 s", "3600 s"]


def test_the_same_sentence_with_another_number_needs_no_rule_about_its_subject():
    sentence = "Model estimates suggested that {} persons in the northern districts were infected by the end of winter."
    [conflict] = between(sentence.format("75,000"), sentence.format("7,500"))
    assert [side.normal for side in conflict.sides] == ["75000 person", "7500 person"]


def test_one_document_may_say_the_same_of_many_things():
    sentence = "Model estimates suggested that {} persons in the northern districts were infected by the end of winter."
    one = passage(sentence.format("75,000"), 1)
    other = passage(sentence.format("7,500"), 2, start=500, version="1")
    assert among([one, other]) == ()


def test_what_two_names_before_a_word_tell_apart_one_may_not_join():
    texts = [
        "Tokens expire after 1 hour.",
        "Refresh tokens expire after 30 days.",
        "Access tokens expire after 1 hour.",
    ]
    assert among([passage(text, number) for number, text in enumerate(texts, 1)]) == ()


def test_a_heading_may_hold_what_a_sentence_leaves_out():
    one = passage("The timeout is 30 seconds.", 1, headings=["Guide", "Health checks"])
    other = passage("The timeout is 60 seconds.", 2, headings=["Guide", "Health checks"])
    elsewhere = passage("The timeout is 60 seconds.", 2, headings=["Guide", "File uploads"])
    assert len(among([one, other])) == 1
    assert among([one, elsewhere]) == ()


def test_names_of_the_title_are_true_of_every_sentence():
    one = passage("In Sluice a session lasts 30 minutes.", 1)
    inside = passage("A session lasts 60 minutes.", 2, title="Sluice handbook")
    assert among([one, passage("A session lasts 60 minutes.", 2)]) == ()
    assert among([passage("A Sluice session lasts 30 minutes.", 1), inside]) != ()


def test_what_is_not_alike_by_meaning_does_not_contradict():
    pair = "Tokens expire after 1 hour.", "Tokens expire after 2 hours."
    assert len(between(*pair)) == 1
    assert between(*pair, similarity=lambda one, other: 0.1) == ()


TOLD = ("Access tokens expire after 3600 seconds.", "An access token is valid for 15 minutes.")


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How long is an access token valid?", 1),
        ("When do tokens expire?", 1),
        ("What is the average latency?", 0),
        ("How many workflow executions are there per day?", 0),
        ("Who may read the log?", 0),
    ],
)
def test_a_conflict_is_told_to_who_asks_about_it(question, found, meaning):
    assert len(among([passage(text, at) for at, text in enumerate(TOLD, 1)], question, meaning)) == found


def test_a_question_that_one_side_alone_bears_on_finds_nothing():
    one = passage("The notice period is three months.", 1, headings=["Leases of flats"])
    other = passage("The notice period is six weeks.", 2)
    assert among([one, other], "What is the notice period?", lambda *pair: 0.4 if "?" in pair[0] else 1.0)
    assert not among([one, other], "Who leases flats?", lambda *pair: 0.4 if "?" in pair[0] else 1.0)


def test_the_order_of_the_passages_does_not_matter():
    texts = ["Backups are kept for 30 days.", "Backups are kept for 90 days.", "Backups are kept for a month."]
    passages = [passage(text, number) for number, text in enumerate(texts, 1)]
    found = among(passages)
    assert len(found) == 1
    assert all(among(order) == found for order in permutations(passages))


def test_tables_and_code_are_left_alone():
    assert between("| Backups are kept for | 30 days |", "| Backups are kept for | 90 days |") == ()
    assert between("keep_backups(for = 30 days);", "keep_backups(for = 90 days);") == ()


NAMES = st.sampled_from(["handbook", "notes", "api", "*"])


@given(st.permutations(["handbook.md", "notes.md", "api.md"]), st.lists(NAMES, min_size=1, max_size=4))
def test_authority_changes_nothing_but_who_is_preferred(sources, ranks):
    texts = ["Backups are kept for 30 days.", "Backups are kept for 90 days.", "Backups are kept for 60 days."]
    found = among([passage(text, at, source=sources[at - 1]) for at, text in enumerate(texts, 1)])
    [settled] = settle(found, [" > ".join(ranks)])
    assert (settled.kind, settled.subject, settled.sides) == (found[0].kind, found[0].subject, found[0].sides)
    assert (settled.preferred is None) == (settled.reason == "")


def two_sides():
    one = passage("An access token is valid for 3600 seconds.", 1, source="docs/api.md", title="API reference")
    other = passage("Access tokens expire after 15 minutes.", 2, source="architecture.md", title="Architecture")
    return among([one, other])


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
    found = among([passage(texts[0], 1, source="old-api.md"), passage(texts[1], 2, source="api.md")])
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
    [found] = among(
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


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    found = among([passage(text, 1), passage(text[::-1], 2)])
    for conflict in found:
        for side in conflict.sides:
            whole = text if side.version_id == "1" * 64 else text[::-1]
            assert whole[side.span.start : side.span.end] == side.value
