"""How answers are scored, without a library."""

from __future__ import annotations

import pytest

from benchmarks.answers_scoring import Question, Reply, area, figures, holds, judged, risk

ROW = {
    "id": "a1",
    "question": "How long is a line?",
    "kind": "default",
    "answers": ["70"],
    "document": "wrap.py",
    "reworded": False,
    "answerable": True,
}
ANSWERABLE = Question.read(ROW | {"also": ["wrap.md"]})
UNANSWERABLE = Question.read(ROW | {"answers": [], "answerable": False})
HELD = (("other.md", "70 rows"), ("wrap.md", "width (default: 70)"))


def outcome(question, lines=(), passages=HELD, silent=False, probability=0.5):
    return judged(question, Reply(passages, lines, silent, probability, 1.0))


@pytest.mark.parametrize(
    ("text", "answer", "wanted"),
    [
        ("Net sales | 44,582 | 39,296", "44582", True),
        ("21,2354,83.2,52.0", "83.2", True),
        ("1,700 rows", "700", False),
        ("in the 7\u2010bit range", "7-bit", True),
        ("the width\u00ads", "WIDTHS", True),
    ],
)
def test_an_answer_stands_in_a_text_as_whole_words(text, answer, wanted):
    assert holds(text, [answer]) is wanted


def test_found_is_an_answer_in_the_first_three_passages_of_a_file_that_answers():
    late = (*[("other.md", "70")] * 3, ("wrap.py", "70"))
    assert [outcome(ANSWERABLE, passages=some).found for some in (HELD, HELD[:1], late)] == [True, False, False]


def test_figures_count_kept_back_lines_as_silence():
    right = outcome(ANSWERABLE, ("width 70",))
    second = outcome(ANSWERABLE, ("tabsize 8", "width 70"))
    kept = outcome(ANSWERABLE, ("width 70",), silent=True)
    missed = outcome(ANSWERABLE, ("tabsize 8",), passages=HELD[:1])
    invented = outcome(UNANSWERABLE, ("width 70",))
    silent = outcome(UNANSWERABLE, (), silent=True)
    found = figures([right, second, kept, missed, invented, silent])
    assert found == {
        "answerable": 4,
        "unanswerable": 2,
        "found": 3 / 4,
        "first_of_found": pytest.approx(1 / 3),
        "any_of_found": pytest.approx(2 / 3),
        "first": 1 / 4,
        "silent": 1 / 4,
        "silent_of_found": pytest.approx(1 / 3),
        "invented": 1 / 2,
    }
    assert figures([])["found"] is None


def test_risk_falls_on_wrong_lines_and_on_all_lines_to_unanswerable_questions():
    sure = outcome(ANSWERABLE, ("width 70",), probability=0.9)
    unsure = outcome(ANSWERABLE, ("tabsize 8",), probability=0.2)
    invented = outcome(UNANSWERABLE, ("width 70",), probability=0.2)
    points = risk([invented, sure, unsure])
    assert points == [(pytest.approx(1 / 3), 0.0, 0.9), (1.0, pytest.approx(2 / 3), 0.2)]
    assert area(points) == pytest.approx(4 / 9)
