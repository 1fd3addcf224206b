"""Near-duplicates: no pair that is none, nearly every pair that is one, by a slow comparison of all with all."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.enriching.twins import (
    MINIMA,
    Signature,
    TwinIndex,
    compare,
    jaccard,
    shingles,
    signatures,
    words_of,
)
from tests.enriching.pairing import groups, twins

WORDS = (
    "river mill wheel stone flour sack gate weir duck reed boat oar net rain ice moss bank bridge tower bell".split()
)

GOLDEN = [350168263, 1508817209, 1487756757, 14227780052166116820]  # of a sentence; kept libraries hold such numbers


def slow_similarity(one: str, other: str) -> float:
    """The Jaccard index of runs of four words, written down a second time."""

    def runs(text: str) -> set[str]:
        words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
        if len(words) < 4:
            return {" ".join(words)} if words else set()
        return {" ".join(words[at : at + 4]) for at in range(len(words) - 3)}

    left, right = runs(one), runs(other)
    return len(left & right) / len(left | right) if left and right else 0.0


def made_passages(seed: int, count: int = 40) -> list[tuple[str, str]]:
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
    return [(f"p{at}", text) for at, text in enumerate(texts)]


def test_against_all_pairs() -> None:
    wanted = found = 0
    for seed in range(30):
        passages = made_passages(seed)
        texts = dict(passages)
        pairs = twins(passages, 0.8)
        for pair in pairs:
            assert pair.similarity == pytest.approx(slow_similarity(texts[pair.first], texts[pair.second]))
            assert pair.kind == "contained" or pair.similarity >= 0.8
        together = {frozenset(two) for group in groups(pairs) for two in combinations(group, 2)}
        for (one, left), (other, right) in combinations(passages, 2):
            if slow_similarity(left, right) >= 0.8:
                wanted += 1
                found += frozenset((one, other)) in together
    assert wanted > 300
    assert found / wanted >= 0.99


@given(
    st.lists(st.lists(st.sampled_from(WORDS[:6]), max_size=9).map(" ".join), max_size=14), st.sampled_from([0.5, 0.8])
)
def test_no_pair_is_false_and_the_same_input_gives_the_same_pairs(texts: list[str], least: float) -> None:
    passages = [(str(at), text) for at, text in enumerate(texts)]
    pairs = twins(passages, least)
    assert pairs == twins(passages, least)
    for pair in pairs:
        one, other = texts[int(pair.first)], texts[int(pair.second)]
        assert int(pair.first) < int(pair.second)
        similarity = slow_similarity(one, other)
        assert pair.similarity == pytest.approx(similarity)
        assert pair.kind == "contained" or similarity >= least
        assert (pair.kind == "same") == (one.split() == other.split())
    equal = {frozenset(two) for group in groups(pairs) for two in combinations(group, 2)}
    for (one, left), (other, right) in combinations(passages, 2):
        if left.split() and left.split() == right.split():
            assert frozenset((one, other)) in equal


def test_marks_case_and_spaces_do_not_part_twins() -> None:
    pairs = twins([("a", "The Mill’s wheel — turns."), ("b", "the mill's\n WHEEL turns")])
    assert [(pair.kind, pair.similarity, pair.shared) for pair in pairs] == [("same", 1.0, 1.0)]


def test_texts_without_words_are_nobodys_twins() -> None:
    assert twins([("a", "---"), ("b", "---"), ("c", ""), ("d", "| | |")]) == []


def test_a_passage_inside_a_longer_one() -> None:
    short = "The wheel was built of oak in 1780. It has twelve blades and turns slowly."
    long = "Nobody knows who built the mill. " * 6 + short + " The miller lived upstairs until the war."
    pair = twins([("long", long), ("short", short)])[0]
    assert (pair.kind, pair.shared) == ("contained", 1.0)
    assert pair.similarity < 0.5
    assert twins([("long", long), ("other", "The wheel was new. It has twelve.")]) == []


def test_boilerplate_does_not_make_pairs_of_all() -> None:
    """A notice under every page: each is compared with its neighbour, not with all."""
    notice = "All rights are reserved by the owner of the mill and his heirs."
    index = TwinIndex()
    chance = random.Random(1)
    texts = [" ".join(chance.choices(WORDS, k=60)) + ". " + notice for _ in range(300)]
    asked = sum(len(index.add(str(at), one)) for at, one in enumerate(signatures(texts)))
    assert asked < 300 * 45
    assert all(pair.kind != "same" for pair in twins([(str(at), text) for at, text in enumerate(texts)]))


def test_many_equal_passages_make_a_star() -> None:
    pairs = twins([(str(at), "The same words again and again in every page.") for at in range(200)])
    assert len(pairs) == 199
    assert {pair.first for pair in pairs} == {"0"}
    assert groups(pairs) == [{str(at) for at in range(200)}]


def test_an_index_grows_as_if_built_at_once() -> None:
    passages = made_passages(3)
    signed = signatures([text for _, text in passages])
    whole = TwinIndex()
    met = [whole.add(name, one) for (name, _), one in zip(passages, signed, strict=True)]
    kept = [Signature.from_bytes(one.to_bytes()) for one in signed]
    later = TwinIndex()
    assert [later.add(name, one) for (name, _), one in zip(passages, kept, strict=True)] == met


def test_signatures_are_the_same_on_every_machine() -> None:
    one = signatures(["The water runs to the mill and turns the wheel."])[0]
    assert one.minima[:3].tolist() == GOLDEN[:3]
    assert one.whole == GOLDEN[3]


def test_minima_estimate_the_likeness() -> None:
    passages = made_passages(7, 30)
    signed = signatures([text for _, text in passages])
    errors = [
        abs(
            float(np.mean(signed[one].minima == signed[other].minima))
            - slow_similarity(passages[one][1], passages[other][1])
        )
        for one, other in combinations(range(len(passages)), 2)
    ]
    assert np.mean(errors) < 1 / np.sqrt(MINIMA)
    assert max(errors) < 0.35


def test_compare_is_symmetric_in_its_figures() -> None:
    one, other = ("a", "The mill is old. " * 5), ("b", "The mill is old. The mill is new. " * 3)
    left, right = compare(one, other, 0.5), compare(other, one, 0.5)
    assert (left is None) == (right is None)
    assert jaccard(shingles(words_of(one[1])), shingles(words_of(other[1]))) == pytest.approx(
        slow_similarity(one[1], other[1])
    )
