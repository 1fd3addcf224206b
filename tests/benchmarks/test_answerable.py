"""The figures of the answer line's benchmark, on records small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks.answerable import auc, evidence_of, fit, kept_records, part, quoted, report, threshold

TEXT = "A token is valid for 3600 seconds. The office is in Delft."


def record(left, line=2, suite="chroma", cosine=0.8):
    end = TEXT.index(".") + 1
    return {
        "suite": suite,
        "line": line,
        "id": f"{suite}-{line}",
        "question": "How many seconds is a token valid?" if not left else "Where do zebras sleep?",
        "left": left,
        "df": {"token": 2, "second": 5, "zebra": 0, "sleep": 1},
        "total": 100,
        "gold": [["v", 10, 10 + end]],
        "dense": [0.7, 0.4] if not left else [0.2, 0.1],
        "passages": [
            {
                "version": "v",
                "title": "Handbook",
                "headings": [],
                "start": 10,
                "text": TEXT,
                "rank": 1,
                "score": 1.0,
                "children": [[10, 10 + len(TEXT)]],
            }
        ],
        "sentences": [[0, 10, 10 + end, cosine if not left else 0.1], [0, 11 + end, 10 + len(TEXT), 0.1]],
    }


def test_parts_tell_tuning_from_telling():
    assert [part(record(False, line)) for line in (1, 2)] == ["chroma, odd lines", "chroma, even lines"]
    assert part(record(False, suite="scifact")) == "scifact"


def test_a_quote_on_the_gold_counts():
    assert quoted(record(False)) == (True, True)
    assert quoted({**record(False), "gold": [["w", 10, 40]]}) == (False, False)
    assert quoted({**record(False), "sentences": []}) == (False, False)


def test_evidence_is_the_products_own():
    found = evidence_of(record(False))
    assert (found.similarity, found.gap) == (0.7, pytest.approx(0.3))
    assert found.sentence == pytest.approx(0.8)
    assert evidence_of(record(True)).words == 0.0


def test_at_most_so_many_are_denied():
    scores = np.array([0.05, *[0.5] * 19, *[0.1] * 20])
    answered = np.array([True] * 20 + [False] * 20)
    least = threshold(scores, answered, np.ones(40))
    assert least == 0.5
    assert (scores[answered] < least).mean() <= 0.05
    assert auc(scores, answered) == pytest.approx(19 / 20)


def test_a_fit_finds_what_parts_the_questions():
    values = np.random.default_rng(1).random((200, 2))
    made = fit(np.c_[np.ones(200), values], values[:, 0] > 0.5, np.ones(200))
    assert made[1] > 5 * abs(made[2])


@pytest.mark.parametrize("refit", [False, True])
def test_the_report_has_a_row_for_each_part(refit):
    records = [record(left, line) for line in range(1, 9) for left in (False, True)]
    told = report(records, refit)
    assert told.startswith("BIAS") == refit
    assert "| chroma, even lines | 4 | 1.000 | 100 | 0 | 100 | 100.0 | 100.0 |" in told
    assert "| chroma, odd lines (only tells) | 4 | 1.000 |" in told


def test_a_record_cut_off_by_a_kill_is_dropped(tmp_path):
    path = tmp_path / "kept.jsonl"
    path.write_text('{"a": 1}\n{"a": ', encoding="utf-8")
    assert kept_records(path) == [{"a": 1}]
    assert kept_records(tmp_path / "none.jsonl") == []
