"""The samples: derived files can be made again, gold is what was quoted, and every trap is really there."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.parsing import parse
from core.settings import ParsingSettings
from core.types import BlockKind, Document

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "data" / "samples"
NAMES = ("api.md", "handbook.md", "key_loader.py", "quarterly-report.pdf", "troubleshooting.txt")
REPORT = "quarterly-report.pdf"


def plain(text: str) -> str:
    """Words only: white space and cell separators count as one blank."""
    return re.sub(r"[\s|]+", " ", text).strip()


def body_under(document: Document, heading: str) -> str:
    """What stands between a heading and the next one."""
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    texts = [document.text[block.start : block.end].lstrip("# ").strip() for block in headings]
    at = texts.index(heading)
    end = headings[at + 1].start if at + 1 < len(headings) else len(document.text)
    return document.text[headings[at].end : end]


def page_of(document: Document, position: int) -> int:
    return next(box.page for box in document.boxes if box.start <= position < box.end)


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    folder = SAMPLES / "documents"
    return {name: parse((folder / name).read_bytes(), name, ParsingSettings()) for name in NAMES}


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def authored() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((SAMPLES / "gold.toml").read_text(encoding="utf-8"))["question"]
    return found


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two builds from the sources, each in a process of its own."""
    folders = (tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second"))
    for folder in folders:
        command = [sys.executable, str(SAMPLES / "build.py"), "--into", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr
    return folders


def test_the_folder_holds_five_documents_and_twenty_questions(questions: list[dict[str, Any]]) -> None:
    assert sorted(path.name for path in (SAMPLES / "documents").iterdir()) == list(NAMES)
    assert len(questions) == len({question["id"] for question in questions}) == 20
    assert all(question["question"] and question["answer"] and question["kind"] for question in questions)


def test_building_again_gives_the_committed_questions_and_the_same_report(
    rebuilt: tuple[Path, Path], documents: dict[str, Document]
) -> None:
    first, second = rebuilt
    assert (first / "questions.jsonl").read_bytes() == (SAMPLES / "questions.jsonl").read_bytes()
    report = (first / "documents" / REPORT).read_bytes()
    assert report == (second / "documents" / REPORT).read_bytes()
    assert parse(report, REPORT, ParsingSettings()).text == documents[REPORT].text


def test_every_gold_span_reads_as_its_quote(
    questions: list[dict[str, Any]], authored: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    checked = 0
    for question, source in zip(questions, authored, strict=True):
        assert question["question"] == source["question"]
        for span, piece in zip(question["gold"], source["gold"], strict=True):
            text = documents[span["document"]].text
            assert plain(text[span["start"] : span["end"]]) == plain(piece["quote"])
            checked += 1
    assert checked >= 25


def test_spans_of_one_question_do_not_overlap(questions: list[dict[str, Any]]) -> None:
    for question in questions:
        spans = sorted((span["document"], span["start"], span["end"]) for span in question["gold"])
        for (name, _, end), (following, start, _) in pairwise(spans):
            assert name != following or end <= start


def test_every_trap_has_a_question(questions: list[dict[str, Any]]) -> None:
    kinds = [question["kind"] for question in questions]
    assert {"conflict", "far", "table", "code", "bare-heading", "cross-page", "procedure", "fact"} <= set(kinds)
    assert kinds.count("unanswerable") == sum(not question["gold"] for question in questions) == 4
    assert sum(len(question["gold"]) > 1 for question in questions) >= 8


def test_two_sources_conflict_on_the_lifetime_of_a_token(
    questions: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    conflict = next(question for question in questions if question["kind"] == "conflict")
    said = {
        span["document"]: documents[span["document"]].text[span["start"] : span["end"]] for span in conflict["gold"]
    }
    assert set(said) == {"api.md", "handbook.md", "troubleshooting.txt"}
    assert "15 minutes" in said["handbook.md"]
    assert "3600 seconds" in said["api.md"]
    assert "3600 seconds" in plain(said["troubleshooting.txt"])
    assert "3600" not in documents["handbook.md"].text


def test_the_far_fact_is_said_once_and_not_where_one_would_look(documents: dict[str, Document]) -> None:
    everything = "\n".join(document.text for document in documents.values())
    assert everything.count("envelope 17") == everything.count("recovery passphrase") == 1
    handbook = documents["handbook.md"]
    assert "envelope 17" in body_under(handbook, "9.3 The Delft office")
    for heading in ("4.3 Signing keys", "6.4 Backups"):
        assert "vault" in body_under(handbook, heading)
        assert "passphrase" not in body_under(handbook, heading)


def test_cutting_at_200_characters_severs_the_key_figures(documents: dict[str, Document]) -> None:
    report = documents[REPORT]
    table = next(block for block in report.blocks if block.kind is BlockKind.TABLE)
    inside = report.text[table.start : table.end]
    assert "Q3 2026" in inside
    assert "Availability of intake" in inside
    for phase in range(0, 200, 10):
        windows = [report.text[at : at + 200] for at in range(phase, len(report.text), 200)]
        assert not any("Q3 2026" in window and "99.92 %" in window and "Target" in window for window in windows)


def test_code_lies_far_from_its_explanation(documents: dict[str, Document]) -> None:
    text = documents["key_loader.py"].text
    assert text.index("# N1.") - text.index("GRACE_SECONDS = 120") > 5000
    assert "two minutes" not in text[: text.index("# Notes")]


def test_the_heading_403_is_bare_and_its_meaning_stands_elsewhere(documents: dict[str, Document]) -> None:
    api = documents["api.md"]
    assert body_under(api, "403").strip() == ""
    meaning = body_under(api, "Refusals that are not about your identity")
    assert "lacks the scope" in meaning
    assert "403" not in meaning


def test_a_remark_needs_the_table_before_and_the_note_after(
    questions: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    report = documents[REPORT]
    spans = next(question for question in questions if "Estuary" in question["question"])["gold"]
    assert [page_of(report, span["start"]) for span in spans] == [2, 3, 4]
    remark = report.text[spans[1]["start"] : spans[1]["end"]].lower()
    assert "availability" not in remark
    assert "july" not in remark


def test_a_paragraph_crosses_a_page(questions: list[dict[str, Any]], documents: dict[str, Document]) -> None:
    report = documents[REPORT]
    span = next(question for question in questions if "Oostermeer" in question["question"])["gold"][0]
    boxes = [box for box in report.boxes if box.start < span["end"] and span["start"] < box.end]
    assert {box.page for box in boxes} == {1, 2}


def test_the_report_has_an_outline_of_headings_and_keeps_its_furniture_apart(documents: dict[str, Document]) -> None:
    report = documents[REPORT]
    headings = [report.text[block.start : block.end] for block in report.blocks if block.kind is BlockKind.HEADING]
    assert any("Key figures" in heading for heading in headings)
    assert any("The outage of 14 July" in heading for heading in headings)
    furniture = [block.start for block in report.blocks if block.kind is BlockKind.FURNITURE]
    assert furniture
    assert min(furniture) > report.text.index("Head of finance")
    assert 4 <= len(report.pages) <= 6


@pytest.mark.parametrize("word", ["mqtt", "founded", "cloud", "sales"])
def test_what_is_unanswerable_is_never_mentioned(word: str, documents: dict[str, Document]) -> None:
    assert not any(re.search(rf"\b{word}\b", document.text, re.IGNORECASE) for document in documents.values())


def test_the_guide_is_long_and_its_references_lead_somewhere(documents: dict[str, Document]) -> None:
    text = documents["handbook.md"].text
    assert len(text.split()) >= 6000
    sections = set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", text, re.MULTILINE))
    referred = set(re.findall(r"section (\d+(?:\.\d+)?)", text))
    assert len(referred) >= 8
    assert referred <= sections


def test_the_key_loader_is_working_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the folder is a suite: nothing may be left in it
    specification = importlib.util.spec_from_file_location("key_loader", SAMPLES / "documents" / "key_loader.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "key_loader", module)
    specification.loader.exec_module(module)
    key = {"kid": "k1", "x": "A" * 43, "from": 1000, "until": 2000}
    published = json.dumps({"serial": 7, "keys": [key, {**key, "kid": "k0"}], "withdrawn": ["k0"]}).encode()
    loader = module.KeyLoader(lambda: published, tmp_path / "keys.json", clock=lambda: 2100.0)
    assert loader.load()
    assert loader.key_for("k1").identifier == "k1"
    assert (tmp_path / "keys.json").read_bytes() == published
    with pytest.raises(module.UnknownKeyError):
        loader.key_for("k0")
