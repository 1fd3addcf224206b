"""The samples: derived files can be made again, gold is what was quoted, and every trap is really there."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Document

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "data" / "samples"
REPORT, POLICY, SLIDES = "quarterly-report.pdf", "security-policy.docx", "autumn-review.pptx"
PLAN, BOOK, STATUS = "capacity-plan.xlsx", "field-manual.epub", "status-page.html"
MAIL, REGISTER = "outage-thread.eml", "device-register.csv"
DERIVED = (SLIDES, PLAN, BOOK, REPORT, POLICY)
WRITTEN = ("api.md", "handbook.md", "key_loader.py", "troubleshooting.txt", STATUS, MAIL, REGISTER)
TRAPS = ("conflict", "far", "table", "code", "bare-heading", "cross-page", "procedure", "fact", "two-documents")


def plain(text: str) -> str:
    """Words only: white space and cell separators count as one blank."""
    return re.sub(r"[\s|]+", " ", text).strip()


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    folder = SAMPLES / "documents"
    return {name: parse((folder / name).read_bytes(), name, ParsingSettings()) for name in (*DERIVED, *WRITTEN)}


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def authored() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((SAMPLES / "gold.toml").read_text(encoding="utf-8"))["question"]
    return found


def test_the_folder_holds_twelve_documents_and_forty_questions(
    questions: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    assert sorted(path.name for path in (SAMPLES / "documents").iterdir()) == sorted((*DERIVED, *WRITTEN))
    assert len(documents) == 12
    assert len({document.kind for document in documents.values()}) == 11
    assert len(questions) == len({question["id"] for question in questions}) == 40
    assert all(question["question"] and question["answer"] and question["kind"] for question in questions)
    assert {span["document"] for question in questions for span in question["gold"]} == set(documents)


@pytest.mark.long
def test_building_again_gives_the_committed_questions_and_documents(
    tmp_path: Path, documents: dict[str, Document]
) -> None:
    command = [sys.executable, str(SAMPLES / "build.py"), "--into", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "questions.jsonl").read_bytes() == (SAMPLES / "questions.jsonl").read_bytes()
    assert sorted(path.name for path in (tmp_path / "documents").iterdir()) == sorted(DERIVED)
    for name in DERIVED:
        assert parse((tmp_path / "documents" / name).read_bytes(), name, ParsingSettings()).text == documents[name].text


def test_no_document_tells_the_hour_or_the_machine_it_was_made_on() -> None:
    for name in (SLIDES, PLAN, BOOK, POLICY):
        with ZipFile(SAMPLES / "documents" / name) as package:
            assert {member.date_time for member in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert {member.create_system for member in package.infolist()} == {0}


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
    assert checked >= 55


def test_every_trap_is_planted_twice_and_in_different_formats(questions: list[dict[str, Any]]) -> None:
    for kind in (*TRAPS, "aside", "reference"):
        of_kind = [question for question in questions if question["kind"] == kind]
        assert len(of_kind) >= 2, kind
        formats = [{Path(span["document"]).suffix for span in question["gold"]} for question in of_kind]
        assert len(set.union(*formats)) >= 2, kind
    kinds = [question["kind"] for question in questions]
    assert set(kinds) == {*TRAPS, "aside", "reference", "unanswerable"}
    assert kinds.count("unanswerable") == sum(not question["gold"] for question in questions) == 6
    assert sum(len(question["gold"]) > 1 for question in questions) >= 18


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
