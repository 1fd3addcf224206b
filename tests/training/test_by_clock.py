"""Lists as token ids, and the training that reads them alone."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.reranker import by_clock
from benchmarks.reranker.__main__ import main
from benchmarks.reranker.code_pairs import default_pairs
from benchmarks.reranker.lists import BESIDE, MISSED, Lists, drawn, loss_of, pairs_of
from benchmarks.reranker.mining import MinedList
from benchmarks.reranker.packed import Packed
from benchmarks.reranker.packing import packed, words
from benchmarks.reranker.pairs import Pair
from benchmarks.reranker.run import mined
from core.embedding import answer_reader, layer_file, reranker_file
from core.embedding.reranker_file import FILE
from core.errors import LecternError
from tests.fast_encoder import FastEncoder

pytestmark = pytest.mark.model

LISTS = [
    MinedList(
        "What is the width by default?",
        ("width (default: 70) is the most", "Nothing is said here.", "A width of 80 columns is common."),
        "70",
        "What is the height by default?",
    ),
    MinedList("Who sang?", ("She sang and she sang again.", "He did not."), "sang"),
    MinedList("Who paid?", ("He did not pay.",), ""),
    MinedList("Where does he live?", ("Long is the way. " * 30 + "In Rome.", "He lives.", "They do."), "Rome"),
    MinedList("Of walls", ("Walls are built of stone.", "Doors are made of wood.")),
]


@pytest.fixture(scope="module")
def shipped() -> tuple[Any, Any]:
    module, tokenizer = reranker_file.untrained(seed=0)
    reranker_file.load_into(module, FILE)
    return module, tokenizer


def reference(module: Any, tokenizer: Any, listed: MinedList, most: int) -> float:
    """The loss of one list, pair by pair as it is written down: which passage, and which token begins and ends."""

    def read(question: str, passage: str, answer: str | None) -> tuple[Any, Any]:
        one = tokenizer(
            question,
            passage,
            truncation="longest_first",
            max_length=most,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets, parts = one.pop("offset_mapping")[0].tolist(), one.sequence_ids(0)
        states = module.bert(**one)
        logits = module.qa_outputs(states.last_hidden_state)[0]
        score = module.classifier(states.pooler_output)[0, 0]
        allowed = [0] + [at for at, part in enumerate(parts) if part == 1]
        places = [found.span() for found in re.finditer(re.escape(answer or "\0"), passage)]
        marks = torch.zeros(())
        for side in (0, 1):
            right = [at for at in allowed[1:] if any(offsets[at][side] == place[side] for place in places)]
            right = right if answer else [0]
            if right and answer is not None:
                marks = marks + (logits[allowed, side].logsumexp(0) - logits[right, side].logsumexp(0)) / 2
        return score, marks

    answers = [listed.answer, *[None if listed.answer is None else ""] * (len(listed.passages) - 1)]
    found = [read(listed.question, one, answer) for one, answer in zip(listed.passages, answers, strict=True)]
    scores = torch.stack([score for score, _ in found])
    weights = torch.tensor([1.0, *[BESIDE] * (len(found) - 1)])
    loss = (
        scores.logsumexp(0) - scores[0] + (torch.stack([marks for _, marks in found]) * weights / weights.sum()).sum()
    )
    if listed.missed:
        score, marks = read(listed.missed, listed.passages[0], "")
        loss = loss + marks + MISSED * torch.nn.functional.softplus(score - scores[0])
    return float(loss.detach())


def test_what_was_packed_is_read_again(tmp_path: Path, shipped: tuple[Any, Any]) -> None:
    _, tokenizer = shipped
    whole = packed(LISTS, [0, 1, 1, 0, 2], [False, True, False, False, True], 3, tokenizer)
    whole.write(tmp_path / "lists.xz")
    again = Packed.read(tmp_path / "lists.xz")
    for field in fields(Packed):
        assert np.array_equal(getattr(whole, field.name), getattr(again, field.name)), field.name
    starts = np.concatenate([[0], again.piece_ends[:-1]])
    for row, listed in enumerate(LISTS):
        for place, passage in enumerate(listed.passages):
            number = again.passages[row, place]
            ids = again.pieces[starts[number] : again.piece_ends[number]].tolist()
            assert ids == tokenizer(passage, add_special_tokens=False)["input_ids"][:254]
    said = [
        [tokenizer.decode(again.pieces[starts[again.passages[row, 0]] + np.arange(one, last + 1)])]
        for row in (0, 1)
        for one, last in again.spans[row]
        if one >= 0
    ]
    assert said == [["70"], ["sang"], ["sang"]]
    assert again.marked.tolist() == [True, True, True, True, False]


@pytest.mark.parametrize("rows", [[0], [1], [2], [3], [4], [0, 1, 2, 3, 4]])
def test_its_loss_is_that_of_reading_pair_by_pair(tmp_path: Path, shipped: tuple[Any, Any], rows: list[int]) -> None:
    product, tokenizer = shipped
    whole = packed(LISTS, [0] * 5, [False] * 5, 3, tokenizer)
    words(product, whole, tmp_path / "words.npz")
    module = by_clock.model_of(tmp_path / "words.npz", FILE, dropout=0.0).eval()
    lists = Lists(whole, "cpu")
    some = torch.tensor(rows)
    wanted = np.mean([reference(product, tokenizer, LISTS[row], 64) for row in rows])
    passages = lists.passages[some]
    loss = loss_of(lists, module, some, passages, 64, lists.lengths(*pairs_of(lists, some, passages), 64, parts=2))
    assert float(loss.detach()) == pytest.approx(wanted, abs=0.03)


def test_the_others_of_a_list_are_drawn_anew_and_the_one_that_answers_stays() -> None:
    passages = torch.arange(1, 13).repeat(200, 1)
    passages[:, 9:] = -1
    some = drawn(passages, 4)
    assert some.shape == (200, 4)
    assert set(some[:, 0].tolist()) == {1}
    assert all(len(set(row)) == 4 for row in some.tolist())
    assert set(some[:, 1:].flatten().tolist()) == set(range(2, 10)), "none that is not there, and each at some time"
    assert drawn(torch.tensor([[5, -1, -1]]), 3).tolist() == [[5, -1, -1]]


THINGS = ("door", "roof", "gate", "wall", "lamp", "path", "well", "barn", "mill", "shed")
COLOURS = ("green", "red", "blue", "white", "black", "brown", "grey", "pink")


def told(thing: str, at: int, colour: str) -> str:
    return f"House {at} is old. The {thing} of house {at} is {colour}. Nobody lives there."


def pairs() -> list[Pair]:
    """Of each its colour is asked for, which the passage tells, and its age, which it does not: as what the passage
    misses, or as a question of its own.
    """
    found = []
    for place, thing in enumerate(THINGS):
        for at, colour in enumerate(COLOURS):
            asked, missed = (f"What {what} is the {thing} of house {at}?" for what in ("colour", "year"))
            passage, pool, apart = told(thing, at, colour), f"s:{thing} {at}", place % 2 == 0
            found.append(Pair("s", asked, passage, pool, colour, missed="" if apart else missed))
            found += [Pair("s", missed, passage, pool, colour, answerable=False)] if apart else []
    return found


@pytest.mark.long
def test_from_pairs_to_a_reader_that_marks_answers_and_is_silent(tmp_path: Path) -> None:
    path, lists, table = tmp_path / "pairs.jsonl", tmp_path / "lists.xz", tmp_path / "words.npz"
    path.write_text("".join(json.dumps(asdict(pair)) + "\n" for pair in pairs()), encoding="utf-8")
    command = [str(path), "--work", str(tmp_path / "work"), "--out", str(lists), "--words", str(table)]
    assert main([*command, "--passages", "3"]) == 0
    places = [str(lists), "--words", str(table), "--begin-from", str(FILE), "--out", str(tmp_path / "made")]
    plan = "--steps 24 --questions 6 --passages 2 --chunks 1 --max-tokens 48 --looks 1"
    by_clock.main([*places, *plan.split()])
    before, after, between = (
        layer_file.parsed(one.read_bytes())["classifier.weight"]
        for one in (FILE, tmp_path / "made" / "mean.safetensors", tmp_path / "made" / "halves.safetensors")
    )
    assert not np.array_equal(before, after)
    np.testing.assert_allclose(between, (before + after) / 2, atol=0.02 * np.abs(before).max())
    reader = answer_reader.load(tmp_path / "made" / "last.safetensors", "")
    for thing in ("window", "chimney"):  # of neither was anything read
        asked = [f"What {what} is the {thing} of house 9?" for what in ("colour", "year")]
        colour, year = (reader.read(one, [told(thing, 9, "yellow")])[0].best() for one in asked)
        assert colour is not None
        assert year is not None
        assert colour.score > year.score + 1


def test_the_same_lists_are_mined_whatever_the_number_of_processes() -> None:
    some = [*pairs()[:60], *(Pair("t", one.question, one.positive, f"t:{one.pool}") for one in pairs()[60:])]
    alone, beside = (mined(some, FastEncoder(), readings=2, passages=4, processes=many) for many in (1, 2))
    assert alone == beside
    assert {one.source for one in alone} == {0, 1}
    learnt = {one.listed.question for one in alone if not one.held_out}
    assert learnt
    assert not learnt & {pair.question for pair in some if pair.held_out}


def test_pairs_that_teach_nothing_are_a_sentence() -> None:
    many = [Pair("s", f"Question {at}?", f"Passage {at}.", f"s:{at}") for at in range(300)]
    held_out = [pair for pair in many if pair.held_out]
    assert held_out
    same = [Pair("s", pair.question, "The only passage.", pair.pool) for pair in many if not pair.held_out]
    for some, said in ((held_out, "are held out, and none trains"), (same, "none has another passage")):
        with pytest.raises(LecternError, match=said):
            mined(some, FastEncoder(), readings=1, passages=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [(["--sources", "none/here"], "There is no folder none/here."), ([], "There is nothing to train on.")],
)
def test_what_cannot_be_mined_is_a_sentence_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    out = tmp_path / "lists.xz"
    assert main(["--work", str(tmp_path), "--out", str(out), "--words", str(tmp_path / "words.npz"), *given]) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_what_an_argument_is_by_default_is_asked_of_functions(tmp_path: Path) -> None:
    (tmp_path / "boxes.py").write_text("def pack(items, width=72, *, deep=False):\n    return items, width\n")
    found = {(pair.question, pair.answer) for pair in default_pairs(tmp_path)}
    assert {answer for _, answer in found} == {"72", "False"}
    assert all("pack" in question for question, _ in found)
