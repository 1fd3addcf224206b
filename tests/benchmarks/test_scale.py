"""Libraries that are made up: sound, the same every time, of leaves and vectors as documents have them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import scale_measuring
from benchmarks.scale_library import DIMENSION, KnownQuestions, World, fill, put
from benchmarks.scale_measuring import added, changed, milliseconds
from benchmarks.scale_page import WAYS, draw, ratios, write_page
from core.library import Library
from core.settings import Settings


@pytest.fixture(scope="module")
def world():
    return World(seed=3)


class Silent:
    """Stands for the model, whose vectors are not asked for."""

    def encode(self, texts):
        return np.eye(1, DIMENSION, dtype=np.float32).repeat(len(texts), axis=0)


def test_a_world_is_made_of_its_seed(world):
    one, same, other = world.document(5), World(seed=3).document(5), world.document(6)
    assert one.tree == same.tree
    np.testing.assert_array_equal(one.vectors, same.vectors)
    assert one.tree.document.text != other.tree.document.text
    lengths = [leaf.tokens for number in range(8) for leaf in world.document(number).tree.leaves]
    assert 60 < np.mean(lengths) < 100
    assert max(lengths) <= 110, "the size that leaves have"
    assert np.allclose(np.linalg.norm(one.vectors, axis=1), 1, atol=1e-5)
    assert np.mean(one.vectors @ one.vectors.T) > 2 * abs(np.mean(one.vectors @ other.vectors.T))


def test_a_library_is_filled_measured_and_left_as_it_was(world, tmp_path, monkeypatch):
    monkeypatch.setattr(scale_measuring, "ADDED", 40)
    asked = dict([world.question(1, 5)])
    with Library.open(tmp_path / "home", encoder=KnownQuestions(asked, Silent())) as library:
        taken = fill(library, world, 50)
        before = library.stats()
        assert taken["leaves"] == before.chunks >= 50
        assert taken["catalogue"] > 0 < taken["chroma"]
        assert fill(library, world, 70)["leaves"] == library.stats().chunks - before.chunks
        grown = library.stats()
        (question,) = asked
        result = library.search(question, Settings())
        assert len(result.hits) > 10
        assert set(changed(library, world, lambda: library.search(question))) == {"remove_s", "after_s", "put_s"}
        assert set(added(library, world)) == {"leaf_ms", "leaf_cpu_ms"}
        assert (library.stats().chunks, library.stats().pending) == (grown.chunks, 0)
        assert library.verify() == []
        assert put(library, world.document(10_000)) == len(world.document(10_000).vectors)


def test_what_is_timed_is_told_by_its_place():
    found = milliseconds([(lambda: None, lambda: sum(range(20_000))), (lambda: None, lambda: sum(range(20_000)))])
    assert [set(one) for one in found] == [{"p50", "p95", "cpu"}] * 2
    assert found[0]["p50"] <= found[1]["p95"]


def figures():
    timed = {"p50": 10.0, "p95": 20.0, "cpu": 5.0}
    for size, factor in ((1000, 1), (100_000, 3)):
        for way in WAYS:
            slow = {**timed, "cpu": 5.0 + factor * (way == "exact") + 2 * (way == "chroma")}
            yield {
                "leaves": size,
                "chunks": size,
                "way": way,
                "question": slow,
                "encode": timed,
                "lexical": timed,
                **dict.fromkeys(
                    (
                        "open_s",
                        "leaf_cpu_ms",
                        "first_question_s",
                        "remove_s",
                        "after_s",
                        "put_s",
                        "verify_s",
                        "resident_mb",
                    ),
                    1.0,
                ),
                "made": {"catalogue": 1.0, "chroma": 2.0, "leaves": size},
            }


def test_the_page_says_where_chroma_is_worth_asking(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("benchmarks.scale_page.draw", lambda figures, target: drawn.append(target.name))
    write_page(tmp_path / "scale.md", list(figures()), 25, "A quiet machine.")
    text = (tmp_path / "scale.md").read_text()
    said = " ".join(text.split())
    put = "To put in, a leaf takes a library of 100,000 leaves 1.00 times the processor's time of one of 1,000."
    assert f"1.17 at 1,000, 0.88 at 100,000. {put} A quiet machine." in said
    assert ratios(list(figures())) in said
    assert text.count("\n| 1") == 4
    assert drawn == ["scale.png"]
    assert callable(draw)
