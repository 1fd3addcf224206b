"""The bench, whole: real files, a real library, and figures that independent code finds again."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from core.chunking import cut_edited
from core.errors import CancelledError, LecternError, NotFoundError, SettingsError, SuiteError
from core.evaluation.bench import BenchModels, run_bench
from core.evaluation.bench_plan import BenchOptions, BenchPlan
from core.evaluation.exchange.ragas import ragas_jsonl
from core.evaluation.grid import grid
from core.evaluation.history import load_measured, load_report, runs
from core.evaluation.measuring import BUDGETS
from core.evaluation.planning import estimate, recipe_of
from core.evaluation.reporting.report import BenchReport
from core.evaluation.suites import load_suite
from core.ingest import preparing
from core.library import Incoming, Library
from core.settings import Settings, preset
from tests.evaluation import rescore
from tests.evaluation.test_suites import write_suite
from tests.fast_encoder import FastEncoder
from tests.scripted_writer import Answering

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


def few():
    """Some of them, of three documents, with the one of two documents and the one without an answer."""
    return [*questions()[:9], *questions()[-2:]]


class Recorder:
    """Keeps what a bench tells; raises at question ``stop``."""

    def __init__(self, stop=None):
        self.stop, self.built, self.asked = stop, [], []

    def building(self, step, done, total):
        self.built.append((step.presets, done, total))

    def encoding(self, step, done, total):
        assert 0 <= done <= total

    def asking(self, step, done, total):
        self.asked.append((step.presets, done, total))
        if done == self.stop:
            raise CancelledError("Stopped.")


def bench(root, workspace, encoder, presets=PRESETS, watch=None):
    lines = []
    report = run_bench(BenchPlan(load_suite(root), presets), workspace, BenchModels(encoder), watch, lines.append)
    path = workspace / "runs.jsonl"
    path.write_text("".join(run.to_json() + "\n" for run in lines), encoding="utf-8")
    return report, path


@pytest.fixture
def suite_root(tmp_path):
    files = {f"{animal}.md": TEXTS[f"{animal}.md"].encode() for animal in ANIMALS[:6]}
    return write_suite(tmp_path / "animals", few(), files=files)


@dataclass(frozen=True)
class Measured:
    """The suite measured once, for whoever only looks at what came of it."""

    suite_root: Path
    report: BenchReport
    lines: Path
    encoder: FastEncoder
    watch: Recorder


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    place = tmp_path_factory.mktemp("measured")
    root = write_suite(place / "animals", questions(), files={name: text.encode() for name, text in TEXTS.items()})
    encoder, watch = FastEncoder(), Recorder()
    report, lines = bench(root, place, encoder, watch=watch)
    return Measured(root, report, lines, encoder, watch)


def test_independent_code_finds_the_same_figures(measured):
    suite_root, report, lines = measured.suite_root, measured.report, measured.lines
    assert [item.preset for item in report.presets] == list(PRESETS)
    found = rescore.rescore(suite_root, lines)
    for item in report.presets:
        scored = {name: item.metrics[name] for name in found[item.preset]}
        assert scored == pytest.approx(found[item.preset], abs=1e-9)
        assert {f"{name}@{budget}" for name in ("recall", "attained", "iou") for budget in BUDGETS} < scored.keys()
        assert set(item.metrics) == set(item.intervals)
        assert all(low - 1e-9 <= item.metrics[name] <= high + 1e-9 for name, (low, high) in item.intervals.items())
    assert report.preset("default").metrics["recall@1000"] > 50, "the suite is easy: a broken mapping would show"
    assert report.preset("default").metrics["ndcg@10"] > 50
    rows = rescore.rows(lines)
    assert len(rows) == len(PRESETS) * len(questions()) * len(BUDGETS)
    assert all(len(row["documents"]) >= 10 for row in rows)
    script = Path(rescore.__file__)
    done = subprocess.run([sys.executable, "-I", script, suite_root, lines], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == found


def test_presets_that_cut_alike_are_asked_together_and_nothing_is_encoded_twice(measured):
    count = len(questions())
    steps = (("default", "flat"), ("recursive",))
    assert measured.watch.asked == [(names, n, count) for names in steps for n in range(count + 1)]
    assert (("default", "flat"), len(TEXTS), len(TEXTS)) in measured.watch.built
    assert len(measured.encoder.texts) == len(set(measured.encoder.texts))
    assert measured.report.preset("flat").encoded == 0, "flat cuts as default does"


def test_the_readers_order_changes_no_figure(suite_root, tmp_path, fast_encoder):
    orders = {
        name: PRESETS["default"].with_value("assembly.order", name) for name in ("relevance", "document", "edges")
    }
    report, lines = bench(suite_root, tmp_path, fast_encoder, orders)
    contexts = {name: [row["context"] for row in rescore.rows(lines) if row["preset"] == name] for name in orders}
    assert contexts["document"] == contexts["edges"] == contexts["relevance"]
    assert any(context != sorted(context) for context in contexts["document"]), "relevance is not the text's order"
    assert report.preset("edges").scores == report.preset("relevance").scores


def test_texts_score_as_files_do(measured, tmp_path, fast_encoder):
    rows = [{"name": name, "text": text} for name, text in TEXTS.items()]
    other = write_suite(tmp_path / "texts", questions(), texts=rows)
    texts, _ = bench(other, tmp_path, fast_encoder, {"recursive": PRESETS["recursive"]})
    assert texts.fingerprint == measured.report.fingerprint
    assert texts.presets[0].scores == measured.report.preset("recursive").scores


def test_questions_the_library_does_not_answer_are_scored_apart(measured):
    report, found = measured.report, measured.report.preset("default")
    place = [question.id for question in report.questions].index("none")
    assert all(values[place] is None for values in found.scores.values())
    assert sum(value is not None for value in found.scores["recall@1000"]) == len(questions()) - 1
    assert (found.unanswerable["answerable"], found.unanswerable["unanswerable"]) == (len(questions()) - 1, 1)
    dense = found.unanswerable["best_score"]["dense"]
    assert all(-1 < dense[kind] < 1 for kind in ("answerable", "unanswerable"))
    assert dense["answerable"] != dense["unanswerable"]


def test_the_report_is_the_contracts_json(measured):
    report = measured.report
    row = json.loads(json.dumps(report.to_dict()))
    assert (row["suite"], [item["preset"] for item in row["presets"]]) == ("animals", list(PRESETS))
    spans = ("recall", "attained", "precision", "iou", "full", "context_precision", "context_recall")
    names = {f"{name}@{budget}" for name in spans for budget in BUDGETS} | {"ndcg@10", "precision_omega"}
    names |= {f"{name}@ended" for name in spans if name != "attained"} | {"recall@same"}
    names |= {"chunk_recall@10", "mrr@10", "chunk_ndcg@10", "map@10"}
    names |= {"chroma_recall@5", "chroma_precision@5", "chroma_iou@5"}
    for item in row["presets"]:
        assert set(item["metrics"]) == names
        assert item["costs"]["texts"] <= item["costs"]["chunks"]
        assert item["costs"]["index_bytes"] > item["costs"]["texts"] * 4 * 256
        assert 0 < item["costs"]["characters@1000"] <= 1000 < item["costs"]["characters@8000"] <= 8000
        assert 0 < item["costs"]["characters@ended"] <= item["costs"]["characters@8000"]
        assert 0 <= item["costs"]["tokens_to_gold@ended"] < item["costs"]["tokens@ended"]
        stages = {"analyse", "lexical", "dense", "coverage", "fused", "neighbours", "expand", "assemble", "total"}
        assert stages == set(item["latency_ms"])
        for budget in BUDGETS:
            lost = item["lost"][str(budget)]
            assert sum(lost.values()) == pytest.approx(100)
            assert lost["read"] == pytest.approx(item["metrics"][f"recall@{budget}"])
        assert item["settings"] == json.loads(json.dumps(PRESETS[item["preset"]].to_dict()))
        assert set(item["seconds"]) >= {"ingest", "search_p50", "search_p95", "total"}
        assert 0 < item["seconds"]["search_p50"] <= item["seconds"]["search_p95"] < item["seconds"]["total"]
    kept = json.loads(json.dumps(report.to_dict(scores=True)))
    assert json.loads(json.dumps(BenchReport.from_dict(kept).to_dict(scores=True))) == kept


def test_twins_are_found_under_the_name_their_gold_uses(tmp_path, fast_encoder):
    files = {name: TEXTS[name].encode() for name in ("otter.md", "lynx.md")} | {"copy.md": TEXTS["otter.md"].encode()}
    asked = [
        {"id": name, "question": "Where does the otter sleep?", "gold": [gold_of("otter.md", 0) | {"document": name}]}
        for name in ("copy.md", "otter.md")
    ]
    root = write_suite(tmp_path / "twins", asked, files=files)
    report, lines = bench(root, tmp_path, fast_encoder, {"default": PRESETS["default"]})
    assert report.presets[0].scores["full@4000"] == (1.0, 1.0)
    again = rescore.rescore(root, lines)["default"]
    assert {name: report.presets[0].metrics[name] for name in again} == pytest.approx(again, abs=1e-9)
    assert all(row["id"] in row["documents"] for row in rescore.rows(lines))
    assert all(len(row["documents"]) == 2 for row in rescore.rows(lines))


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
    assert "is damaged" in reason
    assert report.presets[0].scores["recall@4000"][:2] == (1.0, 0.0)
    (measured,) = (item for item in records(tmp_path, "default") if item.id == "lost")
    assert measured.lost[4000] == {"reading": 9}
    assert "picture.md" in [document.name for document in report.documents if not document.kind]
    (note,) = report.notes
    assert "Question wrong" in note
    assert "otter.md" in note


def test_a_document_that_changes_meanwhile_stops_the_bench(suite_root, tmp_path, fast_encoder):
    suite = load_suite(suite_root)
    (suite_root / "documents" / "otter.md").write_text("Something else entirely.")
    with pytest.raises(SuiteError, match="changed while it was measured"):
        run_bench(BenchPlan(suite, PRESETS), tmp_path, BenchModels(fast_encoder))
    report, _ = bench(suite_root, tmp_path, fast_encoder, {"default": PRESETS["default"]})
    assert "Question otter.md-0" in report.notes[0], "the gold no longer fits the text, and the report says so"


def records(workspace, preset):
    """What the newest run kept of a preset."""
    return list(load_measured(workspace, runs(workspace)[0].folder, preset).values())


class Sociable(FastEncoder):
    """Vectors that differ in their last digits with what is encoded beside them, as those of bfloat16 do."""

    fingerprint = "sociable-1"

    def encode(self, texts, progress=None):
        vectors = super().encode(texts, progress)
        vectors[:, 0] += 0.01 * (sum(map(len, texts)) % 97)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_a_stopped_bench_goes_on_where_it_was_and_says_the_same(suite_root, tmp_path):
    fast_encoder = Sociable()
    whole, whole_runs = bench(suite_root, tmp_path / "whole", fast_encoder)
    work, watch = tmp_path / "stopped", Recorder(stop=5)
    with pytest.raises(CancelledError):
        bench(suite_root, work, fast_encoder, watch=watch)
    (head,) = runs(work)
    assert not head.finished
    with pytest.raises(NotFoundError, match="stopped"):
        load_report(work, head.folder)
    journal = work / "runs" / head.folder / "cells" / "0000.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"id": "killed in the middle of a li')
    plan = BenchPlan(load_suite(suite_root), PRESETS)
    assert estimate(plan, work).resumed == 10, "whoever looks changes nothing: the line may be being written"
    assert journal.read_bytes().endswith(b"a li")
    again = Recorder()
    report, lines = bench(suite_root, work, fast_encoder, watch=again)
    assert again.asked[0] == (("default", "flat"), 5, len(few())), "the first five are not asked anew"
    assert [item.scores for item in report.presets] == [item.scores for item in whole.presets]
    assert [item.metrics for item in report.presets] == [item.metrics for item in whole.presets]
    assert [item.lost for item in report.presets] == [item.lost for item in whole.presets]
    assert lines.read_bytes() == whole_runs.read_bytes()
    (head,) = runs(work)
    assert head.finished
    assert load_report(work, head.folder) == report
    assert estimate(plan, work).resumed == 0, "a finished run is not gone on with: it is measured anew"
    anew, _ = bench(suite_root, work, fast_encoder)
    assert [item.scores for item in anew.presets] == [item.scores for item in whole.presets]
    assert [item.encoded for item in anew.presets] == [0, 0, 0]
    best = {folder: load_measured(work, folder, "flat") for folder in (head.folder, runs(work)[0].folder)}
    assert len(best) == 2
    first, second = ([item.best for item in found.values()] for found in best.values())
    assert first == second, "to the last digit: the questions' vectors are kept"


def test_cells_measured_together_have_the_figures_they_have_alone(suite_root, tmp_path, fast_encoder):
    vary = {"retrieval.fusion": ["zscore", "rrf"], "expansion.strategy": ["flat", "parent"]}
    cells = grid(Settings(), vary).presets
    report, _ = bench(suite_root, tmp_path, fast_encoder, cells)
    assert len(report.presets) == 4
    assert len(fast_encoder.texts) == len(set(fast_encoder.texts))
    name, settings = list(cells.items())[-1]
    alone, _ = bench(suite_root, tmp_path / name, fast_encoder, {name: settings})
    assert report.preset(name).scores == alone.presets[0].scores


def test_cells_that_heed_a_filter_stand_beside_cells_that_do_not(tmp_path, suite_root, fast_encoder):
    lines = [json.loads(line) for line in (suite_root / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["question"] += " -otter"
    (suite_root / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    cells = grid(
        Settings(), {"understanding.filters": [True, False], "expansion.strategy": ["parent", "window"]}
    ).presets
    together, _ = bench(suite_root, tmp_path, fast_encoder, cells)
    for name, item in list(cells.items())[::3]:  # one that heeds it, one that does not
        alone, _ = bench(suite_root, tmp_path / name, fast_encoder, {name: item})
        assert together.preset(name).scores == alone.presets[0].scores
    recalls = {item.metrics["recall@1000"] for item in together.presets}
    assert len(recalls) > 1, "what the filter leaves out is missed"
    heeding = [item.lost["1000"] for item in together.presets if item.settings["understanding"]["filters"]]
    others = [item.lost["1000"] for item in together.presets if not item.settings["understanding"]["filters"]]
    assert all(parts["condition"] > 0 for parts in heeding), "and is said to be left out by the question itself"
    assert not any(parts["condition"] for parts in others)
    assert {round(parts["cutting"], 9) for parts in heeding} == {round(parts["cutting"], 9) for parts in others}
    assert all(sum(parts.values()) == pytest.approx(100) for parts in [*heeding, *others])


def test_the_cost_is_known_before_and_right_after_the_first_time(suite_root, tmp_path, fast_encoder):
    suite = load_suite(suite_root)
    cost = estimate(BenchPlan(suite, PRESETS), tmp_path)
    assert (cost.recipes, cost.presets, cost.questions, cost.exact) == (2, 3, len(few()), False)
    report, _ = bench(suite_root, tmp_path, fast_encoder)
    texts = report.preset("default").costs["texts"] + report.preset("recursive").costs["texts"]
    assert 0.5 * texts < cost.encodings - len(few()) < 2 * texts, "reckoned from the documents' size"
    after = estimate(BenchPlan(suite, PRESETS), tmp_path)
    assert (after.exact, after.encodings) == (True, 0), "questions are kept too"
    assert "exact" not in after.sentence
    assert "about" not in after.sentence.split(",")[2]


def test_vectors_of_another_library_are_not_made_again(suite_root, tmp_path, fast_encoder):
    items = [Incoming(path.name, path) for path in sorted((suite_root / "documents").iterdir())]
    with Library.open(tmp_path / "mine", encoder=fast_encoder) as mine:
        mine.ingest(items)
        before = len(fast_encoder.texts)
        suite, presets = load_suite(suite_root), {"default": PRESETS["default"]}
        cost = estimate(BenchPlan(suite, presets), tmp_path, held=[recipe_of(mine.settings)])
        assert (cost.exact, cost.encodings) == (True, len(few()))
        report = run_bench(BenchPlan(suite, presets), tmp_path, BenchModels(fast_encoder, mine.vectors))
    assert report.presets[0].encoded == 0
    assert len(fast_encoder.texts) - before == len({row["question"] for row in few()})
    alone, _ = bench(suite_root, tmp_path / "alone", fast_encoder, presets)
    assert alone.presets[0].scores == report.presets[0].scores


def test_a_document_that_fails_under_one_recipe_is_missed_there_alone(suite_root, tmp_path, fast_encoder, monkeypatch):
    def cut(piece, settings, *arguments):
        if settings.max_tokens == 40 and "otter" in piece.document.text:
            raise LecternError("It cannot be cut so.")
        return cut_edited(piece, settings, *arguments)

    monkeypatch.setattr(preparing, "cut_edited", cut)
    presets = {"fine": Settings(), "bad": Settings().with_value("chunking.max_tokens", 40)}
    report, _ = bench(suite_root, tmp_path, fast_encoder, presets)
    assert report.failures == (("otter.md", "It cannot be cut so."),)
    of_otter = [place for place, asked in enumerate(report.questions) if asked.id.startswith("otter.md")]
    fine, bad = (report.preset(name).scores["recall@8000"] for name in presets)
    assert [fine[place] for place in of_otter] == [1.0] * len(of_otter)
    assert [bad[place] for place in of_otter] == [0.0] * len(of_otter), "not the chunks of the recipe before"
    lost = {item.id: item.lost[8000] for item in records(tmp_path, "bad") if item.lost}
    assert all(set(lost[report.questions[place].id]) == {"reading"} for place in of_otter)
    assert "otter.md" not in {name for item in records(tmp_path, "bad") for name, _, _ in item.contexts[8000]}


def test_where_every_document_fails_under_a_recipe_nothing_is_measured(suite_root, tmp_path, fast_encoder, monkeypatch):
    def cut(piece, settings, *arguments):
        if settings.max_tokens == 40:
            raise LecternError("It cannot be cut so.")
        return cut_edited(piece, settings, *arguments)

    monkeypatch.setattr(preparing, "cut_edited", cut)
    presets = {"fine": Settings(), "bad": Settings().with_value("chunking.max_tokens", 40)}
    with pytest.raises(SuiteError, match=r"could be cut as bad asks; the first, .*: It cannot be cut so\."):
        bench(suite_root, tmp_path, fast_encoder, presets)


def test_failures_carry_the_names_of_the_suite(tmp_path, fast_encoder):
    picture = b"\x89PNG\r\n\x1a\n" + bytes(100)
    files = {"otter.md": TEXTS["otter.md"].encode(), "a/pic.md": picture, "b/pic.md": picture + b"2"}
    asked = [{"id": "q", "question": "Where does the otter sleep?", "gold": [gold_of("otter.md", 0)]}]
    report, _ = bench(write_suite(tmp_path / "s", asked, files=files), tmp_path, fast_encoder, {"one": Settings()})
    assert [name for name, _ in report.failures] == ["a/pic.md", "b/pic.md"]


def test_names_that_no_encoding_can_write_are_measured_all_the_same(tmp_path, fast_encoder):
    name = os.fsdecode(b"caf\xe9.md")
    files = {"otter.md": TEXTS["otter.md"].encode()}
    root = write_suite(
        tmp_path / "odd", [{"id": "q", "question": "otter?", "gold": [gold_of("otter.md", 0)]}], files=files
    )
    try:
        (root / "documents" / name).write_text(TEXTS["hare.md"])
    except OSError:
        pytest.skip("this file system takes UTF-8 names alone")
    report, _ = bench(root, tmp_path, fast_encoder, {"one": Settings()})
    assert name in [document.name for document in report.documents]
    assert load_report(tmp_path, runs(tmp_path)[0].folder) == report


def test_presets_that_read_files_otherwise_are_not_measured_together(suite_root, tmp_path, fast_encoder):
    presets = {name: Settings().with_value("parsing.reader", name) for name in ("own", "unstructured")}
    with pytest.raises(SettingsError, match="Gold is a place in one text"):
        bench(suite_root, tmp_path, fast_encoder, presets)


@pytest.mark.parametrize("budget", [0, 49, 1_000_001])
def test_a_budget_no_context_can_have_is_refused_before_anything_runs(budget):
    with pytest.raises(SettingsError, match="budget_tokens"):
        BenchOptions(token_budgets=(500, budget))


def test_characters_are_reckoned_as_characters(suite_root, tmp_path, fast_encoder):
    suite = load_suite(suite_root)
    for name in ("fixed-1000", "parent-2000-400"):
        reckoned = estimate(BenchPlan(suite, {name: preset(name)}), tmp_path / name).encodings - len(few())
        report, _ = bench(suite_root, tmp_path / name, fast_encoder, {name: preset(name)})
        assert 0.4 < reckoned / report.presets[0].costs["texts"] < 2.5


def test_more_room_and_answers_are_measured_where_they_are_asked_for(suite_root, tmp_path, fast_encoder):
    rows = [row | {"answer": "It sleeps in a hollow that it digs."} for row in few()[:3]]
    root = write_suite(tmp_path / "few", rows, files={name: text.encode() for name, text in TEXTS.items()})
    options = BenchOptions(token_budgets=(60, 2000), answers=True)
    report = run_bench(
        BenchPlan(load_suite(root), {"default": PRESETS["default"]}, options), tmp_path, BenchModels(fast_encoder)
    )
    metrics = report.presets[0].metrics
    assert metrics["recall@60t"] <= metrics["recall@2000t"] == 100
    assert "attained@60t" not in metrics
    assert {"answer_hit@60t", "answer_hit@8000", "exact_match", "token_f1"} <= metrics.keys()
    assert metrics["token_f1"] > metrics["exact_match"] == 0
    assert metrics["faithfulness"] == 100, "what is quoted stands there"
    assert metrics["hallucination_rate"] == 0


def test_what_a_model_writes_is_scored_by_its_claims_and_handed_to_ragas(suite_root, tmp_path, fast_encoder):
    known = FACTS[0].format("otter")
    rows = [row | {"answer": known} for row in few()[:3]]
    suite = load_suite(write_suite(tmp_path / "few", rows, files={name: text.encode() for name, text in TEXTS.items()}))
    options = BenchOptions(answers=True, written_by="scripted")
    plan = BenchPlan(suite, {"default": PRESETS["default"]}, options)
    with pytest.raises(LecternError, match="scripted"):
        run_bench(plan, tmp_path, BenchModels(fast_encoder))
    writer = Answering(lambda prompt: f"{known} It was founded in 1834 by Ada Lovelace.")
    report = run_bench(plan, tmp_path, BenchModels(fast_encoder, writer=writer))
    metrics = report.presets[0].metrics
    assert metrics["hallucination_rate"] >= 50
    assert metrics["claim_recall"] == 100 > metrics["exact_match"]
    assert metrics["answer_relevancy"] == 0, "whoever brings an encoder wants no model of Lectern's"
    assert BenchReport.from_dict(json.loads(json.dumps(report.to_dict(scores=True)))).questions[0].answer == known
    models = BenchModels(fast_encoder, writer=writer, judge=lambda claim, texts: np.ones(len(texts)))
    plan = replace(plan, options=replace(options, written_by="scripted, judged"))
    other = run_bench(plan, tmp_path, models)
    assert other.presets[0].metrics["answer_relevancy"] == 100, "as the judge that was given has it"
    measured = load_measured(tmp_path, report.run, "default")
    texts = {document.version_id: TEXTS[document.name] for document in report.documents}
    rows = [json.loads(line) for line in ragas_jsonl(report, measured, 4000, texts.__getitem__).splitlines()]
    assert len(rows) == 3
    for row, question in zip(rows, suite.questions, strict=True):
        assert (row["user_input"], row["reference"]) == (question.question, known)
        assert row["response"] == writer._answer("")
        assert all(any(text in whole for whole in TEXTS.values()) for text in row["retrieved_contexts"])
        span = question.gold[0]
        assert row["reference_contexts"] == [TEXTS[span.document][span.start : span.end]]


def test_a_chunker_that_learns_is_measured_as_it_has_learned(tmp_path, fast_encoder):
    files = {f"{turn}.md": "# Book\n\n" + "\n\n".join(map(text_about, ANIMALS[turn::2])) for turn in range(2)}
    headed = {name: text.replace("\n\n", "\n\n## Next\n\n").encode() for name, text in files.items()}
    asked = [{"id": "q", "question": "Where does the otter sleep?", "gold": []}]
    learns = {"learns": Settings().with_values({"chunking.chunker": "learned", "chunking.max_tokens": 40})}
    bench(write_suite(tmp_path / "s", asked, files=headed), tmp_path, fast_encoder, learns)
    (home,) = tmp_path.glob("*/library")
    with Library.open(home, write=False, encoder=fast_encoder) as library:
        leaves = [leaf for row in library.sources() for leaf in library.tree(row.version_id).leaves]
    assert leaves
    assert not any("the library has too few headings" in reason for leaf in leaves for reason in leaf.reasons)
