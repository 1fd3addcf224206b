"""The command that makes a re-ranker, from pairs to the file: its loss falls, and a stop changes nothing."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from benchmarks.reranker.__main__ import main
from benchmarks.reranker.pairs import Pair, folder_pairs
from benchmarks.reranker.run import train_on
from core.embedding.reranker_file import FILE, lay_over, untrained
from core.errors import LecternError, ModelError
from core.training import loop, model
from core.training.loop import Plan, TrainingProgress, train
from core.training.model import LearningModel, ListwiseExample, fastest
from tests.conftest import ROOT
from tests.fast_encoder import FastEncoder

pytestmark = pytest.mark.model

SAMPLES = ROOT / "data" / "samples" / "documents"
SMALL = ("--questions", "4", "--passages", "3", "--max-tokens", "48", "--watched-every", "8", "--rate", "1e-4")


def some(tmp_path: Path, count: int) -> Path:
    """Pairs made of the samples, as a file of pairs."""
    path = tmp_path / "pairs.jsonl"
    chosen = folder_pairs(SAMPLES)[:: 400 // count][:count]
    assert len(chosen) == count
    lines = (
        {"source": one.source, "question": one.question, "positive": one.positive, "pool": one.pool} for one in chosen
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.long
def test_on_pairs_of_the_samples_the_command_lowers_the_loss(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [str(some(tmp_path, 200)), "--work", str(tmp_path / "work")]
    command += ["--out", str(tmp_path / "model.safetensors"), "--begin-from", str(FILE), "--steps", "50"]
    command += [*SMALL, "--questions", "8", "--watched-every", "25", "--json"]
    assert main(command) == 0
    first, last = (looked["loss"] for looked in json.loads(capsys.readouterr().out)["watched"])
    assert last < 0.9 * first


def test_on_pairs_of_the_samples_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "made" / "model.safetensors"
    command = [str(some(tmp_path, 50)), "--work", str(tmp_path / "work"), "--out", str(out)]
    # The shipped weights are taught further: a new head takes hundreds of steps before it says anything.
    command += ["--begin-from", str(FILE), *SMALL, "--steps", "4", "--watched-every", "2", "--patience", "9", "--json"]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["plan"]["patience"] == 9
    losses = [looked["loss"] for looked in said["watched"]]
    assert said["pairs"] == 50
    assert [looked["step"] for looked in said["watched"]] == [2, 4]
    assert len(set(losses)) == 2, "what it has learnt changes what it says"
    assert out.stat().st_size == said["bytes"] < 25e6
    # The same command again has nothing left to do, and makes the same file.
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["sha256"] == said["sha256"]
    module, _ = untrained(seed=1)
    before = module.classifier.weight.clone()
    lay_over(module, out)
    assert not torch.equal(before, module.classifier.weight)


LISTS = [
    ListwiseExample("What colour is the door?", ("The door is green.", "The roof is flat.", "The path is long.")),
    ListwiseExample(
        "Who keeps the keys?", ("The porter keeps them all.", "Keys are made of brass.", "The gate is shut.")
    ),
]
PLAN = Plan(steps=4, questions=2, passages=3, max_tokens=32, watched_every=2)


class _StoppedError(Exception):
    """What a person's stop raises."""


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = train(PLAN, lambda step: LISTS, [], tmp_path / "whole" / "checkpoint.pt", keep_every=1)

    def stop(step: int) -> list[ListwiseExample]:
        if step == 2:
            raise _StoppedError
        return LISTS

    path = tmp_path / "parts" / "checkpoint.pt"
    with pytest.raises(_StoppedError):
        train(PLAN, stop, [], path, keep_every=1)
    resumed = train(PLAN, lambda step: LISTS, [], path, keep_every=1)
    for name, value in whole.module.state_dict().items():
        assert torch.equal(value, resumed.module.state_dict()[name]), name
    with pytest.raises(ModelError, match="another plan of training: of other questions, passages, max tokens"):
        train(Plan(steps=4, questions=1), lambda step: LISTS, [], path)


