"""Runs speak the suite's names, also where several names stand for the same bytes."""

import json

from core.evaluation.regions import DocumentNames, Run
from core.evaluation.suites import GoldSpan, Question, load_suite
from tests.evaluation.test_suites import question, write_suite


def names_of(tmp_path, texts):
    suite = load_suite(write_suite(tmp_path, [question()], texts=texts))
    return DocumentNames(suite), {item.name: item.version_id for item in suite.documents}


def asking(*gold, relevant=None):
    return Question("q", "?", tuple(GoldSpan(*span) for span in gold), None, relevant)


def test_a_run_is_one_line_of_json_whatever_the_names_hold():
    run = Run("default", "q\n1", 1000, (('a"\n.md', 0, 9),), ("ü.md",))
    assert "\n" not in run.to_json()
    assert json.loads(run.to_json())["context"] == [['a"\n.md', 0, 9]]


def test_twins_take_the_name_the_gold_uses(tmp_path):
    twins = [{"name": name, "text": "The same text."} for name in ("a.md", "b.md", "c.md")]
    names, versions = names_of(tmp_path, twins)
    twin = versions["a.md"]
    assert twin == versions["b.md"]
    assert names.place(twin, 0, 3, asking()) == ("a.md", 0, 3)
    assert names.place(twin, 0, 3, asking(("b.md", 8, 9))) == ("b.md", 0, 3)
    both = asking(("b.md", 0, 4), ("c.md", 8, 12))
    assert names.place(twin, 0, 5, both)[0] == "b.md"
    assert names.place(twin, 7, 14, both)[0] == "c.md"
    assert names.place(twin, 0, 14, asking(("c.md", 0, 4), ("b.md", 8, 12)))[0] == "b.md"


def test_ranked_twins_show_what_is_judged_and_else_the_first(tmp_path):
    texts = [{"name": name, "text": "The same text."} for name in ("a.md", "b.md", "c.md")]
    names, versions = names_of(tmp_path, [*texts, {"name": "d.md", "text": "Another."}])
    order = (versions["d.md"], versions["a.md"])
    assert names.ranked(order, asking()) == ("d.md", "a.md")
    assert names.ranked(order, asking(("b.md", 0, 1))) == ("d.md", "b.md")
    assert names.ranked(order, asking(relevant=("c.md", "b.md"))) == ("d.md", "b.md", "c.md")
    assert names.ranked(order, asking(("c.md", 0, 1), relevant=("d.md",))) == ("d.md", "a.md")
