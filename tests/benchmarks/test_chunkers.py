"""The parts of the chunkers' benchmarks that need neither the embedder nor the suites."""

import ast
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.chunking import CHUNKERS, Workpiece
from core.embedding import packaged_counter
from core.evaluation.suites import load_suite
from core.settings import PRESETS
from tests.benchmarks import chunkers, chunkers_page, chunking_costs, chunking_costs_peers
from tests.benchmarks.chunking_costs import Spent, side_by_side
from tests.evaluation.test_suites import write_suite
from tests.fast_encoder import FastEncoder

ANIMALS = ("otter", "falcon", "badger", "salmon", "lynx", "heron", "marten", "viper")
SAID = "The {0} sleeps in a hollow of its own. It is the {0} that walks nine days. Nobody counts a {0} in snow."
FILLER = "It is written elsewhere that weather and ground decide much of this. " * 4


@pytest.fixture
def suite(tmp_path):
    texts = {f"{animal}.md": f"# {animal}\n\n{FILLER}\n\n{SAID.format(animal)} {FILLER}\n" for animal in ANIMALS}
    questions = [
        {
            "id": animal,
            "question": f"Where does the {animal} sleep?",
            "gold": [{"document": name, "start": text.index("The "), "end": text.index("It is the")}],
        }
        for (name, text), animal in zip(texts.items(), ANIMALS, strict=True)
    ]
    rows = [{"name": name, "text": text} for name, text in texts.items()]
    return load_suite(write_suite(tmp_path / "animals", questions, texts=rows))


def test_only_cuts_differ_from_row_to_row():
    plain = PRESETS["flat"].chunking
    assert {replace(entry.settings, chunking=plain) for entry in chunkers.ENTRIES.values()} == {PRESETS["flat"]}
    sizes = {name: entry.settings.chunking.max_tokens for name, entry in chunkers.ENTRIES.items()}
    assert {size for name, size in sizes.items() if not name.endswith("-200")} == {plain.max_tokens}
    assert all(
        entry.settings.chunking.max_tokens == plain.max_tokens for entry in chunkers.ENTRIES.values() if entry.single
    )
    assert {entry.settings.chunking.chunker for entry in chunkers.ENTRIES.values()} <= set(CHUNKERS)


def test_a_finished_chunker_is_not_run_again_and_the_page_holds_every_row(suite, tmp_path):
    names = ["recursive", "sentence", "auto"]
    encoder = FastEncoder()
    rows = chunkers.measure(suite, names, tmp_path / "work", encoder)
    asked = len(encoder.texts)
    assert asked > len(ANIMALS)
    again = chunkers.measure(suite, names, tmp_path / "work", encoder)
    assert [row.report for row in again] == [row.report for row in rows]
    assert len(encoder.texts) == asked
    assert [row.name for row in chunkers.kept(suite, [*names, "fixed"], tmp_path / "work")] == names
    text = chunkers_page.page({"animals": rows}, {"animals": ["fixed"]})
    figures = {row.name: f"{row.found.metrics['recall@1000']:.1f}" for row in rows}
    for name, figure in figures.items():
        assert any(f"`{name}`" in line and figure in line for line in text.splitlines())
    assert "- animals: `fixed`" in text
    assert suite.fingerprint()[:16] in text
    assert chunkers_page.EARLIER not in text


def test_what_earlier_code_measured_is_taken_when_asked_for_and_marked(suite, tmp_path, monkeypatch):
    encoder = FastEncoder()
    chunkers.measure(suite, ["recursive"], tmp_path, encoder)
    monkeypatch.setattr("core.evaluation.history.CODE", "another")
    assert chunkers.finished(suite, "recursive", tmp_path, any_code=False) is None
    rows = chunkers.kept(suite, ["recursive"], tmp_path)
    assert [row.current for row in rows] == [False]
    assert f"`recursive`{chunkers_page.EARLIER}" in chunkers_page.page({"animals": rows}, {})


def test_settings_are_alike_where_the_same_is_read():
    kept = {"flat": PRESETS["flat"].to_dict()}
    assert chunkers.alike(kept, {"flat": PRESETS["flat"]})
    assert not chunkers.alike(kept, {"other": PRESETS["flat"]})
    assert not chunkers.alike(kept, {"flat": PRESETS["flat"].with_value("retrieval.k", 7)})
    earlier = {stage: dict(values) for stage, values in kept["flat"].items()}
    del earlier["reranking"]["neighbour_share"]  # a dial there was none of then, and that is at rest
    earlier["answering"]["sentences"] = 9  # what is quoted is not measured
    assert chunkers.alike({"flat": earlier}, {"flat": PRESETS["flat"]})
    gone = {**earlier, "retrieval": {**earlier["retrieval"], "magic": 1}}
    assert not chunkers.alike({"flat": gone}, {"flat": PRESETS["flat"]})


