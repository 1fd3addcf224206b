"""Pairs of what people asked: each question beside its paragraph, with an answer that stands there, or with none."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.training_pairs_squad import of_filings, of_json, of_squad, with_missed

PAGE = """<div class="para-wrap"><pre>The gauge at the weir was read &amp; noted at noon.</pre>
<div class="qa-wrap"><strong class="question">When was the
 gauge read? </strong><span class="answer">at noon</span><span class="answer">noon</span></div>
<div class="qa-wrap"><strong class="question">Who read it?</strong><span class="no-answer">none</span></div>
<div class="qa-wrap"><strong class="question">Which weir?</strong><span class="answer">the old one</span></div></div>"""


def test_a_page_gives_what_is_answered_and_what_only_seems_to_be(tmp_path: Path) -> None:
    for name in ("The_weir", "%C3%89tretat", "index"):
        (tmp_path / f"{name}.html").write_text(PAGE, encoding="utf-8")
    found = list(of_squad(tmp_path, "squad", 2))
    assert [(pair.source, pair.title) for pair in found] == [("squad-00", "Étretat")] * 2 + [
        ("squad-01", "The weir")
    ] * 2
    answered, silent = found[:2]
    assert (answered.question, answered.answer, answered.answerable) == ("When was the gauge read?", "noon", True)
    assert (silent.question, silent.answer, silent.answerable) == ("Who read it?", "", False)
    assert answered.positive == silent.positive == "The gauge at the weir was read & noted at noon."


def test_a_question_made_from_another_stands_beside_it(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "The_weir.html").write_text(PAGE, encoding="utf-8")
    for name, asked in (("answerable", "when was the gauge read ?"), ("unanswerable", "when was n't the gauge read ?")):
        (tmp_path / f"dev-{name}-questions.txt").write_text(f"id\t{asked}\t9\t9\n", encoding="utf-8")
    found = list(with_missed(of_squad(tmp_path / "pages", "squad"), tmp_path))
    assert [pair.missed for pair in found] == ["when wasn't the gauge read?", ""]


def test_answers_that_stand_in_their_text_or_table_are_kept(tmp_path: Path) -> None:
    asked = [{"question": "How many?", "answers": [{"text": "two boats"}, {"text": "two"}]}]
    asked += [{"question": "Who?", "answers": [{"text": "Ann"}]}]
    posts = {"data": [{"title": "Boats", "paragraphs": [{"context": "I have two boats.", "qas": asked}]}]}
    (tmp_path / "posts.json").write_text(json.dumps(posts), encoding="utf-8")
    assert [(pair.pool, pair.answer) for pair in of_json(tmp_path / "posts.json", "posts")] == [
        ("posts:Boats 0", "two")
    ]
    questions = [
        {"question": "What was revenue?", "answer": ["1,200"], "answer_type": "span"},
        {"question": "Why did it rise?", "answer": ["more boats"], "answer_type": "span"},
        {"question": "What is the sum?", "answer": 12, "answer_type": "arithmetic"},
    ]
    filing = {"table": {"table": [["", "2019"], ["Revenue", "1,200"]]}, "questions": questions}
    filing["paragraphs"] = [{"text": "It rose by more boats."}]
    (tmp_path / "filings.json").write_text(json.dumps([filing]), encoding="utf-8")
    found = [(pair.positive, pair.answer) for pair in of_filings(tmp_path / "filings.json")]
    assert found == [(" | 2019\nRevenue | 1,200", "1,200"), ("It rose by more boats.", "more boats")]
