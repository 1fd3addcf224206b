"""Judged questions in two halves: the same every time, and no document on both sides where that can be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.errors import LecternError
from core.evaluation.suites import GoldSpan, Question
from core.refitting.splitting import LEAST_SHARE, NOTHING, Seen, checked_split, question_hash, split

SPAN = some.builds(
    lambda document, at: GoldSpan(f"{document}.md", at, at + 9), some.integers(0, 12), some.integers(0, 60)
)
QUESTIONS = some.lists(some.lists(SPAN, min_size=1, max_size=3), min_size=2, max_size=60).map(
    lambda found: [Question(f"q{number}", f"What of {number}?", tuple(spans)) for number, spans in enumerate(found)]
)


def asked(number: int, *gold: GoldSpan) -> Question:
    return Question(str(number), f"Question number {number}?", gold)


def over_documents(count: int, documents: int) -> list[Question]:
    """Questions of which each document has as many."""
    return [
        asked(number, GoldSpan(f"{number % documents}.md", 10 * number, 10 * number + 9)) for number in range(count)
    ]


def marks(questions: tuple[Question, ...]) -> frozenset[str]:
    return frozenset(map(question_hash, questions))


@given(QUESTIONS, some.integers())
def test_every_question_is_on_one_side_and_order_decides_nothing(questions: list[Question], seed: int) -> None:
    halves = split(questions)
    assert sorted(one.id for one in (*halves.training, *halves.held_out)) == sorted(one.id for one in questions)
    shuffled = list(questions)
    random.Random(seed).shuffle(shuffled)
    assert split(shuffled) == halves


@given(QUESTIONS)
def test_neither_a_document_nor_the_very_same_gold_is_on_both_sides(questions: list[Question]) -> None:
    halves = split(questions)
    sides = [{span for one in side for span in one.gold} for side in (halves.training, halves.held_out)]
    assert not sides[0] & sides[1]
    if halves.by == "document":
        assert not {span.document for span in sides[0]} & {span.document for span in sides[1]}


@given(QUESTIONS, some.sets(some.integers(0, 59)), some.sets(some.integers(0, 59)))
def test_what_was_taught_is_never_kept_out_again(questions: list[Question], taught: set[int], other: set[int]) -> None:
    learnt = frozenset(question_hash(one) for number, one in enumerate(questions) if number in taught)
    kept = frozenset(question_hash(one) for number, one in enumerate(questions) if number in other)
    halves = split(questions, Seen(learnt, kept))
    assert not marks(halves.held_out) & learnt
    assert {one.id for one in (*halves.training, *halves.held_out)} == {one.id for one in questions}


def test_documents_part_where_they_can_and_passages_of_one_document_else() -> None:
    halves = split(over_documents(240, 40))
    assert (halves.by, len(halves.training), len(halves.held_out)) == ("document", 120, 120)
    twice = [
        asked(number, GoldSpan("one.md", 50 * (number // 2), 50 * (number // 2) + 40 + number % 2))
        for number in range(80)
    ]
    halves = split(twice)  # every passage is asked for twice, of which once a character longer
    assert (halves.by, len(halves.training), len(halves.held_out)) == ("question", 40, 40)
    starts = [{one.gold[0].start for one in side} for side in (halves.training, halves.held_out)]
    assert not starts[0] & starts[1]


def test_one_question_about_a_whole_document_does_not_keep_all_its_others_together() -> None:
    questions = [*over_documents(40, 1), asked(99, GoldSpan("0.md", 0, 10_000))]
    halves = split(questions)
    assert min(len(halves.training), len(halves.held_out)) >= LEAST_SHARE * len(questions)


@pytest.mark.parametrize("more", [1, 5, 20])
@pytest.mark.parametrize("documents", [40, 1])
def test_a_judgment_more_moves_none_that_a_reranker_was_taught_by_or_tried_on(documents: int, more: int) -> None:
    questions = over_documents(240, documents)
    before = split(questions)
    seen = Seen(marks(before.training), marks(before.held_out))
    assert split(questions, seen) == before
    gold = [GoldSpan(f"{number % documents}.md", 9000 + 10 * number, 9009 + 10 * number) for number in range(more)]
    after = split([*questions, *(asked(1000 + number, span) for number, span in enumerate(gold))], seen)
    assert after.by == before.by
    assert marks(after.training) >= seen.taught
    assert marks(after.held_out) >= seen.kept_out
    assert len(after.training) + len(after.held_out) == 240 + more


@given(QUESTIONS, some.integers(2, 60))
def test_asking_fewer_changes_no_side(questions: list[Question], most: int) -> None:
    whole, some_of_it = split(questions), split(questions, NOTHING, most)
    assert set(some_of_it.training) <= set(whole.training)
    assert set(some_of_it.held_out) <= set(whole.held_out)
    assert max(len(some_of_it.training), len(some_of_it.held_out)) <= max(1, most // 2)


def test_a_half_that_can_tell_nothing_is_said() -> None:
    questions = over_documents(30, 6)
    assert checked_split(questions, NOTHING, 400).by == "document"
    same = [asked(number, GoldSpan("one.md", 0, 9)) for number in range(30)]
    with pytest.raises(LecternError, match="Of 30 judged questions with an answer only 0 can be kept apart"):
        checked_split(same, NOTHING, 400)
    apart = over_documents(30, 30)
    with pytest.raises(LecternError, match="only 5 can be kept apart"):
        checked_split(apart, Seen(frozenset(map(question_hash, apart[:25]))), 400)
