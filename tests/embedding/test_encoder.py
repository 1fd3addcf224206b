"""The encoder hands its model one batch at a time, tells of each, and stops between two."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest

from core.embedding.encoder import SentenceEncoder, load_model
from core.errors import CancelledError
from core.settings import EmbeddingSettings
from core.types import Vectors


class Model:
    """In place of the weights: a text's vector points to its length."""

    device = SimpleNamespace(type="cpu")

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def vectors(self, texts: Sequence[str], **_: Any) -> Vectors:
        self.batches.append(list(texts))
        return np.array([[3 * len(text), 4 * len(text)] for text in texts], dtype=np.float32)

    def states(self, texts: Sequence[str], *, bfloat16: bool) -> NoReturn:
        raise AssertionError("nothing here is pooled")


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def encoder(model: Model) -> SentenceEncoder:
    settings = EmbeddingSettings(precision="float32", batch_size=2)
    return SentenceEncoder(lambda: model, fingerprint="f", dimension=2, max_tokens=9, settings=settings)


def test_each_batch_is_told_of_the_longest_texts_first(model: Model, encoder: SentenceEncoder) -> None:
    told: list[int] = []
    vectors = encoder.encode(["ccc", "a", "eeeee", "dddd", "bb"], told.append)
    assert model.batches == [["eeeee", "dddd"], ["ccc", "bb"], ["a"]]
    assert told == [2, 4, 5]
    np.testing.assert_allclose(vectors, [[0.6, 0.8]] * 5, rtol=1e-6)
    assert encoder.encode([], told.append).shape == (0, 2)


def test_it_stops_between_two_batches(model: Model, encoder: SentenceEncoder) -> None:
    def stop(done: int) -> None:
        raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        encoder.encode(["a", "b", "c", "d"], stop)
    assert len(model.batches) == 1


def test_a_model_reads_three_of_the_same_marks_in_a_row():
    encoder = load_model(EmbeddingSettings()).encoder
    long, short, other = encoder.encode([f"Rates {'.' * 200} 12", "Rates ... 12", "Rates 12"])
    assert float(long @ short) > 0.9999
    assert float(long @ other) < 0.9999


def test_a_model_reads_no_tags_among_words():
    encoder = load_model(EmbeddingSettings()).encoder
    tagged, plain = encoder.encode(
        ['| <a id="x" href="#x">address</a> | Where<br />to listen |', "| address | Where to listen |"]
    )
    assert float(tagged @ plain) > 0.9999
