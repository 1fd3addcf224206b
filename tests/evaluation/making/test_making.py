"""Questions made of a library: checked against all of it, spread, repeatable, and known as made wherever they go."""

from __future__ import annotations

import pytest

from core.errors import CancelledError
from core.evaluation.exchange import FORMATS, ours
from core.evaluation.exchange.importing import import_judgments
from core.evaluation.exchange.judged import by_origin, judged_questions, with_texts, write_judged_suite
from core.evaluation.exchange.values import read_files, write_files
from core.evaluation.making import making
from core.evaluation.making.making import keep, leave_out, make_questions, take_back
from core.evaluation.making.suggesting import suggested_questions
from core.evaluation.suites import load_suite
from core.library import Incoming, Library
from core.search.answer.line import packaged_reader
from tests.evaluation.making.test_drafts import CODE, MANUAL
from tests.fast_encoder import FastEncoder

OTHER = """# Pumps

A pump is a machine that lifts water. Pumps are greased every month. Valves are opened by turning the wheel.

A gauge is a rod that shows the level.
"""


@pytest.fixture
def filled(library: Library, tmp_path):
    for name, text in (("manual.md", MANUAL), ("gauge.py", CODE), ("pumps.md", OTHER)):
        path = tmp_path / name
        path.write_text(text)
        assert library.ingest([Incoming(name, path)]).failures == ()
    return library


def test_every_gold_is_verbatim_in_its_document_and_no_question_holds_its_answer(filled: Library) -> None:
    made = make_questions(filled, 100)
    assert len(made) > 12
    for item in made:
        for place in item.gold:
            assert filled.document(place.version_id).text[place.span.start : place.span.end] == item.quote
        assert item.answer.casefold().rstrip(".") not in item.question.casefold()
        assert 0 <= item.overlap <= 1


def test_the_same_seed_makes_the_same_and_another_others(filled: Library) -> None:
    assert make_questions(filled, 8, seed=3) == make_questions(filled, 8, seed=3)
    assert make_questions(filled, 8, seed=3) != make_questions(filled, 8, seed=4)


def test_questions_are_spread_over_documents_and_kinds(filled: Library) -> None:
    made = make_questions(filled, 6)
    assert {item.document for item in made} == {"manual.md", "gauge.py", "pumps.md"}
    assert len({item.kind for item in made}) >= 3


def test_an_answer_that_stands_in_two_documents_has_both_as_gold(filled: Library) -> None:
    made = {item.question: item for item in make_questions(filled, 100)}
    (gauge,) = [item for item in made.values() if item.answer == "a rod that shows the level"]
    assert len({place.version_id for place in gauge.gold}) == 2
    (pump,) = [item for item in made.values() if item.answer == "a machine that lifts water"]
    assert len(pump.gold) == 1


def test_a_cell_that_another_file_of_the_same_columns_has_too_is_not_asked_for(library: Library, tmp_path) -> None:
    for name, rows in (("2023.csv", "Alton,12\nBrill,15\n"), ("2024.csv", "Alton,18\nCorby,21\n")):
        (tmp_path / name).write_text(f"Town,Boats repaired\n{rows}")
        assert library.ingest([Incoming(name, tmp_path / name)]).failures == ()
    assert {item.question: item.answer for item in make_questions(library, 20)} == {
        "What are the boats repaired for Brill?": "15",
        "What are the boats repaired for Corby?": "21",
    }


def test_what_was_judged_or_dropped_is_not_made_again(filled: Library) -> None:
    first, second, *_ = make_questions(filled, 5)
    keep(filled, [first])
    leave_out(filled, second.question)
    again = {item.question for item in make_questions(filled, 100)}
    assert not {first.question, second.question} & again
    take_back(filled, second.question)
    once_more = [wording for item in make_questions(filled, 100) for wording in (item.question, *item.others)]
    assert second.question in once_more


