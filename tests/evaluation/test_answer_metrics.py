"""Answer metrics by hand, and against SQuAD's definition written down once more, character by character."""

from fractions import Fraction
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.metrics.answers import answer_hit, exact_match, normalised, token_f1

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

words = st.sampled_from(
    ["a", "An", "the", "THE", "then", "cat", "cats", "U.S.", "1,200", "naïve", "–a–", "İ", "_", "·"]
)
texts = st.lists(st.tuples(words, st.sampled_from([" ", "\n", "\u00a0 ", "-", "–", ""])), max_size=10).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
any_text = st.one_of(texts, st.text(max_size=30))


def words_of(text):
    """The words that SQuAD's scripts compare, without their regular expressions."""
    kept = [character for character in text.lower() if character not in PUNCTUATION]
    runs = ["".join(run) for _, run in groupby(kept, str.isalnum)]
    return "".join(" " if run in {"a", "an", "the"} else run for run in runs).split()


def shared_words(left, right):
    left = list(left)
    count = 0
    for word in right:
        if word in left:
            left.remove(word)
            count += 1
    return count


@given(any_text)
def test_normalisation_is_squads(text):
    assert normalised(text) == " ".join(words_of(text))
    assert normalised(normalised(text)) == " ".join(words_of(normalised(text)))


@given(any_text, any_text)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(prediction, answer):
    given_words, known_words = words_of(prediction), words_of(answer)
    if not given_words or not known_words:
        expected = Fraction(given_words == known_words)
    elif not (common := shared_words(given_words, known_words)):
        expected = Fraction(0)
    else:
        precision, recall = Fraction(common, len(given_words)), Fraction(common, len(known_words))
        expected = 2 * precision * recall / (precision + recall)
    assert token_f1(prediction, answer) == pytest.approx(float(expected), abs=1e-12)
    assert token_f1(prediction, answer) == token_f1(answer, prediction)


@given(any_text, any_text)
def test_an_exact_match_has_all_words_and_is_a_hit(prediction, answer):
    assert exact_match(prediction, answer) == float(words_of(prediction) == words_of(answer))
    if exact_match(prediction, answer):
        assert token_f1(prediction, answer) == 1.0
        assert answer_hit(answer, prediction) == float(bool(words_of(answer)))


@given(any_text, any_text, any_text)
def test_an_answer_standing_in_the_text_is_hit(before, answer, after):
    assert answer_hit(answer, f"{before}\n{answer}\n{after}") == float(bool(words_of(answer)))


@pytest.mark.parametrize(
    ("answer", "text", "hit"),
    [
        ("an apple a day", "Apple, day by day", 1.0),
        ("an apple a day", "an apple by day", 0.0),
        ("an apple a day", "He says: 'Apple\nday'.", 1.0),
        ("5", "in 1950", 1.0),  # the price of not needing spans, as the definition says
        ("the", "the the the", 0.0),
        ("", "anything", 0.0),
        ("cat", "", 0.0),
    ],
)
def test_hits_by_hand(answer, text, hit):
    assert answer_hit(answer, text) == hit
