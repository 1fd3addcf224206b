"""What the command teaches beside the order: where an answer stands, and that there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks.reranker.__main__ import main
from benchmarks.reranker.code_pairs import default_pairs
from core.embedding import answer_reader
from core.embedding.reranker_file import FILE
from core.training.model import LearningModel, ListwiseExample, _places

pytestmark = pytest.mark.model

THINGS = ("door", "roof", "gate", "wall", "lamp", "path", "well", "barn", "mill", "shed")
COLOURS = ("green", "red", "blue", "white", "black", "brown", "grey", "pink")


def told(thing: str, at: int, colour: str) -> str:
    return f"House {at} is old. The {thing} of house {at} is {colour}. Nobody lives there."


def write_pairs(path: Path) -> str:
    """Of each its colour is asked for, which the passage tells, and its age, which it does not: as what the passage
    misses, or as a question of its own.
    """
    lines = []
    for place, thing in enumerate(THINGS):
        for at, colour in enumerate(COLOURS):
            asked, missed = (f"What {what} is the {thing} of house {at}?" for what in ("colour", "year"))
            line = {"source": "s", "positive": told(thing, at, colour), "pool": f"s:{thing} {at}", "answer": colour}
            apart = place % 2 == 0
            lines.append({**line, "question": asked} | ({} if apart else {"missed": missed}))
            lines += [{**line, "question": missed, "answerable": False}] if apart else []
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_the_command_teaches_to_mark_answers_and_to_be_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.safetensors"
    command = [write_pairs(tmp_path / "pairs.jsonl"), "--work", str(tmp_path / "work"), "--json"]
    command += ["--out", str(out), "--begin-from", str(FILE), "--questions", "6", "--passages", "2"]
    command += ["--max-tokens", "48", "--steps", "24", "--watched-every", "8", "--rate", "2e-4"]
    assert main(command) == 0
    losses = [looked["loss"] for looked in json.loads(capsys.readouterr().out)["watched"]]
    assert losses[-1] < 0.7 * losses[0]
    reader = answer_reader.load(out, "")
    for thing in ("window", "chimney"):  # of neither was anything read
        asked = [f"What {what} is the {thing} of house 9?" for what in ("colour", "year")]
        colour, year = (reader.read(one, [told(thing, 9, "yellow")])[0].best() for one in asked)
        assert colour is not None
        assert year is not None
        assert colour.score > year.score + 1


def test_a_passage_comes_to_be_worth_less_to_a_question_that_it_misses() -> None:
    learning = LearningModel(max_tokens=48, seed=0)
    learnable = learning.learnable()
    optimizer = torch.optim.AdamW(learnable, lr=1e-4)
    asked, missed = "Who built the mill in 1840?", "Who burnt the mill in 1840?"
    passage = "The mill was built by Hanna Brock in 1840."
    for _ in range(8):
        optimizer.zero_grad()
        learning.learn([ListwiseExample(asked, (passage,), "Hanna Brock", missed)])
        optimizer.step()
    worth = learning.scores([asked, missed], [passage, passage])
    assert worth[0] > worth[1] + 0.5


def test_an_answer_that_was_cut_off_and_one_that_is_not_known_teach_nothing() -> None:
    question, cut = "Where does he live?", "He lives in a very long street of houses with many trees in Rome."
    for answer in ("Rome", None):
        learning = LearningModel(max_tokens=16, seed=0)
        assert learning.learn([ListwiseExample(question, (cut,), answer)]) == 0
    read = learning._tokenizer([question], ["In Rome."], return_offsets_mapping=True)
    right, allowed = _places("In Rome.", "Rome", read["offset_mapping"][0], read.sequence_ids(0), 12)
    assert right.nonzero()[0].tolist() == [8, 8]
    assert allowed.nonzero()[0].tolist() == [0, 7, 8, 9]


def test_what_an_argument_is_by_default_is_asked_of_functions(tmp_path: Path) -> None:
    (tmp_path / "boxes.py").write_text("def pack(items, width=72, *, deep=False):\n    return items, width\n")
    found = {(pair.question, pair.answer) for pair in default_pairs(tmp_path)}
    assert {answer for _, answer in found} == {"72", "False"}
    assert all("pack" in question for question, _ in found)
