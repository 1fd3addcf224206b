"""``python -m core judgments``: the shapes of its JSON, exit codes, and sentences instead of tracebacks."""

from __future__ import annotations

import json

import openpyxl
import pytest

from core.cli import options
from core.cli.main import main
from core.evaluation.suites import load_suite
from core.library import Incoming, Library
from core.storage.files import FileStore
from tests.fast_encoder import FastEncoder
from tests.scripted_writer import Scripted

TEXT = "# Tokens\n\nAn access token is valid for one hour.\n"
QUESTION = "How long is an access token valid?"
JUDGMENT = {
    "id": int, "question": str, "answer": str, "source": (str, type(None)), "version_id": (str, type(None)),
    "start": (int, type(None)), "end": (int, type(None)), "quote": str, "unanswerable": bool, "lost": str,
    "origin": str, "created_at": str,
}  # fmt: skip


@pytest.fixture
def core(capsys):
    """Run a command in this process: ``(exit code, JSON or None, stderr)``."""

    def run(*arguments):
        code = main(["judgments", *map(str, arguments), "--json"])
        written = capsys.readouterr()
        assert "Traceback" not in written.err
        return code, json.loads(written.out) if written.out else None, written.err

    return run


@pytest.fixture
def home(tmp_path):
    """A library of one document with a judgment on it, another on one in the trash, and one without gold."""
    place = tmp_path / "library"
    with Library.open(place, encoder=FastEncoder()) as library:
        for name in ("tokens.md", "gone.md"):
            path = tmp_path / name
            path.write_text(TEXT + name)
            version = library.ingest([Incoming(name, path)]).documents[0].version_id
            start = TEXT.index("one hour")
            library.judge(f"{QUESTION} {name}", version, start, start + 8, answer="60 minutes")
        library.judge_unanswerable("Who is the king of France?")
        library.trash([row.id for row in library.sources() if row.name == "gone.md"])
    return place


def test_list_names_every_judgment_and_where_its_gold_lies(core, home) -> None:
    code, found, _ = core("list", "--library", home)
    assert (code, set(found)) == (0, {"judgments"})
    for item in found["judgments"]:
        assert set(item) == set(JUDGMENT)
        assert all(isinstance(item[name], kind) for name, kind in JUDGMENT.items())
    held, lost, nothing = found["judgments"]
    assert (held["source"], held["quote"], held["answer"], held["lost"]) == ("tokens.md", "one hour", "60 minutes", "")
    assert (TEXT + "tokens.md")[held["start"] : held["end"]] == held["quote"]
    assert (lost["lost"], lost["start"], lost["unanswerable"]) == ("gone.md is in the trash.", None, False)
    assert (nothing["lost"], nothing["start"], nothing["unanswerable"]) == ("", None, True)


