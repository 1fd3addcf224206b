"""Lectern's own reader as it ships: what it marks stands in the passage, each time the same; damage is a sentence."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding import answer_reader
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


def test_a_file_that_is_missing_or_damaged_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"own reader cannot be read.*Restore data/reader/model\.safetensors"):
        answer_reader.load(tmp_path / "model.safetensors")
    data = bytearray(answer_reader.FILE.read_bytes())
    data[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(ModelError, match=r"own reader is not the original: its SHA-256 is"):
        answer_reader.load(tmp_path / "model.safetensors")
    (tmp_path / "mine.safetensors").write_bytes(b"not weights at all")
    with pytest.raises(ModelError, match=r"mine\.safetensors is no reader of Lectern's"):
        answer_reader.load(tmp_path / "mine.safetensors", "")


def test_the_card_tells_of_the_file() -> None:
    data = answer_reader.FILE.read_bytes()
    card = answer_reader.FILE.with_name("MODEL_CARD.md").read_text(encoding="utf-8")
    assert hashlib.sha256(data).hexdigest() == answer_reader.SHA256
    assert f"`{answer_reader.SHA256}`" in card
    assert f"{len(data):,} bytes" in card
    assert len(data) < 12_000_000
