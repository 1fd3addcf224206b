"""A language model tells what sentences mean: it finds other words for the same, and nothing exact is its to excuse."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import CancelledError, ModelError
from core.evidence import Passage
from core.search.checking.checking import NOT_FOUND, PARTLY, SUPPORTED
from core.search.checking.library_check import check_answer
from core.search.checking.model_judge import ModelJudge
from tests.scripted_writer import Answering

TEXT = "The kettle stands on the second floor. Visitors may use it for 15 minutes."
PASSAGE = Passage("v", "Tea", "tea.md", 0, len(TEXT), TEXT, 9, (), (), 1, 1.0, "")
REWORDED = "Guests are free to boil water upstairs."


def never(claim, texts):
    return np.zeros(len(texts))


def judged(text, reply):
    writer = Answering(lambda prompt: reply)
    judge = ModelJudge(writer.complete, never)
    (verdict,) = check_answer(text, [PASSAGE], judge)
    return verdict.verdict, judge.fault, writer.prompts


def test_what_the_model_reads_there_is_supported_in_other_words_and_never_against_what_is_exact():
    verdict, fault, (prompt,) = judged(REWORDED, '["no", "yes"]')
    assert (verdict, fault) == (SUPPORTED, "")
    assert REWORDED in prompt
    assert prompt.count("</text 2 ") == 1
    assert judged(REWORDED, '["no", "partly"]')[0] == NOT_FOUND
    assert judged("Guests may boil water for 15 minutes.", '["no", "yes"]')[0] == SUPPORTED
    assert judged("Guests may boil water for 16 minutes.", '["yes", "yes"]')[0] == NOT_FOUND


def test_what_the_re_ranker_says_in_its_place_is_trusted_no_more_than_without_it():
    def sure(claim, texts):
        return np.full(len(texts), 0.9)

    asked = []

    def failing(prompt):
        asked.append(prompt)
        raise ModelError("Nothing answers there.", "Start it.")

    judge = ModelJudge(failing, sure)
    found = [check_answer(f"{REWORDED} {REWORDED}", [PASSAGE], one) for one in (judge, sure)]
    assert [one.verdict for one in found[0]] == [one.verdict for one in found[1]] == [PARTLY] * 2
    assert len(asked) == 1, "a model that did not answer is not asked again"


@pytest.mark.parametrize("reply", ["I think so.", '["yes"]', '["yes", "surely"]', '["yes", 1]'])
def test_a_reply_that_is_no_verdict_leaves_it_to_the_re_ranker_and_is_told(reply):
    verdict, fault, _ = judged(REWORDED, reply)
    assert (verdict, fault) == (NOT_FOUND, "The language model gave no verdicts that can be read.")


def test_a_model_that_fails_is_told_and_one_that_is_stopped_stops():
    def failing(error):
        def ask(prompt):
            raise error

        return ModelJudge(ask, never)

    judge = failing(ModelError("Nothing answers there.", "Start it."))
    assert check_answer(REWORDED, [PASSAGE], judge)[0].verdict == NOT_FOUND
    assert "Nothing answers there." in judge.fault
    with pytest.raises(CancelledError):
        check_answer(REWORDED, [PASSAGE], failing(CancelledError("This was stopped.")))