def test_a_folder_of_other_pairs_or_other_weights_is_refused_and_its_best_look_is_nobody_elses(tmp_path: Path) -> None:
    path, short = tmp_path / "checkpoint.pt", replace(PLAN, steps=1, watched_every=1)
    train(short, lambda step: LISTS, LISTS, path, learnt_from="one")
    with pytest.raises(ModelError, match="of other pairs"):
        train(short, lambda step: LISTS, LISTS, path, learnt_from="other")
    with pytest.raises(ModelError, match="of other weights to begin from"):
        train(short, lambda step: LISTS, LISTS, path, begin_from=FILE, learnt_from="one")
    path.unlink()
    anew = train(short, lambda step: LISTS, [], path, begin_from=FILE)
    whole = train(short, lambda step: LISTS, [], tmp_path / "beside" / "checkpoint.pt", begin_from=FILE)
    for name, value in whole.module.state_dict().items():
        assert torch.equal(value, anew.module.state_dict()[name]), name


REFUSED = {
    "no questions": (["--questions", "0"], "questions is 0. Give a whole number from 1 on."),
    "one passage": (["--passages", "1"], "passages is 1. Give a whole number from 2 on."),
    "no steps": (["--steps", "0"], "steps is 0."),
    "no looks": (["--watched-every", "0"], "watched-every is 0."),
    "too long": (["--max-tokens", "513"], "max-tokens is 513. Give a whole number from 16 to 512."),
    "no rate": (["--rate", "nan"], "rate is nan."),
    "no folder": (["--sources", "none/here"], "There is no folder none/here."),
    "no weights": (["--begin-from", "{notes}"], "notes.txt is no re-ranker of Lectern's: "),
    "other weights": (["--begin-from", "{other}"], "other.safetensors is no re-ranker of Lectern's: it is of another"),
}


def write_pairs(path: Path, pairs: list[Pair]) -> str:
    path.write_text("".join(json.dumps(asdict(pair)) + "\n" for pair in pairs), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_learnt_is_a_sentence_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    given, told = REFUSED[case]
    (tmp_path / "notes.txt").write_text("no weights at all", encoding="utf-8")
    save_file({"classifier.weight": np.zeros((1, 384), np.float16)}, tmp_path / "other.safetensors")
    places = {"notes": tmp_path / "notes.txt", "other": tmp_path / "other.safetensors"}
    out, pairs = tmp_path / "out.safetensors", [Pair("s", "Who?", "They did it.", f"s:{at}") for at in range(9)]
    command = [write_pairs(tmp_path / "pairs.jsonl", pairs), "--work", str(tmp_path / "work")]
    assert main([*command, "--out", str(out), *(part.format(**places) for part in given)]) == 2
    assert told in capsys.readouterr().err
    assert not out.exists()


def test_pairs_that_teach_nothing_are_a_sentence(tmp_path: Path) -> None:
    many = [Pair("s", f"Question {at}?", f"Passage {at}.", f"s:{at}") for at in range(300)]
    held_out = [pair for pair in many if pair.held_out]
    assert held_out
    same = [Pair("s", pair.question, "The only passage.", pair.pool) for pair in many if not pair.held_out]
    for pairs, told in ((held_out, "are held out, and none trains"), (same, "none has another passage")):
        with pytest.raises(LecternError, match=told):
            train_on(pairs, PLAN, tmp_path / "work", tmp_path / "out.safetensors", FastEncoder())
    assert not (tmp_path / "out.safetensors").exists()


def test_one_folder_holds_one_run(tmp_path: Path) -> None:
    pairs = [Pair("s", f"Who built house {at}?", f"House {at} was built by hand.", f"s:{at}") for at in range(40)]
    plan, out = replace(PLAN, steps=1), tmp_path / "out.safetensors"

    def made(some: list[Pair], begin_from: Path | None = None) -> bytes:
        train_on(some, plan, tmp_path / "work", out, FastEncoder(), begin_from)
        return out.read_bytes()

    first = made(pairs)
    assert made(pairs) == first
    with pytest.raises(ModelError, match="of other pairs"):
        made(pairs[:-1])
    with pytest.raises(ModelError, match="of other weights to begin from"):
        made(pairs, FILE)
    assert out.read_bytes() == first


def test_what_the_best_look_saw_is_made_and_patience_ends_a_run(tmp_path: Path) -> None:
    seen: list[TrainingProgress] = []
    hard = [
        ListwiseExample(one.question, one.passages[::-1]) for one in LISTS
    ]  # the more is learnt, the worse it looks
    plan = Plan(steps=60, questions=2, passages=3, max_tokens=32, watched_every=3, patience=2, rate=3e-4)
    made = train(plan, lambda step: LISTS, hard, tmp_path / "checkpoint.pt", seen.append)
    assert seen[-1].step < 60
    assert made.quality(hard) == max(looked.quality for looked in seen)


def test_it_learns_on_what_torch_sees_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seen, device in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda seen=seen: seen)
        assert fastest() == device
    moves: list[str] = []
    moved = LearningModel.to

    def to(self: LearningModel, device: str) -> None:
        moves.append(device)
        moved(self, "cpu" if device == "cuda" else device)

    monkeypatch.setattr(LearningModel, "to", to)
    monkeypatch.setattr(loop, "fastest", lambda: "cuda")
    made = train(replace(PLAN, steps=1), lambda step: LISTS, [], tmp_path / "checkpoint.pt")
    assert moves == ["cpu", "cuda", "cpu"]
    assert {value.device.type for value in made.module.state_dict().values()} == {"cpu"}


