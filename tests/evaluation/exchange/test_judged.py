"""A library's judgments become a suite the bench measures on, and those of a data set come into a library."""

from __future__ import annotations

import email.message
import os
from dataclasses import replace

import pytest

from core.errors import SuiteError
from core.evaluation.bench import BenchModels, run_bench
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.exchange.importing import import_judgments
from core.evaluation.exchange.judged import judged_questions, write_judged_suite, write_suite
from core.evaluation.exchange.values import Anchor, Exchange
from core.evaluation.suites import GoldSpan, Question, load_suite
from core.library import Incoming, Library
from core.settings import Settings
from tests.fast_encoder import FastEncoder

NOTES = "# Tokens\n\nAn access token is valid for one hour.\n\nA refresh token is valid for thirty days.\n"
PAGE = "<html><body><h1>Bees</h1><p>A queen lays up to two thousand eggs a day.</p></body></html>"
ACCESS = "How long is an access token valid?"
EGGS = "How many eggs does a queen lay?"


@pytest.fixture
def filled(library, tmp_path):
    """A library of three documents with the same or unsafe names, and four judgments, one of them lost."""
    mail = email.message.EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Hives", "a@example.org", "b@example.org"
    mail.set_content("See what is attached.\n")
    mail.add_attachment("The hive stands behind the barn.\n", filename="notes.md")
    for name, data in (
        ("one/notes.md", NOTES.encode()), ("two/notes.md", b"# Other\n\nNothing of interest.\n"),
        ("bees.html", PAGE.encode()), ("hives.eml", bytes(mail)), ("gone.md", b"It was there, once.\n"),
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        assert library.ingest([Incoming(name, path)]).failures == ()
    judge(library, ACCESS, "An access token is valid for one hour.", "one/notes.md")
    judge(library, ACCESS, "thirty days", "one/notes.md")
    judge(library, EGGS, "up to two thousand eggs a day", "bees.html", answer="2000")
    judge(library, "Where is the hive?", "behind the barn", "hives.eml › notes.md", origin="synthetic")
    library.judge_unanswerable("Who is the king of France?")
    judge(library, "What was there?", "It was there", "gone.md")
    library.trash([row.id for row in library.sources() if row.name == "gone.md"])
    return library


def judge(library, question, quote, name, **more):
    (version,) = {row.version_id for row in library.sources() if row.name == name}
    start = library.document(version).text.index(quote)
    library.judge(question, version, start, start + len(quote), **more)


def test_the_suite_holds_every_live_document_and_the_judgments_that_hold(filled, tmp_path) -> None:
    folder = write_judged_suite(filled, tmp_path / "suite")
    suite = load_suite(folder)
    assert [document.name for document in suite.documents] == [
        "bees.html", "hives.eml", "hives.eml _ notes.md", "notes (2).md", "notes.md",
    ]  # fmt: skip
    assert [(item.question, item.answer, len(item.gold)) for item in suite.questions] == [
        (ACCESS, None, 2), (EGGS, "2000", 1), ("Where is the hive?", None, 1), ("Who is the king of France?", None, 0),
    ]  # fmt: skip
    assert [row.judgment.question for row in judged_questions(filled).lost] == ["What was there?"]
    versions = {row.version_id for row in filled.sources()}
    assert {document.version_id for document in suite.documents} == versions
    for document in suite.documents:
        assert document.path.stat().st_nlink > 1, "a link to the original, not a copy"


def test_gold_addresses_the_text_the_bench_reads(filled, tmp_path) -> None:
    suite = load_suite(write_judged_suite(filled, tmp_path / "suite"))
    settings = replace(Settings(), parsing=filled.settings.parsing)
    report = run_bench(BenchPlan(suite, {"default": settings}), tmp_path / "work", BenchModels(FastEncoder()))
    assert (report.failures, report.notes) == ((), ())
    (place,) = (tmp_path / "work").glob("*/library")
    with Library.open(place, write=False, encoder=FastEncoder()) as library:
        versions = {document.name: document.version_id for document in suite.documents}
        words = {
            library.document(versions[span.document]).text[span.start : span.end]
            for question in suite.questions
            for span in question.gold
        }
    assert words == {
        "An access token is valid for one hour.", "thirty days", "up to two thousand eggs a day", "behind the barn",
    }  # fmt: skip


def test_what_did_not_change_is_left_alone(filled, tmp_path) -> None:
    folder = write_judged_suite(filled, tmp_path / "suite")
    before, first = load_suite(folder), _stamps(folder)
    assert write_judged_suite(filled, folder) == folder
    assert _stamps(folder) == first
    filled.judge_unanswerable("Who else?")
    write_judged_suite(filled, folder)
    after, second = load_suite(folder), _stamps(folder)
    assert {name for name in second if second[name] != first.get(name)} == {"questions.jsonl"}
    assert after.documents_fingerprint() == before.documents_fingerprint()
    assert len(after.questions) == len(before.questions) + 1
    filled.remove(next(row.id for row in filled.sources() if row.name == "two/notes.md"))
    write_judged_suite(filled, folder)
    assert "notes (2).md" not in {document.name for document in load_suite(folder).documents}
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == [], "nothing is left beside"


def _stamps(folder):
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_where_links_are_not_to_be_had_files_are_copied(filled, tmp_path, monkeypatch) -> None:
    def refuse(*_paths: object) -> None:
        raise OSError("Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    folder = write_judged_suite(filled, tmp_path / "suite")
    first = _stamps(folder)
    assert {document.version_id for document in load_suite(folder).documents} == {
        row.version_id for row in filled.sources()
    }
    write_judged_suite(filled, folder)
    assert _stamps(folder) == first


def test_a_folder_with_other_files_is_not_touched(filled, tmp_path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear")
    with pytest.raises(SuiteError, match="holds other files"):
        write_judged_suite(filled, tmp_path / "mine")
    with pytest.raises(SuiteError, match="holds other files"):
        write_suite(Exchange({"a": "b"}, (Question("1", "What?", ()),)), tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "Dear"


def test_without_a_judgment_there_is_no_suite(library, tmp_path) -> None:
    with pytest.raises(SuiteError, match="No judgment of this library holds"):
        write_judged_suite(library, tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


def test_gold_is_placed_by_text_then_by_name_and_words_and_never_dropped(filled) -> None:
    text = NOTES.replace("# Tokens", "# Tokens of ours")
    gold = {
        "by text": GoldSpan("some name", NOTES.index("thirty"), NOTES.index("thirty") + 11),
        "edited": GoldSpan("elsewhere/notes.md", text.index("one hour"), text.index("one hour") + 8),
        "by words": GoldSpan("bees", 0, 7),
        "not there": GoldSpan("bees", 4, 9),
        "without words": GoldSpan("bees", 5, 6),
        "no document": GoldSpan("unknown.md", 0, 4),
    }
    exchange = Exchange(
        {"some name": NOTES, "elsewhere/notes.md": text, "bees": None, "unknown.md": None},
        (
            *(Question(name, f"Is it {name}?", (span,)) for name, span in gold.items()),
            Question("no", "Is it nowhere?", ()),
            Question("empty", "Is it empty?", (), None, ("empty.md",)),
        ),
        {
            gold["by words"]: Anchor("two\nthousand"),
            gold["not there"]: Anchor("three"),
            gold["no document"]: Anchor("Some"),
        },
    )
    imported = import_judgments(filled, exchange)
    made = {row.judgment.question: row for row in filled.judgments() if row.judgment.origin == "imported"}
    assert {question: (row.source, row.judgment.quote) for question, row in made.items()} == {
        "Is it by text?": ("one/notes.md", "thirty days"),
        "Is it edited?": ("one/notes.md", "one hour"),
        "Is it by words?": ("bees.html", "two thousand"),
        "Is it nowhere?": (None, ""),
    }
    assert len(imported.judgments) == 4
    assert dict(imported.unplaced) == {
        "Is it not there?": "The words of its gold are not in bees as the library has it.",
        "Is it without words?": 'Its gold in bees comes without its words ("quote"), so its offsets cannot be checked.',
        "Is it no document?": "No document of the library has the text or the name of unknown.md.",
        "Is it empty?": "Its relevant documents are empty.",
    }


def test_a_data_set_with_its_documents_becomes_a_suite(tmp_path) -> None:
    text = "\ufeffOne.\r\nTwo\rthree."
    exchange = Exchange({"a.md": text}, (Question("1", "What?", (GoldSpan("a.md", 11, 16),), "three"),))
    suite = load_suite(write_suite(exchange, tmp_path / "suite"))
    assert suite.questions == exchange.questions
    assert suite.documents[0].text[11:16] == "three"
    write_suite(exchange, tmp_path / "suite")
    with pytest.raises(SuiteError, match="names 'b' without its text"):
        write_suite(Exchange({"b": None}, exchange.questions), tmp_path / "other")
