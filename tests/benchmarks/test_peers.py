"""The parts of the peers' benchmark that need neither their packages nor a network."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import peers, peers_systems
from benchmarks.peers_placing import place
from core.evaluation.suites import load_suite
from tests.evaluation.test_suites import write_suite

TEXT = "One is here.  Two is there.\n\nYes. Yes.\n\tThree is last."


def spans(*pieces, text=TEXT):
    found = place([("d", piece, None, None, 0) for piece in pieces], {"d": text})
    return [span and text[span[1] : span[2]] for span in found.spans], found


def test_pieces_are_found_with_other_blanks_than_the_text_has():
    found, placing = spans("One is here. Two is there.", "Yes.\nYes.", " Three is last. ")
    assert found == ["One is here.  Two is there.", "Yes. Yes.", "Three is last."]
    assert (placing.altered, placing.unplaced) == (2, 0)


def test_what_is_not_in_the_text_is_counted_and_has_no_span():
    found, placing = spans("One is here.", "one is here.", "", "Two is there.")
    assert found == ["One is here.", None, None, "Two is there."]
    assert placing.unplaced == 2


def test_offsets_are_believed_only_where_they_cut_the_piece_out():
    pieces = [("d", "Yes.", 34, 38, 0), ("d", "Yes.", 3, 7, 1), ("d", "Three is last.", -1, 13, 0)]
    placing = place(pieces, {"d": TEXT})
    assert TEXT[34:38] == "Yes."
    assert placing.spans == (("d", 34, 38), ("d", 29, 33), ("d", 40, 54))
    assert (placing.claims, placing.wrong) == (3, 2)


@given(st.lists(st.text("ab \n", min_size=1, max_size=6), min_size=1, max_size=12), st.booleans())
def test_every_partition_is_placed_back(parts, stripped):
    text = "".join(parts)
    starts = [len("".join(parts[:number])) for number in range(len(parts))]
    wanted = [
        (start + len(part) - len(part.lstrip()), start + len(part.rstrip()))
        for start, part in zip(starts, parts, strict=True)
        if part.strip()
    ]
    pieces = [part.strip() if stripped else part for part in parts if part.strip()]
    placing = place([("d", piece, None, None, 0) for piece in pieces], {"d": text})
    assert [span[1:] for span in placing.spans] == wanted
    assert (placing.unplaced, placing.unordered, placing.altered) == (0, 0, 0)


def test_contexts_are_scored_as_the_bench_scores_them(tmp_path):
    question = {"id": "q", "question": "What is last?", "gold": [{"document": "d.txt", "start": 40, "end": 54}]}
    suite = load_suite(write_suite(tmp_path, [question], texts=[{"name": "d.txt", "text": TEXT}]))
    texts = peers.texts_of(suite, tmp_path / "staged")
    assert texts == {"d.txt": TEXT}
    placing = place([("d.txt", "Three is last.", None, None, 0), ("d.txt", "Yes.", None, None, 0)], texts)
    runs = peers.runs_of("theirs", suite, {"q": [0, 1]}, placing, ["Three is last.", "Yes."])
    assert [run.budget for run in runs] == list(peers.BUDGETS)
    assert runs[0].context == (("d.txt", 40, 54), ("d.txt", 29, 33))
    metrics = peers.scored(suite, runs)
    assert metrics["recall@1000"] == 100.0
    assert metrics["iou@1000"] == pytest.approx(100 * 14 / 18)
    assert set(peers.COLUMNS) <= set(metrics)


def test_leaves_that_are_also_returned_are_counted_once(tmp_path):
    question = {"id": "q", "question": "What is last?", "gold": [{"document": "d.txt", "start": 40, "end": 54}]}
    suite = load_suite(write_suite(tmp_path, [question], texts=[{"name": "d.txt", "text": TEXT}]))
    leaves = [["d.txt", "Yes. Yes.", 0, 9, 1], ["d.txt", "Three is last.", None, None, 1]]
    whole = ["d.txt", TEXT, 0, len(TEXT), 0]
    result = {"indexed": leaves, "returned": [whole, *leaves], "answers": {"q": [2, 0]}}
    runs, row = peers.read_result("theirs", suite, result, {"d.txt": TEXT})
    assert runs[0].context == (("d.txt", 40, 54), ("d.txt", 0, len(TEXT)))
    assert dict(zip(peers.TRUST_HEADS[1:], row, strict=True)) == {
        "indexed": 2, "characters": 26, "not found": 0, "altered": 0, "with offsets": 2, "wrong offsets": 1,
    }  # fmt: skip


def test_their_script_imports_nothing_of_ours():
    tree = ast.parse(Path(peers_systems.__file__).read_text(encoding="utf-8"))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not [name for name in names if name.split(".")[0] in {"core", "pages", "tests"}]
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    first = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in top}
    assert {name.split(".")[0] for name in first} <= sys.stdlib_module_names | {"__future__"}