def test_it_can_be_stopped_before_a_document_is_read_and_then_nothing_is_kept(filled: Library, monkeypatch) -> None:
    def stop(done: int, count: int) -> None:
        raise CancelledError("This was stopped.")

    monkeypatch.setattr(making, "drafts_of", lambda *given: pytest.fail("a document was read first"))
    with pytest.raises(CancelledError):
        make_questions(filled, 5, watch=stop)
    assert filled.judgments() == []


def test_made_questions_stay_known_as_made_through_listing_export_and_import(filled: Library, tmp_path) -> None:
    made = make_questions(filled, 4)
    keep(filled, made)
    version = filled.judgments()[0].version_id
    filled.judge("Which knob is it?", version, 0, 9)
    assert [row.judgment.origin for row in filled.judgments()].count("synthetic") == sum(
        len(item.gold) for item in made
    )
    form, folder = FORMATS["ours"], tmp_path / "out"
    write_files(ours.write(with_texts(filled, judged_questions(filled))), folder)
    with Library.open(tmp_path / "other", encoder=FastEncoder()) as other:
        for name in ("manual.md", "gauge.py", "pumps.md"):
            other.ingest([Incoming(name, tmp_path / name)])
        import_judgments(other, form.read(read_files(form, folder)))
        origins = {row.judgment.question: row.judgment.origin for row in other.judgments()}
    assert origins == {**{item.question: "synthetic" for item in made}, "Which knob is it?": "imported"}


def test_a_suite_tells_the_origins_apart_and_can_be_of_one_alone(filled: Library, tmp_path) -> None:
    made = make_questions(filled, 3)
    keep(filled, made)
    filled.judge("Which knob is it?", filled.judgments()[0].version_id, 0, 9)
    suite = load_suite(write_judged_suite(filled, tmp_path / "both"))
    assert by_origin(question.kind for question in suite.questions) == "1 by hand, 3 by a program"
    alone = load_suite(write_judged_suite(filled, tmp_path / "alone", ("human",)))
    assert [question.question for question in alone.questions] == ["Which knob is it?"]


def test_a_few_questions_are_suggested_and_remembered(filled: Library) -> None:
    suggested = suggested_questions(filled, 3)
    assert len(set(suggested)) == 3
    assert suggested_questions(filled, 3) is suggested
    filled.trash([row.id for row in filled.sources()])
    assert suggested_questions(filled, 3) == ()


def test_nothing_is_suggested_of_tables_whatever_kind_of_document_has_them(library: Library, tmp_path, monkeypatch):
    monkeypatch.setattr("core.evaluation.making.suggesting.SECONDS", 60.0)  # every document is read
    rows = "".join(f"Plan {number},{100 * number}\n" for number in range(1, 60))
    for name, text in (("plans.csv", f"Plan,Events per batch\n{rows}"), ("pumps.md", OTHER)):
        (tmp_path / name).write_text(text)
        assert library.ingest([Incoming(name, path=tmp_path / name)]).failures == ()
    suggested = suggested_questions(library)
    assert suggested
    assert not any("batch" in question for question in suggested)


@pytest.mark.model
def test_a_question_that_another_passage_answers_too_is_dropped(tmp_path) -> None:
    texts = {
        "policy.md": "# Backups policy\n\nBackups are kept for 35 days. The restore drill is held every month.\n",
        "guide.md": "# Backups guide\n\nEvery night they are written. All backups are kept for 90 days on the disks.\n",
        "pumps.md": "# Pumps\n\nPumps are greased every month. Pumps are painted green.\n",
    }
    asked = []
    for names in (("policy.md", "pumps.md"), tuple(texts)):
        with Library.open(tmp_path / "-".join(names)) as library:
            assert library.searcher.reader is packaged_reader
            for name in names:
                (tmp_path / name).write_text(texts[name])
                library.ingest([Incoming(name, tmp_path / name)])
            asked.append({item.answer for item in make_questions(library, 20)})
    assert "35 days" in asked[0]
    assert "35 days" not in asked[1]
