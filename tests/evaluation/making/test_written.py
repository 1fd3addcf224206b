"""Questions that a language model writes: kept where their passage answers, or where nothing in the library does."""

from __future__ import annotations

import json

import pytest

from core.errors import ModelError
from core.evaluation.making import written
from core.evaluation.making.making import keep, make_questions
from core.library import Incoming
from core.search.answer.scoring import Mark
from core.types import Span
from tests.scripted_writer import Answering, Scripted

# By what a passage says: the question, its answer, the altered question, and what is answered when it is asked again.
BACKUPS = (
    "Backups are kept for 35 days. They lie in the cellar of the old mill, where it is cool in summer and dry in "
    "winter, and where nobody goes."
)
WRITES = {
    BACKUPS: ("How long can lost files be restored?", "35 days", "How long are letters stored?", "35 days"),
    "The pump lifts water": (
        "Is it so that the pump lifts water and nobody knows?",
        "water",
        "Who sold the pump?",
        "water",
    ),
    "The gauge shows a level": ("What does one see at the gauge?", "a mark", "Who made the gauge?", "a mark"),
    "The valve has a wheel": ("What turns to open the valve?", "a wheel", "Who paints the valve?", "a lever"),
    "The engine burns oil": ("What feeds the engine?", "oil", "When was the engine bought?", "oil"),
}
PADDING = " and nobody who works there, or ever worked there, has thought of it in any other way than that for years."


def said(prompt: str) -> str:
    start, (question, answer, altered, back) = next(item for item in WRITES.items() if item[0] in prompt)
    if "Write three things" in prompt:
        return f"Here: {json.dumps([question, answer, altered])}" if "engine" not in start else "I would rather not."
    return json.dumps([] if altered in prompt else [back])


@pytest.fixture
def filled(library, tmp_path):
    text = "\n\n".join(start if start == BACKUPS else start + PADDING for start in WRITES)
    (tmp_path / "notes.md").write_text(f"# Notes\n\n{text}\n")
    assert library.ingest([Incoming("notes.md", tmp_path / "notes.md")]).failures == ()
    return library


class Marks:
    worth = 0.0

    def __init__(self, score: float) -> None:
        self.score = score

    def best(self, start: int = 0, end: int | None = None) -> Mark:
        return Mark(self.score, Span(0, 1))


def test_a_question_stays_where_its_answer_comes_back_from_its_passage(filled, monkeypatch) -> None:
    monkeypatch.setattr(written, "_UNANSWERED_EVERY", 99)
    model = Answering(said)
    (made,) = make_questions(filled, 9, ask=model.complete)
    assert (made.question, made.answer, made.kind) == ("How long can lost files be restored?", "35 days", "written")
    assert made.quote == "Backups are kept for 35 days."
    (place,) = made.gold
    assert filled.document(place.version_id).text[place.span.start : place.span.end] == made.quote
    # Five passages; asked again were all whose questions could be used: one was copied, one answered by no words of
    # its passage, one was no answer at all.
    assert sum("Write three things" in prompt for prompt in model.prompts) == 5
    assert sum("Answer the question" in prompt for prompt in model.prompts) == 3


def test_what_is_altered_stays_where_no_passage_answers_and_is_judged_so(filled, monkeypatch) -> None:
    monkeypatch.setattr(written, "_UNANSWERED_EVERY", 1)
    monkeypatch.setattr(filled.searcher, "reader", lambda question, texts, above: [Marks(-5.0) for _ in texts])
    made = make_questions(filled, 9, ask=Answering(said).complete)
    assert {item.question for item in made} == {altered for _, _, altered, _ in list(WRITES.values())[:4]}
    assert {item.kind for item in made} == {"unanswered"}
    keep(filled, made)
    assert all(row.unanswerable and row.judgment.origin == "synthetic" for row in filled.judgments())
    assert make_questions(filled, 9, ask=Answering(said).complete) == []
    filled.remove_judgments([row.id for row in filled.judgments()])
    monkeypatch.setattr(filled.searcher, "reader", lambda question, texts, above: [Marks(5.0) for _ in texts])
    assert make_questions(filled, 9, ask=Answering(said).complete) == [], "something answers"


def test_where_the_model_fails_what_was_made_is_kept_and_its_error_told_where_that_is_nothing(
    filled, monkeypatch
) -> None:
    monkeypatch.setattr(written, "_UNANSWERED_EVERY", 99)
    with pytest.raises(ModelError, match="Nothing answers"):
        make_questions(filled, 9, ask=Scripted(ModelError("Nothing answers there.")).complete)
    calls = []

    def once(prompt: str) -> str:
        calls.append(prompt)
        if BACKUPS not in prompt and any(BACKUPS in before for before in calls):
            raise ModelError("Nothing answers there.")
        return said(prompt)

    assert [item.answer for item in make_questions(filled, 9, ask=once)] == ["35 days"]
