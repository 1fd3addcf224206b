"""The samples: derived files can be made again, gold is what was quoted, and every trap is really there."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.parsing import parse
from core.settings import ParsingSettings
from core.types import BlockKind, Document

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


def body_under(document: Document, heading: str) -> str:
    """What stands between a heading and the next one."""
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    texts = [document.text[block.start : block.end].lstrip("# ").strip() for block in headings]
    at = texts.index(heading)
    end = headings[at + 1].start if at + 1 < len(headings) else len(document.text)
    return document.text[headings[at].end : end]


def gold_texts(question: dict[str, Any], documents: dict[str, Document]) -> list[tuple[str, str]]:
    """The document and the words of each gold span."""
    spans = question["gold"]
    return [(span["document"], plain(documents[span["document"]].text[span["start"] : span["end"]])) for span in spans]


def page_of(document: Document, position: int) -> int:
    return next(box.page for box in document.boxes if box.start <= position < box.end)


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


@pytest.fixture(scope="module")
def asked(questions: list[dict[str, Any]]) -> Callable[[str], dict[str, Any]]:
    """The one question that holds these words."""

    def find(words: str) -> dict[str, Any]:
        (found,) = (question for question in questions if words in question["question"])
        return found

    return find


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two builds from the sources, each in a process of its own."""
    folders = (tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second"))
    for folder in folders:
        command = [sys.executable, str(SAMPLES / "build.py"), "--into", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr
    return folders


def test_the_folder_holds_twelve_documents_and_forty_questions(
    questions: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    assert sorted(path.name for path in (SAMPLES / "documents").iterdir()) == sorted((*DERIVED, *WRITTEN))
    assert len(documents) == 12
    assert len({document.kind for document in documents.values()}) == 11
    assert len(questions) == len({question["id"] for question in questions}) == 40
    assert all(question["question"] and question["answer"] and question["kind"] for question in questions)
    assert {span["document"] for question in questions for span in question["gold"]} == set(documents)


def test_the_first_six_questions_show_variety(questions: list[dict[str, Any]]) -> None:
    first = questions[:6]
    assert len({question["kind"] for question in first}) >= 4
    assert len({span["document"] for question in first for span in question["gold"]}) >= 6
    assert any(not question["gold"] for question in first)


def test_building_again_gives_the_committed_questions_and_the_same_documents(
    rebuilt: tuple[Path, Path], documents: dict[str, Document]
) -> None:
    first, second = rebuilt
    assert (first / "questions.jsonl").read_bytes() == (SAMPLES / "questions.jsonl").read_bytes()
    assert sorted(path.name for path in (first / "documents").iterdir()) == sorted(DERIVED)
    for name in DERIVED:
        made = (first / "documents" / name).read_bytes()
        assert made == (second / "documents" / name).read_bytes()
        assert parse(made, name, ParsingSettings()).text == documents[name].text


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


def test_spans_of_one_question_do_not_overlap(questions: list[dict[str, Any]]) -> None:
    for question in questions:
        spans = sorted((span["document"], span["start"], span["end"]) for span in question["gold"])
        for (name, _, end), (following, start, _) in pairwise(spans):
            assert name != following or end <= start


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


def test_two_sources_conflict_on_the_lifetime_of_a_token(asked: Any, documents: dict[str, Document]) -> None:
    said = dict(gold_texts(asked("access token valid"), documents))
    assert set(said) == {"api.md", "handbook.md", "troubleshooting.txt"}
    assert "15 minutes" in said["handbook.md"]
    assert "3600 seconds" in said["api.md"]
    assert "3600 seconds" in said["troubleshooting.txt"]
    assert "3600" not in documents["handbook.md"].text


def test_slides_and_sheet_conflict_on_the_partitions(asked: Any, documents: dict[str, Document]) -> None:
    slide, row, note = gold_texts(asked("partitions"), documents)
    assert slide == (SLIDES, "96 partitions from March 2027")
    assert row[0] == note[0] == PLAN
    assert " 128 " in row[1]
    assert "128" not in documents[SLIDES].text
    assert "before the load test" in note[1]


def test_policy_and_handbook_conflict_on_access_to_production(asked: Any, documents: dict[str, Document]) -> None:
    said = dict(gold_texts(asked("access to production"), documents))
    assert "two hours" in said[POLICY]
    assert "four hours" in said["handbook.md"]
    assert "four hours" not in documents[POLICY].text


def test_the_far_fact_is_said_once_and_not_where_one_would_look(documents: dict[str, Document]) -> None:
    everything = "\n".join(document.text for document in documents.values())
    assert everything.count("envelope 17") == everything.count("recovery passphrase") == 1
    handbook = documents["handbook.md"]
    assert "envelope 17" in body_under(handbook, "9.3 The Delft office")
    for heading in ("4.3 Signing keys", "6.4 Backups"):
        assert "vault" in body_under(handbook, heading)
        assert "passphrase" not in body_under(handbook, heading)


def test_the_key_of_the_boat_lies_in_a_paragraph_on_food(documents: dict[str, Document]) -> None:
    everything = "\n".join(document.text for document in documents.values())
    assert everything.count("key of our boat") == everything.count("Terpstra") == 1
    assert "Terpstra" in body_under(documents[BOOK], "7.1 On the road")
    assert "key" not in body_under(documents[BOOK], "7.2 The boat")


def test_the_end_of_a_contract_stands_in_the_notes_of_a_slide_on_an_outing(
    asked: Any, documents: dict[str, Document]
) -> None:
    slides = documents[SLIDES]
    (span,) = asked("contract with the second carrier")["gold"]
    block = next(block for block in slides.blocks if block.start <= span["start"] < block.end)
    assert block.kind is BlockKind.FOOTNOTE
    assert page_of(slides, span["start"]) == 8
    assert "Notes:" in slides.text[block.start : block.end]
    assert "carrier" not in body_under(slides, "Autumn outing, and the kitchen").split("Notes:")[0]
    assert sum("31 March 2027" in document.text for document in documents.values()) == 1


def test_cutting_at_200_characters_severs_the_key_figures(documents: dict[str, Document]) -> None:
    report = documents[REPORT]
    table = next(block for block in report.blocks if block.kind is BlockKind.TABLE)
    inside = report.text[table.start : table.end]
    assert "Q3 2026" in inside
    assert "Availability of intake" in inside
    for phase in range(0, 200, 10):
        windows = [report.text[at : at + 200] for at in range(phase, len(report.text), 200)]
        assert not any("Q3 2026" in window and "99.92 %" in window and "Target" in window for window in windows)


def test_the_register_names_its_columns_far_above_the_row(asked: Any, documents: dict[str, Document]) -> None:
    header, row = asked("Lauwerhoek")["gold"]
    assert header["start"] == 0
    assert row["start"] - header["end"] > 5000
    assert documents[REGISTER].text.count("heron-") == 60
    assert "firmware" not in documents[REGISTER].text[row["start"] : row["end"]].lower()


def test_joined_cells_are_needed_to_read_a_row(asked: Any, documents: dict[str, Document]) -> None:
    with ZipFile(SAMPLES / "documents" / POLICY) as package:
        inside = package.read("word/document.xml").decode()
    assert inside.count("encrypted, key in the vault") == inside.count("Guarded") == 1, "said once, in a joined cell"
    (_, header), (_, row) = gold_texts(asked("recordings of production sessions protected"), documents)
    assert row.startswith("Guarded Recordings")
    assert header.count("At rest") == header.count("Class") == 2
    with ZipFile(SAMPLES / "documents" / PLAN) as package:
        sheet = package.read("xl/worksheets/sheet1.xml").decode()
    assert {'ref="B3:C3"', 'ref="D3:E3"', 'ref="A3:A4"'} <= set(re.findall(r'ref="[A-Z0-9:]+"', sheet))
    (_, header), (_, row) = gold_texts(asked("share of beacon's limit"), documents)
    assert header.count("Planned, December 2027") == header.count("Worst storm") == 2
    assert row.endswith("10 % 81 % 90 %")


def test_the_calls_stand_in_the_data_of_a_chart(asked: Any, documents: dict[str, Document]) -> None:
    with ZipFile(SAMPLES / "documents" / SLIDES) as package:
        slides = [package.read(name).decode() for name in package.namelist() if name.startswith("ppt/slides/slide")]
    assert not any("1649" in slide for slide in slides)
    assert gold_texts(asked("voice call"), documents)[1] == (SLIDES, "July 19870 8815 1649")


def test_code_lies_far_from_its_explanation(documents: dict[str, Document]) -> None:
    text = documents["key_loader.py"].text
    assert text.index("# N1.") - text.index("GRACE_SECONDS = 120") > 5000
    assert "two minutes" not in text[: text.index("# Notes")]


def test_code_on_the_page_lies_far_from_its_explanation(asked: Any, documents: dict[str, Document]) -> None:
    first, second, reason = asked("47 seconds")["gold"]
    text = documents[STATUS].text
    code = next(block for block in documents[STATUS].blocks if block.kind is BlockKind.CODE)
    assert code.start <= first["start"] < second["end"] <= code.end
    assert reason["start"] - code.end > 1300
    assert "47" not in text[reason["start"] :]
    assert "prime" not in text[: reason["start"]]


def test_the_heading_403_is_bare_and_its_meaning_stands_elsewhere(documents: dict[str, Document]) -> None:
    api = documents["api.md"]
    assert body_under(api, "403").strip() == ""
    meaning = body_under(api, "Refusals that are not about your identity")
    assert "lacks the scope" in meaning
    assert "403" not in meaning


def test_the_heading_on_lost_devices_is_bare_and_its_rule_has_other_words(
    asked: Any, documents: dict[str, Document]
) -> None:
    policy = documents[POLICY]
    assert body_under(policy, "7. Lost or stolen devices").strip() == ""
    assert re.findall(r"(?i)\blost\b|\bstolen\b", policy.text) == ["Lost", "stolen"]
    ((_, rule),) = gold_texts(asked("lost or stolen"), documents)
    assert "device" not in rule
    assert plain(rule) in plain(body_under(policy, "8. Reports and what follows from them"))


def test_a_number_leads_to_another_place_and_is_computed_by_the_program(
    asked: Any, documents: dict[str, Document]
) -> None:
    (_, clause), (_, exception) = gold_texts(asked("missed its updates"), documents)
    assert f"4.2 {clause}" in documents[POLICY].text
    assert "clause 4.2" in exception
    assert not {"laptop", "update"} & set(re.findall(r"\w+", exception))
    with ZipFile(SAMPLES / "documents" / POLICY) as package:
        assert package.read("word/document.xml").decode().count("4.2") == 1, "only where another clause refers to it"
    (_, step), (_, hour) = gold_texts(asked("section 3.4"), documents)
    assert "section 3.4" in step
    assert plain(hour) in plain(body_under(documents[BOOK], "3.4 The quiet hour"))


@pytest.mark.parametrize(
    ("words", "name"), [("recordings of production sessions are looked", POLICY), ("tender", PLAN)]
)
def test_an_aside_says_what_the_text_does_not(
    words: str, name: str, asked: Any, documents: dict[str, Document]
) -> None:
    (span,) = asked(words)["gold"]
    asides = [block for block in documents[name].blocks if block.kind is BlockKind.FOOTNOTE]
    block = next(block for block in asides if block.start <= span["start"] < span["end"] <= block.end)
    assert documents[name].text[block.start : block.end].startswith("Comment by ")


def test_only_the_attachment_of_the_mail_tells_the_refusals_of_a_customer(documents: dict[str, Document]) -> None:
    (attached,) = documents[MAIL].attachments
    assert attached.name == "refusals-19-august.csv"
    assert "Almstede | 287 | 41" in parse(attached.data, attached.name, ParsingSettings()).text
    assert not any("Almstede" in document.text for document in documents.values())


def test_a_decision_needs_the_slide_before_and_the_notes_after(asked: Any, documents: dict[str, Document]) -> None:
    spans = asked("dark weeks")["gold"]
    assert [page_of(documents[SLIDES], span["start"]) for span in spans] == [4, 4, 5, 6]
    remark = gold_texts(asked("dark weeks"), documents)[2][1]
    assert "fifteen" not in remark
    assert "eleven" not in remark
    assert "11" not in remark


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


@pytest.mark.parametrize("word", ["mqtt", "founded", "cloud", "sales", r"insur\w+", r"explosi\w+"])
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
