"""Near-duplicates: no pair that is none, nearly every pair that is one, by a slow comparison of all with all."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.enriching.near_duplicates import FEWEST_WORDS, closest, near_duplicates, words_of

WORDS = (
    "river mill wheel stone flour sack gate weir duck reed boat oar net rain ice moss bank bridge tower bell".split()
)


def likeness(one: str, other: str) -> float:
    """The Jaccard index of runs of four words, written down a second time."""

    def runs(text: str) -> set[str]:
        words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
        return {" ".join(words[at : at + 4]) for at in range(len(words) - 3)}

    left, right = runs(one), runs(other)
    return len(left & right) / len(left | right) if left and right else 0.0


def made_passages(seed: int, count: int = 40) -> list[str]:
    """Passages of which many are a few words away from an earlier one."""
    chance = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        if texts and chance.random() < 0.5:
            words = chance.choice(texts).split()
            for _ in range(chance.choice([0, 1, 1, 2, 5, 12])):
                words[chance.randrange(len(words))] = chance.choice(WORDS)
            texts.append(" ".join(words))
        else:
            texts.append(" ".join(chance.choice(WORDS) for _ in range(chance.randint(20, 90))))
    return texts


def groups(pairs) -> list[set[int]]:
    """What belongs together through any chain of pairs."""
    found: list[set[int]] = []
    for pair in pairs:
        joined = {pair.first, pair.second}.union(*(group for group in found if group & {pair.first, pair.second}))
        found = [group for group in found if not group & joined] + [joined]
    return found


def test_against_all_pairs() -> None:
    wanted = found = 0
    for seed in range(20):
        texts = made_passages(seed)
        together = {frozenset(two) for group in groups(near_duplicates(texts, 0.8)) for two in combinations(group, 2)}
        for (one, left), (other, right) in combinations(enumerate(texts), 2):
            if likeness(left, right) >= 0.8:
                wanted += 1
                found += frozenset((one, other)) in together
    assert wanted > 200
    assert found / wanted >= 0.99


FEW_WORDS = st.lists(st.lists(st.sampled_from(WORDS[:6]), max_size=9).map(" ".join), max_size=14)


@given(FEW_WORDS, st.sampled_from([0.5, 0.8]))
def test_no_pair_is_false_and_no_equal_passage_is_left_out(texts: list[str], least: float) -> None:
    pairs = near_duplicates(texts, least)
    for pair in pairs:
        one, other = texts[pair.first], texts[pair.second]
        assert pair.first < pair.second
        assert pair.similarity == pytest.approx(likeness(one, other))
        assert pair.kind == "contained" or pair.similarity >= least
        assert (pair.kind == "same") == (one == other)
    linked = {pair.second for pair in pairs if pair.kind == "same"}
    for at, text in enumerate(texts):
        assert (at in linked) == (len(text.split()) >= FEWEST_WORDS and text in texts[:at])


ALL_DIFFERENT = st.lists(
    st.lists(st.integers(0, 30), min_size=1, max_size=25, unique=True).map(lambda found: " ".join(map(str, found))),
    max_size=5,
)


@given(ALL_DIFFERENT, st.integers(0, 4), st.integers(0, 24), st.sampled_from([0.5, 0.7, 0.8, 1.0]))
def test_every_text_is_linked_to_the_earlier_one_it_resembles_most(texts, chosen, changed, least) -> None:
    if texts:  # plant one that differs from another in one word
        words = texts[chosen % len(texts)].split()
        words[changed % len(words)] = "new"
        texts.append(" ".join(words))
    found = {pair.second: pair for pair in closest(near_duplicates(texts, least))}
    for at, text in enumerate(texts):
        earlier = [likeness(text, one) for one in texts[:at]]
        best = max(earlier, default=0.0)
        if len(text.split()) >= FEWEST_WORDS and best >= least:
            assert found[at].similarity == best == earlier[found[at].first]
        else:
            assert at not in found


def test_marks_case_and_spaces_do_not_part_twins() -> None:
    pairs = near_duplicates(["The Mill’s wheel — turns.", "the mill's\n WHEEL turns"])
    assert [(pair.kind, pair.similarity) for pair in pairs] == [("same", 1.0)]


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    one = "水门在中午打开然后水泵启动并运行一个小时直到水位下降"
    other = "传感器每天记录两次水位并把数据发送到服务器上保存"
    assert [pair.second for pair in near_duplicates([one, one + "了", other])] == [1]
    assert words_of(one) == list(one)


def test_texts_without_words_are_nobodys_twins() -> None:
    assert near_duplicates(["---", "---", "", "| | |", "yes", "yes"]) == []


def test_a_passage_inside_a_longer_one() -> None:
    short = "The wheel was built of oak in 1780. It has twelve blades and turns slowly."
    long = "Nobody knows who built the mill. " * 6 + short + " The miller lived upstairs until the war."
    [pair] = near_duplicates([long, short])
    assert pair.kind == "contained"
    assert pair.similarity < 0.5
    assert closest([pair]) == ()
    assert near_duplicates([long, "The wheel was new. It has twelve."]) == []


def test_a_notice_under_every_page_makes_no_pairs_and_a_form_filled_in_is_linked_in_a_chain() -> None:
    notice = "All rights are reserved by the owner of the mill and his heirs."
    chance = random.Random(1)
    assert near_duplicates([" ".join(chance.choices(WORDS, k=60)) + ". " + notice for _ in range(300)]) == []
    forms = [f"Reading {at} of the gauge at the weir was taken by hand and is correct." for at in range(500)]
    assert [pair.second for pair in closest(near_duplicates(forms, 0.7))] == list(range(1, 500))
    assert all(pair.second - pair.first <= 4 for pair in near_duplicates(forms, 0.7))


def test_many_equal_passages_make_a_star() -> None:
    pairs = near_duplicates(["The same words again and again in every page."] * 200)
    assert [(pair.first, pair.second) for pair in pairs] == [(0, at) for at in range(1, 200)]
