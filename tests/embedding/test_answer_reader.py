"""Lectern's own reader as it ships: what it marks stands in the passage, each time the same; damage is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file

from core.embedding import answer_reader, reranker_file
from core.embedding.answer_reader import AnswerReader
from core.errors import ModelError

pytestmark = pytest.mark.model

QUESTION = "How long is an access token valid?"
PASSAGES = ["An access token is valid for 3600 seconds.", "The kettle stands in the kitchen.", "", "Tokens. " * 400]


@pytest.fixture(scope="module")
def reader() -> AnswerReader:
    return answer_reader.load()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(max_size=80), min_size=1, max_size=3), st.text(max_size=30), st.text(max_size=20))
def test_what_it_marks_lies_in_the_passage(passages: list[str], question: str, above: str) -> None:
    for passage, marks in zip(
        passages, answer_reader.load().read(question, passages, [above] * len(passages)), strict=True
    ):
        best = marks.best()
        within = marks.best(len(passage) // 2, len(passage))
        if best is None:
            assert within is None
            continue
        assert 0 <= best.start < best.end <= len(passage)
        assert within is None or (len(passage) // 2 <= within.start <= within.end and within.score <= best.score)


def test_the_answer_is_found_and_its_passage_is_the_likeliest(reader: AnswerReader) -> None:
    found = reader.read(QUESTION, PASSAGES)
    spans = [marks.best() for marks in found]
    assert spans[0] is not None
    assert "3600" in PASSAGES[0][spans[0].start : spans[0].end]
    assert spans[0].score == max(span.score for span in spans if span)
    assert spans[2] is None
    again = reader.read(QUESTION, PASSAGES)
    assert [marks.best() for marks in again] == spans
    alone = reader.read(QUESTION, PASSAGES[:1], ["Tokens"])[0].best()
    assert alone is not None
    assert "3600" in PASSAGES[0][alone.start : alone.end]


def test_a_file_that_marks_nothing_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be read.*Restore data/reranker/model\.safetensors"):
        answer_reader.load(tmp_path / "model.safetensors")
    (tmp_path / "mine.safetensors").write_bytes(b"not weights at all")
    with pytest.raises(ModelError, match=r"mine\.safetensors is no re-ranker of Lectern's"):
        answer_reader.load(tmp_path / "mine.safetensors", "")
    # As re-rankers were written before they had this head.
    with safe_open(reranker_file.FILE, "np") as file:
        older = {name: file.get_tensor(name) for name in file.keys() if not name.startswith("qa_outputs")}  # noqa: SIM118
    save_file(older, tmp_path / "older.safetensors")
    with pytest.raises(
        ModelError,
        match=r"older\.safetensors is no re-ranker of Lectern's: it is of another model: it has no qa_outputs",
    ):
        answer_reader.load(tmp_path / "older.safetensors", "")
    module, _ = reranker_file.untrained(seed=1)
    reranker_file.load_into(module, tmp_path / "older.safetensors")
    assert reranker_file.load(tmp_path / "older.safetensors", "").max_seq_length == reranker_file.MAX_TOKENS
