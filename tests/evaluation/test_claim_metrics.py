"""An answer by its claims: against the definitions written down once more, and against answers said in other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.grading import grade, no_judge
from core.evaluation.metrics.answers import exact_match
from core.evaluation.metrics.claims import claim_recall, faithfulness, hallucination_rate
from core.evidence import Passage
from core.search.checking.checking import VERDICTS
from core.search.checking.library_check import packaged_judge

verdicts = st.lists(st.sampled_from(VERDICTS), max_size=9)
TEXT = (
    "An access token is valid for 15 minutes. A refresh token is valid for 30 days and can be used once. "
    "Ada Lovelace wrote the client in 2021. The server keeps no log of passwords."
)


def passage(text=TEXT):
    return Passage("v", "Tokens", "tokens.md", 0, len(text), text, 0, (), (), 1, 1.0, "")


def scores(answer, reference="", judge=no_judge):
    return grade("How long is an access token valid?", answer, reference, [passage()], judge)


@given(verdicts, verdicts)
def test_the_shares_are_those_of_the_definitions(answer, reference):
    counts = {name: [one for one in answer if one == name] for name in VERDICTS}
    if not answer:
        assert faithfulness(answer) is hallucination_rate(answer) is None
    else:
        assert faithfulness(answer) == pytest.approx(len(counts["supported"]) / len(answer))
        assert hallucination_rate(answer) == pytest.approx(len(counts["not_found"]) / len(answer))
    assert claim_recall(reference) == (reference.count("supported") / len(reference) if reference else None)


def test_what_the_context_says_is_faithful_and_what_it_does_not_is_made_up():
    found = scores("An access token is valid for 15 minutes. A refresh token is valid for 90 days.")
    assert (found["faithfulness"], found["hallucination_rate"]) == (0.5, 0.5)


def test_silence_claims_nothing():
    found = scores("The library does not say.", "15 minutes.")
    assert found["faithfulness"] is found["hallucination_rate"] is None
    assert found["answer_relevancy"] == found["claim_recall"] == 0
    assert scores("")["claim_recall"] is None, "without a reference there is nothing to hold it against"


def test_how_much_of_the_reference_the_context_holds():
    known = "An access token is valid for 15 minutes. It was written by Charles Babbage in 1999."
    assert scores("", known)["reference_recall"] == 0.5


@pytest.mark.parametrize(
    ("answer", "reference", "same"),
    [
        ("A token is valid for 15 minutes.", "A token is valid for 900 seconds.", True),
        ("A token is valid for 15 minutes.", "Valid for 15 minutes is a token.", True),
        ("A token is valid for 15 minutes.", "A token is valid for 16 minutes.", False),
        ("It was founded on 5 March 2021.", "It was founded on 2021-03-05.", True),
        ("It was founded on 5 March 2021.", "It was founded on 6 March 2021.", False),
        ("The server keeps a log.", "The server keeps no log.", False),
        ("Ada Lovelace wrote it.", "Grace Hopper wrote it.", False),
    ],
)
def test_wording_does_not_count_and_numbers_names_dates_and_negations_do(answer, reference, same):
    assert scores(answer, reference)["claim_recall"] == float(same)
    assert exact_match(answer, reference) == 0


def test_an_answer_that_says_more_and_a_part_of_a_sentence_that_stands_there_count():
    assert scores(TEXT, "can be used once")["claim_recall"] == 1
    assert scores(TEXT, "can be used twice")["claim_recall"] == 0


@pytest.mark.model
def test_an_answer_to_the_question_is_likelier_to_answer_it_than_another_true_sentence():
    to_the_point, beside = "An access token is valid for 15 minutes.", "The server keeps no log of passwords."
    found = [scores(text, judge=packaged_judge)["answer_relevancy"] for text in (to_the_point, beside)]
    assert found[0] > found[1]