def test_what_is_read_goes_where_the_weights_are() -> None:
    """On the device that holds shapes alone: whatever is left on the processor shows, or is refused."""
    seen: set[str] = set()

    class Layers(torch.nn.Module):
        """In place of the encoder's, which look into values."""

        def forward(self, **read: torch.Tensor) -> SimpleNamespace:
            seen.update(values.device.type for values in read.values())
            size = (*read["input_ids"].shape, 384)
            states = torch.zeros(size, device="meta", requires_grad=True)
            return SimpleNamespace(pooler_output=states[:, 0], last_hidden_state=states)

    elsewhere = LearningModel(32, seed=0)
    elsewhere.module.bert = Layers()
    elsewhere.to("meta")
    found = elsewhere.outputs(["a question", "another, longer question"], ["short", "a passage of a few words"])
    assert (seen, found.device.type, found.shape) == ({"meta"}, "meta", (2,))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no graphics processor")
def test_on_a_graphics_processor_it_learns_the_same_and_its_checkpoint_goes_on_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "wants_bfloat16", lambda precision, device: False)
    there = train(PLAN, lambda step: LISTS, LISTS, tmp_path / "there.pt")
    longer = replace(PLAN, steps=6)
    monkeypatch.setattr(loop, "fastest", lambda: "cpu")
    here = train(PLAN, lambda step: LISTS, LISTS, tmp_path / "here.pt")
    questions, passages = ["Who keeps the keys?"] * 3, LISTS[1].passages
    assert here.scores(questions, passages) == pytest.approx(there.scores(questions, passages), abs=0.02)
    train(longer, lambda step: LISTS, LISTS, tmp_path / "there.pt")
    monkeypatch.undo()
    train(longer, lambda step: LISTS, LISTS, tmp_path / "here.pt")


def test_word_vectors_do_not_learn_and_order_of_pairs_does_not_matter() -> None:
    model = LearningModel(64, seed=0)
    names = {name for name, one in model.module.named_parameters() if one.requires_grad}
    assert len(model.learnable()) < len(names)
    questions, passages = ["a question", "another, longer question"], ["short", "a passage of a few more words"]
    forth = model.scores(questions, passages)
    back = model.scores(questions[::-1], passages[::-1])
    assert forth.shape == (2,)
    assert forth.tolist() == pytest.approx(back[::-1].tolist(), abs=1e-4)
