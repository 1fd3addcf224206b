"""The map's lasso: one chunk is gone to, a list of more stays until another lasso or another document."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.inspecting.clustering import Groups
from pages.ui.chunks import map as chunks_map
from pages.ui.chunks.lasso import place_in
from pages.ui.chunks.points import Points
from tests.inspecting.planting import document_of, tree_of
from tests.pages.apps import PATIENT
from tests.pages.test_chunks_plots import SENTENCE, panel


def shown_list() -> None:
    """The map's list, over three chunks of two documents; what a test selects is heard first, as a callback is."""
    import numpy as np
    import streamlit as st

    from pages.ui.chunks.lasso import kept, select, show_list
    from pages.ui.chunks.points import Points

    spans = (("v1", 0, 9), ("v1", 9, 30), ("v2", 4, 8))
    names = ("One", "One", "Two")
    points = Points(np.eye(3, dtype=np.float32), ("first", "second", "third"), spans, names, names, 0, "points")
    of = st.session_state["of"]
    chosen = st.session_state.pop("selected", None)
    if chosen is not None:
        select({"selection": {"points": [{"customdata": [0, 9, 0, at]} for at in chosen]}}, points, of)
    show_list(kept(of))


@pytest.fixture
def app() -> AppTest:
    made = AppTest.from_function(shown_list, default_timeout=PATIENT)
    made.session_state["of"] = made.session_state["chunks.version"] = "v1"
    return made.run()


def selected(app: AppTest, *chosen: int) -> AppTest:
    app.session_state["selected"] = list(chosen)
    return app.run()


def listed(app: AppTest) -> list[str]:
    return [button.label.replace("\\", "") for button in app.button if button.key != "chunks.map_close"]


def gone_to(app: AppTest) -> tuple[str, int] | None:
    if "chunks.jump" not in app.session_state:
        return None
    version, span = app.session_state["chunks.jump"]
    return version, span["start"]


def test_a_lasso_around_one_point_goes_there(app: AppTest) -> None:
    assert (gone_to(app), listed(app)) == (None, [])
    selected(app, 1)
    assert (gone_to(app), listed(app)) == (("v1", 9), [])


def test_a_lasso_is_listed_while_its_chunks_are_gone_to_one_by_one(app: AppTest) -> None:
    selected(app, 0, 1)
    assert (gone_to(app), listed(app)) == (None, ["One: first", "One: second"])
    app.button(key="chunks.map.v1.0.9").click().run()
    assert (gone_to(app), listed(app)) == (("v1", 0), ["One: first", "One: second"])
    selected(app)
    assert len(listed(app)) == 2, "the plot that is drawn anew has nothing selected"
    selected(app, 1)
    assert (gone_to(app), len(listed(app))) == (("v1", 9), 2)
    selected(app, 1, 2)
    assert listed(app) == ["One: second", "Two: third"]
    app.button(key="chunks.map_close").click().run()
    assert listed(app) == []


def test_another_document_ends_its_list_and_the_librarys_stays(app: AppTest) -> None:
    selected(app, 0, 1)
    app.session_state["of"] = "v2"
    assert listed(app.run()) == []
    app.session_state["of"] = ""
    assert listed(selected(app, 0, 2)) == ["One: first", "Two: third"]
    app.button(key="chunks.map.v2.4.8").click().run()
    assert (gone_to(app), app.session_state["chunks.version"]) == (("v2", 4), "v2")
    assert app.session_state["chunks.wanted"]
    assert len(listed(app)) == 2


def test_what_is_listed_stands_out_on_the_map() -> None:
    tree = tree_of(document_of(SENTENCE * 8), [(at * 118, (at + 1) * 118) for at in range(4)])
    spans = tuple(("v", leaf.start, leaf.end) for leaf in tree.leaves)
    points = Points(np.eye(4, dtype=np.float32), ("a", "b", "c", "d"), spans, ("T",) * 4, ("H",) * 4, 0, "points")
    places = np.arange(8, dtype=np.float32).reshape(4, 2)
    groups = Groups(("one", "two"), np.array([0, 0, 1, 1]))

    def lit(*listed: int) -> list[tuple[int, ...] | None]:
        drawn = chunks_map.figure(points, places, groups, panel(tree), [place_in(points, at) for at in listed])
        return [trace.selectedpoints for trace in drawn.data]

    first = chunks_map.figure(points, places, groups, panel(tree)).data[0]
    assert [tuple(each) for each in first.customdata] == [(*spans[at][1:], 0, at) for at in (0, 1)]
    assert lit() == [None, None]
    assert lit(1, 2) == [(1,), (0,)]
    assert chunks_map.figure(points, places, groups, panel(tree, chosen=2), []).data[-1].name == "chosen"
