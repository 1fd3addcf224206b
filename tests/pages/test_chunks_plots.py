"""What the Chunks page draws of long texts: few marks, little to send, and every point still there to be clicked."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.io
import pytest

from core.inspecting.curves import Curve
from core.settings import ChunkingSettings
from core.types import ChunkTree
from pages.ui.chunks import curve as chunks_curve
from pages.ui.chunks import map as chunks_map
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
    assert similarity.marker.maxdisplayed + cuts.marker.maxdisplayed <= 500
    assert "markers" in similarity.mode, "a line alone hears no click"
    for trace in (similarity, cuts):
        assert list(trace.customdata[9]) == [trace.y[9], trace.y[9] + 1], "a click leads there"
    assert len(plotly.io.to_json(figure)) < 250_000
    leaf = tree.leaves[3]
    drawn = spec(figure)["layout"]["shapes"]
    assert drawn[0]["x0"] == 0.3
    assert [shape["y0"] for shape in drawn[1:]] == [900, leaf.start, leaf.end]


def test_a_tree_has_a_bar_for_every_chunk_that_leads_to_its_text() -> None:
    small = tree_of(document_of(SENTENCE * 8), [(at * 118, (at + 1) * 118) for at in range(4)])
    [bars] = chunks_tree.figure(chunks_tree.drawn(small.chunks), panel(small, chosen=1)).data
    assert list(bars.ids)[1:] == [chunk.chunk_id for chunk in small.chunks]
    assert [tuple(each) for each in bars.customdata[1:]] == [(chunk.start, chunk.end) for chunk in small.chunks]
    assert set(bars.parents) <= {"", *bars.ids}
    widths = dict(zip(bars.ids, bars.marker.line.width, strict=True))
    assert max(widths, key=widths.__getitem__) == small.leaves[1].chunk_id, "the chosen one stands out"


def test_of_a_long_tree_the_parents_are_drawn(tree: ChunkTree) -> None:
    shown = chunks_tree.drawn(tree.chunks)
    assert len(shown) <= chunks_tree.MOST < len(tree.chunks)
    assert shown == [chunk for chunk in tree.chunks if chunk.level]


def test_a_label_is_the_heading_where_it_changes_and_else_the_first_words() -> None:
    document = document_of("# Pumps\n\nThe pump starts.\n\nIt stops.\n\n## Valves\n\nOpen them.")
    spans = [(0, 25), (27, 36), (38, len(document.text))]
    made = tree_of(document, spans, headings=[("Pumps",), (), ("Pumps", "Valves")])
    by_id = {chunk.chunk_id: chunk for chunk in made.chunks}
    assert [chunks_tree.label(leaf, by_id) for leaf in made.leaves] == ["Pumps", "It stops.", "Valves"]


def test_the_map_tells_groups_apart_and_leads_to_their_chunks() -> None:
    tree = tree_of(document_of(SENTENCE * 8), [(at * 118, (at + 1) * 118) for at in range(4)])
    spans = tuple((leaf.start, leaf.end) for leaf in tree.leaves)
    places = np.arange(8, dtype=np.float32).reshape(4, 2)
    points = chunks_map.Points(places, ("a", "b", "c", "d"), spans, ("few", "many", "many", "many"), 0)
    many, few = chunks_map.figure(points, panel(tree)).data
    assert (many.name, few.name) == ("many", "few"), "the largest first"
    assert many.marker.symbol != few.marker.symbol
    assert [tuple(each) for each in many.customdata] == list(spans[1:])
    ring = chunks_map.figure(points, panel(tree, chosen=2)).data[-1]
    assert (ring.name, list(ring.x)) == ("chosen", [4.0])


def test_more_groups_than_colours_are_others() -> None:
    tree = tree_of(document_of(SENTENCE), [(0, 58)])
    spans = tuple((at, at + 1) for at in range(30))
    points = chunks_map.Points(np.zeros((30, 2), dtype=np.float32), ("t",) * 30, spans, tuple(map(str, range(30))), 0)
    names = [trace.name for trace in chunks_map.figure(points, panel(tree)).data]
    assert (len(names), names[-1]) == (chunks_map.COLOURS, chunks_map.OTHERS)
