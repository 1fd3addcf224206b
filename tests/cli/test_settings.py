"""The way from a measured setting to another program and back: settings as JSON, chunks as JSON Lines, saved runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli.main import main
from core.evaluation.reporting.report import AskedQuestion, BenchReport, PresetReport
from core.evaluation.suites import GoldSpan
from core.library import Incoming, Library
from core.settings import PRESETS, Settings
from tests.fast_encoder import FastEncoder

pytestmark = pytest.mark.usefixtures("quick_embedder")
FINE = Settings().with_value("chunking.max_tokens", 24)
HERONS = "# Herons\n\nHerons wait for hours. A heron weighs 2 kg.\n\n## Nests\n\nThey nest in trees near water.\n"


@pytest.fixture
def core(capsys: pytest.CaptureFixture[str]):
    """Run a command in this process: (exit code, JSON or None, stderr)."""

    def run(*arguments: object) -> tuple[int, dict[str, object] | None, str]:
        code = main([*map(str, arguments), "--json"])
        written = capsys.readouterr()
        return code, json.loads(written.out) if written.out else None, written.err

    return run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "herons.md").write_text(HERONS)
    with Library.open(tmp_path / "library", encoder=FastEncoder()) as library:
        assert not library.ingest([Incoming("herons.md", tmp_path / "herons.md")]).failures
    return tmp_path / "library"


def test_settings_go_out_as_json_and_come_back(core, home, tmp_path, capsys) -> None:
    assert core("settings", "--library", home)[1] == {
        "settings": json.loads(json.dumps(Settings().to_dict())),
        "changed": {},
        "applied": None,
    }
    code, given, _ = core("settings", "--library", home, "--preset", "recursive-1000-200", "--set", "retrieval.k=20")
    wanted = PRESETS["recursive-1000-200"].with_value("retrieval.k", 20)
    assert (code, given["changed"]["retrieval.k"], given["changed"]["chunking.chunker"]) == (0, 20, "recursive")
    assert [item["source"] for item in given["applied"]["documents"]] == ["herons.md"]
    with Library.open(home, write=False, encoder=FastEncoder()) as library:
        assert library.settings == wanted
    assert main(["settings", "--library", str(home)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert Settings().with_values(dict(line.split("=", 1) for line in lines)) == wanted  # as --set takes them

    saved = tmp_path / "winner.json"
    saved.write_text(json.dumps(given))
    assert core("settings", "--library", home, "--preset", "default")[1]["changed"] == {}
    assert core("settings", "--library", home, "--from", saved)[1]["settings"] == given["settings"]
    assert core("settings", "--library", home, "--from", saved)[1]["applied"] is None


@pytest.mark.parametrize(
    ("text", "told"),
    [("{", "is not JSON"), ("[]", "holds no settings"), ('{"retrieval": {"depth": 1}}', "retrieval.depth"),
     ('{"settings": {"retrieval": {"k": "x"}}}', "retrieval.k")],
)  # fmt: skip
def test_a_file_of_no_settings_is_a_sentence_and_changes_nothing(core, home, tmp_path, text: str, told: str) -> None:
    (tmp_path / "wrong.json").write_text(text)
    code, found, sentence = core("settings", "--library", home, "--from", tmp_path / "wrong.json")
    assert (code, found, told in sentence) == (2, None, True)


def test_chunks_go_out_as_they_are_indexed_with_what_was_encoded(core, library, tmp_path) -> None:
    (tmp_path / "herons.md").write_text(HERONS)
    library.ingest([Incoming("herons.md", tmp_path / "herons.md")], settings=FINE)
    code, found, _ = core("export", "--library", library.home, "--chunks", tmp_path / "chunks.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "chunks.jsonl").read_text().splitlines()]
    assert (code, found["chunks"]) == (0, len(rows))
    (source,) = library.sources()
    assert [row["chunk_id"] for row in rows] == [chunk.chunk_id for chunk in library.tree(source.version_id).chunks]
    assert all(HERONS[row["start"] : row["end"]] == row["text"] for row in rows)
    assert {(row["source"], row["document"]) for row in rows} == {("herons.md", "Herons")}
    embedded = [row["embedded"] for row in rows if row["level"] == 0]
    assert embedded[1].startswith("Herons\n## Nests")
    assert sorted(embedded) == sorted(library.model.encoder.texts)
    assert all(row["embedded"] is None for row in rows if row["level"])


def report(scores: tuple[float, ...]) -> BenchReport:
    asked = tuple(AskedQuestion(f"q{at}", f"What is {at}?", (GoldSpan("a.md", 0, 2),)) for at in range(len(scores)))
    preset = PresetReport(
        "default", {}, {"recall@1000": 50.0}, {"recall@1000": (40.0, 60.0)}, {"total": 1.0}, {}, 0,
        {"recall@1000": scores}, {}, {}, {},
    )  # fmt: skip
    return BenchReport("tiny", "f", asked, (preset,), (1000,))


def test_a_later_run_is_compared_with_a_saved_one(core, tmp_path, monkeypatch) -> None:
    (tmp_path / "suite" / "documents").mkdir(parents=True)
    (tmp_path / "suite" / "documents" / "a.md").write_text("Tea.")
    row = {"id": "q", "question": "What?", "gold": [{"document": "a.md", "start": 0, "end": 2}]}
    (tmp_path / "suite" / "questions.jsonl").write_text(json.dumps(row))
    good, bad, saved = report((1.0, 0.9) * 6), report((0.1, 0.2) * 6), tmp_path / "run.json"
    runs = iter([good, good, bad, replace(bad, questions=())])
    monkeypatch.setattr("core.evaluation.bench.run_bench", lambda *_: next(runs))
    assert core("bench", tmp_path / "suite", "--save", saved)[0] == 0
    assert BenchReport.from_dict(json.loads(saved.read_text())) == good
    code, found, _ = core("bench", tmp_path / "suite", "--before", saved)
    same = found["against"]["presets"]["default"]["recall@1000"]
    assert (code, same["difference"], same["verdict"]) == (0, 0.0, "no difference seen")
    code, found, told = core("bench", tmp_path / "suite", "--before", saved)
    assert (code, found["against"]["presets"]["default"]["recall@1000"]["verdict"]) == (1, "worse")
    assert "run.json: recall@1000 by 80.0 points" in told
    code, found, told = core("bench", tmp_path / "suite", "--before", saved)
    assert (code, found, "no question or no preset in common" in told) == (2, None, True)
    saved.write_text("{}")
    assert core("bench", tmp_path / "suite", "--before", saved)[0] == 2
