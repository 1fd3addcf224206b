"""Chunkers that work by sentences: where they cut and why, what they keep whole, and what they do without vectors."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk, cut
from core.chunking.auditing import audit
from core.chunking.chunkers import CHUNKERS
from core.chunking.chunkers.cluster import clusters, mean_similarity
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.chunking.signals.prose import without_small_pieces
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.types import Document

BY_SENTENCES = ("semantic", "cluster", "texttiling", "sentence", "learned")
BREAD = (
    "The baker kneads the dough before dawn. Flour and water make a soft dough. The oven is hot when the loaves go in. "
    "Fresh bread smells of yeast and crust. "
)
STARS = (
    "The telescope on the hill watches distant stars. A planet that crosses its star dims the light. "
    "Astronomers measure the orbit from that shadow. Nights without a moon are best for galaxies. "
)


def plain(text):
    return Document("v", "text", "Glued", text)


@pytest.mark.model
@pytest.mark.parametrize("name", ["semantic", "cluster"])
def test_the_cut_falls_at_the_seam_of_two_subjects(name, counter, encoder):
    text = (BREAD + STARS).strip()
    tree = chunk(plain(text), ChunkingSettings(name, max_tokens=90), counter, resources=ChunkerResources(encoder))
    seam = text.index("The telescope")
    assert seam in {leaf.start for leaf in tree.leaves}
    windows = chunk(plain(text), ChunkingSettings("fixed", max_tokens=90), counter)
    assert seam not in {leaf.start for leaf in windows.leaves}


@pytest.mark.model
def test_the_reason_is_the_number(counter, encoder):
    text = (BREAD + STARS).strip()
    settings = ChunkingSettings("semantic", semantic_threshold="absolute", semantic_absolute=0.2, max_tokens=200)
    tree = chunk(plain(text), settings, counter, resources=ChunkerResources(encoder))
    _, second = tree.leaves
    assert second.text.startswith("The telescope")
    told = second.reasons[0].removeprefix("begins: similarity falls to ")
    assert told.endswith(", below 0.20")
    assert -1 <= float(told.split(",")[0]) < 0.2
    assert tree.leaves[0].reasons[1] == second.reasons[0].replace("begins", "ends")


@pytest.mark.parametrize(
    ("dials", "said"),
    [
        ({"semantic_percentile": 22.0}, r", below -?0\.\d\d+ \(22nd percentile\)"),
        ({"semantic_threshold": "zscore", "semantic_zscore": 0.5}, r" \(0\.5 standard deviations below the mean\)"),
        ({"semantic_threshold": "interquartile", "semantic_interquartile": 0.1}, r" \(0\.1 interquartile ranges below"),
        (
            {"semantic_threshold": "gradient", "semantic_gradient": 62.0},
            r"at the foot of a fall steeper than \d\.\d\d a",
        ),
    ],
)
def test_reasons_say_how_the_bound_was_found(dials, said, counter, fast_encoder):
    settings = ChunkingSettings("semantic", max_tokens=300, semantic_buffer=0, **dials)
    tree = chunk(plain((BREAD + STARS).strip()), settings, counter, resources=ChunkerResources(fast_encoder))
    begins = [leaf.reasons[0] for leaf in tree.leaves[1:]]
    assert begins
    assert all(re.search(said, reason) for reason in begins), begins


def test_sentences_are_encoded_once_for_all_thresholds(counter, fast_encoder):
    piece = PreparedDocument(plain((BREAD + STARS).strip()), counter, ChunkerResources(fast_encoder))
    for percentile in (10.0, 50.0, 90.0):
        cut(piece, ChunkingSettings("semantic", semantic_percentile=percentile))
    assert len(fast_encoder.texts) == len(set(fast_encoder.texts)) == 8


@pytest.mark.parametrize("name", ["semantic", "cluster", "learned"])
def test_without_an_encoder_texttiling_steps_in_and_says_so(name, counter):
    document = plain((BREAD + STARS).strip())
    tree = chunk(document, ChunkingSettings(name), counter)
    other = chunk(document, ChunkingSettings("texttiling"), counter)
    assert [leaf.span for leaf in tree.leaves] == [leaf.span for leaf in other.leaves]
    note = "instead: texttiling; without an embedder there are no vectors to compare"
    assert all(chunk_.reasons[2:] == (note,) for chunk_ in tree.chunks)
    assert all(len(chunk_.reasons) == 2 for chunk_ in other.chunks)


MARKED = (
    "# Bread\n\nThe baker kneads. The oven is hot. Yeast works. Loaves rise.\n\n"
    "| flour | grams |\n|---|---|\n| rye | 500 |\n| wheat | 250 |\n\n"
    "```python\nbake(loaf)\ncool(loaf)\n```\n\n"
    "# Stars\n\nA telescope watches. Planets orbit. The moon is bright. Comets pass.\n"
)


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_headings_tables_and_code_stay_whole(name, counter, fast_encoder):
    document = parse(MARKED.encode(), "a.md", ParsingSettings())
    settings = ChunkingSettings(
        name, max_tokens=60, sentences=1, semantic_percentile=1.0, semantic_buffer=0, tiling_depth=-3.0, tiling_window=1
    )
    tree = chunk(document, settings, counter, resources=ChunkerResources(fast_encoder))
    assert audit(tree).gaps == ()
    for whole in ("# Bread\n\nThe baker kneads.", "| rye | 500 |\n| wheat | 250 |", "bake(loaf)\ncool(loaf)"):
        assert sum(whole in leaf.text for leaf in tree.leaves) == 1, whole
    assert any(leaf.text.startswith("# Stars\n\nA telescope watches.") for leaf in tree.leaves)
    assert all(leaf.headings in {("Bread",), ("Stars",)} for leaf in tree.leaves)


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_small_pieces_join_a_neighbour(name, counter, fast_encoder):
    document = plain((BREAD + STARS).strip())
    dials = {"sentences": 1, "semantic_percentile": 1.0, "semantic_buffer": 0, "tiling_depth": -3.0, "tiling_window": 1}
    loose = chunk(
        document, ChunkingSettings(name, max_tokens=80, **dials), counter, resources=ChunkerResources(fast_encoder)
    )
    joined = chunk(
        document,
        ChunkingSettings(name, max_tokens=80, min_tokens=20, **dials),
        counter,
        resources=ChunkerResources(fast_encoder),
    )
    assert min(leaf.tokens for leaf in joined.leaves) >= 20
    assert len(joined.leaves) <= len(loose.leaves)
    assert audit(joined).covered == audit(joined).characters


def test_so_many_sentences_a_chunk(counter):
    text = (BREAD + STARS).strip()
    tree = chunk(plain(text), ChunkingSettings("sentence", sentences=3, max_tokens=200), counter)
    assert [leaf.text.count(".") for leaf in tree.leaves] == [3, 3, 2]
    assert tree.leaves[1].reasons[0] == "begins: 3 sentences have been counted up to here"
    larger = chunk(plain(text), ChunkingSettings("sentence", sentences=1, min_tokens=14, max_tokens=200), counter)
    assert [leaf.text.count(".") for leaf in larger.leaves] == [2, 2, 2, 2], "no more than it takes"
    assert "sentence" in CHUNKERS


@st.composite
def pieces(draw):
    count, seed = draw(st.integers(1, 9)), draw(st.integers(0, 1000))
    made = np.random.default_rng(seed)
    vectors = made.normal(size=(count, 4)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), made.integers(1, 12, count)


@given(pieces(), st.integers(5, 40))
def test_clusters_cover_keep_the_limit_and_are_the_best(made, room):
    vectors, sizes = made
    mean = mean_similarity(vectors, sizes)
    found = clusters(vectors, sizes, room, mean)
    assert [at for first, last in found for at in range(first, last)] == list(range(len(sizes)))
    assert all(last == first + 1 or sizes[first:last].sum() <= room for first, last in found)

    def worth(groups):
        pairs = (pair for first, last in groups for pair in itertools.combinations(range(first, last), 2))
        return sum(float(sizes[i] * sizes[j] * (vectors[i] @ vectors[j] - mean)) for i, j in pairs)

    def every_way():
        for chosen in itertools.product((False, True), repeat=len(sizes) - 1):
            edges = [0, *(at + 1 for at, is_cut in enumerate(chosen) if is_cut), len(sizes)]
            groups = list(itertools.pairwise(edges))
            if all(last == first + 1 or sizes[first:last].sum() <= room for first, last in groups):
                yield worth(groups)

    assert worth(found) == pytest.approx(max(every_way()), abs=0.02)


@given(st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1)), min_size=1, max_size=20), st.integers(0, 40), st.data())
def test_no_crumb_is_left_that_could_join(rows, least, data):
    sizes, likeness = [size for size, _ in rows], np.array([near for _, near in rows][1:])
    before = [0, *itertools.accumulate(sizes)]
    cuts = data.draw(st.sets(st.integers(1, max(1, len(rows) - 1)))) if len(rows) > 1 else set()
    fixed = data.draw(st.sets(st.sampled_from(sorted(cuts)))) if cuts else set()
    kept = without_small_pieces(cuts, likeness, before, least, fixed)
    assert set(kept) <= cuts
    assert fixed <= set(kept)
    edges = [0, *kept, len(rows)]
    for number, (low, high) in enumerate(itertools.pairwise(edges)):
        if before[high] - before[low] < least:
            sides = [edge for edge in edges[number : number + 2] if edge not in {0, len(rows)}]
            assert set(sides) <= fixed, "a small piece beside a cut that could have been taken back"
