"""The parts of the chunkers' benchmarks that need neither the embedder nor the suites."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import chunkers, chunkers_page, chunking_costs
from core.chunking import CHUNKERS
from core.evaluation.suites import load_suite
from core.settings import PRESETS
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


def test_every_chunker_without_an_encoder_is_measured():
    assert set(chunking_costs.STRUCTURAL) | set(chunking_costs.ENCODED) == set(CHUNKERS)
