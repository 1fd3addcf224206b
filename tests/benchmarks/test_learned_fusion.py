"""The models of the learned fusion's benchmark, on lists made for it and on a real library."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.evaluation.suites import load_suite
from core.settings import Settings
from tests.benchmarks import learned_fusion
from tests.benchmarks.learned_fusion import HAND_SET, OWN, Shelf, own_scorers, reordered, scorers, told
from tests.benchmarks.learned_fusion_models import (
    ASKED,
    BESIDE,
    TERMS,
    Listed,
    hand_set_weights,
    linear,
    linear_scorer,
)

FEATURES = len((*TERMS, *BESIDE, *ASKED))


def one_list(seed, weights, size=12):
    """A list whose gold stands in the leaf that the weights of the terms put first."""
    features = np.random.default_rng(seed).normal(size=(size, FEATURES))
    gold = np.zeros(size)
    gold[np.argmax(features[:, : len(TERMS)] @ weights)] = 50.0
    return Listed(np.arange(size), features, gold)


def test_a_linear_model_finds_the_weights_that_put_gold_first():
    true = np.array([2.0, 0.0, 1.0, 0.0, -1.0, 0.5])
    lists = {"some": [one_list(seed, true) for seed in range(300)]}
    found, score = linear(lists, TERMS), linear_scorer(lists, TERMS)
    assert found @ true / np.linalg.norm(found) / np.linalg.norm(true) > 0.98
    first = [one.gold[np.argmax(score(one))] > 0 for one in (one_list(seed, true) for seed in range(1000, 1100))]
    assert np.mean(first) > 0.8


def test_suites_count_alike_whatever_their_size():
    one, other = np.array([1.0, 0, 0, 0, 0, 0]), np.array([0, 1.0, 0, 0, 0, 0])
    small = [one_list(seed, one) for seed in range(40)]
    large = [one_list(seed, other) for seed in range(100, 140)] * 10
    found = linear({"small": small, "large": large}, TERMS)
    assert found[0] == pytest.approx(found[1], rel=0.3)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), shuffle=st.integers(0, 10_000))
def test_the_order_of_leaves_and_of_questions_teaches_nothing(seed, shuffle):
    true = np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    lists = [one_list(seed + at, true) for at in range(8)]
    mixed = np.random.default_rng(shuffle)
    moved = []
    for at in mixed.permutation(8):
        order = mixed.permutation(12)
        moved.append(Listed(lists[at].places[order], lists[at].features[order], lists[at].gold[order]))
    assert linear({"a": moved}, TERMS) == pytest.approx(linear({"a": lists}, TERMS), abs=1e-5)


def test_what_holds_no_gold_teaches_nothing():
    true = np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    lists = [one_list(seed, true) for seed in range(20)]
    blank = Listed(lists[0].places, lists[0].features, np.zeros(12))
    assert linear({"a": [*lists, blank]}, TERMS) == pytest.approx(linear({"a": lists}, TERMS))


def test_no_question_is_told_of_by_a_model_that_saw_it():
    first, second = np.array([5.0, 0, 0, 0, 0, 0]), np.array([-5.0, 0, 0, 0, 0, 0])
    lists = [one_list(seed, (first, second)[seed % 2]) for seed in range(80)]
    one, other = own_scorers(lists)[:2]
    probe = np.zeros((2, FEATURES))
    probe[:, 0] = 1.0, -1.0
    listed = Listed(np.arange(2), probe, np.zeros(2))
    assert one(listed)[0] < one(listed)[1]  # even questions are told of by the odd ones, which want the opposite
    assert other(listed)[0] > other(listed)[1]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    folder = tmp_path_factory.mktemp("code")
    (folder / "documents").mkdir()
    texts = {
        "mill.md": "# Mill\n\nThe mill grinds wheat at dawn.\n\n# Miller\n\nThe miller sleeps in the loft.\n",
        "ship.md": "# Ship\n\nThe ship carries wheat to Delft.\n\n# Crew\n\nThe crew of the ship is nine sailors.\n",
    }
    for name, text in texts.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    lines = []
    for at, (name, quote, question) in enumerate(
        [
            ("mill.md", "The miller sleeps in the loft.", "Where does the miller sleep?"),
            ("ship.md", "The crew of the ship is nine sailors.", "How many sailors are in the crew?"),
            ("ship.md", "The ship carries wheat to Delft.", "Where is the wheat carried?"),
            ("mill.md", "The mill grinds wheat at dawn.", "When is wheat ground?"),
        ]
    ):
        start = texts[name].index(quote)
        span = f'{{"document": "{name}", "start": {start}, "end": {start + len(quote)}}}'
        lines.append(f'{{"id": "{at}", "question": "{question}", "gold": [{span}]}}')
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def opened(shelf, tmp_path, monkeypatch):
    from tests.fast_encoder import FastEncoder

    class Loaded:
        encoder = FastEncoder()

    monkeypatch.setattr(learned_fusion, "load_model", lambda _: Loaded)
    with learned_fusion.opened(load_suite(shelf), tmp_path, None) as made:
        yield made


def test_the_hand_set_fusion_is_a_linear_model_over_its_terms(opened: Shelf):
    weights = hand_set_weights(Settings().retrieval)
    for _, asked in opened.asked():
        ranking = opened.ranking(asked.question)
        assert asked.listed.of(TERMS) @ weights == pytest.approx(ranking.final[asked.listed.places])
        assert np.isfinite(asked.listed.features).all()


def test_its_own_scores_leave_a_ranking_as_it_is(opened: Shelf):
    for _, asked in opened.asked():
        ranking = opened.ranking(asked.question)
        places = asked.listed.places
        same = reordered(ranking, places, ranking.final[places])
        assert same.kept.tolist() == ranking.kept.tolist()
        assert opened.scores(asked.question, same) == opened.scores(asked.question, ranking)
        turned = reordered(ranking, places, -ranking.final[places])
        assert turned.kept.tolist() == places[::-1].tolist()


def test_read_in_order_is_what_flat_leaves_give(opened: Shelf):
    plain = replace(opened, in_order=True)
    for _, asked in opened.asked():
        ranking = opened.ranking(asked.question)
        read = plain.scores(asked.question, ranking)
        assert read[3] == pytest.approx(opened.scores(asked.question, ranking)[3])  # all of it fits 8,000 characters
        assert read == [*sorted(read[:4]), pytest.approx(np.mean(read[:4]))]


def test_every_model_is_told_of_every_question(opened: Shelf, monkeypatch):
    asked = [one for _, one in opened.asked()]
    lists = {name: [one.listed for one in asked] for name in learned_fusion.TUNING}
    figures = told(opened, {"code": asked}, scorers(lists, ["code"]))
    assert list(figures["code"]) == [HAND_SET, "terms", "everything", "trees", OWN]
    assert {rows.shape for rows in figures["code"].values()} == {(4, 5)}
    assert figures["code"][HAND_SET][:, 0] == pytest.approx(100.0)  # so little is read whole
    assert "| own |" in learned_fusion.table(figures)
    assert "all four" in learned_fusion.turned(lists)
