"""The map: the same points every time, neighbours stay neighbours, a lasso holds what it surrounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingsError
from core.inspecting.clustering import OTHERS, clusters, grouped
from core.inspecting.projecting import principal, project
from tests.fast_encoder import FastEncoder

SUBJECTS = {
    "pump": ["The pump starts when the basin is full", "A pump needs oil for its bearing", "This pump hums at night"],
    "invoice": ["The invoice leaves in March", "An invoice names the ledger page", "Pay every invoice in time"],
    "sensor": ["The sensor reads the level", "A sensor sends its level hourly", "Each sensor keeps a level log"],
}
TEXTS = [
    f"{subject} {sentence} {number}" for subject, found in SUBJECTS.items() for sentence in found for number in "abcd"
]
GROUP_OF = np.repeat(np.arange(3), 12)
VECTORS = FastEncoder().encode(TEXTS)


@given(st.integers(0, 30), st.integers(1, 12), st.integers(0, 5))
def test_principal_components_are_deterministic_and_ordered_by_variance(count, dimension, seed):
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    points = project(vectors)
    assert points.shape == (count, 2)
    assert points.dtype == np.float32
    assert np.array_equal(points, project(vectors.copy()))
    if count > 2:
        one, other = points.var(axis=0)
        assert one >= other - 1e-4
        assert np.abs(points.mean(axis=0)).max() < 1e-3
        np.testing.assert_allclose(points, principal(vectors, 12)[:, :2], atol=1e-4)


def test_two_dimensions_keep_their_distances():
    flat = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    found = project(flat)
    for one in (flat, found):
        assert np.linalg.norm(one[3] - one[7]) == pytest.approx(np.linalg.norm(flat[3] - flat[7]), rel=1e-4)


def test_equal_vectors_lie_on_one_point():
    assert not project(np.ones((5, 3), dtype=np.float32)).any()


def test_neighbourhoods_are_kept_and_the_same_every_time():
    points = project(VECTORS, "tsne")
    assert np.array_equal(points, project(VECTORS, "tsne"))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(len(points)) * 1e9
    assert (GROUP_OF[distances.argmin(axis=1)] == GROUP_OF).mean() > 0.9


def test_points_beyond_the_most_are_put_among_their_neighbours():
    points = project(VECTORS, "tsne", most=18)
    assert points.shape == (36, 2)
    centres = np.array([points[group == GROUP_OF].mean(axis=0) for group in range(3)])
    nearest = np.linalg.norm(points[:, None] - centres[None], axis=2).argmin(axis=1)
    assert (nearest == GROUP_OF).mean() > 0.9


def test_few_points_are_placed_by_their_components():
    assert np.array_equal(project(VECTORS[:5], "tsne"), project(VECTORS[:5]))


def test_a_projection_that_is_not_there_says_what_to_do():
    with pytest.raises(SettingsError, match="Choose one of pca, tsne"):
        project(VECTORS, "isomap")


def test_clusters_are_the_subjects_and_are_named_by_them():
    found = clusters(VECTORS, TEXTS, 3)
    assert len(found.names) == 3
    for group in range(3):
        assert len(set(found.of[group == GROUP_OF].tolist())) == 1
    named = {list(SUBJECTS)[group]: found.names[found.of[group == GROUP_OF][0]] for group in range(3)}
    assert all(subject in words.split(", ") for subject, words in named.items())
    again = clusters(VECTORS, TEXTS, 3)
    assert again.names == found.names
    assert np.array_equal(again.of, found.of)


@pytest.mark.parametrize("number", [3, 6])
def test_as_many_clusters_as_there_are_heaps(number):
    draw = np.random.default_rng(number)
    heap_of = draw.integers(0, number, 200)
    vectors = (draw.normal(size=(number, 16))[heap_of] + draw.normal(size=(200, 16)) * 0.1).astype(np.float32)
    found = clusters(vectors, [f"heap{heap}" for heap in heap_of])
    assert len(found.names) == number
    assert all(found.names[group] == f"heap{heap}" for group, heap in zip(found.of, heap_of, strict=True))


def test_few_or_equal_chunks_are_one_cluster():
    assert clusters(VECTORS[:0], []).names == ()
    assert clusters(VECTORS[:2], TEXTS[:2]).of.tolist() == [0, 0]
    assert clusters(np.ones((9, 4), dtype=np.float32), ["the red pump"] * 9).names == ("pump, red",)
    with pytest.raises(ValueError, match="as many"):
        clusters(VECTORS, TEXTS[:2])


@given(st.lists(st.sampled_from("abcdefgh"), max_size=40), st.integers(1, 9))
def test_every_item_is_in_the_group_of_its_name_or_in_the_others(labels, most):
    found = grouped(labels, most)
    assert len(found.names) <= most
    for label, group in zip(labels, found.of.tolist(), strict=True):
        name = found.names[group]
        assert name == label or (name == OTHERS and label not in found.names)
    sizes = [found.of.tolist().count(group) for group, name in enumerate(found.names) if name != OTHERS]
    assert sizes == sorted(sizes, reverse=True)
