"""Lists of passages to tell apart: the answer first, and nothing behind it that answers too."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.reranker.mining import Miner, pieces
from benchmarks.reranker.pairs import Pair
from core.errors import LecternError
from tests.fast_encoder import FastEncoder

TOWNS = ["Delft", "Gouda", "Leiden", "Breda", "Zwolle", "Assen", "Meppel", "Hoorn", "Edam", "Venlo"]


def about(town: str, at: int) -> str:
    lines = [f"The bridge of {town} was built in {1400 + at} by the guild of masons."]
    lines += [f"Sentence {number} on {town} tells of trade and weather and little else." for number in range(8)]
    return " ".join(lines)


def miner() -> tuple[Miner, list[Pair]]:
    pairs = [
        Pair("towns", f"When was the bridge of {town} built?", about(town, at), f"towns:{town}", str(1400 + at))
        for at, town in enumerate(TOWNS)
    ]
    return Miner(pairs, FastEncoder()), pairs


@given(st.integers(0, 9), st.integers(0, 10_000), st.integers(2, 12))
def test_the_answer_is_first_and_nowhere_else(which: int, seed: int, count: int) -> None:
    mined, pairs = MINED
    listed = mined.listed(pairs[which], count, random.Random(seed))
    first, *others = listed.passages
    assert listed.question == pairs[which].question
    assert pairs[which].answer in first
    assert 1 < len(listed.passages) <= count
    assert len(set(listed.passages)) == len(listed.passages)
    assert not any(pairs[which].answer in other for other in others)
    assert listed == mined.listed(pairs[which], count, random.Random(seed))


def test_what_answers_a_like_question_is_no_negative() -> None:
    asked = "How is the pump oiled in spring?"
    same = [Pair("s", asked, f"Way {at}: the pump is oiled in spring, in this way.", f"s:{at}") for at in range(4)]
    other = [Pair("s", f"What of {town}?", f"{town} has a market and a wall.", f"s:{town}") for town in TOWNS]
    mined = Miner([*same, *other], FastEncoder())
    right = {pair.positive for pair in same}
    for seed in range(20):
        _, *wrong = mined.listed(same[0], 8, random.Random(seed)).passages
        assert wrong
        assert not any(piece in passage for piece in wrong for passage in right)


def test_a_held_out_passage_is_no_wrong_answer_in_training() -> None:
    pairs = [Pair("s", f"When was {at} built?", f"House {at} was built.", f"s:{at}", str(at)) for at in range(200)]
    kept_out = [pair for pair in pairs if pair.held_out]
    mined = Miner(pairs, FastEncoder())
    training = [pair for pair in pairs if not pair.held_out]
    seen = {one for pair in training for one in mined.listed(pair, 30, random.Random(pair.answer)).passages}
    assert len(kept_out) > 1
    assert len({one for one in seen if any(pair.positive in one for pair in training)}) > 40
    assert not any(pair.positive in one for one in seen for pair in kept_out)


def test_passages_without_a_word_are_refused() -> None:
    with pytest.raises(LecternError, match="No passage of the source marks has a word"):
        Miner([Pair("marks", "What?", "— … —", "marks")], FastEncoder())


def test_the_part_of_a_passage_that_answers_nothing_is_a_negative_of_its_own() -> None:
    mined, pairs = MINED
    lists = [mined.listed(pairs[0], 8, random.Random(seed)).passages for seed in range(40)]
    beside = [one for one in lists if any("Delft" in other for other in one[1:])]
    assert beside
    assert all("1400" not in other for one in beside for other in one[1:])


@given(
    st.lists(st.sampled_from(["Rain fell.", "It was late in the year.", "Nobody came; why?"]), min_size=1),
    st.integers(5, 80),
)
def test_pieces_keep_every_sentence_in_order(sentences: list[str], size: int) -> None:
    text = " ".join(sentences)
    assert " ".join(pieces(text, size)) == text


def test_some_lists_are_of_lines_as_an_answer_is_quoted() -> None:
    mined, pairs = MINED
    lists = [mined.listed(pairs[0], 4, random.Random(seed)).passages for seed in range(40)]
    lines = [one for one in lists if all(passage.count(".") == 1 for passage in one)]
    assert 5 < len(lines) < 30
    assert all(len(one) == 4 and sum("Delft" in passage for passage in one) == 4 for one in lines)


MINED = miner()
