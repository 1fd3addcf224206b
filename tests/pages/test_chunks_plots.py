"""What the Chunks page draws of long texts: few marks, little to send, and every point still there to be clicked."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.io
import pytest

from core.inspecting.curves import Curve
from core.inspecting.hierarchy import TreeRow, bars, icicle
from core.settings import ChunkingSettings
from core.types import ChunkTree
from pages.ui.chunks import curve as chunks_curve
from pages.ui.chunks import tree as chunks_tree
from pages.ui.chunks.state import PanelState
from tests.inspecting.planting import document_of, tree_of

LONG = 7000  # sentences of a hundred thousand words
SENTENCE = "The weir stands beside the lock and nobody moves it alone. "


@pytest.fixture(scope="module")
def tree() -> ChunkTree:
    """A chunk for every five sentences."""
    size, count = len(SENTENCE) * 5, LONG // 5
    return tree_of(document_of(SENTENCE * LONG), [(at * size, (at + 1) * size) for at in range(count)])


def panel(tree: ChunkTree, chosen: int = -1, caret: int | None = None) -> PanelState:
    reading = SimpleNamespace(cut_key="cut")
    cut: Any = SimpleNamespace(tree=tree, settings=ChunkingSettings(), version="v", reading=reading)
    return PanelState(cut, chosen, caret)


def line(gaps: int, every: int) -> Curve:
    positions = np.arange(1, gaps + 1, dtype=np.int64) * len(SENTENCE)
    values = np.random.default_rng(7).uniform(-0.2, 0.9, gaps)
    return Curve(positions, values, 0.3, np.arange(gaps) % every == 0)


def spec(figure: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(plotly.io.to_json(figure, validate=True))
    return found


def test_a_long_curve_is_light_and_keeps_every_cut(tree: ChunkTree) -> None:
    curve = line(LONG - 1, 5)
    figure = chunks_curve.figure(curve, panel(tree, chosen=3, caret=900))
    similarity, cuts = figure.data
    assert list(cuts.y) == curve.positions[curve.cuts].tolist()
    np.testing.assert_allclose(cuts.x, curve.values[curve.cuts], rtol=1e-6)
    assert similarity.marker.maxdisplayed + cuts.marker.maxdisplayed <= 300
    assert "markers" in similarity.mode, "a line alone hears no click"
    for trace in (similarity, cuts):
        assert list(trace.customdata[9]) == [trace.y[9], trace.y[9] + 1], "a click leads there"
    assert len(plotly.io.to_json(figure)) < 110_000
    leaf = tree.leaves[3]
    drawn = spec(figure)["layout"]["shapes"]
    assert [shape["x0"] for shape in drawn] == [0.3, 0, 0, 0]
    assert [shape["y0"] for shape in drawn[1:]] == [900, leaf.start, leaf.end]


@pytest.mark.parametrize(("every", "said"), [(5, "one in 6 is marked"), (1, "one in 30 is marked")])
def test_it_says_that_not_every_cut_is_marked(every: int, said: str) -> None:
    assert said in chunks_curve.said(line(LONG - 1, every)).replace("\\", "")


def test_a_short_curve_has_a_dot_for_every_gap_and_no_such_word(tree: ChunkTree) -> None:
    curve = line(120, 4)
    similarity, cuts = chunks_curve.figure(curve, panel(tree)).data
    assert (len(similarity.x), similarity.marker.opacity) == (120, 1)
    assert similarity.marker.maxdisplayed >= 120
    assert cuts.marker.maxdisplayed >= len(cuts.x) == 30
    assert "is marked" not in chunks_curve.said(curve)


def test_a_long_tree_has_few_bars_and_the_chosen_chunk_has_its_own(
    tree: ChunkTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[dict[str, Any]] = []
    told: list[str] = []
    monkeypatch.setattr(chunks_tree, "_icicle", lambda key, data, on_go_change: drawn.append(data))
    monkeypatch.setattr(chunks_tree.st, "caption", told.append)
    chunks_tree.show_tree(panel(tree, chosen=777))
    [picture] = drawn
    assert len(picture["bars"]) < 2 * chunks_tree.THINNEST + 10
    assert len(json.dumps(picture)) < 110_000
    assert len(told) == 1
    assert "share a bar" in told[0]
    [bar] = [bar for bar in picture["bars"] if bar["leaf"] == picture["chosen"] == 777]
    leaf = tree.leaves[777]
    assert (bar["from"], bar["end"], bar["count"]) == (leaf.start, leaf.end, 1)


def test_the_bars_of_a_depth_lie_side_by_side_on_all_of_the_text(tree: ChunkTree) -> None:
    rows = chunks_tree.without_document(icicle(tree))
    picture = chunks_tree.picture(bars(rows, len(tree.document.text) // chunks_tree.THINNEST), panel(tree))
    for column in range(picture["columns"]):
        found = [bar for bar in picture["bars"] if bar["column"] == column]
        assert [bar["end"] for bar in found[:-1]] == [bar["start"] for bar in found[1:]]
        assert (found[0]["start"], found[-1]["end"]) == (picture["start"], picture["end"])
    assert sum(bar["count"] for bar in picture["bars"]) == len(rows)


def test_a_short_tree_has_a_bar_for_every_chunk() -> None:
    small = tree_of(document_of(SENTENCE * 8), [(at * 118, (at + 1) * 118) for at in range(4)])
    rows = chunks_tree.without_document(icicle(small))
    picture = chunks_tree.picture(bars(rows), panel(small, chosen=1))
    assert len(picture["bars"]) == len(rows)
    assert {0, 1, 2, 3} <= {bar["leaf"] for bar in picture["bars"]}
    assert picture["most"] == sum(leaf.tokens for leaf in small.leaves), "the one parent is the darkest"


def test_the_bar_that_holds_all_the_text_bears_the_documents_name() -> None:
    whole = TreeRow("v", "", "Annual report", 900, 900, 2, 0, 0, 900)
    top = replace(whole, chunk_id="p", parent_id="v", label="Cover", level=1, depth=1)
    leaves = [replace(top, chunk_id=f"c{at}", parent_id="p", label="Words", level=0, depth=2, leaf=at) for at in (0, 1)]
    drawn = chunks_tree.without_document((whole, top, *leaves))
    assert [row.label for row in drawn] == ["Annual report", "Words", "Words"]
