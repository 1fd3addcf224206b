"""What a re-ranker learns from lists: the answering passage rises, a stop changes nothing, word vectors stay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from core.embedding.layer_file import TABLE
from core.embedding.reranker_file import FILE
from core.errors import ModelError
from core.refitting.listwise import LearningModel, ListwiseExample, Plan, train

pytestmark = pytest.mark.model

LISTS = [
    ListwiseExample("What colour is the door?", ("The roof is flat.", "The door is green.", "The path is long.")),
    ListwiseExample(
        "Who keeps the keys?", ("Keys are made of brass.", "The porter keeps them all.", "The gate is shut.")
    ),
]
PLAN = Plan(steps=4, questions=2, passages=3, max_tokens=32, rate=1e-4)


class _StoppedError(Exception):
    """What a person's stop raises."""


def test_what_is_said_to_answer_comes_to_score_highest(tmp_path: Path) -> None:
    before = LearningModel(32, FILE)
    taught = train(replace(PLAN, steps=12), lambda step: LISTS, tmp_path / "checkpoint.pt", FILE)
    for listed in LISTS:
        first, last = (
            model.scores([listed.question] * 3, listed.passages).argmax().item() for model in (before, taught)
        )
        assert (first, last) == (1, 0)


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.refitting.listwise._CHECKPOINT_EVERY", 1)
    whole = train(PLAN, lambda step: LISTS, tmp_path / "whole.pt", FILE)

    def stop(step: int) -> list[ListwiseExample]:
        if step == 2:
            raise _StoppedError
        return LISTS

    path = tmp_path / "parts.pt"
    with pytest.raises(_StoppedError):
        train(PLAN, stop, path, FILE)
    resumed = train(PLAN, lambda step: LISTS, path, FILE)
    for name, value in whole.module.state_dict().items():
        assert torch.equal(value, resumed.module.state_dict()[name]), name
    with pytest.raises(ModelError, match="another plan of training: of other questions, max tokens"):
        train(replace(PLAN, questions=1, max_tokens=16), lambda step: LISTS, path, FILE)


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no weights at all", encoding="utf-8")
    save_file({"classifier.weight": np.zeros((1, 384), np.float16)}, tmp_path / "other.safetensors")
    for name, told in (("notes.txt", "is no re-ranker of Lectern's"), ("other.safetensors", "it is of another model")):
        with pytest.raises(ModelError, match=told):
            LearningModel(32, tmp_path / name)


def test_what_is_read_goes_where_the_weights_are() -> None:
    """On the device that holds shapes alone: whatever is left on the processor shows, or is refused."""
    seen: set[str] = set()

    class Layers(torch.nn.Module):
        """In place of the encoder's, which look into values."""

        def forward(self, **read: torch.Tensor) -> SimpleNamespace:
            seen.update(values.device.type for values in read.values())
            return SimpleNamespace(pooler_output=torch.zeros(len(read["input_ids"]), 384, device="meta"))

    elsewhere = LearningModel(32, FILE)
    elsewhere.module.bert = Layers()
    elsewhere.module.to("meta")
    elsewhere._device = "meta"
    found = elsewhere._outputs([("a question", "short"), ("another, longer question", "a passage of a few words")])
    assert (seen, found.device.type, found.shape) == ({"meta"}, "meta", (2,))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no graphics processor")
def test_on_a_graphics_processor_it_learns_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = train(PLAN, lambda step: LISTS, tmp_path / "there.pt", FILE)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    here = train(PLAN, lambda step: LISTS, tmp_path / "here.pt", FILE)
    questions, passages = ["Who keeps the keys?"] * 3, LISTS[1].passages
    there._device, there._half = "cpu", here._half
    assert here.scores(questions, passages) == pytest.approx(there.scores(questions, passages), abs=0.05)


def test_word_vectors_do_not_learn_and_order_of_pairs_does_not_matter() -> None:
    model = LearningModel(64, FILE)
    assert {name for name, one in model.module.named_parameters() if not one.requires_grad} == {
        name for name, _ in model.module.named_parameters() if name.startswith(TABLE)
    }
    questions, passages = ["a question", "another, longer question"], ["short", "a passage of a few more words"]
    forth = model.scores(questions, passages)
    back = model.scores(questions[::-1], passages[::-1])
    assert forth.shape == (2,)
    assert forth.tolist() == pytest.approx(back[::-1].tolist(), abs=0.05)
