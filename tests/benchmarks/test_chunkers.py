"""The parts of the chunkers' benchmarks that need neither the embedder nor the suites."""

from dataclasses import replace

import pytest

from benchmarks import chunkers, chunkers_page
from core.chunking.chunkers import CHUNKERS
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
