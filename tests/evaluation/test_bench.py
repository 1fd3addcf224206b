"""The bench, whole: real files, a real library, and figures that independent code finds again."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import CancelledError, SuiteError
from core.evaluation.bench import BUDGETS, run_bench
from core.evaluation.report import BenchReport
from core.evaluation.suites import load_suite
from core.settings import preset
from tests.evaluation import rescore
from tests.evaluation.test_suites import write_suite

ANIMALS = ("otter", "falcon", "badger", "salmon", "lynx", "heron", "marten", "viper", "beetle", "owl", "hare", "wolf")
FACTS = (
    "The {0} sleeps in a hollow that it digs before the first frost of the year.",
    "A grown {0} weighs as much as its nest, which naturalists have found hard to believe.",
    "When the river rises, the {0} moves uphill and waits there for nine days.",
    "Nobody has counted how many young a {0} raises, because it hides them well.",
)
PRESETS = {name: preset(name) for name in ("default", "recursive", "flat")}


def text_about(animal):
    filler = "It is written elsewhere that weather and ground decide much of this. " * 6
    return f"# The {animal}\n\n" + "\n\n".join(fact.format(animal) + " " + filler for fact in FACTS) + "\n"


TEXTS = {f"{animal}.md": text_about(animal) for animal in ANIMALS}


def gold_of(name, fact):
    sentence = FACTS[fact].format(name.removesuffix(".md"))
    start = TEXTS[name].index(sentence)
    return {"document": name, "start": start, "end": start + len(sentence)}


def questions():
    asked = ("Where does the {0} sleep?", "What does a grown {0} weigh?", "Where does the {0} go when the river rises?")
    rows = [
        {
            "id": f"{name}-{fact}",
            "question": form.format(name.removesuffix(".md")),
            "gold": [gold_of(name, fact)],
            "relevant_documents": [name],
        }
        for name in TEXTS
        for fact, form in enumerate(asked)
    ]
    rows.append(
        {"id": "two", "question": "otter or lynx frost?", "gold": [gold_of("otter.md", 0), gold_of("lynx.md", 0)]}
    )
    rows.append({"id": "none", "question": "Who paints the submarine?", "gold": []})
    return rows


class Recorder:
    """Keeps what a bench tells; raises at question ``stop``."""

    def __init__(self, stop=None):
        self.stop, self.built, self.asked = stop, [], []

    def building(self, preset, done, total):
        self.built.append((preset, done, total))

    def asking(self, preset, done, total):
        self.asked.append((preset, done, total))
        if done == self.stop:
            raise CancelledError("Stopped.")


def bench(root, workspace, encoder, presets=PRESETS, watch=None):
    lines = []
    report = run_bench(load_suite(root), presets, workspace, encoder, watch, lines.append)
    path = workspace / "runs.jsonl"
    path.write_text("".join(run.to_json() + "\n" for run in lines), encoding="utf-8")
    return report, path


@pytest.fixture
def suite_root(tmp_path):
    files = {name: text.encode() for name, text in TEXTS.items()}
    return write_suite(tmp_path / "animals", questions(), files=files)


def test_independent_code_finds_the_same_figures(suite_root, tmp_path, fast_encoder):
    report, runs = bench(suite_root, tmp_path, fast_encoder)
    assert [item.preset for item in report.presets] == list(PRESETS)
    found = rescore.rescore(suite_root, runs)
    for item in report.presets:
        assert item.metrics == pytest.approx(found[item.preset], abs=1e-9)
        assert set(item.metrics) == set(item.intervals)
        assert all(low - 1e-9 <= item.metrics[name] <= high + 1e-9 for name, (low, high) in item.intervals.items())
    assert report.preset("default").metrics["recall@1000"] > 50, "the suite is easy: a broken mapping would show"
    assert report.preset("default").metrics["ndcg@10"] > 50
    rows = rescore.rows(runs)
    assert len(rows) == len(PRESETS) * len(questions()) * len(BUDGETS)
    assert all(len(row["documents"]) >= 10 for row in rows)
    script = Path(rescore.__file__)
    done = subprocess.run([sys.executable, "-I", script, suite_root, runs], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == found


def test_nothing_is_encoded_twice(suite_root, tmp_path, fast_encoder):
    first, _ = bench(suite_root, tmp_path, fast_encoder)
    assert len(fast_encoder.texts) == len(set(fast_encoder.texts))
    assert first.preset("flat").encoded == 0, "flat cuts as default does"
    second, _ = bench(suite_root, tmp_path, fast_encoder)
    assert [item.encoded for item in second.presets] == [0, 0, 0]
    assert [item.metrics for item in second.presets] == [item.metrics for item in first.presets]
    assert [item.scores for item in second.presets] == [item.scores for item in first.presets]


def test_presets_that_cut_alike_run_back_to_back(suite_root, tmp_path, fast_encoder):
    watch = Recorder()
    bench(suite_root, tmp_path, fast_encoder, watch=watch)
    count = len(questions())
    assert watch.asked == [(name, n, count) for name in ("default", "flat", "recursive") for n in range(count + 1)]
    assert ("default", len(TEXTS), len(TEXTS)) in watch.built


def test_the_readers_order_changes_no_figure(suite_root, tmp_path, fast_encoder):
    orders = {
        name: PRESETS["default"].with_value("assembly.order", name) for name in ("relevance", "document", "edges")
    }
    report, runs = bench(suite_root, tmp_path, fast_encoder, orders)
    contexts = {name: [row["context"] for row in rescore.rows(runs) if row["preset"] == name] for name in orders}
    assert contexts["document"] == contexts["edges"] == contexts["relevance"]
    assert any(context != sorted(context) for context in contexts["document"]), "relevance is not the text's order"
    assert report.preset("edges").scores == report.preset("relevance").scores


def test_texts_score_as_files_do(suite_root, tmp_path, fast_encoder):
    rows = [{"name": name, "text": text} for name, text in TEXTS.items()]
    other = write_suite(tmp_path / "texts", questions(), texts=rows)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    files, _ = bench(suite_root, tmp_path / "one", fast_encoder)
    texts, _ = bench(other, tmp_path / "two", fast_encoder)
    assert texts.fingerprint == files.fingerprint
    assert [item.scores for item in texts.presets] == [item.scores for item in files.presets]


def test_questions_the_library_does_not_answer_are_scored_apart(suite_root, tmp_path, fast_encoder):
    report, _ = bench(suite_root, tmp_path, fast_encoder, {"default": PRESETS["default"]})
    (found,) = report.presets
    place = report.question_ids.index("none")
    assert all(values[place] is None for values in found.scores.values())
    assert sum(value is not None for value in found.scores["recall@1000"]) == len(questions()) - 1
    assert (found.unanswerable["answerable"], found.unanswerable["unanswerable"]) == (len(questions()) - 1, 1)
    dense = found.unanswerable["best_score"]["dense"]
    assert all(-1 < dense[kind] < 1 for kind in ("answerable", "unanswerable"))
    assert dense["answerable"] != dense["unanswerable"]


def test_the_report_is_the_contracts_json(suite_root, tmp_path, fast_encoder):
    report, _ = bench(suite_root, tmp_path, fast_encoder)
    row = json.loads(json.dumps(report.to_dict()))
    assert (row["suite"], [item["preset"] for item in row["presets"]]) == ("animals", list(PRESETS))
    names = {f"{name}@{budget}" for name in ("recall", "attained", "precision", "iou", "full") for budget in BUDGETS}
    for item in row["presets"]:
        assert set(item["metrics"]) == names | {"ndcg@10"}
        assert item["settings"] == json.loads(json.dumps(PRESETS[item["preset"]].to_dict()))
        assert set(item["seconds"]) >= {"ingest", "search_p50", "search_p95", "total"}
        assert 0 < item["seconds"]["search_p50"] <= item["seconds"]["search_p95"] < item["seconds"]["total"]
    kept = json.loads(json.dumps(report.to_dict(scores=True)))
    assert BenchReport.from_dict(kept).to_dict(scores=True) == kept


def test_twins_are_found_under_the_name_their_gold_uses(tmp_path, fast_encoder):
    files = {name: text.encode() for name, text in TEXTS.items()} | {"copy.md": TEXTS["otter.md"].encode()}
    asked = [
        {"id": name, "question": "Where does the otter sleep?", "gold": [gold_of("otter.md", 0) | {"document": name}]}
        for name in ("copy.md", "otter.md")
    ]
    root = write_suite(tmp_path / "twins", asked, files=files)
    report, runs = bench(root, tmp_path, fast_encoder, {"default": PRESETS["default"]})
    assert report.presets[0].scores["full@4000"] == (1.0, 1.0)
    assert report.presets[0].metrics == pytest.approx(rescore.rescore(root, runs)["default"], abs=1e-9)
    assert all(row["id"] in row["documents"] for row in rescore.rows(runs))
    assert all(len(row["documents"]) == len(TEXTS) for row in rescore.rows(runs))


def test_a_document_that_cannot_be_read_is_listed_and_its_gold_missed(tmp_path, fast_encoder):
    files = {"otter.md": TEXTS["otter.md"].encode(), "picture.md": b"\x89PNG\r\n\x1a\n" + bytes(100)}
    gold = gold_of("otter.md", 0)
    asked = [
        {"id": "found", "question": "Where does the otter sleep?", "gold": [gold]},
        {
            "id": "lost",
            "question": "Where does the otter sleep?",
            "gold": [{"document": "picture.md", "start": 0, "end": 9}],
        },
        {"id": "wrong", "question": "What is beyond?", "gold": [gold | {"end": 1_000_000}]},
    ]
    root = write_suite(tmp_path / "broken", asked, files=files)
    report, _ = bench(root, tmp_path, fast_encoder, {"default": PRESETS["default"]})
    ((name, reason),) = report.failures
    assert name == "picture.md"
    assert "PNG" in reason
    assert report.presets[0].scores["recall@4000"][:2] == (1.0, 0.0)
    (note,) = report.notes
    assert "Question wrong" in note
    assert "otter.md" in note


def test_a_document_that_changes_meanwhile_stops_the_bench(suite_root, tmp_path, fast_encoder):
    suite = load_suite(suite_root)
    (suite_root / "documents" / "otter.md").write_text("Something else entirely.")
    with pytest.raises(SuiteError, match="changed while it was measured"):
        run_bench(suite, PRESETS, tmp_path, fast_encoder)
    report, _ = bench(suite_root, tmp_path, fast_encoder, {"default": PRESETS["default"]})
    assert "Question otter.md-0" in report.notes[0], "the gold no longer fits the text, and the report says so"


def test_a_cancelled_bench_leaves_the_library_free(suite_root, tmp_path, fast_encoder):
    watch = Recorder(stop=5)
    with pytest.raises(CancelledError):
        bench(suite_root, tmp_path, fast_encoder, watch=watch)
    assert watch.asked[-1] == ("default", 5, len(questions()))
    encoded = len(fast_encoder.texts)
    report, _ = bench(suite_root, tmp_path, fast_encoder, {"default": PRESETS["default"]})
    assert report.presets[0].encoded == 0
    assert len(fast_encoder.texts) - encoded <= len(questions()), "the questions alone, in a fresh process's memory"
