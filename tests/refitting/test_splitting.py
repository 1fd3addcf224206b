"""Judged questions in two halves: the same every time, and no document on both sides where that can be."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as some

from core.evaluation.suites import GoldSpan, Question
from core.refitting.splitting import LEAST_SHARE, split

QUESTIONS = some.lists(some.lists(some.integers(0, 12), min_size=1, max_size=3), min_size=2, max_size=60).map(
    lambda found: [
        Question(f"q{number}", f"What of {number}?", tuple(GoldSpan(f"{one}.md", 0, 9) for one in documents))
        for number, documents in enumerate(found)
    ]
)


@given(QUESTIONS, some.integers())
def test_every_question_is_on_one_side_and_order_decides_nothing(questions: list[Question], seed: int) -> None:
    halves = split(questions)
    assert sorted(one.id for one in (*halves.training, *halves.held_out)) == sorted(one.id for one in questions)
    shuffled = list(questions)
    random.Random(seed).shuffle(shuffled)
    assert split(shuffled) == halves


@given(QUESTIONS)
def test_no_document_is_on_both_sides_unless_single_questions_are_split(questions: list[Question]) -> None:
    halves = split(questions)
    training, held_out = (
        {span.document for one in side for span in one.gold} for side in (halves.training, halves.held_out)
    )
    if halves.by == "document":
        assert not training & held_out
        assert min(len(halves.training), len(halves.held_out)) >= LEAST_SHARE * len(questions)
    else:
        assert abs(len(halves.training) - len(halves.held_out)) <= 1
