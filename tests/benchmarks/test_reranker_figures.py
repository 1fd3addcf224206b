"""The re-ranker's bench on a suite of two documents: read once, and every cell as the product itself has it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.reranker_figures import QUICK, Bench, Kept, cell_name, chosen
from core.evaluation.suites import Suite, load_suite
from core.ingest.prepared import Incoming
from core.library import Library
from core.lru_cache import LruCache
from core.search.ordering import RerankerCache
from core.settings import PACKAGED_RERANKER, RerankingSettings, Settings

TEXTS = {
    "weir.md": "# Weir\n\nThe weir is opened by the keeper at noon.\n\nIts gate is oak.\n\nHerons fish below it.\n",
    "tea.md": "# Tea\n\nTea is free on Fridays.\n\nThe kettle stands on the second floor.\n\nThe keeper drinks it.\n",
}
ASKED = {"Who opens the weir?": ("weir.md", "opened by the keeper"), "Where is the kettle?": ("tea.md", "second floor")}
CELLS = [
    RerankingSettings(PACKAGED_RERANKER, candidates=count, blend=blend, neighbour_share=0)
    for count in (2, 4)
    for blend in (0.5, 1.0)
]
SETTINGS = RerankingSettings(PACKAGED_RERANKER, candidates=4, timeout_seconds=0, blend=1, neighbour_share=0)


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
        cache = RerankerCache(LruCache(512))
        monkeypatch.setattr(cache, "_model", lambda settings: ("scorer", Scorer()))
        text = {place: TEXTS[name] for place, name in enumerate(found.leaves.names)}
        usual = searcher.order(found, Settings())
        reranked = [cache.reranked(usual, cell, text.__getitem__, searcher.above) for cell in CELLS[1:]]
        assert orders == [one.kept.tolist() for one in reranked]
    assert scorer.read == read, "what was read is held"
