"""Lectern's own re-ranker as it ships: loaded whole or not at all, the same as in training, and told of by its card."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.reranker_card import dials_in_words
from core.embedding import answer_reader, packaged, reranker_file
from core.embedding.answer_reader import AnswerReader
from core.errors import ModelError
from core.refitting.listwise import LearningModel
from core.search.ranking.rerankers import load_reranker
from core.search.ranking.reranking import Readings, probabilities
from core.settings import PACKAGED_RERANKER, RerankingSettings
from tests.conftest import ROOT

PLACE = ROOT / "data" / "reranker"
SUITES = ["code", "chroma", "covidqa", "scifact", "qmsum"]
QUESTION = "How long is an access token valid?"
PASSAGES = [
    "An access token is valid for 3600 seconds.",
    "The kettle stands in the kitchen on the second floor.",
    "",
    "Tokens. " * 400,
    "Ask anew before it ends.",
]


@pytest.fixture(scope="module")
def exact() -> AnswerReader:
    loaded = load_reranker(RerankingSettings(PACKAGED_RERANKER, precision="float32"))
    assert isinstance(loaded, AnswerReader)
    return loaded


@pytest.fixture(scope="module")
def trained() -> LearningModel:
    """As training has the weights, at the precision it computes in."""
    return LearningModel(reranker_file.MAX_TOKENS, reranker_file.FILE)


@pytest.mark.model
def test_scores_are_numbers_and_the_same_every_time(exact: AnswerReader) -> None:
    found = exact.score(QUESTION, PASSAGES)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert found.tolist() == exact.score(QUESTION, PASSAGES).tolist()
    again = load_reranker(RerankingSettings(PACKAGED_RERANKER, precision="float32"))
    assert found.tolist() == again.score(QUESTION, PASSAGES).tolist()
    assert exact.max_tokens == reranker_file.MAX_TOKENS


@pytest.mark.model
def test_it_says_what_the_model_said_in_training(
    exact: AnswerReader, trained: LearningModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = load_reranker(RerankingSettings(PACKAGED_RERANKER))
    then = trained.scores([QUESTION] * len(PASSAGES), PASSAGES)
    spread = 1 + float(np.abs(then).max())
    np.testing.assert_allclose(half.score(QUESTION, PASSAGES), then, atol=0.02 * spread)
    np.testing.assert_allclose(exact.score(QUESTION, PASSAGES), then, atol=0.05 * spread)  # half precision aside
    monkeypatch.setattr(trained, "_half", False)
    then = trained.scores([QUESTION] * len(PASSAGES), PASSAGES)
    np.testing.assert_allclose(exact.score(QUESTION, PASSAGES), then, atol=1e-4)


@pytest.mark.model
def test_no_weight_is_left_as_chance_made_it(trained: LearningModel) -> None:
    """The head that the library makes anew is replaced, and the embedding table is the packaged one."""
    import torch
    from safetensors import safe_open

    made = reranker_file.load()[0].model.state_dict()
    learnt = {name: value for name, value in trained.module.state_dict().items() if not name.startswith("qa_outputs")}
    assert made.keys() == learnt.keys()
    for name, value in learnt.items():
        assert torch.equal(made[name], value), name
    with safe_open(packaged.model_directory() / "model.safetensors", "pt") as file:
        table = file.get_tensor("embeddings.word_embeddings.weight")
    assert torch.equal(made["bert.embeddings.word_embeddings.weight"], table)


@pytest.mark.model
def test_loading_draws_no_random_number_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    import torch
    from transformers.utils import logging

    before, level = torch.random.get_rng_state(), logging.get_verbosity()
    reranker_file.load()
    assert torch.equal(before, torch.random.get_rng_state())
    assert logging.get_verbosity() == level
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_missing_or_another_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be read: No such file.*Restore data/reranker/model\.safetensors"):
        reranker_file.load(tmp_path / "model.safetensors")
    changed = bytearray(reranker_file.FILE.read_bytes())
    changed[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(changed)
    with pytest.raises(ModelError, match=rf"not the original: its SHA-256 is .* expected {reranker_file.SHA256[:16]}"):
        reranker_file.load(tmp_path / "model.safetensors")


@pytest.mark.model
@pytest.mark.parametrize("written", [b"not weights at all", None], ids=["no weights", "other weights"])
def test_a_file_of_another_layout_gets_a_sentence(tmp_path: Path, written: bytes | None) -> None:
    path = tmp_path / "mine.safetensors"
    if written is None:
        from safetensors.numpy import save_file

        save_file({"classifier.weight": np.zeros((1, 384), np.float16)}, path)
    else:
        path.write_bytes(written)
    with pytest.raises(ModelError, match=r"mine\.safetensors is no re-ranker of Lectern's"):
        reranker_file.load(path, "")


def test_a_file_that_is_gone_is_told_by_the_stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answer_reader.load.cache_clear()
    monkeypatch.setattr(answer_reader.load.__wrapped__, "__defaults__", (tmp_path / "gone", reranker_file.SHA256))
    with pytest.raises(ModelError, match=r"own re-ranker cannot be read.*set reranking\.model to"):
        load_reranker(RerankingSettings(PACKAGED_RERANKER))


def test_only_of_ones_own_is_it_known_what_a_score_means() -> None:
    readings = Readings(np.array([2.0, np.nan, -3.0, 2.5]))
    likely = probabilities(readings, RerankingSettings(PACKAGED_RERANKER))
    assert likely is not None
    assert np.isnan(likely).tolist() == [False, True, False, False]
    assert 0 <= likely[2] < likely[0] < likely[3] <= 1
    assert probabilities(readings, RerankingSettings("another/model")) is None


# What is told of it.


def figures() -> dict[str, Any]:
    return json.loads((PLACE / "figures.json").read_text(encoding="utf-8"))


def card() -> str:
    return (PLACE / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_the_file_is_the_one_that_code_card_and_figures_name() -> None:
    data = reranker_file.FILE.read_bytes()
    assert hashlib.sha256(data).hexdigest() == reranker_file.SHA256 == figures()["sha256"]
    assert f"`{reranker_file.SHA256}`" in card()
    assert len(data) == figures()["bytes"] <= 25_000_000
    assert f"{len(data):,} bytes" in card()


def test_git_takes_the_file_for_no_text() -> None:
    lines = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert "*.safetensors binary" in lines


def test_the_card_tells_the_calibration_and_the_length_of_the_code() -> None:
    calibration = reranker_file.CALIBRATION
    assert figures()["calibration"] == {"slope": calibration.slope, "intercept": calibration.intercept}
    assert f"slope {calibration.slope} and intercept {calibration.intercept} " in card()
    assert f"{figures()['max_tokens']} word pieces" in card()
    assert figures()["max_tokens"] == reranker_file.MAX_TOKENS
    assert calibration.slope > 0


def test_the_card_shows_the_preset_it_was_measured_with() -> None:
    from core.settings import PRESETS

    told, careful = figures()["measured_with"], PRESETS["careful"].reranking
    context = PRESETS["careful"].assembly.unit
    assert told == {
        "preset": "careful",
        "candidates": careful.candidates,
        "blend": careful.blend,
        "neighbour_share": careful.neighbour_share,
        "context": context,
    }
    assert f"contexts of {context}" in card()
    assert f"({dials_in_words(careful)})" in card()
    assert careful.model == PACKAGED_RERANKER


@pytest.mark.parametrize("suite", SUITES)
def test_the_card_shows_the_figures_of_every_suite(suite: str) -> None:
    """Figures of a suite are lists in the order of the budgets."""
    row = re.search(rf"^\| {re.escape(suite)} \| (.+) \| (.+) \| (.+) \|$", card(), re.MULTILINE)
    assert row is not None
    found = figures()["suites"][suite]
    assert row[1] == str(found["questions"])
    for shown, values in zip(row.groups()[1:], (found["quick"], found["careful"]), strict=True):
        assert len(values) == 4
        assert shown == " / ".join(f"{value:.1f}" for value in values)


def test_the_card_names_every_source_that_training_reads() -> None:
    from benchmarks.reranker.run import MOST

    assert [name for name in MOST if f"{name}" not in card()] == []
