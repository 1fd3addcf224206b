"""Pairs of SQuAD's pages: each question beside its paragraph, with an answer that stands there, or with none."""

from __future__ import annotations

from pathlib import Path

from benchmarks.training_pairs_squad import of_squad

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
