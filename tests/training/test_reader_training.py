"""The command that makes a reader: its loss falls, and it writes the layers that learnt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from core.cli.main import main
from core.embedding.answer_reader import AnswerReader, lay_over, untrained
from core.training.code_pairs import default_pairs
from core.training.span_model import SpanModel

pytestmark = pytest.mark.model

THINGS = ("door", "roof", "gate", "wall", "lamp", "path", "well", "barn", "mill", "shed")
COLOURS = ("green", "red", "blue", "white", "black", "brown", "grey", "pink")


def told(thing: str, at: int, colour: str) -> str:
    return f"House {at} is old. The {thing} of house {at} is {colour}. Nobody lives there."


def write_pairs(path: Path) -> str:
    """Two of each: its colour is asked for, which the passage tells, and its age, which it does not."""
    lines = [
        {
            "source": "s",
            "question": f"What {asked} is the {thing} of house {at}?",
            "positive": told(thing, at, colour),
            "pool": f"s:{thing} {at}",
            "answer": colour,
            "answerable": asked == "colour",
        }
        for thing in THINGS
        for at, colour in enumerate(COLOURS)
        for asked in ("colour", "year")
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_the_command_lowers_the_loss_and_goes_on_to_the_same_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.safetensors"
    command = ["train-reader", write_pairs(tmp_path / "pairs.jsonl"), "--work", str(tmp_path / "work"), "--json"]
    command += ["--out", str(out), "--from-layer", "5", "--questions", "6", "--passages", "2", "--max-tokens", "48"]
    command += ["--steps", "24", "--watched-every", "8", "--rate", "1e-3"]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    losses = [looked["loss"] for looked in said["watched"]]
    assert losses[-1] < 0.7 * losses[0]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["sha256"] == said["sha256"]
    module, tokenizer = untrained(seed=1)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    lay_over(module, out.read_bytes(), out.name)
    changed = {name for name, value in module.state_dict().items() if not torch.equal(before[name], value)}
    assert all(name.startswith(("bert.encoder.layer.5.", "qa_outputs.")) for name in changed)
    assert len(changed) > 10
    reader = AnswerReader(module, tokenizer)
    for thing in ("window", "chimney"):  # of neither was anything read
        asked = [f"What {what} is the {thing} of house 9?" for what in ("colour", "year")]
        colour, year = (reader.read(one, [told(thing, 9, "yellow")])[0].best() for one in asked)
        assert colour is not None
        assert year is not None
        assert colour.score > year.score + 1


def test_pairs_without_an_answer_in_their_passage_teach_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"source": "s", "question": "Who?", "positive": "They.", "pool": "s:a"}), "utf-8")
    command = ["train-reader", str(pairs), "--work", str(tmp_path / "work"), "--out", str(tmp_path / "out")]
    assert main(command) == 2
    assert "No pair to train on has an answer that stands in its passage." in capsys.readouterr().err


def test_an_answer_that_was_cut_off_teaches_nothing() -> None:
    model = SpanModel(6, max_tokens=16, seed=0)
    question, cut = "Where does he live?", "He lives in a very long street of houses with many trees in Rome."
    ((_, begins, ends, _),) = model._batches([(question, cut, "Rome")])
    assert begins.all()
    assert ends.all()
    ((_, begins, ends, _),) = model._batches([(question, "In Rome.", "Rome")])
    assert begins[0].nonzero().tolist() == ends[0].nonzero().tolist() == [[8]]


def test_what_an_argument_is_by_default_is_asked_of_functions(tmp_path: Path) -> None:
    (tmp_path / "boxes.py").write_text("def pack(items, width=72, *, deep=False):\n    return items, width\n")
    found = {(pair.question, pair.answer) for pair in default_pairs(tmp_path)}
    assert {answer for _, answer in found} == {"72", "False"}
    assert all("pack" in question for question, _ in found)
