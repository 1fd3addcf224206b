"""What a question hints at lends weight to the leaves that fit, and to no others."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.enriching import SECTION_TYPES
from core.library import Incoming, Library
from core.retrieval.analysis import understand
from core.retrieval.anchor_tokens import runs_of
from core.retrieval.leaning import anchored, boosts_of, lean, recency
from core.retrieval.named_anchors import named_anchors
from core.settings.understanding import UnderstandingSettings
from core.storage.documents import texts
from core.storage.features import features
from core.storage.leaves import load_leaves
from core.storage.section_types import SectionTypes, load_section_types
from core.storage.shelves import genre_of, known, load_standings
from core.storage.store import Store
from core.text.periods import period
from tests.fast_encoder import FastEncoder

PAGES = {
    "2024-05 guide.md": (
        "# A guide to the mill\n\n## 4.1 Opening the gate\n\nTo open it:\n\n1. Lift the bar.\n2. Turn the wheel.\n"
        "3. Wait.\n\n## 4.2 Terms\n\n**Race** is the channel that leads the water to the wheel.\n\n## 4.3 Figures\n\n"
        "Fig. 2 shows the water level: in its left panel, that of 5 March 2024. See also Table 3-1.\n"
    ),
    "2023-01 api.md": (
        "# Mill API reference\n\n## Endpoints\n\nGET /gates answers with 200. The request body is JSON. Call"
        " getUserName() and read gate_state; error E-1042 says that version 2.1 is too old.\n\n"
        "## Authentication\n\nAn access token in each request to the endpoint. POST /gates needs the bearer token.\n\n"
        "## Rate limits\n\nHTTP status 429.\n"
    ),
    "notes.txt": "In 4.3 kg of flour, figure 22 and 2 figures. Nothing else of it.\n",
}
ON = UnderstandingSettings(anchor_boost=1, intent_boost=1, genre_boost=1, place_boost=1, prefer_recent=1)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    home = tmp_path_factory.mktemp("leaning")
    with Library.open(home / "library", encoder=FastEncoder()) as library:
        for name, text in PAGES.items():
            (home / name).write_text(text, encoding="utf-8")
        small = library.settings.with_values({"chunking.max_tokens": 40, "chunking.parent_max_tokens": 120})
        items = [Incoming(path.name, path=path) for path in sorted(home.glob("*.*"))]
        assert not library.ingest(items, settings=small).failures
    with Store.open(home / "library", write=False) as opened:
        yield opened


def words(store, leaves, mask):
    """The texts of the leaves of a mask."""
    held = texts(store, leaves.version_ids)
    return [
        held[leaves.version_ids[leaves.documents[at]]][leaves.starts[at] : leaves.ends[at]]
        for at in np.flatnonzero(mask)
    ]


@pytest.mark.parametrize(
    ("question", "within"),
    [
        ("What does Figure 2 show?", "Fig. 2 shows"),
        ("the left panel", "left panel"),
        ("In table 3-1", "Table 3-1"),
        ("On 2024-03-05?", "5 March 2024"),
        ("On March 5, 2024?", "5 March 2024"),
        ("what does getUserName do", "getUserName()"),
        ("`gate_state`?", "gate_state"),
        ("E-1042", "E-1042"),
        ("before v2.1", "version 2.1"),
        ('the "access token"', "access token"),
        ("section 4.2", "Race"),
        ("clause 4.1", "Lift the bar"),
    ],
)
def test_an_anchor_finds_the_leaves_that_have_it(store, question, within):
    leaves = load_leaves(store)
    (mask,) = anchored(store, leaves, named_anchors(question)[-1:])
    found = words(store, leaves, mask)
    assert any(within in text for text in found)
    assert not any("Nothing else" in text for text in found)  # near misses all: 4.3 kg, figure 22, 2 figures


def test_a_file_has_all_its_leaves_and_a_page_needs_a_file(store):
    leaves = load_leaves(store)
    (mask,) = anchored(store, leaves, named_anchors("what is in notes.txt"))
    assert set(words(store, leaves, mask)) == {PAGES["notes.txt"].strip()} or mask.sum() == 1
    assert anchored(store, leaves, named_anchors("what is on page 2?")) == []
    assert anchored(store, leaves, named_anchors("what is figure 99?")) == []


def test_boosts_lie_where_the_hints_point(store):
    leaves, standings, sections = load_leaves(store), load_standings(store), load_section_types(store)
    there = known(store, standings)

    def best(question, **dials):
        settings = UnderstandingSettings(**dials)
        boosts = boosts_of(store, leaves, understand(question, settings, there), settings, sections, standings)
        assert boosts.shape == (len(leaves),)
        assert 0 <= boosts.min() <= boosts.max() <= 1
        return words(store, leaves, boosts == boosts.max()) if boosts.any() else []

    assert all("Race" in text for text in best("What is a race?", intent_boost=1))
    assert any("Lift the bar" in text for text in best("How do I open the gate?", intent_boost=1))
    assert best("Which endpoint is it?", genre_boost=1) == words(store, leaves, np.isin(leaves.documents, [
        place for place, name in enumerate(leaves.names) if "api" in name]))  # fmt: skip
    assert all(text in PAGES["2024-05 guide.md"] for text in best("water since 2024, before 2025", place_boost=1))
    assert best("What is a race?") == []
    assert best("Why?", anchor_boost=1, intent_boost=1, genre_boost=1, place_boost=1) == []


def test_dials_that_are_off_lend_nothing(store):
    leaves = load_leaves(store)
    asked = understand("What is Figure 2 of a race since 2024?", ON, known(store))
    assert not boosts_of(store, leaves, asked, UnderstandingSettings(), None, ()).any()
    assert not UnderstandingSettings().leaning
    assert ON.leaning
    assert not UnderstandingSettings(anchors=False, anchor_boost=1).leaning


def test_the_array_of_section_types_is_what_the_features_say(store):
    leaves, sections = load_leaves(store), load_section_types(store)
    with store.reading() as connection:
        names = dict(connection.execute("SELECT row, chunk_id FROM chunk WHERE level = 0").fetchall())
    kept = {name: found for version in leaves.version_ids for name, found in features(store, version).items()}
    expected = [SECTION_TYPES.index(kept[names[row]].section_type) for row in leaves.rows.tolist()]
    assert sections.of(leaves.rows).tolist() == expected
    assert {"definition", "steps"} <= {SECTION_TYPES[code] for code in expected}
    assert load_section_types(store, sections) is sections
    assert sections.of(np.array([10**9])).tolist() == [-1]
    assert SectionTypes(0, sections.rows[:0], sections.codes[:0]).of(leaves.rows).tolist() == [-1] * len(leaves)
    genres = {one.names[0]: one.genre for one in load_standings(store)}
    assert genres == {
        leaves.names[place]: next(iter(features(store, version).values())).genre
        for place, version in enumerate(leaves.version_ids)
    }
    assert genres["2023-01 api.md"] == "API"


@given(
    st.text(max_size=40).map(lambda some: some * 60),
    st.sampled_from(["", "API", "release notes"]),
    st.text(max_size=20),
)
def test_a_genre_is_read_whatever_stands_beside_it(title, genre, heading):
    entry = {"title": title + "x", "kind": "text", "genre": genre, "headings": [heading, '"genre":"log"']}
    packed = zlib.compress(
        json.dumps([{name: value for name, value in entry.items() if value}], separators=(",", ":")).encode()
    )
    assert genre_of(packed) == (genre or "other")


def test_newer_is_more_and_versions_keep_their_order(store):
    standings = load_standings(store)
    newness = recency(standings)
    by_name = {one.names[0]: newness[one.version_id] for one in standings}
    assert by_name["2023-01 api.md"] == 0
    assert by_name["notes.txt"] == 1  # dated by its file, made just now
    assert 0 < by_name["2024-05 guide.md"] < 1

    def edition(version, day):
        plain = standings[0]
        return type(plain)(
            f"v{version}", "text", "md", (f"plan-v{version}.md",), (), (), (), "other", period(day), (version,)
        )

    newness = recency([edition(1, "2024-05-01"), edition(2, "2023-01-01"), edition(3, "2025-01-01")])
    assert newness["v1"] == newness["v2"] < newness["v3"] == 1
    assert recency([]) == {}


@given(
    st.lists(st.floats(-5, 5) | st.just(float("nan")), min_size=1, max_size=8),
    st.floats(0, 3),
    st.floats(0.1, 50),
)
def test_a_boost_weighs_the_same_on_any_scale(scores, boost, scale):
    scores = np.array(scores)
    boosts = np.zeros(len(scores))
    boosts[0] = boost
    leant = lean(scores, boosts)
    assert np.array_equal(np.isnan(leant), np.isnan(scores))
    assert np.array_equal(leant[1:], scores[1:], equal_nan=True)
    if np.nanstd(scores) > 1e-6 if not np.isnan(scores).all() else False:
        assert np.allclose(lean(scores * scale, boosts), leant * scale, equal_nan=True)


@given(st.text(max_size=40) | st.sampled_from(["Figure 4(b)", "§ 3", "p. 3 of a.md", "Eq. 5a", "panel C", "v1.2-rc1"]))
def test_every_anchor_is_looked_for_by_tokens_of_the_index(question):
    for anchor in named_anchors(question):
        for run in (*runs_of(anchor)[0], *runs_of(anchor)[1]):
            assert run
            assert all(token.isalnum() for token in run)
