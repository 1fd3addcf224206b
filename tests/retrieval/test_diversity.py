"""Diversity: whatever the method, an order of what it was given, and a true reason for everything it leaves out."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.enriching.twins import shingles, words_of
from core.errors import SettingsError
from core.retrieval.columns import column
from core.retrieval.diversity import METHODS, clusters, diversify, in_turn, mmr
from core.retrieval.folding import HELD, keepers
from core.retrieval.fusion import best_first
from core.settings.diversity import DIVERSITIES, DiversitySettings


@st.composite
def ranked(draw):
    """Scores that fall, with ties; unit vectors, some of them equal; sections, some leaves in none; keepers."""
    count = draw(st.integers(0, 30))
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    scores = -np.sort(-seed.choice([0.1, 0.5, 2.0, -1.0, *seed.standard_normal(20)], count))
    vectors = seed.standard_normal((max(1, count // 2), 5)).astype(np.float32)
    vectors = vectors[seed.integers(0, len(vectors), count)]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    sections = seed.integers(-1, 4, count)
    kept: list[int] = []
    found = np.full(count, -1)
    for entry in range(count):
        if kept and seed.random() < 0.2:
            found[entry] = seed.choice(kept)
        else:
            kept.append(entry)
    return scores, vectors, sections, found, [f"file-{entry % 3}.md" for entry in range(count)]


settings_of = st.builds(
    DiversitySettings,
    method=st.sampled_from(DIVERSITIES),
    relevance=st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    cluster_similarity=st.sampled_from([0.0, 0.5, 1.0]),
    per_section=st.integers(0, 3),
    fold_twins=st.booleans(),
    candidates=st.integers(2, 40),
)


def test_every_method_of_the_settings_is_there():
    assert tuple(METHODS) == DIVERSITIES


@given(ranked(), settings_of)
def test_everything_goes_on_once_or_is_dropped_with_a_reason(case, settings):
    scores, *_ = case
    found = diversify(*case, settings)
    assert sorted([*found.order.tolist(), *found.dropped]) == list(range(len(scores)))
    assert all(reason for reason in found.dropped.values())
    assert np.isnan(found.scores[list(found.dropped)]).all()
    assert best_first(found.scores).tolist() == found.order.tolist()
    assert (np.diff(found.scores[found.order]) < 0).all()
    assert np.isfinite(found.scores[found.order]).all()


@given(ranked(), settings_of)
def test_the_best_stays_the_best(case, settings):
    found = diversify(*case, settings)
    assert found.order[:1].tolist() == list(range(len(case[0])))[:1]


@given(ranked(), settings_of)
def test_a_section_never_gives_more_than_its_cap(case, settings):
    found = diversify(*case, settings)
    sections = case[2]
    counts = Counter(sections[found.order].tolist())
    counts.pop(-1, None)
    if settings.per_section:
        assert max(counts.values(), default=0) <= settings.per_section
    for entry, reason in found.dropped.items():
        if reason.startswith("its section"):
            assert counts[sections[entry]] == settings.per_section


@given(ranked(), settings_of)
def test_what_is_folded_names_a_keeper_that_goes_on_or_was_too_many(case, settings):
    *_, keeps, documents = case
    found = diversify(*case, settings)
    folded = {entry for entry, reason in found.dropped.items() if "says the same" in reason}
    assert folded == (set(np.flatnonzero(keeps >= 0).tolist()) if settings.fold_twins else set())
    for entry in folded:
        keeper = int(keeps[entry])
        assert f"ranked {keeper + 1}" in found.dropped[entry]
        assert found.dropped[entry].endswith(f"in {documents[keeper]}")
        assert keeper in found.order or "section" in found.dropped[keeper]


@given(ranked(), settings_of)
def test_only_the_best_take_part(case, settings):
    settings = DiversitySettings(settings.method, settings.relevance, candidates=settings.candidates)
    found = diversify(*case, settings)
    behind = list(range(settings.candidates, len(case[0])))
    assert found.order[settings.candidates :].tolist() == behind


@given(ranked())
def test_relevance_alone_is_the_order_before(case):
    found = diversify(*case, DiversitySettings("mmr", relevance=1.0))
    assert found.order.tolist() == list(range(len(case[0])))
    same = diversify(*case, DiversitySettings())
    assert same.order.tolist() == found.order.tolist()
    assert not same.dropped


@given(ranked(), st.sampled_from([0.0, 0.2, 0.5, 0.8]))
def test_mmr_takes_the_greatest_marginal_relevance_each_time(case, relevance):
    """Against the definition, written out one candidate at a time."""
    scores, vectors, *_ = case
    order, values = mmr(scores, vectors, relevance)
    spread = np.ptp(scores) if len(scores) else 0.0
    scaled = (scores - scores.min()) / spread if spread else np.ones(len(scores))
    cosines = vectors @ vectors.T
    taken: list[int] = []
    for entry, value in zip(order.tolist(), values.tolist(), strict=True):
        gains = {
            other: relevance * scaled[other]
            - (1 - relevance) * max([0.0, *(float(cosines[other, one]) for one in taken)])
            for other in range(len(scores))
            if other not in taken
        }
        assert value == pytest.approx(max(gains.values()), abs=1e-6)
        assert gains[entry] == pytest.approx(max(gains.values()), abs=1e-6)
        taken.append(entry)
    assert (np.diff(values) <= 1e-12).all()


def test_novelty_brings_up_what_is_unlike():
    vectors = np.array([[1, 0], [0.99, 0.14], [0, 1]], dtype=np.float32)
    assert mmr(np.array([1.0, 0.9, 0.5]), vectors, 0.9)[0].tolist() == [0, 1, 2]
    assert mmr(np.array([1.0, 0.9, 0.5]), vectors, 0.3)[0].tolist() == [0, 2, 1]


@given(ranked(), st.sampled_from([0.0, 0.4, 0.8, 1.0]))
def test_a_cluster_is_like_its_best_and_unlike_the_leaders_before(case, similarity):
    vectors = case[1]
    found = clusters(vectors, similarity)
    cosines = vectors @ vectors.T
    leaders = [int(np.flatnonzero(found == number)[0]) for number in range(found.max() + 1 if len(found) else 0)]
    assert leaders == sorted(leaders)
    for entry, number in enumerate(found.tolist()):
        before = [leader for leader in leaders if leader < entry]
        if entry in leaders:
            assert all(cosines[entry, leader] < similarity for leader in before)
        else:
            assert cosines[entry, leaders[number]] >= similarity
            assert cosines[entry, leaders[number]] == max(cosines[entry, leader] for leader in before)


@given(ranked())
def test_every_group_has_its_turn(case):
    scores, _, sections, *_ = case
    order, values = in_turn(scores, sections)
    known = [entry for entry in order.tolist() if sections[entry] >= 0]
    groups = len({int(sections[entry]) for entry in known})
    assert len({int(sections[entry]) for entry in known[:groups]}) == groups
    for group in set(sections.tolist()) - {-1}:
        mine = [entry for entry in order.tolist() if sections[entry] == group]
        assert mine == sorted(mine)
    assert (np.diff(values) <= 0).all()


@given(st.lists(st.text("ab no3<. ", max_size=40), max_size=12), st.sampled_from([0.5, HELD, 1.0]))
def test_who_is_folded_is_held_by_a_keeper_before_it(texts, held):
    found = keepers(texts, held)
    for entry, keeper in enumerate(found.tolist()):
        if keeper < 0:
            continue
        assert keeper < entry
        assert found[keeper] == -1
        mine, other = shingles(words_of(texts[entry])), shingles(words_of(texts[keeper]))
        assert mine
        assert len(mine & other) >= held * len(mine)
    again = [text for text, keeper in zip(texts, found.tolist(), strict=True) if keeper < 0]
    assert (keepers(again, held) == -1).all()


RULE = "An access token is valid for 60 minutes after the sign-in, and it is renewed by the refresh call."


@pytest.mark.parametrize(
    ("other", "folded"),
    [
        (RULE, True),
        (RULE.upper().replace(",", " –"), True),
        ("An access token is valid for 60 minutes after the sign-in.", True),
        (RULE.replace("60", "90"), False),
        (RULE.replace("is renewed", "is not renewed"), False),
        (RULE + " Nobody may share it with another person, whoever asks for it.", False),
        ("It lasts an hour.", False),
    ],
)
def test_repetition_is_folded_and_news_is_not(other, folded):
    assert keepers([RULE, other]).tolist() == [-1, 0 if folded else -1]


LONG = " ".join(
    f"It {letter}-renews what the {at % 7}th service keeps." for at, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
)


@pytest.mark.parametrize(
    "change", [("b-renews", "b-renews not"), ("the 1th", "the 9th"), ("b-renews", "b-renews < 5 of")]
)
def test_one_word_in_a_hundred_that_contradicts_is_enough_to_be_kept(change):
    other = LONG.replace(*change, 1)
    mine, theirs = shingles(words_of(other)), shingles(words_of(LONG))
    assert len(mine & theirs) > HELD * len(mine)
    assert keepers([LONG, other]).tolist() == [-1, -1]
    assert keepers([LONG, LONG.replace("b-renews", "b-renewed", 1)]).tolist() == [-1, 0]


def test_a_longer_passage_is_not_folded_under_a_part_of_it():
    short = "An access token is valid for 60 minutes after the sign-in."
    assert keepers([short, RULE]).tolist() == [-1, -1]
    assert keepers(["", "", " - "]).tolist() == [-1, -1, -1]


def test_a_chain_of_likenesses_does_not_fold_what_is_unlike():
    words = [f"word{'abcdefghijklmnopqrstuvwxyz'[at % 26]}{'xyz'[at // 26]}" for at in range(60)]
    first, second, third = (" ".join(words[at : at + 50]) for at in (0, 4, 8))
    assert keepers([first, second]).tolist() == [-1, 0]
    assert keepers([first, second, third]).tolist() == [-1, 0, -1]


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 10**6))
def test_a_column_falls_along_the_order_it_was_made_of(count, rest, seed):
    random = np.random.default_rng(seed)
    entries = random.permutation(count + rest)
    scores = random.choice([0.0, 1.0, 1e-300, -5.0, 3.0], count + rest)
    behind = entries[count:][np.argsort(-scores[entries[count:]], kind="stable")]
    values = -np.sort(-random.choice([0.0, 1e-300, 2.0], count))
    made = column(entries[:count], values, behind, scores)
    assert best_first(made).tolist() == [*entries[:count].tolist(), *behind.tolist()]


def test_what_is_off_is_told_to_nobody():
    assert DiversitySettings().off
    for values in ({"method": "mmr"}, {"per_section": 1}, {"fold_twins": True}):
        changed = DiversitySettings(**values)
        assert not changed.off
        assert changed.telling().items() >= values.items()
    assert DiversitySettings("mmr", relevance=0.2).telling() != DiversitySettings("mmr").telling()
    assert DiversitySettings("sections", relevance=0.2).telling() == DiversitySettings("sections").telling()


@pytest.mark.parametrize(
    "values",
    [{"method": "best"}, {"relevance": 1.1}, {"per_section": -1}, {"candidates": 1}, {"cluster_similarity": 2}],
)
def test_a_dial_out_of_its_range_is_refused(values):
    with pytest.raises(SettingsError, match=f"diversity.{next(iter(values))}"):
        DiversitySettings(**values)
