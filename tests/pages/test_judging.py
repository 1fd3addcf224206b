"""Judging in the pages: what a component asks for is done and undone, gold is told to it, and files come and go."""

from __future__ import annotations

import io
import itertools
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

from core.errors import SuiteError
from core.evaluation.exchange import uploads as judging_files
from core.evaluation.exchange.importing import import_judgments
from core.evaluation.exchange.judged import judged_questions, with_texts
from core.evidence import Passage
from core.library import Incoming, JudgmentRow, Library
from core.storage.catalogue.judging import Judgment
from pages.ui.ask import judging
from pages.ui.ask.judging_gold import gold_in, gold_line, gold_rows, of_question
from pages.ui.library import judging_list
from pages.ui.shared import services, state
from tests.pages.apps import press, said, start

TEXT = "# Rocket 🚀\n\nThe rocket flies on Monday.\n\nIt carries tea 🍵 and a kettle.\n"
QUESTION = "When does it fly?"
FLIES = (TEXT.index("The rocket"), TEXT.index("Monday.") + 7)
NOTES = {"rocket.md": TEXT}
NAMES = itertools.count()
TEA = (TEXT.index("tea"), TEXT.index(" and a"))


@pytest.fixture
def version(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A document with characters beyond the first plane, in the library the pages look at."""
    (tmp_path / "rocket.md").write_text(TEXT, encoding="utf-8")
    report = library.ingest([Incoming("rocket.md", path=tmp_path / "rocket.md")])
    monkeypatch.setattr(services, "library", lambda: library)
    for key in list(st.session_state):
        del st.session_state[key]
    yield report.documents[0].version_id
    for key in list(st.session_state):
        del st.session_state[key]


def tell(request: Mapping[str, object], place: str) -> None:
    """As a component does: with a name that no request had before."""
    judging.take([{**request, "at": str(next(NAMES))}], place)


def asked_for(version: str, span: tuple[int, int], question: str = QUESTION, **more: str) -> dict[str, object]:
    return {"do": "judge", "version": version, "start": span[0], "end": span[1], "question": question, **more}


def row(
    number: int, question: str, version: str | None, start: int | None, end: int | None, lost: str = ""
) -> JudgmentRow:
    made = Judgment(question, version, "hash", start, end, "quote" if start is not None else "")
    held = (start, end) if not lost else (None, None)
    return JudgmentRow(number, made, "2026-01-01T00:00:00+00:00", "a.md", version, *held, lost)


def passage(version: str, start: int, end: int) -> Passage:
    return Passage(version, "A", "a.md", start, end, "x" * (end - start), 1, (), (), 1, 1.0, "whole")


def test_a_judged_passage_is_gold_and_can_be_taken_back(library: Library, version: str) -> None:
    tell(asked_for(version, FLIES, answer="Monday"), judging.CHUNKS)
    (made,) = library.judgments()
    assert (made.judgment.quote, made.judgment.answer, made.judgment.origin) == (
        "The rocket flies on Monday.",
        "Monday",
        "human",
    )
    told = judging.for_reader(version)
    assert told["gold"] == [
        [*FLIES, [{"id": made.id, "question": QUESTION, "answer": "Monday", "origin": "human"}]],
    ]
    assert told["notice"]["undo"] is True
    assert QUESTION in told["notice"]["text"]
    tell({"do": "undo"}, judging.CHUNKS)
    assert library.judgments() == []
    tell({"do": "undo"}, judging.CHUNKS)  # once is enough
    assert library.judgments() == []


def test_requests_told_again_with_the_next_one_are_done_once(library: Library, version: str) -> None:
    first = {**asked_for(version, FLIES), "at": "1"}
    second = {**asked_for(version, TEA, "What is on board?"), "at": "2"}
    judging.take([first, second], judging.CHUNKS)  # the second came before the page could run for the first
    assert [row.judgment.question for row in library.judgments()] == [QUESTION, "What is on board?"]
    judging.take([first, second, {"do": "undo", "at": "3"}], judging.CHUNKS)
    assert [row.judgment.question for row in library.judgments()] == [QUESTION]


@pytest.mark.parametrize("place", [judging.ASK, judging.LIST])
def test_a_removed_judgment_comes_back_as_it_was(library: Library, version: str, place: str) -> None:
    tell(asked_for(version, TEA, "What is on board?"), judging.CHUNKS)
    (before,) = library.judgments()
    tell({"do": "remove", "ids": [before.id]}, place)
    assert library.judgments() == []
    assert judging.notice_at(judging.CHUNKS) is None  # said where it was done
    assert judging.notice_at(place) is not None
    tell({"do": "undo"}, place)
    (after,) = library.judgments()
    assert (after.judgment, after.start, after.end) == (before.judgment, *TEA)


def test_the_line_about_a_question_goes_when_another_is_asked(version: str) -> None:
    st.session_state[state.ASKED] = QUESTION
    tell(asked_for(version, FLIES), judging.ASK)
    assert judging.notice_at(judging.ASK) is not None
    st.session_state[state.ASKED] = "What is on board?"
    assert judging.notice_at(judging.ASK) is None  # its Undo would take back what is no longer seen
    st.session_state[state.CHUNKS_VERSION] = version
    tell(asked_for(version, TEA), judging.CHUNKS)
    st.session_state[state.CHUNKS_VERSION] = "another"
    assert judging.notice_at(judging.CHUNKS) is None


def test_what_was_gold_before_is_not_undone(library: Library, version: str) -> None:
    tell(asked_for(version, FLIES), judging.CHUNKS)
    tell(asked_for(version, FLIES), judging.CHUNKS)
    notice = judging.notice_at(judging.CHUNKS)
    assert notice is not None
    assert not notice.undo
    assert len(library.judgments()) == 1


def test_what_cannot_be_judged_is_said_in_a_sentence(library: Library, version: str) -> None:
    for request in (
        asked_for(version, (10, 12), "   "),
        asked_for(version, (11, 12)),  # a line's end
        asked_for(version, (3, 999_999)),
        asked_for("0" * 64, FLIES),
        {"do": "remove", "ids": [77]},
    ):
        tell(request, judging.CHUNKS)
        notice = judging.notice_at(judging.CHUNKS)
        assert notice is not None
        assert notice.wrong
        assert notice.text
    assert library.judgments() == []
    tell({"do": "close"}, judging.CHUNKS)
    assert judging.notice_at(judging.CHUNKS) is None
    judging.take(None, judging.CHUNKS)


def test_the_question_offered_is_the_one_judged_last_until_another_is_asked(version: str) -> None:
    assert judging.offered() == ""
    st.session_state[state.ASKED] = "Who asked?"
    assert judging.offered() == "Who asked?"
    tell(asked_for(version, FLIES, "Who judged?"), judging.CHUNKS)
    assert judging.offered() == "Who judged?"
    st.session_state[state.ASKED] = "Who asked again?"
    assert judging.offered() == "Who asked again?"


def test_passages_that_are_gold_twice_are_drawn_once() -> None:
    rows = [row(1, "A?", "v", 5, 9), row(2, "B?", "v", 5, 9), row(3, "C?", "v", 2, 7), row(4, "D?", None, None, None)]
    drawn = gold_rows([*rows, row(5, "E?", "v", 1, 2, lost="gone")])
    assert [(start, end, [each["id"] for each in questions]) for start, end, questions in drawn] == [
        (2, 7, [3]),
        (5, 9, [1, 2]),
    ]


@given(
    golds=some.lists(some.tuples(some.integers(0, 60), some.integers(1, 30)), max_size=8),
    place=some.tuples(some.integers(0, 60), some.integers(1, 40)),
)
def test_gold_inside_a_passage_is_the_same_characters(golds: Sequence[tuple[int, int]], place: tuple[int, int]) -> None:
    rows = [row(number, "Q?", "v", start, start + length) for number, (start, length) in enumerate(golds)]
    within = passage("v", place[0], place[0] + place[1])
    drawn = {at for start, end, _ in gold_in(rows, within) for at in range(within.start + start, within.start + end)}
    judged = {at for start, length in golds for at in range(start, start + length)}
    assert drawn == judged & set(range(within.start, within.end))
    assert gold_in([replace(each, version_id="other") for each in rows], within) == []


def test_the_line_counts_what_the_reader_gets() -> None:
    rows = [row(1, "Q?", "v", 0, 10), row(2, "Q?", "v", 20, 30), row(3, "Q?", "w", 0, 5)]
    context = [passage("v", 0, 12), passage("v", 25, 40)]
    assert gold_line([], context) == ""
    assert gold_line(rows, context) == ("3 answers marked for this question; 1 is in what the reader gets, 1 in part.")
    assert gold_line(rows[2:], context) == "1 answer marked for this question; none is in what the reader gets."
    assert gold_line([row(4, "Q?", "v", 0, 1, lost="gone")], context) == "1 judged for this question is lost."


def test_a_question_is_the_same_whatever_its_case_and_blanks() -> None:
    rows = [row(1, "When  does it FLY?", "v", 0, 1), row(2, "Why?", "v", 0, 1)]
    assert [each.id for each in of_question(rows, " when does it fly? ")] == [1]


def test_a_reader_beside_a_writer_is_told_that_judging_is_off(
    library: Library, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(library.home, write=False) as second:
        monkeypatch.setattr(services, "library", lambda: second)
        assert judging.for_reader(version)["off"] == judging.READ_ONLY
        tell(asked_for(version, FLIES), judging.CHUNKS)
        notice = judging.notice_at(judging.CHUNKS)
        assert notice is not None
        assert notice.wrong
    assert library.judgments() == []


def test_judgments_go_out_and_come_back_in(library: Library, version: str) -> None:
    library.judge(QUESTION, version, *FLIES, answer="Monday")
    library.judge("What is on board?", version, *TEA)
    exchange = with_texts(library, judged_questions(library))
    data = judging_files.packed(exchange)
    assert data == judging_files.packed(exchange)
    library.remove_judgments([each.id for each in library.judgments()])
    found, read = judging_files.read_uploads({"judgments.zip": data})
    assert found == "ours"
    assert import_judgments(library, read).unplaced == ()
    quotes = {each.judgment.question: each.judgment.quote for each in library.judgments()}
    assert quotes == {QUESTION: "The rocket flies on Monday.", "What is on board?": "tea 🍵"}
    assert {each.judgment.origin for each in library.judgments()} == {"imported"}


def test_files_with_other_names_and_folders_are_understood(library: Library, version: str) -> None:
    line = {"id": "1", "question": QUESTION, "gold": [{"document": "rocket.md", "start": FLIES[0], "end": FLIES[1]}]}
    name, exchange = judging_files.read_uploads({"mine.jsonl": json.dumps(line).encode(), "rocket.md": TEXT.encode()})
    assert name == "ours"
    assert len(import_judgments(library, exchange).judgments) == 1
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("set/questions.jsonl", json.dumps(line))
        archive.writestr("set/documents/rocket.md", TEXT)
        archive.writestr("../outside.jsonl", "not read")
        archive.writestr("__MACOSX/set/._questions.jsonl", "not read")
    assert set(judging_files.unpacked({"set.zip": held.getvalue()})) == {"questions.jsonl", "documents/rocket.md"}


def test_a_table_of_questions_is_known_by_its_header_also_as_a_spreadsheet(library: Library, version: str) -> None:
    rows = [("Question", "Answer", "File"), (QUESTION, "the ROCKET flies on Monday", "rocket"), ("Who?", "Ada", "")]
    book = openpyxl.Workbook()
    for line in rows:
        book.active.append(line)  # type: ignore[union-attr]
    held = io.BytesIO()
    book.save(held)
    table = "\n".join(map(";".join, rows)).encode()
    for uploads in ({"mine.csv": b"\xef\xbb\xbf" + table}, {"mine.xlsx": held.getvalue()}):
        found, exchange = judging_files.read_uploads(uploads)
        assert found == "table"
        imported = import_judgments(library, exchange)
        assert [reason for _, reason in imported.unplaced] == [
            "“Ada” is in no document of the library: quote the passage word for word."
        ]
        (judged,) = library.judgments()
        assert (judged.judgment.question, judged.start, judged.end) == (QUESTION, FLIES[0], FLIES[1] - 1)


@pytest.mark.parametrize(
    "uploads", [{"a.zip": b"no archive"}, {"a.txt": b"words"}, {"a.jsonl": b"{"}, {"a.csv": b"x\n"}]
)
def test_files_that_are_no_judgments_are_a_sentence(uploads: dict[str, bytes]) -> None:
    with pytest.raises(SuiteError) as raised:
        judging_files.read_uploads(uploads)
    assert str(raised.value)


def test_a_damaged_archive_is_a_sentence() -> None:
    line = {"id": "1", "question": QUESTION, "gold": []}
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("questions.jsonl", json.dumps(line))
    whole = held.getvalue()
    causes = set()
    for place, value in itertools.product(range(len(whole)), (0, 6, 255)):
        data = bytearray(whole)
        data[place] = value
        try:
            judging_files.read_uploads({"a.zip": bytes(data)})
        except SuiteError as error:  # any other is a defect
            causes.add(type(error.__cause__))
    assert {zlib.error, zipfile.BadZipFile} < causes


def test_an_archive_that_grows_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging_files, "MOST_BYTES", 10_000)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("questions.jsonl", b"0" * 20_000)
    with pytest.raises(SuiteError, match="unpacks to more"):
        judging_files.unpacked({"bomb.zip": held.getvalue()})


def test_the_list_says_how_each_judgment_stands() -> None:
    rows = [
        row(1, "A?", "v", 0, 1),
        row(2, "B?", None, None, None),
        row(3, "C?", "v", 0, 1, lost="a.md is in the trash."),
    ]
    assert [judging_list.standing(each) for each in rows] == ["Held", "Not in the library", "Lost"]
    table = judging_list.table(rows)
    assert table["Now"] == ["held", "nothing answers it", "lost: a.md is in the trash."]
    assert "Expected answer" not in table
    in_a_folder = judging_list.table([replace(rows[0], source="handbook/2024/leave.md")])
    assert in_a_folder["Document"] == ["leave.md"]  # the column is too narrow for a path
    assert [judging_list.matches(each, "A.MD b?") for each in rows] == [False, True, False]


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_question_nothing_answers_is_judged_on_ask_and_taken_back() -> None:
    app = start("ask")
    app.text_input(key=state.QUESTION).set_value("Who paints the boat?")
    press(app, "Ask")
    assert judging_list.NONE_YET in said(app)
    app.button(key="ask.unanswerable").click().run()
    assert judging_list.NOTHING_ANSWERS in said(app)
    app.button(key="ask.answerable").click().run()
    assert judging_list.NONE_YET in said(app)
    assert not app.exception


@pytest.mark.model
def test_the_list_opens_on_ask_and_on_chunks(home: Path) -> None:
    with Library.open(home) as opened:
        version = opened.sources()[0].version_id
        opened.judge(QUESTION, version, *FLIES)
    app = start("ask")
    app.text_input(key=state.QUESTION).set_value(QUESTION)
    press(app, "Ask")
    assert "1 answer marked for this question; 1 is in what the reader gets." in said(app)
    app.button(key="ask.judgments").click().run()
    assert any(
        "Marked answer" in frame.value and list(frame.value["Question"]) == [QUESTION] for frame in app.dataframe
    )
    app = start("chunks")
    press(app, "Judgments")
    assert any("Marked answer" in frame.value for frame in app.dataframe)
    assert not app.exception
