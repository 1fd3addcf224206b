"""Chroma's four: by hand, against sets of characters, and against what Chroma's own code gave."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.evaluation.metrics.chroma import chroma_scores, precision_omega
from tests.evaluation import rescore

spans = st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 40), st.integers(0, 25)).map(
    lambda item: (item[0], item[1], item[1] + item[2])
)


@given(st.lists(spans, max_size=8), st.lists(spans, min_size=1, max_size=4))
def test_chroma_scores_on_sets(items, gold):
    wanted = rescore.characters(gold)
    assume(wanted)
    common = len(wanted & rescore.characters(items))
    paid = sum(end - start for _, start, end in items)
    found = chroma_scores(items, gold)
    assert found.recall == common / len(wanted)
    assert found.precision == (common / paid if paid else 0.0)
    assert found.iou == common / (paid + len(wanted) - common)


def test_precision_omega_by_hand():
    tens = [("a", start, start + 10) for start in range(0, 100, 10)]
    assert precision_omega(tens, [("a", 12, 17)]) == 5 / 10
    assert precision_omega(tens, [("a", 18, 22)]) == 4 / 20
    assert precision_omega(tens, [("a", 12, 17), ("a", 52, 57)]) == 10 / 20
    assert precision_omega(tens, [("a", 95, 105)]) == 5 / 15, "what no chunk holds is paid too"
    assert precision_omega(tens, [("b", 12, 17)]) == 0.0
    overlapping = [("a", start, start + 10) for start in range(0, 100, 5)]
    assert precision_omega(overlapping, [("a", 12, 13)]) == 1 / 15, "overlap is paid once"


def test_chunks_that_only_touch_the_gold_are_paid():
    tens = [("a", start, start + 10) for start in range(0, 100, 10)]
    assert precision_omega(tens, [("a", 10, 20)]) == 10 / 30
    assert precision_omega([*tens, ("b", 0, 10)], [("a", 10, 20)]) == 10 / 30


def test_the_scores_are_those_of_chromas_own_code(shared):
    suite = shared / "suites" / "chroma"
    lines = (suite / "questions.jsonl").read_text(encoding="utf-8").split("\n")
    golds = {
        question["id"]: [(span["document"], span["start"], span["end"]) for span in question["gold"]]
        for question in (json.loads(line) for line in lines if line)
    }
    lengths = {path.name: len(path.read_text(encoding="utf-8")) for path in sorted((suite / "documents").iterdir())}
    reference = json.loads((suite / "reference_scores.json").read_text(encoding="utf-8"))
    assert reference["cases"]
    for case in reference["cases"]:
        chunks = [
            (name, start, min(start + case["size"], length))
            for name, length in lengths.items()
            for start in range(0, length, case["step"])
        ]
        assert case["scores"].keys() == case["retrieved"].keys() == golds.keys()
        for question, expected in case["scores"].items():
            gold = golds[question]
            found = chroma_scores([(name, start, end) for name, start, end in case["retrieved"][question]], gold)
            ours = {
                "recall": found.recall,
                "precision": found.precision,
                "iou": found.iou,
                "precision_omega": precision_omega(chunks, gold),
            }
            assert ours == pytest.approx(expected, abs=1e-9), f"{case['name']}, {question}"
