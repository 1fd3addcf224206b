"""What a log of questions tells: weeks that add up, and alerts where something fell and nowhere else."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.evaluation.reporting.over_time import DAYS, alerts, read, regressions, to_look_at, weeks
from core.evaluation.statistics import unpaired_p_value
from core.storage.catalogue.question_log import LoggedQuestion
from tests.evaluation.made_reports import made_report

TODAY = date(2026, 6, 15)


def asked(days_ago: int, **changed: object) -> LoggedQuestion:
    moment = datetime(2026, 6, 15, 12, tzinfo=UTC) - timedelta(days=days_ago)
    usual = LoggedQuestion("Where?", 300.0, 0.9, True, 0.5, ("a",), moment.isoformat("T", "seconds"))
    return replace(usual, **changed)


def half(first_day: int, **changed: object) -> list[LoggedQuestion]:
    """Thirty questions, one a minute apart as far as figures go, that vary a little."""
    noise = np.random.default_rng(3)
    made = []
    for number in range(30):
        one = asked(first_day + number % 20, **changed)
        made.append(replace(one, milliseconds=one.milliseconds * (0.8 + 0.4 * noise.random())))
    return made


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ({"quoted": False, "support": 0.1}, "unanswered"),
        ({"milliseconds": 900.0}, "longer"),
        ({"similarity": 0.3}, "about “Letters”"),
    ],
)
def test_what_fell_is_said_and_the_same_turned_round_is_not(now: dict[str, object], words: str) -> None:
    letters = {"Letters": {"a"}, "Others": {"z"}}
    worse = alerts([*half(DAYS + 1), *half(1, **now)], TODAY, letters)
    assert any(words in line for line in worse)
    assert not any("Others" in line for line in worse)
    assert alerts([*half(DAYS + 1, **now), *half(1)], TODAY, letters) == []
    assert alerts([*half(DAYS + 1), *half(1)], TODAY, letters) == []


def test_a_few_questions_say_nothing() -> None:
    assert alerts([*half(DAYS + 1), *half(1, milliseconds=9000.0)[:19]], TODAY, {}) == []


@given(some.lists(some.tuples(some.integers(0, 180), some.sampled_from([None, True, False]), some.floats(0, 1))))
def test_every_question_counts_in_one_week_and_every_week_is_there(made: list[tuple[int, bool | None, float]]) -> None:
    log = [asked(ago, quoted=quoted, support=support) for ago, quoted, support in made]
    counted = weeks(log)
    assert sum(week.answered + week.doubtful + week.unanswered + week.written for week in counted) == len(log)
    assert all(later.monday - earlier.monday == timedelta(7) for earlier, later in itertools.pairwise(counted))


def test_a_question_that_was_answered_since_needs_no_other_look() -> None:
    poor = {"quoted": False, "support": 0.1}
    log = [asked(9, question="A", **poor), asked(8, question="B", **poor), asked(2, question="A")]
    assert [one.question for one in to_look_at(log, 5)] == ["B"]
    assert read([asked(1, version_ids=("a", "b")), asked(1, version_ids=("b",))]) == {"b": 2, "a": 1}


def test_groups_drawn_alike_are_told_apart_as_often_as_chance_has_it() -> None:
    draws = np.random.default_rng(1)
    seen = [
        unpaired_p_value(draws.normal(size=25).tolist(), draws.normal(size=30).tolist()) <= 0.05 for _ in range(300)
    ]
    assert 0.01 < np.mean(seen) < 0.1


def test_a_judged_question_that_lost_gold_with_a_change_of_its_document_is_named() -> None:
    before = made_report(questions=12)
    changed = [replace(document, version_id="f" * 64) for document in before.documents[:1]]
    preset = before.presets[0]
    name = "recall@4000"
    less = tuple(None if share is None else max(0.0, share - 0.5) for share in preset.scores[name])
    after = replace(
        before,
        documents=(*changed, *before.documents[1:]),
        presets=(replace(preset, scores={**preset.scores, name: less}), *before.presets[1:]),
    )
    found = regressions(before, after)
    assert found
    assert {one.document for one in found} == {before.documents[0].name}
    assert all(one.after < one.before for one in found)
    assert regressions(before, before) == []