def test_list_for_a_person_has_a_line_for_each(home, capsys) -> None:
    assert main(["judgments", "list", "--library", str(home)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition("  ")[2] for line in lines] == [
        "[tokens.md 39-47]", "[gone.md is in the trash.]", "[the library does not say]",
    ]  # fmt: skip


def test_the_format_is_guessed_also_of_a_spreadsheet_and_columns_not_read_are_told(core, home, tmp_path) -> None:
    rows = [("Nr", "Question", "Source quote"), (1, "For how long?", "valid for one hour")]
    book = openpyxl.Workbook()
    for line in rows:
        book.active.append(line)
    book.save(tmp_path / "mine.xlsx")
    (tmp_path / "mine.csv").write_text("\n".join(";".join(map(str, line)) for line in rows))
    ids = set()
    for name in ("mine.csv", "mine.xlsx"):
        code, found, told = core("import", tmp_path / name, "--library", home)
        assert (code, found["format"], found["questions"], found["failures"]) == (0, "table", 1, [])
        assert "Not read: the columns “Nr”." in told
        ids |= set(found["judgments"])
    assert len(ids) == 1
    code, _, told = core("import", tmp_path / "none.csv", "--library", home)
    assert (code, "none.csv cannot be read: No such file" in told) == (2, True)


def test_judgments_are_written_and_read_again(core, home, tmp_path) -> None:
    """Beside a process that writes, and what is lost is named."""
    with Library.open(home, encoder=FastEncoder()):
        code, found, told = core("export", tmp_path / "out", "--library", home)
    assert (code, set(found), found["questions"]) == (1, {"questions", "files", "failures"}, 2)
    assert found["failures"] == [{"source": f"{QUESTION} gone.md", "reason": "gone.md is in the trash."}]
    assert "gone.md is in the trash." in told
    assert all((tmp_path / "out").resolve() in (tmp_path / file).resolve().parents for file in found["files"])
    with Library.open(home, encoder=FastEncoder()) as library:
        (row,) = library.sources()
        original, copy = FileStore(home / "files", writable=False).path(row.version_id), tmp_path / "out" / "documents"
        assert (copy / "tokens.md").read_bytes() == original.read_bytes()
        assert not (copy / "tokens.md").samefile(original)
        library.remove_judgments([row.id for row in library.judgments()])
    code, found, told = core("import", tmp_path / "out", "--library", home)
    assert (code, set(found), told) == (0, {"format", "questions", "judgments", "failures"}, "")
    assert (found["questions"], len(found["judgments"]), found["failures"]) == (2, 2, [])
    _, found, _ = core("list", "--library", home)
    quotes = {item["question"]: item["quote"] for item in found["judgments"]}
    assert quotes[f"{QUESTION} tokens.md"] == "one hour"
    assert quotes["Who is the king of France?"] == ""
    assert {item["origin"] for item in found["judgments"]} == {"imported"}


def test_what_cannot_be_placed_is_listed(core, home, tmp_path) -> None:
    rows = [
        {"id": "1", "question": "Here?", "gold": [{"document": "tokens.md", "start": 0, "end": 3, "quote": "hour"}]},
        {"id": "2", "question": "Gone?", "gold": [{"document": "gone.md", "start": 0, "end": 3, "quote": "hour"}]},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    code, found, told = core("import", path, "--library", home)
    assert (code, len(found["judgments"]), found["failures"][0]["source"]) == (1, 1, "Gone?")
    assert "Gone?: No document of the library has the text or the name of gone.md." in told
    path.write_text(json.dumps(rows[1]))
    code, found, _ = core("import", path, "--library", home)
    assert (code, found["judgments"], len(found["failures"])) == (2, [], 1)


def test_a_foreign_data_set_becomes_a_suite_without_a_library(core, tmp_path) -> None:
    asked = {"id": "x", "question": QUESTION, "answers": [{"text": "one hour", "answer_start": 39}]}
    data = {"data": [{"title": "Tokens", "paragraphs": [{"context": TEXT, "qas": [asked]}]}]}
    (tmp_path / "dev.json").write_text(json.dumps(data))
    code, found, _ = core("import", tmp_path / "dev.json", "--format", "squad", "--suite", tmp_path / "suite")
    assert (code, found) == (
        0,
        {"format": "squad", "suite": str(tmp_path / "suite"), "documents": 1, "questions": 1, "failures": []},
    )
    suite = load_suite(tmp_path / "suite")
    (span,) = suite.questions[0].gold
    assert suite.documents[0].text[span.start : span.end] == "one hour"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export"], "judgments export needs a PATH"),
        (["export", "out", "--format", "squad"], "Leave --format out"),
        (["import", "nowhere.json", "--format", "squad"], "There is no nowhere.json"),
        (["list", "--library", "nowhere"], "There is no library in nowhere"),
        (["export", "out", "--library", "nowhere"], "There is no library in nowhere"),
    ],
)
def test_what_cannot_be_done_gets_a_sentence_and_two(core, tmp_path, monkeypatch, arguments, words) -> None:
    monkeypatch.chdir(tmp_path)
    code, found, told = core(*arguments)
    assert (code, found) == (2, None)
    assert words in told
    assert list(tmp_path.iterdir()) == []


def test_an_import_never_makes_a_library(core, tmp_path) -> None:
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "1", "question": "Who?", "gold": []}))
    code, found, told = core("import", tmp_path, "--library", tmp_path / "new")
    assert (code, found) == (2, None)
    assert "There is no library" in told
    assert not (tmp_path / "new").exists()


@pytest.mark.model
def test_questions_are_made_and_kept_apart_from_others(core, tmp_path, monkeypatch) -> None:
    place = tmp_path / "made"
    with Library.open(place) as library:
        path = tmp_path / "kept.md"
        path.write_text(
            "# Backups\n\nBackups are kept for 35 days. Backups are copied every night, "
            "and what is lost by day is found there in the morning by whoever looks for it in the right drawer.\n"
        )
        library.ingest([Incoming("kept.md", path)])
    code, result, _ = core("make", "--library", place, "--count", 1)
    assert code == 0
    (made,) = result["questions"]
    assert result["chunk_tokens"] is None  # one answer does not say what size chunks should have
    assert set(made) == {"question", "others", "kind", "source", "gold", "quote", "answer", "overlap"}
    code, listed, _ = core("list", "--library", place)
    assert [(row["question"], row["quote"], row["origin"]) for row in listed["judgments"]] == [
        (made["question"], made["quote"], "synthetic")
    ]
    code, result, _ = core("make", "--library", place, "--count", 50)
    assert code == 1  # fewer than were asked for
    assert made["question"] not in [item["question"] for item in result["questions"]]
    assert core("make", "--library", place, "--count", 0)[0] == 2
    monkeypatch.setattr(options, "language_model", lambda: None)
    code, _, told = core("make", "--library", place, "--written")
    assert (code, "No language model is set up." in told) == (2, True)
    asked = ["When does one find what was lost by day?", "in the morning", "Who pays for what was lost?"]
    model = Scripted(json.dumps(asked), '["in the morning"]')
    monkeypatch.setattr(options, "language_model", lambda: model)
    code, result, _ = core("make", "--library", place, "--written", "--count", 1)
    assert [(item["kind"], item["answer"]) for item in result["questions"]] == [("written", "in the morning")]
