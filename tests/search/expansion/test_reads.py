"""Expansion over a real library: what the catalogue is asked, that it answers rightly, and how often."""

from __future__ import annotations

import pytest

from core.enriching.features import Features
from core.library import Incoming, Library
from core.search.expansion.expanding import expand
from core.settings import EXPANSIONS, ExpansionSettings, Settings
from core.types import Span
from tests.fast_encoder import FastEncoder

PART = """## {number}. Part {number}

The otter of part {number} swims far. See section {other} for its food. It is said to sleep at noon.

It eats fish number {number} and little else. In winter it eats crabs, as table {number} says.

Nobody knows why part {number} is as long as it is. It goes on for a while about rivers and mills.

"""
DEEP = Settings().with_values(
    {"chunking.max_tokens": 24, "chunking.parent_max_tokens": 60, "chunking.levels": 4, "chunking.parent_ratio": 2.0}
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    with Library.open(tmp_path_factory.mktemp("library"), encoder=FastEncoder()) as made:
        text = "# Otters\n\n" + "".join(PART.format(number=part, other=1 + part % 9) for part in range(1, 10))
        items = [
            Incoming("otters.md", content_hash=made.stage(text.encode())),
            Incoming("mills.txt", content_hash=made.stage(b"A mill stands at the river. " * 40)),
        ]
        assert made.ingest(items, settings=DEEP).failures == ()
        yield made


@pytest.fixture
def ranking(library):
    few = Settings().with_value("retrieval.k", 12)  # so that there is something to add beside them
    return library.searcher.rank("What does the otter of part 4 eat in winter?", few)


def trees(library, ranking):
    return [library.tree(version) for version in ranking.leaves.version_ids]


def chunk_of(trees, leaves, leaf):
    tree = trees[int(leaves.documents[leaf])]
    return next(one for one in tree.leaves if (one.start, one.end) == (leaves.starts[leaf], leaves.ends[leaf]))


def test_ancestors_are_those_of_the_tree(library, ranking):
    made, leaves = trees(library, ranking), ranking.leaves
    found = library.searcher.reads(ranking.leaves).ancestors(range(len(leaves)))
    for leaf in range(len(leaves)):
        by_id = {chunk.chunk_id: chunk for chunk in made[int(leaves.documents[leaf])].chunks}
        chunk, above = chunk_of(made, leaves, leaf), []
        while chunk.parent_id is not None:
            chunk = by_id[chunk.parent_id]
            above.append(chunk.span)
        assert list(found[leaf]) == above
    assert max(len(above) for above in found.values()) >= 3, "more than two levels"


def test_references_are_those_that_are_kept(library, ranking):
    made, leaves = trees(library, ranking), ranking.leaves
    reads = library.searcher.reads(ranking.leaves)
    found = reads.references(range(len(leaves)))
    told = [library.features(version) for version in leaves.version_ids]
    for leaf in range(len(leaves)):
        features: Features = told[int(leaves.documents[leaf])][chunk_of(made, leaves, leaf).chunk_id]
        assert found[leaf] == features.references
    assert sum(one.target is not None for every in found.values() for one in every) >= 9
    assert reads.count == 3, "the facts of the leaves, and the features of two documents"
    reads.references(range(len(leaves)))
    assert reads.count == 3, "nothing is asked twice"


@pytest.mark.parametrize("strategy", EXPANSIONS)
@pytest.mark.parametrize("budget", [200, 4000])
def test_every_strategy_grows_over_the_catalogue(library, ranking, strategy, budget):
    leaves = ranking.leaves
    for document in range(len(leaves.version_ids)):
        library.searcher.text(leaves.version_ids[document])  # texts are held in memory, and then cost nothing
    reads = library.searcher.reads(ranking.leaves)
    settings = ExpansionSettings(strategy, confidence=1.0, merge_share=0.2)
    extents = expand(ranking, settings, leaves.ends - leaves.starts, budget, reads)
    most = {"auto-merge": 1, "neighbours": 3, "needed": len(leaves.version_ids)}
    assert reads.count <= most.get(strategy, 0), "all at once, and nothing that is not needed"
    own = {int(leaf): Span(int(leaves.starts[leaf]), int(leaves.ends[leaf])) for leaf in ranking.pool[ranking.kept]}
    for extent in extents:
        if extent.child in own:
            assert Span(extent.start, extent.end).contains(own[extent.child])
    if budget == 4000 and strategy not in ("flat", "needed"):  # it is all prose
        spans = {Span(extent.start, extent.end) for extent in extents}
        assert spans - set(own.values()), "something has grown, or was added"


def test_parents_are_taken_of_documents_of_the_chosen_genres_alone(tmp_path):
    steps = "# Feeding\n\n" + "".join(f"{at}. Give the otter its fish number {at} by hand.\n" for at in range(1, 60))
    minutes = "# Minutes of 3 May\n\nAttendees: Ada, Ben.\n\n" + "The otter was praised for its swimming again. " * 30
    essay = "# Otters\n\n" + "The otter swims in the river all day long. " * 30
    with Library.open(tmp_path / "library", encoder=FastEncoder()) as made:
        made.ingest(
            [
                Incoming(f"{at}.md", content_hash=made.stage(text.encode()))
                for at, text in enumerate((minutes, essay, steps))
            ]
        )
        ranking = made.searcher.rank("Which otter swims?", Settings())
        reads = made.searcher.reads(ranking.leaves)
        genres = {reads.genre(document) for document in (0, 1, 2, 0, 1)}
        assert (genres, reads.count) == ({"meeting", "other"}, 3), "each is asked once"
        extents = expand(ranking, ExpansionSettings("parent", kinds=("meeting",)), ranking.leaves.tokens, 4000, reads)
        grown = {reads.genre(extent.document) for extent in extents if leaves_in(ranking.leaves, extent) > 1}
        assert grown == {"meeting"}
        extents = expand(ranking, ExpansionSettings("parent", kinds=("steps",)), ranking.leaves.tokens, 4000, reads)
        grown = {ranking.leaves.names[one.document] for one in extents if leaves_in(ranking.leaves, one) > 1}
        assert grown == {"2.md"}


def leaves_in(leaves, extent):
    touched = (leaves.starts < extent.end) & (leaves.ends > extent.start)
    return int((touched & (leaves.documents == extent.document)).sum())


def test_merging_climbs_the_real_tree(library, ranking):
    leaves, made = ranking.leaves, trees(library, ranking)
    settings = ExpansionSettings("auto-merge", 1.0, 0.0, merge_share=0.05)
    extents = expand(ranking, settings, leaves.tokens, 100_000, library.searcher.reads(ranking.leaves))
    levels = {(place, chunk.start, chunk.end): chunk.level for place, tree in enumerate(made) for chunk in tree.chunks}
    reached = [levels[extent.document, extent.start, extent.end] for extent in extents]
    assert max(reached) >= 2