def test_auto_is_held_against_the_best_chunker_of_its_size(suite, tmp_path):
    rows = chunkers.measure(suite, ["recursive", "structure", "late", "auto"], tmp_path, FastEncoder())
    best = chunkers_page.best_single(rows)
    assert best.name in {"recursive", "structure"}
    assert chunkers_page.headline(best) == max(chunkers_page.headline(row) for row in rows if row.single)
    assert f"| animals | `{best.name}` |" in chunkers_page.page({"animals": rows}, {})


def test_vectors_of_another_workspace_are_borrowed(suite, tmp_path):
    first, second = FastEncoder(), FastEncoder()
    chunkers.measure(suite, ["recursive"], tmp_path / "one", first)
    chunkers.measure(suite, ["recursive"], tmp_path / "two", second, borrow=tmp_path / "one")
    assert {text for text in second.texts if text.startswith("#") or len(text) > 100} == set()
    assert len(second.texts) < len(first.texts)
    with chunkers.lent(suite, tmp_path / "nowhere") as nothing:
        assert nothing is None


def test_borrowed_vectors_are_only_read(tmp_path):
    catalogue = tmp_path / "catalogue.sqlite"
    with sqlite3.connect(catalogue) as connection:
        connection.execute("CREATE TABLE vector (key TEXT PRIMARY KEY, data BLOB)")
        connection.execute("INSERT INTO vector VALUES ('a', ?)", (np.ones(3, "<f4").tobytes(),))
    kept = chunkers.KeptVectors(catalogue)
    assert kept.known(["a", "b"]) == {"a"}
    assert {key: vector.tolist() for key, vector in kept.get(["b", "a"]).items()} == {"a": [1.0, 1.0, 1.0]}
    with ThreadPoolExecutor(1) as beside:  # questions are encoded beside their words' search
        assert beside.submit(kept.known, ["a"]).result() == {"a"}
    with pytest.raises(NotImplementedError):
        kept.put({"b": np.ones(3, np.float32)})
    kept.close()


def test_both_sides_of_a_ratio_take_turns(monkeypatch):
    order = []
    monkeypatch.setattr(Spent, "on", lambda action: action() or Spent(2.0 if order[-1] == "one" else 1.0, 0.5))
    actions = {"one": lambda: order.append("one"), "two": lambda: order.append("two")}
    seconds, found = side_by_side(lambda: order.append("bare"), actions, 2)
    assert order[3:] == ["bare", "one", "bare", "two", "bare", "one", "bare", "two", "bare"]
    assert (seconds, found["one"].wall, found["two"].wall, found["one"].cores) == (1.0, 2.0, 1.0, 1.0)


def test_documents_are_cut_at_the_size_asked_for_and_windows_are_their_texts(suite, tmp_path):
    documents = chunking_costs.documents_of(tmp_path / "animals", 1500)
    assert sum(len(document.text) for document in documents) == 1500
    assert ["".join(pieces) for pieces in chunking_costs.windows_of(documents)] == [item.text for item in documents]


def test_the_long_document_has_the_words_and_the_sample_the_sentences(suite, tmp_path):
    document = chunking_costs.long_document([tmp_path / "animals"], 2000)
    assert abs(len(document.text.split()) - 2000) < 200
    assert document.kind == "markdown"
    counter = packaged_counter()
    sample = chunking_costs.beginning(tmp_path / "animals", 7, counter)
    assert len(Workpiece(sample, counter).series.spans) == 7


def test_every_chunker_without_an_encoder_is_measured():
    assert set(chunking_costs.STRUCTURAL) | set(chunking_costs.ENCODED) == set(CHUNKERS)


def test_the_peers_script_imports_nothing_of_ours():
    tree = ast.parse(Path(chunking_costs_peers.__file__).read_text(encoding="utf-8"))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not [name for name in names if name.split(".")[0] in {"core", "pages", "tests"}]
    top = {
        name.split(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert top <= sys.stdlib_module_names | {"__future__"}


def test_a_splitter_whose_package_is_missing_is_named_once():
    def absent():
        raise ImportError("No module named 'splitter'\nmore")

    skipped = []
    assert chunking_costs_peers.made("Theirs", absent, skipped) is None
    assert chunking_costs_peers.made("Theirs", absent, skipped) is None
    assert skipped == ["Theirs: No module named 'splitter'"]


def test_a_splitter_cuts_every_text_or_each_its_own():
    assert chunking_costs_peers.cut(["a b", "c"], str.split)() == [["a", "b"], ["c"]]
    assert chunking_costs_peers.cut(["a b", "c"], str.split, str.upper)() == [["a", "b"], "C"]
