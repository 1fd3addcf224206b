"""The log of questions: kept while it is on, without a trace while it is off."""

from __future__ import annotations

import hashlib
from pathlib import Path

from core.storage.catalogue.question_log import LoggedQuestion, QuestionLog
from core.storage.store import Store

ASKED = LoggedQuestion("Where is the key?", 81.5, 0.72, True, 0.43, ("b", "a"), "2026-03-02T08:00:00+00:00")


def files_of(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith("-shm")  # SQLite's readers mark their place in it
    }


def test_what_is_noted_comes_back_in_its_order_and_is_forgotten(tmp_path: Path) -> None:
    written = LoggedQuestion("Who has it?", 12.0, None, None, None, (), "2026-03-09T08:00:00+00:00")
    with Store.open(tmp_path, write=True) as store:
        log = QuestionLog(store)
        for asked in (ASKED, written, ASKED):
            log.note(asked)
    with Store.open(tmp_path, write=True) as store:
        log = QuestionLog(store)
        assert log.since("") == [ASKED, written, ASKED]
        assert log.since("2026-03-03") == [written]
        assert log.latest(5) == ["Where is the key?", "Who has it?"]
        log.forget()
        assert log.since("") == []
        assert log.latest(5) == []


def test_off_no_byte_is_written(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        log = QuestionLog(store)
        log.switch(False)
        before = files_of(tmp_path)
        log.note(ASKED)
        assert files_of(tmp_path) == before
        assert log.since("") == []
        log.switch(True)
        log.note(ASKED)
        assert log.since("") == [ASKED]


def test_a_reader_beside_the_writer_reads_it_and_notes_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        QuestionLog(store).note(ASKED)
        with Store.open(tmp_path, write=False) as beside:
            QuestionLog(beside).note(ASKED)
            assert QuestionLog(beside).since("") == [ASKED]
