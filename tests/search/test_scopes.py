"""A scope narrows a question to some documents, exactly: as if the library held nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NotFoundError
from core.library import Incoming, Library, Scope
from tests.fast_encoder import FastEncoder

WORDS = "river otter heron weir minutes report count dawn stone token".split()
DOCUMENTS = 12


def text(number: int) -> str:
    chance = np.random.default_rng(number)
    parts = (" ".join(chance.choice(WORDS, 14)) + f" {number} {part}." for part in range(4))
    return f"# Document {number}\n\n" + "\n\n".join(f"## Part {at}\n\n{part}" for at, part in enumerate(parts)) + "\n"


def filled(home, numbers) -> Library:
    library = Library.open(home, encoder=FastEncoder())
    small = library.settings.with_value("chunking.max_tokens", 24)
    library.ingest(
        [Incoming(f"{number}.md", content_hash=library.stage(text(number).encode())) for number in numbers],
        settings=small,
    )
    return library


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    with filled(tmp_path_factory.mktemp("whole") / "library", range(DOCUMENTS)) as library:
        yield library


@pytest.fixture
def labelled(tmp_path):
    with filled(tmp_path / "library", range(4)) as library:
        work = library.labels.create_collection("Work")
        library.labels.collect([1, 2], work)
        library.labels.collect([3], library.labels.create_collection("Home"))
        library.labels.tag([2, 3], "new")
        yield library


def versions(library: Library) -> list[str]:
    return [row.version_id for row in library.sources()]


def named(library: Library, scope: Scope) -> set[str]:
    result = library.search("river otter heron", scope=scope)
    held = {row.version_id for row in library.sources()}
    assert {hit.version_id for hit in result.hits} <= held
    assert all(candidate.version_id in held for candidate in result.trace.candidates)
    return {hit.source for hit in result.hits}


@settings(max_examples=12, deadline=None)
@given(chosen=st.sets(st.integers(0, DOCUMENTS - 1), min_size=1), question=st.sampled_from(WORDS), near=st.booleans())
def test_scores_are_those_of_a_library_that_holds_nothing_else(whole, tmp_path_factory, chosen, question, near) -> None:
    asked = whole.settings.with_values({"retrieval.lexical_weight": "0", "retrieval.dense_weight": "1"})
    if near:
        asked = asked.with_value("retrieval.exact_below", 3)
    scope = Scope(versions=tuple(version for at, version in enumerate(versions(whole)) if at in chosen))
    inside = whole.search(question, asked, scope=scope)
    with filled(tmp_path_factory.mktemp("alone") / "library", sorted(chosen)) as library:
        alone = library.search(question, asked.with_value("retrieval.exact_below", 1000))
    assert [(hit.chunk_id, hit.source, hit.score) for hit in inside.hits] == [
        (hit.chunk_id, hit.source, pytest.approx(hit.score, abs=1e-5)) for hit in alone.hits
    ]
    assert [(passage.start, passage.end, passage.text) for passage in inside.passages] == [
        (passage.start, passage.end, passage.text) for passage in alone.passages
    ]


def test_scores_of_words_are_the_engines_own_for_what_passes(whole) -> None:
    chosen = versions(whole)[2:4]
    asked = whole.settings.with_value("retrieval.k", 200)
    everything = {
        hit.chunk_id: hit.scores["lexical"] for hit in whole.search("weir", asked).hits if "lexical" in hit.scores
    }
    inside = whole.search("weir", asked, scope=Scope(versions=tuple(chosen)))
    scores = {hit.chunk_id: hit.scores["lexical"] for hit in inside.hits if "lexical" in hit.scores}
    assert scores == {chunk_id: everything[chunk_id] for chunk_id in scores}
    assert {hit.version_id for hit in inside.hits} == set(chosen)
    ranking = whole.searcher.rank("weir", asked, Scope(versions=tuple(chosen)))
    assert np.isclose(ranking.scores["fused"].mean(), 0), "standardised over what passes"


def test_any_value_of_a_field_and_every_field(labelled) -> None:
    work, home = (known.id for known in sorted(labelled.labels.collections(), key=lambda known: known.id))
    assert named(labelled, Scope()) == {"0.md", "1.md", "2.md", "3.md"}
    assert named(labelled, Scope(collections=(work,))) == {"0.md", "1.md"}
    assert named(labelled, Scope(collections=(work, home))) == {"0.md", "1.md", "2.md"}
    assert named(labelled, Scope(tags=(" NEW ",))) == {"1.md", "2.md"}
    assert named(labelled, Scope(collections=(work,), tags=("new", "gone"))) == {"1.md"}
    assert named(labelled, Scope((work,), ("new",), tuple(versions(labelled)[:1]))) == set()
    assert named(labelled, Scope(collections=(99,))) == named(labelled, Scope(tags=("gone",))) == set()
    assert named(labelled, labelled.scope(["work"], ["New"])) == {"1.md"}
    for act, words in (
        (lambda: labelled.scope(["wrok"]), r"no collection 'wrok'\. It has 'Home', 'Work'\."),
        (lambda: labelled.scope(tags=["x"]), r"no tag 'x'\. It has 'new'\."),
    ):
        with pytest.raises(NotFoundError, match=words):
            act()


def test_an_answer_follows_every_change_of_labels_and_documents(labelled, tmp_path) -> None:
    new = Scope(tags=("new",))
    assert named(labelled, new) == {"1.md", "2.md"}
    labelled.labels.tag([4], "new")
    assert named(labelled, new) == {"1.md", "2.md", "3.md"}
    labelled.trash([2])
    assert named(labelled, new) == {"2.md", "3.md"}
    labelled.restore([2])
    labelled.labels.untag([3], "new")
    assert named(labelled, new) == {"1.md", "3.md"}
    labelled.ingest([Incoming("twin.md", content_hash=labelled.stage(text(3).encode()))])
    labelled.labels.untag([4], "new")
    assert named(labelled, new) == {"1.md"}
    labelled.labels.tag([row.id for row in labelled.sources() if row.name == "twin.md"], "new")
    assert named(labelled, new) == {"1.md", "twin.md"}, "under the name that passes"
    with Library.open(labelled.home, write=False, encoder=FastEncoder()) as reader:
        assert named(reader, new) == {"1.md", "twin.md"}
