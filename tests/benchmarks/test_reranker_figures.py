"""The re-ranker's bench on a suite of two documents: read once, and every cell as the product itself has it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.evaluation.suites import Suite, load_suite
from core.library import Library
from core.ordering import Rereading
from core.preparing import Incoming
from core.settings import OWN_RERANKER, RerankingSettings, Settings
from tests.benchmarks import reranker_fits
from tests.benchmarks.reranker_figures import QUICK, Bench, Kept, cell_name, chosen, named, tables
from tests.fast_encoder import FastEncoder

TEXTS = {
    "weir.md": "# Weir\n\nThe weir is opened by the keeper at noon.\n\nIts gate is oak.\n\nHerons fish below it.\n",
    "tea.md": "# Tea\n\nTea is free on Fridays.\n\nThe kettle stands on the second floor.\n\nThe keeper drinks it.\n",
}
ASKED = {"Who opens the weir?": ("weir.md", "opened by the keeper"), "Where is the kettle?": ("tea.md", "second floor")}
CELLS = [RerankingSettings(OWN_RERANKER, candidates=count, blend=blend) for count in (2, 4) for blend in (0.5, 1.0)]
SETTINGS = RerankingSettings(OWN_RERANKER, candidates=4, timeout_seconds=0)


class Scorer:
    """Likes short passages; counts what it reads."""

    max_tokens = 256

    def __init__(self) -> None:
        self.read = 0

    def score(self, question: str, passages: list[str]) -> np.ndarray:
        self.read += len(passages)
        return np.array([-len(passage) for passage in passages], np.float32)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    place = tmp_path / "suite"
    place.mkdir()
    lines = [json.dumps({"name": name, "text": text}) for name, text in TEXTS.items()]
    (place / "documents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = []
    for number, (question, (name, words)) in enumerate(ASKED.items()):
        start = TEXTS[name].index(words)
        gold = [{"document": name, "start": start, "end": start + len(words)}]
        asked.append(json.dumps({"id": str(number), "question": question, "gold": gold}))
    (place / "questions.jsonl").write_text("\n".join(asked) + "\n", encoding="utf-8")
    return load_suite(place)


@pytest.fixture
def filled(library: Library) -> Library:
    small = library.settings.with_value("chunking.max_tokens", 20).with_value("chunking.parent_max_tokens", 60)
    items = [Incoming(name, content_hash=library.stage(text.encode())) for name, text in TEXTS.items()]
    assert library.ingest(items, settings=small).failures == ()
    return library


def test_a_cell_is_what_the_product_orders_and_another_reads_nothing(
    suite: Suite, filled: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, scorer = Kept(tmp_path / "kept.jsonl"), Scorer()
    bench = Bench(suite, filled, kept, scorer, SETTINGS)
    for line, question in chosen(suite, 0):
        kept.keep(bench.measure(line, question, CELLS[:1], None, False))
    read = scorer.read
    assert read > 0
    orders: list[list[int]] = []
    original = Bench._figures

    def noted(self: Bench, ranking, question, context):
        orders.append(ranking.kept.tolist())
        return original(self, ranking, question, context)

    monkeypatch.setattr(Bench, "_figures", noted)
    known = kept.records()
    for line, question in chosen(suite, 0):
        orders.clear()
        record = bench.measure(line, question, CELLS, known[question.id], False)
        assert list(record["cells"]) == [QUICK, *map(cell_name, CELLS)]
        searcher = filled.searcher
        found = searcher.find(question.question, Settings())
        rereading = Rereading(FastEncoder())
        monkeypatch.setattr(rereading, "_model", lambda settings: ("scorer", Scorer()))
        text = {place: TEXTS[name] for place, name in enumerate(found.leaves.names)}
        usual = searcher.order(found, Settings())
        reranked = [rereading.reranked(usual, cell, text.__getitem__, searcher.above) for cell in CELLS[1:]]
        assert orders == [one.kept.tolist() for one in reranked]
    assert scorer.read == read, "what was read is held"


def test_sentences_fill_a_second_context_of_every_cell(suite: Suite, filled: Library, tmp_path: Path) -> None:
    bench = Bench(suite, filled, Kept(tmp_path / "kept.jsonl"), Scorer(), SETTINGS, ("sentences",))
    for line, question in chosen(suite, 0):
        known = bench.measure(line, question, CELLS[:1], None, False)
        assert list(known["cells"]) == named(CELLS[:1], ("sentences",))
        assert known["cells"][QUICK] == bench.measure(line, question, [], known, False)["cells"][QUICK]


def test_gold_is_marked_and_a_table_has_every_cell(suite: Suite, filled: Library, tmp_path: Path) -> None:
    bench = Bench(suite, filled, Kept(tmp_path / "kept.jsonl"), Scorer(), SETTINGS)
    records = [bench.measure(line, question, CELLS, None, False) for line, question in chosen(suite, 0)]
    for record in records:
        assert len(record["scores"]) == len(record["gold"]) == len(record["holds"]) <= 4
        assert any(record["gold"])
        assert all(holds for gold, holds in zip(record["gold"], record["holds"], strict=True) if gold)
        assert set(record["cells"][QUICK]) == {f"recall@{budget}" for budget in (1000, 2000, 4000, 8000)}
    told = tables([{**record, "suite": "code"} for record in records], [cell_name(cell) for cell in CELLS])
    assert all(f"| {cell_name(cell)} | " in told for cell in CELLS)
    assert "## code, 2 questions" in told
    assert "| 4 candidates, blend 1 | +0.00 |" in told, "both contexts hold the whole texts"
    assert len(list(chosen(suite, 1))) == 1


def made_records(seed: int, slope: float) -> list[dict[str, object]]:
    """Candidates that are gold as often as a logistic of this slope says."""
    drawn = np.random.default_rng(seed)
    records = []
    for line in range(400):
        scores = drawn.normal(0, 2, 20)
        gold = drawn.random(20) < 1 / (1 + np.exp(-(slope * scores - 1)))
        records.append(
            {"suite": "code", "line": line, "id": str(line), "scores": scores.tolist(), "gold": gold.tolist()}
        )
    return records


def test_a_calibration_is_found_and_holds() -> None:
    records = made_records(3, 1.5)
    made = reranker_fits.calibrated(records)
    assert made.slope == pytest.approx(1.5, abs=0.15)
    assert made.intercept == pytest.approx(-1.0, abs=0.15)
    told = reranker_fits.report(records, None)
    assert f"CALIBRATION = Calibration(slope={made.slope:.4f}, intercept={made.intercept:.4f})" in told
    assert "| code | 8,000 |" in told
