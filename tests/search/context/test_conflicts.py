"""Passages that contradict each other are found, and those that only look so are not; sides lie where they say."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence import Passage
from core.search.context.conflicts import GAP, conflicts
from core.types import Span

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
    assert not among(passages, splits_sentence=lambda version, place: (version, place) == ("2" * 64, len(limit)))


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("4.2 Backups are kept for 30 days.", "Backups are kept for 90 days."),
        ("3. Backups are kept for 30 days.", "5. Backups are kept for 90 days."),
        ("The course begins on 3 May 2024.", "The course starts on 5 May 2024."),
        ("The sale ends on 3 May 2024.", "The sale closes on 5 May 2024."),
        ("The map was released on 3 May 2024.", "The map was published on 5 May 2024."),
    ],
)
def test_numbers_before_sentences_and_other_words_for_a_property_hide_nothing(one, other):
    assert len(between(one, other)) == 1


def test_an_amount_by_itself_states_nothing():
    told = [passage(text, at, headings=["Session length"]) for at, text in enumerate(["30 minutes.", "45 minutes."], 1)]
    assert among(told, "What is the session length?") == ()


def test_tables_and_code_are_left_alone():
    assert between("| Backups are kept for | 30 days |", "| Backups are kept for | 90 days |") == ()
    assert between("keep_backups(for = 30 days);", "keep_backups(for = 90 days);") == ()


@given(st.text(max_size=200))
def test_any_text_can_be_read(text):
    found = among([passage(text, 1), passage(text[::-1], 2)])
    for conflict in found:
        for side in conflict.sides:
            whole = text if side.version_id == "1" * 64 else text[::-1]
            assert whole[side.span.start : side.span.end] == side.value
