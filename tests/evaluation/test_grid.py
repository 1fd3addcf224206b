"""Grids: every combination once, what cannot be said so, and mistakes in a sentence."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingsError
from core.evaluation.grid import MOST_CELLS, grid, load_grid, read_grid
from core.settings import PRESETS, Settings

VALUES = {
    "chunking.max_tokens": [16, 64, 110],
    "retrieval.fusion": ["zscore", "rrf"],
    "retrieval.neighbour_share": [0, 0.15, 0.3],
    "chunking.prefix": [[], ["title"], ["title", "heading"]],
    "expansion.strategy": ["flat", "parent"],
}


@given(st.dictionaries(st.sampled_from(sorted(VALUES)), st.integers(1, 3)))
def test_a_grid_is_the_product_of_its_axes(lengths):
    vary = {name: VALUES[name][:length] for name, length in lengths.items()}
    made = grid(Settings(), vary)
    assert not made.skipped
    assert list(made.presets.values()) == [
        Settings().with_values(dict(zip(vary, values, strict=True))) for values in product(*vary.values())
    ]
    assert len({item.fingerprint() for item in made.presets.values()}) == len(made.presets)


def test_cells_that_cannot_be_are_left_out_with_the_reason():
    made = grid(Settings(), {"chunking.max_tokens": [64, 900], "retrieval.fusion": ["zscore", "rrf"]})
    assert list(made.presets) == ["max_tokens=64 fusion=zscore", "max_tokens=64 fusion=rrf"]
    assert [cell for cell, _ in made.skipped] == ["max_tokens=900 fusion=zscore", "max_tokens=900 fusion=rrf"]
    assert all("parent_max_tokens" in reason for _, reason in made.skipped)


def test_a_file_names_its_base_and_presets_beside():
    made = read_grid(json.dumps({"base": "flat", "vary": {"retrieval.k": [5, 10]}, "presets": ["default"]}))
    assert list(made.presets) == ["default", "k=5", "k=10"]
    assert made.presets["default"] == PRESETS["default"]
    assert made.presets["k=5"] == PRESETS["flat"].with_value("retrieval.k", 5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not JSON"),
        ("[]", "no object named 'vary'"),
        ('{"vary": []}', "no object named 'vary'"),
        ('{"vary": {}, "values": 1}', "'values', which means nothing"),
        ('{"vary": {"retrieval.k": 5}}', "no list of values"),
        ('{"vary": {"retrieval.k": "5,6"}}', "no list of values"),
        ('{"vary": {"retrieval.k": []}}', "no list of values"),
        ('{"vary": {"retrieval.k": [5, 5]}}', "a value twice"),
        ('{"vary": {"retrieval.k": [5, 5.0]}}', "'k=5' and 'k=5.0' are the same"),
        ('{"vary": {"retrieval.k": [5], "retrieval.k": [6]}}', "stands there twice"),
        ('{"vary": {"chunking.prefix": [[1]]}}', "chunking.prefix cannot be"),
        ('{"vary": {"embedding.model": [null]}}', "embedding.model cannot be None"),
        ("[" * 100_000, "not JSON"),
        ('{"vary": {"retrieval.depth": [5]}}', "no setting 'retrieval.depth'"),
        ('{"vary": {"depth": [5]}}', "no setting 'depth'"),
        ('{"base": "best", "vary": {}}', "no preset 'best'"),
        ('{"vary": {}, "presets": "default"}', "no list of names"),
        ('{"vary": {"retrieval.k": [0]}}', "No cell of the grid can be"),
        (json.dumps({"vary": {"retrieval.k": list(range(1, MOST_CELLS + 2))}}), "1,001 cells"),
    ],
)
def test_mistakes_are_said_in_a_sentence(text, sentence):
    with pytest.raises(SettingsError, match=sentence):
        read_grid(text)


def test_a_file_is_named_in_its_mistakes_and_may_have_a_byte_order_mark(tmp_path):
    path = tmp_path / "grid.json"
    path.write_bytes(b"\xef\xbb\xbf" + b'{"vary": {"retrieval.k": [5]}}')
    assert list(load_grid(path).presets) == ["k=5"]
    for data in ('{"vary": {}}'.encode("utf-16"), b"{"):
        path.write_bytes(data)
        with pytest.raises(SettingsError, match=r"grid\.json"):
            load_grid(path)
