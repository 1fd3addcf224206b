"""Near duplicates: planted ones are found, and every similarity is what sets of shingles say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.inspecting.twins import FEWEST_WORDS, SHINGLE, twins
from core.settings import EnrichingSettings

TEXTS = st.lists(
    st.lists(st.integers(0, 30), min_size=1, max_size=25, unique=True).map(lambda found: " ".join(map(str, found))),
    max_size=5,
)


def resemblance(one: str, other: str) -> float:
    """The Jaccard index, the slow way."""
    left, right = (
        {tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}
        for words in (one.casefold().split(), other.casefold().split())
    )
    return len(left & right) / len(left | right) if left | right else 0.0


@given(TEXTS, st.integers(0, 4), st.integers(0, 24), st.sampled_from([0.5, 0.7, 0.8, 1.0]))
def test_every_text_is_linked_to_the_earlier_one_it_resembles_most(texts, chosen, changed, floor):
    if texts:  # plant one that differs from another in one word
        words = texts[chosen % len(texts)].split()
        words[changed % len(words)] = "new"
        texts.append(" ".join(words))
    found = {twin.index: twin for twin in twins(texts, floor)}
    for index, text in enumerate(texts):
        earlier = [resemblance(text, one) for one in texts[:index]]
        best = max(earlier, default=0.0)
        if len(text.split()) >= FEWEST_WORDS and best >= floor:
            assert found[index].similarity == best
            assert earlier[found[index].earlier] == best
        else:
            assert index not in found


def test_case_and_blanks_make_no_difference():
    [twin] = twins(["Press the red button twice.", "PRESS the  red\nbutton twice."])
    assert (twin.index, twin.earlier, twin.similarity) == (1, 0, 1.0)


def test_scripts_without_spaces_are_compared_by_characters():
    one = "水门在中午打开然后水泵启动并运行一个小时直到水位下降"
    assert [twin.index for twin in twins([one, one + "了", "传感器每天记录两次水位并把数据发送到服务器上保存"])] == [1]


def test_a_form_filled_in_five_hundred_times_is_linked_in_a_chain():
    texts = [f"Reading {at} of the gauge at the weir was taken by hand and is correct." for at in range(500)]
    assert [(twin.index, twin.index - twin.earlier <= 4) for twin in twins(texts, 0.7)] == [
        (at, True) for at in range(1, 500)
    ]


def test_two_are_as_alike_as_the_settings_of_a_library_say_at_first():
    words = [str(number) for number in range(19)]
    changed = [*words[:8], "new", *words[9:]]  # four of sixteen shingles are others: 12 of 20
    assert EnrichingSettings().twin_similarity > 12 / 20
    assert twins([" ".join(words), " ".join(changed)]) == ()
    assert [twin.similarity for twin in twins([" ".join(words), " ".join(changed)], 0.6)] == [12 / 20]


def test_nothing_resembles_nothing():
    assert twins([]) == twins(["", ""]) == twins(["yes", "yes"]) == ()
